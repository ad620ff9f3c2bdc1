"""Two branches side by side: their totals, turns, tools and files, and a cursor on what differs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from app.actions.compare import Comparison, FileChange, Side, Turn, count_tools
from app.formats.text import one_line
from app.view.cells import fit_facts, max_width, shorten, shorten_start, stable_width
from app.view.formatting import counted, span, spent
from app.view.glyphs import UNICODE
from app.view.line import Line, fit_line, line_width, wrap
from app.view.session_row import POINTER
from app.view.tree_row import row_body, without_marks

if TYPE_CHECKING:
    from app.sessions.tree.node import Node

NARROWEST = 24
"""Fewest cells in which a comparison can be read."""
BESIDE_FROM = 80
"""Columns of a screen from which the sides stand beside each other."""
PROMPT_LINES = 2
ANSWER_LINES = 2
LIST_LINES = 3
"""Lines of the names of tools, and of the files that were only read."""
MOST_FILES = 50
"""Changed files that are listed of each side."""

_DIVIDER = " │"
_TITLE_CELLS = 7
_PATH_LIMIT = 1_000


class Place(NamedTuple):
    """A turn, or a file, on which the cursor can stand.

    :param entries: its entry on each side; None if that side has none.
    :param lines: its lines on each side.
    :param differs: the sides are not alike here.
    """

    entries: tuple[Node | None, Node | None]
    lines: tuple[range, range]
    differs: bool


class ComparisonCursor:
    """The cursor of a comparison. It stands on a place of the first side (0) or of the other one (1), where
    that side has an entry.

    places   those of the comparison as it is laid out
    """

    def __init__(self, places: Sequence[Place] = ()) -> None:
        self.places = places
        self._place = 0
        self.side = 0
        self.go_to_first()

    def go_to_first(self) -> None:
        """Move to the first place that differs."""
        self._place = next((at for at, place in enumerate(self.places) if place.differs), 0)
        self._stand()

    @property
    def place(self) -> Place | None:
        """The place; None if there is none."""
        return self.places[self._place] if self.places else None

    @property
    def entry(self) -> Node | None:
        """The entry there."""
        return self.place.entries[self.side] if self.place is not None else None

    @property
    def lines(self) -> range:
        """The lines there."""
        return self.place.lines[self.side] if self.place is not None else range(0)

    def move(self, step: int) -> None:
        """Move to the next place that differs (1), or to the previous one (-1). The first one follows the
        last.
        """
        count = len(self.places)
        others = ((self._place + step * distance) % count for distance in range(1, count))
        self._place = next((at for at in others if self.places[at].differs), self._place)
        self._stand()

    def change_side(self) -> None:
        """Move to the other side: to the same place, or to the nearest one that has an entry there."""
        side = 1 - self.side
        nearest = sorted(range(len(self.places)), key=lambda at: abs(at - self._place))
        found = next((at for at in nearest if self.places[at].entries[side] is not None), None)
        if found is not None:
            self._place, self.side = found, side

    def _stand(self) -> None:
        """Change the side if the place has no entry on this one."""
        if self.place is not None and self.entry is None:
            self.side = 1 - self.side


class ComparisonTable:
    """A comparison as lines of `cells` cells, or of `NARROWEST` if that is more.

    head     the lines that do not scroll: the common entry, and the names and totals of sides that stand
             beside each other
    places   what the cursor can stand on, in the order of the lines
    """

    def __init__(
        self, comparison: Comparison, cells: int, names: tuple[str, str], *, stacked: bool = False
    ) -> None:
        """:param names: the names of the two sides.
        :param stacked: the second side stands below the first, and not beside it.
        """
        self._cells = max(NARROWEST, cells)
        self._stacked = stacked
        # A column has a blank or the pointer before it.
        one = self._cells - 1 if stacked else (self._cells - len(_DIVIDER) - 2) // 2
        self._widths = (one,) if stacked else (one, self._cells - len(_DIVIDER) - 2 - one)
        self._rows: list[Sequence[Line]] = []
        self.places: list[Place] = []
        sides = zip(names, (comparison.one, comparison.other), strict=True)
        top = _Block([_heading(name, side, one) for name, side in sides])
        blocks = [*_turns(comparison, one), *_sections(comparison, one)]
        self._lay_out_stacked([top, *blocks]) if stacked else self._lay_out_beside(blocks)
        rule: Line = [("─" * self._cells, "border")]
        self.head = [fit_line(_common(comparison, self._cells), self._cells), rule]
        if not stacked:
            self.head += [*(self._drawn(row) for row in zip_longest(*top.sides, fillvalue=[])), rule]

    def __len__(self) -> int:
        return len(self._rows)

    def line(self, index: int, cursor: ComparisonCursor) -> Line:
        """A line that scrolls, with the pointer if it is the first one of the cursor's place."""
        pointed = index == cursor.lines.start and cursor.place is not None
        return self._drawn(self._rows[index], (0 if self._stacked else cursor.side) if pointed else -1)

    def _lay_out_beside(self, blocks: Sequence[_Block]) -> None:
        for block in blocks:
            begin = len(self._rows)
            self._rows += zip_longest(*block.sides, fillvalue=[])
            lines = range(begin, len(self._rows))
            self._add_place(block, (lines, lines))

    def _lay_out_stacked(self, blocks: Sequence[_Block]) -> None:
        lines: list[list[range]] = [[], []]
        for side in (0, 1):
            if side:
                self._rows.append([[("─" * self._widths[0], "border")]])
            for block in blocks:
                begin = len(self._rows)
                self._rows += ([line] for line in block.sides[side])
                lines[side].append(range(begin, len(self._rows)))
        for block, one, other in zip(blocks, *lines, strict=True):
            self._add_place(block, (one, other))

    def _add_place(self, block: _Block, lines: tuple[range, range]) -> None:
        if any(entry is not None for entry in block.entries):
            self.places.append(Place(block.entries, lines, block.differs))

    def _drawn(self, row: Sequence[Line], pointed: int = -1) -> Line:
        line: Line = []
        for number, (column, cells) in enumerate(zip(row, self._widths, strict=True)):
            if number:
                line.append((_DIVIDER, "border"))
            line += [(POINTER if number == pointed else " ", "pointer"), *fit_line(column, cells)]
        return line


class _Block(NamedTuple):
    """Lines of the two sides that belong together.

    :param entries: what Enter goes to there.
    """

    sides: Sequence[Sequence[Line]]
    entries: tuple[Node | None, Node | None] = (None, None)
    differs: bool = False


def _common(comparison: Comparison, cells: int) -> Line:
    """The line with the entry from which both branches follow."""
    node = comparison.last_shared
    if node is None or node.row_text is None:
        return [("The branches share no entry", "dim")]
    head = "Both follow: "
    body = [(text, style) for text, style in row_body(node.row_text, True, UNICODE) if text.strip()]
    label: Line = []
    if node.label:
        label = [(f" {UNICODE.label} {shorten(stable_width(one_line(node.label)), cells // 3)}", "label")]
    room = cells - len(head) - line_width(label)
    if sum(max_width(text) for text, _ in body) > room:
        body = fit_line(body, room)
    return [(head, "dim"), *body, *label]


def _heading(name: str, side: Side, cells: int) -> list[Line]:
    """The name of a side with its label, else with its first prompt or answer; and its totals."""
    texts = [text for turn in side.turns for text in (turn.prompt, turn.answer) if text]
    about = f"{UNICODE.label} {side.label}" if side.label else without_marks(next(iter(texts), ""))
    text = shorten(stable_width(" · ".join(filter(None, (name, about)))), cells)
    return [[(text, "label" if side.label else "strong")], [(fit_facts(_totals(side), cells), "dim")]]


def _totals(side: Side) -> str:
    prompts = sum(turn.node is not None for turn in side.turns)
    facts = [counted(side.entries, "entry", "entries"), counted(prompts, "turn")]
    return " · ".join(filter(None, (*facts, spent(side.spending), span(side.duration_ms))))


def _turns(comparison: Comparison, cells: int) -> list[_Block]:
    """The turns with the same number beside each other."""
    blocks = []
    for one, other in comparison.turns():
        entries = (None if one is None else one.first, None if other is None else other.first)
        blocks.append(_Block([_turn(one, cells), _turn(other, cells)], entries, one != other))
    return blocks or [_Block([[[("(nothing was said)", "faint")]]] * 2)]


def _turn(turn: Turn | None, cells: int) -> list[Line]:
    if turn is None:
        return []
    room = cells - 2
    prompt: list[Line] = [[(text, "strong")] for text in _wrapped(turn.prompt, room, PROMPT_LINES)]
    if not prompt and turn.node is not None:
        prompt = [[("(no text)", "faint")]]
    answer = _wrapped(without_marks(turn.answer), room, ANSWER_LINES)
    answered: list[Line] = [[(text, "text")] for text in answer] or [[("(no answer)", "faint")]]
    marks: list[tuple[str, str]] = [(f"{UNICODE.prompt} ", "user")] if prompt else []
    lines = [*prompt, *answered]
    return [
        [marks[0] if marks and not number else ("  ", "text"), *line] for number, line in enumerate(lines)
    ]


def _sections(comparison: Comparison, cells: int) -> list[_Block]:
    """The tools and the files; a file that both sides changed stands in one line."""
    sides = (comparison.one, comparison.other)
    room = cells - _TITLE_CELLS
    blocks = [_Block([_titled("Tools", _list(count_tools(side.tools), room)) for side in sides])]
    titles = ["Files", "Files"]
    for changes in _beside_each_other(*(side.changed for side in sides)):
        lines: list[list[Line]] = []
        for side, change in enumerate(changes):
            lines.append(_titled(titles[side], [_file(change, room)] if change is not None else []))
            titles[side] = titles[side] if change is None else ""
        one, other = changes
        entries = (None if one is None else one.node, None if other is None else other.node)
        blocks.append(_Block(lines, entries, one != other))
    more = [len(side.changed) - MOST_FILES for side in sides]
    blocks.append(
        _Block([_titled("", [[(f"… {number:,} more", "faint")]] if number > 0 else []) for number in more])
    )
    read = [one_line(", ".join(side.read), _PATH_LIMIT) for side in sides]
    blocks.append(_Block([_titled("Read", _list(paths, room)) for paths in read]))
    return [block for block in blocks if any(block.sides)]


def _beside_each_other(
    one: Sequence[FileChange], other: Sequence[FileChange]
) -> list[tuple[FileChange | None, FileChange | None]]:
    """The changed files in pairs: first those that both sides changed."""
    others = {change.path: change for change in other}
    both = [(change, others[change.path]) for change in one if change.path in others]
    shared = {change.path for change, _ in both}
    alone = [[change for change in changes if change.path not in shared] for changes in (one, other)]
    pairs: list[tuple[FileChange | None, FileChange | None]] = [*both]
    pairs += zip_longest(alone[0], alone[1])
    return pairs[:MOST_FILES]


def _file(change: FileChange, cells: int) -> Line:
    """`M src/shop/auth.py +2 −1`; a file that was written whole is `A`."""
    counts: Line = []
    if not change.is_new and (change.added or change.removed):
        counts = [(f" +{change.added:,}", "added"), (f" −{change.removed:,}", "removed")]
    path = stable_width(one_line(change.path, _PATH_LIMIT))
    kind = "A " if change.is_new else "M "
    room = max(1, cells - len(kind) - line_width(counts))
    return [(kind, "added" if change.is_new else "dim"), (shorten_start(path, room), "text"), *counts]


def _list(text: str, cells: int) -> list[Line]:
    return [[(line, "dim")] for line in _wrapped(text, cells, LIST_LINES)]


def _titled(title: str, lines: Sequence[Line]) -> list[Line]:
    """The lines behind the title of their section."""
    heads = (title if not number else "" for number in range(len(lines)))
    return [[(head.ljust(_TITLE_CELLS), "dim"), *line] for head, line in zip(heads, lines, strict=True)]


def _wrapped(text: str, cells: int, most: int) -> list[str]:
    """An inert text wrapped to a width and cut to `most` lines; none for no text."""
    if not text:
        return []
    lines = list(wrap(stable_width(text), cells))
    if len(lines) > most:
        lines[most - 1 :] = [shorten(" ".join(lines[most - 1 :]), cells)]
    return lines
