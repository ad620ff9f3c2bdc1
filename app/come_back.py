"""A small process without the screen, which runs the agent of a session and then becomes leafmark again.

It is a program of its own that imports nothing of leafmark: the screen's memory would stay in use for as
long as the agent runs. The agent is in the same process group, so that the shell stops, continues and ends
both. Its arguments are a JSON object and the command of the agent:

program    the path of that command
cwd        the folder of the session
unset      the variables that the agent must not have, and `variables` those that it has besides
path       the file of the session; "" for a new one
back       the command of leafmark
ended      the variable that tells leafmark how the agent ended, if it failed
"""

from __future__ import annotations

import json
import os
import signal
import sys
import termios
from typing import Any

_NOT_STARTED = 127
"""The exit code of a child that could not become the agent, as in a shell."""


class Agent:
    """The process of the agent.

    ended   the first signal that asked to end; 0 before it
    """

    def __init__(self) -> None:
        self.ended = 0
        self._pid = 0

    def run(self, how: dict[str, Any], argv: list[str]) -> int:
        """Run the agent until its end.

        :return: its exit code; the number of the signal that ended it, negative.
        """
        for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
            # The terminal sends them to the agent as well. A handler, unlike SIG_IGN, is not inherited.
            self._handle(number, _leave_to_agent)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._handle(number, self._pass_on)
        pid = os.fork()
        if not pid:
            _become(how, argv)
        self._pid = pid
        if self.ended:
            os.kill(pid, self.ended)
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                return os.waitstatus_to_exitcode(status)
            # The shell waits for this process, and takes the terminal when it stops.
            self._stop(os.WSTOPSIG(status))
            os.kill(pid, signal.SIGCONT)

    def _stop(self, number: int) -> None:
        """Stop by a signal until the shell continues this process."""
        handler = signal.getsignal(number)
        if handler is _leave_to_agent:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        if handler is _leave_to_agent:
            signal.signal(number, handler)

    def _handle(self, number: int, handler: Any) -> None:
        # One that is ignored stays so, as under nohup.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)

    def _pass_on(self, number: int, frame: object) -> None:
        self.ended = self.ended or number
        if self._pid:
            os.kill(self._pid, number)


def _leave_to_agent(number: int, frame: object) -> None:
    """Handle a signal that the agent gets as well: this process follows the agent."""


def _become(how: dict[str, Any], argv: list[str]) -> None:
    """Become the agent, in the child."""
    try:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        env = {name: value for name, value in os.environ.items() if name not in how["unset"]}
        os.chdir(how["cwd"])
        os.execve(how["program"], argv, {**env, **how["variables"]})
    except OSError as error:
        sys.stderr.write(f"leafmark: {how['program']}: {error.strerror}\n")
        sys.stderr.flush()
    finally:
        os._exit(_NOT_STARTED)


def main() -> None:
    """Run the agent, and become leafmark; end as the agent did if the terminal has gone."""
    how, argv = json.loads(sys.argv[1]), sys.argv[2:]
    try:
        terminal = termios.tcgetattr(0)
    except termios.error:
        terminal = None
    agent = Agent()
    code = agent.run(how, argv)
    if agent.ended:
        signal.signal(agent.ended, signal.SIG_DFL)
        os.kill(os.getpid(), agent.ended)
    try:
        # An agent that died has left the terminal as it needed it.
        termios.tcsetattr(0, termios.TCSADRAIN, terminal or termios.tcgetattr(0))
    except termios.error:
        sys.exit(code if code >= 0 else 128 - code)
    if code:
        name = os.path.basename(argv[0])
        reason = f"ended with exit code {code}" if code > 0 else f"was ended by {signal.Signals(-code).name}"
        os.environ[how["ended"]] = f"{name} {reason}"
    back = how["back"]
    os.execv(back[0], [*back, how["path"]] if os.path.exists(how["path"]) else back)


if __name__ == "__main__":
    main()
