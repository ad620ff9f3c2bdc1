"""Which sessions of Codex are open: its server holds files of screens that were closed, and a lock tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.index.live_sessions import verdict_to_resume
from app.stores import Processes, Verdict, discover, look, verdict
from tests.rollouts import ID, meta, said, write_rollout
from tests.stores.test_live import NOW, Proc

MINUTE = 60_000
SERVER = ("codex", "app-server", "--listen", "unix://", "--managed-daemon")
LOOP = ("codex", "app-server", "daemon", "pid-update-loop")


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path / "proc")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write_rollout(tmp_path, meta(cwd=str(tmp_path)), said("user", "hi"))


def lock(home: Path, session_id: str = ID) -> Path:
    path = home / ".codex" / "thread-writer-locks" / f"{session_id}.lock"
    path.parent.mkdir(exist_ok=True)
    path.touch()
    return path


def add(proc: Proc, pid: int, words: tuple[str, ...], cwd: Path, session: Path | None = None) -> None:
    proc.add(pid, "codex", cwd=cwd, fds={7: session} if session is not None else {})
    (proc.root / str(pid) / "cmdline").write_bytes("\0".join(words).encode() + b"\0")


def processes(tmp_path: Path, proc: Proc) -> Processes:
    return look(discover({}, str(tmp_path), str(tmp_path)), proc=str(proc.root))


def judge(found: Processes, session: Path, tmp_path: Path, *, age: int = 5 * MINUTE) -> Verdict:
    return verdict("codex", str(session), ID, str(tmp_path), NOW - age, True, None, found, NOW)


def test_the_server_and_its_update_loop_are_no_agents_in_a_folder(
    proc: Proc, session: Path, tmp_path: Path
) -> None:
    add(proc, 10, SERVER, tmp_path)
    add(proc, 11, LOOP, tmp_path)
    assert judge(processes(tmp_path, proc), session, tmp_path, age=0).state == "idle"
    add(proc, 12, ("codex",), tmp_path)
    assert judge(processes(tmp_path, proc), session, tmp_path).state == "maybe"


def test_the_server_is_known_by_the_note_of_its_process(proc: Proc, session: Path, tmp_path: Path) -> None:
    add(proc, 10, ("codex",), tmp_path)
    assert judge(processes(tmp_path, proc), session, tmp_path).state == "maybe"
    note = tmp_path / ".codex" / "app-server-daemon" / "daemon.pid"
    note.parent.mkdir()
    note.write_text("10\n")
    assert judge(processes(tmp_path, proc), session, tmp_path).state == "idle"


def test_a_file_that_the_server_has_open_is_live_while_it_grows_or_is_locked(
    proc: Proc, session: Path, tmp_path: Path
) -> None:
    add(proc, 10, SERVER, tmp_path, session)
    found = processes(tmp_path, proc)
    assert judge(found, session, tmp_path).state == "idle"
    assert judge(found, session, tmp_path, age=1000)[::4] == ("live", True)
    lock(tmp_path)
    assert judge(processes(tmp_path, proc), session, tmp_path)[::4] == ("live", True)


def test_a_locked_session_is_live_and_no_other_of_its_folder(
    proc: Proc, session: Path, tmp_path: Path
) -> None:
    path = lock(tmp_path)
    add(proc, 12, ("codex", "exec"), tmp_path)
    found = processes(tmp_path, proc)
    assert judge(found, session, tmp_path).state == "live"
    path.rename(path.with_name("another.lock"))
    assert judge(processes(tmp_path, proc), session, tmp_path, age=0).state == "idle"


def test_a_lock_that_a_crash_left_does_not_count(proc: Proc, session: Path, tmp_path: Path) -> None:
    lock(tmp_path)
    assert judge(processes(tmp_path, proc), session, tmp_path).state == "idle"


def test_an_older_codex_holds_its_file_open_for_as_long_as_it_runs(
    proc: Proc, session: Path, tmp_path: Path
) -> None:
    add(proc, 12, ("codex",), tmp_path, session)
    assert judge(processes(tmp_path, proc), session, tmp_path)[::4] == ("live", False)


def test_a_session_that_the_server_shares_is_resumed_without_a_question(
    proc: Proc, session: Path, tmp_path: Path
) -> None:
    def asked() -> Verdict | None:
        found = processes(tmp_path, proc)
        return verdict_to_resume("codex", str(session), ID, str(tmp_path), found, NOW)

    lock(tmp_path)
    add(proc, 10, SERVER, tmp_path, session)
    assert asked() is None
    add(proc, 12, ("codex",), tmp_path, session)
    (proc.root / "10" / "fd" / "7").unlink()
    verdict_of_another = asked()
    assert verdict_of_another is not None
    assert verdict_of_another.state == "live"
