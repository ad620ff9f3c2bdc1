"""Run a leafmark command in a forked child and disturb one of its mutating calls.

`run` counts every call that changes a file below a root folder: `os.open` with a flag that creates or
truncates, `os.write`, `os.pwrite`, `os.fsync`, `os.ftruncate`, `os.truncate`, `os.link`, `os.symlink`,
`os.replace`, `os.rename`, `os.unlink`, `os.remove`, `os.mkdir`, `os.rmdir`, `os.utime`, `os.chmod` and
`os.fchmod`, and `rename_at_once`. Writes through file objects and SQLite are not seen. At the n-th
counted call a fault happens:

    fault          what happens at the call
    KILL_BEFORE    the process ends by SIGKILL, the call is not made
    KILL_AFTER     the call is made, then the process ends by SIGKILL
    ENOSPC, EIO    the call is not made and raises that error
    SHORT          a write writes half of its bytes; another call is made as it is
    a function     it is called first, as if another process ran between two calls; then the call is made

A function gets nothing and runs in the child. For a file that another process holds open, let it tell an
`OtherProcess`, which is one. To add a fault, add a name here and a branch in `_Interceptor.disturbed`.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from app import small_files
from app.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

KILL_BEFORE, KILL_AFTER, ENOSPC, EIO, SHORT = "kill before", "kill after", "ENOSPC", "EIO", "short write"
FAULTS = (KILL_BEFORE, KILL_AFTER, ENOSPC, EIO, SHORT)
KILLS = (KILL_BEFORE, KILL_AFTER)

Fault = str | Callable[[], object]

for _module in (
    "changes",
    "index.resolve",
    "reports.doctor",
    "sessions.manager.session_manager",
    "setup",
    "cli_options",
    "command_table",
):
    # Before the fork: a child would import them again each time.
    importlib.import_module(f"app.{_module}")


_BY_PATH = (
    "link",
    "symlink",
    "replace",
    "rename",
    "unlink",
    "remove",
    "mkdir",
    "rmdir",
    "utime",
    "chmod",
    "truncate",
)
_BY_DESCRIPTOR = ("write", "pwrite", "fsync", "ftruncate", "fchmod")
_MAKES = os.O_CREAT | os.O_TRUNC
_LONGEST_RUN = 60
"""Seconds after which a command counts as hung."""


class Outcome(NamedTuple):
    """How a command ended.

    :param code: its exit code; None where it was killed.
    :param calls: the mutating calls that it made or tried, as "name path", with paths below the root.
    :param out: its standard output; ``err`` its standard error.
    """

    code: int | None
    calls: list[str]
    out: str
    err: str


def run(
    root: Path,
    words: list[str] | Callable[[], int],
    env: Mapping[str, str],
    at: int = -1,
    fault: Fault = "",
) -> Outcome:
    """Run a leafmark command, and let `fault` happen at its call number `at` (from 0; -1 for none).

    :param root: the folder below which calls are counted; it becomes the working folder.
    :param words: the command line after the program's name, or a function that returns an exit code.
    :param env: the whole environment.
    """
    log = root / "calls.log"
    log.write_bytes(b"")
    streams = [root / "out.log", root / "err.log"]
    child = os.fork()
    if child == 0:
        _run_here(root, words, env, at, fault, [str(stream) for stream in streams], str(log))
    status = _wait(child)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    if code is None and os.WTERMSIG(status) != signal.SIGKILL:
        raise AssertionError(f"the command ended by signal {os.WTERMSIG(status)}")
    calls = log.read_text(errors="replace").splitlines()
    out, err = (stream.read_text(errors="replace") for stream in streams)
    return Outcome(code, calls, out, err)


class OtherProcess:
    """Another process that opens a file and appends to it when it is told to. Use it as a context manager."""

    def __enter__(self) -> OtherProcess:
        theirs, self.asks = os.pipe()
        self.hears, answers = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self.asks)
            os.close(self.hears)
            _serve(theirs, answers)
        os.close(theirs)
        os.close(answers)
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self.asks)
        os.close(self.hears)
        os.waitpid(self._pid, 0)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._pid

    def open(self, path: str | Path) -> None:
        """Open the file for appending, as an agent does that holds a descriptor."""
        self.ask("open", str(path))

    def append(self, line: bytes) -> None:
        """Append through the descriptor that was opened before."""
        self.ask("append", line.decode())

    def close(self) -> None:
        """Close that descriptor, if there is one."""
        self.ask("close", "")

    def ask(self, what: str, value: str) -> None:
        os.write(self.asks, json.dumps([what, value]).encode() + b"\n")
        answer = os.read(self.hears, 1)
        assert answer == b".", f"the other process could not {what} {value}"


def append_by_path(path: str | Path, line: bytes) -> None:
    """Append a line as pi does: open the path, write, close."""
    descriptor = _open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    _write(descriptor, line)
    os.close(descriptor)


# inside

_open, _write = os.open, os.write


def _wait(child: int) -> int:
    until = time.monotonic() + _LONGEST_RUN
    pause = 0.0005
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError("the command hangs")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.005)


def _serve(asks: int, answers: int) -> None:
    descriptor = -1
    with os.fdopen(asks, "rb") as lines:
        for line in lines:
            what, value = json.loads(line)
            if what == "open":
                descriptor = _open(value, os.O_WRONLY | os.O_APPEND)
            elif what == "append":
                _write(descriptor, value.encode())
            elif descriptor >= 0:
                os.close(descriptor)
                descriptor = -1
            _write(answers, b".")
    os._exit(0)


def _run_here(
    root: Path,
    words: list[str] | Callable[[], int],
    env: Mapping[str, str],
    at: int,
    fault: Fault,
    streams: list[str],
    log: str,
) -> None:
    """Be the child: never return."""
    code = 70
    try:
        for number, path in enumerate(streams, 1):
            opened = _open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(opened, number)
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        os.environ.clear()
        os.environ.update(env)
        os.chdir(root)
        calls = _open(log, os.O_WRONLY | os.O_APPEND)
        with _Interceptor(str(root), at, fault, calls).installed():
            try:
                code = words() if callable(words) else main(words)
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


class _Interceptor:
    def __init__(self, root: str, at: int, fault: Fault, log: int) -> None:
        self.root = root.rstrip("/") + "/"
        self.at = at
        self.fault = fault
        self.log = log
        self.count = -1
        self.busy = False

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        real = {name: getattr(os, name) for name in (*_BY_PATH, *_BY_DESCRIPTOR, "open")}
        for name in real:
            setattr(os, name, self._wrapped(name, real[name]))
        rename = small_files.rename_at_once
        small_files.rename_at_once = self._wrapped("rename", rename)
        try:
            yield
        finally:
            small_files.rename_at_once = rename
            for name, function in real.items():
                setattr(os, name, function)

    def _wrapped(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any, **named: Any) -> Any:
            if self.busy or (name == "open" and not args[1] & _MAKES):
                return real(*args, **named)
            path = self.path(args[0])
            if not path.startswith(self.root) or path.endswith(("/out.log", "/err.log", "/calls.log")):
                return real(*args, **named)
            self.count += 1
            _write(self.log, f"{name} {path[len(self.root) :]}\n".encode())
            if self.count != self.at:
                return real(*args, **named)
            return self.disturbed(name, real, args, named)

        return wrapped

    def path(self, target: Any) -> str:
        try:
            return os.readlink(f"/proc/self/fd/{target}") if isinstance(target, int) else os.fsdecode(target)
        except OSError:
            return ""

    def disturbed(self, name: str, real: Callable[..., Any], args: Any, named: Any) -> Any:
        fault = self.fault
        if callable(fault):
            self.busy = True
            try:
                fault()
            finally:
                self.busy = False
        elif fault in (ENOSPC, EIO):
            number = getattr(errno, str(fault))
            raise OSError(number, os.strerror(number))
        elif fault == SHORT and name in ("write", "pwrite"):
            args = (args[0], args[1][: len(args[1]) // 2], *args[2:])
        elif fault == KILL_BEFORE:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*args, **named)
        if fault == KILL_AFTER:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
