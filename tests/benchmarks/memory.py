"""Measure 11: memory and processor of the screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.index import figures_path
from tests.benchmarks.measure import anonymous_bytes, idle_share, peak_bytes, wait_until_alone
from tests.benchmarks.rows import Result, mb
from tests.benchmarks.screen import browser, ready, warm_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting


def memory(setting: Setting, live: LiveProject) -> Iterator[Result]:
    """An idle screen, and a screen that has shown statistics."""
    warm_up(setting)
    with browser(setting, live) as terminal:
        ready(terminal, live)
        pid = terminal.process.pid
        wait_until_alone(pid)
        share = idle_share(pid)
        size = anonymous_bytes(pid)
        peak = peak_bytes(pid)
    what = "anonymous memory of the screen, in MB"
    yield Result("11", what, mb(size), f"peak {mb(peak)}", value=size / 1e6, limit=130)
    yield Result("11", "idle, of one core", f"{share:.2%}", value=share, limit=0.01)
    counted = _after_statistics(setting, live)
    what = "  after statistics of all sessions, the first"
    yield Result("11", what, mb(counted), value=counted / 1e6, limit=140)


def _after_statistics(setting: Setting, live: LiveProject) -> int:
    """Return the anonymous bytes of a screen that has shown statistics for which it read all sessions."""
    Path(figures_path(setting.env["LEAFMARK_CACHE_DIR"])).unlink(missing_ok=True)
    with browser(setting, live) as terminal:
        ready(terminal, live)
        terminal.press("S")
        terminal.wait_for_text("Last 30 days", 600)
        terminal.press("escape")
        terminal.settle(1.0, 60)
        return anonymous_bytes(terminal.process.pid)
