"""Measure 11: memory and processor of the screen, compared with the peers' screens for the same list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.index.figures_file import figures_path
from tests.benchmarks.listing import forget
from tests.benchmarks.live import rows_shown
from tests.benchmarks.measure import Peaks, anonymous_bytes, idle_share
from tests.benchmarks.pickers import FastResume, Titles, pickers, whole_list
from tests.benchmarks.rows import Result, mb, ms
from tests.benchmarks.screen import browser, ready, sessions, warm_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.live import LiveProject
    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers


def memory(setting: Setting, live: LiveProject, peers: Peers) -> Iterator[Result]:
    """An idle screen, a screen that has indexed everything, and the peers' screens."""
    warm_up(setting)
    with browser(setting, live) as terminal:
        ready(terminal, live)
        pid = terminal.process.pid
        share = idle_share(pid)
        size = anonymous_bytes(pid)
        peaks = Peaks(pid)
        peaks.look()
    what = "anonymous memory of the screen, in MB"
    yield Result("11", what, mb(size), f"peak {mb(peaks.biggest)}", value=size / 1e6, limit=130)
    yield Result("11", "idle, of one core", f"{share:.2%}", value=share, limit=0.01)
    counted = _after_statistics(setting, live)
    what = "  after statistics of all sessions, the first"
    yield Result("11", what, mb(counted), value=counted / 1e6, limit=140)
    cold = _indexing(setting, live)
    what = "no cache: peaks of all processes together"
    yield Result("11", what, mb(cold.total), f"biggest {mb(cold.biggest)}")
    if peers.fast_resume:
        peak = FastResume(peers, Titles(setting)).peak()
        yield Result("11", "peak of the screen", mb(peaks.total), f"fr {mb(peak)}", peaks.total / peak)
    for picker in pickers(peers):
        whole = whole_list(picker, live)
        against = f"{picker.name} --resume {mb(whole.peak)}"
        limit = 0.5 if picker.name == "pi" else None
        yield Result("11", "peak of the screen", mb(peaks.total), against, peaks.total / whole.peak, limit)
        yield Result("11", "  with no cache", mb(cold.total), against, cold.total / whole.peak, limit)
        yield Result("11", f"  ({picker.name}: Tab -> all its sessions)", ms(whole.seconds))


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


def _indexing(setting: Setting, live: LiveProject) -> Peaks:
    """Return the peaks of a screen without a cache, and of its workers, until everything is read."""
    forget(setting.env)
    total = f"{sessions(setting, live):,} sessions"
    with browser(setting, live) as terminal:
        peaks = Peaks(terminal.process.pid)

        def listed(_: object) -> bool:
            peaks.look()
            return rows_shown(live, terminal) and terminal.shows(total)

        terminal.wait_for(listed, 120)
        terminal.settle(1.0, 120)
        peaks.look()
    return peaks
