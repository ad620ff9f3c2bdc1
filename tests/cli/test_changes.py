"""``leafmark label``, ``labels``, ``rename``, ``branch`` and ``fork``."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path

import pytest

from app import changes, reports
from app.cli_options import parse
from app.sessions import SessionManager
from app.setup import setup_from_demo
from app.stores.live import IDLE, LIVE, Verdict
from tests.factory import chain, entry, header, message, write_session
from tests.holding import held

HOSTILE = "\x1b[31m\u202eevil\x9b2J\r\n\x07 \U000e0041 日本"
CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def store(home):
    """Sessions of all four agents, each with a question and two answers where it can have two."""
    pi = home / ".pi/agent/sessions/--work-app--"
    branched = [*chain("question", "one", id="pi-aaaa"), message("e", "00000001", "assistant", "two", 3)]
    write_session(pi / "1_pi-aaaa.jsonl", *branched)
    write_session(pi / "2_pi-aabb.jsonl", *chain("another", "answer", id="pi-aabb"))
    write_session(pi / "v4.jsonl", '{"v":4,"kind":"header","id":"lanes","createdAt":1,"cwd":"/work/app"}')
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
    for at in range(5):
        said = '{"role":"user","content":[{"type":"text","text":"q"}]}'
        lines.append(f'{{"type":"message","id":"m{at}","timestamp":"2026-02-26T14:30:13Z","message":{said}}}')
    write_session(home / ".config/agent/sessions/20260226-143012-agent-1.jsonl", *lines)
    return pi


WRITABLE = ["pi-aaaa", "omp-1", "old-1"]


def files(home):
    """Every file below the home folder but leafmark's own: content and time."""
    found = {}
    for path in sorted(home.rglob("*")):
        if path.is_file() and not {".cache", ".local"} & set(path.parts):
            found[str(path)] = (path.read_bytes(), path.stat().st_mtime_ns)
    return found


def opened(path, home):
    """The session as the next program finds it."""
    return SessionManager.open(str(path), env={"HOME": str(home)}, new=False)


def path_of(run, session):
    """The file of a session, as the list has it."""
    rows = json.loads(run("list", "--json").out)["sessions"]
    return next(row["path"] for row in rows if row["id"] == session)


# label, labels


@pytest.mark.parametrize("session", WRITABLE)
def test_a_label_is_put_on_changed_and_taken_off(run, home, store, session):
    assert run("label", session, "0000", "one") == (2, "", run("label", session, "0000", "one").err)
    assert run("label", session, "00000002", " one\n") == (0, 'label of 00000002: none → "one"\n', "")
    assert run("label", session, "00000002", "one") == (0, 'label of 00000002: "one", as before\n', "")
    assert run("label", session, "00000002", "two").out == 'label of 00000002: "one" → "two"\n'
    assert opened(path_of(run, session), home).get_label("00000002") == "two"
    assert run("label", session, "00000002", "--clear").out == 'label of 00000002: "two" → none\n'
    assert opened(path_of(run, session), home).get_label("00000002") is None


def test_json_says_what_was_asked_of_which_session_and_what_was_done(run, home, store):
    path = store / "1_pi-aaaa.jsonl"
    done = run("label", "pi-aaaa", "e", "ckpt", "--json")
    assert (done.code, done.err) == (0, "")
    written = json.loads(path.read_bytes().splitlines()[-1])
    session = {"agent": "pi", "id": "pi-aaaa", "path": str(path)}
    change = {"kind": "label", "entry_id": written["id"], "target_id": "e", "before": None, "after": "ckpt"}
    assert json.loads(done.out) == {"schema": 1, "session": session, "change": {**change, "after_id": None}}
    again = json.loads(run("label", path, "e", "ckpt", "--json").out)
    assert (again["session"], again["change"]["entry_id"]) == (session, None)


def test_labels_of_all_sessions_and_of_one(run, home, store):
    none = run("labels")
    assert none == (1, "", "leafmark: no session has a label\n")
    assert run("labels", "pi-aabb") == (1, "", "leafmark: pi-aabb: no entry has a label\n")
    run("label", "pi-aaaa", "e", "ckpt")
    run("label", "omp-1", "00000001", "start")
    every = run("labels")
    assert (every.code, every.err) == (0, "")
    assert {tuple(line.split()) for line in every.out.splitlines()} == {
        ("pi-aaaa", "e", "ckpt", "question"),
        ("omp-1", "00000001", "start", "Auto"),
    }
    session = {"agent": "pi", "id": "pi-aaaa", "path": str(store / "1_pi-aaaa.jsonl")}
    found = json.loads(run("labels", "--json").out)
    assert found["schema"] == 1
    assert {"session": session, "entry_id": "e", "label": "ckpt"} in found["labels"]
    one = run("labels", "pi-aaaa")
    assert re.fullmatch(r"e +\w+ +ckpt  assistant: two\n", one.out)
    assert json.loads(run("labels", "pi-aaaa", "--json").out) == {
        "schema": 1,
        "labels": [
            {
                "session": session,
                "entry_id": "e",
                "label": "ckpt",
                "text": "assistant: two",
                "timestamp": "2026-05-01T10:03:00.000Z",
            }
        ],
    }
    assert json.loads(run("labels", "agent-1", "--json").out) == {"schema": 1, "labels": []}


def test_a_label_on_an_entry_that_is_not_there_is_listed_as_such(run, store):
    stray = entry("label", "l", "00000001", targetId="gone", label="stray")
    write_session(store / "3.jsonl", *chain("q", id="stray"), stray)
    assert run("labels", "stray").out.split() == ["gone", "stray", "(no", "such", "entry)"]
    assert json.loads(run("labels", "stray", "--json").out)["labels"][0]["text"] is None


# rename


@pytest.mark.parametrize(("session", "before"), [("pi-aaaa", "none"), ("omp-1", '"Auto"'), ("old-1", "none")])
def test_a_session_is_renamed(run, home, store, session, before):
    assert run("rename", session, "two\nlines") == (0, f'name: {before} → "two lines"\n', "")
    assert opened(path_of(run, session), home).session_name == "two lines"
    change = json.loads(run("rename", session, "N", "--json").out)["change"]
    assert (change["kind"], change["before"], change["after"]) == ("name", "two lines", "N")
    assert change["target_id"] is None
    assert change["entry_id"]


def test_a_name_is_cleared_where_the_agent_knows_that(run, home, store):
    for session in ("pi-aaaa", "omp-1"):
        run("rename", session, "N")
        assert run("rename", session, "").out == 'name: "N" → none\n'
    run("rename", "old-1", "N")
    refused = run("rename", "old-1", "")
    assert (refused.code, refused.out) == (3, "")
    assert "not cleared" in refused.err


# branch


def test_the_leaf_is_put_on_another_entry(run, home, store):
    path = store / "1_pi-aaaa.jsonl"
    assert run("branch", "pi-aaaa", "00000002") == (0, "leaf: e → 00000002\n", "")
    assert [found.id for found in opened(path, home).get_branch()][:-1] == ["00000001", "00000002"]
    assert run("branch", "pi-aaaa", "00000002") == (0, "leaf: 00000002, as before\n", "")
    change = json.loads(run("branch", "pi-aaaa", "root", "--json").out)["change"]
    leaf = opened(path, home).leaf_id
    assert change["kind"] == "leaf"
    assert (change["target_id"], change["after"], change["entry_id"]) == (None, leaf, leaf)
    assert opened(path, home).build_session_context().messages == []
    assert run("branch", "pi-aaaa", "e", "--summary", "went nowhere").code == 0
    said = opened(path, home).build_session_context().messages
    assert [message["role"] for message in said] == ["user", "assistant", "branchSummary"]


@pytest.mark.parametrize("session", WRITABLE)
def test_a_branch_is_made_a_session_of_its_own(run, home, store, session):
    path = path_of(run, session)
    run("label", session, "00000002", "kept")
    before = files(home)[path]
    found = json.loads(run("branch", session, "00000002", "--new-file", "--json").out)
    assert files(home)[path] == before
    change = found["change"]
    assert found["session"]["id"] == session
    assert (change["kind"], change["before"], change["entry_id"]) == ("file", path, None)
    made = opened(change["after"], home)
    assert made.session_id == change["after_id"]
    assert made.get_label("00000002") == "kept"
    assert made.get_entry("e") is None
    assert json.loads(run("tree", change["after_id"], "--json").out)["session"]["path"] == change["after"]


# fork


@pytest.mark.parametrize("session", WRITABLE)
def test_a_session_is_forked(run, home, store, tmp_path, session):
    (tmp_path / "elsewhere").mkdir()
    run("rename", session, "N")
    path = path_of(run, session)
    before = files(home)
    first = run("fork", session)
    assert (first.code, first.err) == (0, "")
    made = re.fullmatch(r"new session (\S+): (\S+) → (\S+)\n", first.out)
    assert made
    assert made[2] == path
    assert os.path.dirname(made[3]) == os.path.dirname(path)
    assert opened(made[3], home).session_id == made[1]
    assert opened(made[3], home).session_name == "N"
    other = json.loads(run("fork", session, "--entry", "00000002", "--to", "elsewhere", "--json").out)
    made = opened(other["change"]["after"], home)
    assert made.cwd == str(tmp_path / "elsewhere")
    assert made.get_entry("e") is None
    assert all(files(home)[path] == found for path, found in before.items())
    rows = json.loads(run("list", "--json").out)["sessions"]
    agents = {row["agent"] for row in rows if row["id"] in (made.session_id, session)}
    assert len(agents) == 1


def test_a_fork_of_nickcecere_agent_has_the_last_messages(run, home, store):
    for words, count in (((), 5), (("--last", "2"), 2)):
        change = json.loads(run("fork", "agent-1", *words, "--json").out)["change"]
        lines = Path(change["after"]).read_text().splitlines()
        assert len(lines) == 2 + count
        assert json.loads(lines[1])["parent_session_path"] == change["before"]


# a prompt, and calls without results


@pytest.mark.parametrize("session", WRITABLE)
def test_branch_at_a_prompt_goes_before_it_and_prints_it(run, home, store, session):
    path = path_of(run, session)
    said = "say it\nagain \x1b[2J"
    with open(path, "a") as file:
        file.write(json.dumps(message("p", "e", "user", said, 4)) + "\n")
        file.write(json.dumps(message("q", "p", "assistant", "so", 5)) + "\n")
    assert run("branch", session, "p") == (0, "leaf: q → e\nprompt:\nsay it\nagain ␛[2J\n", "")
    assert opened(path, home).build_session_context().messages[-1]["content"][0]["text"] == "two"
    again = json.loads(run("branch", session, "p", "--json").out)
    assert (again["change"]["target_id"], again["change"]["entry_id"], again["prompt"]) == ("e", None, said)
    assert run("undo").out.endswith("→ q\n")
    assert opened(path, home).build_session_context().messages[-1]["content"][0]["text"] == "so"
    kept = json.loads(run("branch", session, "p", "--keep", "--json").out)
    assert (kept["change"]["target_id"], kept["prompt"]) == ("p", None)


@pytest.mark.parametrize(
    "words", [["branch", "pi-aaaa", "00000001", "--new-file"], ["fork", "pi-aaaa", "--entry", "00000001"]]
)
def test_a_new_session_at_a_prompt_ends_before_it_and_is_undone(run, home, store, words):
    done = json.loads(run(*words, "--json").out)
    assert (done["change"]["target_id"], done["prompt"]) == (None, "question")
    made = done["change"]["after"]
    assert opened(made, home).get_entries() == []
    assert run("undo").code == 0
    assert not Path(made).exists()
    assert run(*words).out.endswith("\nprompt:\nquestion\n")
    assert [
        each.id
        for each in opened(
            json.loads(run(*words, "--keep", "--json").out)["change"]["after"], home
        ).get_entries()
    ] == ["00000001"]


def test_calls_without_results_name_the_safe_entry_and_keep_takes_them(run, home, store):
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
    assert run("branch", "calls", "a", "--keep").out == "leaf: u → a\n"


# what is refused


@pytest.mark.parametrize(
    ("words", "code", "said"),
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
        (["label", "pi-aaaa", "e"], 2, "--clear"),
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
        (["rename", "lanes", "x"], 3, "v4.jsonl"),
        (["fork", "lanes"], 3, "v4.jsonl"),
        (["label", "home", "e", "x"], 3, "home: "),
        (["rename", "./bad.jsonl", "x"], 3, "bad.jsonl"),
        (["label", "./empty.jsonl", "e", "x"], 3, "empty.jsonl"),
        (["fork", "./empty.jsonl"], 3, "empty.jsonl"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_touches_nothing(run, home, store, tmp_path, words, code, said):
    (tmp_path / "bad.jsonl").write_text("no session\n")
    (tmp_path / "empty.jsonl").write_bytes(b"")
    before = files(tmp_path)
    for more in ([], ["--json"]):
        done = run(*words, *more)
        assert (done.code, done.err.count("\n")) == (code, 1), done.err
        assert said in done.err
        assert done.err.startswith("leafmark")
        assert done.out == ""
    assert files(tmp_path) == before


def test_a_whole_id_counts_before_the_beginning_of_another(run, home, store):
    write_session(store / "3.jsonl", *chain("q", "a", id="pi-aaaa-and-more"))
    assert json.loads(run("rename", "pi-aaaa", "x", "--json").out)["session"]["id"] == "pi-aaaa"
    assert run("rename", "pi-aaaa-", "x").code == 0


@pytest.mark.parametrize("session", ["pi-aaaa", "omp-1", "old-1"])
def test_a_live_session_is_not_moved(run, home, store, monkeypatch, session):
    before = files(home)
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "process 7 has it open", 7)
    )
    done = run("branch", session, "00000002")
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert "process 7" in done.err
    assert path_of(run, session) in done.err
    assert files(home) == before
    assert run("branch", session, "00000002", "--new-file").code == 0
    assert all(files(home)[path] == found for path, found in before.items())


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only /proc shows what a process has open")
def test_a_real_process_that_has_the_session_open_is_named(run, home, store, tmp_path):
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


def test_a_new_name_that_a_live_agent_may_undo_is_told_of(run, home, store, monkeypatch):
    run("rename", "omp-1", "old")
    before = Path(path_of(run, "omp-1")).read_bytes()
    monkeypatch.setattr(
        "app.sessions.manager.live_guard.verdict", lambda *_: Verdict(LIVE, "process 7 has it open", 7)
    )
    done = run("rename", "omp-1", "new")
    assert (done.code, done.out, done.err.count("\n")) == (0, 'name: "old" → "new"\n', 1)
    assert "title" in done.err
    assert Path(path_of(run, "omp-1")).read_bytes()[256:] == before[256:]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_what_the_system_refuses_is_said_and_leaves_the_file_whole(run, home, store, monkeypatch, code):
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


def test_damaged_and_old_files(run, home, store):
    twice = write_session(
        store / "3.jsonl", *chain("q", "a", id="twice"), message("00000001", None, "user", "r")
    )
    before = twice.read_bytes()
    assert run("label", "twice", "00000001", "x").code == 2
    assert twice.read_bytes() == before
    torn = write_session(store / "4.jsonl", *chain("q", "a", id="torn"), "{broken")
    torn.write_bytes(torn.read_bytes() + b'{"type":"mess')
    os.utime(torn, (1, 1))
    before = torn.read_bytes()
    assert run("label", "torn", "00000001", "x").code == 0
    assert torn.read_bytes().startswith(before + b"\n{")
    assert run("labels", "torn").code == 0
    old = [{"type": "session", "id": "v1", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/work/app"}]
    old += [{"type": "message", "message": {"role": role, "content": "x"}} for role in ("user", "assistant")]
    write_session(store / "5.jsonl", *old)
    first = json.loads(run("tree", "v1", "--json").out)["entries"][0]["id"]
    assert run("label", "v1", first, "x").code == 0
    assert opened(store / "5.jsonl", home).get_label(first) == "x"


# surroundings


def test_a_session_of_a_store_that_was_named_is_that_agents(run, home, tmp_path):
    write_session(tmp_path / "flat/1.jsonl", *chain("q", "a", id="flat"))
    option = ("--store", "omp=flat")
    assert (
        json.loads(run("label", "flat", "00000001", "x", "--json", *option).out)["session"]["agent"] == "omp"
    )
    assert run("rename", "flat", "N", *option).code == 0
    title = json.loads((tmp_path / "flat/1.jsonl").read_bytes().splitlines()[0])
    assert (title["type"], title["title"]) == ("title", "N")
    made = json.loads(run("fork", "flat", "--to", "home", "--json", *option).out)
    assert os.path.dirname(made["change"]["after"]) == str(tmp_path / "flat")
    assert json.loads(run("list", "--json", *option).out)["total"] == 2
    by_path = json.loads(run("rename", "flat/1.jsonl", "M", "--json", *option).out)
    assert by_path["session"] == {"agent": "omp", "id": "flat", "path": str(tmp_path / "flat/1.jsonl")}
    assert {path.name for path in home.iterdir()} <= {".cache", ".local"}


def test_a_session_outside_of_every_store_is_changed_by_its_path(run, home, store, tmp_path):
    path = write_session(tmp_path / "loose.jsonl", *chain("q", "a", id="loose"))
    for named in (path, "loose.jsonl", "./loose.jsonl"):
        assert run("label", named, "00000001", f"of {named}").code == 0
    assert run("label", "loose", "00000001", "x").code == 1
    assert run("labels", "loose.jsonl").code == 0


def test_in_the_example_sessions_nothing_of_the_users_is_touched(home, store, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("app.sessions.manager.live_guard.verdict", lambda *_: Verdict(IDLE, ""))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(home / ".pi/agent"))
    before = files(home)
    setup = setup_from_demo(str(tmp_path / "demo"))
    for agent in ("pi", "omp", "indusagi"):
        made = SessionManager.create(str(tmp_path), agent=agent, env=setup.agent_env)
        assert made.session_dir.startswith(str(tmp_path / "demo"))

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
            code, said = demo(*words)
            assert code in (0, 3), said.err
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
    found = opened(path, tmp_path / "home")
    assert not re.search("[\x00-\x1f\x7f-\x9f]", found.get_label("00000001") + found.session_name)
    assert leafmark("labels", "--json").stdout.isascii()


def test_two_at_once_lose_nothing(process, home, store):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda at: process("label", store / "1_pi-aaaa.jsonl", "e", f"l{at}"), range(8)))
    assert [each.returncode for each in done] == [0] * 8, done
    entries = opened(store / "1_pi-aaaa.jsonl", home).get_entries()
    assert {found.label for found in entries if found.type == "label"} == {f"l{at}" for at in range(8)}
    assert len({found.id for found in entries}) == len(entries) == 11
