"""Other programs for comparison, if they are installed: nothing is downloaded.

fast-resume is `fr` on PATH or named by LEAFMARK_BENCH_FR, ripgrep `rg` or LEAFMARK_BENCH_RG. pi and omp are
the packages that `pi` and `omp` on PATH belong to, or the folders of `@earendil-works/pi-coding-agent` and
`@oh-my-pi/pi-coding-agent` that LEAFMARK_BENCH_PI and LEAFMARK_BENCH_OMP name; they need node and bun on
PATH. All but ripgrep, which only reads, see hard links to the corpus in homes of their own, because they make
and rename files just by starting. fast-resume and pi see the files of pi, omp those of pi and its own.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from tests.benchmarks.corpus import stores
from tests.benchmarks.measure import Run, Setting, run

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
_CONTEXT = """
const { SessionManager } = await import(process.argv[1]);
const started = process.hrtime.bigint();
const manager = SessionManager.open(process.argv[2]);
manager.getTree();
const messages = manager.buildSessionContext().messages.length;
const taken = Number(process.hrtime.bigint() - started) / 1e9;
if (messages !== Number(process.argv[3])) throw new Error(`pi has ${messages} messages`);
console.log(taken);
"""
_OMP_LISTING = """
const { listAllSessions } = await import(process.argv[2]);
const found = await listAllSessions();
console.log(found.length);
"""
_PI_MODULE = "dist/core/session-manager.js"
_OMP_MODULE = "src/session/session-listing.ts"
_PI_SESSIONS = os.path.join(".pi", "agent", "sessions")
_OMP_SESSIONS = os.path.join(".omp", "agent", "sessions")


class Peers:
    """The installed peers, and how to run them over the corpus. There are none unless `wanted`.

    fast_resume, ripgrep   the paths of the programs; None for a program that is not installed
    pi, omp                the folders of their packages; None as above
    env, omp_env           the environments of fast-resume and pi, and of omp
    """

    def __init__(self, setting: Setting, *, wanted: bool) -> None:
        self.fast_resume = _program("fr", "LEAFMARK_BENCH_FR") if wanted else None
        self.ripgrep = _program("rg", "LEAFMARK_BENCH_RG") if wanted else None
        self.pi = _package("pi", "LEAFMARK_BENCH_PI", _PI_MODULE, "node") if wanted else None
        self.omp = _package("omp", "LEAFMARK_BENCH_OMP", _OMP_MODULE, "bun") if wanted else None
        self._wanted = wanted
        self._setting = setting
        self.env = _home_env(setting, "peers")
        self.omp_env = _home_env(setting, "omp")
        roots = dict(stores(setting.corpus)[:2])
        if self.fast_resume or self.pi:
            _link(roots["pi"], os.path.join(self.env["HOME"], _PI_SESSIONS))
        if self.omp:
            for root in roots.values():
                _link(root, os.path.join(self.omp_env["HOME"], _OMP_SESSIONS))
            self._listing = os.path.join(setting.folder, "listing.ts")
            Path(self._listing).write_text(_OMP_LISTING, encoding="utf-8")

    @property
    def absent(self) -> list[str]:
        """The names of wanted peers that are not installed."""
        peers = {"fast-resume": self.fast_resume, "pi": self.pi, "omp": self.omp, "ripgrep": self.ripgrep}
        return [name for name, installed in peers.items() if self._wanted and installed is None]

    @property
    def beside_omp(self) -> dict[str, str]:
        """The environment of a leafmark that sees only omp's files, with a cache of its own."""
        cache = os.path.join(self._setting.folder, "omp-cache")
        return {**self._setting.env, "HOME": self.omp_env["HOME"], "LEAFMARK_CACHE_DIR": cache}

    def versions(self) -> list[str]:
        """Return name and version of each used peer, as it reports them."""
        versions = []
        if self.fast_resume:
            versions.append(f"fast-resume {_version(self.fast_resume, self.env)}")
        for name, folder in (("pi", self.pi), ("omp", self.omp)):
            if folder:
                versions.append(f"{name} {json.loads((folder / 'package.json').read_bytes())['version']}")
        if self.ripgrep:
            versions.append(f"ripgrep {_version(self.ripgrep, self._setting.env)}")
        return versions

    def linked(self, path: str) -> str:
        """Return the peers' path of one of pi's files."""
        return os.path.join(self.env["HOME"], _PI_SESSIONS, os.path.relpath(path, self._setting.pi_root))

    # -- fast-resume --

    def rebuild(self) -> Run:
        """Run fast-resume's cold index."""
        return run(self.fr("--rebuild", "--list", "--limit", "50"), self.env)

    def warm_list(self) -> float:
        """Return the seconds of fast-resume's list, which checks every file."""
        return run(self.fr("--list", "--limit", "50"), self.env).wall

    def fr(self, *arguments: str) -> list[str]:
        """Return a command line of fast-resume; without arguments, that of its screen."""
        assert self.fast_resume
        return [self.fast_resume, *arguments]

    def find(self, query: str) -> set[str]:
        """Return the ids of all sessions that fast-resume finds for `query` in its current index."""
        listing = json.loads(
            run(self.fr("--json", "--all", "--no-refresh", query), self.env, keep=True).output
        )
        return {session["id"] for session in listing["sessions"]}

    # -- pi --

    def pi_picker(self) -> list[str]:
        """Return the command of pi's picker of this folder's sessions; Tab shows all."""
        assert self.pi
        return ["node", str(self.pi / "dist" / "cli.js"), "--resume"]

    def list_all(self) -> float:
        """Return the seconds of pi's list of every session, without the start of node and its imports."""
        return self._pi(_LIST_ALL)

    def open_tree(self, path: str) -> float:
        """Return the seconds in which pi opens one session and its tree, without imports."""
        return self._pi(_OPEN, self.linked(path))

    def open_context(self, path: str, messages: int) -> float:
        """Return the seconds in which pi opens one session, its tree and its context, without imports.

        :param messages: the number of messages that the context must have.
        """
        return self._pi(_CONTEXT, self.linked(path), str(messages))

    def _pi(self, script: str, *arguments: str) -> float:
        assert self.pi
        command = ["node", "--input-type=module", "-e", script, "--", str(self.pi / _PI_MODULE), *arguments]
        return float(run(command, self.env, keep=True).output.split()[-1])

    # -- omp --

    def omp_picker(self) -> list[str]:
        """Return the command of omp's picker of this folder's sessions; Tab shows all."""
        assert self.omp
        return ["bun", str(self.omp / "dist" / "cli.js"), "--resume"]

    def omp_listing(self) -> float:
        """Return the seconds of omp's list of every session, as a whole process: it compiles its source."""
        assert self.omp
        return run(["bun", self._listing, str(self.omp / _OMP_MODULE)], self.omp_env).wall


def _home_env(setting: Setting, name: str) -> dict[str, str]:
    home = os.path.join(setting.folder, name)
    return {key: value for key, value in setting.env.items() if key != "PYTHONPATH"} | {"HOME": home}


def _version(program: str, env: dict[str, str]) -> str:
    return run([program, "--version"], env, keep=True).output.decode().split()[1]


def _program(name: str, variable: str) -> str | None:
    return shutil.which(os.environ.get(variable) or name)


def _package(name: str, variable: str, module: str, runtime: str) -> Path | None:
    """Return the folder that holds `module` and, somewhere below it, the program `name`."""
    start = os.environ.get(variable) or shutil.which(name)
    if start is None or shutil.which(runtime) is None:
        return None
    path = Path(os.path.realpath(start))
    return next((folder for folder in (path, *path.parents) if (folder / module).is_file()), None)


def _link(root: str, target: str) -> None:
    """Link the session files below `root` to `target`."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.endswith(".jsonl")]
        to = os.path.join(target, os.path.relpath(folder, root))
        os.makedirs(to, exist_ok=True)
        for name in files:
            source = os.path.join(folder, name)
            if os.path.isfile(source):
                _link_or_copy(source, os.path.join(to, name))


def _link_or_copy(source: str, target: str) -> None:
    if os.path.exists(target):
        return
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
