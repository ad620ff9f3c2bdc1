"""pi: the latest session_info names the session, on whatever branch it is
(formats/README.md, "Names of pi").
"""

from __future__ import annotations

from typing import ClassVar

from app.formats.dialects.base import Dialect, WriteFormat


class PiWriteFormat(WriteFormat):
    """pi since 1.5, which keeps a prompt that was never answered."""

    first_roles: ClassVar[tuple[str, ...]] = ("user", "assistant")


class Pi(Dialect):
    """pi, versions 1 to 3 and any later one that keeps the shape."""

    name = "pi"
    writing = PiWriteFormat()
