"""``leafmark trash``, ``restore`` and ``undo``."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import signal
from pathlib import Path

import pytest

from app import changes
from app.actions import pin, redo_journal_action, restore
from app.actions.journal import Journal
from app.changes import trash_commands
from app.cli_options import parse
from app.sessions import DiskFull
from app.setup import setup_from_demo, setup_from_process
from app.stores import LIVE, MAYBE, Verdict, all_pins, discover
from tests.cases import cases
from tests.cli.conftest import brief
from tests.factory import append, chain, header, message, write_session

HOSTILE = "\x1b[31m\u202eevil\x9b2J\r\n\x07 \U000e0041 日本"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def store(home):
    """Two sessions of pi, and one of oh-my-pi with a folder of artifacts."""
    pi = home / ".pi/agent/sessions/--work-app--"
    write_session(pi / "1_pi-aaaa.jsonl", *chain("question", "one", id="pi-aaaa"))
    write_session(pi / "2_pi-aabb.jsonl", *chain("another", "answer", id="pi-aabb"))
    omp = home / ".omp/agent/sessions/-app/1_omp-1.jsonl"
    titled = {**header("omp-1"), "title": "Auto", "titleSource": "auto"}
    write_session(omp, titled, *chain("q", "a")[1:])
    omp.with_suffix("").mkdir()
    (omp.with_suffix("") / "1.bash.log").write_text("said")
    return pi


def sessions(home):
    """Path -> content and time of every file and folder below the agents' folders."""
    contents = {}
    for agent in (".pi", ".omp", ".config"):
        for path in sorted((home / agent).rglob("*")):
            contents[str(path)] = (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None
    return contents


def trash_of(home):
    return home / ".local/share/Trash"


def ids(run, *words):
    return {row["session_id"] for row in json.loads(run("list", "--json", *words).out)["sessions"]}


# trash, restore


def test_sessions_are_trashed_listed_and_restored(run, home, store):
    before = sessions(home)
    done = run("trash", "pi-aaaa", "omp", store / "1_pi-aaaa.jsonl")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines == [
        'Trashed "question" (pi-aaaa).',
        'Trashed "Auto" (omp-1).',
        "`leafmark undo` undoes all 2 of them.",
    ]
    assert ids(run) == {"pi-aabb"}
    listed = run("trash", "--list")
    assert (listed.code, listed.err) == (0, "")
    rows = {tuple(line.split("\t")) for line in listed.out.splitlines()}
    rows = {(*row[:1], *row[2:]) for row in rows}
    omp = home / ".omp/agent/sessions/-app/1_omp-1.jsonl"
    assert rows == {
        ("pi-aaaa", "pi", "question", str(store / "1_pi-aaaa.jsonl")),
        ("omp-1", "omp", "Auto", str(omp)),
    }
    listed = json.loads(run("trash", "--list", "--json").out)["sessions"]
    (omp_row,) = [row for row in listed if row["session_id"] == "omp-1"]
    assert omp_row.pop("trashed").endswith("Z")
    assert omp_row == {
        "agent": "omp",
        "session_id": "omp-1",
        "path": str(omp),
        "in_trash": str(trash_of(home) / "files/1_omp-1.jsonl"),
        "artifacts": str(trash_of(home) / "files/1_omp-1"),
        "title": "Auto",
    }
    done = run("restore", "omp-1", str(store / "1_pi-aaaa.jsonl"))
    assert (done.code, done.err, len(done.out.splitlines())) == (0, "", 3)
    assert done.out.startswith('Restored "Auto" (omp-1).\n')
    assert sessions(home) == before
    assert run("trash", "--list") == (1, "", "leafmark: no session is in the trash\n")
    assert json.loads(run("trash", "--list", "--json").out) == {"schema": 3, "sessions": []}


@pytest.mark.parametrize("named", ["omp-1", "om", "{old_path}", "{trash_path}"])
def test_a_trashed_session_is_named_by_id_by_old_path_or_by_trash_path(run, home, store, named):
    run("trash", "omp-1")
    old_path, trash_path = (
        home / ".omp/agent/sessions/-app/1_omp-1.jsonl",
        trash_of(home) / "files/1_omp-1.jsonl",
    )
    assert run("restore", named.format(old_path=old_path, trash_path=trash_path)).code == 0
    assert old_path.exists()


def test_json_has_each_session_and_its_change(run, home, store):
    path, trash_path = store / "1_pi-aaaa.jsonl", trash_of(home) / "files/1_pi-aaaa.jsonl"
    session = {"agent": "pi", "session_id": "pi-aaaa", "path": str(path), "title": "question"}
    change = {"entry_id": None, "target_id": None, "after_id": None}
    to_trash = {"kind": "trash", "before": str(path), "after": str(trash_path)}
    back = {"kind": "restore", "before": str(trash_path), "after": str(path)}
    for words, move in ((("trash", "pi-aaaa"), to_trash), (("restore", "pi-aaaa"), back)):
        document = json.loads(run(*words, "--json").out)
        assert document == {"schema": 3, "changes": [{"session": session, "change": {**change, **move}}]}
    document = json.loads(run("undo", "--json").out)
    undone = {"session": session, "change": {**change, **to_trash}, "undone": {**change, **back}}
    assert document == {"schema": 3, "changes": [undone]}


def test_a_session_that_cannot_be_trashed_does_not_stop_the_others(run, home, store, monkeypatch):
    def only_first(agent, path, *_):
        return Verdict(LIVE if "1_pi" in path else "idle", "process 7 has it open", 7)

    monkeypatch.setattr("app.sessions.manager.live_guard.verdict", only_first)
    done = run("trash", "pi-aaaa", "pi-aabb", "--json")
    assert (done.code, done.err.count("\n")) == (3, 1)
    assert "process 7" in done.err
    assert str(store / "1_pi-aaaa.jsonl") in done.err
    assert [change["session"]["session_id"] for change in json.loads(done.out)["changes"]] == ["pi-aabb"]
    assert os.listdir(store) == ["1_pi-aaaa.jsonl"]
    assert run("trash", "pi-aaaa", "--anyway").code == 3


def test_a_session_that_may_be_live_is_trashed_with_anyway(run, home, store, monkeypatch):
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(MAYBE, "pi runs in the same folder", 7)
    )
    done = run("trash", "pi-aaaa")
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert "process 7: pi runs in the same folder" in done.err
    assert "--anyway" in done.err
    assert run("trash", "pi-aaaa", "--anyway").code == 0


@pytest.fixture
def continued(run, home, store):
    """A trashed session to which pi continued to write: path, old content, content of the new file."""
    path = store / "1_pi-aaaa.jsonl"
    session = path.read_bytes()
    run("trash", "pi-aaaa")
    continuation = write_session(path, message("n", "00000002", "user", "and then?")).read_bytes()
    return path, session, continuation


def test_a_continuation_after_trashing_is_explained(run, continued):
    path, _, continuation = continued
    for words in (("restore", "pi-aaaa"), ("undo",)):
        done = run(*words)
        assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
        assert done.err.startswith(f"leafmark: {path}: is there already: pi went on writing")
        assert "leafmark restore pi-aaaa --join" in done.err
        assert "leafmark restore pi-aaaa --aside" in done.err
    assert path.read_bytes() == continuation


def test_the_commands_that_restore_a_session_are_quoted_for_the_shell(run, home, store, monkeypatch):
    path = store / "1.jsonl"
    write_session(path, *chain("question", "answer", id="-it's;touch X"))
    run("trash", path)
    write_session(path, message("n", "00000002", "user", "and then?"))
    for shell, id in (("/bin/sh", "'-it'\"'\"'s;touch X'"), ("/bin/fish", "'-it\\'s;touch X'")):
        monkeypatch.setenv("SHELL", shell)
        done = run("undo")
        assert f"leafmark restore --join -- {id} appends" in done.err
        assert f"leafmark restore --aside -- {id} puts" in done.err


@pytest.mark.parametrize("way", ["--join", "--aside"])
def test_a_continuation_is_appended_or_put_aside(run, home, continued, way):
    path, session, continuation = continued
    done = run("restore", "pi-aaaa", way)
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()] == ["Trashed", "Restored"]
    assert path.read_bytes() == session + (continuation if way == "--join" else b"")
    aside = list((trash_of(home) / "files").iterdir())
    assert [file.read_bytes() for file in aside] == [continuation]
    # Both moves are one action.
    assert run("undo").code == 0
    assert path.read_bytes() == continuation
    assert run("restore", "pi-aaaa", way, "--json").code == 0
    assert path.read_bytes() == session + (continuation if way == "--join" else b"")


@pytest.mark.parametrize("torn", [b"", b'{"type":"custom","id":"torn"'], ids=["whole", "torn"])
def test_undo_of_a_join_gives_back_the_session_as_it_was(run, home, continued, torn):
    path, session, continuation = continued
    (lying,) = (trash_of(home) / "files").iterdir()
    lying.write_bytes(session + torn)
    os.utime(lying, (1_700_000_000, 1_700_000_000))
    joined = session + torn + (b"\n" if torn else b"") + continuation

    def trashed():
        return sorted(file.read_bytes() for file in (trash_of(home) / "files").iterdir())

    assert run("restore", "pi-aaaa", "--join").code == 0
    assert path.read_bytes() == joined
    assert run("undo").code == 0
    assert (path.read_bytes(), trashed()) == (continuation, [session + torn])
    # --aside promises the session without them.
    assert run("restore", "pi-aaaa", "--aside").code == 0
    assert (path.read_bytes(), trashed()) == (session + torn, [continuation])
    assert run("undo").code == 0
    assert (path.read_bytes(), trashed()) == (continuation, [session + torn])
    assert run("restore", "pi-aaaa", "--join").code == 0
    assert (path.read_bytes(), trashed()) == (joined, [continuation])


@pytest.mark.parametrize("way", ["--join", "--aside"])
def test_a_recovery_is_redone_and_undone_again(run, home, continued, way):
    path, session, continuation = continued
    restored = session + (continuation if way == "--join" else b"")
    run("restore", "pi-aaaa", way)
    state, env = str(home / ".local/state/leafmark"), {"HOME": str(home)}
    stores = discover(env, str(home), "/")
    for _ in range(2):
        assert run("undo").code == 0
        (lying,) = (trash_of(home) / "files").iterdir()
        assert (path.read_bytes(), lying.read_bytes()) == (continuation, session)
        journal = Journal(state)
        attempts, _, _ = redo_journal_action(journal, journal.redoable()[0][0].action, env, stores, state)
        assert [attempt.reason for attempt in attempts] == ["", ""]
        (lying,) = (trash_of(home) / "files").iterdir()
        assert (path.read_bytes(), lying.read_bytes()) == (restored, continuation)


def test_a_joined_session_that_has_gone_on_stays(run, home, continued):
    path, _, _ = continued
    run("restore", "pi-aaaa", "--join")
    append(path, message("later", "n", "assistant", "more"))
    before = path.read_bytes()
    done = run("undo")
    assert done.code == 3
    assert "the session has gone on since its entries were appended" in done.err
    assert path.read_bytes() == before


def test_a_headless_file_of_another_session_can_be_put_aside(run, home, continued):
    path, session, _ = continued
    path.unlink()
    other = write_session(path, message("n", "elsewhere", "user", "of another")).read_bytes()
    done = run("restore", "pi-aaaa")
    assert (done.code, "--aside" in done.err, "--join" in done.err) == (3, True, False)
    assert run("restore", "pi-aaaa", "--aside").code == 0
    (lying,) = (trash_of(home) / "files").iterdir()
    assert (path.read_bytes(), lying.read_bytes()) == (session, other)


@pytest.mark.parametrize("way", ["--join", "--aside"])
def test_what_the_agent_writes_meanwhile_is_taken_as_well(run, home, continued, monkeypatch, way):
    """pi makes another file after the first was moved to the trash."""
    path, session, continuation = continued
    late, move = [], restore.trash_file

    def moved(*arguments):
        change = move(*arguments)
        if not late:
            late.append(write_session(path, message("n2", "n", "assistant", "more")).read_bytes())
        return change

    monkeypatch.setattr(restore, "trash_file", moved)
    done = run("restore", "pi-aaaa", way)
    assert (done.code, done.err) == (0, "")
    assert path.read_bytes() == session + (continuation + late[0] if way == "--join" else b"")
    lying = sorted(file.read_bytes() for file in (trash_of(home) / "files").iterdir())
    assert lying == sorted([continuation, late[0]])


def test_a_full_disk_during_a_join_changes_nothing(run, home, continued, monkeypatch):
    path, session, continuation = continued

    def refuse(_, lines):
        if lines:
            raise DiskFull(str(path), "cannot be written: No space left on device", 28)

    with monkeypatch.context() as patch:
        patch.setattr(restore, "append_lines", refuse)
        done = run("restore", "pi-aaaa", "--join")
    assert (done.code, "No space left" in done.err) == (3, True)
    (lying,) = (trash_of(home) / "files").iterdir()
    assert (path.read_bytes(), lying.read_bytes()) == (continuation, session)
    # There is nothing of it to undo, and another try joins them.
    assert "went on writing" in run("undo").err
    assert run("restore", "pi-aaaa", "--join").code == 0
    assert path.read_bytes() == session + continuation


def test_join_and_aside_have_no_effect_without_a_continuation(run, home, store):
    before = sessions(home)
    run("trash", "pi-aaaa")
    assert run("restore", "pi-aaaa", "--join").code == 0
    assert sessions(home) == before
    assert run("restore", "pi-aaaa", "--join", "--aside").code == 2


def test_two_trashed_sessions_with_one_id_are_named_by_path(run, home, store):
    for _ in range(2):
        write_session(store / "1_pi-aaaa.jsonl", *chain("question", id="pi-aaaa"))
        run("trash", "pi-aaaa")
    trash_paths = sorted((trash_of(home) / "files").iterdir())
    done = run("restore", "pi-aaaa")
    assert (done.code, done.out) == (2, "")
    assert all(str(path) in done.err for path in trash_paths)
    assert run("restore", trash_paths[1]).code == 0
    assert not trash_paths[1].exists()
    assert run("restore", "pi-aaaa").code == 3


def test_a_session_is_restored_from_the_archive(run, home, store):
    path = home / ".omp/agent/sessions/-app/1_omp-1.jsonl"
    packed = home / ".omp/agent/archive/sessions/-app/1_omp-1.jsonl.gz"
    packed.parent.mkdir(parents=True)
    content = path.read_bytes()
    packed.write_bytes(gzip.compress(content))
    path.unlink()
    done = run("restore", "omp-1")
    assert (done.code, done.out, done.err) == (0, 'Restored "Auto" (omp-1).\n', "")
    assert path.read_bytes() == content
    assert not packed.exists()


# undo


def test_all_actions_are_undone_one_by_one(run, home, store):
    (home / "elsewhere").mkdir()
    before = sessions(home)
    for words in (
        ("label", "pi-aaaa", "00000001", "mark"),
        ("rename", "pi-aaaa", "N"),
        ("rename", "pi-aaaa", "N"),
        ("branch", "pi-aaaa", "00000001"),
        ("branch", "omp-1", "00000001"),
        ("fork", "pi-aabb"),
        ("trash", "pi-aaaa", "omp-1"),
    ):
        assert run(*words).code == 0, words
    outputs = []
    while (done := run("undo")).code == 0:
        assert done.err == ""
        outputs.append(done.out)
    assert done == (1, "", "leafmark: nothing to undo\n")
    assert [re.sub(r"[0-9a-f-]{13}$", "*", brief(line), flags=re.MULTILINE) for line in outputs] == [
        "Undone: restored omp-1\nUndone: restored pi-aaaa\n",
        "Undone: trashed *\n",
        brief(outputs[2]),
        brief(outputs[3]),
        'Undone: name of pi-aaaa: "N" → none\n',
        'Undone: label of 00000001 in pi-aaaa: "mark" → none\n',
    ]
    assert brief(outputs[2]).startswith("Undone: leaf of omp-1: ")
    assert brief(outputs[3]).startswith("Undone: leaf of pi-aaaa: ")
    after = sessions(home)
    assert after.keys() == before.keys()
    # Undo appends; it erases nothing.
    for path, old in before.items():
        assert old is None or after[path][0].startswith(old[0]) or "omp-1" in path


def test_undo_skips_a_blocked_session_and_tries_it_again_later(run, home, store):
    run("rename", "pi-aabb", "N")
    run("trash", "pi-aaaa", "omp-1")
    path = write_session(store / "1_pi-aaaa.jsonl", *chain("new", id="new"))
    before = path.read_bytes()
    done = run("undo")
    assert (done.code, done.out.count("\n"), done.err.count("\n")) == (3, 1, 1)
    assert done.out == 'Undone: restored "Auto" (omp-1).\n'
    assert done.err.startswith(f"leafmark: {path}: is there already; the next undo tries that again")
    assert brief(run("undo").out) == 'Undone: name of pi-aabb: "N" → none\n'
    done = run("undo")
    assert (done.code, done.err) == (3, f"leafmark: {path}: is there already\n")
    assert path.read_bytes() == before
    path.unlink()
    assert brief(run("undo").out) == "Undone: restored pi-aaaa\n"
    assert run("undo").code == 1


def test_undo_does_not_write_to_another_session_at_the_path(run, home, store):
    run("label", "pi-aaaa", "00000001", "mark")
    path = store / "1_pi-aaaa.jsonl"
    path.write_bytes(path.read_bytes().replace(b"pi-aaaa", b"pi-cccc"))
    before = path.read_bytes()
    done = run("undo")
    assert (done.code, "another session has its place" in done.err) == (3, True)
    assert path.read_bytes() == before


def test_an_impossible_undo_is_reported_once_and_skipped(run, home, store):
    run("label", "pi-aabb", "00000001", "first")
    run("rename", "pi-aaaa", "mine")
    write_session(store / "1_pi-aaaa.jsonl", *chain("question", "one", id="pi-aaaa"))
    done = run("undo")
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert "the name is another by now" in done.err
    assert "another undo goes on" in done.err
    assert brief(run("undo").out) == 'Undone: label of 00000001 in pi-aabb: "first" → none\n'
    assert run("undo").code == 1


def test_undo_needs_no_store_option(run, home, tmp_path):
    path = write_session(tmp_path / "flat/1.jsonl", *chain("q", "a", id="flat"))
    for words in (("label", "flat", "00000001", "x"), ("rename", "flat", "N"), ("trash", "flat")):
        assert run(*words, "--store", "omp=flat").code == 0
    assert run("undo").code == 0
    assert brief(run("undo").out) == 'Undone: name of flat: "N" → none\n'
    (undone,) = json.loads(run("undo", "--json").out)["changes"]
    assert undone["session"] == {"agent": "omp", "session_id": "flat", "path": str(path), "title": "q"}
    assert b'"session_info"' not in path.read_bytes()


def test_a_pin_is_undone(run, home, store):
    setup = setup_from_process()
    done = pin("omp", "omp-1", True, setup.stores[1], setup.state_folder)
    Journal(setup.state_folder).record(done)
    (undone,) = json.loads(run("undo", "--json").out)["changes"]
    assert undone["session"] == {"agent": "omp", "session_id": "omp-1", "path": None, "title": None}
    assert (undone["change"]["before"], undone["change"]["after"]) == ("pinned", None)
    assert all_pins(setup.stores, setup.state_folder) == frozenset()
    Journal(setup.state_folder).record(pin("pi", "pi-aaaa", True, setup.stores[0], setup.state_folder))
    assert run("undo").out == "Undone: pin of pi-aaaa: pinned → none.\n"


def test_undo_waits_for_a_live_session(run, home, store, monkeypatch):
    run("branch", "pi-aaaa", "00000001")
    with monkeypatch.context() as patch:
        patch.setattr(
            "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "process 7 has it open", 7)
        )
        done = run("undo")
        assert (done.code, done.out) == (3, "")
        assert "process 7" in done.err
    assert run("undo").code == 0


def test_undo_does_not_repeat_a_restore(run, home, store):
    run("rename", "pi-aaaa", "N")
    run("trash", "pi-aaaa")
    run("restore", "pi-aaaa")
    assert brief(run("undo").out) == "Undone: trashed pi-aaaa\n"
    assert run("restore", "pi-aaaa").code == 0
    assert brief(run("undo").out) == "Undone: trashed pi-aaaa\n"
    # the restore has undone the undo of the restore, so that trashing is next
    assert brief(run("undo").out) == "Undone: restored pi-aaaa\n"
    assert brief(run("undo").out) == 'Undone: name of pi-aaaa: "N" → none\n'
    assert run("undo").code == 1


@pytest.mark.parametrize("words", [("rename", "pi-aaaa", "N"), ("trash", "pi-aaaa")])
def test_a_full_disk_for_the_journal_is_reported(run, home, store, monkeypatch, words):
    def full(*_):
        # without a path, because the error comes from a descriptor
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Journal, "_append", full)
    done = run(*words)
    state = home / ".local/state/leafmark"
    reason = f"leafmark: undo will not know of it: {state}: No space left on device\n"
    assert (done.code, done.out.count("\n"), done.err) == (0, 1, reason)


# refusals


@cases(
    ("words", "code", "part"),
    [
        (["trash"], 2, "SESSION"),
        (["trash", "--list", "pi-aaaa"], 2, "--list"),
        (["trash", "--list", "--anyway"], 2, "--list"),
        (["trash", "pi-aa"], 2, "2 sessions"),
        (["trash", "pi-aaaa", "pi-aa"], 2, "2 sessions"),
        (["trash", "nobody"], 1, "'nobody'"),
        (["trash", "pi-aaaa", "nobody"], 1, "'nobody'"),
        (["trash", ""], 1, "''"),
        (["trash", "./nobody.jsonl"], 1, "nobody.jsonl"),
        (["trash", "./notes.txt"], 3, "notes.txt"),
        (["trash", "./home"], 3, "home: "),
        (["trash", "pi-aaaa", "--force"], 2, "--force"),
        (["restore"], 2, "SESSION"),
        (["restore", "pi-aaaa"], 1, "'pi-aaaa'"),
        (["restore", ""], 1, "''"),
        (["restore", "./notes.txt"], 1, "notes.txt"),
        (["undo"], 1, "nothing to undo"),
        (["undo", "pi-aaaa"], 2, "pi-aaaa"),
    ],
    one_folder=True,
)
def test_a_refused_command_prints_one_line_and_moves_nothing(run, home, store, tmp_path, words, code, part):
    (tmp_path / "notes.txt").write_text("no session\n")
    before = sessions(home)
    for options in ([], ["--json"]):
        done = run(*words, *options)
        # the sessions that an ambiguous name fits have a line each
        lines = 3 if "sessions" in part else 1
        assert (done.code, done.err.count("\n")) == (code, lines), done.err
        assert part in done.err
        assert done.err.startswith("leafmark")
        assert done.out == ""
    assert sessions(home) == before
    assert (tmp_path / "notes.txt").exists()
    assert not trash_of(home).exists()


# stores, examples, output and concurrency


def test_the_example_sessions_have_their_own_trash(home, store, tmp_path, capsys):
    setup = setup_from_demo(str(tmp_path / "demo"))
    before = sessions(home)

    def demo(*words):
        capsys.readouterr()
        options = parse(words)
        assert options is not None
        return changes.run(options, setup), capsys.readouterr()

    path = next(Path(setup.stores[0].root).rglob("*.jsonl"))
    content = path.read_bytes()
    code, output = demo("trash", str(path))
    assert code == 0, output.err
    assert not path.exists()
    assert demo("trash", "--list")[0] == 0
    assert demo("undo")[0] == 0
    assert path.read_bytes() == content
    assert sessions(home) == before
    assert not (home / ".local").exists()


def test_output_is_inert_and_fits_any_encoding(leafmark, process, tmp_path):
    folder = tmp_path / "home/.pi/agent/sessions/--w--"
    for encoding in ("utf-8", "ascii"):
        path = write_session(folder / "one\x1b]0;T\x07.jsonl", *chain(HOSTILE, "a", id="evil\x1b[31m"))
        for words, code in (
            (("trash", path), 0),
            (("trash", "--list"), 0),
            (("trash", "--list", "--json"), 0),
            (("undo",), 0),
            (("trash", "evil"), 0),
            (("restore", "evil\x1b[31m"), 0),
            (("restore", "\x1b[1m"), 1),
            (("trash", "\x1b[1m"), 1),
        ):
            done = process(*words, encoding=encoding) if encoding == "ascii" else leafmark(*words)
            assert done.returncode == code, (words, done.stderr)
            assert not CONTROLS.search(done.stdout + done.stderr), words
            assert len(done.stderr.splitlines()) == (1 if code else 0)


# signals


@pytest.fixture
def interrupt_second(monkeypatch, default_signals):
    """A function that sends this process a signal when the named action runs for the second time: (name,
    signal).
    """

    def interrupt(name, number=signal.SIGINT):
        act, calls = getattr(trash_commands, name), []

        def act_and_interrupt(*arguments, **options):
            calls.append(arguments)
            if len(calls) == 2:
                os.kill(os.getpid(), number)
            return act(*arguments, **options)

        monkeypatch.setattr(trash_commands, name, act_and_interrupt)

    return interrupt


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_trashing_between_two_sessions(run, home, store, interrupt_second, number, code):
    before, handlers = (
        sessions(home),
        [signal.getsignal(signal_number) for signal_number in (signal.SIGINT, signal.SIGTERM)],
    )
    interrupt_second("trash", number)
    done = run("trash", "pi-aaaa", "pi-aabb", "omp-1")
    assert done.code == code
    assert done.err == "leafmark: stopped: 2 of 3 trashed (run leafmark undo to undo)\n"
    assert len(done.out.splitlines()) == 2
    assert ids(run) == {"omp-1"}
    assert [signal.getsignal(signal_number) for signal_number in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert run("undo").code == 0
    assert sessions(home) == before


def test_a_signal_stops_restore_and_undo_between_two_sessions(
    run, home, store, interrupt_second, monkeypatch
):
    before = sessions(home)
    run("trash", "pi-aaaa", "pi-aabb", "omp-1")
    with monkeypatch.context() as patched:
        act, calls = trash_commands.undo_journal_change, []

        def interrupt_and_act(*arguments):
            calls.append(arguments)
            os.kill(os.getpid(), signal.SIGINT)
            return act(*arguments)

        patched.setattr(trash_commands, "undo_journal_change", interrupt_and_act)
        done = run("undo")
    assert (done.code, len(calls), len(done.out.splitlines())) == (130, 1, 1)
    assert done.err == "leafmark: stopped: 1 of 3 undone – another undo undoes the others\n"
    interrupt_second("restore")
    done = run("restore", "pi-aaaa", "pi-aabb")
    assert (done.code, len(done.out.splitlines())) == (130, 2)
    assert done.err == "leafmark: stopped: 2 of 2 restored (run leafmark undo to undo)\n"
    assert sessions(home) == before


def test_a_stopped_command_prints_its_json(run, store, interrupt_second):
    interrupt_second("trash")
    done = run("trash", "--json", "pi-aaaa", "pi-aabb", "omp-1")
    assert done.code == 130
    assert len(json.loads(done.out)["changes"]) == 2


def test_an_ignored_interrupt_stops_nothing(run, home, store, interrupt_second):
    before = sessions(home)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    interrupt_second("trash")
    done = run("trash", "pi-aaaa", "pi-aabb", "omp-1")
    assert (done.code, done.err, len(done.out.splitlines())) == (0, "", 4)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert run("undo").code == 0
    assert sessions(home) == before


def test_concurrent_commands_trash_a_session_once(process, home, store):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: process("trash", store / "1_pi-aaaa.jsonl"), range(4)))
    assert sorted(process_.returncode for process_ in done) == [0, 1, 1, 1], done
    assert len(os.listdir(trash_of(home) / "files")) == 1
    assert process("undo").returncode == 0
    assert process("undo").returncode == 1
