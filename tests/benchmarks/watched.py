"""`python -m tests.benchmarks.watched FILE [ARGUMENT...]`: leafmark with every callback of its event loop
timed.

At its end FILE holds lines of JSON: when the first picture was there (`time.perf_counter()`, which is one
clock for all processes of the system), then every callback.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import NamedTuple


class Callback(NamedTuple):
    """One callback: when it began, what it took by the clock and of the processor (seconds), and what it was.

    The clock also counts what other programs and threads took away meanwhile.
    """

    began: float
    clock: float
    processor: float
    name: str


def watch(found: list[Callback]) -> None:
    """From now on put what the event loops of this process do into `found`."""
    run = asyncio.Handle._run
    clock, processor = time.perf_counter, time.thread_time

    def timed(handle: asyncio.Handle) -> None:
        # A task that ends forgets what it was: asked before.
        name = _name(handle)
        began, used = clock(), processor()
        run(handle)
        used = processor() - used
        found.append(Callback(began, clock() - began, used, name))

    asyncio.Handle._run = timed  # type: ignore[method-assign]


def _name(handle: asyncio.Handle) -> str:
    """Whose turn it is: the name of the task, else the function."""
    callback = handle._callback
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return owner.get_name()
    return str(getattr(callback, "__qualname__", callback))


def read(path: str) -> tuple[float, list[Callback]]:
    """What a watched leafmark has left behind: when the first picture was there, and the callbacks."""
    with open(path, encoding="utf-8") as file:
        shown = float(json.loads(file.readline()))
        return shown, [Callback(*json.loads(line)) for line in file]


def main() -> int:
    path, *arguments = sys.argv[1:]
    found: list[Callback] = []
    shown: list[float] = []
    watch(found)
    from app import cli
    from app.browser import Browser

    mounted = Browser.on_mount

    def on_mount(browser: Browser) -> None:
        mounted(browser)
        browser.call_after_refresh(lambda: shown.append(time.perf_counter()))

    Browser.on_mount = on_mount  # type: ignore[method-assign]
    try:
        return cli.main(arguments)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(shown[0] if shown else 0) + "\n")
            file.writelines(json.dumps(one) + "\n" for one in found)


if __name__ == "__main__":
    sys.exit(main())
