"""oh-my-pi: the title line or the header names the session; session_info is not read
(formats/README.md, "Titles of oh-my-pi").
"""

from __future__ import annotations

import re

from app.formats.dialects.base import Dialect, OmpWriteFormat

_LINES = r"L?\d+(?:(?:[-+]|\.\.)L?\d+|-|\.\.)?"
_RANGES = f"{_LINES}(?:,{_LINES})*"
_SELECTOR = re.compile(
    rf":(?:(?:{_RANGES}):raw|raw:(?:{_RANGES})|{_RANGES}|raw|conflicts)\Z", re.ASCII | re.IGNORECASE
)
"""The selector that omp's `read` accepts after a path: lines, `raw`, both, or `conflicts`."""
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class Omp(Dialect):
    """oh-my-pi."""

    name = "omp"
    writing = OmpWriteFormat()
    name_marker = b""

    def name_after(self, before: str | None, name: str | None) -> str | None:
        """No entry changes the name."""
        return before

    def file_path(self, tool: str, path: str) -> str:
        """The path without a selector of lines. A path with a scheme is a resource of omp's own or of the
        web.
        """
        if _URL.search(path):
            return ""
        selector = _SELECTOR.search(path) if tool == "read" else None
        return path[: selector.start()] if selector and selector.start() > 0 else path
