"""Messages about a query, and about an empty list."""

from __future__ import annotations

from app.index.query import unknown_filters
from app.view import nothing_matches, nothing_shown, spelling_note, unknown_note
from tests.cases import cases


@cases(
    ("query", "found"),
    [
        ("foo:bar", ["foo"]),
        ("folder:x -agents:pi", ["folder dir", "agents agent"]),
        ("agent:pi label:todo re:x:y is:", []),
        ("std::vector http://x localhost:80 12:30 app.py:3 c:x", []),
        ('"foo:bar" foo', []),
    ],
)
def test_words_that_look_like_filters(query, found):
    assert [note.message for note in unknown_filters(query)] == found


def test_another_spelling_is_named_with_its_sessions():
    assert spelling_note({"lgin": ("login",)}, 4) == 'No "lgin"; showing login (4 sessions)'
    assert (
        spelling_note({"a": ("b", "c"), "zz": ()}, 1) == 'No match for "zz"; No "a"; showing b, c (1 session)'
    )
    assert spelling_note({}, 3) == ""
    assert "\x1b" not in spelling_note({"\x1b[0m": ("\u202e",)}, 1)


def test_an_unknown_filter_is_named_with_the_way_out():
    assert unknown_note("foo", "", "F1") == "foo: is not a filter; searched as text (F1: filters)"
    assert unknown_note("cwd", "dir", "F1") == "cwd: is not a filter; searched as text (try dir:)"
    assert unknown_note("foo", "", "") == "foo: is not a filter; searched as text"


@cases(
    ("here", "elsewhere", "told"),
    [
        (7, 3, "None of the 7 sessions here matches; 3 elsewhere do (s)"),
        (1, 1, "The session here does not match; 1 elsewhere does (s)"),
        (7, 0, "No session in this folder matches “x”."),
    ],
)
def test_matches_elsewhere_are_counted(here, elsewhere, told):
    first, *_ = nothing_matches("x", ["here"], {"here": "s"}, so_far=False, here=here, elsewhere=elsewhere)
    assert first == told


def test_a_folder_without_sessions_is_not_one_without_matches():
    assert nothing_shown("here", {"here": "Tab"}, elsewhere=3) == [
        "No sessions in this folder; 3 elsewhere match (Tab)"
    ]
    assert nothing_shown("here", {"here": "Tab"}) == ["No sessions in this folder.", "Tab shows all folders."]
