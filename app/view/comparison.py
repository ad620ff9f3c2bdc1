"""Two branches side by side: their totals, turns, tools and files."""

from __future__ import annotations

from collections.abc import Sequence

from app.actions.compare import Comparison, Side, Turn, count_tools
from app.formats.text import one_line
from app.view.cells import ELLIPSIS, pad, shorten, shorten_start, stable_width, width
from app.view.formatting import cost, count, counted, span
from app.view.line import Line, Span, wrap

NARROWEST = 23
"""Fewest cells in which two columns can be read."""
PROMPT_LINES = 4
ANSWER_LINES = 4
TOOL_LINES = 4
FILE_LINES = 50

_PATH_LIMIT = 1_000


class Marks:
    """The characters between and before the columns, in Unicode and in ASCII."""

    def __init__(self, *, ascii_only: bool = False) -> None:
        self.ascii_only = ascii_only
        self.divider = " | " if ascii_only else " │ "
        self.rule = "-" if ascii_only else "─"
        self.both = "= "
        self.alone = "+ "
        self.more = "~" if ascii_only else ELLIPSIS
        self.prompt = "> " if ascii_only else "› "
        self.tool = "- " if ascii_only else "· "
        self.label = "# " if ascii_only else "◆ "
        self.between = " - " if ascii_only else " · "


def comparison_head(
    comparison: Comparison, cells: int, names: tuple[str, str], marks: Marks | None = None
) -> list[Line]:
    """The lines that do not scroll: the names of the branches, and their totals since they parted. They are
    as wide as `comparison_lines`.

    :param names: the names of the two sides.
    :param marks: the characters to draw with; those of Unicode if None.
    """
    marks = marks or Marks()
    columns = _Columns(cells, marks)
    sides = (comparison.one, comparison.other)
    named = zip(names, sides, strict=True)
    columns.beside([_heading(name, side, columns.width, marks) for name, side in named])
    columns.beside(_packed([_totals(side) for side in sides], columns.width, marks.between))
    return columns.drawn()


def comparison_lines(comparison: Comparison, cells: int, marks: Marks | None = None) -> list[Line]:
    """The comparison as lines of `cells` cells, or of `NARROWEST` if that is more.

    Turns with the same number begin in the same line. Files that both sides mention have another mark than
    files of one side.

    :param marks: the characters to draw with; those of Unicode if None.
    """
    marks = marks or Marks()
    columns = _Columns(cells, marks)
    room = columns.width
    sides = (comparison.one, comparison.other)
    for number, turns in enumerate(comparison.turns(), 1):
        columns.rule(f"turn {number:,}")
        columns.beside([_turn(turn, room, marks) for turn in turns])
    if not comparison.turns():
        columns.beside([[("(nothing was said)", "faint")]] * 2)
    for title, both in (
        ("tools", [_wrapped(count_tools(side.tools), "tool", room, TOOL_LINES) for side in sides]),
        ("files read", _files([side.files.read for side in sides], room, marks)),
        ("files changed", _files([side.files.changed for side in sides], room, marks)),
    ):
        if any(both):
            columns.rule(title)
            columns.beside(both)
    return columns.drawn()


class _Columns:
    """Two columns of one width with a line between them."""

    def __init__(self, cells: int, marks: Marks) -> None:
        self._marks = marks
        self._cells = max(NARROWEST, cells)
        self.width = (self._cells - len(marks.divider)) // 2
        # the second column has the cell that may be left over
        self._widths = (self.width, self._cells - len(marks.divider) - self.width)
        self._lines: list[Line] = []

    def beside(self, columns: Sequence[Sequence[Span]]) -> None:
        """Add columns of spans side by side; the shorter one is filled up."""
        left, right = columns
        for row in range(max(len(left), len(right))):
            pieces = [column[row] if row < len(column) else ("", "text") for column in (left, right)]
            (one, one_style), (other, other_style) = pieces
            self._lines.append(
                [
                    (pad(one, self._widths[0]), one_style),
                    (self._marks.divider, "border"),
                    (pad(other, self._widths[1]), other_style),
                ]
            )

    def rule(self, title: str) -> None:
        """Add a line with a title across both."""
        rule = self._marks.rule
        head = f"{rule}{rule} {title} "
        text = pad(head + rule * max(0, self._cells - len(head)), self._cells)
        self._lines.append([(text, "section")])

    def drawn(self) -> list[Line]:
        """All lines so far."""
        if not self._marks.ascii_only:
            return self._lines
        return [
            [(text.replace(ELLIPSIS, self._marks.more), style) for text, style in line]
            for line in self._lines
        ]


def _heading(name: str, side: Side, cells: int, marks: Marks) -> Sequence[Span]:
    """The name of a branch, and what tells it from others: its label, else its first prompt."""
    first = next((turn.prompt for turn in side.turns if turn.prompt), "")
    about = f"{marks.label}{one_line(side.label)}" if side.label else first
    text = stable_width(f"{one_line(name)}{marks.between}{about}" if about else one_line(name))
    return [(shorten(text, cells), "label" if side.label else "strong")]


def _turn(turn: Turn | None, cells: int, marks: Marks) -> Sequence[Span]:
    if turn is None:
        return []
    prompt = _wrapped(turn.prompt, "user", cells, PROMPT_LINES, marks.prompt)
    if not prompt:
        prompt = [("  (no text)" if turn.node is not None else "  (goes on)", "faint")]
    answer = _wrapped(turn.answer, "assistant", cells, ANSWER_LINES, "  ") or [("  (no answer)", "faint")]
    tools = _wrapped(count_tools(turn.tools.items()), "tool", cells, 1, marks.tool)
    return [*prompt, *answer, *tools]


def _wrapped(text: str, style: str, cells: int, most: int, mark: str = "") -> list[Span]:
    """An inert line wrapped to a width and cut to `most` lines.

    :param mark: before the first line; the others are indented as much.
    """
    if not text:
        return []
    room = max(1, cells - len(mark))
    lines = list(wrap(stable_width(text), room))
    if len(lines) > most:
        lines[most - 1 :] = [shorten(" ".join(lines[most - 1 :]), room)]
    blank = " " * len(mark)
    return [(f"{blank if number else mark}{line}", style) for number, line in enumerate(lines)]


def _files(paths: list[tuple[str, ...]], cells: int, marks: Marks) -> list[list[Span]]:
    both = set(paths[0]) & set(paths[1])
    columns: list[list[Span]] = []
    for own in paths:
        shown = own if len(own) <= FILE_LINES else own[: FILE_LINES - 1]
        column = [
            (
                (marks.both if path in both else marks.alone)
                + shorten_start(stable_width(one_line(path, _PATH_LIMIT)), cells - len(marks.both)),
                "dim" if path in both else "text",
            )
            for path in shown
        ]
        if len(shown) < len(own):
            column.append((f"{marks.more} {len(own) - len(shown):,} more", "faint"))
        columns.append(column)
    return columns


def _totals(side: Side) -> list[str]:
    spent = side.spent
    tokens = spent.input + spent.cache_read + spent.cache_write + spent.output
    prompts = sum(turn.node is not None for turn in side.turns)
    return [
        counted(side.entries, "entry", "entries"),
        counted(prompts, "turn"),
        f"{count(round(tokens))} tokens",
        cost(spent.cost) or "no cost",
        span(side.duration_ms),
    ]


def _packed(sides: list[list[str]], cells: int, between: str) -> list[list[Span]]:
    """The facts in as few lines as fit on both sides, with the same facts in the same line."""
    lines: list[list[str]] = []
    for facts in zip(*sides, strict=True):
        extended = (
            [f"{line}{between}{fact}" for line, fact in zip(lines[-1], facts, strict=True)] if lines else []
        )
        if extended and max(map(width, extended)) <= cells:
            lines[-1] = extended
        else:
            lines.append(list(facts))
    return [[(line[side], "text") for line in lines] for side in range(len(sides))]
