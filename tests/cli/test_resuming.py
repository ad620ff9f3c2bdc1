"""``leafmark resume`` of a named session: the output before this process becomes its agent."""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.factory import chain, write_session
from tests.holding import held, running

FAKE = """#!{python}
import os, sys
print(sys.argv[1:], os.getcwd(), os.environ.get("OMP_PROFILE"))
"""


@pytest.fixture
def path(tmp_path):
    """A PATH with agents that print their arguments."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("pi", "omp"):
        (folder / name).write_text(FAKE.format(python=sys.executable))
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "home/work  of me"
    folder.mkdir(parents=True)
    return folder


def test_the_printed_line_is_that_of_print(process, tmp_path, path, work):
    store = tmp_path / "home/.omp/profiles/work me/agent/sessions/-work"
    file = write_session(store / "1_session-1.jsonl", *chain("question", id="session-1", cwd=str(work)))
    line = f"cd '{work}' && OMP_PROFILE='work me' omp --resume '{file}'\n"
    printed = process("resume", "session-1", "--print", PATH=path)
    assert (printed.returncode, printed.stdout, printed.stderr) == (0, line, "")
    done = process("resume", "session-1", PATH=path)
    assert (done.returncode, done.stderr) == (0, line)
    assert done.stdout == f"['--resume', '{file}'] {work} work me\n"


def test_a_command_that_cannot_be_run_is_printed_after_the_reason(process, tmp_path, path, work):
    store = tmp_path / "home/.pi/agent/sessions/--gone--"
    file = write_session(store / "1.jsonl", *chain("question", "one", id="session-1", cwd="/gone/for  good"))
    done = process("resume", "session-1", PATH=path)
    why_not = (
        "leafmark: the folder /gone/for good is gone; run this command in the folder where you want to work"
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines() == [why_not, f"pi --session {file}"]


def test_a_word_that_is_an_id_names_a_session_without_a_screen(process, tmp_path, path, work):
    store = tmp_path / "home/.pi/agent/sessions/--work--"
    file = write_session(store / "1.jsonl", *chain("question", "one", id="refactoring", cwd=str(work)))
    write_session(store / "2.jsonl", *chain("what about refactoring", "one", id="session-2", cwd=str(work)))
    line = f"cd '{work}' && pi --session {file}\n"
    assert process("resume", "refactoring", "--print", PATH=path).stdout == line
    assert process("resume", "refactoring", PATH=path).stderr == line


def test_the_line_is_printed_unchanged_in_any_locale_and_encoding(process, tmp_path, path):
    work = tmp_path / "home/arbeité"
    work.mkdir(parents=True)
    store = tmp_path / "home/.pi/agent/sessions/--work--"
    file = write_session(store / "…1.jsonl", *chain("question", "one", id="session-1", cwd=str(work)))
    for encoding in ("utf-8", "ascii", "latin-1"):
        done = process("resume", "session-1", "--print", PATH=path, LC_ALL="C", encoding=encoding)
        assert (done.returncode, done.stdout) == (0, f"cd '{work}' && pi --session '{file}'\n")


on_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows who runs")
HARMS = {
    "pi": "two agents in one session make two branches, and the last writer wins",
    "omp": "one of two agents in a session may stop writing it, and lose its later turns",
}
FOLDERS = {"pi": ".pi/agent/sessions/--work--", "omp": ".omp/agent/sessions/-work"}
ANYWAY = "(--anyway resumes it all the same)"


@pytest.fixture
def programs(tmp_path):
    """A folder for the programs that a test runs."""
    folder = tmp_path / "running"
    folder.mkdir()
    return folder


@on_proc
@pytest.mark.parametrize("agent", ["pi", "omp"])
def test_the_newest_session_beside_a_running_agent_needs_anyway(
    process, tmp_path, path, work, programs, agent
):
    folder = tmp_path / "home" / FOLDERS[agent]
    older = write_session(folder / "1.jsonl", *chain("question", "one", id="session-1", cwd=str(work)))
    newest = write_session(folder / "2.jsonl", *chain("question", "two", id="session-2", cwd=str(work)))
    elsewhere = write_session(folder / "3.jsonl", *chain("question", "three", id="session-3", cwd="/other"))
    for number, file in enumerate((older, newest, elsewhere)):
        os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
    with running(programs, agent, cwd=str(work)):
        for named in ("session-2", newest):
            done = process("resume", named, PATH=path)
            assert (done.returncode, done.stdout) == (3, "")
            why, line = done.stderr.splitlines()
            assert why == (
                f"leafmark: this session may be in use: {agent} runs in the same folder; the newest session "
                f"there; {HARMS[agent]} {ANYWAY}"
            )
            assert line.startswith("cd ")
        anyway = process("resume", "session-2", "--anyway", PATH=path)
        assert (anyway.returncode, anyway.stderr) == (0, line + "\n")
        printed = process("resume", "session-2", "--print", PATH=path)
        assert (printed.returncode, printed.stdout) == (0, line + "\n")
        assert "may be in use" in printed.stderr
        assert process("resume", "session-1", PATH=path).returncode == 0
    assert process("resume", "session-2", PATH=path).returncode == 0


@on_proc
def test_a_session_that_an_agent_has_open_needs_anyway(process, tmp_path, path, work, programs):
    lines = chain("question", "one", id="session-1", cwd=str(work))
    outside = write_session(tmp_path / "kept/1.jsonl", *lines)
    file = write_session(tmp_path / "home" / FOLDERS["omp"] / "1.jsonl", *lines)
    for named, agent in ((file, "omp"), (outside, "pi")):
        with held(named, programs, agent) as pid:
            done = process("resume", named, PATH=path)
            assert done.returncode == 3
            why = f"process {pid} ({agent}) has it open; {HARMS[agent]}"
            assert done.stderr.splitlines()[0] == f"leafmark: this session is in use: {why} {ANYWAY}"
            assert process("resume", named, "--anyway", PATH=path).returncode == 0


def test_a_file_that_its_agent_refuses_needs_anyway_and_the_repair_is_named(process, tmp_path, path, work):
    lines = chain("question", "one", id="session-1", cwd=str(work))
    file = write_session(tmp_path / "home" / FOLDERS["pi"] / "1.jsonl", *lines)
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    lines = chain("question", "one", id="session-2", cwd=str(work))
    title = {"type": "title", "v": 1, "title": "T", "updatedAt": "2026-05-01T10:00:00.000Z"}
    short = write_session(tmp_path / "home" / FOLDERS["omp"] / "2.jsonl", title, *lines)
    reasons = {
        "session-1": "a byte order mark before the header: pi refuses such a file; "
        "`leafmark fork` copies the active path to a file that pi opens",
        "session-2": "a title line before the header: omp refuses such a file; "
        "`leafmark rename` writes it anew",
    }
    for named, reason in reasons.items():
        done = process("resume", named, PATH=path)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.splitlines()[0] == f"leafmark: {reason} {ANYWAY}"
        assert process("resume", named, "--anyway", PATH=path).returncode == 0
    skipped = json.loads(process("doctor", "--json").stdout)["skipped"]
    assert [(file_["path"], file_["line"], file_["reason"]) for file_ in skipped] == [
        (str(short), 1, reasons["session-2"]),
        (str(file), 1, reasons["session-1"]),
    ]
    fork_path = json.loads(process("fork", "session-1", "--json").stdout)["change"]["after"]
    process("rename", "session-2", "T")
    for repaired in (fork_path, short):
        assert process("resume", repaired, PATH=path).returncode == 0


def test_the_arguments_of_the_settings_are_given_to_the_agent(process, tmp_path, path, work):
    config = tmp_path / "config/config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text('[arguments]\npi = "--model \'a b\' --offline"\nomp = ["-x"]\n')
    store = tmp_path / "home/.pi/agent/sessions/--work--"
    file = write_session(store / "1_session-1.jsonl", *chain("question", id="session-1", cwd=str(work)))
    done = process("resume", "session-1", PATH=path, LEAFMARK_CONFIG_DIR=str(config.parent))
    assert done.stdout.startswith("['--model', 'a b', '--offline', '--session', "), done.stderr
    assert f"'{file}'" in done.stdout
    config.write_text('[arguments]\npi = 5\nnobody = "-x"\n')
    checked = process("config", "--check", LEAFMARK_CONFIG_DIR=str(config.parent))
    assert "arguments.pi: must be words" in checked.stdout + checked.stderr
    assert "arguments.nobody: there is no such agent" in checked.stdout + checked.stderr


def test_a_toy_agent_resumes_an_example(process):
    ids = process("list", "--demo", "--format", "{short_id} {title}", "agent:pi").stdout.splitlines()
    short_id, _, title = ids[0].partition(" ")
    done = process("--demo", "resume", short_id)
    assert (done.returncode, done.stderr) == (0, "")
    assert f'Here pi would go on with "{title}"\n  in ~/work/shop.' in done.stdout
    assert "&& pi --session " in done.stdout
    assert process("--demo", "resume", "--print", short_id).stdout.startswith("cd ")
