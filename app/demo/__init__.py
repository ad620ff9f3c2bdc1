"""Example sessions of all agents, to try leafmark without sessions of your own.

The folder `sessions` beside this file has them as the agents would have written them, in the folder /demo
at `RECORDED_MS`: AGENT/PROJECT/NAME.jsonl, with the artifacts of a session in the folder NAME. The name of a
session of Claude Code is its id, and "indus" stands for the new program of indusagi. `/demo/work/PROJECT` is
the working folder of a session. In a fork, `/demo/sessions/` and the name of a recorded file stand for the
path of the parent.

`write_demo` copies them below one folder, and changes these paths and all times: `home` is like a home
folder, and `work` contains the projects.
"""

from __future__ import annotations

import glob
import json
import os
import re

from app.formats.header import header_of
from app.formats.timestamps import iso, parse_time
from app.stores import agent_named
from app.stores.base import Store

RECORDED_MS = 1_780_000_000_000
"""The time of the recording, in milliseconds UTC, two minutes after the newest session."""
GONE = "old-api"
"""The project whose folder is not created: its sessions cannot be resumed, and the screen has to say so."""

_SESSIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions")
_STORES = {
    "pi": ("pi", ".pi/agent/sessions"),
    "omp": ("omp", ".omp/agent/sessions"),
    "indusagi": ("indusagi", ".indusagi/agent/sessions"),
    "agent": ("agent", ".config/agent/sessions"),
    "claude": ("claude", ".claude/projects"),
    "codex": ("codex", ".codex/sessions"),
    "indus": ("indusagi", ".pindusagi/sessions"),
}
"""The agent and the root below the home folder of each folder in `sessions`."""
_CODEX_NAMES = "codex/session_index.jsonl"
"""The file with the names of Codex's sessions, which lies beside the root of its store."""
_CHANGED = re.compile(
    rb'/demo/sessions/(?P<parent>[^"]+)|(?P<folder>/demo)(?=/work/)'
    rb'|(?<=")(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)(?=")|(?<="timestamp":)(?P<ms>\d{13})'
)
"""The paths and times in a recorded file."""


def write_demo(folder: str, now_ms: int) -> list[tuple[str, str]]:
    """Write the example sessions. The same `folder` and `now_ms` give the same bytes and modification times.

    :param folder: is created if necessary.
    :param now_ms: the time at which the sessions seem to be recorded, in milliseconds UTC. It is rounded down
        to a second, because nickcecere/agent writes times in seconds.
    :return: the stores as (agent, folder) pairs, for `app.stores.named`.
    :raises OSError: a file cannot be written, or a recorded one cannot be read.
    """
    demo = _Demo(os.path.abspath(folder), now_ms)
    demo.write()
    return [(agent, os.path.join(demo.home, root)) for agent, root in _STORES.values()]


class _Demo:
    """The example sessions in their new folder.

    home    the home folder
    shift   the milliseconds that are added to each time
    paths   the paths of the sessions, by their files in `sessions`
    """

    def __init__(self, folder: str, now_ms: int) -> None:
        self.folder = folder
        self.home = os.path.join(folder, "home")
        self.shift = (now_ms - RECORDED_MS) // 1000 * 1000
        recorded = sorted(glob.glob("*/*/*.*json*", root_dir=_SESSIONS))
        self.paths = {name: self._path_of(name) for name in recorded}

    def _path_of(self, name: str) -> str:
        """The path of a session in its store, as its agent would name it."""
        kind, project, _ = name.split("/")
        agent_name, root = _STORES[kind]
        header = header_of(os.path.join(_SESSIONS, name), (agent_name,))
        if header is None:
            raise FileNotFoundError(f"the example session {name} cannot be read")
        cwd, root = self._work(project), os.path.join(self.home, root)
        if kind == "indus":
            slug = re.sub("[^0-9A-Za-z]+", "-", cwd).strip("-")
            return os.path.join(root, f"--{slug}--", f"{header.id}.ndjson")
        agent = agent_named(agent_name)
        place = agent.folder_of(Store(agent, root), cwd, self.home)
        created = iso((header.created_ms or RECORDED_MS) + self.shift)
        if kind == "codex":
            place = os.path.join(place, *created[:10].split("-"))
        return os.path.join(place, agent.file_name(created, header.id))

    def _work(self, project: str) -> str:
        return os.path.join(self.folder, "work", project)

    def write(self) -> None:
        """Write the sessions with their artifacts, the names of Codex, and the folders of the projects."""
        for name, path in self.paths.items():
            project = name.split("/")[1]
            if project != GONE:
                os.makedirs(self._work(project), exist_ok=True)
            written_ms = self._copy(name, path, 0)
            beside, target = os.path.splitext(name)[0], os.path.splitext(path)[0]
            for below in glob.glob("**/*.*", root_dir=os.path.join(_SESSIONS, beside), recursive=True):
                self._copy(os.path.join(beside, below), os.path.join(target, below), written_ms)
        names = os.path.join(os.path.dirname(_STORES["codex"][1]), os.path.basename(_CODEX_NAMES))
        self._copy(_CODEX_NAMES, os.path.join(self.home, names), 0)

    def _copy(self, name: str, target: str, written_ms: int) -> int:
        """Copy a recorded file to `target`.

        :param written_ms: the modification time of a file without times, in milliseconds UTC.
        :return: the modification time of the copy, in milliseconds UTC: the newest time in the file.
        """
        times: list[int] = []

        def changed(match: re.Match[bytes]) -> bytes:
            if match["folder"]:
                return _in_json(self.folder)
            if match["parent"]:
                return _in_json(self.paths[match["parent"].decode()])
            text = match[0].decode()
            at_ms = (int(text) if match["ms"] else parse_time(text) or 0) + self.shift
            times.append(at_ms)
            if match["ms"]:
                return str(at_ms).encode()
            return (iso(at_ms)[: len(text) - 1] + "Z").encode()

        with open(os.path.join(_SESSIONS, name), "rb") as recorded:
            data = _CHANGED.sub(changed, recorded.read())
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(data)
        at_ms = max(times, default=written_ms)
        os.utime(target, ns=(at_ms * 1_000_000, at_ms * 1_000_000))
        return at_ms


def _in_json(path: str) -> bytes:
    """A path as a part of a JSON string, in which bytes that are not UTF-8 are escaped."""
    return json.dumps(path, ensure_ascii=False)[1:-1].encode("utf-8", "backslashreplace")
