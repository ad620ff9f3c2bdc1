"""Facts about the listed sessions beside their files: live states, pins, other names of the current folder,
the sessions of sub-agents, and whether something can be undone. A service reads them for the list.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from app.controllers.dialog_host import started
from app.services.list_facts import TOLD, ListFacts, write_problem
from app.sessions.summary import DONE
from app.view.arrangement import Place, saved_fields, saved_place
from app.view.menus import CHANGED_KEYS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from app.controllers.dialog_host import DialogHost
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.panes.sessions_pane import SessionsPane
    from app.setup import Setup

MOST_LAST_WORDS = 100
"""Sessions that need the user of which the last words are read."""


@dataclass(eq=False, repr=False)
class FactsFeed:
    """Puts the facts into the list of a pane.

    places     (agents, folder, state) of each store, as `CatalogLoaded` has them
    reasons    path -> the reason why a session counts as live
    guides     the browser shows the first steps, because the user has not searched yet
    can_undo   the journal has something that can be undone; ``can_redo``: or redone

    :param files: reads the facts.
    :param changed: shows that other sessions are listed, or in another way.
    :param states_changed: shows which sessions are live.
    :param bars_changed: shows the bars anew: something can be undone, or other sessions need the user.
    """

    _host: DialogHost
    _messages: StatusMessages
    _pane: SessionsPane
    _files: ListFacts
    _setup: Setup
    _: KW_ONLY
    changed: Callable[[], None]
    states_changed: Callable[[], None]
    bars_changed: Callable[[], None]

    def __post_init__(self) -> None:
        self._model = self._pane.model
        self._subagents: set[str] = set()
        self.places: Sequence[tuple[str, str, str]] = ()
        self.reasons: dict[str, str] = {}
        self.can_undo = self.can_redo = self.guides = False
        self._told: set[str] = set()

    def stop(self) -> None:
        """End the service."""
        self._files.stop()

    # who is live

    def look(self) -> None:
        """Find out which sessions are live; if there is none, the state of the stores, which the screen shows
        instead.
        """
        self._find_live()
        if not self._model.known:
            self.find_places()

    @started
    async def _find_live(self) -> None:
        verdicts = await self._files.find_live(self._model.rows())
        self.reasons = {path: verdict.reason for path, verdict in verdicts.items()}
        self._pane.list.set_states(
            {path: verdict.state for path, verdict in verdicts.items()},
            {path: verdict.activity for path, verdict in verdicts.items() if verdict.activity},
        )
        self.states_changed()

    # pins and folders

    @started
    async def read_pins(self) -> None:
        """Show which sessions are pinned, and the tags of all."""
        pins, taggings = await self._files.read_pins()
        self._pane.list.set_pins(pins)
        if taggings != self._model.taggings:
            self._pane.list.set_taggings(taggings)
            self._pane.completion.tags_changed()

    @started
    async def read_keeping(self) -> None:
        """Show which sessions are kept, and which ones may be deleted soon."""
        found = await self._files.read_keeping(self.rows_without_subagents)
        if found != self._model.keeping:
            self._pane.list.set_keeping(found)
            self.bars_changed()

    async def set_keep(self, value: str) -> bool:
        """Change the setting `keep`, and show what follows from that; return whether it could be written."""
        problem = await self._files.set_keep(value)
        if problem:
            self._messages.complain(f"Not saved: {problem}")
        self.read_keeping()
        return not problem

    @started
    async def read_journal(self) -> None:
        """Find whether something can be undone or redone."""
        found = await self._files.read_journal()
        if found != (self.can_undo, self.can_redo):
            self.can_undo, self.can_redo = found
            self.bars_changed()

    @started
    async def find_places(self) -> None:
        """Show the state of the stores if the list is empty."""
        places = await self._files.find_places()
        if places != self.places:
            self.places = places
            self.changed()

    @started
    async def find_here(self) -> None:
        """List sessions of folders that are links to the current folder as sessions of it."""
        self.find_missing()
        folders = await self._files.find_here(self._model.folders())
        if folders:
            self._pane.list.also_here(folders)
            self.changed()

    @started
    async def find_missing(self) -> None:
        """Mark the sessions that cannot be resumed."""
        if not self._setup.demo:
            agents = {row.agent for row in self._model.rows()}
            self._pane.list.set_missing(*await self._files.find_missing(self._model.folders(), agents))
            self.bars_changed()

    @started
    async def read_recaps(self) -> None:
        """Show the recaps of sessions, if rows have a line for them."""
        if self._model.arrangement.roomy:
            self._pane.list.set_recaps(await self._files.read_recaps())

    @started
    async def read_last_words(self) -> None:
        """Show the questions, errors and calls with which the sessions end that need the user, if only those
        are listed.
        """
        if self._model.arrangement.needs:
            states = self._pane.list.states
            rows = [
                line.row
                for line in self._model.lines
                if line.row is not None and (line.row.ending != DONE or line.row.path in states)
            ]
            self._pane.list.set_last_words(await self._files.read_last_words(rows[:MOST_LAST_WORDS]))

    def remember_arrangement(self) -> None:
        """Save how the sessions are arranged, for the next run."""
        self.read_recaps()
        # at once: leafmark may end with the next key
        fields = saved_fields(self._model.arrangement, self._pane.preset)
        self._host.start(self._await_saved(self._files.remember(fields)))

    def remember_place(self) -> None:
        """Save the arrangement, the session under the cursor and the query for the next run, at the end of
        this one.
        """
        row = self._pane.list.row
        place = Place(row.path if row is not None else "", self._pane.box.value.strip())
        fields = saved_fields(self._model.arrangement) | saved_place(self._setup.here[0], place)
        # A later run begins without it if that cannot be written.
        with suppress(OSError):
            self._files.remember_now(fields)

    @started
    async def tell_change(self, name: str) -> None:
        """Say what a key does that has changed, the first time that a user of an earlier version uses it; and
        to every user what the tree's mark of the leaf means.
        """
        if name in self._told or name not in CHANGED_KEYS:
            return
        self._told.add(name)
        values = await self._files.read_values()
        known = values.get(TOLD, "").split()
        if (values or name == "tree") and name not in known:
            self._messages.show(CHANGED_KEYS[name])
            await self._await_saved(self._files.remember({TOLD: " ".join([*known, name])}))

    @started
    async def read_opened(self) -> None:
        """Read which sessions were opened in earlier runs: they do not need the user."""
        self._model.opened = {**await self._files.read_opened(), **self._model.opened}
        self.bars_changed()

    async def note_opened(self, row: Row) -> None:
        """Remember that the user has opened a session, to read it or to resume it, if it needed the user."""
        now_ms = self._setup.now_ms()
        if self._model.set_opened(row, now_ms):
            self.bars_changed()
            await self._await_saved(self._files.note_opened(row, now_ms))

    @started
    async def read_queries(self) -> None:
        """Have the queries of earlier runs come back."""
        self._pane.recent.load(await self._files.read_values())
        if self._pane.recent.is_empty and not self._pane.preset.keeps_box:
            self.guides = True
            self.bars_changed()

    def remember_queries(self) -> None:
        """Save the last queries, for the next run."""
        self.guides = False
        self._host.start(self._await_saved(self._files.remember(self._pane.recent.saved_fields())))

    async def _await_saved(self, saved: Awaitable[None]) -> None:
        try:
            await saved
        except OSError as error:
            self._messages.warn(f"Not saved: {write_problem(error, self._setup.env)}")

    # sub-agents

    @property
    def rows_without_subagents(self) -> list[Row]:
        """The sessions of the index."""
        return [row for row in self._model.rows() if row.path not in self._subagents]

    @started
    async def read_subagents(self) -> None:
        """List the sub-agents while they are shown."""
        if not self._model.arrangement.hidden:
            return
        rows = await self._files.read_subagents(self._model.rows())
        if not self._model.arrangement.hidden:
            return
        found = {row.path for row in rows}
        self._pane.list.apply(rows, self._subagents - found)
        self._subagents = found
        self.changed()
        self._pane.list.come_back()

    def subagents_turned(self) -> None:
        """List the sub-agents if they are shown now; else remove them from the list and its totals."""
        if self._model.arrangement.hidden:
            self.read_subagents()
        elif self._subagents:
            self._pane.list.apply((), self._subagents)
            self._subagents = set()
            self.changed()

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
