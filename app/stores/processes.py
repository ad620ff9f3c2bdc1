"""The running agents, from /proc or from `ps` and `lsof` (formats/README.md, "Detecting a running agent").

Processes of other users cannot be read and are skipped; their sessions are their own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores.omp import TERMINALS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

# Variables that an agent sets for the commands that it runs.
SESSION_FILE = "PI_SESSION_FILE"
SESSION_ID = "PI_SESSION_ID"
DELETED = " (deleted)"
_LINE_BYTES = 256
_START = 19
"""The place of the time of the start, among the fields of `stat` behind the name."""


class Process:
    """A running agent. Fields that cannot be read are empty.

    terminal    the path of its standard input
    files       the paths that it has open
    sessions    (file, id) pairs from the environment of its child processes
    variables   the variables of its environment that name its terminal
    words       its command line
    started     when it was started, as `/proc/PID/stat` has it, in ticks of the kernel's clock
    """

    __slots__ = ("cwd", "files", "name", "pid", "sessions", "started", "terminal", "variables", "words")

    def __init__(self, pid: int, name: str) -> None:
        self.pid = pid
        self.name = name
        self.cwd = ""
        self.terminal = ""
        self.files: tuple[str, ...] = ()
        self.sessions: tuple[tuple[str, str], ...] = ()
        self.variables: dict[str, str] = {}
        self.words: tuple[str, ...] = ()
        self.started = ""

    def __repr__(self) -> str:
        return f"Process({self.pid}, {self.name!r}, {self.cwd!r})"


def from_proc(proc: str, names: Collection[str]) -> list[Process]:
    """The processes with a name in `names`; none if `proc` cannot be read."""
    try:
        entries = os.listdir(proc)
    except OSError:
        return []
    found = []
    # Hundreds of processes are checked every other second, so names are compared as bytes from a single read.
    lines = {os.fsencode(name) + b"\n": name for name in names}
    for entry in entries:
        if not entry.isdigit():
            continue
        folder = f"{proc}/{entry}"
        name = lines.get(_read(f"{folder}/comm", line=True))
        if name is not None:
            found.append(_process(proc, folder, int(entry), name))
    return found


def _process(proc: str, folder: str, pid: int, name: str) -> Process:
    """An agent with all fields that can be read."""
    process = Process(pid, name)
    process.cwd = _link(f"{folder}/cwd")
    process.terminal = _link(f"{folder}/fd/0")
    process.words = tuple(map(os.fsdecode, _read(f"{folder}/cmdline").rstrip(b"\0").split(b"\0")))
    # The name of the program, in brackets, may have spaces and brackets.
    facts = _read(f"{folder}/stat").rpartition(b")")[2].split()
    process.started = facts[_START].decode("ascii", "replace") if len(facts) > _START else ""
    try:
        descriptors = os.listdir(f"{folder}/fd")
    except OSError:
        descriptors = []
    files = {_link(f"{folder}/fd/{descriptor}") for descriptor in descriptors}
    process.files = tuple(
        sorted(
            path
            for path in files
            if path.startswith("/") and not path.startswith("/dev/") and not path.endswith(DELETED)
        )
    )
    own = variables(_read(f"{folder}/environ"))
    process.variables = {key: own[key] for _, key in TERMINALS if own.get(key)}
    sessions = []
    for child in _children(folder):
        child_variables = variables(_read(f"{proc}/{child}/environ"))
        pair = (child_variables.get(SESSION_FILE, ""), child_variables.get(SESSION_ID, ""))
        # Variables that the agent inherited (from another agent that started it) do not name its own session.
        if pair != ("", "") and pair != (own.get(SESSION_FILE, ""), own.get(SESSION_ID, "")):
            sessions.append(pair)
    process.sessions = tuple(sessions)
    return process


def _children(folder: str) -> list[str]:
    """The ids of the child processes of all threads; none if the kernel does not tell."""
    try:
        threads = os.listdir(f"{folder}/task")
    except OSError:
        return []
    children: list[str] = []
    for thread in threads:
        children += _read(f"{folder}/task/{thread}/children").decode("ascii", "replace").split()
    return children


def variables(block: bytes) -> dict[str, str]:
    """The variables of a NUL-separated environment."""
    pairs = (item.partition(b"=") for item in block.split(b"\0") if b"=" in item)
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}


def _read(path: str, line: bool = False) -> bytes:
    """The content of a small file; empty if it cannot be read or its process has ended.

    :param line: the file is one short line, which a single read returns whole.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        if line:
            return os.read(descriptor, _LINE_BYTES)
        parts = []
        while part := os.read(descriptor, 65_536):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def holder(
    path: str,
    status: os.stat_result,
    was: str = "",
    proc: str = "/proc",
    run: Callable[[list[str]], str] | None = None,
) -> tuple[int, str] | None:
    """(pid, name) of another process that has a file open; None if none is found.

    :param path: the real path of the file.
    :param status: of the file; its device and inode identify it.
    :param was: the path under which processes opened it, if it has been moved.
    :param proc: the folder of the process file system. If it is missing, `lsof` is run.
    :param run: runs a command and returns its output.
    """
    if not os.path.isdir(os.path.join(proc, "self")):
        return _holder_by_lsof(path, run or _run)
    names = {os.path.basename(path), os.path.basename(was)}
    for entry in os.listdir(proc):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        folder = f"{proc}/{entry}"
        try:
            descriptors = os.listdir(f"{folder}/fd")
        except OSError:
            continue  # it belongs to another user, or has ended
        for descriptor in descriptors:
            link = f"{folder}/fd/{descriptor}"
            opened = _link(link)
            # Other files are not looked at, because `stat` hangs on a network file system that is gone.
            same_name = os.path.basename(opened.removesuffix(DELETED)) in names
            if not opened.startswith("/") or not (same_name or status.st_nlink > 1):
                continue
            try:
                if os.path.samestat(os.stat(link), status):
                    return int(entry), os.fsdecode(_read(f"{folder}/comm", line=True).rstrip(b"\n"))
            except OSError:
                continue
    return None


def _holder_by_lsof(path: str, run: Callable[[list[str]], str]) -> tuple[int, str] | None:
    try:
        listing = run(["lsof", "-w", "-n", "-P", "-Fpc", "--", path])
    except (OSError, ValueError):
        return None
    pid = 0
    for line in listing.splitlines():
        if line.startswith("p") and line[1:].isdigit():
            pid = int(line[1:])
        elif line.startswith("c") and pid and pid != os.getpid():
            return pid, line[1:]
    return None


def from_ps(names: Collection[str], run: Callable[[list[str]], str] | None) -> list[Process]:
    """The same as `from_proc` by `ps` and `lsof`, for systems without /proc. Environments are unknown there,
    and open files too without `lsof`.
    """
    run = run or _run
    try:
        listing = run(["ps", "-axo", "pid=,comm="])
    except (OSError, ValueError):
        return []
    found = parse_ps(listing, names)
    if not found:
        return []
    ids = ",".join(str(process.pid) for process in found)
    try:
        # -n and -P: no host and port names; -w: no warnings; -F: output the fields process, descriptor and
        # name.
        parse_lsof(run(["lsof", "-w", "-n", "-P", "-p", ids, "-Fpfn"]), found)
    except (OSError, ValueError):
        pass
    return found


def parse_ps(listing: str, names: Collection[str]) -> list[Process]:
    """The agents in lines of "PID COMMAND", where COMMAND may be a path and may contain spaces."""
    found = []
    for line in listing.splitlines():
        pid, _, command = line.strip().partition(" ")
        name = os.path.basename(command.strip())
        if pid.isdigit() and name in names:
            found.append(Process(int(pid), name))
    return found


def parse_lsof(listing: str, processes: Iterable[Process]) -> None:
    """Add working folder, terminal and open files from the output of `lsof -F pfn` to the processes."""
    by_pid = {process.pid: process for process in processes}
    process: Process | None = None
    descriptor = ""
    for line in listing.splitlines():
        kind, value = line[:1], line[1:]
        if kind == "p":
            process = by_pid.get(int(value)) if value.isdigit() else None
        elif kind == "f":
            descriptor = value
        elif kind == "n" and process is not None:
            if descriptor == "cwd":
                process.cwd = value
            elif descriptor == "0":
                process.terminal = value
            elif descriptor.isdigit() and value.startswith("/") and not value.startswith("/dev/"):
                process.files += (value,)


def _run(command: list[str]) -> str:
    """The output of a command. Its status is ignored, because `lsof` fails if one of several processes has
    ended.
    """
    import subprocess  # imported here because Linux does not need it

    try:
        process = subprocess.run(command, capture_output=True, timeout=3, check=False)
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{command[0]} took too long") from error
    return os.fsdecode(process.stdout)
