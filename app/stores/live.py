"""Who has a session open
(formats/README.md, "Detecting a running agent"): one look at the running processes, then a verdict for each
session.

`look` makes one pass over /proc, reading only the names of processes that are no agents. `verdict` is cheap
and looks at nothing but the snapshot, the session's own facts and, once, the real path of a folder.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores import AGENTS
from app.stores.breadcrumbs import read_crumb, terminals
from app.stores.processes import Process, from_proc, from_ps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.stores.base import Store

LIVE = "live"
MAYBE = "maybe"
IDLE = "idle"

# A file that we ourselves saw grow this short a time ago has a writer, whether we find it or not.
GROWING_MS = 5_000
# "Modified recently" beside a running agent in the same folder: longer than a slow turn, shorter than a
# break.
RECENT_MS = 15 * 60_000


class Verdict:
    """`state`: "live", "maybe" or "idle"; `reason`: a phrase for the screen; `pid`: where it is known."""

    __slots__ = ("pid", "reason", "state")

    def __init__(self, state: str, reason: str, pid: int | None = None) -> None:
        self.state = state
        self.reason = reason
        self.pid = pid

    def __repr__(self) -> str:
        return f"Verdict({self.state!r}, {self.reason!r}, {self.pid})"


class RealPaths:
    """Real paths, each looked up once; a path that cannot be looked up is its own.

    A thousand projects lie in a few folders: of each only its own name is looked at.
    """

    __slots__ = ("_above", "_known")

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._above: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        known = self._known.get(path)
        if known is None:
            try:
                known = self._looked_up(path)
            except (OSError, ValueError):
                known = path
            self._known[path] = known
        return known

    def _looked_up(self, path: str) -> str:
        above, name = os.path.split(path)
        if not (name and os.path.isabs(path)) or os.path.normpath(path) != path or "\0" in path:
            return os.path.realpath(path)
        real = self._above.get(above)
        if real is None:
            real = self._above[above] = os.path.realpath(above)
        real = os.path.join(real, name)
        return os.path.realpath(real) if os.path.islink(real) else real


class Processes:
    """A snapshot of the running agents. `note` says why it is not complete, "" when it is.

    `claims` maps a session file's name to (real path, pid, reason) of the processes known to have it open;
    `session_ids` the ids that an agent gave to its children.
    """

    __slots__ = ("_real", "claimed", "claims", "note", "processes", "session_ids")

    def __init__(self, processes: Iterable[Process] = (), note: str = "") -> None:
        self.processes = tuple(processes)
        self.note = note
        self.claims: dict[str, list[tuple[str, int, str]]] = {}
        self.session_ids: dict[str, int] = {}
        self.claimed: set[int] = set()
        self._real = RealPaths()

    def claim(self, path: str, pid: int, reason: str) -> None:
        """Note that process `pid` has the session file `path` open."""
        real = self.real(path)
        for name in {os.path.basename(path), os.path.basename(real)}:
            self.claims.setdefault(name, []).append((real, pid, reason))
        self.claimed.add(pid)

    def real(self, path: str) -> str:
        """The real path, looked up once for each path."""
        return self._real(path)


def look(
    stores: Iterable[Store], proc: str = "/proc", run: Callable[[list[str]], str] | None = None
) -> Processes:
    """The agents that run now, and the sessions they are known to have open.

    `proc` is the folder of the process file system; where it is not there, `ps` and `lsof` are asked
    through `run` (command -> its output; OSError when there is no such program). Nothing is raised: what
    cannot be seen is in the snapshot's `note`.
    """
    stores = list(stores)
    names = {name for agent in AGENTS for name in agent.process_names}
    if os.path.isdir(os.path.join(proc, "self")):
        found, note = from_proc(proc, names)
    else:
        found, note = from_ps(names, run)
    snapshot = Processes(found, note)
    suffixes = tuple({suffix for agent in AGENTS for suffix in agent.suffixes})
    crumbs = {
        os.path.join(each.state, "terminal-sessions")
        for store in stores
        for each in (store, *store.twins)
        if each.state
    }
    for process in snapshot.processes:
        _claim_open_files(snapshot, process, suffixes)
        for path, session_id in process.sessions:
            if path:
                snapshot.claim(path, process.pid, f"a command of process {process.pid} runs in it")
            if session_id:
                snapshot.session_ids[session_id] = process.pid
                snapshot.claimed.add(process.pid)
        for folder in crumbs:
            _claim_breadcrumb(snapshot, process, folder)
    return snapshot


def verdict(
    agent: str,
    path: str,
    session_id: str,
    cwd: str,
    mtime_ms: int,
    newest_of_cwd: bool,
    grew_ms: int | None,
    processes: Processes,
    now_ms: int,
) -> Verdict:
    """Whether a running agent has the session at `path` open
    (formats/README.md, "Detecting a running agent").

    `agent` is the session's agent, `cwd` its header's folder, `newest_of_cwd` whether no other session of
    that agent and folder is newer, `grew_ms` when we ourselves last saw the file grow. All times are
    milliseconds UTC.
    """
    claims = processes.claims.get(os.path.basename(path))
    if claims:
        real = processes.real(path)
        for claimed, pid, reason in claims:
            if claimed == real:
                return Verdict(LIVE, reason, pid)
    pid_of_child = processes.session_ids.get(session_id) if session_id else None
    if pid_of_child is not None:
        return Verdict(LIVE, f"a command of process {pid_of_child} runs in it", pid_of_child)
    if grew_ms is not None and abs(now_ms - grew_ms) <= GROWING_MS:
        return Verdict(LIVE, "the file has just grown")
    if processes.processes and cwd:
        recent = abs(now_ms - mtime_ms) <= RECENT_MS
        if recent or newest_of_cwd:
            names = _process_names(agent)
            for process in processes.processes:
                # A process that is known to be in another session is not in this one as well.
                free = process.name in names and process.pid not in processes.claimed
                if free and process.cwd and process.cwd == processes.real(cwd):
                    why = "changed lately" if recent else "the newest session there"
                    return Verdict(MAYBE, f"{process.name} runs in the same folder; {why}", process.pid)
    return Verdict(IDLE, "no process has it open")


def _process_names(agent: str) -> frozenset[str]:
    for each in AGENTS:
        if each.name == agent:
            return each.process_names
    return frozenset()


def _claim_open_files(snapshot: Processes, process: Process, suffixes: tuple[str, ...]) -> None:
    """Files held open are sessions, or lie in the artifacts folder of one (a sub-agent's session)."""
    for path in process.files:
        reason = f"process {process.pid} ({process.name}) has it open"
        folder = os.path.dirname(path)
        if path.endswith(suffixes):
            snapshot.claim(path, process.pid, reason)
        for suffix in suffixes:
            if os.path.isfile(folder + suffix):
                snapshot.claim(folder + suffix, process.pid, reason)


def _claim_breadcrumb(snapshot: Processes, process: Process, folder: str) -> None:
    """The file that omp leaves for its terminal: cwd, then the session (formats/README.md, "oh-my-pi").

    It outlives the process, so it counts only for a process in that terminal and in that folder.
    """
    for terminal in terminals(process.terminal, process.variables):
        crumb = read_crumb(os.path.join(folder, terminal))
        if crumb and snapshot.real(crumb[0]) == process.cwd:
            snapshot.claim(crumb[1], process.pid, f"process {process.pid} ({process.name}) is in it")
