"""Where bytes stand in other bytes: with SIMD where there is a wheel for it."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

try:
    import stringzilla
except ImportError:  # a platform without a wheel
    stringzilla = None

_OPENS, _CLOSES = b"{}"

find: Callable[[bytes, bytes, int], int] = stringzilla.find if stringzilla else bytes.find
"""`find(data, sought, start)`: where it stands first from `start` on, or -1."""


def count(data: bytes | memoryview, sought: bytes) -> int:
    """How often it stands there, one behind the other."""
    if stringzilla is None:
        return bytes(data).count(sought)
    found: int = stringzilla.count(stringzilla.Str(data), sought)
    return found


def split(data: bytes, separator: bytes) -> Sequence[bytes]:
    """The parts of `data` between the separators. Where there is a wheel they are views, which can be joined,
    compared and asked for their length like bytes.
    """
    if stringzilla is None:
        return data.split(separator)
    return list(stringzilla.split(data, separator))


def starts_of_objects(data: bytes, offset: int) -> tuple[list[int], int] | None:
    """Where each line of `data` that ends with a LF begins, and how many bytes these lines are together; None
    where not each of them is "{...}", with nothing before and behind, or nobody can tell that quickly.

    :param offset: is added to where they begin.
    """
    end = data.rfind(b"\n") + 1
    if stringzilla is None or not end or data[0] != _OPENS or data[end - 2] != _CLOSES:
        return None
    whole = data if end == len(data) else stringzilla.Str(data)[:end]
    lines = stringzilla.split(whole, b"\n", keepseparator=True)
    # Behind the last LF stands a part as well, an empty one.
    if stringzilla.count(whole, b"}\n{") != len(lines) - 2:
        return None
    starts = list(accumulate(map(len, lines), initial=offset))
    del starts[-2:]
    return starts, end
