"""Other programs to compare with, where they are installed: nothing is downloaded.

`fr` (fast-resume) is looked for on PATH or named by LEAFMARK_BENCH_FR. pi is the package that `pi` on PATH
belongs to, or the folder of `@earendil-works/pi-coding-agent` named by LEAFMARK_BENCH_PI. They see hard links
to the corpus in a home of their own, because they make and rename things there just by starting.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.measure import Run, Setting, run

if TYPE_CHECKING:
    from collections.abc import Sequence

_LIST_ALL = """
const { SessionManager } = await import(process.argv[1]);
const started = process.hrtime.bigint();
await SessionManager.listAll();
console.log(Number(process.hrtime.bigint() - started) / 1e9);
"""
_OPEN = """
const { SessionManager } = await import(process.argv[1]);
const started = process.hrtime.bigint();
SessionManager.open(process.argv[2]).getTree();
console.log(Number(process.hrtime.bigint() - started) / 1e9);
"""


class Peers:
    """What is installed, and how to run it over the corpus. Nothing is, unless `wanted`."""

    def __init__(self, setting: Setting, *, wanted: bool) -> None:
        self.fast_resume = _program("fr", "LEAFMARK_BENCH_FR") if wanted else None
        self.pi = _pi_package() if wanted else None
        self.home = os.path.join(setting.folder, "peers")
        self.env = {**setting.env, "HOME": self.home}
        self.env.pop("PYTHONPATH")
        self._setting = setting
        if self.fast_resume or self.pi:
            self._link()

    def _link(self) -> None:
        target = os.path.join(self.home, ".pi", "agent", "sessions")
        for folder, folders, files in os.walk(self._setting.pi_root):
            folders[:] = [name for name in folders if not name.endswith(".jsonl")]
            to = os.path.join(target, os.path.relpath(folder, self._setting.pi_root))
            os.makedirs(to, exist_ok=True)
            for name in files:
                source = os.path.join(folder, name)
                if os.path.isfile(source):
                    _link_or_copy(source, os.path.join(to, name))

    def linked(self, path: str) -> str:
        """The peers' path of one of pi's files."""
        relative = os.path.relpath(path, self._setting.pi_root)
        return os.path.join(self.home, ".pi", "agent", "sessions", relative)

    def rebuild(self) -> Run:
        """fast-resume's cold index."""
        return run(self._fr("--rebuild", "--list", "--limit", "50"), self.env)

    def warm_list(self) -> float:
        """fast-resume's list after a look at every file."""
        return run(self._fr("--list", "--limit", "50"), self.env).wall

    def _fr(self, *arguments: str) -> Sequence[str]:
        assert self.fast_resume
        return [self.fast_resume, *arguments]

    def browser(self) -> list[str]:
        """fast-resume's screen, without its questions to the terminal: nobody answers them here."""
        return [*self._fr(), "--theme", "dark", "--no-images"]

    def picker(self) -> list[str]:
        """pi's picker of this folder's sessions; Tab shows all."""
        assert self.pi
        return ["node", str(self.pi / "dist" / "cli.js"), "--resume"]

    def list_all(self) -> float:
        """pi's list of every session, without the start of node and its imports."""
        return self._pi(_LIST_ALL)

    def open_tree(self, path: str) -> float:
        """pi's opening of one session and its tree, without imports."""
        return self._pi(_OPEN, self.linked(path))

    def _pi(self, script: str, *arguments: str) -> float:
        assert self.pi
        entry = str(self.pi / "dist" / "core" / "session-manager.js")
        command = ["node", "--input-type=module", "-e", script, "--", entry, *arguments]
        return float(run(command, self.env, keep=True).output.split()[-1])


def _program(name: str, variable: str) -> str | None:
    return os.environ.get(variable) or shutil.which(name)


def _pi_package() -> Path | None:
    named = os.environ.get("LEAFMARK_BENCH_PI")
    program = None if named else shutil.which("pi")
    start = Path(named) if named else Path(os.path.realpath(program)) if program else None
    if start is None or shutil.which("node") is None:
        return None
    for folder in (start, *start.parents):
        if (folder / "dist" / "core" / "session-manager.js").is_file():
            return folder
    return None


def _link_or_copy(source: str, target: str) -> None:
    if os.path.exists(target):
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
