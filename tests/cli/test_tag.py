"""`leafmark tag`, its undo, and tags in `leafmark list`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.actions.journal import Journal
from app.stores import json_state
from tests.cases import cases
from tests.cli.conftest import brief
from tests.factory import chain, write_session


@pytest.fixture
def two(tmp_path):
    """Two sessions of pi."""
    folder = tmp_path / "home/.pi/agent/sessions/--work-app--"
    for id in ("one", "two"):
        write_session(folder / f"2026_{id}.jsonl", *chain(f"question {id}", "answer", id=id))
    return folder


def listed(run):
    assert run.returncode in (0, 1)
    return {session["session_id"]: session for session in json.loads(run.stdout)["sessions"]}


def test_tags_and_a_note_are_set_printed_listed_and_undone(leafmark, two):
    before = {path: path.read_bytes() for path in two.iterdir()}
    done = leafmark("tag", "one", "+client-x", "+urgent", "--note", "ask Ada")
    said = 'Tags of one: none → client-x urgent\nNote of one: none → "ask Ada"\n'
    assert (done.returncode, brief(done.stdout)) == (0, said)
    assert leafmark("tag", "one").stdout == "tags: client-x urgent\nnote: ask Ada\n"
    assert leafmark("tag", "--json", "one", "-urgent", "+b").returncode == 0
    document = json.loads(leafmark("tag", "one", "--json").stdout)
    assert (document["tags"], document["note"], document["changes"]) == (["client-x", "b"], "ask Ada", [])
    sessions = listed(leafmark("list", "--json"))
    assert (sessions["one"]["tags"], sessions["one"]["note"]) == (["client-x", "b"], "ask Ada")
    assert (sessions["two"]["tags"], sessions["two"]["note"]) == ([], None)
    assert leafmark("undo").stdout == "Undone: tags of one: client-x b → client-x urgent.\n"
    assert leafmark("undo").returncode == 0, "tags and note were one action"
    assert leafmark("tag", "one").stdout == "tags: none\nnote: none\n"
    assert {path: path.read_bytes() for path in two.iterdir()} == before


@pytest.mark.parametrize("fails_at", [1, 2])
def test_tags_and_a_note_are_written_both_or_not_at_all(leafmark, two, monkeypatch, fails_at):
    write, written = json_state.replace_file, []

    def full(*about, **more):
        written.append(about)
        if len(written) == fails_at:
            raise OSError(28, "No space left on device", about[0])
        write(*about, **more)

    monkeypatch.setattr(json_state, "replace_file", full)
    code = leafmark("tag", "one", "+b", "--note", "ask Ada").returncode
    both, none = "tags: b\nnote: ask Ada\n", "tags: none\nnote: none\n"
    assert (code, leafmark("tag", "one").stdout) in [(0, both), (3, none)]


def test_tags_and_a_note_are_one_change(leafmark, two, tmp_path):
    leafmark("tag", "one", "+a")
    assert leafmark("tag", "one", "+b", "-a", "--note", "ask Ada").returncode == 0
    journal = Journal(str(tmp_path / "home/.local/state/leafmark"))
    assert [len(steps) for steps in journal.actions()] == [1, 1]
    done = leafmark("undo", "--json")
    assert [change["undone"]["after"] for change in json.loads(done.stdout)["changes"]] == ["b", "ask Ada"]
    assert leafmark("tag", "one").stdout == "tags: a\nnote: none\n"


def test_tags_are_a_filter_and_a_note_is_found(leafmark, two):
    leafmark("tag", "one", "+Client-X", "--note", "the frobnicator")
    leafmark("tag", "two", "+urgent")
    for query, ids in (
        (["tag:client-x"], {"one"}),
        (["tag:client"], {"one"}),
        (["tag:#urgent"], {"two"}),
        (["-tag:client-x"], {"two"}),
        (["tag:x"], set()),
        (["frobnicator"], {"one"}),
        (["urgent"], {"two"}),
        (["frobnicator", "is:named"], set()),
        (["frobnicator", "agent:pi"], {"one"}),
    ):
        assert set(listed(leafmark("list", "--json", "--", *query))) == ids, query
    assert "question one" in leafmark("search", "question", "tag:client-x").stdout
    assert "question two" not in leafmark("search", "question", "tag:client-x").stdout


def test_tags_stay_with_a_session_whose_file_is_renamed(leafmark, two):
    leafmark("tag", "one", "+kept")
    (two / "2026_one.jsonl").rename(two / "2027_one.jsonl")
    assert listed(leafmark("list", "--json"))["one"]["tags"] == ["kept"]


@cases(
    ("words", "code", "reason"),
    [
        (["one", "plain"], 2, "'plain' is neither +tag nor -tag"),
        (["one", "+a b"], 2, "a tag has letters, digits and - _ . / only, not ' '"),
        (["one", "+" + "x" * 33], 2, "at most 32 characters, not 33"),
        (["one", "+a", "-a"], 2, "both added and removed"),
        (["one", "--nota", "x"], 2, "a tag begins with a letter or a digit"),
        (["one", "--note", "x" * 2_001], 2, "at most 2,000 characters"),
        (["nobody", "+a"], 1, "no session has the id"),
    ],
)
def test_wrong_uses_are_refused_in_one_line_and_nothing_is_written(leafmark, two, words, code, reason):
    run = leafmark("tag", *words)
    assert run.returncode == code
    assert reason in run.stderr or code == 1
    assert len(run.stderr.splitlines()) == 1
    assert leafmark("tag", "one").stdout == "tags: none\nnote: none\n"


def test_a_tag_that_looks_like_an_option_is_removed_and_help_is_help(leafmark, two):
    leafmark("tag", "one", "+json", "+help2", "+h")
    assert brief(leafmark("tag", "one", "-json", "-help2").stdout) == "Tags of one: json help2 h → h\n"
    assert "[TAGS ...]" in leafmark("tag", "--help").stdout


def test_a_state_folder_that_cannot_be_written_is_one_line(leafmark, two, tmp_path):
    state = tmp_path / "file"
    state.write_text("no folder")
    run = leafmark("tag", "one", "+a", LEAFMARK_STATE_DIR=str(state))
    assert run.returncode == 3
    assert "Not a directory" in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert Path(state).read_text() == "no folder"


def test_the_doctor_names_a_damaged_file_of_tags(leafmark, two, tmp_path):
    state = tmp_path / "state"
    state.mkdir()
    (state / "tags.json").write_text("{")
    run = leafmark("doctor", LEAFMARK_STATE_DIR=str(state))
    assert "no tags are known of it: not JSON" in run.stdout
