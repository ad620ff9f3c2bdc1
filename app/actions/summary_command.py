"""A summary written by a command of the user's choice, which reads the abandoned branch.

It is started without a shell and in a process group of its own, so that its subprocesses end with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from threading import Event, Thread
from typing import IO

from app.formats.text import one_line

LIMIT = 1 << 20
"""Bytes. A longer output is not accepted."""
GRACE_S = 1.0
"""Seconds that a command has to end before it is killed."""

_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
_TAIL = 4_096
_POLL_S = 0.05


class SummaryFailed(Exception):
    """The command made no summary; the text is for the user."""


class Cancelled(Exception):
    """The user did not want to wait any longer."""


class _Run:
    """A command that is being run, from before it is started."""

    __slots__ = ("cancel", "is_over", "process")

    def __init__(self, cancel: Event) -> None:
        self.cancel = cancel
        self.is_over = Event()
        self.process: subprocess.Popen[bytes] | None = None


_runs: set[_Run] = set()


def end_all() -> None:
    """End every running command with its subprocesses, and wait until they are gone. A command that does not
    end in time is killed. Call it before the process ends.
    """
    runs = list(_runs)
    for each in runs:
        each.cancel.set()
    for each in runs:
        each.is_over.wait(3 * GRACE_S)


def kill_all() -> None:
    """Kill them all at once. May be called at any moment."""
    for each in list(_runs):
        if each.process is not None:
            _signal(each.process, _KILL)


def run(command: tuple[str, ...], transcript: str, cancel: Event, cwd: str, env: Mapping[str, str]) -> str:
    """Run `command` with `transcript` on its standard input, and return its standard output.

    It may take as long as it likes. Blocks until it is done: call it in a thread.

    :param command: the program and its arguments.
    :param cancel: when it is set, the command and what it started are ended.
    :param cwd: the folder it runs in; ``env`` its whole environment.
    :return: the text, UTF-8, without blanks around it. Control characters are still in it.
    :raises Cancelled: `cancel` was set.
    :raises SummaryFailed: it cannot be started, failed, wrote nothing, or far too much.
    """
    if not command:
        raise SummaryFailed("no command for summaries is configured")
    running = _Run(cancel)
    _runs.add(running)
    try:
        # `end_all` has set it, or finds this run.
        if cancel.is_set():
            raise Cancelled
        running.process = _start(command, cwd, env)
        return _communicate(running, running.process, command[0], transcript)
    finally:
        running.is_over.set()
        _runs.discard(running)


def _start(command: tuple[str, ...], cwd: str, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd or None,
            env=dict(env),
            start_new_session=True,
        )
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else command[0]
        raise SummaryFailed(f"{one_line(where)}: {error.strerror or error}") from None
    except ValueError as error:  # a NUL in an argument
        raise SummaryFailed(f"{one_line(command[0])}: {error}") from None


def _communicate(running: _Run, process: subprocess.Popen[bytes], program: str, transcript: str) -> str:
    """The output of the command once it has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    said = _PipeReader(process.stdout, LIMIT + 1)
    wrong = _PipeReader(process.stderr, _TAIL, last=True)
    told = Thread(target=_write_input, args=(process.stdin, transcript), daemon=True)
    threads = (told, said, wrong)
    for thread in threads:
        thread.start()
    try:
        while said.is_alive() or process.poll() is None:
            if said.is_alive():
                said.join(_POLL_S)
            else:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_S)
            if running.cancel.is_set():
                raise Cancelled
            if len(said.data) > LIMIT:
                raise SummaryFailed(f"{one_line(program)} wrote more than {LIMIT // 1024:,} KiB")
    finally:
        _end(process)
        running.is_over.set()
        for thread in threads:
            thread.join(GRACE_S)
    if process.returncode:
        raise SummaryFailed(_exit_reason(program, process.returncode, bytes(wrong.data)))
    text = bytes(said.data).decode("utf-8", "replace").strip()
    if not text:
        raise SummaryFailed(f"{one_line(program)} wrote nothing{_last_line(bytes(wrong.data), ': ')}")
    return text


class _PipeReader(Thread):
    """Reads a pipe to its end, and keeps the first or the last bytes, up to a limit."""

    def __init__(self, pipe: IO[bytes], limit: int, *, last: bool = False) -> None:
        super().__init__(daemon=True)
        self.data = bytearray()
        self._pipe = pipe
        self._limit = limit
        self._last = last

    def run(self) -> None:
        with self._pipe:
            while piece := os.read(self._pipe.fileno(), 1 << 16):
                if self._last:
                    self.data += piece
                    del self.data[: -self._limit]
                elif len(self.data) < self._limit:
                    self.data += piece[: self._limit - len(self.data)]


def _write_input(pipe: IO[bytes], text: str) -> None:
    # A command that has read enough closes its input.
    with contextlib.suppress(BrokenPipeError, OSError), pipe:
        pipe.write(text.encode("utf-8", "replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and its subprocesses."""
    running = process.poll() is None
    _signal(process, signal.SIGTERM)
    if running:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    _signal(process, _KILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.terminate()
        else:
            # The group has the number of its first process, also when that is gone.
            os.killpg(process.pid, number)


def _exit_reason(program: str, code: int, wrong: bytes) -> str:
    what = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
    return f"{one_line(program)} {what}{_last_line(wrong, ': ')}"


def _last_line(data: bytes, before: str) -> str:
    """The last line of `data` that is not blank, with `before` in front; "" where there is none."""
    lines = [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return before + one_line(lines[-1]) if lines else ""
