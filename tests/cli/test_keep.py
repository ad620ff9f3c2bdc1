"""Kept sessions: compressed copies that stay when Claude Code deletes its sessions."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from app.actions import execute, plan
from app.stores import Claude
from tests.claude_lines import line, write
from tests.claude_sweep import DAY, sweep
from tests.factory import chain, write_session

KEPT = ".local/state/leafmark/kept"


def session(home: Path, name: str, age: float = 40, text: str = "", artifacts: int = 1) -> Path:
    """A session of that age in days, with files in its folder of artifacts."""
    path = write(
        home,
        line("user", f"{name}-u", None, f"prompt of {name} {text}"),
        line("assistant", f"{name}-a", f"{name}-u", f"answer of {name}"),
        name=name,
    )
    for number in range(artifacts):
        file = path.with_suffix("") / "subagents" / f"agent-{number}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(line("user", f"{name}-s{number}", None, "a task") + "\n")
        set_age(file, age)
    result = path.with_suffix("") / "tool-results" / "1.txt"
    if artifacts:
        result.parent.mkdir(exist_ok=True)
        result.write_bytes(bytes(range(256)))
        set_age(result, age)
    set_age(path, age)
    return path


def set_age(path: Path, days: float) -> None:
    at = time.time() - days * DAY
    os.utime(path, (at, at))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows(run: Any, *words: str) -> dict[str, dict[str, Any]]:
    found = json.loads(run("list", "--json", "--", *words).out)["sessions"]
    return {row["session_id"]: row for row in found}


def copy_of(home: Path, path: Path) -> Path:
    return Path(f"{home / KEPT}{path}.gz")


@pytest.mark.parametrize("count", [50, pytest.param(1_000, marks=pytest.mark.slow)])
def test_a_sweep_loses_nothing_that_was_kept(run: Any, home: Path, count: int) -> None:
    projects = home / ".claude/projects"
    for number in range(count):
        age = 29 if number % 10 == 0 else 31
        session(home, f"s{number:04}", age, text="x" * number, artifacts=number % 3)
    before = contents(projects)
    done = run("keep", "--json", "is:expiring")
    kept = json.loads(done.out)["sessions"]
    assert (done.code, len(kept)) == (0, count)
    assert contents(projects) == before
    assert sweep(projects) == count * 9 // 10
    gone = rows(run, "is:gone")
    assert len(gone) == count * 9 // 10
    assert len(rows(run)) == count
    done = run("restore", *gone)
    assert done.code == 0, done.err
    assert contents(projects) == before
    assert sweep(projects) == 0
    assert contents(projects) == before
    assert rows(run, "is:gone") == {}


def test_a_gone_session_is_listed_read_searched_exported_and_counted(run: Any, home: Path) -> None:
    path = session(home, "one")
    assert run("keep", "one").out == "Kept 1 session: 945 B, compressed 680 B.\n"
    figures = run("stats", "--json").out
    sweep(home / ".claude/projects")
    assert not path.exists()
    row = rows(run)["one"]
    assert (row["gone"], row["kept"], row["expires"]) == (True, True, None)
    assert row["path"] == str(copy_of(home, path))
    assert "answer of one" in run("tree", "one").out
    assert "answer of one" in run("tree", path).out
    assert "answer of one" in run("show", "one").out
    assert "answer of one" in run("export", "one", "--to", "md", "-o", "-").out
    for words in (["answer"], ["in:all", "answer"]):
        hits = json.loads(run("search", "--json", *words).out)["hits"]
        assert [hit["session_id"] for hit in hits] == ["one"]
    assert json.loads(run("context", "one").out)["messages"][0]["content"] == "prompt of one "
    assert json.loads(run("stats", "--json").out)["total"] == json.loads(figures)["total"]
    for words in (("trash", "one"), ("rename", "one", "x"), ("label", "one", "one-u", "x")):
        assert run(*words).code == 3
    assert run("keep", "one").err.startswith("leafmark: 1 session kept already: the file is gone")


def test_copies_are_private_and_open_with_gunzip(run: Any, home: Path) -> None:
    path = session(home, "one")
    run("keep", "one")
    copy = copy_of(home, path)
    assert gzip.decompress(copy.read_bytes()) == path.read_bytes()
    for made in (home / KEPT).rglob("*"):
        assert stat.S_IMODE(made.stat().st_mode) == (0o700 if made.is_dir() else 0o600)
    assert (home / KEPT).stat().st_mode & 0o777 == 0o700


def test_restore_never_replaces_a_file(run: Any, home: Path) -> None:
    path = session(home, "one")
    run("keep", "one")
    sweep(home / ".claude/projects")
    copy, copied = copy_of(home, path), copy_of(home, path).read_bytes()
    listed = rows(run)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("other\n")
    assert listed["one"]["gone"]
    assert run("restore", "one").code == 1
    assert path.read_text() == "other\n"
    path.unlink()
    result = path.with_suffix("") / "tool-results" / "1.txt"
    result.parent.mkdir(parents=True)
    result.write_text("mine")
    done = run("restore", "one")
    assert (done.code, "1 file of its artifacts was there already" in done.err) == (0, True)
    assert result.read_text() == "mine"
    assert copy.read_bytes() == copied


def test_a_restored_session_gets_the_present_time_only_if_it_would_be_deleted(run: Any, home: Path) -> None:
    paths = {age: session(home, f"s{age}", age) for age in (10, 40)}
    times = {age: path.stat().st_mtime_ns for age, path in paths.items()}
    started = time.time_ns()
    assert run("keep", "dir:/work", "--replace").code == 0
    assert not paths[10].exists()
    assert run("undo").code == 0
    assert paths[10].stat().st_mtime_ns == times[10]
    assert paths[40].stat().st_mtime_ns >= started - 10**7
    for age, path in paths.items():
        os.utime(path, ns=(times[age], times[age]))
        assert run("trash", path).code == 0
        assert run("restore", path).code == 0
    assert paths[10].stat().st_mtime_ns == times[10]
    assert paths[40].stat().st_mtime_ns >= started - 10**7
    result = paths[40].with_suffix("") / "tool-results" / "1.txt"
    assert result.stat().st_mtime_ns >= started - 10**7


def test_a_restore_looks_at_the_settings_of_all_projects(run: Any, home: Path, tmp_path: Path) -> None:
    path, other = session(home, "one", 20), tmp_path / "other"
    write(home, line("user", "u", None, "in another project", cwd=str(other)), name="two", folder="-other")
    (other / ".claude").mkdir(parents=True)
    (other / ".claude/settings.json").write_text('{"cleanupPeriodDays": 7}')
    started = time.time_ns()
    for words in (("restore", path), ("undo",)):
        set_age(path, 20)
        assert run("trash", path).code == 0
        assert run(*words).code == 0
        assert path.stat().st_mtime_ns >= started - 10**7


def test_a_clock_that_jumps_loses_nothing(run: Any, home: Path) -> None:
    ahead, behind = session(home, "ahead", -400), session(home, "behind", 9_000)
    before = {path: path.read_bytes() for path in (ahead, behind)}
    assert set(rows(run, "is:expiring")) == {"behind"}
    assert run("keep", "ahead", "behind").code == 0
    with ahead.open("a") as file:
        file.write(line("user", "more", "ahead-a", "written when the clock was right again") + "\n")
    set_age(ahead, 500)
    assert "1 session kept" in run("index").out
    before[ahead] = ahead.read_bytes()
    assert sweep(home / ".claude/projects") == 2
    assert run("restore", "ahead", "behind").code == 0
    assert {path: path.read_bytes() for path in before} == before
    assert sweep(home / ".claude/projects") == 0


def test_a_session_of_pi_comes_back_with_its_old_time(run: Any, home: Path) -> None:
    path = write_session(home / ".pi/agent/sessions/--work--/1_a.jsonl", *chain("q", "a", id="pi-1"))
    set_age(path, 400)
    before, at = path.read_bytes(), path.stat().st_mtime_ns
    assert run("keep", "pi-1", "--replace").code == 0
    assert rows(run)["pi-1"]["gone"]
    assert run("rename", "pi-1", "x").code == 3
    shutil.rmtree(home / ".local/share/Trash")
    assert run("restore", "pi-1").code == 0
    assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, at)


def test_keep_brings_a_copy_up_to_date_and_keeps_what_the_file_lost(run: Any, home: Path) -> None:
    path = session(home, "one", artifacts=0)
    run("keep", "one")
    assert "1 of them as before" in run("keep", "one").out
    first = path.read_text()
    path.write_text(first + line("user", "more", "one-a", "grown") + "\n")
    assert "as before" not in run("keep", "one").out
    assert gzip.decompress(copy_of(home, path).read_bytes()) == path.read_bytes()
    earlier = home / f"{KEPT}-earlier"
    assert not earlier.exists()
    path.write_text(first[: first.index("\n") + 1])
    run("keep", "one")
    assert gzip.decompress(copy_of(home, path).read_bytes()) == path.read_bytes()
    [old] = [found for found in earlier.rglob("*") if found.is_file()]
    assert b"grown" in gzip.decompress(old.read_bytes())
    assert old.name == "one.jsonl.1.gz"
    path.write_text(line("user", "new", None, "replaced by another") + "\n")
    run("keep", "one")
    assert sorted(found.name for found in old.parent.iterdir()) == ["one.jsonl.1.gz", "one.jsonl.2.gz"]


def test_drop_moves_the_copies_to_the_trash_and_undo_brings_them_back(run: Any, home: Path) -> None:
    path = session(home, "one")
    run("keep", "one")
    copies = contents(home / KEPT)
    sweep(home / ".claude/projects")
    assert "Dropped the copy of" in run("keep", "--drop", "one").out
    assert contents(home / KEPT) == {}
    assert rows(run) == {}
    assert run("keep", "--list").code == 1
    assert run("undo").code == 0
    assert contents(home / KEPT) == copies
    assert run("restore", "one").code == 0
    assert path.exists()


def test_list_tells_what_is_kept(run: Any, home: Path) -> None:
    paths = [session(home, name) for name in ("one", "two")]
    run("keep", "one", "two")
    paths[0].unlink()
    kept = json.loads(run("keep", "--list", "--json").out)["sessions"]
    assert {(each["session_id"], each["gone"], each["path"]) for each in kept} == {
        ("one", True, str(paths[0])),
        ("two", False, str(paths[1])),
    }
    for each in kept:
        assert (each["size"], each["copy"]) == (945, f"{home / KEPT}{each['path']}.gz")
        assert 0 < each["copy_size"] < 945
    [listed] = json.loads(run("keep", "--list", "--json", "two").out)["sessions"]
    assert listed["session_id"] == "two"
    assert sorted(rows(run, "is:kept")) == ["one", "two"]


def test_verify_and_doctor_name_a_damaged_copy_and_it_is_kept_again(run: Any, home: Path) -> None:
    path = session(home, "one")
    run("keep", "one")
    copy = copy_of(home, path)
    whole = copy.read_bytes()
    at = copy.stat().st_mtime_ns
    for bad in (whole[:-9], whole[:20] + b"\xff" * 8 + whole[28:], b"", whole + b"x"):
        copy.write_bytes(bad)
        os.utime(copy, ns=(at, at))
        assert "one.jsonl.gz: the compressed file is damaged" in run("doctor").out
        done = run("keep", "--verify")
        assert (done.code, "; kept again" in done.out, str(copy) in done.out) == (0, True, True)
        assert gzip.decompress(copy.read_bytes()) == path.read_bytes()
        assert "1 kept session read, 0 damaged" in run("keep", "--verify").out
    copy.write_bytes(whole[:-9])
    path.unlink()
    done = run("keep", "--verify")
    assert (done.code, "; kept again" in done.out) == (3, False)
    assert "one.jsonl.gz: cannot be read: the compressed file is damaged" in run("doctor").out
    assert "leafmark: 1 file was not read" in run("list").err
    done = run("restore", copy)
    assert done.code in (1, 3)
    assert not path.exists()
    assert run("keep", "--drop", "one").code == 1
    assert copy.exists()
    assert run("keep", "--drop", path).code == 0
    assert not copy.exists()
    assert run("undo").code == 0
    assert copy.read_bytes() == whole[:-9]
    assert run("keep", "--drop", copy).code == 0


def test_a_kept_session_is_read_while_the_disk_of_its_copy_is_full(
    run: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = session(home, "one")
    run("keep", "one")
    sweep(path.parents[1])
    make = tempfile.TemporaryFile

    def full(dir: str | None = None) -> Any:
        if dir is not None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return make()

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    assert rows(run)["one"]["gone"]
    assert "answer of one" in run("show", "one").out


def test_a_link_out_of_the_store_is_not_followed(run: Any, home: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("private")
    outside = write_session(tmp_path / "outside.jsonl", line("user", "u", None, "outside"))
    path = session(home, "one")
    os.symlink(outside, path.with_name("linked.jsonl"))
    os.symlink(secret, path.with_suffix("") / "secret.txt")
    os.symlink(tmp_path, path.with_suffix("") / "folder")
    done = run("keep", "linked")
    assert (done.code, "a link that leads out" in done.err) == (3, True)
    assert run("keep", "one").code == 0
    assert [name for name in contents(home / KEPT) if "secret" in name or "outside" in name] == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["keep"], 2, "needs a SESSION or a query"),
        (["keep", "--list", "--drop"], 2, "has no place beside"),
        (["keep", "one", "--anyway"], 2, "only beside --replace"),
        (["keep", "nothing-like-this"], 1, "no session matches"),
        (["keep", "cost:x"], 2, "is no amount"),
        (["keep", "--drop", "one"], 1, "no session matches"),
        (["keep", "--list"], 1, "no session is kept"),
    ],
)
def test_wrong_words_keep_nothing(run: Any, home: Path, words: list[str], code: int, said: str) -> None:
    session(home, "one")
    done = run(*words)
    assert (done.code, said in done.err) == (code, True), done
    assert not (home / KEPT).exists()


def test_a_kept_session_that_is_trashed_stays_as_its_copy(run: Any, home: Path) -> None:
    session(home, "one")
    run("keep", "one")
    done = run("trash", "one")
    assert (done.code, "its kept copy stays in the list" in done.err) == (0, True)
    assert rows(run)["one"]["gone"]
    assert run("undo").code == 0
    assert not rows(run)["one"]["gone"]


def test_a_moved_session_is_not_gone(run: Any, home: Path) -> None:
    path = session(home, "one", artifacts=0)
    run("keep", "one")
    target = path.parent.with_name("-work-other") / path.name
    target.parent.mkdir()
    path.rename(target)
    assert [row["path"] for row in rows(run).values()] == [str(target)]


def test_index_brings_copies_up_to_date_and_keeps_what_the_setting_names(run: Any, home: Path) -> None:
    old, fresh = session(home, "old", 26), session(home, "fresh", 1)
    settings = home / ".config/leafmark/config.toml"
    settings.parent.mkdir(parents=True)

    def kept() -> set[str]:
        return set(rows(run, "is:kept"))

    assert "kept" not in run("index").out
    for value, names in (("never", set()), ("ask", set()), ("expiring", {"old"}), ("all", {"old", "fresh"})):
        settings.write_text(f'keep = "{value}"\n')
        assert run("index").code == 0
        assert kept() == names, value
    settings.write_text('keep = "never"\n')
    with fresh.open("a") as file:
        file.write(line("user", "more", "fresh-a", "grown") + "\n")
    (old.with_suffix("") / "tool-results/2.txt").write_text("a new result")
    assert "2 sessions kept" in run("index").out
    assert gzip.decompress(copy_of(home, fresh).read_bytes()) == fresh.read_bytes()
    assert copy_of(home, old.with_suffix("") / "tool-results/2.txt").exists()
    assert "kept" not in run("index").out


def test_resume_restores_a_session_that_is_gone(tmp_path: Path, process: Any) -> None:
    home = tmp_path / "home"
    path = session(home, "one")
    work = tmp_path / "work"
    work.mkdir()
    path.write_text(path.read_text().replace("/work/app", str(work)))
    set_age(path, 40)
    before = path.read_bytes()
    program = tmp_path / "bin/claude"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$PWD $*"; cat {path}\n')
    program.chmod(0o755)
    here = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    assert process("keep", "one", **here).returncode == 0
    sweep(home / ".claude/projects")
    printed = process("resume", "--print", "one", **here).stdout
    assert printed == f"cd {work} && leafmark restore {path} && claude --resume one\n"
    assert not path.exists()
    env = {"HOME": str(home), **here}
    (store,) = Claude().stores(env, str(home), "/")
    store.kept = str(home / KEPT)
    made = plan("claude", str(copy_of(home, path)), "one", str(work), store, env)
    out = tmp_path / "out"
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT), 1)
            execute(made)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert out.read_text() == f"{work} --resume one\n{before.decode()}"
    assert path.read_bytes() == before


def test_what_is_left_of_a_session_that_is_gone_is_no_reason_to_keep_it(run: Any, home: Path) -> None:
    path = session(home, "one")
    run("keep", "one")
    path.unlink()
    (path.with_suffix("") / "tool-results/2.txt").write_text("left")
    done = run("index")
    assert (done.code, done.err) == (0, "")
