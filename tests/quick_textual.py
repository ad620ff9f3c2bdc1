"""Textual as the tests run it: no work is repeated for each application, and no time passes without work.

The tests start thousands of applications in one process. Import this module before the first one.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any

import textual.app
import textual.pilot
from textual import _callback
from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.css.model import RuleSet

_SOON = 0.02
"""Seconds. A timer that ends this soon after a key belongs to the key."""
_STEP = 0.0015
"""Seconds between two looks at the process."""
_QUIET_STEPS = 3
"""Looks in succession that find an idle process: a thread that works may rest for two of them."""
_QUIET_CPU = 0.000_25
"""Seconds of processor time between two looks, at most, in which nothing happens."""
_PAIR_CPU = 0.000_05
"""Seconds of processor time between two waits, at most, if the second follows the first at once."""
_TASKS = "/proc/self/task"

_quiet_since: tuple[asyncio.AbstractEventLoop, float] | None = None
"""The event loop that was last found idle, and the processor time of the process then."""


def share_work() -> None:
    """Make all applications of this process share what they derive from code and styles, and replace the
    waiting of Textual's pilot by `wait_for_idle`.
    """
    textual.app.wait_for_idle = wait_for_idle
    textual.pilot.wait_for_idle = wait_for_idle
    _callback._count_parameters = _count_parameters
    Stylesheet._parse_rules = _shared_rules(Stylesheet._parse_rules)  # type: ignore[method-assign]


async def wait_for_idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Wait until the application does nothing: no callback and no timer is due, and all threads sleep.

    Textual's own function waits for 20 ms in which the process uses no processor time, twice for each key.
    That would be half of the time of all tests of the screen.

    :param min_sleep: seconds to wait at least.
    :param max_sleep: seconds to wait at most.
    """
    global _quiet_since
    loop = asyncio.get_running_loop()
    start = loop.time()
    used = time.process_time()
    # The pilot waits twice in succession.
    if _quiet_since is not None and _quiet_since[0] is loop and used - _quiet_since[1] < _PAIR_CPU:
        quiet = _QUIET_STEPS
    else:
        quiet = 0
    while quiet < _QUIET_STEPS or loop.time() - start < min_sleep:
        await asyncio.sleep(_STEP)
        is_quiet = (
            time.process_time() - used < _QUIET_CPU
            and _nothing_is_due(loop, start + _SOON)
            and (quiet < _QUIET_STEPS - 1 or _threads_sleep())
        )
        quiet = quiet + 1 if is_quiet else 0
        used = time.process_time()
        if loop.time() - start >= max_sleep:
            return
    _quiet_since = loop, time.process_time()


def _nothing_is_due(loop: Any, until: float) -> bool:
    """Whether no callback is ready and no timer ends before `until`."""
    return not loop._ready and all(timer.cancelled() or timer.when() > until for timer in loop._scheduled)


def _threads_sleep() -> bool:
    """Whether no other thread of this process runs, wants to run, or reads a file."""
    own = str(threading.get_native_id())
    try:
        for name in os.listdir(_TASKS):
            if name != own:
                with open(f"{_TASKS}/{name}/stat", "rb") as file:
                    state = file.read().rpartition(b") ")[2][:1]
                if state in b"RD":
                    return False
    except FileNotFoundError:
        # A thread has ended, or the system has no /proc.
        return not os.path.isdir(_TASKS)
    return True


def _count_parameters(call: Callable[..., object]) -> int:
    """Return how many parameters a function or method has."""
    function = getattr(call, "__func__", None)
    return len(signature(call).parameters) if function is None else _counted(function) - 1


@cache
def _counted(function: Callable[..., object]) -> int:
    return len(signature(function).parameters)


def _shared_rules(parse: Callable[..., list[RuleSet]]) -> Callable[..., list[RuleSet]]:
    """Parse each style sheet once for each set of variables, not once for each application."""
    parsed: dict[tuple[object, ...], list[RuleSet]] = {}

    def parse_once(sheet: Stylesheet, css: str, *arguments: Any, **options: Any) -> list[RuleSet]:
        key = (css, arguments, *sorted(options.items()), *sorted(sheet._variables.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, css, *arguments, **options)
        return parsed[key]

    return parse_once
