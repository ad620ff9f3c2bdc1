"""``leafmark export`` and ``leafmark context``, as a user runs them."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import cases
from tests.cli.conftest import ROOT
from tests.export.hostile import KEY
from tests.factory import chain, entry, message, write_session

LOOKED = "Looked for 60 kinds of secrets; replaced {}. Read the file before you share it.\n"


@pytest.fixture
def session(tmp_path):
    return write_session(
        tmp_path / "home/.pi/agent/sessions/--work--/1_aaaa1111.jsonl",
        *chain(f"use {KEY}", f"I use it in {tmp_path}/home/x", id="aaaa1111"),
        message("00000003", "00000001", "assistant", "another answer", 9),
        entry("label", "00000004", "00000003", 10, targetId="00000001", label="start"),
    )


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"home"}


def test_export_writes_a_private_file_without_secrets_and_says_so(leafmark, session, tmp_path):
    done = leafmark("export", "aaaa")
    target = tmp_path / "use-redacted-anthropic-key.html"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{target}\n{LOOKED.format(1)}"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    text = target.read_text("utf-8")
    assert KEY not in text
    assert "[redacted: Anthropic key]" in text
    assert "another answer" in text
    assert str(tmp_path) not in text
    assert names(tmp_path) == {target.name}


def test_a_file_is_named_after_the_title_for_every_file_system(leafmark, session, tmp_path):
    """With a number if a file of another session has the name, and never over one of the same session."""
    titles = {
        "Flaky login on CI": "flaky-login-on-ci.md",
        "Flaky: login / on ... CI?": "flaky-login-on-ci-2.md",
        "../../etc/passwd\x1b[31m": "etc-passwd.md",
        "NUL": "nul-session.md",
        "语言 🌍 Größe": "语言-größe.md",
        "🌍 !?": "pi-s5.md",
        " ".join(["word"] * 30): "-".join(["word"] * 12) + ".md",
        "x" * 70: "x" * 60 + ".md",
    }
    for number, (title, name) in enumerate(titles.items()):
        write_session(session.parent / f"{number}_s{number}.jsonl", *chain(title, "no", id=f"s{number}"))
        done = leafmark("export", f"s{number}", "--to", "md")
        assert (done.returncode, Path(done.stdout.splitlines()[0]).name) == (0, name), (title, done.stderr)
    done = leafmark("export", "s1", "--to", "md")
    assert done.returncode == 3
    assert "flaky-login-on-ci-2.md: is there already" in done.stderr
    assert names(tmp_path) == set(titles.values())


def test_an_existing_file_is_kept_unless_forced(leafmark, session, tmp_path):
    target = tmp_path / "mine.md"
    target.write_text("mine")
    done = leafmark("export", "aaaa", "--to", "md", "-o", target)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"leafmark: {target}: is there already, and is kept; --force replaces it\n"
    assert target.read_text() == "mine"
    assert leafmark("export", "aaaa", "--to", "md", "-o", target, "--force").returncode == 0
    assert "another answer" in target.read_text("utf-8")
    assert names(tmp_path) == {"mine.md"}


def test_a_device_a_pipe_and_standard_output_are_no_file_even_behind_a_link(leafmark, session, tmp_path):
    os.mkfifo(tmp_path / "home/pipe")
    for number, end in enumerate(("/dev/null", "/dev/stdout", "home/pipe")):
        target = tmp_path / str(number)
        target.symlink_to(end)
        for options in ((), ("--force",)):
            done = leafmark("export", "aaaa", "-o", target, *options)
            assert (done.returncode, done.stdout) == (3, "")
            assert done.stderr.endswith("; `-o -` writes to standard output\n")
            assert done.stderr.count("\n") == 1
        assert os.readlink(target) == end
    assert "not a regular file; `-o -`" in leafmark("export", "aaaa", "-o", tmp_path / "home/pipe").stderr
    assert names(tmp_path) == {"0", "1", "2"}
    # A link to a file is replaced, and the file is kept.
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "0").unlink()
    (tmp_path / "0").symlink_to("mine")
    assert leafmark("export", "aaaa", "-o", tmp_path / "0", "--force").returncode == 0
    assert (tmp_path / "mine").read_text() == "mine"
    assert not (tmp_path / "0").is_symlink()


def test_force_replaces_no_file_of_an_agent_or_of_leafmark(leafmark, session, tmp_path):
    kept = [
        *(f".pi/agent/{name}" for name in ("auth.json", "settings.json", "new/folder/file")),
        *(".claude/history.jsonl", ".claude/settings.json", ".claude.json"),
        *(".codex/auth.json", ".codex/session_index.jsonl", ".omp/agent/history.db", ".config/agent/x"),
        *(".moved/auth.json", ".local/state/leafmark/journal.jsonl", ".cache/leafmark/x"),
        *("dotfiles/config.toml", ".config/leafmark/theme"),
    ]
    home = tmp_path / "home"
    for name in kept:
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kept")
    (home / "dotfiles/config.toml").write_text("# kept")
    (home / ".config/leafmark/config.toml").symlink_to(home / "dotfiles/config.toml")
    moved = {"PI_CODING_AGENT_DIR": str(home / ".moved")}
    for name in (*kept, ".config/leafmark/config.toml"):
        before = (home / name).read_text()
        done = leafmark("export", session, "-o", home / name, "--force", **moved)
        assert (done.returncode, done.stdout) == (3, ""), name
        assert done.stderr.endswith(": a file of an agent or of leafmark, which is never replaced\n"), name
        assert (home / name).read_text() == before
    (home / "sessions").mkdir()
    (home / "mine").write_text("beside a folder of sessions that the user named")
    named = ("--store", f"pi={home}/sessions")
    assert leafmark("export", session, "-o", home / "mine", "--force", *named).returncode == 0


def test_json_and_session_files_are_redacted_only_if_asked(leafmark, session):
    for format in ("json", "jsonl"):
        done = leafmark("export", "aaaa", "--to", format, "-o", "-")
        assert (done.returncode, KEY in done.stdout) == (0, True)
        assert done.stderr == "leafmark: Nothing was redacted. Read the file before you share it.\n"
        done = leafmark("export", "aaaa", "--to", format, "-o", "-", "--redact")
        assert (done.returncode, KEY in done.stdout) == (0, False)
        assert done.stderr == f"leafmark: {LOOKED.format(1)}"
    done = leafmark("export", "aaaa", "--to", "md", "-o", "-", "--no-redact")
    assert KEY in done.stdout
    assert "Nothing was redacted" in done.stderr


def test_context_prints_the_messages_for_the_model(leafmark, session):
    done = leafmark("context", "aaaa")
    assert done.returncode == 0
    document = json.loads(done.stdout)
    assert [message["role"] for message in document["messages"]] == ["user", "assistant"]
    assert document["entry_id"] == "00000004"
    assert document == json.loads(leafmark("export", "aaaa", "--to", "json", "-o", "-").stdout)
    other = json.loads(leafmark("context", "aaaa", "--entry", "00000002").stdout)
    assert "I use it" in other["messages"][1]["content"][0]["text"]
    assert leafmark("context", "aaaa", "--entry", "nothing").returncode == 1
    assert leafmark("context", "nothing").returncode == 1
    assert leafmark("context", "aaaa", "--entry", "0").returncode == 2


def test_several_sessions_go_into_a_folder_and_one_that_fails_stops_no_other(leafmark, session, tmp_path):
    write_session(session.parent / "2_bbbb.jsonl", *chain("second", "answer", id="bbbb"))
    folder = tmp_path / "out"
    folder.mkdir()
    done = leafmark("export", "aaaa", "nothing", "bbbb", "--to", "md", "-o", folder)
    assert done.returncode == 1
    assert done.stderr == "leafmark: no session matches 'nothing' (path, id or unique beginning of an id)\n"
    assert names(folder) == {"use-redacted-anthropic-key.md", "second.md"}


def test_review_groups_the_secrets_by_kind_and_hides_all_but_their_ends(leafmark, session, tmp_path):
    password, other = "S3cr3t" + "Pa55w0rds", "0ther" + "Pa55"
    texts = [
        f"first password: {password} here",
        f"DB_PASSWORD='{password}'",
        f"password={other}",
        f"key {KEY}",
    ]
    texts += [f"again password={password}"] * 3
    write_session(session.parent / "2_bbbb.jsonl", *chain(*texts, id="bbbb"))
    done = leafmark("export", "bbbb", "--to", "md", "--review")
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "password: 2 different",
        "  entry 1, entry 2, entry 5 and 2 more places: first password: [S…s, 15 characters] here",
        "  entry 3: password=[0…5, 9 characters]",
        "Anthropic key: 1 different",
        f"  entry 4: key [sk-a…{KEY[-4:]}, {len(KEY)} characters]",
        "7 secrets replaced, and 0 home folders and user names.",
    ]


@cases(
    ("words", "why"),
    [
        ("--entry x --branch y", "--branch has no place beside --entry"),
        ("--entry x --all-branches", "--entry has no place beside --all-branches"),
        ("--to json --all-branches", "--all-branches has no place beside --to json"),
        ("--agent omp", "--agent has a place only beside --to jsonl"),
        ("--to jsonl --tools none", "--tools have no place beside --to jsonl"),
        ("--to json --no-thinking", "--thinking and --no-thinking have no place beside --to json"),
        ("--to json --review", "--review has nothing to list"),
        ("-o - --open", "--open has no place beside standard output"),
        ("-o - --force", "--force has no place beside standard output"),
        ("bbbb -o -", "several sessions need several files"),
        ("--to pdf", "'pdf' is none of html, md, json, jsonl"),
    ],
    one_folder=True,
)
def test_options_that_do_not_fit_are_refused(leafmark, session, tmp_path, words, why):
    done = leafmark("export", "aaaa", *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
    assert names(tmp_path) == set()


@cases("format", ["html", "md", "json", "jsonl"], one_folder=True)
def test_unknown_sessions_entries_and_files_that_are_none_leave_no_file(leafmark, session, tmp_path, format):
    (tmp_path / "home/none.jsonl").write_text("nothing of a session\n")
    for words, code in (
        (("nothing",), 1),
        (("aaaa", "--entry", "nothing"), 1),
        (("aaaa", "--branch", "0000"), 2),
        (("./home/none.jsonl",), 3),
        (("./home/gone.jsonl",), 1),
        (("aaaa", "-o", tmp_path / "no/such/folder/x"), 3),
        (("aaaa", "-o", tmp_path / ("x" * 300)), 3),
    ):
        done = leafmark("export", *words, "--to", format)
        assert (done.returncode, done.stdout) == (code, ""), words
        assert done.stderr.startswith("leafmark: ")
        assert done.stderr.count("\n") == 1, done.stderr
        assert names(tmp_path) == set()


def test_a_damaged_session_is_exported_and_the_damage_is_told(leafmark, session, tmp_path):
    with session.open("a") as file:
        file.write("{broken\n")
    done = leafmark("export", "aaaa")
    assert done.returncode == 0
    assert done.stderr.startswith(f"leafmark: {session}: not all of it can be read: line 6: ")
    assert "line 6: " in (tmp_path / "use-redacted-anthropic-key.html").read_text("utf-8")


def environment(folder: Path) -> dict[str, str]:
    return {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}


def test_a_reader_that_goes_away_is_no_error(session, tmp_path):
    write_session(session, *chain(*(f"text {number} " * 2_000 for number in range(60)), id="aaaa1111"))
    command = f"{sys.executable} -m app export aaaa --to md -o - | head -c 10"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env=environment(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, len(done.stdout), done.stderr) == (0, 10, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no device that is full")
def test_a_full_disk_leaves_no_half_of_a_file(session, tmp_path):
    """A limit on the size of files stands for a full disk; the device that is full for standard output."""
    write_session(session, *chain(*(f"text {number} " * 2_000 for number in range(60)), id="aaaa1111"))
    limited = f"ulimit -f 100; exec {sys.executable} -c 'import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nfrom app.cli import main\nraise SystemExit(main({['export', 'aaaa', '--to', 'md', '-o', 'out.md']!r}))'".replace(  # noqa: E501
        "['export', 'aaaa', '--to', 'md', '-o', 'out.md']",
        '["export", "./home/.pi/agent/sessions/--work--/1_aaaa1111.jsonl", "--to", "md", "-o", "out.md"]',
    )
    for command, told in (
        (limited, b"out.md: "),
        (f"{sys.executable} -m app export aaaa --to md -o - > /dev/full", b"No space left on device"),
    ):
        done = subprocess.run(
            ["bash", "-c", command], env=environment(tmp_path), cwd=tmp_path, capture_output=True, check=False
        )
        assert done.returncode == 3, done
        assert told in done.stderr
        assert done.stderr.count(b"\n") == 1
        assert names(tmp_path) == set()


def test_open_shows_the_file_in_the_browser_of_the_user(leafmark, session, tmp_path):
    browser = tmp_path / "home/browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/home/opened\n')
    browser.chmod(0o755)
    assert shutil.which(str(browser))
    done = leafmark("export", "aaaa", "--open", BROWSER=f"{browser} %s")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "home/opened").read_text() == (tmp_path / "use-redacted-anthropic-key.html").as_uri()
