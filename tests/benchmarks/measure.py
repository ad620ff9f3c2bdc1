"""Run commands and read what the kernel reports about them."""

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
# A benchmark sees the corpus only, not the home folder of the user who runs it.
_DROPPED = ("PI_", "OMP_", "INDUSAGI_", "PYTHON", "XDG_", "LEAFMARK_", "TEXTUAL")
# The code of the installed command. `python -m` first imports modules that find modules, a quarter of a list.
START = "import sys; from app.cli import start; sys.exit(start())"
SETTLED_SECONDS = 3
"""Seconds without input after which the screen counts as idle."""
IDLE_SECONDS = 30
"""Seconds; a round of the watcher over all files takes as long."""


class Run(NamedTuple):
    """A finished command: seconds, processor seconds, bytes of its biggest process, output."""

    wall: float
    cpu: float
    peak: int
    output: bytes


_DECODE = """
import contextlib, os, sys, orjson
for folder, _, names in os.walk(sys.argv[1]):
    for path in (os.path.join(folder, name) for name in names if name.endswith(".jsonl")):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                for line in file:
                    with contextlib.suppress(ValueError):
                        orjson.loads(line)
"""


@dataclass
class Setting:
    """Folders and commands of one run of the benchmarks. The caller that made `folder` empties it.

    HOME is the corpus' home, so that leafmark finds the stores by itself, as it does for a user: `leafmark`
    without arguments starts faster than with arguments. pi's flat folder is found only with `--store`.
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
        """The environment of a leafmark that sees only pi's store, with a cache of its own: the files that
        pi, fast-resume and the floor read.
        """
        home = os.path.join(self.folder, "pi-home")
        if not os.path.isdir(home):
            os.mkdir(home)
            os.symlink(os.path.join(self.env["HOME"], ".pi"), os.path.join(home, ".pi"))
        return {**self.env, "HOME": home, "LEAFMARK_CACHE_DIR": os.path.join(self.folder, "pi-cache")}

    def leafmark(self, *arguments: str) -> list[str]:
        """Return leafmark's command line; LEAFMARK_COMMAND replaces that of this folder."""
        given = os.environ.get("LEAFMARK_COMMAND")
        command = shlex.split(given) if given else [sys.executable, "-c", START]
        return [*command, *arguments]

    def flat(self) -> list[str]:
        """Return the arguments that add pi's flat folder."""
        [(agent, folder)] = [pair for pair in stores(self.corpus) if str(pair[1]).endswith("flat-pi")]
        return ["--store", f"{agent}={folder}"]

    def floor(self) -> list[str]:
        """Return a command that only reads every session of pi."""
        find = f"find {shlex.quote(self.pi_root)} -type f -name '*.jsonl' -print0"
        return ["/bin/sh", "-c", f"{find} | xargs -0 cat >/dev/null"]

    def decoding(self) -> list[str]:
        """Return a command that decodes every line of every session of pi. Its time depends on the processor,
        as that of leafmark, and not only on how fast the system copies files.
        """
        return [sys.executable, "-c", _DECODE, self.pi_root]


def run(
    command: Sequence[str], env: Mapping[str, str], *, keep: bool = False, success: Sequence[int] = (0,)
) -> Run:
    """Run `command` to its end in the folder HOME.

    :param keep: keep its output.
    :param success: exit statuses that mean success; any other raises RuntimeError.
    """
    with (
        tempfile.TemporaryFile() as output,
        tempfile.TemporaryFile() as errors,
        tempfile.TemporaryFile() as report,
    ):
        subprocess.run(
            [sys.executable, "-I", "-S", str(TIMED), str(report.fileno()), *command],
            env=dict(env),
            cwd=env["HOME"],
            stdin=subprocess.DEVNULL,
            stdout=output if keep else subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[report.fileno()],
            check=False,
        )
        # The processes have moved the position in the files, which they share with this process.
        for file in (output, errors, report):
            file.seek(0)
        result = report.read()
        wall, cpu, peak, status = json.loads(result) if result else (0.0, 0.0, 0, "no start")
        if status not in success:
            complaint = errors.read().decode(errors="replace")[-2000:]
            raise RuntimeError(f"{shlex.join(command)[:120]} … ended with {status}: {complaint}")
        return Run(wall, cpu, peak, output.read())


def in_turn(repeat: int, *tasks: Callable[[], float]) -> list[float]:
    """Run each of `tasks` once, then all again, `repeat` times; return the medians of their results."""
    rounds = [[task() for task in tasks] for _ in range(repeat)]
    return [statistics.median(figures) for figures in zip(*rounds, strict=True)]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that `share` of `values` do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def processor_seconds(pid: int) -> float:
    """Return user and system time of a process and its living children, so far."""
    total = 0.0
    for member in family(pid):
        try:
            fields = Path(f"/proc/{member}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def idle_share(pid: int) -> float:
    """Return the share of one core that an idle process takes.

    The system counts in ticks of 10 ms: the measurement is long enough that one tick does not matter.
    """
    time.sleep(SETTLED_SECONDS)
    before, started = processor_seconds(pid), time.perf_counter()
    time.sleep(IDLE_SECONDS)
    return (processor_seconds(pid) - before) / (time.perf_counter() - started)


def wait_until_alone(pid: int) -> None:
    """Wait until a process has no children: after the first start one reads the words of tools."""
    until = time.monotonic() + 600
    alone_since = time.monotonic()
    while time.monotonic() - alone_since < SETTLED_SECONDS and time.monotonic() < until:
        time.sleep(0.1)
        if len(family(pid)) > 1:
            alone_since = time.monotonic()


def family(pid: int) -> list[int]:
    """Return a process, its children, and theirs."""
    members = [pid]
    for member in members:
        try:
            for task in os.listdir(f"/proc/{member}/task"):
                members += [
                    int(child) for child in Path(f"/proc/{member}/task/{task}/children").read_text().split()
                ]
        except OSError:
            continue
    return members


def anonymous_bytes(pid: int) -> int:
    """Return the bytes of a process that no file backs."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous:"):
            return int(line.split()[1]) * 1024
    raise ValueError("no anonymous memory is told of")


def peak_bytes(pid: int) -> int:
    """Return the peak memory of a process so far in bytes, file pages included."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise ValueError("no peak is told of")
