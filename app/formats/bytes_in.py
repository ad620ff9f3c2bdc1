"""Where bytes stand in other bytes: with SIMD where there is a wheel for it (PERFORMANCE 2.4)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

try:
    from stringzilla import find as _find
except ImportError:  # a platform without a wheel
    _find = bytes.find

find: Callable[[bytes, bytes, int], int] = _find
"""`find(data, sought, start)`: where it stands first from `start` on, or -1."""
