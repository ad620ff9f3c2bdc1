"""Whether a running agent has a session open (formats/README.md, "Detecting a running agent").

`look` makes a snapshot of the running agents in one pass over /proc. `verdict` then judges each session by
the snapshot and the session's own row, without access to files except for the real path of its folder.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from app.stores import AGENTS
from app.stores.omp import read_breadcrumb, terminals
from app.stores.processes import Process, from_proc, from_ps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.stores.base import Store

LIVE = "live"
MAYBE = "maybe"
IDLE = "idle"

GROWING_MS = 5_000
"""A file that grew within this time has a writer, even if no process is found."""

RECENT_MS = 15 * 60_000
"""A file is recently modified for this time: longer than a slow turn, shorter than a break."""


class Verdict(NamedTuple):
    """A verdict: `state` is "live", "maybe" or "idle"; `reason` is a phrase for the screen; `pid` may be
    unknown. `terminal` is the name of the terminal of the process, such as "pts/3"; "" if it is not known.
    """

    state: str
    reason: str
    pid: int | None = None
    terminal: str = ""


class RealPaths:
    """A cache of real paths. A path that cannot be resolved is its own real path.

    Parent folders are cached as well, because a thousand projects lie in a few folders: each then costs one
    system call.
    """

    __slots__ = ("_known", "_parents")

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._parents: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        known = self._known.get(path)
        if known is None:
            try:
                known = self._resolve(path)
            except (OSError, ValueError):
                known = path
            self._known[path] = known
        return known

    def _resolve(self, path: str) -> str:
        parent, name = os.path.split(path)
        if not (name and os.path.isabs(path)) or os.path.normpath(path) != path or "\0" in path:
            return os.path.realpath(path)
        real_parent = self._parents.get(parent)
        if real_parent is None:
            real_parent = self._parents[parent] = os.path.realpath(parent)
        real = os.path.join(real_parent, name)
        return os.path.realpath(real) if os.path.islink(real) else real


class Processes:
    """A snapshot of the running agents.

    claims        name of a session file -> (real path, pid, reason) of each process that has it open
    session_ids   id of a session, from the environment of an agent's child process -> pid of the agent
    noted         id of a session -> pid of the agent that notes that it has it open
    claimed       the pids of processes whose session is known
    """

    __slots__ = ("_real", "claimed", "claims", "noted", "processes", "session_ids")

    def __init__(self, processes: Iterable[Process] = ()) -> None:
        self.processes = tuple(processes)
        self.claims: dict[str, list[tuple[str, int, str]]] = {}
        self.session_ids: dict[str, int] = {}
        self.noted: dict[str, int] = {}
        self.claimed: set[int] = set()
        self._real = RealPaths()

    def claim(self, path: str, pid: int, reason: str) -> None:
        """Record that process `pid` has the session file `path` open."""
        real = self.real(path)
        for name in {os.path.basename(path), os.path.basename(real)}:
            self.claims.setdefault(name, []).append((real, pid, reason))
        self.claimed.add(pid)

    def terminal_of(self, pid: int) -> str:
        """The name of the terminal of a process; "" for none."""
        path = next((process.terminal for process in self.processes if process.pid == pid), "")
        return path.removeprefix("/dev/") if path.startswith(("/dev/pts/", "/dev/tty")) else ""

    def real(self, path: str) -> str:
        """The real path, from a cache."""
        return self._real(path)


def look(
    stores: Iterable[Store], proc: str = "/proc", run: Callable[[list[str]], str] | None = None
) -> Processes:
    """The agents that are running and can be looked at, and the sessions that they have open.

    :param proc: the folder of the process file system. If it is missing, `ps` and `lsof` are run.
    :param run: runs a command and returns its output; raises OSError if the program is missing.
    """
    stores = list(stores)
    names = {name for agent in AGENTS for name in agent.process_names}
    if os.path.isdir(os.path.join(proc, "self")):
        found = from_proc(proc, names)
    else:
        found = from_ps(names, run)
    snapshot = Processes(found)
    suffixes = tuple({suffix for agent in AGENTS for suffix in agent.suffixes})
    stores = [store for listed in stores for store in (listed, *listed.twins)]
    breadcrumbs = {os.path.join(store.state, "terminal-sessions") for store in stores if store.state}
    for process in snapshot.processes:
        _claim_open_files(snapshot, process, suffixes)
        for store in stores:
            if process.name in store.agent.process_names:
                noted = store.agent.open_session(store, process.pid)
                if noted:
                    snapshot.noted[noted] = process.pid
                    snapshot.claimed.add(process.pid)
        for path, session_id in process.sessions:
            if path:
                snapshot.claim(path, process.pid, f"a command of process {process.pid} runs in it")
            if session_id:
                snapshot.session_ids[session_id] = process.pid
                snapshot.claimed.add(process.pid)
        for folder in breadcrumbs:
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
    """Whether a running agent has the session at `path` open (formats/README.md, "Detecting a running
    agent").

    :param agent: the name of the session's agent.
    :param cwd: the working folder in its header.
    :param newest_of_cwd: whether no other session of this agent and folder is newer.
    :param grew_ms: when leafmark last saw the file grow, None if never. All times are in milliseconds UTC.
    """
    claims = processes.claims.get(os.path.basename(path))
    if claims:
        real = processes.real(path)
        for claimed, pid, reason in claims:
            if claimed == real:
                return Verdict(LIVE, reason, pid, processes.terminal_of(pid))
    pid_of_child = processes.session_ids.get(session_id) if session_id else None
    if pid_of_child is not None:
        terminal = processes.terminal_of(pid_of_child)
        return Verdict(LIVE, f"a command of process {pid_of_child} runs in it", pid_of_child, terminal)
    noting = processes.noted.get(session_id) if session_id else None
    if noting is not None:
        terminal = processes.terminal_of(noting)
        return Verdict(LIVE, f"process {noting} notes that it has it open", noting, terminal)
    if grew_ms is not None and abs(now_ms - grew_ms) <= GROWING_MS:
        return Verdict(LIVE, "the file has just grown")
    if processes.processes and cwd:
        recent = abs(now_ms - mtime_ms) <= RECENT_MS
        if recent or newest_of_cwd:
            names = _process_names(agent)
            for process in processes.processes:
                # A process whose session is known does not have this one open.
                free = process.name in names and process.pid not in processes.claimed
                if free and process.cwd and process.cwd == processes.real(cwd):
                    why = "changed lately" if recent else "the newest session there"
                    return Verdict(MAYBE, f"{process.name} runs in the same folder; {why}", process.pid)
    return Verdict(IDLE, "no process has it open")


def _process_names(agent: str) -> frozenset[str]:
    return next((known.process_names for known in AGENTS if known.name == agent), frozenset())


def _claim_open_files(snapshot: Processes, process: Process, suffixes: tuple[str, ...]) -> None:
    """Claim the sessions that a process has open, and those in whose artifacts folder it has a file open."""
    for path in process.files:
        reason = f"process {process.pid} ({process.name}) has it open"
        folder = os.path.dirname(path)
        if path.endswith(suffixes):
            snapshot.claim(path, process.pid, reason)
        for suffix in suffixes:
            if os.path.isfile(folder + suffix):
                snapshot.claim(folder + suffix, process.pid, reason)


def _claim_breadcrumb(snapshot: Processes, process: Process, folder: str) -> None:
    """Claim the session that omp's breadcrumb for the terminal of a process names (formats/README.md,
    "Terminal notes of oh-my-pi").

    A breadcrumb outlives its process, so it counts only if the process runs in the folder that it names.
    """
    for terminal in terminals(process.terminal, process.variables):
        breadcrumb = read_breadcrumb(os.path.join(folder, terminal))
        if breadcrumb and snapshot.real(breadcrumb[0]) == process.cwd:
            snapshot.claim(breadcrumb[1], process.pid, f"process {process.pid} ({process.name}) is in it")
