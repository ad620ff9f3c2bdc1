"""The real Claude Code and Codex write sessions, which leafmark reads, and resume those that it names. What
they send next is what `leafmark context` prints.

CONTRIBUTING.md, "The real agents", says how they are installed. Without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.stores import IDLE, LIVE
from tests.interop.provider import ANSWER, FAILURE, Provider, answer_to
from tests.interop.read_only import PACKAGES, SECONDS, ClaudeMachine, CodexMachine, CodexServer
from tests.terminal import Terminal
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leafmark import Row

    from tests.interop.read_only import Machine

pytestmark = pytest.mark.skipif(
    not PACKAGES.is_dir(), reason="LEAFMARK_AGENTS names no folder with the agents"
)
CLAUDE_MODELS = ("sonnet", "claude-sonnet-4-5")
"""Newer models get messages of the role `system` behind the prompt, and that one does not."""


@pytest.fixture
def provider() -> Iterator[Provider]:
    provider = Provider()
    yield provider
    provider.close()


@pytest.fixture
def claude(tmp_path: Path, provider: Provider) -> ClaudeMachine:
    return ClaudeMachine(tmp_path, provider)


@pytest.fixture
def codex(tmp_path: Path, provider: Provider) -> CodexMachine:
    return CodexMachine(tmp_path, provider)


def has_text(machine: Machine, pattern: str, text: str) -> bool:
    """Whether a file of the home folder has `text`."""
    return any(text in path.read_text() for path in machine.home.glob(pattern))


@pytest.mark.parametrize("model", CLAUDE_MODELS)
def test_claude_code_writes_and_resumes_what_leafmark_reads(
    model: str, tmp_path: Path, provider: Provider
) -> None:
    machine = ClaudeMachine(tmp_path, provider, model)
    machine.run("look")
    first = machine.row()
    assert (first.title, first.cwd, first.tools) == ("look", str(machine.work), ("Bash", "Read"))
    assert (first.branch_count, first.tokens) == (1, (22, 84, 14, 10))
    assert first.models == (provider.request("look")["model"],)
    assert sorted(machine.texts(first)) == sorted(["user", *["assistant"] * 4, *["toolResult"] * 2])
    assert machine.state(first) == IDLE
    machine.check_next(first, "and then")
    resumed = machine.row()
    assert (resumed.id, resumed.last_prompt) == (first.id, "and then")
    before = machine.context(first)
    machine.go_on(first, "--fork-session", "or else")
    assert machine.sent("or else") == before
    _, fork = sorted(machine.rows(), key=lambda row: row.id != first.id)
    assert (fork.title, fork.last_prompt, fork.branch_count) == ("look", "or else", 1)
    assert machine.context(fork) == [*before, "or else", answer_to("or else")]
    assert machine.state(fork) == IDLE


def test_a_sub_agent_of_claude_code_is_no_session_of_the_list(
    claude: ClaudeMachine, provider: Provider
) -> None:
    files = ".claude/projects/*/*/subagents/agent-*.jsonl"
    provider.before[""] = lambda: until(lambda: has_text(claude, files, ANSWER))
    claude.run("ask another")
    row = claude.row()
    assert row.tools == ("Agent",)
    assert len(list(claude.home.glob(files))) == 1
    # A notice that the task has ended is no prompt.
    assert row.last_prompt == ""


def test_commands_of_claude_code_are_told_from_prompts(claude: ClaudeMachine, provider: Provider) -> None:
    commands = claude.new_folder("work/.claude/commands")
    (commands / "mend.md").write_text("Please mend issue $ARGUMENTS\n")
    claude.run("/mend 1234 now")
    assert claude.sent("Please mend issue 1234 now") == []
    row = claude.row()
    assert (row.title, claude.prompts(row)) == ("/mend 1234 now", 1)
    assert claude.context(row) == ["/mend 1234 now", answer_to("Please mend issue 1234 now")]
    claude.go_on(row, "/rename The mended issue")
    row = claude.row()
    assert (row.title, row.name, claude.prompts(row)) == ("The mended issue", "The mended issue", 1)


def test_a_failed_answer_of_claude_code_is_one(claude: ClaudeMachine) -> None:
    assert FAILURE in claude.run("fail", fails=True)
    assert claude.stops(claude.row()) == ["error"]
    claude.check_next(claude.row(), "and then")
    assert claude.row().last_prompt == "and then"


def test_an_interruption_of_claude_code_ends_an_answer(claude: ClaudeMachine) -> None:
    claude.talk("hang", interrupted=True)
    row = claude.row()
    assert (row.title, claude.prompts(row), claude.state(row)) == ("hang", 1, IDLE)
    assert claude.stops(row) == ["aborted"]
    # The beginning of the answer is sent.
    assert claude.context(row) == ["hang", answer_to("hang")]
    claude.check_next(row, "and then")


def test_claude_code_sends_the_context_after_compactions(claude: ClaudeMachine) -> None:
    claude.talk("alpha one", "alpha two")
    row = claude.row()
    claude.go_on(row, "/compact")
    # The last answer stays.
    assert claude.context(row)[-1] == answer_to("alpha two")
    assert "alpha one" not in claude.context(row)
    claude.check_next(row, "alpha three")
    for _ in range(2):
        claude.go_on(row, "/compact")
    claude.check_next(row, "alpha four")
    row = claude.row()
    assert (claude.prompts(row), row.branch_count) == (4, 1)


@pytest.mark.parametrize(
    ("choice", "kept"), [("Summarize from here", ["one", "two"]), ("Summarize up to here", ["three", "four"])]
)
def test_claude_code_sends_the_context_after_a_summary_of_a_part(
    choice: str, kept: list[str], claude: ClaudeMachine
) -> None:
    claude.talk("one", "two", "three", "four")
    row = claude.row()
    with Terminal(
        claude.screen("--resume", row.id),
        size=(120, 50),
        env=claude.env,
        cwd=str(claude.work),
        answers=True,
    ) as terminal:
        terminal.wait_for_text(answer_to("four"), SECONDS)
        terminal.send("/rewind")
        terminal.wait_for_text("❯ /rewind", SECONDS)
        terminal.press("enter")
        terminal.wait_for_text("(current)", SECONDS)
        for chosen in ("four", "three"):
            terminal.press("up")
            terminal.wait_for_text(f"❯ {chosen}", SECONDS)
        terminal.press("enter")
        terminal.wait_for_text(choice, SECONDS)
        _, line = terminal.find(choice)
        terminal.press(terminal.lines[line].partition(".")[0].strip(" ❯"))
        until(lambda: "isCompactSummary" in Path(row.path).read_text())
    row = claude.row()
    kept = [text for prompt in kept for text in (prompt, answer_to(prompt))]
    assert [text for text in claude.context(row) if "being continued" not in text] == kept
    claude.check_next(row, "five")
    assert claude.row().branch_count == 1


def lines_in(folder: Path, row: Row) -> bool:
    """Whether lines of a session were written in a folder."""
    return any(json.loads(line).get("cwd") == str(folder) for line in Path(row.path).read_text().splitlines())


def test_claude_code_resumes_in_the_folder_of_its_history(claude: ClaudeMachine) -> None:
    inner = claude.new_folder("work/inner")
    claude.run("go inside")
    row = claude.row()
    assert lines_in(inner, row)
    assert row.cwd == str(claude.work)
    claude.check_next(row, "and then")
    assert claude.row().cwd == str(claude.work)


def test_claude_code_resumes_where_its_folder_has_moved(claude: ClaudeMachine) -> None:
    claude.run("one")
    row = claude.row()
    moved = claude.folder / "moved"
    claude.work.rename(moved)
    # No line names the new folder: the command has to be run there.
    plan = claude.plan(claude.row())
    assert plan.cwd == str(claude.work)
    assert plan.problem is not None
    assert "is gone; run this command in the folder where you want to work" in plan.problem
    claude.run(*plan.argv[1:], "two", cwd=moved)
    row = claude.row()
    assert (row.cwd, row.last_prompt) == (str(moved), "two")
    claude.check_next(row, "three")
    assert len(list(claude.home.glob(".claude/projects/*/*.jsonl"))) == 1
    # The screen asks no question there.
    claude.trust(moved)
    with Terminal(
        claude.screen(*claude.plan(row).argv[1:]), env=claude.env, cwd=row.cwd, answers=True
    ) as terminal:
        terminal.wait_for_text(answer_to("three"), SECONDS)


def test_claude_code_resumes_a_session_of_a_worktree_that_is_gone(claude: ClaudeMachine) -> None:
    for words in ("init -q", "-c user.email=a@b -c user.name=n commit -q --allow-empty -m first"):
        subprocess.run(["git", *words.split()], cwd=claude.work, env=claude.env, check=True)
    claude.run("--worktree", "aside", "one")
    row = claude.row()
    worktree = claude.work / ".claude" / "worktrees" / "aside"
    assert row.cwd == str(worktree)
    claude.check_next(row, "two")
    shutil.rmtree(worktree)
    row = claude.row()
    assert row.cwd == str(claude.work)
    claude.check_next(row, "three")
    assert claude.row().cwd == str(claude.work)


def test_a_session_in_the_background_is_live_until_it_is_stopped(
    claude: ClaudeMachine, provider: Provider
) -> None:
    claude.call(*claude.options, "--bg", "one")
    try:
        provider.request("one")
        until(lambda: claude.rows() and answer_to("one") in claude.context(claude.row()))
        row = claude.row()
        assert claude.state(row) == LIVE
        assert "running in the background" in claude.run("--resume", row.id, "two", fails=True)
        plan = claude.plan(row)
        assert (plan.argv[:2], plan.asks) == (["claude", "attach"], ())
        command = [str(claude.program), *plan.argv[1:]]
        with Terminal(command, env=claude.env, cwd=plan.cwd, answers=True) as terminal:
            terminal.wait_for_text(answer_to("one"), SECONDS)
    finally:
        [job] = {note["jobId"] for note in notes(claude) if note.get("kind") == "bg"}
        claude.call("stop", job)
    until(lambda: claude.state(row) == IDLE)
    assert claude.plan(row).argv == ["claude", "--resume", row.id]
    claude.check_next(row, "three")


def notes(claude: ClaudeMachine) -> list[dict[str, str]]:
    """The notes of the running processes."""
    return [json.loads(path.read_text()) for path in claude.home.glob(".claude/sessions/*.json")]


def test_codex_writes_and_resumes_what_leafmark_reads(codex: CodexMachine) -> None:
    codex.run("look")
    first = codex.row()
    assert (first.title, first.cwd, first.tools) == ("look", str(codex.work), ("exec_command",))
    assert (first.tokens, first.models) == ((120, 40, 80, 0), ("here/gpt-5.3-codex",))
    assert codex.texts(first) == ["user", *["assistant"] * 3, *["toolResult"] * 2, "assistant"]
    assert codex.state(first) == IDLE
    codex.check_next(first, "and then")
    resumed = codex.row()
    assert (resumed.id, resumed.last_prompt, resumed.tokens) == (first.id, "and then", (180, 60, 120, 0))
    before = codex.context(first)
    codex.run("fork", first.id, "or else")
    assert codex.sent("or else") == before
    _, fork = codex.rows()
    assert (fork.title, fork.parent_session, fork.tokens) == ("or else", first.id, (60, 20, 40, 0))
    assert codex.texts(fork) == ["user", "assistant"]
    before = codex.context(fork)
    codex.run("fork", fork.id, "or not")
    assert codex.sent("or not") == before
    _, _, last = codex.rows()
    codex.check_next(last, "at last")
    assert [codex.state(row) for row in codex.rows()] == [IDLE] * 3


def test_codex_sends_the_context_after_a_compaction(codex: CodexMachine) -> None:
    compact = ("-c", "model_auto_compact_token_limit=50")
    codex.run("beta one")
    row = codex.row()
    codex.go_on(row, "beta two")
    codex.run(*compact, "resume", row.id, "beta three")
    texts = codex.context(row)
    assert [text for text in texts if "beta" in text and ANSWER not in text] == [
        *("beta one", "beta two"),
        "beta three",
    ]
    assert texts[:-1] == [*codex.sent("beta three"), "beta three"]
    codex.check_next(row, "beta four")
    codex.run("fork", row.id, "beta five")
    _, fork = codex.rows()
    codex.check_next(fork, "beta six")
    codex.run(*compact, "resume", fork.id, "beta seven")
    assert codex.context(fork)[:-1] == [*codex.sent("beta seven"), "beta seven"]
    codex.check_next(fork, "beta eight")


def test_codex_sends_the_context_after_a_rewind(codex: CodexMachine) -> None:
    codex.run("one")
    first = codex.row()
    for prompt in ("two", "three"):
        codex.go_on(first, prompt)
    # It does what /rename, Escape twice, `!` and /compact do on the screen.
    with CodexServer(codex) as server:
        turns = server.call("thread/resume", threadId=first.id)["thread"]["turns"]
        server.call("thread/name/set", threadId=first.id, name="The rewound one")
        server.call("thread/revert", threadId=first.id, beforeTurnId=turns[1]["id"])
        server.turn("thread/shellCommand", first.id, command="echo from the shell")
        server.say(first.id, "four")
        kept = ["one", answer_to("one")]
        assert codex.sent("four") == kept
        server.turn("thread/compact/start", first.id)
    before, rewound = codex.rows()
    assert (rewound.name, rewound.parent_session) == ("The rewound one", first.id)
    assert codex.context(before)[-2:] == ["three", answer_to("three")]
    assert "bashExecution" in codex.texts(rewound)
    assert codex.context(rewound)[:2] == ["one", "four"]
    codex.check_next(rewound, "five")


def test_a_skill_that_codex_is_told_to_use_is_no_prompt(codex: CodexMachine) -> None:
    skill = codex.new_folder("home/.codex/skills/mend") / "SKILL.md"
    skill.write_text("---\nname: mend\ndescription: Mends an issue\n---\nPlease mend the issue.\n")
    codex.run("$mend 1234 now")
    row = codex.row()
    assert (row.title, codex.prompts(row)) == ("$mend 1234 now", 1)
    codex.check_next(row, "and then")


def test_failed_and_interrupted_answers_of_codex_are_told(codex: CodexMachine) -> None:
    assert FAILURE in codex.run("fail", fails=True)
    row = codex.row()
    assert codex.stops(row) == ["error"]
    codex.interrupt(*codex.plan(row).argv[1:], "hang")
    assert codex.stops(row) == ["error", "aborted"]
    row = codex.row()
    assert (codex.prompts(row), codex.state(row)) == (2, IDLE)
    codex.check_next(row, "and then")


def test_a_sub_agent_of_codex_is_hidden(codex: CodexMachine, provider: Provider) -> None:
    # Codex ends with its own last answer, whether the one of the sub-agent is written or not.
    files = ".codex/sessions/*/*/*/*.jsonl"
    provider.before[""] = lambda: until(lambda: has_text(codex, files, answer_to("what is in a.txt")))
    codex.run("ask another")
    main, spawned = codex.rows()
    assert (main.title, main.spawned, main.tools) == ("ask another", False, ("spawn_agent",))
    assert (spawned.title, spawned.spawned, spawned.parent_session) == ("what is in a.txt", True, main.id)
    assert codex.context(spawned)[-1] == answer_to("what is in a.txt")


def test_codex_resumes_in_the_folder_of_its_last_turn(codex: CodexMachine) -> None:
    codex.run("one")
    row = codex.row()
    other = codex.new_folder("other")
    codex.run("resume", row.id, "two", cwd=other)
    row = codex.row()
    assert row.cwd == str(other)
    codex.check_next(row, "three")
    assert codex.row().cwd == str(other)
    other.rmdir()
    row = codex.row()
    assert row.cwd == str(codex.work)
    codex.check_next(row, "four")


def test_a_session_of_codex_is_idle_beside_its_server(codex: CodexMachine) -> None:
    codex.call("app-server", "daemon", "start")
    daemon = codex.home / ".codex" / "app-server-daemon"
    try:
        codex.run("one")
        assert codex.state(codex.row()) == IDLE
        codex.call("app-server", "daemon", "stop")
        assert codex.state(codex.row()) == IDLE
    finally:
        for note in daemon.glob("*.pid"):
            end(note.read_text())
        # It is a copy of the program, of 400 MB.
        shutil.rmtree(codex.home / ".codex" / "packages")


def end(note: str) -> None:
    """End a process by the note of its id."""
    try:
        os.kill(json.loads(note)["pid"], signal.SIGTERM)
    except ProcessLookupError:
        return
