"""Facts about the listed sessions beside their files: live states, pins, other names of the current folder,
and the sessions of sub-agents. Services read them, and their messages put them into the list.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.list_facts import ListFacts, Liveness
from app.view.arrangement import saved_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row
    from app.messages import (
        MissingFound,
        PinsRead,
        PlacesFound,
        StatesFound,
        SubagentsRead,
        WorkingFoldersFound,
    )
    from app.panes.sessions_pane import SessionsPane


@dataclass(eq=False, repr=False)
class FactsFeed:
    """Puts the facts into the list of a pane.

    places    (agents, folder, state) of each store, as `CatalogLoaded` has them
    reasons   path -> the reason why a session counts as live

    :param files: reads the facts that are in files.
    :param changed: shows that other sessions are listed, or in another way.
    """

    _pane: SessionsPane
    _liveness: Liveness
    files: ListFacts
    _changed: Callable[[], None]

    def __post_init__(self) -> None:
        self._model = self._pane.model
        self._subagents: set[str] = set()
        self.places: Sequence[tuple[str, str, str]] = ()
        self.reasons: dict[str, str] = {}

    def stop(self) -> None:
        """End the services."""
        self._liveness.stop()
        self.files.stop()

    # who is live

    def look(self) -> None:
        """Find out which sessions are live; if there is none, the state of the stores, which the screen shows
        instead.
        """
        self._liveness.look(self._model.rows())
        if not self._model.known:
            self.files.find_places()

    def states_found(self, event: StatesFound) -> None:
        """Show which sessions are live."""
        self.reasons = dict(event.reasons)
        self._pane.list.set_states(event.states)

    # pins and folders

    def pins_read(self, event: PinsRead) -> None:
        """Show which sessions are pinned, and the tags of all."""
        self._pane.list.set_pins(event.pins)
        if event.taggings != self._model.taggings:
            self._pane.list.set_taggings(event.taggings)
            self._pane.completion.tags_changed()

    def places_found(self, event: PlacesFound) -> None:
        """Show the state of the stores if the list is empty."""
        if event.places != self.places:
            self.places = event.places
            self._changed()

    def find_here(self) -> None:
        """Find which folders of sessions are links to the current folder."""
        self.files.find_here(self._model.folders())
        self.find_missing()

    def find_missing(self) -> None:
        """Find which sessions cannot be resumed."""
        agents = {row.agent for row in self._model.rows()}
        self.files.find_missing(self._model.folders(), agents)

    def missing_found(self, event: MissingFound) -> None:
        """Mark the sessions that cannot be resumed."""
        self._pane.list.set_missing(event.folders, event.agents)

    def here_found(self, event: WorkingFoldersFound) -> None:
        """List the sessions of these folders as sessions of the current folder."""
        self._pane.list.also_here(event.folders)
        self._changed()

    def remember_arrangement(self) -> None:
        """Save how the sessions are arranged, for the next run."""
        self.files.remember(saved_fields(self._model.arrangement))

    # sub-agents

    @property
    def rows_without_subagents(self) -> list[Row]:
        """The sessions of the index."""
        return [row for row in self._model.rows() if row.path not in self._subagents]

    def read_subagents(self) -> None:
        """Read the sessions of sub-agents, if they are shown."""
        if self._model.arrangement.hidden:
            self.files.read_subagents(self._model.rows())

    def subagents_turned(self) -> None:
        """Read the sub-agents if they are shown now; else remove them from the list and its totals."""
        if self._model.arrangement.hidden:
            self.read_subagents()
        elif self._subagents:
            self._pane.list.apply((), self._subagents)
            self._subagents = set()
            self._changed()

    def subagents_read(self, event: SubagentsRead) -> None:
        """List the sub-agents, if they are still shown."""
        if not self._model.arrangement.hidden:
            return
        found = {row.path for row in event.rows}
        self._pane.list.apply(event.rows, self._subagents - found)
        self._subagents = found
        self._changed()
        self._pane.list.come_back()

    def gone_with(self, paths: Sequence[str]) -> list[str]:
        """Forget the listed sub-agents of removed sessions. Their files were removed too, but no watcher
        reports that.

        :return: their paths.
        """
        if not (paths and self._subagents):
            return []
        folders = tuple(os.path.splitext(path)[0] + os.sep for path in paths)
        gone = [path for path in self._subagents if path.startswith(folders)]
        self._subagents.difference_update(gone)
        return gone
