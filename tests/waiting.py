"""Wait for work that must end, and for conditions that become true in another thread or process."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

PATIENCE = 60.0
"""Seconds after which something that should have ended never will."""


def until(condition: Callable[[], object]) -> None:
    """Wait until `condition()` is true. Raises AssertionError if it never is."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def ends(work: Callable[[], Result]) -> Result:
    """Return the result of `work`. Raises AssertionError if it does not end."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it waits for ever"
    if errors:
        raise errors[0]
    return results[0]
