"""Labels are set, changed and cleared (formats/README.md, "Results of writing")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.actions import label
from app.sessions import AmbiguousEntry, NotASession, NotThere, ReadOnly, UnknownEntry
from app.stores import named
from tests.actions.conftest import bytes_of, lines_of, read_only, reopened
from tests.cases import cases
from tests.factory import chain, message, write_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.sessions.manager.conftest import Home


@pytest.mark.parametrize("agent", ["pi", "omp", "indusagi"])
def test_a_label_is_set_changed_and_cleared(home: Home, agent: str) -> None:
    manager = home.answered(agent)
    path, target = manager.session_file or "", manager.get_entries()[0].id
    os.utime(path, ns=(1, 2_000))
    changes = []
    for text in ("one", "two", ""):
        change = label(path, target, text, home.env)
        changes.append((change.before, change.after))
        assert (change.kind, change.target_id, change.agent) == ("label", target, agent)
        assert change.session_id == manager.session_id
        assert reopened(home, path).get_label(target) == (text or None)
    assert changes == [(None, "one"), ("one", "two"), ("two", None)]
    assert os.stat(path).st_mtime_ns == 2_000


def test_a_label_keeps_the_branch_of_the_leaf(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    label(path, "00000002", "x", home.env)
    assert [entry.id for entry in reopened(home, path).get_branch()][:2] == ["00000001", "e"]


def test_an_unchanged_label_is_not_written_again(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path()
    assert label(path, "e", "", home.env).entry_id == ""
    label(path, "e", "x", home.env)
    before = bytes_of(path)
    change = label(path, "e", " x\n", home.env)
    assert (change.entry_id, change.before, change.after) == ("", "x", "x")
    assert bytes_of(path) == before


@cases(
    ("text", "kept"),
    [("a\nb\tc", "a b c"), ("\x1b[2Jx", "[2Jx"), ("\udcff", "\ufffd"), ("日本 🧪", "日本 🧪")],
)
def test_a_label_is_one_line(home: Home, forked_path: Callable[..., str], text: str, kept: str) -> None:
    path = forked_path()
    assert label(path, "e", text, home.env).after == kept
    assert reopened(home, path).get_label("e") == kept


def test_an_entry_is_named_by_a_unique_beginning_of_its_id(
    home: Home, forked_path: Callable[..., str]
) -> None:
    path = forked_path(message("ab1", "e", "user", "x"), message("ab2", "ab1", "user", "y"))
    assert label(path, "ab1", "x", home.env).target_id == "ab1"
    assert label(path, "00000002", "x", home.env).target_id == "00000002"
    before = bytes_of(path)
    for prefix, error in (
        ("ab", AmbiguousEntry),
        ("0", AmbiguousEntry),
        ("z", UnknownEntry),
        ("", UnknownEntry),
    ):
        with pytest.raises(error) as caught:
            label(path, prefix, "x", home.env)
        assert caught.value.path == path
        assert repr(prefix) in str(caught.value)
    assert bytes_of(path) == before


def test_a_whole_id_names_its_entry_even_if_others_begin_with_it(
    home: Home, forked_path: Callable[..., str]
) -> None:
    path = forked_path(message("e1", "e", "user", "x"))
    assert label(path, "e", "x", home.env).target_id == "e"


def test_a_duplicate_id_is_ambiguous(home: Home, forked_path: Callable[..., str]) -> None:
    path = forked_path(message("e", None, "user", "again"))
    before = bytes_of(path)
    with pytest.raises(AmbiguousEntry):
        label(path, "e", "x", home.env)
    assert bytes_of(path) == before


@cases(
    ("agent", "why"),
    [
        ("agent", "labels"),
        ("indusagi", "labels"),
        ("claude", "only reads"),
        ("codex", "only reads"),
    ],
)
def test_formats_without_labels_are_refused(home: Home, agent: str, why: str) -> None:
    path = read_only(home, agent)
    before = bytes_of(path)
    with pytest.raises(ReadOnly, match=why):
        label(path, "m1", "x", home.env)
    assert bytes_of(path) == before


def test_a_label_creates_no_session(home: Home) -> None:
    empty = home.folder / "empty.jsonl"
    empty.write_bytes(b"")
    with pytest.raises(NotASession):
        label(str(empty), "e", "x", home.env)
    assert empty.read_bytes() == b""
    with pytest.raises(NotThere):
        label(str(home.folder / "none.jsonl"), "e", "x", home.env)
    assert [file.name for file in home.folder.iterdir()] == ["empty.jsonl"]


def test_the_store_decides_the_agent_of_a_session(home: Home) -> None:
    """The file may be of omp or of pi: without the store, images would be written as pi does."""
    path = write_session(home.folder / "elsewhere/s.jsonl", *chain("q", "a"))
    (store,) = named([("omp", str(home.folder / "elsewhere"))], home.env, str(home.folder), "/")
    assert label(str(path), "00000001", "x", home.env).agent == "pi"
    assert label(str(path), "00000001", "y", home.env, store).agent == "omp"


def test_an_old_file_is_migrated_only_by_a_label_that_is_written(home: Home) -> None:
    path = write_session(
        home.folder / "old.jsonl",
        '{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}',
        '{"type":"message","message":{"role":"user","content":"q"}}',
        '{"type":"message","message":{"role":"assistant","content":[]}}',
    )
    path.chmod(0o640)
    before = bytes_of(str(path))
    with pytest.raises(UnknownEntry):
        label(str(path), "nowhere", "x", home.env)
    assert bytes_of(str(path)) == before
    first = reopened(home, str(path)).get_entries()[0].id
    assert label(str(path), first, "x", home.env).target_id == first
    assert b'"version":3' in lines_of(str(path))[0]
    assert path.stat().st_mode & 0o777 == 0o640
    assert reopened(home, str(path)).get_label(first) == "x"
