"""Running commands and reading what the kernel says about them."""

from __future__ import annotations

import json
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
TIMED = Path(__file__).with_name("timed.py")
# A benchmark must see the corpus only, not what the person who runs it has at home.
_DROPPED = ("PI_", "OMP_", "INDUSAGI_", "PYTHON", "XDG_", "LEAFMARK_", "TEXTUAL")
# What the installed command does. `python -m` first imports what finds modules, a quarter of a whole list.
START = "import sys; from app.cli import start; sys.exit(start())"
SETTLED_SECONDS = 3
"""After which nobody has touched it for long."""
IDLE_SECONDS = 30
"""As long as a round of the watch: each file has had its turn."""


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

    @property
    def pi_env(self) -> dict[str, str]:
        """The environment of a leafmark that sees pi's store alone, with a cache of its own: the files that
        pi and fast-resume read, and the floor.
        """
        home = os.path.join(self.folder, "pi-home")
        if not os.path.isdir(home):
            os.mkdir(home)
            os.symlink(os.path.join(self.env["HOME"], ".pi"), os.path.join(home, ".pi"))
        return {**self.env, "HOME": home, "LEAFMARK_CACHE_DIR": os.path.join(self.folder, "pi-cache")}

    def leafmark(self, *arguments: str) -> list[str]:
        """leafmark's command line; LEAFMARK_COMMAND replaces this folder's."""
        given = os.environ.get("LEAFMARK_COMMAND")
        command = shlex.split(given) if given else [sys.executable, "-c", START]
        return [*command, *arguments]

    def flat(self) -> list[str]:
        """The arguments that add pi's flat folder."""
        agent, folder = stores(self.corpus)[-1]
        return ["--store", f"{agent}={folder}"]

    def floor(self) -> list[str]:
        """The least anybody must do who reads every session of pi."""
        find = f"find {shlex.quote(self.pi_root)} -type f -name '*.jsonl' -print0"
        return ["/bin/sh", "-c", f"{find} | xargs -0 cat >/dev/null"]


def run(
    command: Sequence[str], env: Mapping[str, str], *, keep: bool = False, fine: Sequence[int] = (0,)
) -> Run:
    """Run `command` to its end in the folder HOME.

    :param keep: keep its output.
    :param fine: the exit statuses that say that it did what it should; RuntimeError where it ends otherwise.
    """
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        tempfile.TemporaryFile() as told,
    ):
        subprocess.run(
            [sys.executable, "-I", "-S", str(TIMED), str(told.fileno()), *command],
            env=dict(env),
            cwd=env["HOME"],
            stdin=subprocess.DEVNULL,
            stdout=output if keep else subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[told.fileno()],
            check=False,
        )
        # What the processes wrote has moved the places of the files, which we share with them.
        for file in (output, errors, told):
            file.seek(0)
        result = told.read()
        wall, cpu, peak, status = json.loads(result) if result else (0.0, 0.0, 0, "no start")
        if status not in fine:
            complaint = errors.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"{shlex.join(command)[:120]} … ended with {status}: {complaint}")
        return Run(wall, cpu, peak, output.read())


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


def idle_share(pid: int) -> float:
    """What part of one core a process takes while nobody touches it. The system tells in ticks of 10 ms: it
    is looked at for so long that one more or less does not matter.
    """
    time.sleep(SETTLED_SECONDS)
    before, started = processor_seconds(pid), time.perf_counter()
    time.sleep(IDLE_SECONDS)
    return (processor_seconds(pid) - before) / (time.perf_counter() - started)


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


class Peaks:
    """The most memory that each process of a family has had, of those that lived at one of the looks."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._peaks: dict[int, int] = {}

    def look(self) -> None:
        for one in family(self._pid):
            try:
                self._peaks[one] = peak_bytes(one)
            except (OSError, ValueError):  # it has ended: what was seen of it last stands
                continue

    @property
    def biggest(self) -> int:
        return max(self._peaks.values())

    @property
    def total(self) -> int:
        """As if all had their peaks at one time: never less than what was true."""
        return sum(self._peaks.values())
