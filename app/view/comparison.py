"""Two branches side by side: turn beside turn, then what was done and what it cost (issue 6 "Compare")."""

from __future__ import annotations

from app.actions.compare import count_tools
from app.formats.text import one_line
from app.view.ages import duration
from app.view.cells import ELLIPSIS, fill, shorten, shorten_start, steady
from app.view.wrapping import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.actions.compare import Comparison, Side, Turn
    from app.view.line import Line, Span

NARROWEST = 23
"""Cells below which two columns say nothing any more."""
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


def comparison_lines(
    comparison: Comparison, cells: int, names: tuple[str, str], marks: Marks | None = None
) -> list[Line]:
    """The comparison as lines of exactly `cells` cells; at least `NARROWEST` are taken.

    A turn of one side begins in the line in which the turn of the other does. Files that both sides tell of
    have another mark than those that one has alone.

    :param names: what the two sides are called.
    :param marks: the characters to draw with; Unicode's where None.
    """
    marks = marks or Marks()
    cells = max(NARROWEST, cells)
    width = (cells - len(marks.divider)) // 2
    # The second column has the cell that may be left over, and no more text in it.
    widths = (width, cells - len(marks.divider) - width)
    sides = (comparison.one, comparison.other)
    lines: list[Line] = []

    def beside(columns: Iterable[Sequence[Span]]) -> None:
        lines.extend(_beside(list(columns), widths, marks))

    beside(
        [[(steady(one_line(name)), "strong"), *_label(side)] for name, side in zip(names, sides, strict=True)]
    )
    for at, turns in enumerate(comparison.turns(), 1):
        lines.append(_rule(f"turn {at:,}", cells, marks))
        beside(_turn(turn, width) for turn in turns)
    if not comparison.turns():
        beside([[("(nothing was said)", "faint")]] * 2)
    for title, columns in (
        ("tools", [_wrapped(count_tools(side.tools), "tool", width, TOOL_LINES) for side in sides]),
        ("files read", _files([side.files.read for side in sides], width, marks)),
        ("files changed", _files([side.files.changed for side in sides], width, marks)),
        ("in all", [_totals(side) for side in sides]),
    ):
        if any(columns):
            lines.append(_rule(title, cells, marks))
            beside(columns)
    if marks.ascii_only:
        lines = [[(text.replace(ELLIPSIS, marks.more), style) for text, style in line] for line in lines]
    return lines


def _beside(columns: list[Sequence[Span]], widths: tuple[int, int], marks: Marks) -> Iterable[Line]:
    """One piece of each column to a line, the shorter one filled up."""
    left, right = columns
    for at in range(max(len(left), len(right))):
        pieces = [column[at] if at < len(column) else ("", "text") for column in (left, right)]
        (one, one_style), (other, other_style) = pieces
        yield [
            (fill(one, widths[0]), one_style),
            (marks.divider, "border"),
            (fill(other, widths[1]), other_style),
        ]


def _rule(title: str, cells: int, marks: Marks) -> Line:
    head = f"{marks.rule}{marks.rule} {title} "
    return [(fill(head + marks.rule * max(0, cells - len(head)), cells), "section")]


def _label(side: Side) -> Sequence[Span]:
    return [(f"[{steady(side.label)}]", "label")] if side.label else []


def _turn(turn: Turn | None, cells: int) -> Sequence[Span]:
    if turn is None:
        return [("(no such turn)", "faint")]
    asked = _wrapped(turn.prompt, "user", cells, PROMPT_LINES)
    if not asked:
        asked = [("(no text)" if turn.node is not None else "(goes on)", "faint")]
    answered = _wrapped(turn.answer, "assistant", cells, ANSWER_LINES) or [("(no answer)", "faint")]
    tools = _wrapped(f"[{count_tools(turn.tools.items())}]", "tool", cells, 1) if turn.tools else []
    return [*asked, *answered, *tools]


def _wrapped(text: str, style: str, cells: int, most: int) -> list[Span]:
    """An inert line broken to a width, cut where it would take more than `most` lines."""
    if not text:
        return []
    lines = list(wrap(steady(text), cells))
    if len(lines) > most:
        lines[most - 1 :] = [shorten(" ".join(lines[most - 1 :]), cells)]
    return [(line, style) for line in lines]


def _files(paths: list[tuple[str, ...]], width: int, marks: Marks) -> list[list[Span]]:
    both = set(paths[0]) & set(paths[1])
    columns: list[list[Span]] = []
    for own in paths:
        shown = own if len(own) <= FILE_LINES else own[: FILE_LINES - 1]
        column = [
            (
                (marks.both if path in both else marks.alone)
                + shorten_start(steady(one_line(path, _PATH_LIMIT)), width - len(marks.both)),
                "dim" if path in both else "text",
            )
            for path in shown
        ]
        if len(shown) < len(own):
            column.append((f"{marks.more} {len(own) - len(shown):,} more", "faint"))
        columns.append(column)
    return columns


def _totals(side: Side) -> list[Span]:
    spent = side.spent
    sent = spent.input + spent.cache_read + spent.cache_write
    return [
        (f"{side.entries:,} {'entry' if side.entries == 1 else 'entries'}", "text"),
        (f"{sent:,.0f} tokens in, {spent.output:,.0f} out", "text"),
        (f"${spent.cost:,.4f}", "text"),
        (duration(side.duration_ms), "text"),
    ]
