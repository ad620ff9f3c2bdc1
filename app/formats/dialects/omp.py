"""oh-my-pi: the title line or the header names the session; session_info is not read (FORMATS 1.2)."""

from __future__ import annotations

from app.formats.dialects.base import Dialect
from app.formats.dialects.writing import OmpWriting


class Omp(Dialect):
    """oh-my-pi."""

    name = "omp"
    writing = OmpWriting()
    naming = b""

    def renamed(self, before: str | None, name: str | None) -> str | None:
        """No entry changes the name."""
        return before
