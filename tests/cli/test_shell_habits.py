"""What people type in a shell: a query or an id without a command, a misspelled command, the newest session,
and the beginning of several ids.
"""

from __future__ import annotations

import pytest

from app import full_screen
from app.cli_options import parse
from tests.cases import cases
from tests.factory import chain, write_session


@pytest.fixture
def sessions(home):
    """Six sessions, of which two belong to the current folder."""
    folder = home / ".pi/agent/sessions/--work--"
    for number in range(6):
        cwd = str(home.parent) if number in (2, 3) else "/work/app"
        write_session(
            folder / f"2026_{number}.jsonl",
            *chain(f"prompt {number}", "answer", id=f"aaaa111{number}", cwd=cwd),
        )
    return folder


@pytest.fixture
def opened(monkeypatch):
    """Give the program a terminal; what it would open is recorded instead: (first query, first session)."""
    calls = []

    def run(setup, theme, ending, query=None, *, typed="", begin_at="", news=""):
        calls.append((typed, begin_at))
        return None, 0, ""

    monkeypatch.setattr(full_screen, "missing", lambda: "")
    monkeypatch.setattr(full_screen, "run", run)
    return calls


@cases(
    ("words", "query"),
    [
        (["flaky", "login"], "flaky login"),
        (["--", "list"], "list"),
        (["--theme", "light", "is:named"], "is:named"),
        (["redis", "--theme", "light"], "redis"),
        (["redis", "list"], "redis list"),
        (["--store", "pi=/x", "--", "-redis", "list"], "-redis list"),
        # a word of the same length as a short command is a word
        (["work"], "work"),
        (["crash"], "crash"),
        (["for"], "for"),
        (["lit"], "lit"),
    ],
)
def test_words_that_begin_with_no_command_are_a_query_of_the_browser(words, query):
    options = parse(words)
    assert (options.command, " ".join(options.query)) == (None, query)


@cases(
    ("word", "command"),
    [
        ("serach", "search"),
        ("lists", "list"),
        ("lst", "list"),
        ("labeel", "label"),
        ("resune", "resume"),
        ("exprot", "export"),
    ],
)
def test_a_misspelled_command_is_an_error_that_names_the_command(run, word, command):
    done = run(word, "x")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert f"did you mean '{command}'? `leafmark -- {word}`" in done.err


def test_a_query_opens_the_browser_with_the_query(run, sessions, opened):
    assert run("prompt", "agent:pi").code == 0
    assert opened == [("prompt agent:pi", "")]


def test_an_id_or_a_path_opens_the_browser_at_that_session(run, sessions, opened):
    path = str(sessions / "2026_4.jsonl")
    assert run("aaaa1114").code == 0
    assert run(path).code == 0
    # no session has this id, which may stand in a text
    assert run("bbbb1114").code == 0
    assert opened == [("", path), ("", path), ("bbbb1114", "")]
    stray = write_session(sessions.parent.parent / "stray.jsonl", *chain("a"))
    done = run(stray)
    assert (done.code, done.out) == (1, "")
    assert "in no known store" in done.err


def test_the_newest_session_of_the_folder_is_resumed(run, sessions):
    done = run("resume", "--last", "--print")
    assert done.code == 0
    assert "2026_3.jsonl" in done.out
    assert run("resume", "--last", "prompt").err == "leafmark: --last has no place beside a query\n"


def test_a_folder_without_sessions_has_no_newest(run, home):
    done = run("resume", "--last", "--print")
    assert (done.code, done.out) == (1, "")
    assert f"no session works in {home.parent}" in done.err


def test_an_ambiguous_id_lists_five_sessions_to_choose_from(run, sessions):
    for words in (
        ["tree", "aaaa"],
        ["trash", "aaaa"],
        ["labels", "aaaa"],
    ):
        done = run(*words)
        assert (done.code, done.out) == (2, "")
        first, *rows, last = done.err.splitlines()
        assert first.startswith("leafmark: 'a")
        assert first.endswith(" fits 6 sessions:")
        assert len(rows) == 5
        assert rows[0].split()[:1] == ["aaaa1110"]
        assert rows[0].endswith("pi        prompt 0")
        assert last == "  and 1 more"


def test_two_files_with_one_id_are_told_apart_by_their_paths(run, sessions):
    copy = write_session(sessions.parent / "--copy--/2026_0.jsonl", *chain("copy", id="aaaa1110"))
    done = run("tree", "aaaa1110")
    assert done.code == 2
    assert str(copy) in done.err
