"""The running agents, from /proc or from `ps` and `lsof` (formats/README.md, "Detecting a running agent").

Processes of other users cannot be read; they are passed over, as their sessions are theirs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

# Variables that a running command inherits from the agent that started it.
SESSION_FILE = "PI_SESSION_FILE"
SESSION_ID = "PI_SESSION_ID"
# Of an agent's own environment only what names its terminal is kept.
KEPT = (
    "TMUX_PANE",
    "ZELLIJ_PANE_ID",
    "KITTY_WINDOW_ID",
    "WEZTERM_PANE",
    "TERM_SESSION_ID",
    "WT_SESSION",
)
DELETED = " (deleted)"
_LINE_BYTES = 256


class Process:
    """A running agent. `files` are the paths it holds open, `terminal` the path of its standard input,
    `sessions` the (file, id) pairs in the environment of its children; "" and () where they cannot be
    seen.
    """

    __slots__ = ("cwd", "files", "name", "pid", "sessions", "terminal", "variables")

    def __init__(self, pid: int, name: str) -> None:
        self.pid = pid
        self.name = name
        self.cwd = ""
        self.terminal = ""
        self.files: tuple[str, ...] = ()
        self.sessions: tuple[tuple[str, str], ...] = ()
        self.variables: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"Process({self.pid}, {self.name!r}, {self.cwd!r})"


def from_proc(proc: str, names: Collection[str]) -> tuple[list[Process], str]:
    """The processes whose name is in `names`, and why the list may not be complete ("" if it is)."""
    try:
        entries = os.listdir(proc)
    except OSError as error:
        return [], f"{proc}: {error.strerror}"
    found = []
    # Of hundreds, every other second: the name alone, by one read, and compared as it comes.
    lines = {os.fsencode(name) + b"\n": name for name in names}
    for entry in entries:
        if not entry.isdigit():
            continue
        folder = f"{proc}/{entry}"
        name = lines.get(_read(f"{folder}/comm", line=True))
        if name is not None:
            found.append(_process(proc, folder, int(entry), name))
    return found, ""


def _process(proc: str, folder: str, pid: int, name: str) -> Process:
    """All that can be seen of one agent."""
    process = Process(pid, name)
    process.cwd = _link(f"{folder}/cwd")
    process.terminal = _link(f"{folder}/fd/0")
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
    process.variables = {key: own[key] for key in KEPT if own.get(key)}
    sessions = []
    for child in _children(folder):
        given = variables(_read(f"{proc}/{child}/environ"))
        pair = (given.get(SESSION_FILE, ""), given.get(SESSION_ID, ""))
        # What it inherited itself (an agent started by an agent) says nothing about its own session.
        if pair != ("", "") and pair != (own.get(SESSION_FILE, ""), own.get(SESSION_ID, "")):
            sessions.append(pair)
    process.sessions = tuple(sessions)
    return process


def _children(folder: str) -> list[str]:
    """The ids of the direct children, of all threads; none where the kernel does not say."""
    try:
        threads = os.listdir(f"{folder}/task")
    except OSError:
        return []
    found: list[str] = []
    for thread in threads:
        found += _read(f"{folder}/task/{thread}/children").decode("ascii", "replace").split()
    return found


def variables(block: bytes) -> dict[str, str]:
    """The variables of a NUL-separated environment."""
    pairs = (item.partition(b"=") for item in block.split(b"\0") if b"=" in item)
    return {os.fsdecode(name): os.fsdecode(value) for name, _, value in pairs}


def _read(path: str, line: bool = False) -> bytes:
    """The whole of a small file, nothing when it cannot be read or its process has gone.

    :param line: it is one short line of the kernel's, which the first read has whole.
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
    """Another process that has a file open, and its name; None where none is seen.

    :param path: the real path of the file.
    :param status: of the file: what has its device and inode is the file.
    :param was: the path under which processes opened it, if that is another.
    :param proc: the folder of the process file system; without one, `lsof` is asked through `run`.
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
            continue  # another user's, or it has ended
        for descriptor in descriptors:
            link = f"{folder}/fd/{descriptor}"
            opened = _link(link)
            # Only likely files are looked at closer: to do that on a network that is gone takes for ever.
            named_so = os.path.basename(opened.removesuffix(DELETED)) in names
            if not opened.startswith("/") or not (named_so or status.st_nlink > 1):
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


def from_ps(
    names: Collection[str], run: Callable[[list[str]], str] | None = None
) -> tuple[list[Process], str]:
    """The same from `ps` and `lsof`, for systems without /proc. Environments of children are not seen
    there.
    """
    run = run or _run
    try:
        listing = run(["ps", "-axo", "pid=,comm="])
    except (OSError, ValueError) as error:
        return [], f"running processes are not known: {error}"
    found = parse_ps(listing, names)
    if not found:
        return [], ""
    ids = ",".join(str(process.pid) for process in found)
    try:
        # -n and -P: no look-ups of hosts and ports; -w: no warnings; f and n: descriptor and name.
        parse_lsof(run(["lsof", "-w", "-n", "-P", "-p", ids, "-Fpfn"]), found)
    except (OSError, ValueError) as error:
        return found, f"files held open are not known: {error}"
    return found, ""


def parse_ps(listing: str, names: Collection[str]) -> list[Process]:
    """The agents in lines of "PID COMMAND"; COMMAND may be a path and may have blanks in it."""
    found = []
    for line in listing.splitlines():
        pid, _, command = line.strip().partition(" ")
        name = os.path.basename(command.strip())
        if pid.isdigit() and name in names:
            found.append(Process(int(pid), name))
    return found


def parse_lsof(listing: str, processes: Iterable[Process]) -> None:
    """Put cwd, terminal and open files of `lsof -F pfn` into the processes."""
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
    """A command's output; lsof ends with 1 when one of several processes has gone, which is no failure."""
    import subprocess

    try:
        done = subprocess.run(command, capture_output=True, timeout=3, check=False)
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{command[0]} took too long") from error
    return os.fsdecode(done.stdout)
