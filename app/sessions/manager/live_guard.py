"""Whether a write would hurt a running agent, asked before a byte is written
(formats/README.md, "Writing beside a running agent").
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from app.sessions.errors import LiveSession
from app.stores import agent_named
from app.stores.live import LIVE, Processes, Verdict, look, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.formats.header import Header

LOOK_AGAIN_MS = 1_000
"""A look at all processes serves for so long: an agent that writes many entries must not pay for each."""


class LiveGuard:
    """Knows the running agents.

    :param env: the environment, by which the agents' own folders are found; ``home`` the home folder.
    :param proc: the folder of the process file system.
    """

    def __init__(self, env: Mapping[str, str], home: str, proc: str = "/proc") -> None:
        self._env = env
        self._home = home
        self._proc = proc
        self._seen: dict[str, tuple[int, Processes]] = {}

    def verdict(self, header: Header, path: str, now_ms: int) -> Verdict:
        """Whether a running agent has the session at `path` open.

        :param now_ms: milliseconds since the epoch.
        """
        # What an agent has open is known by its real path, and by none of its other names.
        path = os.path.realpath(path)
        processes = self._look(header, now_ms)
        mtime_ms = 0
        with contextlib.suppress(OSError):
            status = os.stat(path)
            mtime_ms = status.st_mtime_ns // 1_000_000
            if status.st_nlink > 1:
                path = _claimed_as(status, processes) or path
        newest = bool(processes.processes) and _is_newest(path, mtime_ms)
        return verdict(header.agent, path, header.id, header.cwd, mtime_ms, newest, None, processes, now_ms)

    def check(
        self, operation: str, header: Header, path: str, now_ms: int, *, only_live: bool = False
    ) -> Verdict | None:
        """Pass, or refuse a write beside a running agent.

        :param operation: one of `app.stores.base.DANGERS`.
        :param only_live: a session that an agent may have open, for all that is known, is not refused.
        :return: the verdict, where one was asked for; None where such a write is always safe.
        :raises LiveSession: it is not; the process is named.
        """
        states, harm = agent_named(header.agent).dangers[operation]
        if not states:
            return None
        found = self.verdict(header, path, now_ms)
        if found.state in states and (found.state == LIVE or not only_live):
            who = "" if found.pid is None or str(found.pid) in found.reason else f"process {found.pid}: "
            raise LiveSession(path, f"{who}{found.reason}; {harm}", found.pid, sure=found.state == LIVE)
        return found

    def _look(self, header: Header, now_ms: int) -> Processes:
        seen = self._seen.get(header.agent)
        if seen and 0 <= now_ms - seen[0] < LOOK_AGAIN_MS:
            return seen[1]
        stores = agent_named(header.agent).stores(self._env, self._home, header.cwd or self._home)
        processes = look(stores, self._proc)
        self._seen[header.agent] = (now_ms, processes)
        return processes


def _claimed_as(status: os.stat_result, processes: Processes) -> str:
    """The path under which an agent has the file of that status open, "" where none has: a hard link."""
    for claims in processes.claims.values():
        for path, _, _ in claims:
            with contextlib.suppress(OSError):
                if os.path.samestat(os.stat(path), status):
                    return path
    return ""


def _is_newest(path: str, mtime_ms: int) -> bool:
    """Whether no other session of its folder is newer; one folder holds those of one working folder."""
    folder, own = os.path.split(path)
    suffix = os.path.splitext(own)[1]
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                other = entry.name.endswith(suffix) and entry.name != own
                if other and entry.stat().st_mtime_ns // 1_000_000 > mtime_ms:
                    return False
    except OSError:
        return True
    return True
