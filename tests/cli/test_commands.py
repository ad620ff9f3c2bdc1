"""``leafmark list``, ``tree`` and ``doctor``, as a user runs them."""

from __future__ import annotations

import errno
import gzip
import itertools
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from app.reports.output import encodable_text
from app.view.cells import width
from tests.cases import cases
from tests.cli.conftest import ROOT
from tests.factory import chain, entry, header, message, write_session
from tests.waiting import ends


@pytest.fixture
def store(tmp_path):
    """Three sessions: one named, branched and labelled, one plain, one with damaged lines."""
    folder = tmp_path / "home/.pi/agent/sessions/--work--"
    write_session(
        folder / "2026_aaaa1111.jsonl",
        *chain("fix the login", "too early", id="aaaa1111"),
        message("e", "00000001", "assistant", "other answer", 30),
        entry("label", "l", "e", 31, targetId="e", label="good"),
        entry("session_info", "n", "l", 31, name="Auth"),
    )
    write_session(folder / "2026_aaaa2222.jsonl", *chain("man page", "here", id="aaaa2222", cwd="/work/doc"))
    write_session(folder / "2026_bbbb.jsonl", *chain("third", id="bbbb"), "{broken", "not json either")
    return folder


def test_a_format_makes_the_lines_of_a_list(run, store):
    done = run("list", "--format", "{short_id}\\t{title} \\{{branches}}\\\\{labels}", "good")
    assert (done.code, done.out, done.err) == (0, "aaaa1111\tAuth {2}\\good\n", "")
    assert run("list", "--format", "{session_id}", "man").out == "aaaa2222\n"
    assert run("search", "--format", "{entry_id} {role}", "early").out == "00000002 assistant\n"
    assert run("labels", "--format", "{entry_id}={label}").out == "e=good\n"
    run("trash", "bbbb")
    assert run("trash", "--list", "--format", "{id}: {title}").out == "bbbb: third\n"
    for words in (["list"], ["search", "x"], ["labels"], ["trash", "--list"]):
        unknown = run(*words, "--format", "{nothing}")
        assert (unknown.code, unknown.out, unknown.err.count("\n")) == (2, "", 1)
        assert "no field is called 'nothing'; there are id, short_id, agent, title" in unknown.err
        assert run(*words, "--format", "{id").err == "leafmark: --format: no } closes '{id'\n"
        if words != ["trash", "--list"]:
            assert run(*words, "--format", "{id}", "--json").code == 2
    assert run("trash", "aaaa1111", "--format", "{id}").code == 2


def test_list_needs_all_words_in_any_field(leafmark, store):
    assert "Auth" in leafmark("list", "auth", "PI").stdout
    assert "man page" in leafmark("list", "/work/doc").stdout
    assert "Auth" in leafmark("list", "good").stdout
    missing = leafmark("list", "nowhere")
    assert (missing.returncode, missing.stdout, missing.stderr) == (1, "", "leafmark: no session matches\n")


def test_list_takes_the_filters_of_the_query_language(run, store, home):
    def titles(*words):
        done = run("list", "--json", *words)
        assert done.err == ("" if done.code == 0 else "leafmark: no session matches\n")
        return [session["title"] for session in json.loads(done.out)["sessions"]]

    assert titles("is:named") == ["Auth"]
    assert titles("dir:/work/doc") == ["man page"]
    assert titles("is:damaged") == ["third"]
    assert titles("label:good", "AUTH") == ["Auth"]
    assert titles("label:good", "nowhere") == []
    assert titles("agent:omp") == titles("program:omp") == []
    assert titles("program:pi", "is:named") == ["Auth"]
    assert titles("has:branch,label", "messages:>2") == ["Auth"]
    # Other text with a colon is a word.
    assert titles("http://x") == []
    assert titles("--", "-is:named", "date:>1d") == ["man page", "third"]
    with_colon = store / "2026_colon.jsonl"
    write_session(with_colon, *chain("use std::vector here: now", id="colon"))
    assert titles("std::vector", "here:") == ["use std::vector here: now"]


def test_list_takes_phrases_patterns_and_exclusions(run, store):
    write_session(
        store / "2026_more.jsonl",
        header("dddd", "/work/Über uns"),
        message("d1", None, "user", "Fix the  login page", 9),
        entry("label", "d2", "d1", 10, targetId="d1", label="half done"),
    )

    def titles(*words):
        done = run("list", "--json", "--", *words)
        assert done.err == ("" if done.code == 0 else "leafmark: no session matches\n")
        return sorted(session["title"] for session in json.loads(done.out)["sessions"])

    other_titles = ["Auth", "man page", "third"]
    fix = "Fix the login page"
    assert titles('"the LOGIN"') == titles('"Half done"') == titles('"über UNS"') == [fix]
    assert titles('"login the"') == titles('"page dddd"') == []
    assert titles("-login") == titles('-"Login page"') == titles('-"half  done"') == other_titles
    assert titles("page", "-man") == titles("PAGE", "-re:^man") == [fix]
    assert titles("re:^Fix") == titles("re:^d{4}$") == titles("re:(?i)^FIX") == [fix]
    assert titles("re:FIX") == []
    assert titles('"the login"', "has:label", "-agent:omp", "re:p[ab]ge") == [fix]
    assert titles("-pi") == []
    done = run("list", "re:(")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[1:] == ["  re:(", "     ^"]
    assert run("list", "--", "Auth", "-").err == "leafmark: nothing stands after the -\n"


def test_an_unusable_filter_is_pointed_at(run, store):
    for query, lines in (
        ("a is:blue", ["  a is:blue", "       ^^^^"]),
        ("  role:user a", ["  role:user a", "  ^^^^^^^^^"]),
    ):
        done = run("list", query)
        assert (done.code, done.out) == (2, "")
        assert done.err.splitlines()[1:] == lines
        assert done.err.startswith("leafmark: ")


def test_list_json_has_the_documented_fields(leafmark, store):
    document = json.loads(leafmark("list", "--json").stdout)
    assert (document["schema"], document["total"]) == (3, 3)
    first = document["sessions"][0]
    assert first == {
        "agent": "pi",
        "session_id": "aaaa1111",
        "path": str(store / "2026_aaaa1111.jsonl"),
        "cwd": "/work/app",
        "name": "Auth",
        "title": "Auth",
        "first_message": "fix the login",
        "created": "2026-05-01T10:00:00.000Z",
        "modified": "2026-05-01T10:30:00.000Z",
        "message_count": 3,
        "entry_count": 5,
        "leaf_count": 2,
        "labels": [{"entry_id": "e", "label": "good"}],
        "leaf_id": "n",
        "parent_session": None,
        "continued_in": None,
        "size": (store / "2026_aaaa1111.jsonl").stat().st_size,
        "models": [],
        "tokens": {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0},
        "cost": 0,
        "cost_estimated": False,
        "cost_partial": False,
        "state": "idle",
        "ending": "done",
        "problems": 0,
        "subagent": False,
        "tags": [],
        "note": None,
        "expires": None,
        "kept": False,
        "gone": False,
    }
    assert document["sessions"][2]["problems"] == 2
    limited = json.loads(leafmark("list", "--json", "--limit", 1).stdout)
    assert (limited["total"], len(limited["sessions"])) == (3, 1)


def test_stores_can_be_added(leafmark, tmp_path, store):
    write_session(tmp_path / "flat/2026_cccc.jsonl", *chain("elsewhere", id="cccc"))
    ids = [
        session["session_id"]
        for session in json.loads(leafmark("list", "--json", "--store", "pi=flat").stdout)["sessions"]
    ]
    assert sorted(ids) == ["aaaa1111", "aaaa2222", "bbbb", "cccc"]
    before = json.loads(leafmark("--store", "pi=flat", "list", "--json").stdout)
    assert before["total"] == 4


@cases(
    ("words", "part"),
    [
        (("list", "--store", "nobody=/x"), "nobody=/x"),
        (("list", "--store", "pi"), "AGENT=FOLDER"),
        (("list", "--limit", "-1"), "-1"),
        (("list", "--limit", "many"), "many"),
        (("serach",), "search"),
        (("tree",), "SESSION"),
        (("--theme", "pink"), "pink"),
    ],
)
def test_wrong_usage_is_explained_with_exit_code_2(leafmark, words, part):
    done = leafmark(*words)
    assert done.returncode == 2
    assert part in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_tree_draws_the_session_with_branches_label_and_leaf(leafmark, store):
    done = leafmark("tree", "aaaa1111")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "Auth  pi  aaaa1111  /work/app",
        "00000001  • › fix the login",
        "e         • ├─   other answer   ◆ good ← leaf",
        "00000002    └─   too early",
        "  (2 entries hidden; --json has all)",
    ]


def test_no_line_of_a_tree_is_longer_than_the_given_width(leafmark, store):
    write_session(store / "2026_wide.jsonl", *chain("widget " * 60, id="wide", cwd="/work/" + "w" * 60))
    lines = leafmark("tree", "wide", COLUMNS="40").stdout.splitlines()
    assert lines[0].startswith("widget widget")
    assert max(map(len, lines)) <= 40


def test_tree_takes_a_path_a_prefix_and_a_file_outside_the_stores(leafmark, store, tmp_path):
    outside = write_session(tmp_path / "copy.jsonl", *chain("outside", id="zzzz"))
    for named in (store / "2026_bbbb.jsonl", "bb", outside, "copy.jsonl"):
        assert leafmark("tree", named).returncode == 0, named


def test_tree_reports_missing_and_ambiguous_sessions(leafmark, store, tmp_path):
    ambiguous = leafmark("tree", "aaaa")
    assert ambiguous.returncode == 2
    assert "2 sessions" in ambiguous.stderr
    missing = leafmark("tree", "cccc")
    assert (missing.returncode, missing.stderr) == (
        1,
        "leafmark: no session matches 'cccc' (path, id or unique beginning of an id)\n",
    )
    write_session(store / "2026_none.jsonl", "nothing of a session")
    bad = leafmark("tree", store / "2026_none.jsonl")
    assert bad.returncode == 3
    assert "2026_none.jsonl" in bad.stderr
    assert len(bad.stderr.splitlines()) == 1
    assert leafmark("tree", tmp_path).returncode == 3


def test_tree_marks_where_the_agent_begins_anew(leafmark, store, tmp_path):
    lines = [*chain("one", "two", id="anew"), entry("custom", "x", None, 9, customType="t")]
    write_session(tmp_path / "anew.jsonl", *lines)
    done = leafmark("tree", "anew.jsonl").stdout.splitlines()
    assert done[1:4] == [
        "            ← leaf: the agent begins anew here",
        "00000001    › one",
        "00000002      two",
    ]
    assert leafmark("tree", "anew.jsonl", "--ascii").stdout.splitlines()[1] == (
        "            <- leaf: the agent begins anew here"
    )
    assert json.loads(leafmark("tree", "anew.jsonl", "--json").stdout)["begins_anew"] is True
    assert json.loads(leafmark("tree", "aaaa1111", "--json").stdout)["begins_anew"] is False
    write_session(tmp_path / "new.jsonl", header("new"), entry("model_change", "m", None, 1, modelId="m"))
    assert "begins anew" not in leafmark("tree", "new.jsonl").stdout


def test_a_tree_of_twenty_thousand_levels_prints(leafmark, tmp_path):
    lines = chain(*(str(number) for number in range(20_000)), id="deep")
    write_session(tmp_path / "deep.jsonl", *lines)
    assert len(leafmark("tree", "deep.jsonl").stdout.splitlines()) == 20_001
    assert len(json.loads(leafmark("tree", "deep.jsonl", "--json").stdout)["entries"]) == 20_000


def test_doctor_lists_the_stores_and_the_skipped_files(leafmark, store, tmp_path):
    (store.parent / "a-file").write_text("")
    (store / "sub.jsonl").mkdir()
    write_session(store / "2026_none.jsonl", "nothing of a session")
    done = leafmark("doctor")
    assert done.returncode == 0
    text = done.stdout
    assert re.search(r"pi +~/.pi/agent/sessions +\(default\) +3 sessions", text)
    assert re.search(r"omp +~/.omp/agent/sessions +\(default\) +not there", text)
    assert re.search(r"2026_bbbb.jsonl:3: not JSON", text)
    assert re.search(r"2026_bbbb.jsonl:4: not JSON", text)
    assert re.search(r"2026_none.jsonl(:\d+)?: ", text)
    assert re.search(r"sub.jsonl: a folder, not a file", text)


def test_doctor_lists_archive_files_that_cannot_be_restored(run, home):
    folder = home / ".omp/agent/archive/sessions/-work"
    folder.mkdir(parents=True)
    text = b"".join(json.dumps(line).encode() + b"\n" for line in chain("x" * 200_000, "answer"))
    packed = gzip.compress(text, 0)
    (folder / "whole.jsonl.gz").write_bytes(packed)
    assert "nothing was skipped" in run("doctor").out
    (folder / "none.jsonl.gz").write_bytes(b"no gzip")
    (folder / "cut.jsonl.gz").write_bytes(packed[:-50])
    (folder / "other.jsonl.gz").write_bytes(gzip.compress(b"no session\n"))
    skipped = {Path(file["path"]).name: file for file in json.loads(run("doctor", "--json").out)["skipped"]}
    assert sorted(skipped) == ["cut.jsonl.gz", "none.jsonl.gz", "other.jsonl.gz"]
    assert skipped["none.jsonl.gz"]["reason"].startswith("the compressed file is damaged: ")
    assert skipped["cut.jsonl.gz"]["reason"].startswith("the compressed file is damaged: ")
    assert skipped["other.jsonl.gz"]["reason"] == "in the archive, but no session: no session header"


def test_doctor_lists_settings_and_pins_that_are_not_files(run, home, tmp_path):
    (home / ".omp/agent").mkdir(parents=True)
    os.mkfifo(home / ".omp/agent/session-pins.json")
    (tmp_path / ".pi").mkdir()
    (tmp_path / ".pi/settings.json").symlink_to("/dev/zero")
    out = ends(lambda: run("doctor")).out
    settings = f"{tmp_path}/.pi/settings.json: not a regular file, so a sessionDir in it is not known"
    assert f"           note: {settings}\n" in out
    assert "\n  ~/.omp/agent/session-pins.json: no pins are known of it: not a regular file\n" in out


def test_output_is_inert_and_fits_any_encoding(leafmark, process, store):
    hostile = "\x1b[31m\u202eevil \x9b2J 日本"
    write_session(store / "2026_evil.jsonl", *chain(hostile, id="evil", cwd="/work/\x1b[2J"))
    for name in ("one", "two"):
        write_session(store / f"{name}\x1b]0;T\x07.jsonl", *chain("x", id="dup\x1b[31m"))
    path = next(store.glob("one*"))
    bad = write_session(store / "bad\x1b[2J.jsonl", "nothing")
    for words in (
        ("list",),
        ("tree", "evil"),
        ("doctor",),
        ("tree", "dup"),
        ("tree", path),
        ("tree", bad),
        ("tree", "\x1b[1m"),
    ):
        for encoding in ("utf-8", "ascii"):
            done = process(*words, encoding=encoding) if encoding == "ascii" else leafmark(*words)
            out = done.stdout + done.stderr
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out)
    assert leafmark("list", "--json").stdout.isascii()


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LANG": "POSIX"}, {"LC_ALL": "C.UTF-8"}])
def test_output_is_ascii_if_the_locale_has_no_unicode(leafmark, tmp_path, store, locale):
    plain = locale != {"LC_ALL": "C.UTF-8"}
    for words in (["list"], ["search", "login"], ["labels"], ["doctor"]):
        done, usual = leafmark(*words, **locale), leafmark(*words)
        assert done.returncode == 0
        assert (done.stdout + done.stderr).isascii() is (plain or usual.stdout.isascii())
        lines = zip(done.stdout.splitlines(), usual.stdout.splitlines(), strict=True)
        assert all(width(line) == width(usual_line) for line, usual_line in lines)
    if plain:
        assert leafmark("tree", "aaaa1111", **locale).stdout == leafmark("tree", "aaaa1111", "--ascii").stdout
    for words in (["list", "--json"], ["tree", "aaaa1111", "--json"]):
        assert leafmark(*words, LC_ALL="C").stdout == leafmark(*words).stdout


@pytest.mark.parametrize(("setting", "locale", "plain"), [("true", "C.UTF-8", True), ("false", "C", False)])
def test_the_setting_overrides_the_locale(leafmark, tmp_path, store, setting, locale, plain):
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "config.toml").write_text(f"ascii = {setting}\n")
    write_session(store / "2026_dddd.jsonl", *chain("größe", id="dddd"))
    for words in (["list"], ["tree", "aaaa1111"]):
        done = leafmark(*words, LC_ALL=locale, LEAFMARK_CONFIG_DIR=str(folder))
        assert done.stdout.isascii() is plain


def test_characters_missing_in_the_encoding_are_replaced(process, store):
    text = "naïve 日本 …!\né\x1b[1m•\x1b[0m\n"
    assert encodable_text(text, "utf-8", {}) == text
    assert encodable_text(text, "latin-1", {}) == "naïve ???? ~!\né\x1b[1m*\x1b[0m\n"
    assert encodable_text(text, "ascii", {}) == "naive ???? ~!\ne\x1b[1m*\x1b[0m\n"
    assert encodable_text(text, "utf-8", {"LC_ALL": "C"}) == "naive ???? ~!\ne\x1b[1m*\x1b[0m\n"
    write_session(store / "2026_cccc.jsonl", *chain("naïve …", id="cccc"))
    assert "naive ~" in process("list", encoding="ascii").stdout


def test_a_reader_that_goes_away_causes_no_traceback(leafmark, store, tmp_path):
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = f"{sys.executable} -m app tree aaaa1111 | true"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], env=env, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr


def test_the_example_sessions_leave_no_files(leafmark, tmp_path):
    document = json.loads(leafmark("list", "--demo", "--json").stdout)
    assert {session["agent"] for session in document["sessions"]} == {
        *("pi", "omp", "indusagi", "agent", "claude", "codex")
    }
    assert sorted(path.name for path in (tmp_path / "home").iterdir()) == []
    assert not Path(document["sessions"][0]["path"]).exists()


def test_example_sessions_that_cannot_be_written_leave_no_folder(leafmark, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("app.demo.write_demo", full)
    done = leafmark("list", "--demo")
    assert (done.returncode, "No space left" in done.stderr) == (3, True)
    assert os.listdir(tmp_path / "temporary") == []


def test_version_and_help(leafmark):
    assert leafmark("--version").stdout.startswith("leafmark 0.")
    assert "doctor" in leafmark("--help").stdout


WITH_OUTPUT = [
    *("list", "list --json", "search login", "search --json login", "tree bbbb", "labels", "doctor"),
    *("index", "index --verify", "index --where", "label aaaa1111 00000001 fine", "watch", "--help"),
]


@pytest.mark.parametrize(
    ("words", "redirect", "reason"),
    [
        *((words, ">/dev/full", "No space left") for words in WITH_OUTPUT),
        *(
            (words, ">&-", "leafmark: standard output is closed\n")
            for words in ("list", "search --json login", "label aaaa1111 00000001 fine", "watch", "--help")
        ),
    ],
)
def test_output_that_cannot_be_written_gives_one_line(process, store, tmp_path, words, redirect, reason):
    if redirect == ">/dev/full":
        with open("/dev/full", "wb") as full:
            done = process(*words.split(), output=full.fileno())
    else:
        env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
        command = f"exec {sys.executable} -m app {words} {redirect}"
        done = subprocess.run(
            ["bash", "-c", command], env=env, capture_output=True, text=True, check=False, timeout=60
        )
    assert "Traceback" not in done.stderr
    assert done.returncode == 3, done.stderr
    (line,) = done.stderr.splitlines(keepends=True)
    assert reason in line


def on_terminal(tmp_path, *words, size, **variables):
    """The lines that a command prints on a terminal of this (rows, columns) without colours."""
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    env |= {"LC_ALL": "C.UTF-8", "TERM": "dumb"} | variables
    controller, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, size)
    with subprocess.Popen(
        [sys.executable, "-m", "app", *words],
        env=env,
        stdin=terminal,
        stdout=terminal,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(terminal)
        output = b""
        try:
            while data := os.read(controller, 65_536):
                output += data
        except OSError:  # EIO: no process has the terminal open any more
            pass
        os.close(controller)
        assert process.stderr.read() == b""
    return output.decode().splitlines()


@pytest.mark.parametrize(
    ("size", "variable", "columns"),
    [((0, 0), "", 80), ((0, 0), "50", 50), ((24, 60), "", 60), ((24, 60), "50", 50), ((24, 60), "0", 60)],
)
def test_lines_are_as_wide_as_the_terminal(store, tmp_path, size, variable, columns):
    """A terminal without a size, as some programs start one, counts as 80 columns wide."""
    write_session(store / "2026_wide.jsonl", *chain("widget " * 60, id="wide", cwd="/work/" + "w" * 60))
    lines = on_terminal(
        tmp_path, *(("list",) if variable else ("search", "widget")), size=size, COLUMNS=variable
    )
    assert lines
    assert max(map(width, lines)) == columns


def test_labels_on_a_terminal_say_when_and_where_their_session_was_used(store, tmp_path):
    heads, line = on_terminal(tmp_path, "labels", size=(24, 110))
    assert heads.split() == ["id", "entry", "age", "label", "folder", "title"]
    assert line.split()[:2] + line.split()[3:] == ["aaaa1111", "e", "good", "/work/app", "Auth"]
    assert line.split()[2].lstrip("0123456789") in ("m", "h", "d", "w", "mo", "y")
    heads, line = on_terminal(tmp_path, "labels", size=(24, 80))
    assert heads.split() == ["id", "entry", "age", "label", "title"]


@pytest.mark.parametrize(
    ("words", "closed"),
    [
        *itertools.product(["list"], ["2>&-", "2>&- <&-", ">&- 2>&- <&-", "<&-"]),
        *(
            (words, ">&- 2>&- <&-")
            for words in ("search token", "search none", "index", "index --verify", "doctor", "search cost:x")
        ),
    ],
)
def test_closed_streams_are_tolerated(process, store, tmp_path, words, closed):
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = f"{sys.executable} -m app {words}"
    usual = process(*words.split())
    done = subprocess.run(
        ["bash", "-c", f"{command} {closed}"], env=env, capture_output=True, text=True, check=False
    )
    # The exit code reports output that could not be printed.
    code = 3 if closed.startswith(">") and usual.stdout else usual.returncode
    assert (done.returncode, done.stderr) == (code, "" if "2" in closed else usual.stderr)
    if not closed.startswith(">"):
        assert bool(done.stdout) == bool(usual.stdout)


def test_a_missing_folder_of_a_named_store_is_reported(leafmark, tmp_path):
    done = leafmark("list", "--store", "pi=nowhere")
    assert "--store pi=" in done.stderr.splitlines()[0]
    assert "not there" in done.stderr.splitlines()[0]


@pytest.mark.skipif(shutil.which("script") is None, reason="there is no `script` to make a terminal with")
def test_a_dumb_terminal_is_refused(tmp_path):
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    command = ["script", "-qec", f"{sys.executable} -m app", "/dev/null"]
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 2
    assert "leafmark list" in done.stdout
