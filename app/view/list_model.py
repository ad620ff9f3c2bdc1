"""The list of sessions without a screen: its sessions, order, folds, query and marks.

Every change goes the same way. It places the sessions that it concerns in the groups where the arrangement
puts them (`_place`), sorts these groups (`_update`), and puts the lines together from all groups (`_build`),
which is cheap beside drawing one screen of them. A change of folds or query concerns no session and only
builds the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from app.index.row import Row, is_empty
from app.index.sorting import sort_key
from app.sessions.summary import CONTINUED, WAITING
from app.stores.tags import NOTHING, Tagging, Taggings
from app.view.arrangement import Arrangement
from app.view.fork_order import parents_of
from app.view.formatting import short_agent, tilde
from app.view.keeping import Keeping
from app.view.list_filter import (
    EXCLUDED,
    HIDDEN,
    SHOWN,
    ArrangementFilter,
    empty_reason,
    excluding_conditions,
    rows_decide,
    words_of,
)
from app.view.list_groups import UNLISTED, Group, ListLine, ListQuery
from app.view.needs import DAY_MS, ENDED_BADLY, SECTIONS, WAITS, Clock, section_of
from app.view.row_lines import RowLines
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from app.formats.prices import Prices

NO_ACTIVITIES: Mapping[str, str] = MappingProxyType({})
_FEW = 20
"""Changed sessions that are put into their places one by one."""


class UsedColumns(NamedTuple):
    """Which facts differ between the listed sessions, or are there at all; `agent_cells` is the width of the
    longest name of an agent and of the head of their column, 0 if there is one agent.
    """

    branches: bool
    labels: bool
    agent_cells: int


class ListModel:
    """The sessions as an arrangement shows them. With groups, this folder's project comes first, then the
    projects by their newest activity.

    here         the folders that count as "this folder" (the working directory as the shell and as the system
                 spell it)
    home         the home folder, for ``~`` on screen
    arrangement  how the sessions are shown; change it with `arrange`
    pins         (agent, id) of the pinned sessions; change them with `set_pins`
    taggings     the tags and notes of the sessions; change them with `set_taggings`
    recaps       (agent, id) -> what the agent has noted about a session, raw
    keeping      which sessions are kept, and which ones may be deleted soon
    activities   path -> what an agent does in the session, as it notes, see `stores.base.ProcessNote`
    last_words   (agent, id) -> the words with which a session ends that needs the user, inert
    lines        heads and sessions from top to bottom
    heads        the indexes of the heads in ``lines``
    matched      the number of sessions that are shown, in folded groups as well
    marked       paths of the marked sessions, shown or not; marks outlast filters and folds
    searched     the stores that the first frame searched (`app.view.welcome`) if it found
                 no session at all; else None
    now_ms       gives the time in milliseconds since the epoch, for what needs the user
    recent_ms    how long after its last message a session needs the user, in milliseconds
    opened       (agent, id) -> when the user last opened a session, in milliseconds since the epoch
    missing_folders, missing_agents
                 folders of sessions that no longer exist, and agents that are not installed
    reading      for the first frame: the number of files that were read, and of all that are to be read
    """

    def __init__(
        self,
        here: tuple[str, ...] = (),
        home: str = "",
        arrangement: Arrangement | None = None,
        pins: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self.here = here
        self.home = home
        self.arrangement = arrangement or Arrangement()
        self.pins = pins
        self._prices: Prices | None = None
        self.now_ms: Callable[[], int] = lambda: 0
        self.recent_ms = 7 * DAY_MS
        self._opened: dict[tuple[str, str], int] = {}
        self._clock: Clock | None = None
        self._waiting: int | None = None
        self.taggings: Taggings = {}
        self.recaps: Mapping[tuple[str, str], str] = {}
        self.keeping = Keeping()
        self.last_words: Mapping[tuple[str, str], str] = {}
        self.activities = NO_ACTIVITIES
        self.lines: list[ListLine] = []
        self.heads: list[int] = []
        self.matched = 0
        self.marked: set[str] = set()
        self.searched: Sequence[tuple[str, str, str]] | None = None
        self.reading = (0, 0)
        self._live: frozenset[str] = frozenset()
        self.missing_folders: frozenset[str] = frozenset()
        self.missing_agents: frozenset[str] = frozenset()
        self._used_columns: UsedColumns | None = None
        self._stuck_agents: dict[str, bool] | None = None
        # every session, listed or not
        self._by_path: dict[str, ListLine] = {}
        self._by_id: dict[str, list[ListLine]] = {}
        # folder -> its spelling on screen
        self._spellings: dict[str, str] = {}
        self._query = ListQuery()
        self._clear_groups()
        self._open_folders: set[str] = set()
        # folders that are "this folder" and were unfolded once for that
        self._unfolded_once: set[str] = set()
        # folder -> the number of its sessions that are not hidden, and of those that are, until the sessions
        # themselves are known
        self._counts: dict[str, int] = {}
        self._hidden_counts: dict[str, int] = {}
        # marked sessions that are gone: if an agent renames a folder with hundreds of sessions, all are gone
        # at first, and appear again under other paths one after the other
        self._marked_and_gone: list[StableSelection] = []

    @property
    def prices(self) -> Prices:
        """The prices of tokens without a cost: those of the table, until others are set."""
        if self._prices is None:
            # Imported here: the first frame shows no cost.
            from app.formats.prices import LIST_PRICES

            return LIST_PRICES
        return self._prices

    @prices.setter
    def prices(self, prices: Prices) -> None:
        self._prices = prices

    def _clear_groups(self) -> None:
        # folder -> its group; one, with the name "", if there are no groups
        self._groups: dict[str, Group] = {}
        # all groups in order, also those without a match
        self._ordered_groups: list[Group] = []
        # the number of sessions by standing (`app.view.list_filter`)
        self._standing = [0] * (SHOWN + 1)
        # folder -> the number of its sessions, listed or not; and of those that `total` counts
        self._projects: dict[str, int] = {}
        self._counted: dict[str, int] = {}
        self._filter = ArrangementFilter(self._conditions, self.here, self._live, self.pins)

    @property
    def _conditions(self) -> Arrangement:
        """The arrangement with the hidden sessions if the query asks for them."""
        return self.arrangement.changed(hidden=True) if self._query.asks_hidden else self.arrangement

    # the sessions

    def preview(self, counts: Iterable[tuple[str, int, int, int]], rows: Iterable[Row]) -> None:
        """Fill the list from the counts of each project and the rows that come first.

        :param counts: (folder, number of sessions, newest activity, number of hidden ones) of every project.
            The first number and the activity, in milliseconds since the epoch, are of sessions that are not
            hidden. The newest project comes first.
        :param rows: with groups, the rows of all open groups; else as many of the first as fit the screen.
        """
        counted = list(counts)
        if counted:
            self._counts = {cwd: number for cwd, number, _, _ in counted}
            self._hidden_counts = {cwd: hidden for cwd, _, _, hidden in counted if hidden}
        for cwd, number, newest, _ in counted:
            # the rows of an open group have been counted already
            if number and cwd not in self._groups and self._is_in_scope(cwd):
                group = self._group(cwd)
                group.count, group.newest = number, newest
        self._sort(self._put(list(rows), ()))
        if not self.arrangement.has_groups and self.total:
            self._group("").count = self.total
        self._build()

    def _is_in_scope(self, cwd: str) -> bool:
        return self.arrangement.scope == "all" or cwd in self.here

    def first_groups(self) -> list[str]:
        """The folders of the open groups, in order. Without groups, all folders in the scope while rows are
        still to come, then none.
        """
        if not self.arrangement.has_groups:
            return [cwd for cwd in self._counts if self._is_in_scope(cwd)]
        return [group.cwd for group in self._ordered_groups if group.cwd in self._open_folders]

    def load(self, rows: Iterable[Row]) -> None:
        """Replace all sessions; folds, marks and query stay."""
        self._by_path, self._by_id = {}, {}
        self._clear_groups()
        self._sort(self._put(list(rows), ()))
        self._replaced()

    def adopt(self, other: ListModel) -> None:
        """Take over the sessions of a list that was filled in another thread; all else stays. It takes hardly
        any time if that list was made with the same folders, arrangement and pins.
        """
        pins, live = self.pins, self._live
        self._by_path, self._by_id = other._by_path, other._by_id
        self._spellings = other._spellings
        self.pins, self._live = other.pins, other._live
        is_alike = self.here == other.here and self._conditions.lists_like(other.arrangement)
        if is_alike and not self.arrangement.needs:
            self._groups, self._filter = other._groups, other._filter
            self._standing, self._projects = other._standing, other._projects
            self._counted = other._counted
        else:
            self._place_all()
        self._replaced()
        self.set_pins(pins)
        self.set_live(live, self.activities)
        self.set_taggings(self.taggings)

    def _replaced(self) -> None:
        self._counts, self._hidden_counts = {}, {}
        self._used_columns = self._stuck_agents = None
        self.marked.intersection_update(self._by_path)
        self._build()

    def prepare_filter(self) -> None:
        """Fold the texts that a filter searches, so that its first key costs no more than others."""
        for line in self._by_path.values():
            line.haystack  # noqa: B018  # computed here and kept

    def apply(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Take over rows that are new or changed, and drop the sessions with the removed paths."""
        changed, removed = list(changed), list(removed)
        self._unmark_removed(removed)
        is_moved = False
        if len(changed) <= _FEW and not removed:
            # Sessions with the same activity are in the order of their paths.
            changed.sort(key=lambda row: row.path, reverse=True)
            changed.sort(key=lambda row: row.modified or 0)
            while changed and self._bring_first(changed[0]):
                del changed[0]
                is_moved = True
        touched = self._put(changed, removed)
        self._sort(touched)
        if touched or is_moved:
            self._build()
        self._mark_returned()

    def _bring_first(self, row: Row) -> bool:
        """Replace the row of a session whose activity is the newest of its group. Most changes are appends,
        and sorting 10,000 sessions for each takes most of a frame. False: the others have to be sorted, too.
        """
        line = self._by_path.get(row.path)
        if (
            line is None
            or self.arrangement.needs
            or line.group is UNLISTED
            or _link_fields(row) != _link_fields(line.session)
            or self._filter.standing(row) != line.standing
            or not line.group.bring_first(line, row.modified or 0, self.arrangement)
        ):
            return False
        line.session = row
        self._used_columns = None
        return True

    def set_pins(self, pins: frozenset[tuple[str, str]]) -> None:
        """Replace the pins: (agent, id) of all pinned sessions. An empty one of them is not hidden."""
        changed, self.pins = pins ^ self.pins, pins
        self._filter.pins = pins
        touched: set[Group] = set()
        if changed:
            for line in self._by_path.values():
                if (line.session.agent, line.session.id) in changed:
                    line.pinned = not line.pinned
                    self._uncount(line)
                    self._place(line, touched)
        self._update(touched)

    def set_taggings(self, taggings: Taggings) -> None:
        """Replace the tags and notes of all sessions."""
        before, self.taggings = self.taggings, taggings
        changed = False
        # few sessions are tagged
        for agent, id in before.keys() | taggings.keys():
            for line in self._by_id.get(id, ()):
                if line.session.agent == agent:
                    tagging = taggings.get((agent, id), NOTHING)
                    changed = changed or tagging != line.tagging
                    line.tagging = tagging
        if changed and self.is_filtered:
            self._build()

    def tagging(self, row: Row) -> Tagging:
        """The tags and the note of a session."""
        return self.taggings.get((row.agent, row.id), NOTHING)

    def set_live(self, paths: Iterable[str], activities: Mapping[str, str] = NO_ACTIVITIES) -> None:
        """Replace the paths of the sessions that are live, or may be: an empty one of them is not hidden.

        :param activities: see the class.
        """
        live = frozenset(paths)
        changed = {path for path, _ in activities.items() ^ self.activities.items()} | (live ^ self._live)
        self._live, self.activities = live, activities
        self._filter.live = live
        self._waiting = None
        touched: set[Group] = set()
        for path in changed:
            line = self._by_path.get(path)
            if line is not None and (self.arrangement.needs or is_empty(line.session)):
                self._uncount(line)
                self._place(line, touched)
        self._update(touched)

    # placing sessions in groups

    def _put(self, changed: Sequence[Row], removed: Sequence[str]) -> set[Group]:
        """Place new and changed sessions, and drop the removed ones.

        :return: the groups to be sorted.
        """
        touched: set[Group] = set()
        links_changed = False
        for path in removed:
            line = self._by_path.pop(path, None)
            if line is not None:
                self._by_id[line.session.id].remove(line)
                self._uncount(line)
                self._move(line, UNLISTED, touched)
                links_changed = True
        for row in changed:
            line = self._by_path.get(row.path)
            if line is None:
                line = self._by_path[row.path] = ListLine(UNLISTED, row)
                links_changed = True
            else:
                self._by_id[line.session.id].remove(line)
                self._uncount(line)
                links_changed = links_changed or _link_fields(line.session) != _link_fields(row)
            line.session = row
            self._by_id.setdefault(row.id, []).append(line)
            line.folder = self._spelling(row.cwd)
            line.pinned = (row.agent, row.id) in self.pins
            line.tagging = self.tagging(row)
            self._place(line, touched)
        if links_changed:
            self._link_forks(touched)
            if self.arrangement.needs:
                # A new fork may go on with a session that waited.
                self._place_all()
                return set(self._groups.values())
        return touched

    def _spelling(self, cwd: str) -> str:
        folder = self._spellings.get(cwd)
        if folder is None:
            folder = self._spellings[cwd] = tilde(cwd, self.home)
        return folder

    def _link_forks(self, touched: set[Group]) -> None:
        """Set the parent and the forks of every line."""
        parents = parents_of([line.session for line in self._by_path.values()])
        for line in self._by_path.values():
            line.forks = []
        for path, line in self._by_path.items():
            parent_path = parents.get(path)
            parent = self._by_path[parent_path] if parent_path is not None else None
            if parent is not None:
                parent.forks.append(line)
            if parent is not line.parent:
                line.parent = parent
                if line.group is not UNLISTED:
                    touched.add(line.group)

    def _place(self, line: ListLine, touched: set[Group]) -> None:
        """Count a session, and list it where it belongs."""
        row = line.session
        line.standing = self._filter.standing(row)
        section = ""
        if self.arrangement.needs and line.standing == SHOWN:
            section = self._section(line)
            line.standing = SHOWN if section else EXCLUDED
        self._used_columns = self._waiting = self._stuck_agents = None
        self._standing[line.standing] += 1
        self._projects[row.cwd] = self._projects.get(row.cwd, 0) + 1
        if line.standing >= EXCLUDED:
            self._counted[row.cwd] = self._counted.get(row.cwd, 0) + 1
        group = (
            UNLISTED if line.standing != SHOWN else self._group(section or row.cwd, is_section=bool(section))
        )
        self._move(line, group, touched)

    def _section(self, line: ListLine) -> str:
        """The section of a session (`app.view.needs.section_of`)."""
        row = line.session
        if self._clock is None:
            self._clock = Clock(self.now_ms())
        is_continued = row.ending == CONTINUED or any(
            fork.session.cwd == row.cwd and fork.session.modified > row.modified for fork in line.forks
        )
        is_opened = self._opened.get((row.agent, row.id), -1) >= row.modified
        return section_of(
            row,
            self._clock,
            self.recent_ms,
            is_open=row.path in self._live,
            is_waiting=self.activities.get(row.path, "").startswith(WAITING),
            is_settled=is_continued or is_opened,
        )

    @property
    def opened(self) -> Mapping[tuple[str, str], int]:
        """See the class."""
        return self._opened

    @opened.setter
    def opened(self, opened: Mapping[tuple[str, str], int]) -> None:
        self._opened = dict(opened)
        self._waiting = None

    def set_opened(self, row: Row, at_ms: int) -> bool:
        """Note that the user has opened a session; return whether it needed the user. The list of what needs
        the user keeps it until that is shown anew: no row moves away while it is read.
        """
        line = self._by_path.get(row.path)
        if line is None or not self._needs(line):
            return False
        self._opened[row.agent, row.id] = at_ms
        self._waiting = None
        return True

    def _needs(self, line: ListLine) -> bool:
        return line.standing != HIDDEN and self._section(line) in (WAITS, ENDED_BADLY)

    def _uncount(self, line: ListLine) -> None:
        self._used_columns = self._waiting = self._stuck_agents = None
        self._standing[line.standing] -= 1
        for counts in (self._projects, self._counted)[: 1 + (line.standing >= EXCLUDED)]:
            cwd = line.session.cwd
            counts[cwd] -= 1
            if not counts[cwd]:
                del counts[cwd]

    def _move(self, line: ListLine, group: Group, touched: set[Group]) -> None:
        """List a session in a group, which is sorted anew even if the session was there before."""
        before = line.group
        if before is not group and before is not UNLISTED:
            before.remove(line)
            touched.add(before)
        if group is not UNLISTED:
            touched.add(group)
            group.add(line)

    def _group(self, cwd: str, *, is_section: bool = False) -> Group:
        """The group of a folder's sessions, or of a section, made if there is none yet."""
        name = cwd if self.arrangement.has_groups else ""
        group = self._groups.get(name)
        if group is None:
            is_whole = not self.arrangement.has_groups
            group = Group(name, tilde(name, self.home), is_whole=is_whole, is_section=is_section)
            self._groups[name] = group
        return group

    def _place_all(self) -> None:
        self._clear_groups()
        touched: set[Group] = set()
        for line in self._by_path.values():
            line.group = UNLISTED
            self._place(line, touched)
        self._sort(touched)

    def _sort(self, touched: set[Group]) -> None:
        """Sort the groups whose sessions have changed, and drop those that are empty now."""
        arrangement = self.arrangement
        key = sort_key(arrangement.order, self.prices) if arrangement.is_by_field else None
        for group in touched:
            group.sort(self.arrangement, key)
            if not group.count:
                del self._groups[group.cwd]

    def _update(self, touched: set[Group]) -> None:
        if touched:
            self._sort(touched)
            self._build()

    # counts

    @property
    def known(self) -> int:
        """The number of sessions, shown or not."""
        if self._counts:
            return sum(self._counts.values()) + sum(self._hidden_counts.values())
        return len(self._by_path)

    @property
    def finds_nothing(self) -> bool:
        """Whether the first frame found no session at all, and none has come since."""
        return self.searched is not None and not self.known

    @property
    def is_complete(self) -> bool:
        """Whether the sessions themselves are known, and not their number alone."""
        return not self._counts

    @property
    def total(self) -> int:
        """The number of sessions in the scope, without hidden ones."""
        if self._counts:
            return sum(number for cwd, number in self._counts.items() if self._is_in_scope(cwd))
        return self._standing[EXCLUDED] + self._standing[SHOWN]

    @property
    def hidden(self) -> int:
        """The number of sessions in the scope that are left out as sub-agents' or empty."""
        if self._counts:
            return sum(number for cwd, number in self._hidden_counts.items() if self._is_in_scope(cwd))
        return self._standing[HIDDEN]

    @property
    def waiting(self) -> int:
        """The number of sessions that wait for an answer or ended badly, in all folders."""
        if self._waiting is None:
            self._clock = Clock(self.now_ms())
            since = self._clock.now_ms - self.recent_ms
            recent = (line for line in self._by_path.values() if line.session.modified >= since)
            self._waiting = sum(map(self._needs, recent))
        return self._waiting

    @property
    def row_lines(self) -> RowLines:
        """The lines on screen of each row: the head of a group takes one."""
        return RowLines(len(self.lines), self.row_height, self.heads)

    @property
    def projects(self) -> int:
        """The number of projects with a session that counts as one of the scope."""
        if self._counts:
            return sum(number > 0 and self._is_in_scope(cwd) for cwd, number in self._counts.items())
        return len(self._counted)

    def empty(self) -> str:
        """Why nothing is shown: ``query`` (nothing matches), or a reason of
        `app.view.list_filter.empty_reason`; "" if something is shown.
        """
        if self.lines:
            return ""
        if self._counts:
            if self.total:
                return "query" if self.is_filtered else ""
            return "hidden" if self.hidden else "here"
        if self._groups:
            return "query"
        if self.arrangement.needs:
            return "needs"
        return empty_reason(self.rows(), self._conditions, self.here, self._live, self.pins)

    def left_out(self) -> tuple[str, ...]:
        """The conditions that exclude what a search has found (`app.view.list_filter.excluding_conditions`);
        empty if it has found nothing.
        """
        found = self._rows_at(self._query.found)
        return excluding_conditions(found, self._conditions, self.here, self._live, self.pins)

    def found_elsewhere(self) -> int:
        """The number of sessions that a search has found in other folders, and that only the scope hides."""
        if self.arrangement.scope == "all":
            return 0
        conditions = ArrangementFilter(
            self._conditions.changed(scope="all"), self.here, self._live, self.pins
        )
        found = self._rows_at(self._query.found)
        return sum(conditions.standing(row) == SHOWN and row.cwd not in self.here for row in found)

    def found_hidden(self) -> int:
        """The number of sessions that a search has found, and that are left out only as hidden ones."""
        shown = ArrangementFilter(self._conditions.changed(hidden=True), self.here, self._live, self.pins)
        found = self._rows_at(self._query.found)
        return sum(shown.standing(row) == SHOWN != self._filter.standing(row) for row in found)

    # the arrangement

    def arrange(self, arrangement: Arrangement) -> None:
        """Show the sessions in another way; folds, marks and query stay. Until the sessions are known, the
        rows of the first frame stay as they are.
        """
        before, self.arrangement = self.arrangement, arrangement
        self._clock = None
        if not self._counts and not arrangement.lists_like(before):
            self._place_all()
            self._build()

    def also_here(self, cwds: Iterable[str]) -> None:
        """Add spellings of "this folder"."""
        more = tuple(cwd for cwd in cwds if cwd not in self.here)
        self.here += more
        if more and not self._counts:
            self._place_all()
            self._build()

    # the lines

    def _build(self) -> None:
        """Put the groups in order and the lines together, after every change of sessions, arrangement, folds
        or query. A group of "this folder" is unfolded once.
        """
        groups = sorted(
            self._groups.values(),
            key=lambda group: (
                SECTIONS.index(group.cwd) if group.is_section else group.cwd not in self.here,
                -group.newest,
                group.cwd,
            ),
        )
        new = {group.cwd for group in groups if group.cwd in self.here} - self._unfolded_once
        self._unfolded_once |= new
        self._open_folders |= new
        query = self._query
        shown = {group: query.filter(group.lines) if query.is_on else group.lines for group in groups}
        self._ordered_groups, self.lines, self.heads, self.matched = groups, [], [], 0
        if query.is_ranked:
            self.lines = sorted(chain.from_iterable(shown.values()), key=query.rank)
            self.matched = len(self.lines)
            return
        for group in groups:
            group.shown = len(shown[group]) if query.is_on else group.count
            self.matched += group.shown
            group.start = len(self.lines)
            if query.is_on and not group.shown:
                continue
            if not group.is_whole:
                self.heads.append(group.start)
                self.lines.append(group.head)
            if self.is_open(group):
                self.lines += shown[group]

    # folds

    def is_open(self, group: Group) -> bool:
        """Whether the group's sessions are shown; with a query or a set, those of all groups are."""
        shows_all = self._query.is_on or self.arrangement.only is not None or group.is_section
        return group.is_whole or shows_all or group.cwd in self._open_folders

    def set_open(self, group: Group, is_open: bool) -> None:
        """Unfold or fold one group."""
        if is_open:
            self._open_folders.add(group.cwd)
        else:
            self._open_folders.discard(group.cwd)
        self._build()

    def open_all(self, is_open: bool) -> None:
        """Unfold or fold every group."""
        self._open_folders = set(self._groups) if is_open else set()
        self._build()

    def open_first(self, height: int, *, folds: bool = True) -> None:
        """Unfold projects from the top as far as there are lines for their sessions, the first one always.

        :param height: the number of lines on screen.
        :param folds: fold all others; else the open ones stay open.
        """
        groups = [group for group in self._ordered_groups if not group.is_whole]
        before = self._open_folders
        lines = 0
        self._open_folders = set()
        for group in groups:
            lines += 1
            if lines >= height and self._open_folders:
                break
            self._open_folders.add(group.cwd)
            lines += group.count * self.arrangement.row_height
        if not folds:
            self._open_folders |= before
        self._build()

    # the query

    @property
    def words(self) -> list[str]:
        """The folded words that are highlighted in the lines."""
        return self._query.words

    @property
    def row_height(self) -> int:
        """Lines of a session's row. With a query there are two: the second one says why it is a hit."""
        return 2 if self.is_filtered else self.arrangement.row_height

    @property
    def has_groups(self) -> bool:
        """Whether the lines have heads of projects or sections."""
        return self.arrangement.has_groups and not self._query.is_ranked

    @property
    def is_filtered(self) -> bool:
        """Whether there is a query."""
        return self._query.is_on

    def begin_with(self, query: str) -> None:
        """Show no session that a query may leave out, before anything was searched.

        If the query consists of words only, the search will find the sessions whose rows match, and they are
        shown; else none is.
        """
        if rows_decide(query):
            self.set_query(query)
        else:
            self.set_found(frozenset(), [])

    def set_query(self, query: str) -> None:
        """Show only the sessions whose rows match, and those that were found last (`set_found`); an empty
        query shows all.
        """
        self._query.match_rows(words_of(query))
        self._show_hidden()
        self._build()

    def _show_hidden(self) -> None:
        """Place all sessions anew if the query asks for hidden ones, and the one before did not, or the other
        way round.
        """
        if self._filter.hidden != self._conditions.hidden and not self._counts:
            self._place_all()

    def set_found(
        self,
        paths: AbstractSet[str],
        words: list[str],
        *,
        ranks: Mapping[str, int] | None = None,
        sort: str = "",
        hidden: bool = False,
    ) -> None:
        """Show the sessions that a search has found, in one list without groups.

        :param words: the folded words to highlight in the lines.
        :param ranks: path -> position in the list.
        :param sort: the order that the query names; "" for none.
        :param hidden: show those of them as well that the list hides otherwise.
        """
        self._query.match_found(paths, words, ranks=ranks or {}, sort=sort, asks_hidden=hidden)
        self._show_hidden()
        self._build()

    @property
    def shown_order(self) -> str:
        """The order of the list: that of the search if there is one, else of the arrangement."""
        if not self._query.is_ranked:
            return self.arrangement.order
        return self._query.sort or self.arrangement.search_order

    # lookup

    @property
    def used_columns(self) -> UsedColumns:
        """The columns of the list that are used."""
        if self._used_columns is None:
            rows = [line.session for line in self._by_path.values() if line.group is not UNLISTED]
            agents = {row.agent for row in rows}
            self._used_columns = UsedColumns(
                any(row.branch_count > 1 for row in rows),
                any(row.labels for row in rows),
                max(len("agent"), *(len(short_agent(agent)) for agent in agents)) if len(agents) > 1 else 0,
            )
        return self._used_columns

    def cannot_resume(self, row: Row) -> bool:
        """Whether it is known that a session cannot be resumed."""
        return row.is_deleted or row.cwd in self.missing_folders or row.agent in self.missing_agents

    def is_stuck(self, row: Row) -> bool:
        """Whether it is known that a session cannot be resumed, for a reason that is not that of all sessions
        of its agent (`stuck_agents`).
        """
        return self.cannot_resume(row) and (row.is_deleted or row.agent not in self.stuck_agents)

    @property
    def stuck_agents(self) -> dict[str, bool]:
        """The agents of which no session can be resumed, and whether that is because the agent is not
        installed. Otherwise, the folders of all its sessions are gone.
        """
        if not (self.missing_folders or self.missing_agents):
            return {}
        if self._stuck_agents is None:
            rows = self.rows()
            agents = {row.agent for row in rows} - {row.agent for row in rows if not self.cannot_resume(row)}
            self._stuck_agents = {agent: agent in self.missing_agents for agent in sorted(agents)}
        return self._stuck_agents

    def set_missing(self, folders: frozenset[str], agents: frozenset[str]) -> bool:
        """Set which folders of sessions are gone, and which agents are not installed; return whether that is
        new.
        """
        before = self.missing_folders, self.missing_agents
        self.missing_folders, self.missing_agents = folders, agents
        self._stuck_agents = None
        return before != (folders, agents)

    def rows(self) -> list[Row]:
        """Every session that is loaded and has a file, shown or not, in no order."""
        return [line.session for line in self._by_path.values() if not line.session.is_deleted]

    def deleted(self) -> set[str]:
        """The paths of the deleted sessions that a search has found."""
        return {path for path, line in self._by_path.items() if line.session.is_deleted}

    def folders(self) -> list[str]:
        """The folder of every session that is loaded, each once."""
        return list(self._projects)

    def first_session(self) -> int:
        """The first line that is a session, else the first line."""
        return next((index for index, line in enumerate(self.lines) if line.row is not None), 0)

    def row_at(self, path: str) -> Row | None:
        """The session with this path."""
        line = self._by_path.get(path)
        return line.row if line is not None else None

    def _rows_at(self, paths: Iterable[str]) -> list[Row]:
        return [row for path in paths if (row := self.row_at(path)) is not None]

    def family(self, path: str) -> tuple[Row | None, list[Row]]:
        """The parent of a session, if it is a fork and its parent is known; and its own forks, those with a
        message first, and the newest first.
        """
        line = self._by_path.get(path)
        if line is None:
            return None, []
        forks = [fork.session for fork in line.forks]
        forks.sort(key=lambda row: (not row.message_count, -row.modified, row.path))
        return line.parent.row if line.parent is not None else None, forks

    def rows_with_id(self, session_id: str) -> list[Row]:
        """The sessions with this id, of any store and agent. To follow a session whose file moves, make a
        `StableSelection`.
        """
        return [line.session for line in self._by_id.get(session_id, ())]

    def index_of(self, path: str) -> int | None:
        """The line of a session; None if it is not shown."""
        line = self._by_path.get(path)
        if line is None or line.group is UNLISTED or not self.is_open(line.group):
            return None
        return self._index(line)

    def group_of(self, path: str) -> Group | None:
        """The group that a session is in, folded or not; None if it is not listed."""
        line = self._by_path.get(path)
        return line.group if line is not None and line.group is not UNLISTED else None

    def index_of_group(self, cwd: str) -> int | None:
        """The line of a group's head; None if it is not shown."""
        group = self._groups.get(cwd)
        return self._index(group.head) if group is not None else None

    def _index(self, line: ListLine) -> int | None:
        try:
            return self.lines.index(line)
        except ValueError:
            return None

    # marks

    def toggle_mark(self, path: str) -> None:
        """Mark a session, or remove its mark. Sessions that are gone lose their marks for good."""
        self.marked ^= {path}
        self._marked_and_gone.clear()

    def clear_marks(self) -> None:
        """Remove all marks."""
        self.marked.clear()
        self._marked_and_gone.clear()

    def marked_rows(self) -> list[Row]:
        """The marked sessions: those that are shown in their order, then the others by age."""
        shown = [line.session for line in self.lines if line.path in self.marked]
        others = self._rows_at(self.marked - {row.path for row in shown})
        return shown + sorted(others, key=lambda row: (-row.modified, row.path))

    def _unmark_removed(self, removed: Sequence[str]) -> None:
        """Remove the marks of sessions that are about to be removed, until one of them comes again."""
        gone = self.marked.intersection(removed)
        self.marked -= gone
        self._marked_and_gone += [StableSelection(self, [row]) for row in self._rows_at(gone)]

    def _mark_returned(self) -> None:
        """Mark the sessions that have come again, mostly under another path: agents rename their folders."""
        gone, self._marked_and_gone = self._marked_and_gone, []
        for selection in gone:
            row = selection.row
            if row is not None:
                self.marked.add(row.path)
            else:
                self._marked_and_gone.append(selection)


def _link_fields(row: Row) -> tuple[str, str, str | None, str, str, str]:
    """The fields that decide which session it is, and of which one it is a fork."""
    return row.agent, row.id, row.parent_session, row.cwd, row.continued_in, row.first_id
