"""The real Claude Code and Codex in home folders of their own, and what leafmark says of their sessions.

LEAFMARK_AGENTS names the folder in which npm has installed both (CONTRIBUTING.md, "The real agents"). They
talk to a provider on this machine and need no login.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

from leafmark import Index

from app.actions import Plan
from app.cli import main
from app.index.live_sessions import live_sessions
from app.resume_command import plan_by_reference
from app.sessions import open_tree
from app.setup import Setup
from app.stores import IDLE, agent_named, discover, look
from tests.interop.provider import Provider, answer_to

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import Row

PACKAGES = Path(os.environ.get("LEAFMARK_AGENTS", os.devnull), "node_modules")
SECONDS = 300
"""Seconds after which an agent that should have ended never will."""
_KEY = "no-key"
_INSTRUCTIONS = re.compile(
    r"\s*(?:<[a-z_-]+[ >]|# Environment\n|\[Request interrupted|No response requested)"
)
"""The beginnings of texts in a request that no person and no model wrote."""


class Machine:
    """A home folder and a working folder for one of the agents; `work` and `home` are their paths."""

    def __init__(self, folder: Path, agent: str, provider: Provider, options: tuple[str, ...] = ()) -> None:
        """
        :param options: further options of each run of the agent.
        """
        self.agent = agent_named(agent)
        self.provider = provider
        self.folder = folder
        self.home = folder / "home"
        self.program = _program(agent)
        self.options = options
        self.work = self.new_folder("work")
        (self.work / "a.txt").write_text("alpha\n")
        links = self.new_folder("bin")
        (links / agent).symlink_to(self.program)
        self.env = {
            "HOME": str(self.home),
            "PATH": os.pathsep.join((str(links), os.environ["PATH"])),
            "LANG": "C.UTF-8",
        }

    def new_folder(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        return folder

    # The agent

    def command(self, *words: str) -> list[str]:
        """The command line that runs the agent to its end, without a screen."""
        raise NotImplementedError

    def call(self, *words: str, cwd: Path | None = None, fails: bool = False) -> str:
        """Run the agent's program, and return its output.

        :param fails: it has to end with a status other than 0.
        """
        done = subprocess.run(
            [str(self.program), *words],
            cwd=cwd or self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    def run(self, *words: str, cwd: Path | None = None, fails: bool = False) -> str:
        """Run the agent with a prompt to its end."""
        return self.call(*self.command(*words), cwd=cwd, fails=fails)

    def go_on(self, row: Row, *words: str) -> None:
        """Run the command with which leafmark resumes a session, in the folder that it says, with further
        words.
        """
        plan = self.plan(row)
        assert plan.problem is None, plan
        assert plan.asks == (), plan
        self.run(*plan.argv[1:], *words, cwd=Path(plan.cwd))

    # What leafmark says

    def leafmark(self, *words: str) -> str:
        """The standard output of a command of leafmark."""
        output = io.StringIO()
        with patch.dict(os.environ, self.env, clear=True), contextlib.redirect_stdout(output):
            assert main([*words]) == 0
        return output.getvalue()

    @property
    def setup(self) -> Setup:
        stores = discover(self.env, str(self.home), "/")
        cache = str(self.folder / "cache")
        return Setup(env=self.env, home=str(self.home), here=("/",), stores=stores, cache_folder=cache)

    def plan(self, row: Row) -> Plan:
        """How leafmark resumes a session."""
        plan = plan_by_reference(row.path, self.setup, is_path=True)
        assert plan is not None
        return plan

    def rows(self) -> list[Row]:
        """The sessions, the oldest first. None of them has a problem."""
        setup = self.setup
        index = Index(setup.stores, setup.cache_folder)
        index.scan()
        rows = sorted(index.rows(), key=lambda row: row.created or 0)
        index.close()
        assert [row.problems for row in rows] == [0] * len(rows)
        return rows

    def row(self, session_id: str = "") -> Row:
        """The only session, or the one with that id."""
        [row] = [row for row in self.rows() if session_id in ("", row.id)]
        return row

    def state(self, row: Row) -> str:
        """Whether leafmark says that the session is open."""
        verdicts = live_sessions(self.rows(), look(self.setup.stores), int(time.time() * 1000))
        return verdicts[row.path].state if row.path in verdicts else IDLE

    def texts(self, row: Row) -> list[str]:
        """The roles of the messages on the active path."""
        tree = open_tree(row.path, (row.agent,))
        return [node.role or "" for node in tree.active_path() if node.type == "message"]

    def prompts(self, row: Row) -> int:
        """The number of prompts on the active path."""
        return self.texts(row).count("user")

    def context(self, row: Row) -> list[str]:
        """The prompts, answers and summaries that `leafmark context` prints, in order."""
        document = json.loads(self.leafmark("context", row.path))
        return [
            text.strip()
            for message in document["messages"]
            if message["role"] in ("user", "assistant", "compactionSummary")
            and message.get("stopReason") != "error"
            for text in _texts(message.get("summary", message.get("content")))
        ]

    def stops(self, row: Row) -> list[str]:
        """Why the answers in the context ended."""
        document = json.loads(self.leafmark("context", row.path))
        return [each["stopReason"] for each in document["messages"] if each["role"] == "assistant"]

    # What the agent sends

    def sent(self, prompt: str) -> list[str]:
        """The prompts, answers and summaries before `prompt` in the last request that ends with it."""
        texts = [
            text.strip()
            for message in _conversation(self.provider.request(prompt))
            if message.get("role") in ("user", "assistant")
            for text in _texts(message.get("content"))
            if not _INSTRUCTIONS.match(text)
        ]
        assert texts.pop() == prompt
        return texts

    def check_next(self, row: Row, prompt: str, *words: str) -> None:
        """Send a prompt in a session: the agent sends what leafmark's context was before, and leafmark's
        context has the answer afterwards.
        """
        before = self.context(row)
        self.go_on(row, *words, prompt)
        assert self.sent(prompt) == before
        assert self.context(row) == [*before, prompt, answer_to(prompt)]


class ClaudeMachine(Machine):
    """Claude Code, which asks no questions before it begins."""

    def __init__(self, folder: Path, provider: Provider, model: str = "sonnet") -> None:
        super().__init__(folder, "claude", provider, ("--model", model, "--allowedTools", "Bash,Read,Agent"))
        self.env |= {
            "ANTHROPIC_BASE_URL": provider.url,
            "ANTHROPIC_API_KEY": _KEY,
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        self.home.mkdir()
        self.trust(self.work)

    def trust(self, folder: Path) -> None:
        """Answer the questions of the screen in a folder beforehand."""
        path = self.home / ".claude.json"
        settings = json.loads(path.read_text()) if path.exists() else {}
        settings |= {"hasCompletedOnboarding": True, "theme": "dark"}
        settings["customApiKeyResponses"] = {"approved": [_KEY], "rejected": []}
        projects = settings.setdefault("projects", {})
        projects[str(folder)] = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        path.write_text(json.dumps(settings))

    def command(self, *words: str) -> list[str]:
        *others, prompt = words
        return ["-p", *self.options, *others, "--", prompt]

    def screen(self, *words: str) -> list[str]:
        """The command line with a screen."""
        return [str(self.program), *self.options, *words]

    def talk(self, *prompts: str, interrupted: bool = False) -> None:
        """Send the prompts of a new session, each after the answer to the one before.

        :param interrupted: interrupt the answers when their first words have come.
        """
        words = ("-p", *self.options, "--input-format", "stream-json", "--output-format", "stream-json")
        with Conversation(self, *words, "--verbose", "--include-partial-messages") as conversation:
            for prompt in prompts:
                conversation.send({"type": "user", "message": {"role": "user", "content": prompt}})
                if interrupted:
                    conversation.wait(lambda event: "text_delta" in str(event))
                    stop = {"subtype": "interrupt"}
                    conversation.send({"type": "control_request", "request_id": "1", "request": stop})
                conversation.wait(lambda event: event["type"] == "result")


class CodexMachine(Machine):
    """Codex, with a provider of its own."""

    def __init__(self, folder: Path, provider: Provider) -> None:
        options = ("--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
        super().__init__(folder, "codex", provider, options)
        self.env["PROVIDER_KEY"] = _KEY
        (self.home / ".codex").mkdir(parents=True)
        (self.home / ".codex" / "config.toml").write_text(
            'model = "gpt-5.3-codex"\nmodel_provider = "here"\n[model_providers.here]\nname = "here"\n'
            f'base_url = "{provider.url}/v1"\nwire_api = "responses"\nenv_key = "PROVIDER_KEY"\n'
        )

    def command(self, *words: str) -> list[str]:
        return ["exec", *self.options, *words]

    def interrupt(self, *words: str) -> None:
        """Run the agent with a prompt, and interrupt its answer."""
        process = subprocess.Popen(
            [str(self.program), *self.command(*words)],
            cwd=self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.provider.request(words[-1])
        process.send_signal(signal.SIGINT)
        process.wait(timeout=SECONDS)


class Conversation:
    """A program that reads and writes messages in JSON, one a line, until it has no more input."""

    def __init__(self, machine: Machine, *words: str) -> None:
        self.process = subprocess.Popen(
            [str(machine.program), *words],
            cwd=machine.work,
            env=machine.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.end = threading.Timer(SECONDS, self.process.kill)

    def __enter__(self) -> Self:
        self.end.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()
        self.end.cancel()

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message of that kind."""
        assert self.process.stdout is not None
        return next(message for line in self.process.stdout if wanted(message := json.loads(line)))


class CodexServer(Conversation):
    """Codex without a screen, which does what its screen does."""

    def __init__(self, machine: CodexMachine) -> None:
        super().__init__(machine, "app-server")
        self.number = 0

    def __enter__(self) -> Self:
        super().__enter__()
        client = {"name": "test", "version": "1"}
        self.call("initialize", clientInfo=client, capabilities={"experimentalApi": True})
        self.send({"method": "initialized"})
        return self

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a request."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        reply = self.wait(lambda message: message.get("id") == self.number)
        assert "result" in reply, reply
        result = reply["result"]
        assert isinstance(result, dict)
        return result

    def turn(self, method: str, thread: str, **parameters: Any) -> None:
        """Send a request that begins a turn, and wait for the end of the turn."""
        self.call(method, threadId=thread, **parameters)
        self.wait(lambda message: message.get("method") == "turn/completed")

    def say(self, thread: str, prompt: str) -> None:
        """Send a prompt, and wait for the answer."""
        self.turn("turn/start", thread, input=[{"type": "text", "text": prompt}])


def _program(agent: str) -> Path:
    pattern = {
        "claude": "@anthropic-ai/claude-code-*/claude",
        "codex": "@openai/codex-*/vendor/*/bin/codex",
    }
    [program] = PACKAGES.glob(pattern[agent])
    return program


def _conversation(body: dict[str, Any]) -> list[dict[str, Any]]:
    found = body["messages"] if "messages" in body else body["input"]
    assert isinstance(found, list)
    return found


def _texts(content: Any) -> list[str]:
    """The texts in a content, without those of calls and their results."""
    if isinstance(content, str):
        return [content]
    return [
        block["text"] for block in content or () if block["type"] in ("text", "input_text", "output_text")
    ]
