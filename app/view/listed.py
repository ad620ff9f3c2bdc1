"""The list of sessions as lines: folds, filter, marks and where a session stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.group import NOWHERE
from app.view.layout import Layout
from app.view.list_filter import Matching
from app.view.marks import Marks
from app.view.session_filter import rows_tell, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from app.index.row import Row
    from app.view.arrangement import Arrangement
    from app.view.contents import Contents
    from app.view.group import Group
    from app.view.list_line import ListLine


class Listed:
    """Some contents as lines.

    here         the folders that count as this one
    arrangement  how they are arranged
    """

    def __init__(self, contents: Contents) -> None:
        self.here = contents.here
        self.arrangement: Arrangement = contents.arrangement
        self._contents = contents
        self._matching = Matching()
        self._layout = Layout(self._matching)
        self._marks = Marks()

    @property
    def lines(self) -> list[ListLine]:
        """Heads and sessions from top to bottom."""
        return self._layout.lines

    @property
    def matched(self) -> int:
        """How many sessions are shown, in folded groups as well."""
        return self._layout.matched

    def _refresh(self) -> None:
        ranked = self.arrangement.order == "relevance"
        self._layout.put_in_order(self._contents.groups.values(), self.here, ranked=ranked)
        self._layout.build(self._contents)

    # folds

    def is_open(self, group: Group) -> bool:
        """Whether the group's sessions are shown; while a filter is on all groups are."""
        return self._layout.is_open(group)

    def set_open(self, group: Group, is_open: bool) -> None:
        """Unfold or fold one group."""
        if is_open:
            self._layout.opened.add(group.cwd)
        else:
            self._layout.opened.discard(group.cwd)
        self._layout.build(self._contents)

    def open_all(self, is_open: bool) -> None:
        """Unfold or fold every group."""
        self._layout.opened = set(self._contents.groups) if is_open else set()
        self._layout.build(self._contents)

    def open_first(self, height: int, *, folds: bool = True) -> None:
        """Unfold what a person wants to see first: this folder's project, or the newest one where it has
        none; all of them when everything fits ``height`` lines.

        :param folds: and fold all others; else what is open stays so.
        """
        groups = [group for group in self._layout.order if not group.is_whole]
        before = self._layout.opened
        if sum(group.count + 1 for group in groups) * self.arrangement.row_height <= height:
            self._layout.opened = {group.cwd for group in groups}
        elif groups:
            self._layout.opened = {groups[0].cwd}
        if not folds:
            self._layout.opened |= before
        self._layout.build(self._contents)

    def first_groups(self) -> list[str]:
        """The folders of the groups that are open, in order."""
        return [group.cwd for group in self._layout.order if group.cwd in self._layout.opened]

    # the query

    @property
    def words(self) -> list[str]:
        """What is marked in the lines, folded."""
        return self._matching.words

    @property
    def is_filtered(self) -> bool:
        """Whether a query is on."""
        return self._matching.is_on

    def begin_with(self, query: str) -> None:
        """Show nothing that a query may leave out, while nothing was searched yet. The sessions of which the
        row matches are among those that will be found; where there is more to it than words, none is known.
        """
        if rows_tell(query):
            self.set_query(query)
        else:
            self.set_found(frozenset(), [], by_rows=False)

    def look_ahead(self, query: str) -> None:
        """Go through the rows for a query that `set_query` or `set_found` will be about: to do it then, with
        all the rest, would hold up the picture.
        """
        if rows_tell(query):
            self._contents.texts.having(words_of(query))

    def set_query(self, query: str) -> None:
        """Show only the sessions of which the row matches, and those that were found last (`set_found`);
        an empty query shows all.
        """
        self._matching.ask(query)
        self._match()

    def set_found(
        self,
        paths: AbstractSet[str],
        words: list[str],
        *,
        by_rows: bool,
        ranks: Mapping[str, int] | None = None,
    ) -> None:
        """Show the sessions that a search has found.

        :param words: what is to be marked in the lines, folded.
        :param by_rows: sessions of which the row matches are shown beside them (`session_filter.rows_tell`).
        :param ranks: path -> place in the search's own order, for the order of relevance.
        """
        self._matching.found(paths, words, by_rows=by_rows, ranks=ranks)
        self._match()

    def _match(self) -> None:
        # only a search's own order moves groups
        if self.arrangement.order == "relevance":
            self._refresh()
        else:
            self._layout.build(self._contents)

    # which session is where

    def rows(self) -> list[Row]:
        """Every session that is loaded, shown or not, in no order."""
        return [line.row for line in self._contents.by_path.values() if line.row is not None]

    def folders(self) -> list[str]:
        """The folder of every session that is loaded, each once."""
        return list(self._contents.projects)

    def first_session(self) -> int:
        """The first line that is a session, else the first line."""
        return self._layout.first_session()

    def row_at(self, path: str) -> Row | None:
        """The session with this path."""
        line = self._contents.by_path.get(path)
        return line.row if line is not None else None

    def family(self, path: str) -> tuple[Row | None, list[Row]]:
        """The session that the one with this path is a fork of, where that is here, and its own forks: those
        first in which there is a message, and the newest of them.
        """
        line = self._contents.by_path.get(path)
        if line is None:
            return None, []
        forks = [fork.row for fork in line.forks or () if fork.row is not None]
        forks.sort(key=lambda row: (not row.message_count, -row.modified, row.path))
        return line.parent.row if line.parent is not None else None, forks

    def same_session(self, agent: str, session_id: str) -> Row | None:
        """A session with this id, for when its file was moved: agents rename their folders
        (formats/README.md, "oh-my-pi").
        """
        for row in self.rows():
            if row.id == session_id and row.agent == agent:
                return row
        return None

    def index_of(self, path: str) -> int | None:
        """The line of a session, None when it is not shown."""
        line = self._contents.by_path.get(path)
        return self._layout.index_of(line) if line is not None else None

    def group_of(self, path: str) -> Group | None:
        """The group that a session is in, folded or not; None for one that is not listed."""
        line = self._contents.by_path.get(path)
        return line.group if line is not None and line.group is not NOWHERE else None

    def index_of_group(self, cwd: str) -> int | None:
        """The line of a group's head, None when it is not shown."""
        group = self._contents.groups.get(cwd)
        return self._layout.index_of_head(group) if group is not None else None

    # marks

    @property
    def marked(self) -> set[str]:
        """Paths of the sessions that are marked, shown or not."""
        return self._marks.paths

    def toggle_mark(self, path: str) -> None:
        """Mark a session, or no longer."""
        self._marks.toggle(path)

    def clear_marks(self) -> None:
        """Mark nothing."""
        self._marks.clear()

    def marked_rows(self) -> list[Row]:
        """The sessions that are marked: those that are shown in their order, then the others by age."""
        marked = self.marked
        shown = [line.row for line in self.lines if line.row is not None and line.row.path in marked]
        if len(shown) == len(marked):
            return shown
        seen = {row.path for row in shown}
        others = [row for path in marked - seen if (row := self.row_at(path)) is not None]
        return shown + sorted(others, key=lambda row: (-row.modified, row.path))
