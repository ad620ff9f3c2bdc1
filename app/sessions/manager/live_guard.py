"""Check before each write that it does not harm a running agent
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
"""Milliseconds for which a list of all processes is used again, so that a run of writes reads it once."""


class LiveGuard:
    """Finds running agents and refuses writes that would harm them.

    :param env: the environment, by which the agents' own folders are found.
    :param home: the home folder.
    """

    def __init__(self, env: Mapping[str, str], home: str) -> None:
        self._env = env
        self._home = home
        self._cache: dict[str, tuple[int, Processes]] = {}

    def verdict(self, header: Header, path: str, now_ms: int) -> Verdict:
        """Return whether a running agent has the session at `path` open.

        :param now_ms: milliseconds since the epoch.
        """
        # The process file system names an open file by its real path alone.
        path = os.path.realpath(path)
        processes = self._processes(header, now_ms)
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
        """Refuse a write that would harm a running agent.

        :param operation: one of `app.stores.base.DANGERS`.
        :param now_ms: milliseconds since the epoch.
        :param only_live: do not refuse if an agent only may have the session open.
        :return: the verdict; None if such a write is always safe.
        :raises LiveSession: the write would do harm; the process is named.
        """
        states, harm = agent_named(header.agent).dangers[operation]
        if not states:
            return None
        current = self.verdict(header, path, now_ms)
        if current.state in states and (current.state == LIVE or not only_live):
            pid, reason = current.pid, current.reason
            if pid is not None and str(pid) not in reason:
                reason = f"process {pid}: {reason}"
            raise LiveSession(path, f"{reason}; {harm}", pid, sure=current.state == LIVE)
        return current

    def _processes(self, header: Header, now_ms: int) -> Processes:
        cached = self._cache.get(header.agent)
        if cached and 0 <= now_ms - cached[0] < LOOK_AGAIN_MS:
            return cached[1]
        stores = agent_named(header.agent).stores(self._env, self._home, header.cwd or self._home)
        processes = look(stores)
        self._cache[header.agent] = (now_ms, processes)
        return processes


def _claimed_as(status: os.stat_result, processes: Processes) -> str:
    """Return the path under which an agent has the file of that status open, "" for none: it may be another
    hard link.
    """
    for claims in processes.claims.values():
        for path, _, _ in claims:
            with contextlib.suppress(OSError):
                if os.path.samestat(os.stat(path), status):
                    return path
    return ""


def _is_newest(path: str, mtime_ms: int) -> bool:
    """Whether no other session in the folder is newer. A folder holds the sessions of one working
    folder.
    """
    folder, own = os.path.split(path)
    suffix = os.path.splitext(own)[1]
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                is_other = entry.name.endswith(suffix) and entry.name != own
                if is_other and entry.stat().st_mtime_ns // 1_000_000 > mtime_ms:
                    return False
    except OSError:
        return True
    return True
