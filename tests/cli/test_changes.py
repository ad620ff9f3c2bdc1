"""``leafmark label``, ``labels``, ``rename``, ``branch`` and ``fork`` where they refuse, warn or fail.

`tests/golden/changes.py` has the usual run of each.
"""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path

import pytest
from leafmark import SessionManager

from app import changes, reports
from app.cli_options import parse
from app.setup import setup_from_demo
from app.stores import IDLE, LIVE, Verdict
from tests.cases import cases
from tests.cli.conftest import brief
from tests.factory import chain, entry, header, message, write_session
from tests.holding import held

HOSTILE = "\x1b[31m\u202eevil\x9b2J\r\n\x07 \U000e0041 日本"
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def store(home):
    """Sessions of all four agents, each with a question and two answers if its format permits branches."""
    pi = home / ".pi/agent/sessions/--work-app--"
    branched = [*chain("question", "one", id="pi-aaaa"), message("e", "00000001", "assistant", "two", 3)]
    write_session(pi / "1_pi-aaaa.jsonl", *branched)
    write_session(pi / "2_pi-aabb.jsonl", *chain("another", "answer", id="pi-aabb"))
    titled = {**header("omp-1"), "title": "Auto", "titleSource": "auto"}
    write_session(home / ".omp/agent/sessions/-app/1_omp-1.jsonl", titled, *branched[1:])
    write_session(
        home / ".indusagi/agent/sessions/--work-app--/1_old-1.jsonl", header("old-1"), *branched[1:]
    )
    write_session(
        home / ".pindusagi/sessions/--work-app--/new-1.ndjson",
        '{"schema":"indus/transcript@1","kind":"head","sessionId":"new-1","leaf":"m1"}',
        '{"schema":"indus/transcript@1","kind":"entry","id":"m1","prev":null,"role":"user","message":"q","at":1}',
    )
    lines = [
        '{"type":"session","id":"agent-1","version":1,"timestamp":"2026-02-26T14:30:12Z","cwd":"/work/app"}'
    ]
    for number in range(5):
        content = '{"role":"user","content":[{"type":"text","text":"q"}]}'
        lines.append(
            f'{{"type":"message","id":"m{number}","timestamp":"2026-02-26T14:30:13Z","message":{content}}}'
        )
    write_session(home / ".config/agent/sessions/20260226-143012-agent-1.jsonl", *lines)
    return pi


WRITABLE = ["pi-aaaa", "omp-1", "old-1"]


def files(home):
    """Path -> content and time of every file below the home folder, without leafmark's own files."""
    contents = {}
    for path in sorted(home.rglob("*")):
        if path.is_file() and not {".cache", ".local"} & set(path.parts):
            contents[str(path)] = (path.read_bytes(), path.stat().st_mtime_ns)
    return contents


def opened(path, home):
    """The session as another program would open it."""
    return SessionManager.open(str(path), env={"HOME": str(home)}, new=False)


def path_of(run, session):
    """The path of a session, from `leafmark list`."""
    rows = json.loads(run("list", "--json").out)["sessions"]
    return next(row["path"] for row in rows if row["session_id"] == session)


def test_without_labels_the_exit_code_is_1(run, store):
    assert run("labels") == (1, "", "leafmark: no session has a label\n")
    assert run("labels", "pi-aabb") == (1, "", "leafmark: pi-aabb: no entry has a label\n")
    assert json.loads(run("labels", "agent-1", "--json").out) == {"schema": 3, "labels": []}


def test_a_label_on_a_missing_entry_is_listed_as_such(run, store):
    stray = entry("label", "l", "00000001", targetId="gone", label="stray")
    write_session(store / "3.jsonl", *chain("q", id="stray"), stray)
    assert run("labels", "stray").out == "stray\tgone\tstray\tq\t\n"
    assert json.loads(run("labels", "stray", "--json").out)["labels"][0]["text"] is None


# prompts, and calls without results


@pytest.mark.parametrize("session", WRITABLE)
def test_branch_at_a_prompt_moves_before_it_and_prints_it(run, home, store, session):
    path = path_of(run, session)
    prompt = "say it\nagain \x1b[2J"
    with open(path, "a") as file:
        file.write(json.dumps(message("p", "e", "user", prompt, 4)) + "\n")
        file.write(json.dumps(message("q", "p", "assistant", "so", 5)) + "\n")
    said = brief(run("branch", session, "p").out)
    assert said == f"Leaf of {session}: q → e\nprompt:\nsay it\nagain ␛[2J\n"
    assert opened(path, home).build_session_context().messages[-1]["content"][0]["text"] == "two"
    document = json.loads(run("branch", session, "p", "--json").out)
    assert (document["change"]["target_id"], document["change"]["entry_id"], document["prompt"]) == (
        "e",
        None,
        prompt,
    )
    assert run("undo").out.endswith("→ q.\n")
    assert opened(path, home).build_session_context().messages[-1]["content"][0]["text"] == "so"
    kept_document = json.loads(run("branch", session, "p", "--keep", "--json").out)
    assert (kept_document["change"]["target_id"], kept_document["prompt"]) == ("p", None)


@pytest.mark.parametrize(
    "words", [["branch", "pi-aaaa", "00000001", "--new-file"], ["fork", "pi-aaaa", "--entry", "00000001"]]
)
def test_a_new_session_at_a_prompt_ends_before_it_and_can_be_undone(run, home, store, words):
    done = json.loads(run(*words, "--json").out)
    assert (done["change"]["target_id"], done["prompt"]) == (None, "question")
    new_path = done["change"]["after"]
    assert opened(new_path, home).get_entries() == []
    assert run("undo").code == 0
    assert not Path(new_path).exists()
    assert run(*words).out.endswith("\nprompt:\nquestion\n")
    assert [
        first_entry.id
        for first_entry in opened(
            json.loads(run(*words, "--keep", "--json").out)["change"]["after"], home
        ).get_entries()
    ] == ["00000001"]


def test_calls_without_results_are_refused_without_keep(run, home, store):
    called = {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "read"}]}
    calls = [*chain("question", id="calls"), entry("message", "a", "00000001", message=called)]
    write_session(store / "3.jsonl", *calls, message("u", "00000001", "user", "else", 5))
    before = files(home)
    for words in (
        ["branch", "calls", "a"],
        ["branch", "calls", "a", "--new-file"],
        ["fork", "calls", "--entry", "a"],
    ):
        done = run(*words)
        assert (done.code, done.out) == (3, "")
        assert done.err.endswith(
            "use 00000001 (the prompt, to send it again) (--keep takes this one all the same)\n"
        )
        assert files(home) == before
    assert brief(run("branch", "calls", "a", "--keep").out) == "Leaf of calls: u → a\n"


# refusals


@cases(
    ("words", "code", "part"),
    [
        (["label", "nobody", "e", "x"], 1, "'nobody'"),
        (["label", "./nobody.jsonl", "e", "x"], 1, "nobody.jsonl"),
        (["rename", "nobody", "x"], 1, "'nobody'"),
        (["branch", "", "e"], 1, "''"),
        (["fork", "nobody"], 1, "'nobody'"),
        (["labels", "nobody"], 1, "'nobody'"),
        (["label", "pi-aaaa", "zz", "x"], 1, "'zz'"),
        (["label", "pi-aaaa", "", "x"], 1, "1_pi-aaaa.jsonl"),
        (["label", "pi-aaaa", "root", "x"], 1, "'root'"),
        (["branch", "pi-aaaa", "zz"], 1, "'zz'"),
        (["branch", "pi-aaaa", "zz", "--new-file"], 1, "'zz'"),
        (["fork", "pi-aaaa", "--entry", "zz"], 1, "'zz'"),
        (["fork", "pi-aaaa", "--entry", ""], 1, "''"),
        (["label", "pi-aa", "e", "x"], 2, "2 sessions"),
        (["labels", "pi-aa"], 2, "2 sessions"),
        (["label", "pi-aaaa", "0", "x"], 2, "2 entries"),
        (["label", "pi-aaaa", "e"], 2, "a label needs a TEXT; --clear removes a label"),
        (["label", "pi-aaaa", "e", " \n"], 2, "--clear"),
        (["label", "--clear", "pi-aaaa", "e", "x"], 2, "--clear"),
        (["label", "pi-aaaa"], 2, "ENTRY"),
        (["rename", "pi-aaaa"], 2, "NAME"),
        (["rename", "pi-aaaa", " \t"], 2, "blanks"),
        (["branch", "pi-aaaa", "e", "--summary", "x", "--new-file"], 2, "--new-file"),
        (["branch", "pi-aaaa", "e", "--summary", " "], 2, "--summary"),
        (["branch", "pi-aaaa", "root", "--new-file"], 2, "--new-file"),
        (["fork", "pi-aaaa", "--keep"], 2, "--entry"),
        (["fork", "pi-aaaa", "--to", "nowhere"], 2, "'nowhere'"),
        (["fork", "agent-1", "--last", "0"], 2, "'0'"),
        (["fork", "agent-1", "--last", "-1"], 2, "-1"),
        (["fork", "agent-1", "--last", "many"], 2, "many"),
        (["fork", "agent-1", "--demo", "--store", "pi=x"], 2, "--demo"),
        (["fork", "pi-aaaa", "--fast"], 2, "--fast"),
        (["label", "agent-1", "m1", "x"], 3, "agent-1.jsonl"),
        (["rename", "agent-1", "x"], 3, "agent-1.jsonl"),
        (["branch", "agent-1", "m1"], 3, "agent-1.jsonl"),
        (["branch", "agent-1", "m1", "--new-file"], 3, "agent-1.jsonl"),
        (["fork", "agent-1", "--entry", "m1"], 3, "agent-1.jsonl"),
        (["fork", "pi-aaaa", "--last", "2"], 3, "1_pi-aaaa.jsonl"),
        (["label", "new-1", "m1", "x"], 3, "new-1.ndjson"),
        (["rename", "new-1", "x"], 3, "new-1.ndjson"),
        (["branch", "new-1", "m1"], 3, "new-1.ndjson"),
        (["fork", "new-1"], 3, "new-1.ndjson"),
        (["label", "home", "e", "x"], 3, "home: "),
        (["rename", "./bad.jsonl", "x"], 3, "bad.jsonl"),
        (["label", "./empty.jsonl", "e", "x"], 3, "empty.jsonl"),
        (["fork", "./empty.jsonl"], 3, "empty.jsonl"),
    ],
    one_folder=True,
)
def test_a_refused_command_prints_one_line_and_changes_nothing(run, home, store, tmp_path, words, code, part):
    (tmp_path / "bad.jsonl").write_text("no session\n")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    before = files(tmp_path)
    for options in ([], ["--json"]):
        done = run(*words, *options)
        # the sessions that an ambiguous name fits have a line each
        lines = 3 if "sessions" in part else 1
        assert (done.code, done.err.count("\n")) == (code, lines), done.err
        assert part in done.err
        assert done.err.startswith("leafmark")
        assert done.out == ""
    assert files(tmp_path) == before


def test_a_complete_id_is_preferred_to_a_prefix(run, home, store):
    write_session(store / "3.jsonl", *chain("q", "a", id="pi-aaaa-and-more"))
    assert json.loads(run("rename", "pi-aaaa", "x", "--json").out)["session"]["session_id"] == "pi-aaaa"
    assert run("rename", "pi-aaaa-", "x").code == 0


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows what a process has open")
def test_a_process_that_has_the_session_open_is_named(run, home, store, tmp_path):
    path = path_of(run, "omp-1")
    before = Path(path).read_bytes()
    with held(path, tmp_path) as pid:
        for words in (
            ("label", "omp-1", "e", "x"),
            ("branch", "omp-1", "00000002"),
            ("rename", "omp-1", "x"),
        ):
            done = run(*words)
            assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
            assert str(pid) in done.err
            assert path in done.err
    assert Path(path).read_bytes() == before
    assert run("label", "omp-1", "e", "x").code == 0


def test_a_rename_that_a_live_agent_may_revert_has_a_warning(run, home, store, monkeypatch):
    run("rename", "omp-1", "old")
    before = Path(path_of(run, "omp-1")).read_bytes()
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "process 7 has it open", 7)
    )
    done = run("rename", "omp-1", "new")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert brief(done.out) == 'Name of omp-1: "old" → "new"\n'
    assert "title" in done.err
    assert Path(path_of(run, "omp-1")).read_bytes()[256:] == before[256:]


def test_a_failed_write_is_reported_and_leaves_the_file_unchanged(run, home, store, monkeypatch):
    code = errno.ENOSPC
    path, before = store / "1_pi-aaaa.jsonl", files(home)
    run("list")

    def refuse(*_, **__):
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patch:
        patch.setattr("app.sessions.storage.file_storage.os.write", refuse)
        patch.setattr("app.sessions.storage.file_storage.os.fdopen", refuse)
        for words in (("label", "pi-aaaa", "e", "x"), ("fork", "pi-aaaa")):
            done = run(*words)
            assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
            assert os.strerror(code) in done.err
            assert str(path.parent) in done.err
    assert files(home) == before


# stores, examples, output and concurrency


def test_a_session_of_a_named_store_belongs_to_its_agent(run, home, tmp_path):
    write_session(tmp_path / "flat/1.jsonl", *chain("q", "a", id="flat"))
    option = ("--store", "omp=flat")
    assert (
        json.loads(run("label", "flat", "00000001", "x", "--json", *option).out)["session"]["agent"] == "omp"
    )
    assert run("rename", "flat", "N", *option).code == 0
    title = json.loads((tmp_path / "flat/1.jsonl").read_bytes().splitlines()[0])
    assert (title["type"], title["title"]) == ("title", "N")
    fork_document = json.loads(run("fork", "flat", "--to", "home", "--json", *option).out)
    assert os.path.dirname(fork_document["change"]["after"]) == str(tmp_path / "flat")
    assert json.loads(run("list", "--json", *option).out)["total"] == 2
    by_path = json.loads(run("rename", "flat/1.jsonl", "M", "--json", *option).out)
    assert by_path["session"] == {
        "agent": "omp",
        "session_id": "flat",
        "path": str(tmp_path / "flat/1.jsonl"),
        "title": "M",
    }
    assert {path.name for path in home.iterdir()} <= {".cache", ".local"}


def test_a_session_outside_of_every_store_is_changed_by_its_path(run, home, store, tmp_path):
    path = write_session(tmp_path / "loose.jsonl", *chain("q", "a", id="loose"))
    for named in (path, "loose.jsonl", "./loose.jsonl"):
        assert run("label", named, "00000001", f"of {named}").code == 0
    assert run("label", "loose", "00000001", "x").code == 1
    assert run("labels", "loose.jsonl").code == 0


def test_commands_on_the_example_sessions_change_nothing_of_the_user(
    home, store, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("app.sessions.manager.live_guard.verdict", lambda *_: Verdict(IDLE, ""))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(home / ".pi/agent"))
    before = files(home)
    setup = setup_from_demo(str(tmp_path / "demo"))
    for agent in ("pi", "omp", "indusagi"):
        manager = SessionManager.create(str(tmp_path), agent=agent, env=setup.agent_env)
        assert manager.session_dir.startswith(str(tmp_path / "demo"))

    def demo(*words):
        capsys.readouterr()
        options = parse(words)
        assert options is not None
        return changes.run(options, setup), capsys.readouterr()

    options = parse(["list", "--json"])
    assert options is not None
    reports.run(options, setup)
    rows = json.loads(capsys.readouterr().out)["sessions"]
    changed = 0
    for row in rows:
        by_path = row["path"]
        for words in (
            ("rename", by_path, "N"),
            ("label", by_path, opened(by_path, tmp_path / "demo/home").leaf_id, "x"),
            ("fork", by_path, "--to", str(tmp_path)),
            ("fork", by_path),
            ("branch", by_path, "root"),
        ):
            code, output = demo(*words)
            assert code in (0, 3), output.err
            changed += code == 0
    assert changed > 3 * len(rows)
    assert files(home) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo", "home"]
    assert not (home / ".cache").exists()
    assert not (home / ".local").exists()


def test_output_is_inert_and_fits_any_encoding(leafmark, process, tmp_path):
    folder = tmp_path / "home/.pi/agent/sessions/--w--"
    lines = chain(HOSTILE, "a", id="evil\x1b[31m")
    lines.append(message("i\x1b[2J", "00000002", "user", HOSTILE))
    path = write_session(folder / "one\x1b]0;T\x07.jsonl", *lines)
    for encoding in ("utf-8", "ascii"):
        for words, code in (
            (("label", "evil", "00000001", HOSTILE), 0),
            (("label", path, "i\x1b[2J", "x" + encoding), 0),
            (("labels",), 0),
            (("labels", "evil"), 0),
            (("rename", "evil", HOSTILE + encoding), 0),
            (("branch", "evil", "i"), 0),
            (("branch", "evil", "00000001", "--summary", HOSTILE), 0),
            (("branch", "evil", "\x1b[1m"), 1),
            (("label", "\x1b[1m", "x", "y"), 1),
            (("fork", "evil", "--to", "\x1b[1m"), 2),
            (("label", "evil", "\x1b[1m", "--\x1b[1m"), 2),
            (("fork", path), 0),
            (("fork", "evil\x1b[31m"), 0),
        ):
            done = process(*words, encoding=encoding) if encoding == "ascii" else leafmark(*words)
            assert done.returncode == code, (words, done.stderr)
            assert not CONTROLS.search(done.stdout + done.stderr), words
            assert len(done.stderr.splitlines()) == (1 if code else 0)
    session = opened(path, tmp_path / "home")
    assert not re.search("[\x00-\x1f\x7f-\x9f]", session.get_label("00000001") + session.session_name)
    assert leafmark("labels", "--json").stdout.isascii()


def test_concurrent_commands_lose_nothing(process, home, store):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        done = list(
            pool.map(lambda number: process("label", store / "1_pi-aaaa.jsonl", "e", f"l{number}"), range(8))
        )
    assert [process_.returncode for process_ in done] == [0] * 8, done
    entries = opened(store / "1_pi-aaaa.jsonl", home).get_entries()
    assert {entry_.label for entry_ in entries if entry_.type == "label"} == {
        f"l{number}" for number in range(8)
    }
    assert len({entry_.id for entry_ in entries}) == len(entries) == 11
