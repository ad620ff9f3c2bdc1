"""The panel of a screen without any session: where leafmark looked, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

from app.formats.text import inert, one_line
from app.stores import agent_named
from app.view.cells import max_width, pad, shorten, shorten_start, stable_width
from app.view.formatting import tilde
from app.view.line import Line, fit_line, wrap
from app.view.rules import edge_line

USUAL_CELLS = 68
"""Cells of the panel with its frame, unless a folder needs more or the screen has less."""
_BESIDE = 4
"""Cells beside the text: both sides of the frame, each with a blank."""
_TITLE = "Welcome to leafmark"
_FOUND_NOTHING = "No sessions found yet. leafmark looked here:"
_FOUND_NOTHING_SHORT = "No sessions found yet. Looked here:"
_NAMED = ("pi", "omp", "claude", "codex")
"""The agents that the advice names if there are more than these."""
_GLUE = "\xa0"
"""A blank at which no line is broken."""

Place = tuple[str, str, str]
"""(agents, folder, state of the folder) of a store."""


def welcome_panel(
    places: Sequence[Place], home: str, cells: int, height: int, keys: Sequence[tuple[str, str]]
) -> list[Line]:
    """The lines of the panes' place with the panel in its middle: ``height`` lines of ``cells`` cells.

    On a small screen blank lines go first, then folders, then the advice below them.

    :param places: the stores, raw.
    :param home: the home folder, for ``~``.
    :param keys: (key, label) of the keys that work here.
    """
    stores = [_store(place, home) for place in places]
    wanted = sum(max((max_width(store[part]) for store in stores), default=0) for part in range(3))
    width = min(cells, max(USUAL_CELLS, wanted + _BESIDE + 8))
    room = max(0, width - _BESIDE)
    lines = _fitting(stores, _advice(places), room, height - 2)
    hints = "  ".join(f"{key} {label}" for key, label in _fitting_keys(keys, width - 6))
    panel = [edge_line(_TITLE, width, "╭", "╮", style="border-title-focus")]
    panel += [
        [("│", "border-focus"), (" ", "text"), *fit_line(line, room), (" ", "text"), ("│", "border-focus")]
        for line in lines
    ]
    panel.append(edge_line(hints, width, "╰", "╯"))
    left = (cells - width) // 2
    top = max(0, (height - len(panel)) // 2)
    blank = fit_line([], cells)
    placed = [blank] * top + [fit_line([(" " * left, "text"), *line], cells) for line in panel]
    return [*placed, *[blank] * (height - len(placed))][: max(0, height)]


def _store(place: Place, home: str) -> tuple[str, str, str]:
    agents, folder, state = place
    names = "+".join(agent_named(name).title.rpartition("/")[2] for name in agents.split("+"))
    return names, stable_width(inert(tilde(folder, home))), stable_width(one_line(state, 200))


def _advice(places: Sequence[Place]) -> list[str]:
    agents = dict.fromkeys(name for names, _, _ in places for name in names.split("+"))
    shown = [name for name in _NAMED if name in agents] if len(agents) > len(_NAMED) else list(agents)
    # A name stays on one line, and the last one behind its "or".
    titles = [agent_named(name).title.replace(" ", _GLUE) for name in shown] or ["an agent"]
    named = f" or{_GLUE}".join(filter(None, (", ".join(titles[:-1]), titles[-1])))
    more = len(agents) - len(shown)
    others = f" (and {'two' if more == 2 else more} more)" if more > 0 else ""
    first = next(iter(agents), "AGENT")
    return [
        f"Start {named}{others}, and its session appears here at once.",
        f"Sessions elsewhere? Run leafmark --store {first}=FOLDER.",
    ]


def _fitting(
    stores: Sequence[tuple[str, str, str]], advice: Sequence[str], cells: int, height: int
) -> list[Line]:
    """The text of the panel in at most ``height`` lines of ``cells`` cells."""
    found_nothing = _FOUND_NOTHING if cells >= len(_FOUND_NOTHING) else _FOUND_NOTHING_SHORT
    head: list[Line] = [[(piece, "text")] for piece in wrap(found_nothing, max(4, cells))]
    pieces = [piece.replace(_GLUE, " ") for text in advice for piece in wrap(text, max(4, cells))]
    below: list[Line] = [[(piece, "dim")] for piece in pieces]
    names = max((max_width(name) for name, _, _ in stores), default=0)
    states = max((max_width(state) for _, _, state in stores), default=0)
    indent, gap = (2, 3) if cells >= USUAL_CELLS - _BESIDE else (0, 1)
    states = min(states, max(10, cells - indent - names - 2 * gap - 16))
    folders = min(
        max((max_width(folder) for _, folder, _ in stores), default=0),
        max(0, cells - indent - names - states - 2 * gap),
    )
    rows: list[Line] = [
        [
            (" " * indent + pad(name, names) + " " * gap, "agent"),
            (pad(shorten_start(folder, folders), folders) + " " * gap, "text"),
            (shorten(state, states), "dim"),
        ]
        for name, folder, state in stores
    ]
    blanks = 2 if len(head) + len(rows) + len(below) + 2 <= height else 0
    least = len(head) + len(below) + blanks
    if len(rows) > height - least and rows:
        kept = max(1, height - least - 1)
        more = len(rows) - kept
        rows = [*rows[:kept], [(f"{' ' * indent}{more} more: leafmark doctor", "dim")]] if more else rows
    gap_lines: list[Line] = [[]] if blanks else []
    return [*head, *gap_lines, *rows, *gap_lines, *below][: max(0, height)]


def _fitting_keys(keys: Sequence[tuple[str, str]], cells: int) -> list[tuple[str, str]]:
    """As many keys as fit: those in the middle are left out first, the first and the last stay."""
    shown = list(keys)
    while len(shown) > 2 and sum(max_width(key) + max_width(label) + 3 for key, label in shown) - 2 > cells:
        del shown[-2]
    return shown
