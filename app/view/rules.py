"""The rules between the panes as styled text: a title at the left, figures at the right. The rule of the pane
with the focus is heavy, so that the focus can be seen without colours.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.view.cells import first_fitting, max_width, shorten, stable_width, width
from app.view.line import Line

LIGHT, HEAVY = "─", "━"
DIVIDER, FIRST, MIDDLE, LAST = "│", "┬", "├", "┴"
"""The column between two panes: beside rows, and beside the first, a middle and the last rule."""
LEAST_TITLE = 12
"""Cells that a longer title keeps beside figures."""


def rule_line(
    cells: int,
    titles: Sequence[str] = (),
    facts: Sequence[str] = (),
    *,
    suffix: str = "",
    focused: bool = False,
) -> Line:
    """A rule in exactly ``cells`` cells.

    :param titles: the title in several lengths, the longest first; inert. The last one is cut if need be.
    :param facts: the figures, joined by " · ", in several selections, the longest first. The last figures are
        left out whole if there is no room.
    :param suffix: stands behind the title and is not cut.
    """
    bar = HEAVY if focused else LIGHT
    style = "border-focus" if focused else "border"
    has_title = any(titles)
    share = cells * 3 // 5 if len(titles) > 1 else cells // 3
    wanted = min(max_width(titles[0]) if has_title else 0, max(LEAST_TITLE, share))
    if len(facts) == 1:
        # The last words of a title that has shorter forms give way to the figures.
        room = cells - 7 - width(suffix) - max_width(facts[0])
        wanted = next((max_width(title) for title in titles[:-1] if max_width(title) <= room), wanted)
    beside = wanted + width(suffix) + 4 if has_title else 2
    fact = _fitting(facts, cells - beside - 3)
    if not fact and len(titles) > 1:
        # A title that has a shorter form gives way to the first figure.
        fact = _fitting(facts, cells - LEAST_TITLE - 7)
    room = cells - 4 - (width(fact) + 3 if fact else 0) - width(suffix)
    line: Line = []
    if has_title and room > 0:
        title = first_fitting(titles, room) if len(titles) > 1 else shorten(titles[0], room)
        title_style = "border-title-focus" if focused else "border-title"
        line = [(f"{bar} ", style), (title + suffix, title_style), (" ", style)]
    elif cells < 4:
        return [(bar * max(0, cells), style)]
    used = sum(width(text) for text, _ in line)
    end: Line = [(f" {fact} ", "border-title"), (bar, style)] if fact else []
    fill = cells - used - sum(width(text) for text, _ in end)
    return [*line, (bar * max(0, fill), style), *end]


def _fitting(facts: Sequence[str], cells: int) -> str:
    """The first of the selections that fits, else as many figures of the last one as fit."""
    for fact in facts:
        if max_width(fact) <= cells:
            return fact
    shown = facts[-1] if facts else ""
    while shown and max_width(shown) > cells:
        shown = shown.rpartition(" · ")[0]
    return shown


def edge_line(words: str, cells: int, left: str, right: str, *, style: str = "dim") -> Line:
    """The upper or the lower line of a frame in exactly ``cells`` cells, with words in it.

    :param words: inert; cut if need be.
    :param left: the corner at the left; ``right``: that at the right.
    :param style: of the words.
    """
    shown = shorten(stable_width(words), max(0, cells - 6)) if words else ""
    middle: Line = [("─ ", "border-focus"), (shown, style), (" ", "border-focus")] if shown else []
    filled = width(shown) + 3 if shown else 0
    rest = "─" * max(0, cells - 2 - filled)
    return [(left, "border-focus"), *middle, (rest, "border-focus"), (right, "border-focus")]


def divider_char(y: int, middle: int) -> str:
    """The character of the column between the panes in a line.

    :param y: the line, from the first rule on.
    :param middle: the line of the rule that begins at the column; -1 for none.
    """
    return FIRST if not y else MIDDLE if y == middle else DIVIDER
