"""``leafmark list``, ``tree`` and ``doctor``, run as a user runs them."""

from __future__ import annotations

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
from tests.cli.conftest import ROOT
from tests.factory import chain, entry, header, message, write_session
from tests.waiting import ends


@pytest.fixture
def store(tmp_path):
    """Three sessions: one named, branched and labelled, one plain, one with a damaged line."""
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
    write_session(folder / "2026_none.jsonl", "nothing of a session")
    return folder


def test_list_prints_rows_newest_first(leafmark, store):
    done = leafmark("list")
    assert (done.returncode, done.stderr) == (0, "")
    titles = [line.split("  ")[-2].strip() for line in done.stdout.splitlines()]
    assert titles == ["Auth", "man page", "third"]
    first = done.stdout.splitlines()[0]
    assert "⑂2" in first
    assert "◆1" in first
    assert "!" in done.stdout.splitlines()[2]


def test_list_filters_by_all_words_anywhere(leafmark, store):
    assert "Auth" in leafmark("list", "auth", "PI").stdout
    assert "man page" in leafmark("list", "/work/doc").stdout
    assert "Auth" in leafmark("list", "good").stdout
    missing = leafmark("list", "nowhere")
    assert (missing.returncode, missing.stdout, missing.stderr) == (1, "", "leafmark: no session matches\n")


def test_list_takes_the_filters_of_the_query_language(run, store, home):
    def titles(*words):
        done = run("list", "--json", *words)
        assert done.err == ("" if done.code == 0 else "leafmark: no session matches\n")
        return [each["title"] for each in json.loads(done.out)["sessions"]]

    assert titles("is:named") == ["Auth"]
    assert titles("dir:/work/doc") == ["man page"]
    assert titles("is:damaged") == ["third"]
    assert titles("label:good", "AUTH") == ["Auth"]
    assert titles("label:good", "nowhere") == []
    assert titles("agent:omp") == titles("program:omp") == []
    assert titles("program:pi", "is:named") == ["Auth"]
    assert titles("has:branch,label", "messages:>2") == ["Auth"]
    # What is no filter is a word, as ever.
    assert titles("http://x") == []
    assert titles("--", "-is:named", "date:>1d") == ["man page", "third"]
    with_colon = store / "2026_colon.jsonl"
    write_session(with_colon, *chain("use std::vector here: now", id="colon"))
    assert titles("std::vector", "here:") == ["use std::vector here: now"]


def test_list_takes_phrases_patterns_and_what_is_not_wanted(run, store):
    write_session(
        store / "2026_more.jsonl",
        header("dddd", "/work/Über uns"),
        message("d1", None, "user", "Fix the  login page", 9),
        entry("label", "d2", "d1", 10, targetId="d1", label="half done"),
    )

    def titles(*words):
        done = run("list", "--json", "--", *words)
        assert done.err == ("" if done.code == 0 else "leafmark: no session matches\n")
        return sorted(each["title"] for each in json.loads(done.out)["sessions"])

    others = ["Auth", "man page", "third"]
    fix = "Fix the login page"
    assert titles('"the LOGIN"') == titles('"Half done"') == titles('"über UNS"') == [fix]
    assert titles('"login the"') == titles('"page dddd"') == []
    assert titles("-login") == titles('-"Login page"') == titles('-"half  done"') == others
    assert titles("page", "-man") == titles("PAGE", "-re:^man") == [fix]
    assert titles("re:^Fix") == titles("re:^d{4}$") == titles("re:(?i)^FIX") == [fix]
    assert titles("re:FIX") == []
    assert titles('"the login"', "has:label", "-agent:omp", "re:p[ab]ge") == [fix]
    assert titles("-pi") == []
    done = run("list", "re:(")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[1:] == ["  re:(", "     ^"]
    assert run("list", "--", "Auth", "-").err == "leafmark: nothing stands after the -\n"


def test_a_filter_that_a_list_cannot_ask_is_pointed_at(run, store):
    for query, said in (
        ("a is:blue", ["  a is:blue", "       ^^^^"]),
        ("  role:user a", ["  role:user a", "  ^^^^^^^^^"]),
    ):
        done = run("list", query)
        assert (done.code, done.out) == (2, "")
        assert done.err.splitlines()[1:] == said
        assert done.err.startswith("leafmark: ")


def test_list_limit_says_what_it_left_out(leafmark, store):
    done = leafmark("list", "--limit", 1)
    assert len(done.stdout.splitlines()) == 1
    assert "1 of 3 sessions" in done.stderr


def test_list_json_has_the_promised_fields(leafmark, store):
    found = json.loads(leafmark("list", "--json").stdout)
    assert (found["schema"], found["total"]) == (1, 3)
    first = found["sessions"][0]
    assert first == {
        "agent": "pi",
        "id": "aaaa1111",
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
        "size": (store / "2026_aaaa1111.jsonl").stat().st_size,
        "models": [],
        "tokens": {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0},
        "cost": 0,
        "state": "idle",
        "problems": 0,
    }
    assert found["sessions"][2]["problems"] == 2
    limited = json.loads(leafmark("list", "--json", "--limit", 1).stdout)
    assert (limited["total"], len(limited["sessions"])) == (3, 1)


def test_list_on_an_empty_machine(leafmark):
    done = leafmark("list", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"schema": 1, "total": 0, "sessions": []}


def test_stores_can_be_added(leafmark, tmp_path, store):
    write_session(tmp_path / "flat/2026_cccc.jsonl", *chain("elsewhere", id="cccc"))
    ids = [
        each["id"] for each in json.loads(leafmark("list", "--json", "--store", "pi=flat").stdout)["sessions"]
    ]
    assert sorted(ids) == ["aaaa1111", "aaaa2222", "bbbb", "cccc"]
    before = json.loads(leafmark("--store", "pi=flat", "list", "--json").stdout)
    assert before["total"] == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("list", "--store", "nobody=/x"), "nobody=/x"),
        (("list", "--store", "pi"), "AGENT=FOLDER"),
        (("list", "--limit", "-1"), "-1"),
        (("list", "--limit", "many"), "many"),
        (("fly",), "fly"),
        (("tree",), "SESSION"),
        (("--theme", "pink"), "pink"),
    ],
)
def test_wrong_use_is_named_and_ends_with_two(leafmark, words, said):
    done = leafmark(*words)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_tree_draws_the_session_with_branches_label_and_leaf(leafmark, store):
    done = leafmark("tree", "aaaa1111")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "Auth  pi  aaaa1111  /work/app",
        " • user: fix the login",
        " • ├─ assistant: other answer [good] ← active",
        "   └─ assistant: too early",
        "  (not drawn: 2 of bookkeeping or of tool calls alone; --json has them)",
    ]


def test_tree_in_ascii_is_ascii(leafmark, store):
    done = leafmark("tree", "aaaa1111", "--ascii")
    assert done.stdout.isascii()
    assert " * |- assistant: other answer [good] <- active" in done.stdout


def test_tree_by_path_by_prefix_and_outside_the_stores(leafmark, store, tmp_path):
    outside = write_session(tmp_path / "copy.jsonl", *chain("outside", id="zzzz"))
    for named in (store / "2026_bbbb.jsonl", "bb", outside, "copy.jsonl"):
        assert leafmark("tree", named).returncode == 0, named


def test_tree_says_what_it_cannot_find_or_tell_apart(leafmark, store, tmp_path):
    ambiguous = leafmark("tree", "aaaa")
    assert ambiguous.returncode == 2
    assert "2 sessions" in ambiguous.stderr
    missing = leafmark("tree", "cccc")
    assert (missing.returncode, missing.stderr) == (1, "leafmark: no session has the path or id 'cccc'\n")
    bad = leafmark("tree", store / "2026_none.jsonl")
    assert bad.returncode == 3
    assert "2026_none.jsonl" in bad.stderr
    assert len(bad.stderr.splitlines()) == 1
    assert leafmark("tree", tmp_path).returncode == 3


def test_tree_json_lists_every_entry_flat(leafmark, store):
    found = json.loads(leafmark("tree", "aaaa1111", "--json").stdout)
    assert found["schema"] == 1
    assert found["leaf_id"] == "n"
    assert [each["id"] for each in found["entries"]] == ["00000001", "00000002", "e", "l", "n"]
    assert found["entries"][2]["label"] == "good"
    assert [each["on_active_path"] for each in found["entries"]] == [True, False, True, True, True]
    assert json.loads(leafmark("tree", "bbbb", "--json").stdout)["problems"][0]["line"] == 3


def test_tree_says_where_the_agent_begins_anew(leafmark, store, tmp_path):
    lines = [*chain("one", "two", id="anew"), entry("custom", "x", None, 9, customType="t")]
    write_session(tmp_path / "anew.jsonl", *lines)
    done = leafmark("tree", "anew.jsonl").stdout.splitlines()
    assert done[1:4] == ["   ← active: the agent begins anew here", "   user: one", "   assistant: two"]
    assert leafmark("tree", "anew.jsonl", "--ascii").stdout.splitlines()[1] == (
        "   <- active: the agent begins anew here"
    )
    assert json.loads(leafmark("tree", "anew.jsonl", "--json").stdout)["begins_anew"] is True
    assert json.loads(leafmark("tree", "aaaa1111", "--json").stdout)["begins_anew"] is False
    write_session(tmp_path / "new.jsonl", header("new"), entry("model_change", "m", None, 1, modelId="m"))
    assert "begins anew" not in leafmark("tree", "new.jsonl").stdout


def test_a_tree_of_fifty_thousand_levels_prints(leafmark, tmp_path):
    lines = chain(*(str(at) for at in range(50_000)), id="deep")
    write_session(tmp_path / "deep.jsonl", *lines)
    assert len(leafmark("tree", "deep.jsonl").stdout.splitlines()) == 50_001
    assert len(json.loads(leafmark("tree", "deep.jsonl", "--json").stdout)["entries"]) == 50_000


def test_doctor_says_where_it_looked_and_what_it_skipped(leafmark, store, tmp_path):
    (store.parent / "a-file").write_text("")
    (store / "sub.jsonl").mkdir()
    done = leafmark("doctor")
    assert done.returncode == 0
    text = done.stdout
    assert re.search(r"pi +~/.pi/agent/sessions +\(default\) +3 sessions", text)
    assert re.search(r"omp +~/.omp/agent/sessions +\(default\) +not there", text)
    assert re.search(r"2026_bbbb.jsonl:3: not JSON", text)
    assert re.search(r"2026_bbbb.jsonl:4: not JSON", text)
    assert re.search(r"2026_none.jsonl(:\d+)?: ", text)
    assert re.search(r"sub.jsonl: a folder, not a file", text)


def test_doctor_says_what_cannot_be_brought_back_from_the_archive(run, home):
    folder = home / ".omp/agent/archive/sessions/-work"
    folder.mkdir(parents=True)
    text = b"".join(json.dumps(line).encode() + b"\n" for line in chain("x" * 200_000, "answer"))
    whole = gzip.compress(text, 0)
    (folder / "whole.jsonl.gz").write_bytes(whole)
    assert "nothing was skipped" in run("doctor").out
    (folder / "none.jsonl.gz").write_bytes(b"no gzip")
    (folder / "cut.jsonl.gz").write_bytes(whole[:-50])
    (folder / "other.jsonl.gz").write_bytes(gzip.compress(b"no session\n"))
    found = {Path(each["path"]).name: each for each in json.loads(run("doctor", "--json").out)["skipped"]}
    assert sorted(found) == ["cut.jsonl.gz", "none.jsonl.gz", "other.jsonl.gz"]
    assert found["none.jsonl.gz"]["reason"].startswith("cannot be unpacked: ")
    assert found["cut.jsonl.gz"]["reason"].startswith("cannot be unpacked: ")
    assert found["other.jsonl.gz"]["reason"] == "in the archive, but no session: no session header"


def test_doctor_says_which_settings_and_pins_are_no_files(run, home, tmp_path):
    (home / ".omp/agent").mkdir(parents=True)
    os.mkfifo(home / ".omp/agent/session-pins.json")
    (tmp_path / ".pi").mkdir()
    (tmp_path / ".pi/settings.json").symlink_to("/dev/zero")
    out = ends(lambda: run("doctor")).out
    settings = f"{tmp_path}/.pi/settings.json: not a regular file, so a sessionDir in it is not known"
    assert f"           note: {settings}\n" in out
    assert "\n  ~/.omp/agent/session-pins.json: no pins are known of it: not a regular file\n" in out


def test_doctor_json_has_path_line_and_reason(leafmark, store):
    found = json.loads(leafmark("doctor", "--json").stdout)
    assert found["schema"] == 1
    assert {"agents", "root", "source", "problem", "sessions", "notes"} <= set(found["stores"][0])
    lines = [(Path(each["path"]).name, each["line"]) for each in found["skipped"]]
    assert ("2026_bbbb.jsonl", 3) in lines
    assert all(each["reason"] for each in found["skipped"])


def test_output_is_inert_and_fits_any_encoding(leafmark, process, store):
    hostile = "\x1b[31m\u202eevil \x9b2J 日本"
    write_session(store / "2026_evil.jsonl", *chain(hostile, id="evil", cwd="/work/\x1b[2J"))
    for name in ("one", "two"):
        write_session(store / f"{name}\x1b]0;T\x07.jsonl", *chain("x", id="dup\x1b[31m"))
    one = next(store.glob("one*"))
    bad = write_session(store / "bad\x1b[2J.jsonl", "nothing")
    for words in (
        ("list",),
        ("tree", "evil"),
        ("doctor",),
        ("tree", "dup"),
        ("tree", one),
        ("tree", bad),
        ("tree", "\x1b[1m"),
    ):
        for encoding in ("utf-8", "ascii"):
            done = process(*words, encoding=encoding) if encoding == "ascii" else leafmark(*words)
            out = done.stdout + done.stderr
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out)
    assert leafmark("list", "--json").stdout.isascii()


@pytest.mark.parametrize("locale", [{"LC_ALL": "C"}, {"LANG": "POSIX"}, {"LC_ALL": "C.UTF-8"}])
def test_text_is_in_plain_characters_where_the_locale_has_no_others(leafmark, tmp_path, store, locale):
    plain = locale != {"LC_ALL": "C.UTF-8"}
    for words in (["list"], ["search", "login"], ["labels"], ["doctor"]):
        done, usual = leafmark(*words, **locale), leafmark(*words)
        assert done.returncode == 0
        assert (done.stdout + done.stderr).isascii() is (plain or usual.stdout.isascii())
        lines = zip(done.stdout.splitlines(), usual.stdout.splitlines(), strict=True)
        assert all(width(line) == width(other) for line, other in lines)
    if plain:
        assert leafmark("tree", "aaaa1111", **locale).stdout == leafmark("tree", "aaaa1111", "--ascii").stdout
    for words in (["list", "--json"], ["tree", "aaaa1111", "--json"]):
        assert leafmark(*words, LC_ALL="C").stdout == leafmark(*words).stdout


@pytest.mark.parametrize(("setting", "locale", "plain"), [("true", "C.UTF-8", True), ("false", "C", False)])
def test_what_the_user_has_set_counts_before_the_locale(leafmark, tmp_path, store, setting, locale, plain):
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "config.toml").write_text(f"ascii = {setting}\n")
    for words in (["list"], ["tree", "aaaa1111"]):
        done = leafmark(*words, LC_ALL=locale, LEAFMARK_CONFIG_DIR=str(folder))
        assert done.stdout.isascii() is plain


def test_what_an_encoding_lacks_is_spelt_in_plain_characters_and_nothing_else(process, store):
    text = "naïve 日本 …!\né\x1b[1m•\x1b[0m\n"
    assert encodable_text(text, "utf-8", {}) == text
    assert encodable_text(text, "latin-1", {}) == "naïve ???? ~!\né\x1b[1m*\x1b[0m\n"
    assert encodable_text(text, "ascii", {}) == "naive ???? ~!\ne\x1b[1m*\x1b[0m\n"
    assert encodable_text(text, "utf-8", {"LC_ALL": "C"}) == "naive ???? ~!\ne\x1b[1m*\x1b[0m\n"
    write_session(store / "2026_cccc.jsonl", *chain("naïve …", id="cccc"))
    assert "naive ~" in process("list", encoding="ascii").stdout


def test_a_reader_that_goes_away_is_no_failure(leafmark, store, tmp_path):
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = f"{sys.executable} -m app tree aaaa1111 | true"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], env=env, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr


def test_the_example_sessions_need_nothing(leafmark, tmp_path):
    found = json.loads(leafmark("list", "--demo", "--json").stdout)
    assert {each["agent"] for each in found["sessions"]} == {"pi", "omp", "indusagi", "agent"}
    assert sorted(path.name for path in (tmp_path / "home").iterdir()) == []
    assert not Path(found["sessions"][0]["path"]).exists()


def test_version_and_help(leafmark):
    assert leafmark("--version").stdout.startswith("leafmark 0.")
    assert "doctor" in leafmark("--help").stdout


@pytest.mark.parametrize(
    ("redirect", "reason"),
    [(">/dev/full", "No space left"), (">&-", "leafmark: standard output is closed\n")],
)
@pytest.mark.parametrize(
    "words",
    [
        *("list", "list --json", "search login", "search --json login", "tree bbbb", "labels", "doctor"),
        *("index", "index --verify", "index --where", "label aaaa1111 00000001 fine", "watch", "--help"),
    ],
)
def test_output_that_takes_no_more_is_one_line(store, tmp_path, words, redirect, reason):
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = f"exec {sys.executable} -m app {words} {redirect}"
    done = subprocess.run(
        ["bash", "-c", command], env=env, capture_output=True, text=True, check=False, timeout=60
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == 3, done.stderr
    (line,) = done.stderr.splitlines(keepends=True)
    assert reason in line


@pytest.mark.parametrize(
    ("size", "variable", "columns"),
    [((0, 0), "", 80), ((0, 0), "50", 50), ((24, 60), "", 60), ((24, 60), "50", 50), ((24, 60), "0", 60)],
)
@pytest.mark.parametrize("words", [("list",), ("search", "widget")])
def test_lines_are_as_wide_as_the_terminal(store, tmp_path, words, size, variable, columns):
    """One of no size, as programs start them that show nothing, is as wide as most."""
    write_session(store / "2026_wide.jsonl", *chain("widget " * 60, id="wide", cwd="/work/" + "w" * 60))
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    env |= {"LC_ALL": "C.UTF-8", "TERM": "dumb", "COLUMNS": variable}
    ours, its = pty.openpty()
    termios.tcsetwinsize(its, size)
    with subprocess.Popen(
        [sys.executable, "-m", "app", *words], env=env, stdin=its, stdout=its, stderr=subprocess.PIPE
    ) as process:
        os.close(its)
        said = b""
        try:
            while piece := os.read(ours, 65_536):
                said += piece
        except OSError:  # nobody has the other end any more
            pass
        os.close(ours)
        assert process.stderr.read() == b""
    lines = said.decode().splitlines()
    assert lines
    assert max(map(width, lines)) == columns


@pytest.mark.parametrize(
    ("words", "closed"),
    [
        *itertools.product(["list", "search none"], ["2>&-", "2>&- <&-", ">&- 2>&- <&-", "<&-"]),
        *(
            (words, ">&- 2>&- <&-")
            for words in ("search token", "index", "index --verify", "doctor", "search cost:x")
        ),
    ],
)
def test_streams_that_are_closed_hinder_nothing(store, tmp_path, words, closed):
    env = {"HOME": str(tmp_path / "home"), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    command = f"{sys.executable} -m app {words}"
    usual = subprocess.run(["bash", "-c", command], env=env, capture_output=True, text=True, check=False)
    done = subprocess.run(
        ["bash", "-c", f"{command} {closed}"], env=env, capture_output=True, text=True, check=False
    )
    # What cannot be printed is said by the exit code where there is nothing else to say it with.
    code = 3 if closed.startswith(">") and usual.stdout else usual.returncode
    assert (done.returncode, done.stderr) == (code, "" if "2" in closed else usual.stderr)
    if not closed.startswith(">"):
        assert bool(done.stdout) == bool(usual.stdout)


def test_a_folder_that_was_named_and_is_missing_is_told_of(leafmark, tmp_path):
    done = leafmark("list", "--store", "pi=nowhere")
    assert "--store pi=" in done.stderr.splitlines()[0]
    assert "not there" in done.stderr.splitlines()[0]


def test_the_examples_stand_alone(leafmark):
    assert leafmark("list", "--demo", "--store", "pi=x").returncode == 2


@pytest.mark.skipif(shutil.which("script") is None, reason="there is no `script` to make a terminal with")
def test_a_terminal_that_cannot_place_text_is_refused(tmp_path):
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    command = ["script", "-qec", f"{sys.executable} -m app", "/dev/null"]
    done = subprocess.run(
        command, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 2
    assert "leafmark list" in done.stdout
