"""Completion in the real shells, and what they ask leafmark for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.cases import cases
from tests.cli.conftest import ROOT
from tests.factory import chain, entry, header, message, write_session
from tests.terminal import Terminal

SHELLS = ("bash", "zsh", "fish")
"""The shells that have a completion."""


@pytest.fixture
def sessions(home, run):
    """Two sessions in the catalog; the first has a name and labels."""
    folder = home / ".pi/agent/sessions/--work--"
    named = entry("session_info", "n", "00000002", 5, name="Fix the login")
    label = entry("label", "l", "n", 6, targetId="00000001", label="half done")
    write_session(folder / "1.jsonl", *chain("first", "answer", id="aaaa1111-x"), named, label)
    write_session(folder / "2.jsonl", *chain("second", id="bbbb2222-y"))
    assert run("list").code == 0
    run("tag", "bbbb2222-y", "+client-x")
    return folder


def completed(run, *words):
    """What is offered for the last of the words, without the explanations."""
    done = run("__complete", "--", *words)
    assert (done.code, done.err) == (0, "")
    return [line.partition("\t")[0] for line in done.out.splitlines()]


def test_commands_options_and_values_are_offered(run, home):
    assert completed(run, "tre") == ["tree"]
    assert {"list", "search", "resume"} <= set(completed(run, ""))
    assert completed(run, "list", "--l") == ["--limit"]
    assert completed(run, "export", "--no-r") == ["--no-redact"]
    assert completed(run, "search", "--sort", "re") == ["recent", "relevance"]
    assert completed(run, "search", "--sort=rel") == ["--sort=relevance"]
    assert completed(run, "--store", "p") == ["pi="]
    assert completed(run, "--th") == ["--theme"]
    assert completed(run, "--theme", "li") == ["light"]
    assert completed(run, "completion", "") == ["bash", "zsh", "fish"]
    assert completed(run, "help", "saf") == ["safety"]
    assert completed(run, "list", "--", "--l") == []


def test_sessions_labels_filters_and_tags_of_the_catalog_are_offered(run, sessions):
    assert completed(run, "tree", "aa") == ["aaaa1111-x"]
    assert completed(run, "trash", "aaaa1111-x", "bb") == ["bbbb2222-y"]
    assert completed(run, "bbb") == ["bbbb2222-y"]
    assert "Fix the login" in run("__complete", "--", "tree", "aa").out
    assert completed(run, "label", "aaaa1111-x", "0") == ["00000001"]
    assert completed(run, "branch", "aaaa1111-x", "r") == ["root"]
    assert completed(run, "label", "aaaa1111-x", "00000001", "ha") == ["half done"]
    assert completed(run, "list", "lab") == ["label:"]
    assert completed(run, "list", "label:") == ['label:"half done"']
    assert completed(run, "search", "x", "agent:o") == ["agent:omp"]
    assert completed(run, "list", "is:na") == ["is:named"]
    assert completed(run, "tag", "aaaa1111-x", "+cl") == ["+client-x"]
    run("trash", "bbbb2222-y")
    assert completed(run, "restore", "b") == ["bbbb2222-y"]


def test_the_newest_ten_sessions_are_offered_by_short_ids_with_their_titles(run, home, env):
    folder = home / ".pi/agent/sessions/--work--"
    ids = [f"019e7026-8a{number:02x}-7ecc-80e9-007b6160619{number % 10}" for number in range(12)]
    twins = ["019e7000-0000-7ecc-80e9-000000000001", "019e7000-0000-7ecc-80e9-000000000002"]
    for number, id in enumerate([*ids, *twins]):
        prompt = message("00000001", None, "user", f"prompt {number}", number + 1)
        write_session(folder / f"{number}.jsonl", header(id), prompt)
    assert run("list").code == 0
    offered = completed(run, "tree", "")
    assert offered == [*twins[::-1], *(id[:13] for id in ids[:3:-1])]
    assert run("__complete", "--", "tree", ids[4][:13]).out.split("\t")[1].endswith(": prompt 4\n")
    assert completed(run, "tree", ids[4][:14]) == [ids[4]]
    assert run("tree", ids[4][:13]).code == 0
    script = """
        eval "$(leafmark completion bash)"
        COMP_LINE="leafmark tree 019e7026-8a0" COMP_POINT=26 COMP_TYPE=63 COLUMNS=200
        _leafmark
        printf '%s\\n' "${COMPREPLY[0]}" "${#COMPREPLY[@]}"
    """
    shown, number = output([shell("bash"), "-c", script], env).splitlines()
    assert shown.startswith("019e7026-8a0b  # pi ")
    assert (shown.endswith(": prompt 11"), number) == (True, "10")


def test_entries_are_offered_for_the_options_that_take_one(run, sessions):
    assert completed(run, "show", "aaaa1111-x", "--entry", "0") == ["00000001"]
    assert completed(run, "export", "aaaa1111-x", "--branch=0") == ["--branch=00000001"]


def test_nothing_is_scanned_or_written(run, home):
    write_session(home / ".pi/agent/sessions/--work--/1.jsonl", *chain("first", id="aaaa1111-x"))
    assert completed(run, "tree", "aa") == []
    assert [path.name for path in home.iterdir()] == [".pi"]


@cases(
    ("line", "offered"),
    [
        ("leafmark tre", ["tree"]),
        ("leafmark label aaaa1111-x 00000001 'half d", ["half done"]),
        ('leafmark list "lab', ["label:"]),
        (r"leafmark label aaaa1111-x 00000001 half\ d", ["half done"]),
    ],
)
def test_a_line_is_split_as_a_shell_does(run, sessions, line, offered):
    done = run("__complete", "--line", line)
    assert [each.partition("\t")[0] for each in done.out.splitlines()] == offered


# the real shells


def shell(name):
    """Skip a test without this shell."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@pytest.fixture
def env(home, tmp_path):
    """An environment with `leafmark` on PATH."""
    program = tmp_path / "bin/leafmark"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m app "$@"\n')
    program.chmod(0o755)
    return {
        "HOME": str(home),
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }


def output(words, env):
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", SHELLS)
def test_the_scripts_are_correct_for_their_shell(run, name):
    for command in ("completion", "init"):
        script = run(command, name)
        assert (script.code, script.err) == (0, "")
        checked = subprocess.run(
            [shell(name), "--no-execute" if name == "fish" else "-n"],
            input=script.out,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (checked.returncode, checked.stderr) == (0, "")


def test_an_unknown_shell_is_refused(run):
    done = run("completion", "tcsh")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "'tcsh' is none of bash, zsh, fish" in done.err


def test_bash_completes(sessions, env):
    script = """
        eval "$(leafmark completion bash)"
        for line in "leafmark tre" "leafmark tree aa" "leafmark list agent:o" "leafmark list is:na"; do
            COMP_LINE=$line COMP_POINT=${#line}
            _leafmark
            printf '%s|' "${COMPREPLY[@]}"
        done
    """
    assert output([shell("bash"), "-c", script], env) == "tree|aaaa1111-x|omp|named|"


def test_fish_completes(sessions, env):
    script = """
        leafmark completion fish | source
        complete -C "leafmark tre"; complete -C "leafmark tree aa"; complete -C "leafmark list agent:o"
    """
    lines = output([shell("fish"), "--no-config", "-c", script], env).splitlines()
    assert lines[0] == "tree\tprint the tree of a session"
    assert lines[1].startswith("aaaa1111-x\tpi ")
    assert lines[2] == "agent:omp\toh-my-pi"


def test_zsh_completes_in_a_terminal(sessions, env):
    with Terminal([shell("zsh"), "-f"], size=(100, 20), env=env, cwd=str(sessions)) as terminal:
        terminal.send("PS1='ready> '; eval \"$(leafmark completion zsh)\"\r")
        terminal.wait_for_text("ready> ")
        for typed, wanted in (
            ("leafmark tree aa", "leafmark tree aaaa1111-x"),
            ("leafmark sta", "leafmark stats"),
        ):
            terminal.send(typed + "\t")
            terminal.wait_for_text(wanted)
            terminal.send("\x15")


# the key that resumes, in a folder and from a file with the worst names

KEY = {
    "bash": (["--norc", "-i"], "PS1='ready> '; eval \"$(leafmark init bash)\"\r"),
    "zsh": (["-f"], "PS1='ready> '; eval \"$(leafmark init zsh)\"\r"),
    "fish": (["--no-config"], "function fish_prompt; echo 'ready> '; end; leafmark init fish | source\r"),
}
WORST = (
    "a\\'\";touch PWNED #",
    "\\'\n';touch PWNED;' $(touch PWNED) `touch PWNED` !! it's!touch !x\x01\x1b[2J\n",
)


@pytest.mark.parametrize("name", SHELLS)
def test_a_key_resumes_the_choice_in_the_shell_and_runs_nothing_else(home, env, tmp_path, name):
    """The choice runs `pi`, which is a function of this very shell."""
    options, setup = KEY[name]
    given = {"fish": "$argv"}.get(name, '"$@"')
    body = f"printf '%s\\0' \"$PWD\" {given} >$HOME/resumed; echo it ran in $HERE"
    agent = f"function pi; {body}; end; " if name == "fish" else f"pi() {{ {body}; }}; "
    variable = "set HERE this shell; " if name == "fish" else "HERE='this shell'; "
    # The function of the shell goes before this program, without which a session cannot be resumed.
    (tmp_path / "bin/pi").write_text("#!/bin/sh\necho another process\n")
    (tmp_path / "bin/pi").chmod(0o755)
    work, calm = tmp_path / "work" / WORST[0] / WORST[1], tmp_path / "calm"
    work.mkdir(parents=True)
    calm.mkdir()
    path = home / ".pi/agent/sessions" / f"--{WORST[0]}--" / f"\udcff{WORST[1]}.jsonl"
    write_session(path, *map(json.dumps, chain("a question", id="pi-1", cwd=str(work))))
    with Terminal([shell(name), *options], size=(100, 30), env=env, cwd=str(calm), answers=True) as terminal:
        terminal.send(agent + variable + setup)
        terminal.wait_for_text("ready> ")
        terminal.send("\x1br")
        terminal.wait_for_text("Tab shows all folders")
        terminal.send("\t")
        terminal.wait_for_text("a question")
        terminal.send("\r")
        terminal.wait_for_text("it ran in this shell")
    assert (home / "resumed").read_bytes() == b"\0".join(map(os.fsencode, (work, "--session", path, "")))
    assert not list(tmp_path.rglob("PWNED"))


SHELL_OPTIONS = [["--shell", name] for name in ("bash", "zsh", "sh", "fish")]


def test_the_shells_of_print_are_those_that_words_are_quoted_for(run, home):
    refused = run("resume", "--print", "--shell", "tcsh", "x")
    assert (refused.code, refused.out) == (2, "")
    assert "'tcsh' is none of bash, zsh, fish, sh" in refused.err
    assert completed(run, "resume", "--shell", "") == ["bash", "zsh", "fish", "sh"]
    for name in SHELLS:
        assert f" resume --print --shell {name} " in run("init", name).out
    write_session(
        home / ".pi/agent/sessions/--x--/it's.jsonl", *chain("a question", id="aaaa1111", cwd="/gone")
    )
    lines = [run("resume", "--print", *words, "aaaa1111").out for words in ([], *SHELL_OPTIONS)]
    assert [line.partition("/it")[2] for line in lines] == ["'\"'\"'s.jsonl'\n"] * 4 + ["\\'s.jsonl'\n"]
    alone = run("resume", "--shell", "fish", "x")
    assert (alone.code, alone.err) == (2, "leafmark: --shell has a place only beside --print\n")
