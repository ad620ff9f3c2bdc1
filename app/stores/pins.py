"""The sessions that oh-my-pi's user has pinned (FORMATS 1.2 "Pins")."""

from __future__ import annotations

_LONGEST = 4 << 20


def read_pins(path: str) -> frozenset[str]:
    """The ids in the pins file at `path`; none where there is no such file, or it is damaged, as for omp."""
    import json

    try:
        with open(path, "rb") as file:
            pins = json.loads(file.read(_LONGEST).decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError):
        return frozenset()
    return frozenset(pin for pin in pins if isinstance(pin, str)) if isinstance(pins, list) else frozenset()
