"""``is:`` and ``ending``: how sessions ended, in the words of the list."""

from __future__ import annotations

import json

import pytest

from tests.factory import chain, message, write_session

ENDINGS = {
    "done": {"stopReason": "stop"},
    "failed": {"stopReason": "error", "errorMessage": "overloaded"},
    "aborted": {"stopReason": "aborted"},
    "interrupted": {"stopReason": "toolUse"},
}


@pytest.fixture
def sessions(home):
    store = home / ".pi/agent/sessions/--w--"
    for name, fields in ENDINGS.items():
        lines = [*chain("needle", id=name), message("00000002", "00000001", "assistant", "x", 2, **fields)]
        write_session(store / f"{name}.jsonl", *lines)
    return store


@pytest.mark.parametrize("state", ENDINGS)
def test_a_state_finds_its_sessions(run, sessions, state):
    listed = json.loads(run("list", "--json", f"is:{state}").out)["sessions"]
    assert [(session["session_id"], session["ending"]) for session in listed] == [(state, state)]
    hits = json.loads(run("search", "--json", f"needle is:{state}").out)["hits"]
    assert [hit["session_id"] for hit in hits] == [state]


def test_a_line_of_a_format_has_the_ending(run, sessions):
    assert run("list", "--format", "{id} {ending}", "is:failed").out == "failed failed\n"
