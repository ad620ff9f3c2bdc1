"""The real Claude Code and Codex write sessions, which leafmark reads, and resume those that it names.

LEAFMARK_AGENTS names a folder outside of the checkout in which npm has installed both (700 MB):

    npm install @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0

Without it these tests are skipped. The agents talk to a provider on this machine and need no login.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.index.index import Index
from app.sessions.tree.tree import open_tree
from app.stores import agent_named, discover
from tests.interop.provider import ANSWER, Provider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.row import Row

PACKAGES = Path(os.environ.get("LEAFMARK_AGENTS", os.devnull), "node_modules")
pytestmark = pytest.mark.skipif(
    not PACKAGES.is_dir(), reason="LEAFMARK_AGENTS names no folder with the agents"
)
_SECONDS = 120


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


class Machine:
    """A home folder and a working folder for one of the agents."""

    def __init__(self, folder: Path, agent: str, url: str) -> None:
        self.agent = agent_named(agent)
        self.work = folder / "work"
        self.work.mkdir()
        (self.work / "a.txt").write_text("alpha\n")
        self.home = folder / "home"
        self.cache = folder / "cache"
        self.env = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "PROVIDER_KEY": "none",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        if agent == "claude":
            [program] = PACKAGES.glob("@anthropic-ai/claude-code-*/claude")
            options = ["--model", "claude-sonnet-4-5", "--allowedTools", "Bash,Read,Agent"]
            self._command = [str(program), "-p", *options]
        else:
            [program] = PACKAGES.glob("@openai/codex-*/vendor/*/bin/codex")
            options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
            self._command = [str(program), "exec", *options]
            (self.home / ".codex").mkdir(parents=True)
            (self.home / ".codex" / "config.toml").write_text(
                'model = "gpt-5.3-codex"\nmodel_provider = "here"\n[model_providers.here]\nname = "here"\n'
                f'base_url = "{url}/v1"\nwire_api = "responses"\nenv_key = "PROVIDER_KEY"\n'
            )

    def run(self, *arguments: str) -> None:
        """Run the agent to its end."""
        done = subprocess.run(
            [*self._command, *arguments],
            cwd=self.work,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
        assert done.returncode == 0, done.stderr

    def resume(self, row: Row) -> list[str]:
        """The arguments with which leafmark resumes a session."""
        [store] = [store for store in discover(self.env, str(self.home), "/") if store.root == row.store]
        assert self.agent.resume_problem(row.path, row.cwd, store) is None
        return self.agent.resume_arguments(row.path, row.id, store)

    def rows(self) -> list[Row]:
        """The sessions, the oldest first."""
        index = Index(discover(self.env, str(self.home), "/"), str(self.cache))
        index.scan()
        rows = sorted(index.rows(), key=lambda row: row.created or 0)
        index.close()
        assert [row.problems for row in rows] == [0] * len(rows)
        return rows

    def texts(self, row: Row) -> list[str]:
        """The types and roles of the entries on the active path that are shown."""
        tree = open_tree(row.path, (row.agent,))
        return [node.role or "" for node in tree.active_path() if node.type == "message"]


def test_claude_code_writes_and_resumes_what_leafmark_reads(tmp_path: Path, provider: Provider) -> None:
    machine = Machine(tmp_path, "claude", provider.url)
    machine.run("--", "look")
    [first] = machine.rows()
    assert (first.title, first.cwd, first.tools) == ("look", str(machine.work), ("Bash", "Read"))
    assert (first.branch_count, first.tokens, first.models) == (1, (22, 84, 14, 10), ("claude-sonnet-4-5",))
    assert sorted(machine.texts(first)) == sorted(["user", *["assistant"] * 4, *["toolResult"] * 2])
    machine.run(*machine.resume(first), "--", "and then")
    [resumed] = machine.rows()
    assert (resumed.id, resumed.last_prompt) == (first.id, "and then")
    machine.run(*machine.resume(first), "--fork-session", "--", "or else")
    _, fork = sorted(machine.rows(), key=lambda row: row.id != first.id)
    assert (fork.title, fork.last_prompt, fork.branch_count) == ("look", "or else", 1)


def test_a_sub_agent_of_claude_code_is_no_session_of_the_list(tmp_path: Path, provider: Provider) -> None:
    machine = Machine(tmp_path, "claude", provider.url)
    machine.run("--", "ask another")
    [row] = machine.rows()
    assert row.tools == ("Agent",)
    assert len(list(Path(row.path).with_suffix("").glob("subagents/agent-*.jsonl"))) == 1
    # A notice that the task has ended is no prompt.
    assert row.last_prompt == ""


def test_codex_writes_and_resumes_what_leafmark_reads(tmp_path: Path, provider: Provider) -> None:
    machine = Machine(tmp_path, "codex", provider.url)
    machine.run("look")
    [first] = machine.rows()
    assert (first.title, first.cwd, first.tools) == ("look", str(machine.work), ("exec_command",))
    assert (first.tokens, first.models) == ((120, 40, 80, 0), ("here/gpt-5.3-codex",))
    assert machine.texts(first) == ["user", *["assistant"] * 3, *["toolResult"] * 2, "assistant"]
    machine.run(*machine.resume(first), "and then")
    [resumed] = machine.rows()
    assert (resumed.id, resumed.last_prompt, resumed.tokens) == (first.id, "and then", (180, 60, 120, 0))
    machine.run("fork", first.id, "or else")
    _, fork = machine.rows()
    assert (fork.title, fork.parent_session, fork.tokens) == ("or else", first.id, (60, 20, 40, 0))
    assert machine.texts(fork) == ["user", "assistant"]


def test_a_sub_agent_of_codex_is_hidden(tmp_path: Path, provider: Provider) -> None:
    machine = Machine(tmp_path, "codex", provider.url)
    machine.run("ask another")
    main, spawned = machine.rows()
    assert (main.title, main.spawned, main.tools) == ("ask another", False, ("spawn_agent",))
    assert (spawned.title, spawned.spawned, spawned.parent_session) == ("what is in a.txt", True, main.id)
    with open(spawned.path, encoding="utf-8") as file:
        assert any(ANSWER in json.dumps(json.loads(line)) for line in file)
