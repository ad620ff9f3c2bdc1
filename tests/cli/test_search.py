"""``leafmark search``, from files to output."""

from __future__ import annotations

import json
import os
import re

import pytest
from leafmark import Store

from app.reports.listing import complain_of_skipped
from app.stores import agent_named
from tests.cases import cases
from tests.factory import chain, entry, header, message, stamp, write_history, write_session

CALL = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "/etc/zanzibar"}}
NOTHING = "leafmark: no session matches\n"


@pytest.fixture
def folder(home):
    """Four sessions: one with every kind of entry, one without ids, a hostile one, and one of oh-my-pi."""
    folder = home / ".pi/agent/sessions/--work--"
    answer = [
        {"type": "thinking", "thinking": "ponder quizzically"},
        {"type": "text", "text": "In a shed"},
        CALL,
    ]
    write_session(
        folder / "a.jsonl",
        header("aaaa"),
        message("u1", None, "user", "find the frobnicator, find it", 1),
        message("x1", "u1", "assistant", "an abandoned walrus", 2),
        message("x2", "x1", "user", "a walrus again", 3),
        {**message("a1", "u1", "assistant", "", 4), "message": {"role": "assistant", "content": answer}},
        message("r1", "a1", "toolResult", "out of xylophones", 5, toolCallId="c1", toolName="read"),
        entry("label", "l1", "r1", 6, targetId="u1", label="todo marzipan"),
        entry("session_info", "n1", "l1", 7, name="Auth pelican"),
    )
    old = {**header("vvvv"), "version": None}
    del old["version"]
    message_entry = {
        "type": "message",
        "timestamp": stamp(2),
        "message": {"role": "user", "content": "gramophone"},
    }
    write_session(folder / "v.jsonl", old, message_entry)
    hostile = "\x1b[31m\u202eevil needle \x9b2J\n日本 needle"
    write_session(folder / "h.jsonl", *chain(hostile, id="\x1b[2Jhh", cwd="/work/\x1b]0;T\x07"))
    write_session(
        home / ".omp/agent/sessions/-work/o.jsonl",
        *chain("frobnicator of omp", "std::walrus_eater", id="oooo"),
    )
    return folder


def hits(run, *words, code=0, err=""):
    done = run("search", "--json", *words)
    assert (done.code, done.err) == (code, err)
    document = json.loads(done.out)
    assert document["schema"] == 3
    assert document["total"] == len({hit["path"] for hit in document["hits"]})
    return document["hits"]


def test_without_any_session_the_message_says_where_to_look(run):
    assert (
        hits(
            run,
            "abandoned",
            code=1,
            err="leafmark: no sessions found; `leafmark doctor` says where it looked\n",
        )
        == []
    )


def test_a_hit_names_session_entry_role_and_branch(run, folder):
    (hit,) = hits(run, "abandoned")
    assert hit == {
        "agent": "pi",
        "session_id": "aaaa",
        "path": str(folder / "a.jsonl"),
        "title": "Auth pelican",
        "deleted": False,
        "entry_id": "x1",
        "role": "assistant",
        "snippet": "an abandoned walrus",
        "tier": "conversation",
        "missing": [],
        "on_active_path": False,
        "timestamp": stamp(2),
    }
    (hit,) = hits(run, "shed")
    assert (hit["entry_id"], hit["role"], hit["on_active_path"]) == ("a1", "assistant", True)


def test_old_options_say_that_they_are_not_needed(run, folder):
    plain = run("search", "abandoned")
    for words, note in (
        (["--all-text"], "--all-text is not needed: every search covers tool calls and their output"),
        (["--order", "relevance"], "--sort relevance is not needed: the best match comes first"),
    ):
        done = run("search", *words, "abandoned")
        assert (done.code, done.out, done.err) == (0, plain.out, f"leafmark: {note}\n")


def test_sessions_with_some_of_the_words_are_marked(run, folder):
    line = "leafmark: No session has all words; these have the most or rarest of them\n"
    done = run("search", "--json", "abandoned", "xylophnez")
    document = json.loads(done.out)
    assert (done.code, done.err, document["loosened"]) == (0, line, True)
    (hit,) = document["hits"]
    assert (hit["session_id"], hit["missing"], hit["tier"]) == ("aaaa", ["xylophnez"], "conversation")
    assert "without xylophnez" in run("search", "abandoned", "xylophnez").out
    assert not json.loads(run("search", "--json", "abandoned").out)["loosened"]


def test_names_labels_folders_and_ids_are_found(run, folder):
    (name,) = hits(run, "pelican")
    assert (name["role"], name["entry_id"], name["on_active_path"]) == ("name", None, None)
    (label,) = hits(run, "marzipan")
    assert (label["role"], label["snippet"]) == ("label", "todo marzipan")
    assert {hit["role"] for hit in hits(run, "/work/app")} == {"folder"}
    assert [hit["session_id"] for hit in hits(run, "vvvv")] == ["vvvv"]


def test_unknown_ids(run, folder):
    assert hits(run, "id:zzzz", code=1, err="leafmark: no session matches\n") == []
    lost = entry("label", "l", "o", 3, targetId="gone", label="a lost marble")
    orphan = message("o", "nobody", "user", "an orphaned marble", 2)
    write_session(folder / "lost.jsonl", *chain("x", id="lost"), orphan, lost)
    (label,) = hits(run, "lost")
    assert (label["role"], label["entry_id"], label["timestamp"]) == ("label", "gone", None)
    (hit_,) = hits(run, "orphaned")
    assert (hit_["entry_id"], hit_["on_active_path"]) == ("o", True)


def test_filters_alone_find_whole_sessions(run, folder, home):
    (hit,) = hits(run, "agent:omp")
    assert (hit["session_id"], hit["entry_id"], hit["role"], hit["snippet"]) == ("oooo", None, None, "")
    assert len(hits(run, "")) == 4
    write_session(folder / "pin.jsonl", *chain("x", id="here", cwd=f"{folder}/here"))
    assert [hit["session_id"] for hit in hits(run, "dir:~/.pi/agent")] == ["here"]
    (hit,) = hits(run, "agent:pi", "~/.pi/agent")
    assert (hit["session_id"], hit["role"]) == ("here", "folder")
    (home / ".omp/agent/session-pins.json").write_text('["oooo"]')
    assert [hit["session_id"] for hit in hits(run, "is:pinned")] == ["oooo"]


def test_a_query_that_begins_with_a_dash(run, folder):
    def ids(*words):
        done = run("search", "--json", *words)
        return sorted(hit["session_id"] for hit in json.loads(done.out)["hits"])

    assert ids("frobnicator", "--", "-walrus_eater") == ["aaaa"]
    assert ids("--", "-frobnicator", "-needle") == ["vvvv"]
    assert ids("--", "-agent:pi") == ["oooo"]
    assert ids("-agent:pi frobnicator") == ["oooo"]
    done = run("search", "frobnicator", "-walrus")
    assert done.code == 2
    assert "behind --" in done.err


def test_json_has_the_other_spellings(run, folder):
    document = json.loads(run("search", "--json", "xylophnoe gramofone").out)
    assert (document["total"], document["corrections"]) == (0, {"xylophnoe": [], "gramofone": ["gramophone"]})
    document = json.loads(run("search", "--json", "nowhere").out)
    assert (document["total"], document["corrections"]) == (0, {"nowhere": []})
    document = json.loads(run("search", "--json", "gramofone").out)
    assert (document["total"], document["corrections"]) == (1, {"gramofone": ["gramophone"]})
    assert [hit["session_id"] for hit in document["hits"]] == ["vvvv"]


@cases(
    ("query", "notes"),
    [
        (
            "gramofone nowherexx",
            ['No "gramofone"; searched for gramophone', 'No "nowherexx"'],
        ),
        ("nowherexx agent:pi", ['No "nowherexx"']),
        ("nowherexx", []),
    ],
)
def test_each_word_without_a_match_is_reported(run, folder, query, notes):
    done = run("search", "--", *query.split())
    assert (done.code, done.out) == (1, "")
    assert done.err.splitlines() == [*(f"leafmark: {note}" for note in notes), NOTHING.strip()]


@pytest.mark.parametrize(
    ("query", "name", "instead"),
    [
        ('"Off BY"', "Off BY", "off by"),
        ("re:OFF.by", "re:OFF.by", "re:(?i)OFF.by"),
    ],
)
def test_a_term_with_capitals_is_searched_in_any_case_if_nothing_matches(run, folder, query, name, instead):
    write_session(folder / "off.jsonl", *chain("it is off by one", id="off"))
    note = f'leafmark: No "{name}"; searched for {instead}\n'
    done = run("search", query)
    assert (done.code, len(done.out.splitlines()), done.err) == (0, 1, note)
    assert "other spelling" in done.out
    done = run("search", "--json", query)
    document = json.loads(done.out)
    assert (done.err, document["total"], document["corrections"]) == (note, 1, {name: [instead]})
    assert [hit["session_id"] for hit in document["hits"]] == ["off"]


def test_there_are_no_suggestions_for_tool_output(run, folder):
    assert len(hits(run, "xylophones")) == len(hits(run, "xylophones", "in:tools")) == 1
    done = run("search", "xylophnes", "in:tools")
    assert done.code == 1
    assert done.err == (
        'leafmark: No "xylophnes"; other spellings are known only of the conversation\n'
        "leafmark: no session matches\n"
    )


@pytest.mark.parametrize(
    ("query", "as_kept", "unread"),
    [
        ("frobnicator", ["a.jsonl"], []),
        ("frobnicator in:all", ["a.jsonl"], []),
        ("frobnicator in:tools", [], ["a.jsonl"]),
    ],
)
def test_json_lists_unreadable_files(run, folder, monkeypatch, query, as_kept, unread):
    run("search", "frobnicator")
    real_open = os.open

    def refuse(path, flags, *arguments, **options):
        if str(path) == str(folder / "a.jsonl"):
            raise PermissionError(13, "Permission denied", path)
        return real_open(path, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    os.utime(folder / "a.jsonl")
    document = json.loads(run("search", "--json", *query.split()).out)
    assert document["searched_in_index"] == [str(folder / name) for name in as_kept]
    assert document["unread"] == [str(folder / name) for name in unread]
    assert sorted(hit["session_id"] for hit in document["hits"]) == (["aaaa", "oooo"] if as_kept else [])


@cases(
    ("query", "caret"),
    [
        ("a is:blue", "       ^^^^"),
        ("re:(", "     ^"),
        ("re:x*", "     ^^"),
        ("a\x1bb", "   ^"),
        ("cost:dear b", "       ^^^^"),
    ],
)
def test_the_faulty_part_of_a_query_is_pointed_at(run, folder, query, caret):
    done = run("search", query)
    assert (done.code, done.out) == (2, "")
    why, shown, carets = done.err.splitlines()
    assert why.startswith("leafmark: ")
    assert shown.isprintable()
    assert carets.strip(" ^") == ""
    assert carets.index("^") == caret.index("^")
    assert not list((folder / "../../../..").glob(".cache")), "it is told of before anything is read"


def test_a_query_of_ten_thousand_characters_gives_three_short_lines(run, folder):
    done = run("search", "x" * 10_000)
    assert done.code == 2
    assert "4,096" in done.err
    assert max(map(len, done.err.splitlines())) < 200


def test_a_lone_quote_is_ignored(run, folder):
    done = run("search", '"abandoned walrus')
    assert done.code == 0
    assert "quote" in done.err
    assert "x1" in done.out


def test_output_is_inert_and_fits_any_encoding(leafmark, process, run, folder):
    for encoding in ("utf-8", "ascii"):
        for words in (("needle",), ("--every", "needle"), ("evil needle",)):
            done = (
                process("search", *words, encoding=encoding)
                if encoding == "ascii"
                else leafmark("search", *words)
            )
            assert done.returncode == 0
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", done.stdout)
    assert leafmark("search", "--json", "needle").stdout.isascii()


def test_stores_can_be_added_and_the_examples_searched(run, folder, home, tmp_path):
    write_session(tmp_path / "flat/x.jsonl", *chain("frobnicator elsewhere", id="xxxx"))
    all_hits = hits(run, "--store", f"pi={tmp_path / 'flat'}", "frobnicator")
    assert {hit["session_id"] for hit in all_hits} == {"aaaa", "oooo", "xxxx"}
    demo = run("search", "--demo", "--json", "the")
    assert demo.code == 0
    assert not any(hit["path"].startswith(str(home)) for hit in json.loads(demo.out)["hits"])


def test_an_unwritable_cache_is_tolerated(run, folder, home):
    (home / ".cache").write_text("in the way")
    done = run("search", "abandoned")
    assert done.code == 0
    assert "x1" in done.out
    assert len(done.err.splitlines()) == 1


@pytest.fixture
def denied(monkeypatch):
    """Paths that cannot be opened."""
    paths = []
    real_open = os.open

    def refuse(path, flags, *arguments, **options):
        if str(path) in paths:
            raise PermissionError(13, "Permission denied", path)
        return real_open(path, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    return paths


def test_a_file_that_was_never_readable_is_reported_once(run, folder, denied):
    denied.append(str(folder / "a.jsonl"))
    note = f"leafmark: cannot be read: {folder / 'a.jsonl'}: Permission denied\n"
    for words in (["pelican"], ["frobnicator"], ["frobnicator", "in:all"]):
        for _ in range(2):
            done = run("search", *words)
            assert done.err.count("cannot be read") == 1
            assert note in done.err
            assert "doctor" not in done.err
        document = json.loads(run("search", "--json", *words).out)
        assert document["unread"] == [str(folder / "a.jsonl")]


def test_list_counts_unread_files(run, folder, denied):
    assert run("list").err == ""
    write_session(folder / "new.jsonl", *chain("new", id="new"))
    write_session(folder / "second.jsonl", *chain("second", id="second"))
    (folder / "notes.jsonl").write_text("no session\n")
    denied.append(str(folder / "new.jsonl"))
    for words in (["list"], ["list"], ["list", "--limit", "1"], ["list", "--json"], ["list", "second"]):
        assert run(*words).err.startswith("leafmark: 2 files were not read; `leafmark doctor` says why\n"), (
            words
        )
    denied.append(str(folder / "second.jsonl"))
    os.utime(folder / "second.jsonl")
    assert run("list").err == "leafmark: 2 files were not read; `leafmark doctor` says why\n", "it is listed"
    denied.clear()
    assert run("list").err == "leafmark: 1 file was not read; `leafmark doctor` says why\n"


def test_a_limit_of_0_says_how_many_sessions_there_are(run, folder):
    for id in ("new", "second"):
        write_session(folder / f"{id}.jsonl", *chain(id, id=id))
    for query in ("", "agent:pi"):
        count = json.loads(run("list", "--json", query).out)["total"]
        done = run("list", "--limit", "0", query)
        assert (done.out, done.err) == ("", f"leafmark: 0 of {count} sessions; --limit {count} shows all\n")
    assert run("list", "--limit", "0", "--json").err == ""
    assert run("list", "--limit", "0", "nowhere").err == "leafmark: no session matches\n"


def test_unread_files_and_folders_are_counted_separately(capsys):
    complaints = [("/a.jsonl", "not readable"), ("/b.jsonl", "Input/output error"), ("/c", "not readable")]
    complain_of_skipped(
        [*complaints, ("/d", "a link that leads nowhere")], (), [Store(agent_named("pi"), "/")]
    )
    assert capsys.readouterr().err == (
        "leafmark: 2 files and 1 folder were not read; `leafmark doctor` says why\n"
    )


def test_a_fork_of_nickcecere_agent_has_one_branch(run, home):
    folder = home / ".config/agent/sessions"
    opening = {"type": "session", "id": "forkfork", "version": 1, "timestamp": stamp(1), "cwd": "/work"}
    origin = {
        "type": "branch",
        "id": "b0",
        "timestamp": stamp(1),
        "parent_session_path": str(folder / "old.jsonl"),
        "fork_entry_id": "zz",
        "branch_summary": "an okapi was looked for",
    }
    messages = [
        {
            "type": "message",
            "id": f"m{number}",
            **({"parent_id": f"m{number - 1}"} if number else {}),
            "timestamp": stamp(2 + number),
            "role": "user",
            "message": {"role": "user", "content": [{"type": "text", "text": f"a tapir, number {number}"}]},
        }
        for number in range(3)
    ]
    write_session(folder / "20260528-202640-forkfork.jsonl", opening, origin, *messages)
    (hit,) = hits(run, "okapi")
    assert (hit["entry_id"], hit["on_active_path"]) == ("b0", True)
    assert [(hit["entry_id"], hit["on_active_path"]) for hit in hits(run, "--every", "tapir")] == [
        ("m2", True), ("m1", True), ("m0", True),
    ]  # fmt: skip
    assert "active path" not in run("search", "okapi").out
    assert hits(run, "has:branch", code=1, err="leafmark: no session matches\n") == []
    listed = run("list", "--json").out
    assert json.loads(listed)["sessions"][0]["parent_session"]
    assert "Ψ" not in listed
    # leaf_count counts entries without children, and the origin entry is one.
    assert json.loads(run("list", "--json").out)["sessions"][0]["leaf_count"] == 2
    # The format has no branches: neither a parent_id nor an origin entry at the end makes one.
    messages[2]["parent_id"] = "m0"
    write_session(folder / "20260528-202640-forkfork.jsonl", opening, *messages, origin)
    assert "Ψ" not in run("list").out
    assert hits(run, "has:branch", code=1, err="leafmark: no session matches\n") == []
    assert [hit["on_active_path"] for hit in hits(run, "--every", "tapir")] == [True] * 3
    assert "another root" not in run("tree", "forkfork").out
    # a fork without messages
    write_session(folder / "20260528-202640-forkfork.jsonl", opening, origin)
    assert [hit["on_active_path"] for hit in hits(run, "okapi")] == [True]


def test_a_hit_in_the_header_has_no_entry(run, home):
    folder = home / ".pi/agent/sessions/--work--"
    write_session(
        folder / "p.jsonl",
        {**header("pppp"), "parentSession": "/old/zeppelin.jsonl"},
        message("u1", None, "user", "go on", 1),
    )
    (hit,) = hits(run, "zeppelin in:all")
    assert hit["tier"] == "tools"
    assert (hit["session_id"], hit["entry_id"], hit["role"]) == ("pppp", None, "header")
    assert (hit["snippet"], hit["on_active_path"], hit["timestamp"]) == ("/old/zeppelin.jsonl", None, None)
    assert "/old/zeppelin.jsonl" in run("search", "zeppelin", "in:all").out
    assert run("search", "zeppelin", "in:text").code == 1


def test_a_prompt_of_the_history_finds_its_session(run, home, folder):
    path = home / ".omp/agent/sessions/-work/o.jsonl"
    write_history(home / ".omp/agent/history.db", ("Polish the Gargoyle\x1b[2J\nplease", "oooo"))
    for words in (["gargoyle"], ["Gargoyle"], ["gargoyle", "--every"]):
        assert hits(run, *words) == [
            {
                "agent": "omp",
                "session_id": "oooo",
                "path": str(path),
                "title": "frobnicator of omp",
                "deleted": False,
                "entry_id": None,
                "role": "history",
                "snippet": "Polish the Gargoyle␛[2J please",
                "tier": "conversation",
                "missing": [],
                "on_active_path": None,
                "timestamp": None,
            }
        ]
    assert "\thistory\t\tPolish the Gargoyle" in run("search", "gargoyle").out
    assert str(path) in run("resume", "gargoyle", "--print").out


def test_a_damaged_history_is_silent(run, home, folder):
    history = home / ".omp/agent/history.db"
    history.write_bytes(b"no database " * 500)
    assert [hit["session_id"] for hit in hits(run, "walrus_eater")] == ["oooo"]
    assert hits(run, "gargoyle", code=1, err=NOTHING) == []
    reason = "a search does not find its prompts: file is not a database"
    assert f"\n  ~/.omp/agent/history.db: {reason}\n" in run("doctor").out
    history.unlink()
    assert "history.db" not in run("doctor").out
