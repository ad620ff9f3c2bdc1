"""The list of sessions without a screen: what is in it, and how it is arranged.

The lines are plain objects in a list. A change of some sessions puts their threads in order anew and no
others (`app.view.contents`); where lines have moved the list is put together from the groups' lines again,
which is cheap beside drawing one screen of it (`app.view.layout`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.arrangement import Arrangement
from app.view.contents import Contents
from app.view.listed import Listed
from app.view.passing import HIDDEN, LEFT_OUT, SHOWN, what_leaves_out, why_nothing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.row import Row
    from app.view.group import Group


class SessionList(Listed):
    """The sessions as an arrangement shows them. With groups, this folder's project comes first, then by
    newest activity.

    :param here: folders that count as "this folder" (the working directory as the shell and as the system
        spell it).
    :param home: the home folder, for ``~`` on screen.
    :param pins: (agent, id) of the sessions that a user has pinned.

    What the first frame found out besides, for the screen that follows it:

    nowhere  where it was looked (`app.view.empty_states.nothing_found`), where there is nothing at all;
             else None
    reading  how many files were read, and how many there were to read
    """

    def __init__(
        self,
        here: tuple[str, ...] = (),
        home: str = "",
        arrangement: Arrangement | None = None,
        pins: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        super().__init__(Contents(here, home, arrangement or Arrangement(), pins))
        self.home = home
        self.nowhere: Sequence[tuple[str, str, str]] | None = None
        self.reading = (0, 0)
        # folder -> how many sessions there are that are not hidden, and how many that are, while no more is
        # known of them
        self._foretold: dict[str, int] = {}
        self._foretold_hidden: dict[str, int] = {}
        # meanwhile: what the first frame shows, and what comes first in another arrangement
        self._begun: Contents | None = None
        self._page: Contents | None = None

    # what is in it

    def preview(
        self, counts: Iterable[tuple[str, int, int, int]], rows: Iterable[Row], most: int | None = None
    ) -> None:
        """Fill the list from the numbers of each project and the rows that come first.

        :param counts: (folder, number of sessions, newest activity in ms, number of hidden ones) of every
            project, the first two of sessions that are not hidden; the newest first.
        :param rows: with groups all of those that are open, else as many of the first as fit the screen.
        :param most: so many groups are enough for now; the others come with the same counts without it.
        """
        contents = self._contents
        groups = contents.groups
        counted = list(counts)
        if counted:
            self._foretold = {cwd: number for cwd, number, _, _ in counted}
            self._foretold_hidden = {cwd: hidden for cwd, _, _, hidden in counted if hidden}
        if most is not None:
            counted[most:] = [each for each in counted[most:] if each[0] in self.here]
        for cwd, number, newest, _ in counted:
            # the rows of an open one have counted themselves
            if number and cwd not in groups and self._is_in_scope(cwd):
                group = contents.group(cwd)
                group.count, group.newest = number, newest
        contents.put(rows, ())
        if not self.arrangement.grouped and self.total:
            contents.group("").count = self.total
        self._refresh()

    def _is_in_scope(self, cwd: str) -> bool:
        return self.arrangement.scope == "all" or cwd in self.here

    def first_groups(self) -> list[str]:
        """The folders of the groups that are open, in order, while their rows are to come; without groups,
        all that are in the scope.
        """
        if not self.arrangement.grouped:
            return [cwd for cwd in self._foretold if self._is_in_scope(cwd)]
        return super().first_groups()

    def load(self, rows: Iterable[Row]) -> None:
        """Replace all sessions; folds, marks and query stay."""
        before = self._contents
        self._contents = Contents(self.here, self.home, self.arrangement, before.pins)
        self._contents.set_live(before.live)
        self._forget_first()
        self._contents.put(rows, ())
        self._marks.keep(self._contents.by_path)
        self._refresh()

    def adopt(self, other: SessionList) -> None:
        """Take over the sessions of a list that was filled in another thread; all else stays. It costs next
        to nothing where that one was made with the same folders, arrangement and pins.
        """
        before, contents = self._contents, other._contents
        self._contents = contents
        self._forget_first()
        self._marks.keep(contents.by_path)
        if self.here != contents.here or not self.arrangement.lists_like(contents.arrangement):
            contents.rearrange(self.arrangement, self.here)
        contents.arrangement = self.arrangement
        self._refresh()
        self.set_pins(before.pins)
        self.set_live(before.live)

    def _forget_first(self) -> None:
        self._foretold, self._foretold_hidden = {}, {}
        self._begun = self._page = None

    def leave_first(self, since: int | None, standing: Sequence[int]) -> None:
        """Leave the threads that are pinned or were active after that (milliseconds): of some sessions, those
        that come first among all. None leaves all threads.

        :param standing: how many of all sessions stand where (`app.view.passing`).
        """
        if since is not None:
            late = [
                line.path
                for line in self.lines
                if line.rank is not None and line.rank[0] and -line.rank[1] <= since
            ]
            self._changed(self._contents.leave_out(late))
        self._contents.standing = list(standing)

    def show_first(self, other: SessionList) -> None:
        """Show what comes first in this arrangement, from a list that was made of it, while no more is known
        than what was foretold. Who goes back to the arrangement of the first frame has that again.
        """
        if self._foretold and self.arrangement.lists_like(other.arrangement):
            self._begun = self._begun or self._contents
            self._page = other._contents
            self._turn_to(self._page, other.pins)

    def _turn_to(self, contents: Contents, pins: frozenset[tuple[str, str]]) -> None:
        before, self._contents = self._contents, contents
        contents.set_pins(pins)
        contents.set_live(before.live)
        count = self.expected if self.shows_first else self.total
        if count and not contents.arrangement.grouped:
            contents.group("").count = count
        self._refresh()

    def prepare_filter(self) -> None:
        """Fold what the filter looks at beforehand, so that the first key of a filter costs no more than
        others.
        """
        self._contents.texts.prepare()

    def apply(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Take over rows that are new or changed, and paths that are gone."""
        changed, removed = list(changed), list(removed)
        self._marks.follow(changed, removed, self._contents.by_path)
        self._changed(self._contents.put(changed, removed))

    def set_pins(self, pins: frozenset[tuple[str, str]]) -> None:
        """Other sessions are pinned now: (agent, id) of all of them."""
        self._changed(self._contents.set_pins(pins))

    @property
    def pins(self) -> frozenset[tuple[str, str]]:
        """(agent, id) of the sessions that are pinned."""
        return self._contents.pins

    def set_live(self, paths: Iterable[str]) -> None:
        """The sessions that are open somewhere, or may be: those that are empty are not hidden."""
        self._changed(self._contents.set_live(frozenset(paths)))

    def _changed(self, touched: set[Group]) -> None:
        for group in touched:
            if not group.count:
                self._contents.drop(group)
        if self.is_filtered or any(group.moved or not self._layout.is_in_place(group) for group in touched):
            self._refresh()

    # how many

    @property
    def known(self) -> int:
        """How many sessions there are, shown or not."""
        if self._foretold:
            return sum(self._foretold.values()) + sum(self._foretold_hidden.values())
        return len(self._contents.by_path)

    @property
    def is_complete(self) -> bool:
        """Whether the sessions themselves are known, and not their number alone."""
        return not self._foretold

    @property
    def shows_first(self) -> bool:
        """Whether this is what comes first in the list of all, with all threads whole."""
        return self._page is not None and self._contents is self._page

    @property
    def expected(self) -> int:
        """How many sessions will be shown, where only the first of them are; else 0."""
        return self._contents.standing[SHOWN] if self.shows_first else 0

    @property
    def total(self) -> int:
        """How many sessions there are in the arrangement's scope, without those that are hidden."""
        if self._foretold and not self.shows_first:
            return sum(number for cwd, number in self._foretold.items() if self._is_in_scope(cwd))
        return self._contents.standing[LEFT_OUT] + self._contents.standing[SHOWN]

    @property
    def hidden(self) -> int:
        """How many sessions of the scope are left out as sub-agents' or empty."""
        if self._foretold and not self.shows_first:
            return sum(number for cwd, number in self._foretold_hidden.items() if self._is_in_scope(cwd))
        return self._contents.standing[HIDDEN]

    @property
    def length(self) -> int:
        """How many lines there will be, where only the first of them are here, else how many there are."""
        if self.expected:
            return max(self.expected, len(self.lines))
        if not self._foretold or not self.arrangement.grouped or self.is_filtered:
            return len(self.lines)
        groups = self._contents.groups
        to_come = [cwd for cwd, number in self._foretold.items() if number and cwd not in groups]
        return len(self.lines) + sum(map(self._is_in_scope, to_come))

    @property
    def projects(self) -> int:
        """How many projects there are, shown or not."""
        return len(self._foretold or self._contents.projects)

    def empty(self) -> str:
        """Why nothing is shown: ``query`` (nothing matches), or as `app.view.passing.why_nothing` has it; ""
        when something is.
        """
        if self.lines:
            return ""
        if self._foretold:
            if self.total:
                return "query" if self.is_filtered else ""
            return "hidden" if self.hidden else "here"
        if self._contents.groups:
            return "query"
        return why_nothing(self.rows(), self.arrangement, self.here, self._contents.live)

    def left_out(self) -> tuple[str, ...]:
        """Why nothing is shown of what a search has found, as `app.view.passing.what_leaves_out` has it;
        empty where it has found nothing.
        """
        found = [row for path in self._matching.found_paths if (row := self.row_at(path)) is not None]
        return what_leaves_out(found, self.arrangement, self.here, self._contents.live)

    # how it is shown

    def arrange(self, arrangement: Arrangement) -> None:
        """Show the sessions in another way; folds, marks and query stay. While no more is known than what was
        foretold, that is shown as it was.
        """
        before, self.arrangement = self.arrangement, arrangement
        if self._foretold:
            for contents in filter(None, (self._begun, self._page)):
                if contents is not self._contents and contents.arrangement.lists_like(arrangement):
                    self._turn_to(contents, self.pins)
                    return
            return
        if arrangement.lists_like(before):
            self._contents.arrangement = arrangement
        else:
            self._rearrange()

    def also_here(self, cwds: Iterable[str]) -> None:
        """More spellings of the folder that is "here"."""
        more = tuple(cwd for cwd in cwds if cwd not in self.here)
        self.here += more
        if more and not self._foretold:
            self._rearrange()

    def _rearrange(self) -> None:
        self._contents.rearrange(self.arrangement, self.here)
        self._refresh()
