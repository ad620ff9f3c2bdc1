"""Where the text of one session lies: spans in the order of its file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.formats.lines import open_file
from app.index.text.segment import path_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.index.text.segment import Span

MOST = 32
"""So many spans a session may have; then its latest are made one."""


def joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The spans, those that follow one another in one segment as one."""
    found: list[Span] = []
    for name, start, length in spans:
        if found and found[-1][0] == name and found[-1][1] + found[-1][2] == start:
            found[-1] = (name, found[-1][1], found[-1][2] + length)
        else:
            found.append((name, start, length))
    return tuple(found)


def scattered(spans: tuple[Span, ...]) -> int:
    """From which span on they should be one: the last half, and before it as many as are no larger each than
    twice what follows. So what was copied is copied again only when as much has been added: the cost of an
    append does not grow with its session.
    """
    at = max(0, len(spans) - MOST // 2)
    weight = sum([span[2] for span in spans[at:]])
    while at and spans[at - 1][2] <= 2 * weight:
        at -= 1
        weight += spans[at][2]
    return at


def bytes_of(folder: str, spans: Iterable[Span]) -> bytes | None:
    """What stands there; None where any of it is missing."""
    parts = []
    opened: dict[str, int] = {}
    try:
        for name, start, length in spans:
            if name not in opened:
                opened[name] = open_file(path_of(folder, name))
            part = _read(opened[name], start, length)
            if len(part) != length:
                return None
            parts.append(part)
    except OSError:
        return None
    finally:
        for descriptor in opened.values():
            os.close(descriptor)
    return b"".join(parts)


def _read(descriptor: int, start: int, length: int) -> bytes:
    """Up to `length` bytes; a single read gives no more than two gigabytes."""
    data = os.pread(descriptor, length, start)
    while data and len(data) < length:
        more = os.pread(descriptor, length - len(data), start + len(data))
        if not more:
            break
        data += more
    return data
