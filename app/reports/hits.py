"""Hits of a search as lines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.reports.hit import role
from app.reports.listing import table
from app.view.cells import shorten, width
from app.view.excerpt import fit, marked
from app.view.terminal import places_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.index.search.results import Hit
    from app.reports.hit import Places

INDENT = " " * 7
"""Hits stand below the session's age."""
LEAST_CELLS = 24
"""A snippet that would get less stands below where it is."""
# As the screen shows it: by more than colour.
MATCH, PLAIN = "\x1b[1;4;33m", "\x1b[0m"


class Painter:
    """Makes lines of hits.

    :param cells: the width to fit to; None for lines that are not cut, one a hit.
    :param colour: mark in the text what was found.
    """

    def __init__(self, place: Places, home: str, now_ms: int, cells: int | None, *, colour: bool) -> None:
        self._place = place
        self._home = home
        self._now_ms = now_ms
        self._cells = cells
        self._colour = colour
        self._last = ""

    def lines(self, hits: Sequence[Hit]) -> Iterator[str]:
        """Each session as `leafmark list` prints it, once for hits that follow each other, and the hits
        below; or one line for each hit, with all of it.
        """
        heads = table([hit.row for hit in hits], {}, self._home, self._now_ms, self._cells)
        for hit, head in zip(hits, heads, strict=True):
            if self._cells is None:
                said = self._whole(hit)
                yield f"{head}  {said}" if said else head
                continue
            if hit.path != self._last:
                self._last = hit.path
                yield head
            yield from self._below(hit, self._cells)

    def _whole(self, hit: Hit) -> str:
        """Where it is and what it says; nothing of a session that is a hit as a whole."""
        where = ", ".join(self._where(hit))
        return f"{where}: {self._marked(hit.snippet, hit.ranges)}" if hit.snippet else where

    def _below(self, hit: Hit, cells: int) -> Iterator[str]:
        """The same in lines of so many cells; one, where a terminal is not narrow."""
        indent = INDENT[: cells // 4]
        room = cells - len(indent)
        parts = self._where(hit)
        where = ", ".join(parts)
        left = room - width(where) - 2
        if hit.snippet and left >= LEAST_CELLS:
            yield f"{indent}{where}: {self._marked(*fit(hit.snippet, hit.ranges, left))}"
            return
        for part in parts if hit.snippet or left < 0 else filter(None, [where]):
            yield indent + shorten(part, room)
        if hit.snippet:
            yield indent + self._marked(*fit(hit.snippet, hit.ranges, room))

    def _marked(self, text: str, ranges: Sequence[tuple[int, int]]) -> str:
        return marked(text, ranges, MATCH, PLAIN) if self._colour else text

    def _where(self, hit: Hit) -> list[str]:
        """Who says it and in which entry, on which branch, and how it is spelt."""
        parts = [role(hit) or ""]
        if hit.entry_id is not None:
            parts[0] += f" {hit.entry_id}"
        place = self._place(hit)
        if place.on_active_path is False:
            if place.branch and place.branches > 1:
                parts.append(f"branch {place.branch} of {place.branches}")
            parts.append("not on the active path")
        if hit.near:
            parts.append("in another spelling")
        # Ids and types of entries are as strange as their files.
        return [one_line(part) for part in parts if part]


def wants_colour(env: Mapping[str, str]) -> bool:
    """Whether standard output is a terminal that may be sent colours."""
    return sys.stdout.isatty() and not env.get("NO_COLOR") and places_text(env)
