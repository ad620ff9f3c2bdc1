"""``leafmark index``: up to date, built anew, compared with the files, and where it is."""

from __future__ import annotations

import json
import os
import re

import pytest

# where they are needed, others may not be allowed to read them
from app.index.row import SCHEMA
from app.index.scan.deltas import Delta
from app.reports.output import Progress
from tests.denied import deny
from tests.factory import chain, message, write_session


@pytest.fixture
def folder(home):
    folder = home / ".pi/agent/sessions/--work--"
    write_session(folder / "a.jsonl", *chain("hello", "there", id="aaaa"))
    write_session(folder / "b.jsonl", *chain("more", id="bbbb"))
    write_session(folder / "none.jsonl", "nothing of a session")
    return folder


def asked(run, *words):
    done = run("index", *words, "--json")
    assert done.err == ""
    return done.code, json.loads(done.out)


def test_what_was_read_is_said(run, folder):
    code, found = asked(run)
    assert code == 0
    assert found.pop("seconds") >= 0
    assert found.pop("text_bytes") > 0
    assert found.pop("dead_bytes") == 0
    assert found == {
        "schema": 1,
        "whole": 3,
        "tails": 0,
        "bytes": sum((folder / name).stat().st_size for name in ("a.jsonl", "b.jsonl")),
        "sessions": 2,
        "refused": 1,
        "passed_over": 0,
    }


def test_only_a_changed_file_is_read_again(run, folder):
    run("index")
    line = json.dumps(message("e", "00000002", "user", "again")) + "\n"
    with (folder / "a.jsonl").open("a") as file:
        file.write(line)
    _, found = asked(run)
    # Each command starts anew, and the first append after a start reads the file once.
    assert (found["whole"], found["tails"]) == (1, 0)
    _, found = asked(run)
    assert (found["whole"], found["tails"], found["bytes"]) == (0, 0, 0)


def test_rebuilding_reads_everything_again(run, folder):
    run("index")
    _, found = asked(run, "--rebuild")
    assert (found["whole"], found["sessions"]) == (3, 2)


def test_an_index_as_the_files_say_has_no_findings(run, folder):
    run("index")
    assert asked(run, "--verify") == (
        0,
        {"schema": 1, "checked": 3, "changed": 0, "without_text": 0, "findings": []},
    )
    assert run("index", "--verify").out == "3 files compared, 0 differences\n"


def test_what_differs_is_found_and_ends_with_three(run, folder, home):
    run("index")
    (segment,) = (home / ".cache/leafmark").glob("text-*/*.seg")
    segment.write_bytes(segment.read_bytes().replace(b"there", b"thore"))
    code, found = asked(run, "--verify")
    assert code == 3
    (finding,) = found["findings"]
    assert finding["path"] == str(folder / "a.jsonl")
    done = run("index", "--verify")
    assert done.code == 3
    assert "~/.pi/agent/sessions/--work--/a.jsonl: " in done.out.splitlines()[0]
    assert done.out.splitlines()[1] == "3 files compared, 1 difference"
    run("index", "--rebuild")
    assert run("index", "--verify").code == 0


def test_what_was_not_read_yet_is_not_compared(run, folder):
    assert asked(run, "--verify")[1]["changed"] == 3
    assert "3 files not compared" in run("index", "--verify").out


def test_where_it_is_is_said_and_nothing_is_made(run, folder, home):
    code, found = asked(run, "--where")
    cache = home / ".cache/leafmark"
    assert code == 0
    assert (found["folder"], found["sessions"], found["catalog_bytes"]) == (str(cache), 0, 0)
    assert not cache.exists()
    run("index")
    _, found = asked(run, "--where")
    assert found["sessions"] == 2
    assert found["text_bytes"] == sum(path.stat().st_size for path in cache.glob("text-*/*.seg"))
    assert os.path.isfile(found["catalog"])
    told = run("index", "--where").out
    assert "~/.cache/leafmark/catalog-" in told
    assert "2 sessions" in told


def test_options_that_exclude_each_other_are_wrong_use(run, folder):
    for words in (("--rebuild", "--where"), ("--verify", "--rebuild"), ("--where", "--verify")):
        done = run("index", *words)
        assert (done.code, done.out) == (2, "")
        assert all(word in done.err for word in words)


def test_the_cache_of_the_examples_is_their_own(run, home):
    _, found = asked(run, "--demo")
    assert found["sessions"] > 10
    assert [path.name for path in home.iterdir()] == []


def test_a_cache_that_cannot_be_deleted_is_said(run, folder, home):
    run("index")
    (catalog,) = (home / ".cache/leafmark").glob("catalog-*.db")
    catalog.unlink()
    catalog.mkdir()
    (catalog / "x").touch()
    done = run("index", "--rebuild")
    assert done.code == 3
    assert len(done.err.splitlines()) == 1


def test_progress_is_shown_on_a_terminal_when_it_takes_long_and_taken_away(capsys, monkeypatch):
    seconds = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: seconds[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = Progress()
    for now, done in ((0.1, 1), (0.3, 2), (0.35, 3), (0.5, 4_000)):
        seconds[0] = now
        progress.read(Delta([], [], done, 5_000))
    progress.end()
    told = "\rreading 2 of 5,000 files\x1b[K\rreading 4,000 of 5,000 files\x1b[K\r\x1b[K"
    assert capsys.readouterr().err == told
    Progress().end()
    assert capsys.readouterr().err == ""


def test_without_a_terminal_nobody_is_told_of_progress():
    progress = Progress()
    assert (progress.read, progress.compared) == (None, None)


def test_what_cannot_be_deleted_is_said_in_words_of_ours(run, folder, monkeypatch):
    run("index")

    def refuse(folder):
        raise PermissionError(13, "Permission denied", folder)

    monkeypatch.setattr("app.reports.index.rebuild", refuse)
    done = run("index", "--rebuild")
    assert done.code == 3
    assert done.err.startswith("leafmark: what is kept cannot be deleted: ")
    assert done.err.endswith(": Permission denied\n")


@pytest.fixture
def read_only(home, monkeypatch):
    """Have nothing be written in the cache folder from now on, which is there."""
    cache = home / ".cache/leafmark"
    cache.mkdir(parents=True, exist_ok=True)
    really = os.open

    def refuse(path, flags, *rest, **options):
        if str(path).startswith(str(cache)) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise PermissionError(13, "Permission denied", path)
        return really(path, flags, *rest, **options)

    def make_read_only():
        monkeypatch.setattr(os, "open", refuse)
        return cache

    return make_read_only


def test_an_empty_folder_that_nothing_may_be_written_to_is_not_damaged(run, folder, read_only):
    cache = read_only()
    note = f"leafmark: the list is kept in memory only: {cache}/catalog-{SCHEMA}.db: Permission denied\n"
    assert run("index", "--verify") == (0, "nothing compared: nothing is kept of any file\n", note)
    done = run("index", "--rebuild")
    assert (done.code, done.err) == (3, note), "nothing is kept"
    assert done.out.startswith("2 sessions, 0 bytes of text\n")
    assert run("index").code == 3
    found = json.loads(run("index", "--verify", "--json").out)
    assert (found["checked"], found["changed"], found["findings"]) == (0, 0, [])


def test_what_is_damaged_and_cannot_be_replaced_is_said_to_be_so(run, folder, read_only):
    run("index")
    cache = read_only()
    for name in (f"catalog-{SCHEMA}.db-wal", f"catalog-{SCHEMA}.db-shm"):
        (cache / name).unlink(missing_ok=True)
    catalog = cache / f"catalog-{SCHEMA}.db"
    catalog.write_bytes(b"garbage" * 1_000)
    done = run("index", "--verify")
    assert done.code == 3
    told = "it is damaged, or cannot be read: nothing that it holds was compared"
    assert done.out.splitlines()[0] == f"~/.cache/leafmark/{catalog.name}: {told}"
    done = run("index", "--rebuild")
    assert (done.code, done.out) == (3, "")
    assert done.err == f"leafmark: what is kept cannot be deleted: {cache}: Permission denied\n"


def test_a_file_that_cannot_be_read_is_counted_once(run, folder, monkeypatch):
    """As one that was passed over: it may well be a session, and nothing of it was read."""
    secret = folder / "secret.jsonl"
    write_session(secret, *chain("secret", id="cccc"))
    denied = deny(monkeypatch, str(secret))
    _, found = asked(run)
    assert [found[name] for name in ("whole", "tails", "sessions", "refused", "passed_over")] == [
        3,
        0,
        2,
        1,
        1,
    ]
    assert run("index").out.splitlines()[-1] == "2 files skipped; `leafmark doctor` says why"
    assert len(json.loads(run("doctor", "--json").out)["skipped"]) == 2
    # One that is known keeps its place in the list.
    denied.append(str(folder / "a.jsonl"))
    with (folder / "a.jsonl").open("a") as file:
        file.write(json.dumps(message("e", "00000002", "user", "again")) + "\n")
    _, found = asked(run)
    assert [found[name] for name in ("whole", "tails", "sessions", "refused", "passed_over")] == [
        0,
        0,
        2,
        1,
        2,
    ]


def test_a_file_that_cannot_be_read_has_not_changed(run, folder, monkeypatch):
    """Whether the index has met it or not."""
    secret = folder / "secret.jsonl"
    write_session(secret, *chain("secret", id="cccc"))
    deny(monkeypatch, str(secret))
    what = "it cannot be read, and nothing is kept of it: not readable"
    for _ in range(2):
        code, found = asked(run, "--verify")
        assert (code, found["findings"]) == (3, [{"path": str(secret), "what": what}])
        run("index")
    assert (found["checked"], found["changed"]) == (3, 0)
    monkeypatch.undo()


@pytest.mark.parametrize("is_known", [True, False])
def test_a_folder_that_cannot_be_read_is_found(run, folder, monkeypatch, is_known):
    """Once, whether the index has met what is in it or not; nothing in it has changed."""
    locked = folder.parent / "--locked--"
    write_session(locked / "c.jsonl", *chain("secret", id="cccc"))
    write_session(locked / "d.jsonl", *chain("secret", id="dddd"))
    really = os.scandir

    def refuse(path):
        if str(path) == str(locked):
            raise PermissionError(13, "Permission denied", path)
        return really(path)

    if is_known:
        run("index")
    monkeypatch.setattr(os, "scandir", refuse)
    for _ in range(2):
        if not is_known:
            run("index")
        code, found = asked(run, "--verify")
        what = "it cannot be read: not readable"
        assert (code, found["findings"]) == (3, [{"path": str(locked), "what": what}])
        assert (found["checked"], found["changed"]) == (3, 0)
        run("index")
    told = "~/.pi/agent/sessions/--locked--: it cannot be read: not readable\n"
    assert told in run("index", "--verify").out
    monkeypatch.undo()


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="there is no file that fails to be read")
def test_a_file_that_can_be_opened_and_not_be_read_is_found(run, folder):
    link = folder / "mem.jsonl"
    link.symlink_to("/proc/self/mem")
    what = "it cannot be read, and nothing is kept of it: Input/output error"
    for _ in range(2):
        code, found = asked(run, "--verify")
        assert (code, found["findings"]) == (3, [{"path": str(link), "what": what}])
        run("index")
    assert (found["checked"], found["changed"]) == (3, 0)


def test_a_file_that_fails_in_the_middle_is_found_once_that_is_known(run, folder, monkeypatch):
    path = folder / "half.jsonl"
    write_session(path, *chain(*(["many words"] * 20_000), id="cccc"))
    really = os.read, os.pread

    def fail_late(reading):
        def read(descriptor, size, *place):
            at = place[0] if place else os.lseek(descriptor, 0, os.SEEK_CUR)
            if at > 0 and os.path.samestat(os.fstat(descriptor), os.stat(path)):
                raise OSError(5, "Input/output error")
            return reading(descriptor, size, *place)

        return read

    monkeypatch.setattr(os, "read", fail_late(really[0]))
    monkeypatch.setattr(os, "pread", fail_late(really[1]))
    run("index")
    code, found = asked(run, "--verify")
    what = "it cannot be read, and nothing is kept of it: Input/output error"
    assert (code, found["findings"]) == (3, [{"path": str(path), "what": what}])
    monkeypatch.undo()
    run("index")
    assert asked(run, "--verify")[0] == 0


@pytest.fixture
def locked_cache(home, tmp_path):
    """Have the cache folder, which is there, be one that may only be read: (nothing) -> folder."""
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


def test_a_cache_that_may_only_be_read_is_used_and_is_enough_while_nothing_changes(run, folder, locked_cache):
    run("index")
    # What is imported now can be imported.
    run("index", "--verify")
    run("search", "hello")
    catalog = locked_cache() / f"catalog-{SCHEMA}.db"
    note = f"leafmark: what is new is kept in memory only: {catalog}: Permission denied\n"
    done = run("index", "--json")
    assert (done.code, done.err) == (0, note)
    found = json.loads(done.out)
    assert (found["whole"], found["tails"], found["sessions"]) == (0, 0, 2)
    assert run("index", "--verify") == (0, "3 files compared, 0 differences\n", note)
    assert run("search", "hello").err == note


@pytest.mark.parametrize("change", ["new", "more", "gone"])
def test_what_changes_beside_a_cache_that_may_only_be_read_is_not_kept(run, folder, locked_cache, change):
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


def test_texts_that_nobody_has_any_more_are_told_apart(run, folder, home):
    run("index")
    _, before = asked(run)
    line = json.dumps(message("e", None, "user", "something else"))
    write_session(folder / "b.jsonl", *chain("lots " * 10, id="bbbb"), json.loads(line))
    _, found = asked(run)
    cache = home / ".cache/leafmark"
    size = sum(path.stat().st_size for path in cache.glob("text-*/*.seg"))
    assert found["text_bytes"] + found["dead_bytes"] == size
    assert found["dead_bytes"] == size - found["text_bytes"] > 0
    (folder / "b.jsonl").unlink()
    assert asked(run)[1]["text_bytes"] < before["text_bytes"]
    assert re.match(r"1 session, \d+ bytes of text, and \d+ bytes unused\n", run("index").out)


def test_who_asks_for_one_session_by_its_id_is_told_as_well_that_nothing_can_be_kept(run, folder, read_only):
    cache = read_only()
    note = f"leafmark: the list is kept in memory only: {cache}/catalog-{SCHEMA}.db: Permission denied\n"
    tree = run("tree", "aaaa")
    assert (tree.code, tree.err) == (0, note)
    assert run("labels", "aaaa").err.startswith(note)
    missing = run("tree", "gone")
    assert (missing.code, missing.err) == (1, f"{note}leafmark: no session has the path or id 'gone'\n")
    # a path leaves nothing to ask the catalog
    assert run("tree", str(folder / "a.jsonl")).err == ""


@pytest.mark.parametrize(
    "words",
    [
        ("label", "aaaa", "00000001", "mark"),
        ("rename", "aaaa", "other"),
        ("branch", "aaaa", "00000001"),
        ("fork", "aaaa"),
        ("trash", "aaaa"),
        ("trash", "gone", "aaaa"),
        ("rename", "gone", "other"),
    ],
)
def test_who_changes_a_session_that_is_named_by_its_id_is_told_too(run, folder, read_only, words):
    cache = read_only()
    note = f"leafmark: the list is kept in memory only: {cache}/catalog-{SCHEMA}.db: Permission denied\n"
    done = run(*words)
    missing = "leafmark: no session has the path or id 'gone'\n" if "gone" in words else ""
    assert (done.code, done.err) == (1 if missing else 0, note + missing)
