"""Runs the user's command that summarises an abandoned branch.

The command is started without a shell and in its own process group, so that its subprocesses end with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import IO

from app.formats.errors import Cancelled
from app.formats.text import one_line

LIMIT = 1 << 20
"""Bytes. A longer output is not accepted."""
GRACE_S = 1.0
"""Seconds that a command has to end before it is killed."""

VARIABLE = "LEAFMARK_INSTRUCTIONS"
"""The environment variable with the user's instructions."""

_TAIL = 4_096
"""Bytes of the command's error output that are kept for its last line."""
_POLL_S = 0.05
"""Seconds between two checks for the end of the command, or for a cancel."""


class SummaryFailed(Exception):
    """The command made no summary; the text is for the user."""


@dataclass(eq=False, slots=True)
class _Run:
    """A run of a command; it begins before the process is started."""

    cancel: Event
    is_over: Event = field(default_factory=Event)
    process: subprocess.Popen[bytes] | None = None


_runs: set[_Run] = set()


def end_all() -> None:
    """End every running command with its subprocesses, and wait until they are gone. A command that does not
    end in time is killed. Call it before the process ends.
    """
    runs = list(_runs)
    for running in runs:
        running.cancel.set()
    for running in runs:
        running.is_over.wait(3 * GRACE_S)


def kill_all() -> None:
    """Kill every running command without waiting. May be called at any moment."""
    for running in list(_runs):
        if running.process is not None:
            _signal(running.process, signal.SIGKILL)


def run(
    command: tuple[str, ...],
    transcript: str,
    cancel: Event,
    cwd: str,
    env: Mapping[str, str],
    instructions: str = "",
) -> str:
    """Run `command` with `transcript` on its standard input, and return its standard output.

    There is no time limit. The function blocks until the command ends: call it in a thread.

    :param command: the program and its arguments.
    :param instructions: what the user asks of this summary, "" for nothing. They stand before the transcript
        in the input, and in the variable `LEAFMARK_INSTRUCTIONS`.
    :param cancel: when it is set, the command and its subprocesses are ended.
    :param cwd: the folder it runs in; ``env`` its whole environment.
    :return: the text, decoded as UTF-8, without blanks around it; raw.
    :raises Cancelled: `cancel` was set.
    :raises SummaryFailed: it cannot be started, failed, wrote nothing, or more than `LIMIT`.
    """
    if not command:
        raise SummaryFailed("no command for summaries is configured")
    running = _Run(cancel)
    _runs.add(running)
    try:
        # `end_all` has set it, or finds this run.
        if cancel.is_set():
            raise Cancelled
        # A NUL ends a variable.
        running.process = _start(command, cwd, {**env, VARIABLE: instructions.replace("\0", "")})
        asked = f"Instructions for the summary: {instructions}\n\n" if instructions else ""
        return _communicate(running, running.process, command[0], asked + transcript)
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
    """Write the input of the command, wait until it ends, and return its output."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    output = _PipeReader(process.stdout, LIMIT + 1)
    errors = _PipeReader(process.stderr, _TAIL, last=True)
    writer = Thread(target=_write_input, args=(process.stdin, transcript), daemon=True)
    threads = (writer, output, errors)
    for thread in threads:
        thread.start()
    try:
        while output.is_alive() or process.poll() is None:
            if output.is_alive():
                output.join(_POLL_S)
            else:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_S)
            if running.cancel.is_set():
                raise Cancelled
            if len(output.data) > LIMIT:
                raise SummaryFailed(f"{one_line(program)} wrote more than {LIMIT // 1024:,} KiB")
    finally:
        _end(process)
        running.is_over.set()
        for thread in threads:
            thread.join(GRACE_S)
    if process.returncode:
        code = process.returncode
        ended = f"was ended by signal {-code}" if code < 0 else f"failed with exit code {code}"
        raise SummaryFailed(f"{one_line(program)} {ended}{_last_line(bytes(errors.data))}")
    text = bytes(output.data).decode("utf-8", "replace").strip()
    if not text:
        raise SummaryFailed(f"{one_line(program)} wrote nothing{_last_line(bytes(errors.data))}")
    return text


class _PipeReader(Thread):
    """Reads a pipe to its end, and keeps the first bytes up to a limit.

    :param last: keep the last bytes instead.
    """

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
    # A command may close its input before it has read all of it.
    with contextlib.suppress(BrokenPipeError, OSError), pipe:
        pipe.write(text.encode("utf-8", "replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and its subprocesses."""
    running = process.poll() is None
    _signal(process, signal.SIGTERM)
    if running:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        # The group's number is the first process's, and stays so after that has ended.
        os.killpg(process.pid, number)


def _last_line(data: bytes) -> str:
    """The last line of `data` that is not blank, after a colon; "" if there is none."""
    lines = [line for line in data.decode("utf-8", "replace").splitlines() if line.strip()]
    return f": {one_line(lines[-1])}" if lines else ""
