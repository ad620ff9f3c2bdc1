"""A throw-away home for one golden test, and leafmark run in it with a clock that stands still."""

from __future__ import annotations

import re
import secrets
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.golden import contexts, corpus
from tests.prepared import prepared
from tests.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent.parent
FROZEN = Path(__file__).parent / "frozen.py"
REAL = ROOT.parent / "shared" / "real"
"""Real sessions, which are data beside some checkouts and in no repository."""

_FOLDER = re.compile(r"leafmark-(golden|demo)-\w{8}")
# The folder of a world, of which a narrow screen has cut the beginning.
_CUT_FOLDER = re.compile(r"…[0-9a-f]{1,8}(?=/below-a-folder)")
_ID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-f]{8}(?:-[0-9a-f]{4}(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?)?(?![0-9A-Za-z])"
)
_SECONDS = re.compile(r"(?<=in )\d+\.\d+(?= s\b)|(?<=\"seconds\": )\d+\.\d+")


class Output(NamedTuple):
    """How a command ended: its exit code, and both outputs with what differs between runs made equal."""

    code: int
    out: str
    err: str


class World:
    """A home folder, projects, and folders for leafmark's own files, all below `root`.

    The name of `root` has the same length in each run, because the width of a path decides where it is cut.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: set[str] = set()
        self.numbers: dict[str, int] = {}

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of a run."""
        return {
            "HOME": str(self.root / "home"),
            "PATH": f"{self.root / 'bin'}:/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TMPDIR": "/tmp",
            "LEAFMARK_CACHE_DIR": str(self.root / "cache"),
            "LEAFMARK_STATE_DIR": str(self.root / "state"),
            "LEAFMARK_CONFIG_DIR": str(self.root / "config"),
            "XDG_DATA_HOME": str(self.root / "data"),
        }

    @property
    def here(self) -> str:
        """The folder that commands run in: a project that has sessions."""
        return str(self.root / "work" / "shop")

    @property
    def sessions(self) -> list[Path]:
        """The files below the agents' folders, in the order of their names."""
        return sorted(path for path in (self.root / "home").rglob("*") if path.is_file())

    def learn_ids(self) -> None:
        """Take the ids that are in the sessions now for known ones; `same` numbers all others."""
        for path in self.sessions:
            for found in _ID.findall(f"{path} {path.read_text('utf-8', 'replace')}"):
                self.known |= {found, found[:8], found[:13]}

    def terminal(self, *words: str, size: tuple[int, int]) -> Terminal:
        """Start leafmark in a terminal."""
        return Terminal(
            words, size=size, env=self.env, cwd=self.here, answers=True, start=prepared(str(FROZEN)).start
        )

    def run(self, *words: str) -> Output:
        """Run a command until it ends."""
        done = prepared(str(FROZEN)).run(words, self.env, self.here)
        out, err = (self.same(each.decode("utf-8", "replace")) for each in (done.stdout, done.stderr))
        return Output(done.returncode, out, err)

    def same(self, text: str) -> str:
        """`text` with the names of throw-away folders and new ids replaced by names that do not change."""
        text = _FOLDER.sub(lambda found: f"leafmark-{found[1]}-00000000", text)
        text = _CUT_FOLDER.sub(lambda found: "…" + "0" * (len(found[0]) - 1), text)
        text = _SECONDS.sub("0.00", text)
        return _ID.sub(self.numbered, text) if self.known else text

    def numbered(self, found: re.Match[str]) -> str:
        token = found[0]
        if token in self.known or token == "00000000":
            return token
        number = self.numbers.setdefault(token, len(self.numbers) + 1)
        return f"new-{number:04}" + "-" * (len(token) - 8)


@contextmanager
def world(kind: str) -> Iterator[World]:
    """A new world, gone afterwards.

    :param kind: "small" for the corpus of this package, "contexts" for that of `contexts`, "real" for the
        real sessions, "empty" for none.
    """
    top = Path(f"/tmp/leafmark-golden-{secrets.token_hex(4)}")
    top.mkdir(mode=0o700)
    # A narrow screen cuts the beginning of a path, if possible with the part that differs between runs.
    root = top / "below-a-folder-with-a-name-that-is-long-enough"
    root.mkdir()
    try:
        made = World(root)
        if kind == "small":
            corpus.write(root)
        elif kind == "contexts":
            contexts.write(root)
        else:
            (root / "home").mkdir()
            Path(made.here).mkdir(parents=True)
        if kind == "real":
            _copy_real(root)
        made.learn_ids()
        yield made
    finally:
        shutil.rmtree(top, ignore_errors=True)


def _copy_real(root: Path) -> None:
    for number, path in enumerate(sorted(REAL.glob("*.jsonl"))):
        agent = ".omp" if path.name.startswith("omp") else ".pi"
        corpus.put(root / "home" / agent / "agent/sessions/--work--" / path.name, path.read_bytes(), number)
