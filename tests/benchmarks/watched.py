"""`python -m tests.benchmarks.watched FILE [ARGUMENT...]`: run leafmark and time each callback of its event
loop.

At the end FILE contains lines of JSON: the time of the first frame (`time.perf_counter()`, the same clock in
all processes), then one line for each callback.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import NamedTuple


class Callback(NamedTuple):
    """A callback: when it began, its seconds of wall clock and of processor time, and its name.

    The wall clock also counts the time that other programs and threads took.
    """

    began: float
    clock: float
    processor: float
    name: str


def watch(callbacks: list[Callback]) -> None:
    """Append each callback that an event loop of this process runs from now on to `callbacks`."""
    run = asyncio.Handle._run
    clock, processor = time.perf_counter, time.thread_time

    def timed(handle: asyncio.Handle) -> None:
        # A task that has ended has no name any more.
        name = _name(handle)
        began, used = clock(), processor()
        run(handle)
        used = processor() - used
        callbacks.append(Callback(began, clock() - began, used, name))

    asyncio.Handle._run = timed  # type: ignore[method-assign]


def _name(handle: asyncio.Handle) -> str:
    """Return the name of the task, or else of the function."""
    callback = handle._callback
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return owner.get_name()
    return str(getattr(callback, "__qualname__", callback))


def read(path: str) -> tuple[float, list[Callback]]:
    """Read the file of a watched leafmark: return the time of the first frame, and the callbacks."""
    with open(path, encoding="utf-8") as file:
        shown = float(json.loads(file.readline()))
        return shown, [Callback(*json.loads(line)) for line in file]


def main() -> int:
    path, *arguments = sys.argv[1:]
    callbacks: list[Callback] = []
    first_frames: list[float] = []
    watch(callbacks)
    from app import cli
    from app.browser import Browser

    textual_on_mount = Browser.on_mount

    def on_mount(browser: Browser) -> None:
        textual_on_mount(browser)
        browser.call_after_refresh(lambda: first_frames.append(time.perf_counter()))

    Browser.on_mount = on_mount  # type: ignore[method-assign]
    try:
        return cli.main(arguments)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(first_frames[0] if first_frames else 0) + "\n")
            file.writelines(json.dumps(callback) + "\n" for callback in callbacks)


if __name__ == "__main__":
    sys.exit(main())
