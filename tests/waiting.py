"""For tests of what must not wait for ever."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

PATIENCE = 20.0
"""Seconds after which something that should have ended never will."""


def ends(work: Callable[[], Result]) -> Result:
    """What `work` returns; AssertionError where it does not end."""
    found: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it waits for ever"
    if errors:
        raise errors[0]
    return found[0]
