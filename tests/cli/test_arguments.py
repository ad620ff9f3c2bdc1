"""Two readers of one command line: what is spelled plainly, and argparse, which is the judge of both."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import usage
from app.arguments import COMMANDS, MANY, OWN, SHARED, plain
from app.index.query.describe import table
from tests.factory import chain, write_session

EVERY_OPTION = [*SHARED, *OWN, *(option for command in COMMANDS.values() for option in command.options)]
VALUES = [
    "dark",
    "light",
    "0",
    "50",
    "9" * 5_000,
    "007",
    "٣",
    "many",
    "pi=/x",
    "omp=~/y",
    "pi=",
    "nobody=/x",
    "",
    " ",
    "-1",
]
WORDS = [
    *COMMANDS,
    *(f"--{option.name}" for option in EVERY_OPTION),
    *VALUES,
    *("fly", "a b", "-- x", "-", "--", "-h", "--help", "--version", "--limi", "--store=pi=/z", "--limit=3"),
]


def by_argparse(words):
    """What argparse makes of the words; None when it refuses them, or prints something instead."""
    try:
        return usage.parse(words)
    except SystemExit:
        return None


@given(st.lists(st.sampled_from(WORDS), max_size=7))
def test_what_is_read_plainly_argparse_reads_the_same(words):
    read = plain(words)
    if read is not None:
        assert by_argparse(words) == read


@given(
    before=st.lists(st.sampled_from([["--demo"], ["--store", "pi=/x"], ["--theme", "dark"]]), max_size=3),
    command=st.sampled_from(
        [
            ["list"],
            ["list", "a"],
            ["list", "a", "b c", ""],
            ["tree", "abc"],
            ["doctor"],
            ["labels"],
            ["labels", "abc"],
            ["label", "abc", "e", "a text"],
            ["label", "abc", "e", "--clear"],
            ["label", "--clear", "abc", "e"],
            ["rename", "abc", ""],
            ["branch", "abc", "root", "--summary", "a b", "--new-file"],
            ["fork", "abc"],
            ["fork", "--entry", "e", "abc", "--to", "x", "--last", "3"],
            ["search", "a"],
            ["search", "--order", "relevance", "--every", "a b", "label:c", "--all-text", "--limit", "0"],
            ["search", ""],
            ["index"],
            ["index", "--rebuild"],
            ["index", "--verify"],
            ["index", "--where"],
            ["watch"],
            ["trash", "a"],
            ["trash", "a", "b c", "--anyway"],
            ["trash", "--list"],
            ["restore", "a", "b c"],
            ["undo"],
        ]
    ),
    behind=st.lists(st.sampled_from([["--demo"], ["--json"], ["--store", "omp=/y"]]), max_size=3),
)
def test_plain_command_lines_are_read_without_argparse(before, command, behind):
    words = [word for part in (*before, command, *behind) for word in part]
    read = plain(words)
    assert read is not None
    assert read == by_argparse(words)
    assert read.command == command[0]


def test_options_may_stand_before_the_words_of_a_command():
    read = plain(["list", "--limit", "3", "--json", "a", "b"])
    assert read is not None
    assert (read.limit, read.json, read.query) == (3, True, ["a", "b"])
    assert read == by_argparse(["list", "--limit", "3", "--json", "a", "b"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["label", "s", "e", "--json", "t"], {"session": "s", "entry": "e", "text": "t"}),
        (["label", "s", "--json", "e", "--", "-t"], {"session": "s", "entry": "e", "text": "-t"}),
        (["list", "a", "--limit", "3", "b", "--json", "c"], {"query": ["a", "b", "c"], "limit": 3}),
        (["trash", "a", "--anyway", "b", "--json"], {"sessions": ["a", "b"], "anyway": True}),
        (["fork", "--to", "d", "s", "--store", "pi=/x", "--json"], {"to": "d", "store": [("pi", "/x")]}),
    ],
)
def test_options_may_stand_between_the_words_of_a_command(words, said):
    read = by_argparse(words)
    assert read is not None
    assert read.json
    assert {name: getattr(read, name) for name in said} == said


def test_words_and_options_go_where_the_table_says():
    read = plain(["label", "--json", "s", "e", "t"])
    assert read is not None
    assert (read.session, read.entry, read.text, read.clear) == ("s", "e", "t", False)
    read = plain(["label", "s", "e", "--clear"])
    assert read is not None
    assert (read.session, read.entry, read.text, read.clear) == ("s", "e", None, True)
    read = plain(["branch", "s", "root", "--new-file", "--summary", "t"])
    assert read is not None
    assert (read.entry, read.new_file, read.summary) == ("root", True, "t")
    read = plain(["fork", "s", "--entry", "e", "--to", "d", "--last", "7"])
    assert read is not None
    assert (read.session, read.entry, read.to, read.last) == ("s", "e", "d", 7)
    read = plain(["search", "--all-text", "a", "b c", "--order", "relevance", "--every", "--limit", "2"])
    assert read is not None
    assert (read.query, read.all_text, read.order) == (["a", "b c"], True, "relevance")
    assert (read.every, read.limit) == (True, 2)
    for words, session in ((["labels"], ""), (["labels", "s"], "s")):
        read = plain(words)
        assert read is not None
        assert read.session == session


def test_a_word_that_begins_with_a_dash_is_one_behind_two(capsys):
    for words in (["label", "s", "e", "--", "-x"], ["label", "--", "s", "e", "-x"]):
        read = by_argparse(words)
        assert read is not None
        assert (read.session, read.entry, read.text) == ("s", "e", "-x")
    for words in (["search", "--json", "a", "--", "-x"], ["search", "--json", "--", "a", "-x"]):
        read = by_argparse(words)
        assert read is not None
        assert (read.query, read.json) == (["a", "-x"], True)
    read = by_argparse(["search", "--", "-x", "--json", "--", "-y z"])
    assert read is not None
    assert (read.query, read.json) == (["-x", "--json", "--", "-y z"], False)


@pytest.mark.parametrize(
    "words",
    [
        ["fly"],
        ["tree"],
        ["search"],
        ["search", "a", "--order", "\x1b"],
        ["--theme", "a\nb"],
        ["list", "--store", "\x1b[1m\n"],
        ["-\x1b"],
    ],
)
def test_a_complaint_is_one_inert_line(capsys, words):
    assert by_argparse(words) is None
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("leafmark")
    assert told.err.endswith("--help` says more\n")
    assert told.err[:-1].isprintable()


def test_stores_before_and_behind_the_command_are_all_kept_in_order():
    words = ["--store", "pi=/a", "list", "--store", "omp=/b", "--store", "pi=/c"]
    wanted = [("pi", "/a"), ("omp", "/b"), ("pi", "/c")]
    for read in (plain(words), by_argparse(words)):
        assert read is not None
        assert read.store == wanted


@pytest.mark.parametrize(
    "words",
    [
        ["list", "a", "--json", "b"],
        ["list", "--limit=3"],
        ["list", "--lim", "3"],
        ["list", "--limit", "many"],
        ["list", "--limit"],
        ["list", "--", "-x"],
        ["tree"],
        ["tree", "a", "b"],
        ["doctor", "a"],
        ["label", "a"],
        ["label", "a", "b", "c", "d"],
        ["label", "a", "b", "--json", "c"],
        ["labels", "a", "b"],
        ["rename", "a"],
        ["branch", "a", "b", "--new_file"],
        ["branch", "a", "b", "--summary", "-x"],
        ["fork", "a", "--last", "0"],
        ["label", "a", "b", "--new-file"],
        ["search"],
        ["search", "--json"],
        ["search", "a", "-x"],
        ["search", "--", "-x"],
        ["search", "a", "--limit", "-1"],
        ["search", "a", "--order", "best"],
        ["index", "a"],
        ["watch", "a"],
        ["restore"],
        ["undo", "a"],
        ["trash", "a", "--anyway", "b"],
        ["fly"],
        ["--json"],
        ["list", "--theme", "dark"],
        ["resume", "--theme", "blue"],
        ["-h"],
    ],
)
def test_what_is_not_plain_is_left_to_argparse(words):
    assert plain(words) is None


NUMBERS = [
    [name, f"--{option.name}"]
    for name, command in COMMANDS.items()
    for option in command.options
    if option.metavar == "N"
]


@pytest.mark.parametrize("number", ["9223372036854775807", "9223372036854775808", "9" * 5_000])
@pytest.mark.parametrize(("command", "option"), NUMBERS)
def test_no_number_is_too_large(command, option, number):
    read = plain([command, option, number, "a"])
    assert read is not None
    assert getattr(read, option[2:]) == MANY


@pytest.mark.parametrize("number", ["9223372036854775808", "9" * 5_000])
@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["list", "quest"], ["search", "quest"]])
def test_more_than_there_can_be_is_all(run, home, words, number):
    write_session(home / ".pi/agent/sessions/--work--/1_s1.jsonl", *chain("question", "answer"))
    done = run(*words, "--limit", number)
    assert (done.code, done.err) == (0, "")
    assert "question" in done.out


def test_every_option_of_the_table_is_one_of_argparse(capsys):
    for name, command in COMMANDS.items():
        assert by_argparse([name, "--help"]) is None
        told = capsys.readouterr().out
        assert all(f"--{option.name}" in told for option in (*command.options, *SHARED)), told
    assert by_argparse(["--help"]) is None
    told = capsys.readouterr().out
    assert all(f"--{option.name}" in told for option in (*SHARED, *OWN)), told


def test_help_on_searching_says_what_can_be_looked_for(capsys):
    assert by_argparse(["search", "--help"]) is None
    told = capsys.readouterr().out
    assert all(what in told for what, _, _ in table())


def test_a_plain_command_line_loads_no_argparse():
    program = (
        "import sys; from app.cli import _options; _options(['list', '--limit', '3', 'a']);"
        " sys.exit('argparse' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-S", "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("words", [["resume", "--theme", "light", "a"], ["--theme", "light", "resume", "a"]])
def test_the_selector_takes_the_options_of_the_screen_on_either_side(words):
    options = plain(words)
    assert options is not None
    assert (options.command, options.theme, options.query) == ("resume", "light", ["a"])
    assert by_argparse(words) == options
