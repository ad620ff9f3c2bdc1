"""``leafmark show``: the conversation of a session, in a pipe and through a pager."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.factory import append, entry, header, message, write_session
from tests.terminal import Terminal

MEASURE = 96  # most cells of a line of text

ROOT = Path(__file__).parent.parent.parent

HOSTILE = "\x1b[31mred\x1b]0;title\x07 \u202edesrever"


@pytest.fixture
def session(tmp_path):
    """A session of pi with two branches, three prompts on the active one, and an edit."""
    folder = tmp_path / "home" / ".pi" / "agent" / "sessions" / "--work-app--"
    call = {
        "type": "toolCall",
        "id": "c1",
        "name": "edit",
        "arguments": {"path": "src/auth.py", "oldText": "later()", "newText": "now()"},
    }
    answer = message("a0000002", "a0000001", "assistant", "I shall look.")
    answer["message"]["content"].append(call)
    result = message("a0000003", "a0000002", "toolResult", "Changed 1 line.")
    result["message"] |= {"toolCallId": "c1", "toolName": "edit", "isError": False}
    return write_session(
        folder / "2026-06-01T00-00-00-000Z_s1.jsonl",
        header("s1"),
        message("a0000001", None, "user", f"why is login flaky {HOSTILE}"),
        answer,
        result,
        message("a0000004", "a0000003", "assistant", "It was the **order** of two writes."),
        entry("label", "a0000005", "a0000004", targetId="a0000004", label="cause found"),
        message("b0000001", "a0000004", "user", "an older branch"),
        message("a0000006", "a0000004", "user", "write a test"),
        message("a0000007", "a0000006", "assistant", "Done."),
        message("a0000008", "a0000007", "user", "and the message"),
        message("a0000009", "a0000008", "assistant", "Written."),
    )


def printed(run, *words, **variables):
    done = run("show", *words, **variables)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_conversation_has_prompts_answers_diffs_and_labels(leafmark, session):
    text = printed(leafmark, "s1")
    assert "▌ why is login flaky" in text
    assert "edit  src/auth.py" in text
    assert "− later()" in text
    assert "+ now()" in text
    assert text.count("Changed 1 line.") == 0, "the result of an edit is its diff"
    assert "◆ cause found" in text
    assert "an older branch" not in text
    assert text.index("write a test") < text.index("and the message") < text.index("Written.")
    assert "(Space)" not in text


def test_text_of_the_session_is_inert_and_secrets_stay(leafmark, session):
    secret = "sk-" + "ant-api03-" + "x" * 90
    append(session, entry("custom_message", "c", "a0000009", content=secret, display=True))
    text = printed(leafmark, "s1", COLUMNS="120")
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert secret in text.replace("\n", "").replace(" ", "")


@pytest.mark.parametrize(
    ("words", "has", "lacks"),
    [
        (["--last", "1"], ["and the message", "Written."], ["write a test", "why is login"]),
        (["--last", "2"], ["write a test", "and the message"], ["why is login"]),
        (["--last", "99"], ["why is login", "Written."], []),
        (["--entry", "a0000006"], ["why is login", "write a test"], ["Done.", "and the message"]),
        (["--branch", "b0000001"], ["why is login", "an older branch"], ["write a test"]),
        (["--branch", "a0000001"], ["Written."], ["an older branch"]),
    ],
)
def test_a_part_of_the_conversation(leafmark, session, words, has, lacks):
    text = printed(leafmark, "s1", *words).split("\n", 2)[2]
    assert [part for part in has if part not in text] == []
    assert [part for part in lacks if part in text] == []


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (["s1", "--entry", "nothing"], 1, "there is no entry 'nothing'"),
        (["s1", "--entry", "a000000"], 2, "names 9 entries"),
        (["s1", "--branch", ""], 1, "there is no entry ''"),
        (["s1", "--entry", "a0000001", "--last", "1"], 2, "--entry has no place beside --last"),
        (["s1", "--last", "0"], 2, "'0' is not a number of prompts"),
        (["s9"], 1, "s9"),
    ],
)
def test_wrong_use_is_one_line_that_names_the_thing(leafmark, session, words, code, complaint):
    done = leafmark("show", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_result_far_below_its_call_is_shown_by_itself(leafmark, tmp_path, session):
    """A result in the wrong place is not lost, and neither is a call without one."""
    lines = session.read_text().splitlines()
    result = (
        lines.pop(3)
        .replace('"parentId": "a0000002"', '"parentId": "a0000009"')
        .replace("a0000003", "d0000001")
    )
    lines = [line.replace('"parentId": "a0000003"', '"parentId": "a0000002"') for line in lines]
    session.write_text("\n".join([*lines, result, ""]))
    text = printed(leafmark, "s1")
    assert "edit  src/auth.py" in text
    assert text.index("Written.") < text.rindex("edit")


def on_terminal(tmp_path, *words, **variables):
    """The bytes that arrive at a terminal, and the exit code."""
    environment = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    command = [
        "env",
        *(f"{name}={value}" for name, value in variables.items()),
        sys.executable,
        "-m",
        "app",
        "show",
        "s1",
        *words,
    ]
    with Terminal(command, size=(100, 60), env=environment) as terminal:
        code = terminal.wait()
        return terminal.output, code


@pytest.fixture
def pager(tmp_path):
    """Make a pager that keeps its input and the variable LESS: (name, more of its script) -> its path."""

    def make(name, script="cat"):
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\necho "$LESS" > {tmp_path}/less-options\n{script} > {tmp_path}/paged\n')
        path.chmod(0o755)
        return str(path)

    return make


def test_a_terminal_gets_the_text_through_the_pager_without_colours(tmp_path, session, pager):
    output, code = on_terminal(tmp_path, PAGER=pager("page of mine").replace(" ", "\\ "))
    assert (output, code) == (b"", 0)
    paged = (tmp_path / "paged").read_text()
    assert "and the message" in paged
    assert "\x1b" not in paged


def test_less_gets_colours_and_the_options_of_git(tmp_path, session, pager):
    assert on_terminal(tmp_path, PAGER=pager("less")) == (b"", 0)
    assert "\x1b[32m" in (tmp_path / "paged").read_text()
    assert (tmp_path / "less-options").read_text() == "FRX\n"
    assert on_terminal(tmp_path, PAGER=pager("less"), LESS="-S", NO_COLOR="1") == (b"", 0)
    assert "\x1b" not in (tmp_path / "paged").read_text()
    assert (tmp_path / "less-options").read_text() == "-S\n"


def test_a_pager_that_is_left_at_once_ends_the_command(tmp_path, session, pager):
    assert on_terminal(tmp_path, PAGER=pager("quitter", "true")) == (b"", 0)


@pytest.mark.parametrize("value", ["", "cat"])
def test_no_pager_is_started_if_the_user_wants_none(tmp_path, session, value):
    output, code = on_terminal(tmp_path, PAGER=value)
    assert b"and the message" in output
    assert b"\x1b[" in output, "a terminal with colours gets colours"
    assert code == 0


def test_plain_is_text_alone_even_on_a_terminal(tmp_path, session, pager):
    output, code = on_terminal(tmp_path, "--plain", PAGER=pager("less"))
    assert b"and the message" in output
    assert b"\x1b" not in output
    assert (code, (tmp_path / "paged").exists()) == (0, False)


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("/nowhere/pager", b"/nowhere/pager: No such file or directory"),
        ("'less", b"PAGER='less: has a quote"),
    ],
)
def test_a_pager_that_cannot_run_is_named_and_the_text_is_printed(tmp_path, session, value, complaint):
    output, code = on_terminal(tmp_path, PAGER=value)
    assert complaint in output
    assert b"and the message" in output
    assert code == 0


def test_lines_are_as_wide_as_the_terminal_and_no_wider_than_a_transcript(leafmark, session):
    for cells, widest in ((40, 40), (400, MEASURE + 3)):
        lines = printed(leafmark, "s1", COLUMNS=str(cells)).splitlines()
        assert max(map(len, lines[2:])) <= widest


def test_damaged_lines_and_what_is_not_sent_any_more_are_rules(leafmark, session):
    compaction = entry("compaction", "a0000011", "b0000010", summary="So far", firstKeptEntryId="b0000010")
    with session.open("a") as file:
        file.write('{"type":"message","id":"a0000010","par\n')
    append(session, message("b0000010", "a0000010", "user", "go on"), compaction)
    append(session, message("b0000012", "b0000010", "assistant", "Going on."))
    append(session, compaction | {"id": "a0000013", "parentId": "b0000012", "firstKeptEntryId": "b0000012"})
    text = printed(leafmark, "s1", COLUMNS="120")
    assert "── the beginning is on another branch: line 12 is damaged ──" in text
    assert "── 1 of 2 entries above is no longer sent to the model ──" in text
    assert text.index("Going on.") < text.index("1 of 2 entries") < text.index("≡ Compaction")
    assert "line 12" not in printed(leafmark, "s1", "--entry", "a0000009")
