"""indusagi's fork of pi: a name, once given, cannot be cleared (formats/README.md, "indusagi")."""

from __future__ import annotations

from app.formats.dialects.base import Dialect


class Indusagi(Dialect):
    """The older, TypeScript indusagi."""

    name = "indusagi"

    def name_after(self, before: str | None, name: str | None) -> str | None:
        """The latest name that is not empty."""
        return name or before
