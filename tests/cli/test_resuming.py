"""``leafmark resume`` of a session that is named: what is said before this process becomes its program."""

from __future__ import annotations

import json
import os
import sys

import pytest

from tests.factory import chain, write_session

FAKE = """#!{python}
import os, sys
print(sys.argv[1:], os.getcwd(), os.environ.get("OMP_PROFILE"))
"""
LANES = '{"v":4,"kind":"header","id":"lanes-of-v4","storageVersion":1,"createdAt":1,"cwd":%s}'


@pytest.fixture
def path(tmp_path):
    """PATH with programs that say what they are given."""
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


def test_what_is_said_before_is_the_line_that_print_prints(leafmark, tmp_path, path, work):
    store = tmp_path / "home/.omp/profiles/work me/agent/sessions/-work"
    file = write_session(store / "1_session-1.jsonl", *chain("question", id="session-1", cwd=str(work)))
    line = f"cd '{work}' && OMP_PROFILE='work me' omp --resume '{file}'\n"
    printed = leafmark("resume", "session-1", "--print", PATH=path)
    assert (printed.returncode, printed.stdout, printed.stderr) == (0, line, "")
    done = leafmark("resume", "session-1", PATH=path)
    assert (done.returncode, done.stderr) == (0, line)
    assert done.stdout == f"['--resume', '{file}'] {work} work me\n"


def test_what_cannot_be_run_is_said_with_that_line_below(leafmark, tmp_path, path, work):
    store = tmp_path / "home/.pi/agent/sessions/--gone--"
    file = write_session(store / "1.jsonl", *chain("question", "one", id="session-1", cwd="/gone/for  good"))
    done = leafmark("resume", "session-1", PATH=path)
    why_not = "leafmark: the folder /gone/for good is gone; run the command from the folder to work in"
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines() == [why_not, f"pi --session {file}"]


def test_an_id_of_letters_alone_is_one_where_there_is_no_screen(leafmark, tmp_path, path, work):
    store = tmp_path / "home/.pi/agent/sessions/--work--"
    file = write_session(store / "1.jsonl", *chain("question", "one", id="refactoring", cwd=str(work)))
    write_session(store / "2.jsonl", *chain("what about refactoring", "one", id="session-2", cwd=str(work)))
    line = f"cd '{work}' && pi --session {file}\n"
    assert leafmark("resume", "refactoring", "--print", PATH=path).stdout == line
    assert leafmark("resume", "refactoring", PATH=path).stderr == line


def test_the_line_is_printed_as_it_is_whatever_the_locale_or_the_output_has(leafmark, tmp_path, path):
    work = tmp_path / "home/arbeité"
    work.mkdir(parents=True)
    store = tmp_path / "home/.pi/agent/sessions/--work--"
    file = write_session(store / "…1.jsonl", *chain("question", "one", id="session-1", cwd=str(work)))
    for encoding in ("utf-8", "ascii", "latin-1"):
        done = leafmark("resume", "session-1", "--print", PATH=path, LC_ALL="C", encoding=encoding)
        assert (done.returncode, done.stdout) == (0, f"cd '{work}' && pi --session '{file}'\n")


def test_a_file_of_pis_version_4_may_be_refused_and_that_is_said(leafmark, tmp_path, path, work):
    store = tmp_path / "home/.pi/agent/sessions/--work--"
    file = write_session(store / "v4.jsonl", LANES % json.dumps(str(work)))
    warning = "leafmark: this file is of pi's version 4, and pi may not read those yet\n"
    line = f"cd '{work}' && pi --session {file}\n"
    printed = leafmark("resume", "lanes-of-v4", "--print", PATH=path)
    assert (printed.returncode, printed.stdout, printed.stderr) == (0, line, warning)
    done = leafmark("resume", file, PATH=path)
    assert (done.returncode, done.stderr) == (0, warning + line)
    assert done.stdout.startswith(f"['--session', '{file}']")
