"""pi: the latest session_info names the session, on whatever branch it is
(formats/README.md, "Names of pi").
"""

from __future__ import annotations

from app.formats.dialects.base import Dialect


class Pi(Dialect):
    """pi, versions 1 to 3 and any later one that keeps the shape."""

    name = "pi"
