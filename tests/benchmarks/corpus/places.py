"""The folders and file names of each agent (formats/README.md, "The version 3 family")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tests.benchmarks.corpus.clock import file_stamp, iso

if TYPE_CHECKING:
    import random

HOME = "/home/dev"
"""The home folder in the `cwd` of the sessions; it need not exist."""

_ROOTS = {
    "pi": ("pi", "home/.pi/agent/sessions"),
    "omp": ("omp", "home/.omp/agent/sessions"),
    "indusagi": ("indusagi", "home/.indusagi/agent/sessions"),
    "indus": ("indusagi", "home/.pindusagi/sessions"),
    "agent": ("agent", "home/.config/agent/sessions"),
    "flat": ("pi", "flat-pi"),
    "claude": ("claude", "home/.claude/projects"),
    "codex": ("codex", "home/.codex/sessions"),
}
"""Kind of store -> (agent, folder)."""


class Place(NamedTuple):
    """One folder of a store."""

    agent: str
    root: str


class Places:
    """The stores of a corpus below `out`; "indus" is the new indusagi's, "flat" a custom folder of pi's."""

    def __init__(self, out: str) -> None:
        self._places = {
            kind: Place(agent, os.path.join(out, folder)) for kind, (agent, folder) in _ROOTS.items()
        }

    def __getitem__(self, kind: str) -> Place:
        return self._places[kind]

    def stores(self) -> list[tuple[str, str]]:
        """Return (agent, folder) of every store, for `leafmark --store agent=DIR`."""
        return [(place.agent, place.root) for place in self._places.values()]

    def path(self, kind: str, cwd: str, created: int, session_id: str) -> str:
        """Return the path of a session in the store `kind`."""
        root = self._places[kind].root
        if kind == "flat":
            return os.path.join(root, f"{file_stamp(created)}_{session_id}.jsonl")
        if kind == "agent":
            stamp = iso(created)[:19].replace("-", "").replace(":", "").replace("T", "-")
            return os.path.join(root, f"{stamp}-{session_id[:8]}.jsonl")
        if kind == "codex":
            day, time = iso(created)[:10], iso(created)[:19].replace(":", "-")
            return os.path.join(root, *day.split("-"), f"rollout-{time}-{session_id}.jsonl")
        if kind == "claude":
            dashed = "".join(char if char.isascii() and char.isalnum() else "-" for char in cwd)
            return os.path.join(root, dashed, f"{session_id}.jsonl")
        if kind == "indus":
            return os.path.join(root, _slug_folder(cwd), f"{session_id}.ndjson")
        folder = _omp_folder(cwd) if kind == "omp" else pi_folder(cwd)
        return os.path.join(root, folder, f"{file_stamp(created)}_{session_id}.jsonl")


def _dashes(path: str) -> str:
    for char in "/\\:":
        path = path.replace(char, "-")
    return path


def pi_folder(cwd: str) -> str:
    return f"--{_dashes(cwd.lstrip('/'))}--"


def _omp_folder(cwd: str) -> str:
    if cwd == HOME or cwd.startswith(HOME + "/"):
        return "-" + _dashes(cwd[len(HOME) + 1 :])
    if cwd == "/tmp" or cwd.startswith("/tmp/"):
        return "-tmp" + _dashes(cwd[4:])
    return pi_folder(cwd)


def _slug_folder(cwd: str) -> str:
    kept = "".join(char if char.isascii() and char.isalnum() else "-" for char in cwd)
    return f"--{'-'.join(part for part in kept.split('-') if part)}--"


def projects(count: int) -> list[str]:
    """Return working folders, unusual ones first."""
    odd = [
        "/", HOME, f"{HOME}/work/my proj", f"{HOME}/-dash/x", "/tmp/try", "/srv/www", f"{HOME}/work/a-b",
        f"{HOME}/work/a/b", f"{HOME}/work/Grüße", "C:\\Users\\dev\\app", f"{HOME}/日本語",
    ]  # fmt: skip
    names = ("app", "site", "api", "infra", "docs", "cli", "parser", "bench", "notes", "game")
    return (odd + [f"{HOME}/work/{names[n % 10]}-{n // 10}" for n in range(count)])[:count]


def session_id(kind: str, created: int, rng: random.Random) -> str:
    """Return an id as the agent makes it; one in twenty of pi's is chosen by the user or a UUID of
    version 4.
    """
    bits = rng.getrandbits(74)
    if kind in ("agent", "claude") or (kind in ("pi", "flat") and rng.random() < 0.03):
        raw = f"{rng.getrandbits(128):032x}"
        return f"{raw[:8]}-{raw[8:12]}-4{raw[13:16]}-a{raw[17:20]}-{raw[20:]}"
    if kind in ("pi", "flat") and rng.random() < 0.02:
        return f"fix.login_v2-{bits:x}"
    stamp = f"{created:012x}"
    low = f"{bits:019x}"
    return f"{stamp[:8]}-{stamp[8:]}-7{low[:3]}-8{low[3:6]}-{low[6:18]}"
