"""The real pi and oh-my-pi, each in a long-lived process that runs requests on its SessionManager.

Starting one costs half a second, a request about a millisecond: each worker of the test run therefore keeps
one process of each. It has a home of its own and no variable that could lead it to the user's sessions.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.interop.install import Installed

HERE = Path(__file__).resolve().parent

UNDEFINED = {"$undefined": True}
"""JavaScript's undefined, which JSON cannot spell and the agents distinguish from null."""

_PATIENCE = 120.0
"""Seconds a program may take for one answer before it counts as hung."""


class Refused(Exception):
    """The agent threw; the text is its message."""


class Died(Exception):
    """The agent ended or hung during a request; the next request starts it again."""


class Program:
    """The SessionManager class of a real agent.

    agent    "pi" or "omp"
    package  the folder of its package
    home     the folder that the agent uses as the user's home
    """

    def __init__(self, agent: str, package: str, installed: Installed, home: Path) -> None:
        self.agent = agent
        self.home = home
        if agent == "pi":
            self.command = [installed.node, str(HERE / "pi_driver.mjs"), package]
        else:
            self.command = [installed.bun, str(HERE / "omp_driver.ts"), package]
        self.env = {
            "HOME": str(home),
            "PATH": os.path.dirname(self.command[0]) + os.pathsep + os.defpath,
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "TMPDIR": str(home / "tmp"),
            # bun keeps its compiled form of omp's source here: later starts take half the time.
            "BUN_RUNTIME_TRANSPILER_CACHE_PATH": str(Path(installed.bun).parents[4] / "transpiled"),
        }
        self.process: subprocess.Popen[bytes] | None = None
        self.rest = b""

    def make(self, how: str, *args: Any) -> Session:
        """Make a SessionManager with a static method: create, open, inMemory, continueRecent, forkFrom.

        :raises Refused: the agent refused.
        """
        return Session(self, self.request("make", how=how, args=args))

    def list(self, how: str, *args: Any) -> Any:
        """Return the result of a static method that makes no manager: "list", "listAll"."""
        return self.request("list", how=how, args=args)

    def help(self, name: str, *args: Any) -> Any:
        """Return the result of a function that the driver imports from the agent beside the class."""
        return self.request("help", name=name, args=args)

    def close(self) -> None:
        """End the process if it runs."""
        process, self.process = self.process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def start(self) -> subprocess.Popen[bytes]:
        for folder in (self.home, self.home / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        with open(self.home / f"{self.agent}.log", "ab") as log:
            return subprocess.Popen(
                self.command,
                cwd=self.home,
                env=self.env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
            )

    def request(self, op: str, **parts: Any) -> Any:
        if self.process is None:
            self.process = self.start()
            self.rest = b""
        line = json.dumps({"op": op, **parts}).encode() + b"\n"
        assert self.process.stdin is not None
        try:
            view = memoryview(line)
            while view:
                view = view[self.process.stdin.write(view) :]
            answer = json.loads(self.answer())
        except BrokenPipeError:
            raise self.died("it is gone") from None
        if "error" in answer:
            raise Refused(answer["error"])
        return answer["value"]

    def answer(self) -> bytes:
        assert self.process is not None
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        parts = [self.rest]
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while b"\n" not in parts[-1]:
                if not selector.select(_PATIENCE):
                    raise self.died(f"no answer for {_PATIENCE:.0f} seconds")
                data = os.read(descriptor, 1 << 20)
                if not data:
                    raise self.died("it ended")
                parts.append(data)
        line, _, self.rest = b"".join(parts).partition(b"\n")
        return line

    def died(self, how: str) -> Died:
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()
        said = (self.home / f"{self.agent}.log").read_text(errors="replace").strip().splitlines()
        return Died(f"{self.agent}: {how}; its last words: {said[-8:]}")


class Session:
    """One SessionManager in an agent. `call` takes the agent's own names and order of arguments."""

    def __init__(self, program: Program, number: int) -> None:
        self.program = program
        self.number = number

    def call(self, name: str, *args: Any) -> Any:
        """Return the result of a method; None if it has none.

        :raises Refused: it threw.
        """
        return self.program.request("call", on=self.number, name=name, args=args)

    def state(self) -> dict[str, Any]:
        """Return the whole state of the session as the manager reports it (`stateOf` in serve.mjs)."""
        found: dict[str, Any] = self.program.request("state", on=self.number)
        return found

    def forget(self) -> None:
        """Let the agent free the session."""
        self.program.request("forget", on=self.number)


def user(text: str, **more: Any) -> dict[str, Any]:
    """Return a user's message, as the agents store it."""
    return {
        "role": "user",
        "content": [{"type": "text", "text": text}],
        "timestamp": 1_780_000_000_000,
        **more,
    }


def assistant(text: str, *calls: str, model: str = "large-1", **more: Any) -> dict[str, Any]:
    """Return an assistant's message with text and tool calls of these ids."""
    content: list[dict[str, Any]] = [{"type": "text", "text": text}]
    content += [{"type": "toolCall", "id": id, "name": "read", "arguments": {"path": "a.py"}} for id in calls]
    cost = {"input": 0.25, "output": 0.5, "cacheRead": 0, "cacheWrite": 0, "total": 0.75}
    usage = {"input": 10, "output": 20, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 30, "cost": cost}
    return {
        "role": "assistant",
        "content": content,
        "api": "messages",
        "provider": "acme",
        "model": model,
        "usage": usage,
        "stopReason": "toolUse" if calls else "stop",
        "timestamp": 1_780_000_001_000,
        **more,
    }


def tool_result(call: str, text: str) -> dict[str, Any]:
    """Return the result of a tool call."""
    return {
        "role": "toolResult",
        "toolCallId": call,
        "toolName": "read",
        "content": [{"type": "text", "text": text}],
        "isError": False,
        "timestamp": 1_780_000_002_000,
    }
