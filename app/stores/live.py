"""Whether a running agent has a session open (formats/README.md, "Detecting a running agent").

`look` makes a snapshot of the running agents in one pass over /proc. `verdict` then judges each session by
the snapshot and the session's own row, without access to files except for the real path of its folder.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from app.stores import AGENTS, agent_named
from app.stores.omp import read_breadcrumb, terminals
from app.stores.processes import Process, from_proc, from_ps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.stores.base import Store

LIVE = "live"
MAYBE = "maybe"
IDLE = "idle"

SERVED_MS = 60_000
"""A file that a server has open and that changed within this time may have a screen."""

GROWING_MS = 5_000
"""A file that grew within this time has a writer, even if no process is found."""

RECENT_MS = 15 * 60_000
"""A file is recently modified for this time: longer than a slow turn, shorter than a break."""


class Verdict(NamedTuple):
    """A verdict: `state` is "live", "maybe" or "idle"; `reason` is a phrase for the screen; `pid` may be
    unknown. `terminal` is the name of the terminal of the process, such as "pts/3"; "" if it is not known.
    `is_shared`: another screen of the agent may open the session as well. `activity`: see `ProcessNote`.
    """

    state: str
    reason: str
    pid: int | None = None
    terminal: str = ""
    is_shared: bool = False
    activity: str = ""


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
    activities    id of a session -> what the agent does there, as it notes (`ProcessNote.activity`)
    jobs          id of a session in the background -> the id under which a screen joins it
    claimed       the pids of processes whose session is known, or that have none
    helpers       the pids of processes that work for others (`Agent.is_helper`)
    locked        name of an agent -> the sessions that it writes at present (`Agent.locked_sessions`); agents
                  that do not note that are left out
    """

    __slots__ = (
        *("_real", "activities", "claimed", "claims", "helpers", "jobs", "locked", "noted", "processes"),
        "session_ids",
    )

    def __init__(self, processes: Iterable[Process] = ()) -> None:
        self.processes = tuple(processes)
        self.claims: dict[str, list[tuple[str, int, str]]] = {}
        self.session_ids: dict[str, int] = {}
        self.noted: dict[str, int] = {}
        self.activities: dict[str, str] = {}
        self.jobs: dict[str, str] = {}
        self.claimed: set[int] = set()
        self.helpers: set[int] = set()
        self.locked: dict[str, frozenset[str]] = {}
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
    for store in stores if snapshot.processes else ():
        locked = store.agent.locked_sessions(store)
        if locked is not None:
            name = store.agent.name
            snapshot.locked[name] = snapshot.locked.get(name, frozenset()) | locked
    for process in snapshot.processes:
        _claim_open_files(snapshot, process, suffixes)
        for store in stores:
            if process.name in store.agent.process_names:
                if store.agent.is_helper(store, process.pid, process.words):
                    snapshot.helpers.add(process.pid)
                _note(snapshot, process, store)
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
    activity = processes.activities.get(session_id, "")
    locked = processes.locked.get(agent)
    is_locked = bool(locked) and agent_named(agent).session_id(os.path.basename(path)) in (locked or ())
    is_job = session_id in processes.jobs
    is_helped = is_locked or abs(now_ms - mtime_ms) <= SERVED_MS
    if claims:
        real = processes.real(path)
        for claimed, pid, reason in claims:
            # A server keeps files open that no screen has open any more.
            if claimed == real and (is_helped or pid not in processes.helpers):
                is_shared = pid in processes.helpers or is_job
                return Verdict(LIVE, reason, pid, processes.terminal_of(pid), is_shared, activity)
    if is_locked and (writer := _first_of(agent, processes)) is not None:
        is_shared = bool(processes.helpers)
        return Verdict(LIVE, f"{writer.name} has its writer's lock", None, "", is_shared)
    pid_of_child = processes.session_ids.get(session_id) if session_id else None
    if pid_of_child is not None:
        terminal = processes.terminal_of(pid_of_child)
        reason = f"a command of process {pid_of_child} runs in it"
        return Verdict(LIVE, reason, pid_of_child, terminal, False, activity)
    noting = processes.noted.get(session_id) if session_id else None
    if noting is not None:
        terminal = processes.terminal_of(noting)
        reason = f"process {noting} notes that it has it open"
        return Verdict(LIVE, reason, noting, terminal, is_job, activity)
    if grew_ms is not None and abs(now_ms - grew_ms) <= GROWING_MS:
        return Verdict(LIVE, "the file has just grown")
    if processes.processes and cwd and locked is None:
        recent = abs(now_ms - mtime_ms) <= RECENT_MS
        if recent or newest_of_cwd:
            names = _process_names(agent)
            for process in processes.processes:
                # A process whose session is known does not have this one open.
                known = process.pid in processes.claimed or process.pid in processes.helpers
                free = process.name in names and not known
                if free and process.cwd and process.cwd == processes.real(cwd):
                    why = "changed lately" if recent else "the newest session there"
                    return Verdict(MAYBE, f"{process.name} runs in the same folder; {why}", process.pid)
    return Verdict(IDLE, "no process has it open")


def _note(snapshot: Processes, process: Process, store: Store) -> None:
    """Record what the agent of a store notes about a process."""
    note = store.agent.note_of(store, process.pid, process.started)
    if note is None:
        return
    snapshot.claimed.add(process.pid)
    if note.session_id:
        snapshot.noted[note.session_id] = process.pid
        snapshot.activities[note.session_id] = note.activity
        if note.job:
            snapshot.jobs[note.session_id] = note.job


def _first_of(agent: str, processes: Processes) -> Process | None:
    names = _process_names(agent)
    return next((process for process in processes.processes if process.name in names), None)


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
