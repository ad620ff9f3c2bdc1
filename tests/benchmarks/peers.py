"""Other programs for comparison, if they are installed: nothing is downloaded.

fast-resume is `fr` on PATH or named by LEAFMARK_BENCH_FR, ripgrep `rg` or LEAFMARK_BENCH_RG, pi `pi` or
LEAFMARK_BENCH_PI. fast-resume and pi see hard links to pi's part of the corpus in a home of their own,
because they make and rename files just by starting.
"""

from __future__ import annotations

import json
import os
import shutil

from tests.benchmarks.measure import Setting, run

_PI_MODULE = os.path.join("dist", "core", "session-manager.js")
"""The module of pi's `SessionManager`, from the root of its package."""
_OPEN_IN_PI = """
const { SessionManager } = await import(process.argv[1]);
const started = process.hrtime.bigint();
const manager = SessionManager.open(process.argv[2]);
manager.getTree();
const messages = manager.buildSessionContext().messages.length;
console.log(Number(process.hrtime.bigint() - started) / 1e9, messages);
"""
_LIST_IN_PI = """
const { SessionManager } = await import(process.argv[1]);
const started = process.hrtime.bigint();
const sessions = await SessionManager.listAll();
console.log(Number(process.hrtime.bigint() - started) / 1e9, sessions.length);
"""
_PI_SESSIONS = os.path.join(".pi", "agent", "sessions")


class Peers:
    """The installed peers, and how to run them over the corpus. There are none unless `wanted`.

    fast_resume, pi, ripgrep   the paths of the programs; None for a program that is not installed
    absent                     the names of wanted peers that are not installed
    env                        the environment of fast-resume and pi
    """

    def __init__(self, setting: Setting, *, wanted: bool) -> None:
        found = {
            name: shutil.which(os.environ.get(variable) or program) if wanted else None
            for name, program, variable in (
                ("fast-resume", "fr", "LEAFMARK_BENCH_FR"),
                ("pi", "pi", "LEAFMARK_BENCH_PI"),
                ("ripgrep", "rg", "LEAFMARK_BENCH_RG"),
            )
        }
        self.fast_resume, self.pi, self.ripgrep = found.values()
        self.absent = [name for name, path in found.items() if wanted and path is None]
        home = os.path.join(setting.folder, "peers")
        self.env = {key: value for key, value in setting.env.items() if key != "PYTHONPATH"} | {"HOME": home}
        if self.fast_resume or self.pi:
            _link(setting.pi_root, os.path.join(home, _PI_SESSIONS))

    def rebuild(self) -> float:
        """Return the seconds of fast-resume's cold index."""
        return run(self.fr("--rebuild", "--list", "--limit", "50"), self.env).wall

    def warm_list(self) -> float:
        """Return the seconds of fast-resume's list, which checks every file."""
        return run(self.fr("--list", "--limit", "50"), self.env).wall

    def found(self, query: str) -> set[str]:
        """Return the ids of the sessions that fast-resume finds."""
        done = run(self.fr("--json", "--all", query), self.env, keep=True)
        return {session["id"] for session in json.loads(done.output)["sessions"]}

    def fr(self, *arguments: str) -> list[str]:
        """Return a command line of fast-resume; without arguments, that of its screen."""
        assert self.fast_resume
        return [self.fast_resume, *arguments]

    def pi_picker(self) -> list[str]:
        """Return the command of pi's picker of this folder's sessions."""
        assert self.pi
        return [self.pi, "--resume"]

    def open_in_pi(self, path: str) -> tuple[float, int]:
        """Return the seconds in which pi opens a session, its tree and its context, and the messages in it.

        :raises RuntimeError: there is no `SessionManager` beside the program.
        """
        return self._run_in_pi(_OPEN_IN_PI, path)

    def list_in_pi(self) -> float:
        """Return the seconds in which pi lists all sessions, as its picker does; node runs already."""
        return self._run_in_pi(_LIST_IN_PI)[0]

    def _run_in_pi(self, script: str, *arguments: str) -> tuple[float, int]:
        """Run a script with pi's `SessionManager`; return the two numbers that it prints."""
        assert self.pi
        folder = os.path.dirname(os.path.realpath(self.pi))
        while not os.path.isfile(module := os.path.join(folder, _PI_MODULE)):
            folder, last = os.path.dirname(folder), folder
            if folder == last:
                raise RuntimeError(f"no {_PI_MODULE} above {self.pi}")
        command = ["node", "--input-type=module", "-e", script, module, *arguments]
        seconds, number = run(command, self.env, keep=True).output.split()[-2:]
        return float(seconds), int(number)


def _link(root: str, target: str) -> None:
    """Link the session files below `root` to `target`, or copy them to another file system."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.endswith(".jsonl")]
        to = os.path.join(target, os.path.relpath(folder, root))
        os.makedirs(to, exist_ok=True)
        for name in files:
            source, link = os.path.join(folder, name), os.path.join(to, name)
            if not os.path.isfile(source):
                continue
            try:
                os.link(source, link)
            except OSError:
                shutil.copy2(source, link)
