"""Detection of running agents (formats/README.md, "Detecting a running agent") in a fictitious /proc, with a
real process, and in the output of ps and lsof.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from app.stores import Processes, Verdict, discover, last_session, look, read_breadcrumb, terminals, verdict
from tests.waiting import ends

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_790_000_000_000
MINUTE = 60_000


class Proc:
    """A /proc made of files and links below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "self").mkdir(parents=True)
        (root / "meminfo").write_text("")

    def add(
        self,
        pid: int,
        comm: str,
        cwd: object = "/",
        fds: dict[int, object] | None = None,
        environ: dict[str, object] | None = None,
        children: tuple[int, ...] = (),
    ) -> None:
        folder = self.root / str(pid)
        (folder / "fd").mkdir(parents=True)
        (folder / "task" / str(pid)).mkdir(parents=True)
        (folder / "comm").write_text(f"{comm}\n")
        (folder / "cwd").symlink_to(str(cwd))
        for number, target in (fds or {}).items():
            (folder / "fd" / str(number)).symlink_to(str(target))
        block = "\0".join(f"{key}={value}" for key, value in (environ or {}).items())
        (folder / "environ").write_text(block + "\0")
        (folder / "task" / str(pid) / "children").write_text(" ".join(map(str, children)))


@pytest.fixture
def proc(tmp_path: Path) -> Proc:
    return Proc(tmp_path / "proc")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def processes_in(tmp_path: Path, proc: Proc) -> Processes:
    return look(discover({}, str(tmp_path / "home"), str(tmp_path)), str(proc.root))


def judge(processes: Processes, path: object, cwd: object, **facts: object) -> Verdict:
    """Return the verdict on an old omp session that is not the newest of its folder; `facts` replaces these
    facts.
    """
    given: dict[str, object] = {
        "agent": "omp",
        "session_id": "id",
        "mtime_ms": NOW - 900 * MINUTE,
        "newest_of_cwd": False,
        "grew_ms": None,
        "now_ms": NOW,
        **facts,
    }
    return verdict(path=str(path), cwd=str(cwd), processes=processes, **given)  # type: ignore[arg-type]


def test_a_file_held_open_is_live(tmp_path: Path, proc: Proc, work: Path) -> None:
    session = tmp_path / "sessions" / "s.jsonl"
    session.parent.mkdir()
    session.write_text("")
    (tmp_path / "linked").symlink_to(session.parent)
    proc.add(7, "omp", work, {0: "/dev/pts/1", 12: session, 13: "pipe:[3]", 14: "/gone.jsonl (deleted)"})
    proc.add(8, "vim", work, {3: tmp_path / "other.jsonl"})
    processes = processes_in(tmp_path, proc)
    for path in (session, tmp_path / "linked" / "s.jsonl"):
        result = judge(processes, path, work)
        assert (result.state, result.pid) == ("live", 7)
        assert "process 7" in result.reason
    assert judge(processes, tmp_path / "other.jsonl", work).state == "idle"
    # The process is accounted for: it does not make its folder's other sessions "maybe".
    assert judge(processes, tmp_path / "t.jsonl", work, newest_of_cwd=True).state == "idle"


def test_a_sub_agents_file_held_open_makes_the_session_live(tmp_path: Path, proc: Proc, work: Path) -> None:
    session = tmp_path / "s.jsonl"
    session.write_text("")
    proc.add(7, "omp", work, {12: tmp_path / "s" / "0-scout.jsonl"})
    assert judge(processes_in(tmp_path, proc), session, work).state == "live"


def test_a_file_held_open_that_was_removed_makes_nothing_live(tmp_path: Path, proc: Proc, work: Path) -> None:
    """The kernel adds " (deleted)" to the old path; the path belongs to another file now."""
    session = tmp_path / "s.jsonl"
    session.write_text("")
    (tmp_path / "s").mkdir()
    proc.add(7, "omp", work, {12: f"{session} (deleted)", 13: f"{tmp_path}/s/0-scout.jsonl (deleted)"})
    assert judge(processes_in(tmp_path, proc), session, work).state == "idle"


def test_a_breadcrumb_counts_only_with_its_process(tmp_path: Path, proc: Proc, work: Path) -> None:
    crumbs = tmp_path / "home" / ".omp" / "agent" / "terminal-sessions"
    crumbs.mkdir(parents=True)
    session = tmp_path / "s.jsonl"
    (crumbs / "pts-4").write_text(f"{work}\n{session}\nfresh\n")
    (crumbs / "tmux-%3").write_text(f"{work}\n{session}2\n")
    assert judge(processes_in(tmp_path, proc), session, work).state == "idle"
    proc.add(7, "omp", work, {0: "/dev/pts/4"})
    proc.add(9, "omp", work, {0: "/dev/pts/9"}, environ={"TMUX_PANE": "%3"})
    processes = processes_in(tmp_path, proc)
    assert (judge(processes, session, work).state, judge(processes, session, work).pid) == ("live", 7)
    assert judge(processes, f"{session}2", work).pid == 9


def test_a_breadcrumb_may_name_folder_and_session_by_links(tmp_path: Path, proc: Proc, work: Path) -> None:
    crumbs = tmp_path / "home" / ".omp" / "agent" / "terminal-sessions"
    crumbs.mkdir(parents=True)
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    (tmp_path / "link-to-work").symlink_to(work)
    (tmp_path / "link-to-sessions").symlink_to(sessions)
    session = sessions / "s.jsonl"
    session.write_text("")
    (crumbs / "pts-4").write_text(f"{tmp_path}/link-to-work\n{tmp_path}/link-to-sessions/s.jsonl\n")
    proc.add(7, "omp", work, {0: "/dev/pts/4"})
    for path in (session, tmp_path / "link-to-sessions" / "s.jsonl"):
        assert (judge(processes_in(tmp_path, proc), path, work).state, path) == ("live", path)


def test_a_breadcrumb_of_another_file_of_the_same_name_does_not_count(
    tmp_path: Path, proc: Proc, work: Path
) -> None:
    crumbs = tmp_path / "home" / ".omp" / "agent" / "terminal-sessions"
    crumbs.mkdir(parents=True)
    (crumbs / "pts-4").write_text(f"{work}\n{tmp_path}/one/s.jsonl\n")
    proc.add(7, "omp", work, {0: "/dev/pts/4"})
    assert judge(processes_in(tmp_path, proc), tmp_path / "other" / "s.jsonl", work).state == "idle"


def test_the_last_session_of_a_terminal_is_found_through_a_linked_folder(tmp_path: Path, work: Path) -> None:
    (tmp_path / "link-to-work").symlink_to(work)
    session = tmp_path / "s.jsonl"
    session.write_text("")
    (tmp_path / "tmux-%3").write_text(f"{tmp_path}/link-to-work\n{session}\n")
    env = {"TMUX_PANE": "%3"}
    assert last_session(str(tmp_path), env, str(work)) == str(session)
    assert last_session(str(tmp_path), env, str(tmp_path)) == ""
    (tmp_path / "tmux-%3").write_text(f"{work}\n{session}\n")
    assert last_session(str(tmp_path), env, str(tmp_path / "link-to-work")) == str(session)


def test_a_pipe_is_not_read_as_a_breadcrumb(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pts-4")
    assert ends(lambda: read_breadcrumb(str(tmp_path / "pts-4"))) is None


def test_a_stale_breadcrumb_of_another_folder_does_not_count(tmp_path: Path, proc: Proc, work: Path) -> None:
    crumbs = tmp_path / "home" / ".omp" / "agent" / "terminal-sessions"
    crumbs.mkdir(parents=True)
    (crumbs / "pts-4").write_text(f"/elsewhere\n{tmp_path}/s.jsonl\n")
    (crumbs / "pts-5").write_bytes(b"\xff\n")
    proc.add(7, "omp", work, {0: "/dev/pts/4"})
    proc.add(8, "omp", work, {0: "/dev/pts/5"})
    assert judge(processes_in(tmp_path, proc), tmp_path / "s.jsonl", work).state == "idle"


def test_a_running_command_of_pi_names_the_session(tmp_path: Path, proc: Proc, work: Path) -> None:
    session = tmp_path / "p.jsonl"
    proc.add(20, "pi", work, children=(21,))
    proc.add(21, "bash", work, environ={"PI_SESSION_FILE": session, "PI_SESSION_ID": "pid-1", "HOME": "/"})
    # A process of a pi that has ended has no agent as its parent, and does not count.
    proc.add(30, "node", work, environ={"PI_SESSION_FILE": tmp_path / "old.jsonl", "PI_SESSION_ID": "old"})
    processes = processes_in(tmp_path, proc)
    result = judge(processes, session, work, agent="pi")
    assert (result.state, result.pid) == ("live", 20)
    moved = judge(processes, tmp_path / "renamed" / "q.jsonl", work, agent="pi", session_id="pid-1")
    assert moved.state == "live"
    assert judge(processes, tmp_path / "old.jsonl", work, agent="pi", session_id="old").state == "idle"


def test_variables_that_an_agent_inherited_do_not_count(tmp_path: Path, proc: Proc, work: Path) -> None:
    """omp was started in a shell of pi, so its children have the variables of pi's session."""
    outer = {"PI_SESSION_FILE": tmp_path / "outer.jsonl", "PI_SESSION_ID": "outer"}
    proc.add(40, "omp", work, environ=outer, children=(41,))
    proc.add(41, "node", work, environ=outer)
    assert processes_in(tmp_path, proc).claims == {}


def test_maybe_needs_the_agent_the_folder_and_a_hint(tmp_path: Path, proc: Proc, work: Path) -> None:
    (tmp_path / "alias").symlink_to(work)
    proc.add(7, "pi", work)
    processes = processes_in(tmp_path, proc)
    path = tmp_path / "s.jsonl"
    assert judge(processes, path, work, agent="pi", newest_of_cwd=True).state == "maybe"
    assert judge(processes, path, tmp_path / "alias", agent="pi", mtime_ms=NOW - MINUTE).pid == 7
    assert judge(processes, path, work, agent="pi").state == "idle"
    assert judge(processes, path, tmp_path, agent="pi", newest_of_cwd=True).state == "idle"
    assert judge(processes, path, "", agent="pi", newest_of_cwd=True).state == "idle"
    assert judge(processes, path, work, agent="omp", newest_of_cwd=True).state == "idle"


def test_a_file_seen_to_grow_is_live_for_five_seconds(work: Path) -> None:
    nobody = Processes()
    assert judge(nobody, "/s.jsonl", work, grew_ms=NOW - 5_000).state == "live"
    assert judge(nobody, "/s.jsonl", work, grew_ms=NOW - 5_001).state == "idle"
    # A new modification time alone is no sign, because a copy has one too.
    assert judge(nobody, "/s.jsonl", work, mtime_ms=NOW).state == "idle"


def test_unreadable_processes_are_skipped(tmp_path: Path, proc: Proc, work: Path) -> None:
    (proc.root / "50").mkdir()  # The process has ended, or belongs to another user.
    (proc.root / "51").mkdir()
    (proc.root / "51" / "comm").write_text("omp\n")
    processes = processes_in(tmp_path, proc)
    assert [(process.pid, process.cwd, process.files) for process in processes.processes] == [(51, "", ())]
    assert judge(processes, "/s.jsonl", work, newest_of_cwd=True).state == "idle"


def test_only_the_names_of_other_processes_are_read(
    tmp_path: Path, proc: Proc, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pid in range(100, 150):
        proc.add(pid, "bash", work, {3: "/x.jsonl"})
    opened: list[str] = []
    reads: list[int] = []
    real, real_read = os.open, os.read
    monkeypatch.setattr(
        "app.stores.processes.os.open", lambda path, *rest: (opened.append(path), real(path, *rest))[1]
    )
    monkeypatch.setattr("app.stores.processes.os.read", lambda *of: (reads.append(1), real_read(*of))[1])
    processes_in(tmp_path, proc)
    monkeypatch.undo()
    assert len(opened) == len(reads) == 50
    assert {path.rpartition("/")[2] for path in opened} == {"comm"}


HOLDER = """
import ctypes, sys
ctypes.CDLL(None).prctl(15, b"omp", 0, 0, 0)
held = open(sys.argv[1], "ab")
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a real /proc")
def test_a_real_process_that_holds_the_file_is_found(tmp_path: Path, work: Path) -> None:
    session = tmp_path / "real.jsonl"
    session.write_text("")
    stores = discover({}, str(tmp_path / "home"), str(tmp_path))
    command = [sys.executable, "-c", HOLDER, str(session)]
    with subprocess.Popen(command, cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        processes = look(stores)
        result = judge(processes, session, work)
        child.communicate()
    assert (result.state, result.pid) == ("live", child.pid)
    [mine] = [process for process in processes.processes if process.pid == child.pid]
    assert mine.cwd == str(work)
    assert judge(look(stores), session, work).state == "idle"


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a real /proc")
def test_a_replaced_file_is_not_live_because_of_its_old_descriptor(tmp_path: Path, work: Path) -> None:
    session = tmp_path / "real.jsonl"
    session.write_text("old")
    stores = discover({}, str(tmp_path / "home"), str(tmp_path))
    command = [sys.executable, "-c", HOLDER, str(session)]
    with subprocess.Popen(command, cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        before = judge(look(stores), session, work).state
        (tmp_path / "new").write_text("new")
        (tmp_path / "new").replace(session)
        after = judge(look(stores), session, work).state
        child.communicate()
    assert (before, after) == ("live", "idle")


LSOF = """p501
fcwd
n/work/app
f0
n/dev/ttys001
f12
n/store/s.jsonl
f13
n192.168.0.1:443
pnot-a-number
fcwd
n/lost
p502
fcwd
n/work/site
"""


def test_without_proc_ps_and_lsof_are_run(tmp_path: Path) -> None:
    commands: list[list[str]] = []

    def run(command: list[str]) -> str:
        commands.append(command)
        return "  501 /opt/my tools/omp\n  502 pi\n 1 /sbin/init\nrubbish\n" if command[0] == "ps" else LSOF

    processes = look([], str(tmp_path / "no-proc"), run)
    assert [command[0] for command in commands] == ["ps", "lsof"]
    assert "501,502" in commands[1]
    found = judge(processes, "/store/s.jsonl", "/x")
    assert (found.pid, found.terminal) == (501, "ttys001")
    assert judge(processes, "/store/t.jsonl", "/work/site", agent="pi", newest_of_cwd=True).state == "maybe"
    assert [terminals(process.terminal, process.variables) for process in processes.processes] == [
        ["ttys001"],
        [],
    ]


def test_without_ps_no_process_is_known_and_without_lsof_no_open_file(tmp_path: Path) -> None:
    def nothing(command: list[str]) -> str:
        raise FileNotFoundError(f"no {command[0]}")

    assert look([], str(tmp_path / "no-proc"), nothing).processes == ()

    def only_ps(command: list[str]) -> str:
        if command[0] == "ps":
            return "5 pi\n"
        raise FileNotFoundError("no lsof")

    processes = look([], str(tmp_path / "no-proc"), only_ps)
    assert [process.pid for process in processes.processes] == [5]
    assert processes.claims == {}


def test_lsof_is_not_run_without_agents(tmp_path: Path) -> None:
    def run(command: list[str]) -> str:
        assert command[0] == "ps"
        return "1 /sbin/init\n"

    assert look([], str(tmp_path / "no-proc"), run).processes == ()
