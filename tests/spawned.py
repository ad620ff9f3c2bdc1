"""Start a program in a terminal of its own, without a copy of the process that starts it.

`subprocess` forks if a terminal has to become the child's controlling terminal. The copy of a process that
has read the truth of a whole corpus takes longer than a small program, and it would be measured too.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from contextlib import chdir
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WORKING_FOLDER = threading.Lock()


class Spawned:
    """A running program, the leader of a session whose terminal is its standard input, output and error.

    pid         the process id
    returncode  the exit status (negative: the signal that ended it); None while the end is unknown
    """

    def __init__(
        self, command: Sequence[str], terminal: str, env: Mapping[str, str], cwd: str | None
    ) -> None:
        """Start `command`, found on the PATH of `env`, in the folder `cwd`. `env` is the whole environment.

        :param terminal: the path of a terminal that belongs to no session.
        :raises FileNotFoundError: there is no such program.
        """
        program = shutil.which(command[0], path=env.get("PATH", os.defpath))
        if program is None:
            raise FileNotFoundError(command[0])
        # A session leader that opens a terminal gets it as its controlling terminal.
        opened = (os.POSIX_SPAWN_OPEN, 0, terminal, os.O_RDWR, 0)
        copied = [(os.POSIX_SPAWN_DUP2, 0, descriptor) for descriptor in (1, 2)]
        # A spawned program starts in the folder of its parent.
        with _WORKING_FOLDER, chdir(cwd or "."):
            self.pid = os.posix_spawn(
                program,
                list(command),
                dict(env),
                file_actions=[opened, *copied],
                setsid=True,
                # A program inherits the signals that Python ignores, and the keyboard's signals that a shell
                # ignores for background jobs.
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP],
            )
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Return the exit status. Raises TimeoutError if it still runs after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        pause = 0.0005
        while (status := self.poll()) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"process {self.pid} still runs after {timeout} s")
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process is known to have ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process and wait for its end."""
        self.send_signal(signal.SIGKILL)
        if self.returncode is None:
            _, status = os.waitpid(self.pid, 0)
            self.returncode = os.waitstatus_to_exitcode(status)
