"""``leafmark index``: update, rebuild, comparison with the files, and location."""

from __future__ import annotations

import json
import os
import re

import pytest

# imported here, because inside a test the modules may be unreadable
from app.index import SCHEMA, Delta
from app.reports.output import Progress
from tests.denied import deny
from tests.factory import chain, message, write_session

_SKIPPED = "leafmark: 1 file was not read; `leafmark doctor` says why\n"
"""The note about the file that is no session."""


@pytest.fixture
def folder(home):
    folder = home / ".pi/agent/sessions/--work--"
    write_session(folder / "a.jsonl", *chain("hello", "there", id="aaaa"))
    write_session(folder / "b.jsonl", *chain("more", id="bbbb"))
    write_session(folder / "none.jsonl", "nothing of a session")
    return folder


def run_json(run, *words):
    done = run("index", *words, "--json")
    assert done.err == ""
    return done.code, json.loads(done.out)


def test_the_numbers_of_a_scan_are_printed(run, folder):
    code, document = run_json(run)
    assert code == 0
    assert document.pop("seconds") >= 0
    assert document.pop("text_bytes") > 0
    assert document.pop("dead_bytes") == 0
    assert document == {
        "schema": 3,
        "whole": 3,
        "tails": 0,
        "bytes": sum((folder / name).stat().st_size for name in ("a.jsonl", "b.jsonl")),
        "sessions": 2,
        "refused": 1,
        "passed_over": 0,
        "kept": 0,
    }


def test_rebuild_reads_everything_again(run, folder):
    run("index")
    _, document = run_json(run, "--rebuild")
    assert (document["whole"], document["sessions"]) == (3, 2)


def test_a_right_index_has_no_findings(run, folder):
    run("index")
    assert run_json(run, "--verify") == (
        0,
        {"schema": 3, "checked": 3, "changed": 0, "without_text": 0, "findings": [], "repaired": 0},
    )
    assert run("index", "--verify").out == "3 files compared, 0 differences\n"


def test_a_difference_is_repaired_and_said(run, folder, home):
    run("index")
    (segment,) = (home / ".cache/leafmark").glob("text-*/*.written")
    segment.write_bytes(segment.read_bytes().replace(b"there", b"thore"))
    done = run("index", "--verify")
    assert done.code == 3
    lines = done.out.splitlines()
    assert lines[0].startswith("~/.pi/agent/sessions/--work--/a.jsonl: ")
    assert lines[1:] == ["3 files compared, 1 difference", "1 file read again: the index is repaired"]
    assert run("index", "--verify").code == 0
    assert "there" in run("search", "there").out


def test_damaged_text_is_read_again_by_a_search_and_said_once(run, folder, home):
    run("index")
    for segment in (home / ".cache/leafmark").glob("text-*/*.folded"):
        segment.write_bytes(segment.read_bytes().replace(b"there", b"thore"))
    done = run("search", "there")
    assert (done.code, done.err) == (
        0,
        f"{_SKIPPED}leafmark: the cached text of a session was damaged: its file was read again\n",
    )
    assert run("search", "there") == (0, done.out, _SKIPPED)
    assert run("index", "--verify").code == 0


def test_unread_files_are_not_compared(run, folder):
    assert run_json(run, "--verify")[1]["changed"] == 3
    assert "3 files not compared" in run("index", "--verify").out


def test_where_prints_the_location_and_creates_nothing(run, folder, home):
    code, document = run_json(run, "--where")
    cache = home / ".cache/leafmark"
    assert code == 0
    assert (document["folder"], document["sessions"], document["catalog_bytes"]) == (str(cache), 0, 0)
    assert not cache.exists()
    run("index")
    _, document = run_json(run, "--where")
    assert document["sessions"] == 2
    assert document["text_bytes"] == sum(path.stat().st_size for path in cache.glob("text-*/*.folded"))
    assert os.path.isfile(document["catalog"])
    text = run("index", "--where").out
    assert "~/.cache/leafmark/catalog-" in text
    assert "2 sessions" in text


def test_conflicting_options_are_refused(run, folder):
    for words in (("--rebuild", "--where"), ("--verify", "--rebuild"), ("--where", "--verify")):
        done = run("index", *words)
        assert (done.code, done.out) == (2, "")
        assert all(word in done.err for word in words)


def test_the_examples_have_their_own_cache(run, home):
    _, document = run_json(run, "--demo")
    assert document["sessions"] > 10
    assert [path.name for path in home.iterdir()] == []


def test_progress_is_shown_on_a_terminal_and_erased(capsys, monkeypatch):
    seconds = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: seconds[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Progress() as progress:
        for now, done in ((0.1, 1), (0.3, 2), (0.35, 3), (0.5, 4_000)):
            seconds[0] = now
            progress.read(Delta([], [], done, 5_000))
    expected = "\rreading 2 of 5,000 files\x1b[K\rreading 4,000 of 5,000 files\x1b[K\r\x1b[K"
    assert capsys.readouterr().err == expected
    with Progress():
        pass
    assert capsys.readouterr().err == ""


def test_a_failed_deletion_has_its_own_message(run, folder, monkeypatch):
    run("index")

    def refuse(folder):
        raise PermissionError(13, "Permission denied", folder)

    monkeypatch.setattr("app.reports.index.rebuild", refuse)
    done = run("index", "--rebuild")
    assert done.code == 3
    assert done.err.startswith("leafmark: what is kept cannot be deleted: ")
    assert done.err.endswith(": Permission denied\n")


@pytest.fixture
def make_readonly(home, monkeypatch):
    """A function that makes the existing cache folder unwritable and returns it."""
    cache = home / ".cache/leafmark"
    cache.mkdir(parents=True, exist_ok=True)
    real_open = os.open

    def refuse(path, flags, *arguments, **options):
        if str(path).startswith(str(cache)) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise PermissionError(13, "Permission denied", path)
        return real_open(path, flags, *arguments, **options)

    def make_read_only():
        monkeypatch.setattr(os, "open", refuse)
        return cache

    return make_read_only


def test_an_unwritable_empty_cache_is_not_called_damaged(run, folder, make_readonly):
    cache = make_readonly()
    note = f"leafmark: the list is kept in memory only: {cache}/catalog-{SCHEMA}.db: Permission denied\n"
    assert run("index", "--verify") == (0, "nothing compared: nothing is kept of any file\n", note)
    done = run("index", "--rebuild")
    assert (done.code, done.err) == (3, note), "nothing is kept"
    assert done.out.startswith("2 sessions, 0 bytes of text\n")
    assert run("index").code == 3
    document = json.loads(run("index", "--verify", "--json").out)
    assert (document["checked"], document["changed"], document["findings"]) == (0, 0, [])


def test_a_damaged_cache_that_cannot_be_replaced_is_reported(run, folder, make_readonly):
    run("index")
    cache = make_readonly()
    for name in (f"catalog-{SCHEMA}.db-wal", f"catalog-{SCHEMA}.db-shm"):
        (cache / name).unlink(missing_ok=True)
    catalog = cache / f"catalog-{SCHEMA}.db"
    catalog.write_bytes(b"garbage" * 1_000)
    done = run("index", "--verify")
    assert done.code == 3
    reason = "it is damaged, or cannot be read: nothing that it holds was compared"
    assert done.out.splitlines()[0] == f"~/.cache/leafmark/{catalog.name}: {reason}"
    done = run("index", "--rebuild")
    assert (done.code, done.out) == (3, "")
    assert done.err == f"leafmark: what is kept cannot be deleted: {cache}: Permission denied\n"


def test_an_unreadable_file_is_counted_once(run, folder, monkeypatch):
    """It counts as passed over: it may be a session, but nothing of it was read."""
    secret = folder / "secret.jsonl"
    write_session(secret, *chain("secret", id="cccc"))
    denied = deny(monkeypatch, str(secret))
    _, document = run_json(run)
    assert [document[name] for name in ("whole", "tails", "sessions", "refused", "passed_over")] == [
        3,
        0,
        2,
        1,
        1,
    ]
    assert run("index").out.splitlines()[-1] == "2 files skipped; `leafmark doctor` says why"
    assert len(json.loads(run("doctor", "--json").out)["skipped"]) == 2
    # A known session stays in the list.
    denied.append(str(folder / "a.jsonl"))
    with (folder / "a.jsonl").open("a") as file:
        file.write(json.dumps(message("e", "00000002", "user", "again")) + "\n")
    _, document = run_json(run)
    assert [document[name] for name in ("whole", "tails", "sessions", "refused", "passed_over")] == [
        0,
        0,
        2,
        1,
        2,
    ]


def test_an_unreadable_file_does_not_count_as_changed(run, folder, monkeypatch):
    """It makes no difference whether the index knows the file."""
    secret = folder / "secret.jsonl"
    write_session(secret, *chain("secret", id="cccc"))
    deny(monkeypatch, str(secret))
    reason = "it cannot be read, and nothing is kept of it: not readable"
    for _ in range(2):
        code, document = run_json(run, "--verify")
        assert (code, document["findings"]) == (3, [{"path": str(secret), "what": reason}])
        run("index")
    assert (document["checked"], document["changed"]) == (3, 0)
    monkeypatch.undo()


@pytest.mark.parametrize("is_known", [True, False])
def test_an_unreadable_folder_is_found_once(run, folder, monkeypatch, is_known):
    """It makes no difference whether the index knows its files, which do not count as changed."""
    locked = folder.parent / "--locked--"
    write_session(locked / "c.jsonl", *chain("secret", id="cccc"))
    write_session(locked / "d.jsonl", *chain("secret", id="dddd"))
    real_scandir = os.scandir

    def refuse(path):
        if str(path) == str(locked):
            raise PermissionError(13, "Permission denied", path)
        return real_scandir(path)

    if is_known:
        run("index")
    monkeypatch.setattr(os, "scandir", refuse)
    for _ in range(2):
        if not is_known:
            run("index")
        code, document = run_json(run, "--verify")
        reason = "it cannot be read: not readable"
        assert (code, document["findings"]) == (3, [{"path": str(locked), "what": reason}])
        assert (document["checked"], document["changed"]) == (3, 0)
        run("index")
    line = "~/.pi/agent/sessions/--locked--: it cannot be read: not readable\n"
    assert line in run("index", "--verify").out
    monkeypatch.undo()


def test_a_file_that_fails_in_the_middle_is_found(run, folder, monkeypatch):
    path = folder / "half.jsonl"
    write_session(path, *chain(*(["many words"] * 20_000), id="cccc"))
    real_functions = os.read, os.pread

    def fail_late(reading):
        def read(descriptor, size, *offset):
            position = offset[0] if offset else os.lseek(descriptor, 0, os.SEEK_CUR)
            if position > 0 and os.path.samestat(os.fstat(descriptor), os.stat(path)):
                raise OSError(5, "Input/output error")
            return reading(descriptor, size, *offset)

        return read

    monkeypatch.setattr(os, "read", fail_late(real_functions[0]))
    monkeypatch.setattr(os, "pread", fail_late(real_functions[1]))
    run("index")
    code, document = run_json(run, "--verify")
    reason = "it cannot be read, and nothing is kept of it: Input/output error"
    assert (code, document["findings"]) == (3, [{"path": str(path), "what": reason}])
    monkeypatch.undo()
    run("index")
    assert run_json(run, "--verify")[0] == 0


@pytest.fixture
def locked_cache(home, tmp_path):
    """A function that makes the existing cache folder read-only for this user and returns it."""
    modes = {path: path.stat().st_mode for path in (tmp_path, *tmp_path.parents)}
    cache = home / ".cache/leafmark"
    is_root = os.geteuid() == 0

    def lock():
        for path in [*cache.rglob("*"), cache]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        if is_root:
            for path, mode in modes.items():
                if mode & 0o055 != 0o055:
                    path.chmod(mode | 0o055)
            os.setresuid(65_534, 65_534, 0)
        return cache

    yield lock
    if is_root:
        os.setresuid(0, 0, 0)
    for path in [cache, *cache.rglob("*")]:
        path.chmod(0o755)
    for path, mode in modes.items():
        if path.stat().st_mode != mode:
            path.chmod(mode)


def test_a_readonly_cache_is_enough_while_nothing_changes(run, folder, locked_cache):
    run("index")
    # Load the modules now, because later they may be unreadable.
    run("index", "--verify")
    run("search", "hello")
    catalog = locked_cache() / f"catalog-{SCHEMA}.db"
    note = f"leafmark: what is new is kept in memory only: {catalog}: Permission denied\n"
    done = run("index", "--json")
    assert (done.code, done.err) == (0, note)
    document = json.loads(done.out)
    assert (document["whole"], document["tails"], document["sessions"]) == (0, 0, 2)
    assert run("index", "--verify") == (0, "3 files compared, 0 differences\n", note)
    assert run("search", "hello").err == note + _SKIPPED


@pytest.mark.parametrize("change", ["new", "more", "gone"])
def test_changes_beside_a_readonly_cache_are_not_stored(run, folder, locked_cache, change):
    run("index")
    if change == "new":
        write_session(folder / "c.jsonl", *chain("new", id="cccc"))
    elif change == "more":
        with (folder / "a.jsonl").open("a") as file:
            file.write(json.dumps(message("e", "00000002", "user", "again")) + "\n")
    else:
        (folder / "b.jsonl").unlink()
    locked_cache()
    done = run("index")
    assert done.code == 3
    assert done.err.startswith("leafmark: what is new is kept in memory only: ")


def test_dead_text_is_counted_separately(run, folder, home):
    run("index")
    _, before = run_json(run)
    line = json.dumps(message("e", None, "user", "something else"))
    write_session(folder / "b.jsonl", *chain("lots " * 10, id="bbbb"), json.loads(line))
    _, document = run_json(run)
    cache = home / ".cache/leafmark"
    size = sum(path.stat().st_size for path in cache.glob("text-*/*.folded"))
    assert document["text_bytes"] + document["dead_bytes"] == size
    assert document["dead_bytes"] == size - document["text_bytes"] > 0
    (folder / "b.jsonl").unlink()
    assert run_json(run)[1]["text_bytes"] < before["text_bytes"]
    assert re.match(r"1 session, \d+ bytes of text, and \d+ bytes unused\n", run("index").out)


def test_commands_on_a_session_id_report_an_unwritable_cache(run, folder, make_readonly):
    cache = make_readonly()
    note = f"leafmark: the list is kept in memory only: {cache}/catalog-{SCHEMA}.db: Permission denied\n"
    tree = run("tree", "aaaa")
    assert (tree.code, tree.err) == (0, note)
    assert run("labels", "aaaa").err.startswith(note)
    missing = run("tree", "gone")
    assert (missing.code, missing.err) == (
        1,
        f"{note}leafmark: no session matches 'gone' (path, id or unique beginning of an id)\n",
    )
    # a path needs no catalog
    assert run("tree", str(folder / "a.jsonl")).err == ""


@pytest.mark.parametrize(
    "words",
    [
        ("label", "aaaa", "00000001", "mark"),
        ("trash", "aaaa"),
        ("trash", "gone", "aaaa"),
        ("rename", "gone", "other"),
    ],
)
def test_changes_of_a_session_id_report_an_unwritable_cache(run, folder, make_readonly, words):
    cache = make_readonly()
    note = f"leafmark: the list is kept in memory only: {cache}/catalog-{SCHEMA}.db: Permission denied\n"
    done = run(*words)
    missing = (
        "leafmark: no session matches 'gone' (path, id or unique beginning of an id)\n"
        if "gone" in words
        else ""
    )
    assert (done.code, done.err) == (1 if missing else 0, note + missing)
