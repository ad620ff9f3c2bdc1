"""Facts about the listed sessions beside their files: live states, pins, other names of the current folder,
and the sessions of sub-agents. Services read them and answer with messages.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from textual import on

from app.messages import PinsRead, PlacesFound, StatesFound, SubagentsRead, WorkingFoldersFound
from app.screens.resuming_screen import ResumingScreen
from app.services.list_facts import ListFacts, Liveness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.view.session_list import SessionList

# seconds
LOOK_EVERY = 2.0
TICK_EVERY = 30.0


class SurroundingsScreen(ResumingScreen):
    """Has what is known besides shown in `side`."""

    model: SessionList

    def begin_surroundings(self) -> None:
        """Nothing is known yet."""
        self._places: Sequence[tuple[str, str, str]] = ()
        self._subagents: set[str] = set()
        self._liveness = Liveness(self.setup, self.post_message, self.service_failed)
        self._list_facts = ListFacts(self.setup, self.post_message, self.service_failed)

    def end_surroundings(self) -> None:
        """End the services."""
        self._liveness.stop()
        self._list_facts.stop()

    # for subclasses

    def clock_moved(self) -> None:
        """Ages that are on the screen may be others now."""

    def sessions_changed(self) -> None:
        """Other sessions are in the list, or they are shown in another way."""
        raise NotImplementedError

    # who is live, and when

    def keep_looking(self) -> None:
        """Look every now and then from here on."""
        self._list_facts.read_pins()
        self.set_interval(LOOK_EVERY, self.look)
        self.set_interval(TICK_EVERY, self._tick)

    def look(self) -> None:
        """Have it found out who is live; without any session, what there is where they are looked for."""
        self._liveness.look(self.model.rows())
        if not self.model.known:
            # the screen says what is there instead, also when that is no more
            self._list_facts.find_places()

    @on(StatesFound)
    def _states_found(self, event: StatesFound) -> None:
        self.reasons = dict(event.reasons)
        if dict(event.states) != self.side.list.states:
            self.side.list.set_states(event.states)
            self.refresh_bars()
        self.use_changed()

    def _tick(self) -> None:
        self.side.list.now_ms = self.setup.now_ms()
        self.side.list.redraw_rows()
        self.clock_moved()

    # pins and folders

    def pins_changed(self) -> None:
        self._list_facts.read_pins()

    @on(PinsRead)
    def _pins_read(self, event: PinsRead) -> None:
        self.side.list.set_pins(event.pins)

    @on(PlacesFound)
    def _places_found(self, event: PlacesFound) -> None:
        if event.places != self._places:
            self._places = event.places
            self.sessions_changed()

    @on(WorkingFoldersFound)
    def _here_found(self, event: WorkingFoldersFound) -> None:
        self.side.list.also_here(event.folders)
        self.sessions_changed()

    # sub-agents

    def read_subagents(self) -> None:
        """Have the sessions of sub-agents looked for, where they are shown."""
        if self.model.arrangement.hidden:
            self._list_facts.read_subagents(self.model.rows())

    @on(SubagentsRead)
    def _subagents_read(self, event: SubagentsRead) -> None:
        found = {row.path for row in event.rows}
        self.side.list.apply(event.rows, self._subagents - found)
        self._subagents = found
        self.sessions_changed()

    def gone_with(self, paths: Sequence[str]) -> list[str]:
        """The listed sub-agents of removed sessions. Their files were removed too, but no watcher reports
        that.
        """
        if not (paths and self._subagents):
            return []
        folders = tuple(os.path.splitext(path)[0] + os.sep for path in paths)
        gone = [path for path in self._subagents if path.startswith(folders)]
        self._subagents.difference_update(gone)
        return gone
