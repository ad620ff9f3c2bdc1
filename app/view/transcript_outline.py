"""The facts of a transcript about places that are not in view: prompts, branches and hits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from app.formats.text import one_line
from app.sessions.tree.entry_ref import EntryRef
from app.view.cells import stable_width
from app.view.document_line import DocumentLine
from app.view.formatting import counted
from app.view.transcript_rules import rule_line
from app.view.tree_row import without_marks


class BranchStart(NamedTuple):
    """A branch that starts at an entry of the path.

    :param entry: its first entry.
    :param text: its first prompt, raw.
    :param damaged: the damaged line in front of it, in words; "" for none.
    """

    entry: EntryRef
    text: str
    damaged: str = ""


class Places(NamedTuple):
    """The entries of a path that are of some kind.

    :param offsets: their offsets, in the order of the path.
    :param last: the offset of the last entry of the path.
    :param counts: how many there are up to each entry of the path, by its offset; None if the path is in the
        order of the file, in which the offsets tell.
    """

    offsets: Sequence[int]
    last: int = -1
    counts: Mapping[int, int] | None = None

    def up_to(self, offset: int) -> int:
        """How many there are up to an entry of the path; 0 for an entry that is not on it."""
        if self.counts is not None:
            return self.counts.get(offset, 0)
        return bisect_right(self.offsets, offset) if offset <= self.last else 0

    def next(self, offset: int, step: int) -> int | None:
        """The offset of the next one behind an entry, or of the previous one (-1); None for none."""
        behind = self.up_to(offset)
        if step > 0:
            index = behind
        else:
            index = behind - (2 if behind and self.offsets[behind - 1] == offset else 1)
        return self.offsets[index] if 0 <= index < len(self.offsets) else None


class Outline(NamedTuple):
    """The outline of one path.

    :param prompts: its prompts.
    :param labels: its entries with labels.
    :param branch: the number of the path among the branches, from 1; 0 if it is none.
    :param branches: how many branches there are.
    :param points: the other branches that start at an entry, by its offset.
    :param end: the last entry; None for an empty path.
    :param is_active: the path leads to the leaf.
    :param rules: the texts of the rules above entries, by the offset of the entry: damaged lines, and how
        many entries above a compaction are not sent any more. The first one is that of `beginning`.
    :param beginning: the entry above the damaged line that cuts the path off; None if no line does.
    """

    prompts: Places
    labels: Places
    branch: int
    branches: int
    points: Mapping[int, Sequence[BranchStart]]
    end: EntryRef | None
    is_active: bool
    rules: Mapping[int, str] = MappingProxyType({})
    beginning: EntryRef | None = None

    def notes(self, key: str) -> dict[int, DocumentLine]:
        """The line below each entry at which other branches start.

        :param key: the name of the key that goes to the branch.
        """
        return {offset: _note(starts, key) for offset, starts in self.points.items()}

    def ruled(self, key: str) -> dict[int, DocumentLine]:
        """The rule above each entry that has one.

        :param key: the name of the key that goes to the beginning of a path that a damaged line cuts off.
        """
        texts = dict(self.rules)
        if self.beginning is not None and key:
            first = next(iter(texts))
            texts[first] = texts[first].replace("branch", f"branch ({key})", 1)
        return {offset: rule_line(text) for offset, text in texts.items()}

    def facts(self, offset: int, hit_where: str) -> list[str]:
        """The prompt of an entry, and its branch if that is not the active path.

        :param hit_where: the branch as the search of all sessions names it; it is not named again.
        """
        facts = []
        number = self.prompts.up_to(offset)
        if number:
            facts.append(f"prompt {number:,} of {len(self.prompts.offsets):,}")
        if self.branches > 1 and self.branch and not self.is_active and not hit_where:
            facts.append(f"branch {self.branch:,} of {self.branches:,}")
        return facts


def _note(starts: Sequence[BranchStart], key: str) -> DocumentLine:
    count = f"{len(starts):,} other branch{'es start' if len(starts) > 1 else ' starts'} here: "
    if starts[0].damaged:
        count = f"{starts[0].damaged}, it goes on with: "
    text = without_marks(stable_width(one_line(starts[0].text, 300)))
    right = [(key, "key"), (" read it", "hint")] if key else []
    return DocumentLine(
        [("  ", "text"), ("Ψ ", "branches"), (count, "dim"), (text, "text")], own=3, right=right
    )


class Hits(NamedTuple):
    """The hits of a search in a session.

    :param words: what was searched for, folded.
    :param here: the entries on the path, in its order.
    :param elsewhere: those on other branches.
    """

    words: tuple[str, ...]
    here: Sequence[EntryRef]
    elsewhere: Sequence[EntryRef]

    @property
    def all(self) -> list[EntryRef]:
        """Both, those on the path first."""
        return [*self.here, *self.elsewhere]

    def summary(self, current: int) -> str:
        """The hits in words.

        :param current: the number of the hit that is shown, from 0; -1 for none.
        """
        total = len(self.here) + len(self.elsewhere)
        if not total:
            return "no hits"
        return f"hit {current + 1:,} of {total:,}" if current >= 0 else counted(total, "hit")

    @property
    def elsewhere_note(self) -> str:
        """How many of the hits are on other branches; "" for none."""
        count = len(self.elsewhere)
        return f"{counted(count, 'hit')} on other branches" if count else ""


def first_from(offsets: Sequence[int], begin: int) -> int:
    """The index of the first offset that is not before another one; 0 if all are."""
    return next((index for index, offset in enumerate(offsets) if offset >= begin), 0)
