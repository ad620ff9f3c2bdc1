"""Running commands and reading what the kernel says about them."""

from __future__ import annotations

import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.corpus import stores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[2]
# A benchmark must see the corpus only, not what the person who runs it has at home.
_DROPPED = ("PI_", "OMP_", "INDUSAGI_", "XDG_", "LEAFMARK_", "TEXTUAL")


class Run(NamedTuple):
    """One finished command: seconds, processor seconds, the biggest process in bytes, what it printed."""

    wall: float
    cpu: float
    peak: int
    output: bytes


@dataclass
class Setting:
    """Where things are in one run of the benchmarks. `folder` is emptied by whoever made it.

    The corpus' home is HOME, so that leafmark finds the stores by itself, as a user's does: a bare `leafmark`
    starts faster than one that must parse arguments. pi's flat folder is found by `--store` alone.
    """

    corpus: str
    folder: str
    repeat: int = 5
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_DROPPED)}
        self.env = {
            **kept,
            "HOME": os.path.join(self.corpus, "home"),
            "PYTHONPATH": str(ROOT),
            "LEAFMARK_CACHE_DIR": os.path.join(self.folder, "cache"),
            "LEAFMARK_STATE_DIR": os.path.join(self.folder, "state"),
        }

    @property
    def pi_root(self) -> str:
        return stores(self.corpus)[0][1]

    def leafmark(self, *arguments: str) -> list[str]:
        """leafmark's command line; LEAFMARK_COMMAND replaces `python -m app`."""
        given = os.environ.get("LEAFMARK_COMMAND")
        command = shlex.split(given) if given else [sys.executable, "-m", "app"]
        return [*command, *arguments]

    def flat(self) -> list[str]:
        """The arguments that add pi's flat folder."""
        agent, folder = stores(self.corpus)[-1]
        return ["--store", f"{agent}={folder}"]

    def floor(self) -> list[str]:
        """The least anybody must do who reads every session of pi."""
        find = f"find {shlex.quote(self.pi_root)} -type f -name '*.jsonl' -print0"
        return ["/bin/sh", "-c", f"{find} | xargs -0 cat >/dev/null"]


def run(command: Sequence[str], env: Mapping[str, str], *, keep: bool = False) -> Run:
    """Run `command` to its end in the folder HOME. `keep`: keep its output. RuntimeError when it fails."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            env=dict(env),
            cwd=env["HOME"],
            stdin=subprocess.DEVNULL,
            stdout=output if keep else subprocess.DEVNULL,
            stderr=errors,
        )
        # Not `wait`: this one tells what the process and its children have used.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            told = errors.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"{shlex.join(command)[:120]} … ended with {process.returncode}: {told}")
        output.seek(0)
        return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, output.read())


def in_turn(repeat: int, *tasks: Callable[[], float]) -> list[float]:
    """Each of `tasks` once, then all again, `repeat` times: the medians of what they return."""
    rounds = [[task() for task in tasks] for _ in range(repeat)]
    return [statistics.median(figures) for figures in zip(*rounds, strict=True)]


def percentile(values: Sequence[float], share: float) -> float:
    """The value that `share` of `values` do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def processor_seconds(pid: int) -> float:
    """User and system time of a process and its living children, so far."""
    total = 0.0
    for one in family(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def family(pid: int) -> list[int]:
    """A process and its children, and theirs."""
    found = [pid]
    for one in found:
        try:
            for task in os.listdir(f"/proc/{one}/task"):
                found += [
                    int(child) for child in Path(f"/proc/{one}/task/{task}/children").read_text().split()
                ]
        except OSError:
            continue
    return found


def anonymous_bytes(pid: int) -> int:
    """Memory of a process that no file backs."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    raise ValueError("no anonymous memory is told of")


def peak_bytes(pid: int) -> int:
    """The most memory a process has had so far, file pages included."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise ValueError("no peak is told of")
