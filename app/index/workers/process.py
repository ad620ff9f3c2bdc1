"""Worker processes and the pipes to them: one that is started, the others forked from it.

Each worker is a process group of its own in our session. Ctrl+C in the terminal is for us alone; we end the
workers ourselves. And a worker that is stopped when we are killed is woken up to end by the system, which
does so for a group that is left alone, and not for a session.

What a worker imports takes longer than reading the ends of a thousand files, on processors that the screen
needs as well. So it is done once, where there is `fork`: by the first, for all.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

from app.index.workers import worker

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence
    from typing import IO, Any

FORKS = sys.platform == "linux"
"""Elsewhere processes are not forked, or not with what a library of the system may do in them."""

KILLED, ENDED = -9, -15
"""How processes end that others end: by SIGKILL or SIGTERM, which have these numbers on all systems. To load
their names takes longer than to start a process.
"""

_NICE = 5

_PIPE_BYTES = 1 << 20
"""What the rows of hundreds of sessions fit into: a worker need not wait until we have taken them."""


class Process:
    """One worker. Of a forked one nobody knows how it ended: it is not our child."""

    __slots__ = ("_child", "_forked", "_gentle", "pid", "source", "target")

    def __init__(
        self,
        target: IO[bytes],
        source: IO[bytes],
        pid: int,
        child: subprocess.Popen[bytes] | None = None,
        *,
        gentle: bool = False,
        forked: bool = False,
    ) -> None:
        """:param target: its input; `source` its output.
        :param pid: 0 for one that is not there yet.
        """
        self.target = target
        self.source = source
        self.pid = pid
        self._child = child
        self._forked = forked
        self._gentle = gentle

    def greet(self) -> bool:
        """Wait until it is up; whether it is."""
        if self._gentle and not self._forked and hasattr(os, "setpriority"):
            try:
                os.setpriority(os.PRIO_PROCESS, self.pid, os.getpriority(os.PRIO_PROCESS, 0) + _NICE)
            except OSError:
                pass  # where that is forbidden it reads as fast as it can
        try:
            pid = worker.receive(self.source)
        except (OSError, EOFError, ValueError, TypeError):
            return False  # told by its exit: the caller goes on without it
        if type(pid) is not int:
            return False
        if self._forked:
            self.pid = pid
        return True

    def tell(self, folder: str | None, more: Sequence[tuple[int, int]]) -> bool:
        """Tell it where texts are kept; whether it is still there.

        :param more: see `spawn`.
        """
        # A forked one knows what the one knew that it was made of.
        if not self._forked:
            try:
                worker.send(self.target, (folder, more))
            except (OSError, ValueError):
                return False
        return True

    def kill(self) -> None:
        """End it at once, or soon."""
        try:
            if self._child is not None:
                self._child.kill()
            elif self._forked:
                # It ends with its input, unless it is stopped. Its number may be another's by now; as that of
                # a group it is nobody else's while it is there.
                self.target.close()
                self._wake_up()
            else:
                os.kill(self.pid, -KILLED)
        except OSError:
            pass  # it has ended

    def _wake_up(self) -> None:
        if self.pid:
            os.killpg(self.pid, signal.SIGCONT)

    def end(self) -> int:
        """End it for certain; how it ended. It is not to be killed any more."""
        self.kill()
        try:
            self.target.close()
        except OSError:
            pass  # what was still to be written is of no use to a dead process
        status = self._wait()
        self.source.close()
        return status

    def _wait(self) -> int:
        if self._child is not None:
            return self._child.wait()
        if self._forked:
            # Its output ends when it does.
            try:
                while self.source.read(1 << 16):
                    pass
            except OSError:
                pass  # a pipe that cannot be read has nobody at its other end
            return KILLED
        try:
            return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        except ChildProcessError:
            return KILLED  # somebody who waits for every child was faster


def spawn(
    command: list[str], env: Mapping[str, str], count: int, *, gentle: bool
) -> tuple[list[Process], list[tuple[int, int]]]:
    """A worker, and the ones that it forks when it has loaded what they need: up to `count` in all.

    :param gentle: let others go first.
    :return: the processes, the first of which has been started; what it is to be told: the descriptors of the
        others' inputs and outputs in it.
    :raises OSError: it cannot be started.
    """
    if FORKS:
        return _that_forks(command, env, count, gentle)
    return [_opened(command, env, gentle)], []


def _that_forks(
    command: list[str], env: Mapping[str, str], count: int, gentle: bool
) -> tuple[list[Process], list[tuple[int, int]]]:
    ours: list[tuple[int, int]] = []
    theirs: list[int] = []
    try:
        for _ in range(count):
            (their_input, target), (source, their_output) = os.pipe(), os.pipe()
            _widen(source)
            ours.append((target, source))
            theirs += (their_input, their_output)
        # First out of the way: a pipe may have one of the numbers that the others are to get.
        free = max(max(theirs), 2) + 1
        moves: list[Any] = [(os.POSIX_SPAWN_DUP2, one, free + at) for at, one in enumerate(theirs)]
        moves += [
            (os.POSIX_SPAWN_DUP2, free, 0),
            (os.POSIX_SPAWN_DUP2, free + 1, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_CLOSE, free),
            (os.POSIX_SPAWN_CLOSE, free + 1),
        ]
        pid = os.posix_spawn(command[0], command, env, file_actions=moves, setpgroup=0)
    except BaseException:
        for target, source in ours:
            os.close(target)
            os.close(source)
        raise
    finally:
        for one in theirs:
            os.close(one)
    processes = [
        Process(os.fdopen(target, "wb"), os.fdopen(source, "rb"), 0, gentle=gentle, forked=True)
        for target, source in ours
    ]
    processes[0] = Process(processes[0].target, processes[0].source, pid, gentle=gentle)
    return processes, [(free + at, free + at + 1) for at in range(2, 2 * count, 2)]


def _widen(pipe: int) -> None:
    import fcntl

    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    except OSError:
        pass  # the user has used up what pipes may hold; it is slower, and as good


def _opened(command: list[str], env: Mapping[str, str], gentle: bool) -> Process:
    import subprocess

    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,
        env=env,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    return Process(child.stdin, child.stdout, child.pid, child, gentle=gentle)
