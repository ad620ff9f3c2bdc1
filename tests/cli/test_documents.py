"""Every command and every query in the README and the help pages works on the example sessions."""

from __future__ import annotations

import re
import shlex

import pytest

from app.cli_options import parse
from app.demo import write_demo
from app.index.query.filter_table import language_table
from tests.readme import README, documents

SCREENS = {("--demo",), ()}
"""The commands that open the screen."""


def fenced_commands():
    """The words of each `leafmark` line in the fenced blocks that a shell runs."""
    for path in documents():
        for block in re.findall(
            r"^```sh\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            for line in block.splitlines():
                words = shlex.split(line, comments=True)
                if words[:1] == ["leafmark"] and "|" not in words and tuple(words[1:]) not in SCREENS:
                    yield words[1:]


def inline_commands():
    """The words behind `leafmark` in the lines of the documents, up to a pipe or a file."""
    for path in documents():
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for line in re.findall(r"`(?:\.venv/bin/)?leafmark ([^`]+)`", text):
            words = shlex.split(re.split("[|>]", line)[0])
            yield ["bash" if word == "SHELL" else word for word in words if word != "COMMAND"]


def test_every_command_within_a_sentence_is_understood(capsys):
    """Words may be missing: a sentence may name the command alone."""
    wrong = {}
    for words in inline_commands():
        try:
            parse(words)
        except SystemExit as end:
            complaint = capsys.readouterr().err
            if end.code and "required" not in complaint and "expected one argument" not in complaint:
                wrong[" ".join(words)] = complaint
    assert wrong == {}


@pytest.fixture
def examples(home, tmp_path):
    """The example sessions in the stores of a home folder."""
    write_demo(str(tmp_path), 1_780_000_000_000)
    assert home == tmp_path / "home"
    return home


def test_the_commands_of_the_documents_work(examples, run):
    session_id = run("list", "--format", "{id}", "has:branch", "agent:pi").out.split()[0]
    entry_id = run("search", "--format", "{entry_id}", "redis", "in:text").out.split()[0]
    failed = {}
    commands = [*fenced_commands()]
    assert len(commands) >= 15
    for words in commands:
        words = [
            {"019a2b": session_id, "SESSION": session_id, "c000000d": entry_id}.get(word, word)
            for word in words
        ]
        done = run(*words)
        # 1: there is nothing of that among the examples.
        if done.code not in (0, 1) or "usage:" in done.err or "Traceback" in done.err:
            failed[" ".join(words)] = done.code, done.err
    assert failed == {}


def test_the_queries_of_the_documents_work(examples, run):
    rows = README.read_text(encoding="utf-8").partition("| query | finds sessions |\n|---|---|\n")[2]
    queries = [
        query for query, _ in re.findall(r"^\| `(.+?)` \| (.+) \|$", rows.partition("\n\n")[0], re.MULTILINE)
    ]
    queries += [example for _, _, example in language_table()]
    assert len(queries) >= 30
    done = {query: run("search", "--", query) for query in queries}
    assert {query: each.err for query, each in done.items() if each.code not in (0, 1)} == {}
