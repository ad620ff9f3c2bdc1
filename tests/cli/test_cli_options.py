"""Parsing of the command line: options, words, and refusals."""

from __future__ import annotations

import pytest

from app.cli_options import parse
from app.command_table import COMMANDS, MANY, OWN, SHARED
from app.index.query import language_table
from tests.cases import cases
from tests.factory import chain, write_session


def parsed(words):
    """The options in these words; None if they are refused or help is printed."""
    try:
        return parse(words)
    except SystemExit:
        return None


def test_options_may_precede_the_words_of_a_command():
    read = parsed(["list", "--limit", "3", "--json", "a", "b"])
    assert read is not None
    assert (read.limit, read.json, read.query) == (3, True, ["a", "b"])


@cases(
    ("words", "expected"),
    [
        (["label", "s", "e", "--json", "t"], {"session": "s", "entry": "e", "text": "t"}),
        (["label", "s", "--json", "e", "--", "-t"], {"session": "s", "entry": "e", "text": "-t"}),
        (["list", "a", "--limit", "3", "b", "--json", "c"], {"query": ["a", "b", "c"], "limit": 3}),
        (["trash", "a", "--anyway", "b", "--json"], {"sessions": ["a", "b"], "anyway": True}),
        (["list", "--lim=3", "a", "--json"], {"query": ["a"], "limit": 3}),
        (["fork", "--to", "d", "s", "--store", "pi=/x", "--json"], {"to": "d", "store": [("pi", "/x")]}),
    ],
)
def test_options_may_stand_between_the_words_of_a_command(words, expected):
    read = parsed(words)
    assert read is not None
    assert read.json
    assert {name: getattr(read, name) for name in expected} == expected


def test_words_and_options_are_assigned_to_fields():
    read = parsed(["label", "--json", "s", "e", "t"])
    assert read is not None
    assert (read.session, read.entry, read.text, read.clear) == ("s", "e", "t", False)
    read = parsed(["label", "s", "e", "--clear"])
    assert read is not None
    assert (read.session, read.entry, read.text, read.clear) == ("s", "e", None, True)
    read = parsed(["branch", "s", "root", "--new-file", "--summary", "t"])
    assert read is not None
    assert (read.entry, read.new_file, read.summary) == ("root", True, "t")
    read = parsed(["fork", "s", "--entry", "e", "--to", "d", "--last", "7"])
    assert read is not None
    assert (read.session, read.entry, read.to, read.last) == ("s", "e", "d", 7)
    read = parsed(["search", "--all-text", "a", "b c", "--order", "relevance", "--every", "--limit", "2"])
    assert read is not None
    assert (read.query, read.all_text, read.sort) == (["a", "b c"], True, "relevance")
    assert (read.every, read.limit) == (True, 2)
    for words, session in ((["labels"], ""), (["labels", "s"], "s")):
        read = parsed(words)
        assert read is not None
        assert read.session == session


def test_after_two_dashes_a_word_may_begin_with_a_dash(capsys):
    for words in (["label", "s", "e", "--", "-x"], ["label", "--", "s", "e", "-x"]):
        read = parsed(words)
        assert read is not None
        assert (read.session, read.entry, read.text) == ("s", "e", "-x")
    for words in (["search", "--json", "a", "--", "-x"], ["search", "--json", "--", "a", "-x"]):
        read = parsed(words)
        assert read is not None
        assert (read.query, read.json) == (["a", "-x"], True)
    read = parsed(["search", "--", "-x", "--json", "--", "-y z"])
    assert read is not None
    assert (read.query, read.json) == (["-x", "--json", "--", "-y z"], False)


@cases(
    "words",
    [
        ["serach"],
        ["tree"],
        ["search"],
        ["search", "a", "--order", "\x1b"],
        ["list", "--store", "\x1b[1m\n"],
        ["-\x1b"],
    ],
)
def test_an_error_message_is_one_inert_line(capsys, words):
    assert parsed(words) is None
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("leafmark")
    assert output.err.endswith("--help` says more\n")
    assert output.err[:-1].isprintable()


def test_stores_before_and_after_the_command_are_kept_in_order():
    words = ["--store", "pi=/a", "list", "--store", "omp=/b", "--store", "pi=/c"]
    wanted = [("pi", "/a"), ("omp", "/b"), ("pi", "/c")]
    read = parsed(words)
    assert read is not None
    assert read.store == wanted


@cases(
    "words",
    [
        ["list", "--limit", "many"],
        ["list", "--limit"],
        ["tree"],
        ["tree", "a", "b"],
        ["doctor", "a"],
        ["label", "a"],
        ["label", "a", "b", "c", "d"],
        ["labels", "a", "b"],
        ["rename", "a"],
        ["branch", "a", "b", "--new_file"],
        ["branch", "a", "b", "--summary", "-x"],
        ["fork", "a", "--last", "0"],
        ["label", "a", "b", "--new-file"],
        ["search"],
        ["search", "--json"],
        ["search", "a", "-x"],
        ["search", "a", "--limit", "-1"],
        ["search", "a", "--order", "better"],
        ["index", "a"],
        ["watch", "a"],
        ["restore"],
        ["undo", "a"],
        ["serach"],
        ["fly", "-x"],
        ["--json"],
        ["list", "--theme", "dark"],
    ],
)
def test_invalid_words_are_refused(words, capsys):
    with pytest.raises(SystemExit) as refused:
        parse(words)
    assert refused.value.code == 2
    assert capsys.readouterr().err


NUMBERS = [
    [name, f"--{option.name}"]
    for name, command in COMMANDS.items()
    for option in command.options
    if option.metavar == "N"
]


@cases("number", ["9223372036854775807", "9223372036854775808", "9" * 5_000])
@cases(("command", "option"), NUMBERS)
def test_no_number_is_too_large(command, option, number):
    read = parsed([command, option, number, "a"])
    assert read is not None
    assert getattr(read, option[2:]) == MANY


@cases("number", ["9223372036854775808", "9" * 5_000])
@cases("words", [["list"], ["list", "--json"], ["list", "quest"], ["search", "quest"]])
def test_a_huge_limit_means_all(run, home, words, number):
    write_session(home / ".pi/agent/sessions/--work--/1_s1.jsonl", *chain("question", "answer"))
    done = run(*words, "--limit", number)
    assert (done.code, done.err) == (0, "")
    assert "question" in done.out


def test_help_lists_every_option_of_the_table(capsys):
    for name, command in COMMANDS.items():
        assert parsed([name, "--help"]) is None
        text = capsys.readouterr().out
        assert all(f"--{option.name}" in text for option in (*command.options, *command.shared)), text
        assert ("--store" in text) == (name not in ("help", "config", "skill", "completion", "init")), name
    assert parsed(["--help"]) is None
    text = capsys.readouterr().out
    assert all(f"--{option.name}" in text for option in (*SHARED, *OWN)), text


def test_help_of_search_describes_the_query_language(capsys):
    assert parsed(["search", "--help"]) is None
    text = capsys.readouterr().out
    assert all(form in text for form, _, _ in language_table())


@cases("words", [["resume", "--theme", "light", "a"], ["--theme", "light", "resume", "a"]])
def test_options_of_the_screen_may_stand_on_either_side_of_resume(words):
    options = parsed(words)
    assert options is not None
    assert (options.command, options.theme, options.query) == ("resume", "light", ["a"])
