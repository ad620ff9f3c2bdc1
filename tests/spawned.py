"""A program in a terminal of its own, started without a copy of the process that starts it.

`subprocess` forks when a terminal has to become the child's own. The copy of a process that has read the
truth of a whole corpus takes longer than a small program does, and would be measured with it.
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

    pid         its process
    returncode  its exit status (negative: the signal that ended it), None as long as it is not known to have
                ended
    """

    def __init__(
        self, command: Sequence[str], terminal: str, env: Mapping[str, str], cwd: str | None
    ) -> None:
        """Start `command`, found on the PATH of `env`, its whole environment, in the folder `cwd`.

        :param terminal: the path of a terminal that no session has.
        Raises FileNotFoundError where there is no such program.
        """
        found = shutil.which(command[0], path=env.get("PATH", os.defpath))
        if found is None:
            raise FileNotFoundError(command[0])
        # The leader of a session that opens a terminal has it as its own.
        opened = (os.POSIX_SPAWN_OPEN, 0, terminal, os.O_RDWR, 0)
        copied = [(os.POSIX_SPAWN_DUP2, 0, descriptor) for descriptor in (1, 2)]
        # A program can only be spawned in the folder that its parent is in.
        with _WORKING_FOLDER, chdir(cwd or "."):
            self.pid = os.posix_spawn(
                found,
                list(command),
                dict(env),
                file_actions=[opened, *copied],
                setsid=True,
                # Python leaves some ignored, and a shell those of the keyboard for what it has in the
                # background, which a program would inherit.
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP],
            )
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """The exit status; TimeoutError where it still runs after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        pause = 0.0005
        while (status := self.poll()) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"process {self.pid} still runs after {timeout} s")
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it is known to have ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once, and wait for that."""
        self.send_signal(signal.SIGKILL)
        if self.returncode is None:
            _, status = os.waitpid(self.pid, 0)
            self.returncode = os.waitstatus_to_exitcode(status)
