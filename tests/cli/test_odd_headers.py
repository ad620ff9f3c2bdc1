"""Commands on a session with a NUL in its header, which the system permits neither in paths nor in
arguments.
"""

from __future__ import annotations

import json

import pytest
from leafmark import SessionManager

from tests.factory import chain, header, write_session

NUL = "/work/a\0b"
FOLDERS = {
    "pi": ".pi/agent/sessions/--work--/1_odd-session.jsonl",
    "omp": ".omp/agent/sessions/--work--/1_odd-session.jsonl",
    "indusagi": ".indusagi/agent/sessions/--work--/1_odd-session.jsonl",
    "agent": ".config/agent/sessions/20260226-143012-0dd5e551.jsonl",
}


def write(home, agent, **fields):
    """Write a session of the agent with these header fields."""
    head = {**header("odd-session"), **fields}
    if agent == "agent":
        message_ = {"role": "user", "content": [{"type": "text", "text": "question"}]}
        entry_ = {"type": "message", "id": "m0", "timestamp": "2026-02-26T14:30:13Z", "message": message_}
        return write_session(home / FOLDERS[agent], {**head, "version": 1}, entry_)
    return write_session(home / FOLDERS[agent], head, *chain("question", "answer")[1:])


@pytest.mark.parametrize("agent", FOLDERS)
@pytest.mark.parametrize("field", ["cwd", "parentSession", "id"])
def test_every_command_works_beside_a_nul_in_a_header(run, home, agent, field):
    path = write(home, agent, **{field: NUL})
    for words in (
        ["list"],
        ["list", "--json", "dir:work"],
        ["tree", path],
        ["doctor"],
        ["labels"],
        ["labels", path],
        ["search", "question"],
        ["index", "--verify"],
        ["resume", path, "--print"],
        ["fork", path],
        ["rename", path, "a name"],
        ["branch", path, "root"],
        ["label", path, "00000001", "here"],
        ["trash", path, "--anyway"],
        ["trash", "--list"],
        ["restore", path],
        ["undo"],
    ):
        done = run(*words)
        assert done.code in (0, 1, 3), words
        assert "\0" not in done.out + done.err
        assert "Traceback" not in done.err
        assert "embedded null" not in done.err


def test_a_folder_with_a_nul_counts_as_absent_and_doctor_says_so(run, home):
    path = write(home, "pi", cwd=NUL)
    [row] = json.loads(run("list", "--json").out)["sessions"]
    assert (row["cwd"], row["problems"]) == ("", 1)
    assert f"{path.name}:1: the folder in the header is no path" in run("doctor").out
    done = run("resume", "odd-session", "--print")
    assert done.out == f"pi --session {path}\n"
    done = run("fork", "odd-session")
    assert (done.code, done.err) == (0, "")
    [new_path] = [path_ for path_ in (home / ".pi").rglob("*.jsonl") if path_ != path]
    assert SessionManager.open(str(new_path), env={"HOME": str(home)}).header["parentSession"] == str(path)
    assert run("trash", "odd-session").code == 0
    assert not path.exists()
