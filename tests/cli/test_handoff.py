"""``leafmark handoff``, as a user runs it."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from app.actions.compare import compare
from app.sessions import open_tree
from tests.actions.handing import handed, lines, opened, without_marker
from tests.claude_lines import boundary, line, picture, summary
from tests.claude_lines import write as write_claude
from tests.cli.test_codex_context import FORK, REWIND, REWIND_NAME, base_and_fork, numbered
from tests.export.hostile import KEY
from tests.factory import agents_session, append, chain, entry, header, message, write_session
from tests.rollouts import ID, meta, said, write_rollout

TARGETS = pytest.mark.parametrize("target", ["pi", "omp"])


def pis(home: Path, *lines: Any, name: str = "1_mine.jsonl") -> Path:
    return write_session(home / ".pi/agent/sessions/--w--" / name, *lines)


def of_pi(home: Path) -> Path:
    other = message("00000003", "00000001", "assistant", "another answer", 9)
    label = entry("label", "00000004", "00000003", 10, targetId="00000001", label="start")
    return pis(home, *chain("a prompt", "an answer", id="mine", cwd="/w"), other, label)


def of_omp(home: Path) -> Path:
    folder = home / ".omp/agent/sessions/-w"
    return write_session(folder / "1_mine.jsonl", *chain("a prompt", "an answer", id="mine", cwd="/w"))


def of_indusagi(home: Path) -> Path:
    folder = home / ".indusagi/agent/sessions/--w--"
    return write_session(folder / "1_mine.jsonl", *chain("a prompt", "an answer", id="mine", cwd="/w"))


def of_agent(home: Path) -> Path:
    folder = home / ".config/agent/sessions"
    return write_session(folder / "20260226-143012-a3f7c901.jsonl", *agents_session("a3f7c901"))


def of_claude(home: Path) -> Path:
    lines = [line("user", "u1", None, "a prompt"), line("assistant", "a1", "u1", "an answer")]
    return write_claude(home, *lines, name="mine")


def of_codex(home: Path) -> Path:
    return write_rollout(home, meta(cwd="/w"), said("user", "a prompt"), said("assistant", "an answer"))


def of_transcript(home: Path) -> Path:
    head = {"schema": "indus/transcript@1", "kind": "head", "sessionId": "mine", "leaf": "2"}
    said = [("1", None, "user", "a prompt"), ("2", "1", "assistant", "an answer")]
    nodes = [
        {
            "schema": "indus/transcript@1",
            "kind": "entry",
            "id": own,
            "prev": prev,
            "role": role,
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
            "at": 1_780_000_000_000,
        }
        for own, prev, role, text in said
    ]
    return write_session(home / ".pindusagi/sessions/--w--/mine.ndjson", head, *nodes)


SOURCES = [of_pi, of_omp, of_indusagi, of_agent, of_claude, of_codex, of_transcript]


def texts(path: str | Path) -> list[str]:
    """The texts of the messages in a file."""
    found = []
    for each in lines(path):
        content = (each.get("message") or {}).get("content") or []
        found += [content] if isinstance(content, str) else [block.get("text", "") for block in content]
    return found


@TARGETS
@pytest.mark.parametrize("write", SOURCES)
def test_a_session_of_every_agent_is_handed_over(
    write: Callable[[Path], Path], target: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    path = write(home)
    before = path.read_bytes(), path.stat().st_mtime_ns
    done = leafmark("handoff", path, "--to", target, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    made = Path(told["change"]["after"])
    assert told["session"]["path"] == str(path)
    assert (told["to"], told["existing"], told["dry_run"]) == (target, False, False)
    assert made.is_relative_to(home / f".{target}/agent/sessions")
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    wanted = texts(path) if write not in (of_claude, of_codex, of_transcript) else ["a prompt", "an answer"]
    assert texts(made) == wanted
    manager = opened(made, target, home)
    assert manager.header["parentSession"] == str(path)
    assert manager.problems == []
    [marker, *_] = lines(made)
    source = marker["data"]["from"]
    assert (source["path"], source["agent"]) == (str(path), told["session"]["agent"])
    assert manager.leaf_id != marker["id"]
    # It is offered again.
    again = json.loads(leafmark("handoff", path, "--to", target, "--json").stdout)
    assert (again["existing"], again["change"]["after"]) == (True, str(made))
    # The undo puts it into the trash, and the next hand-over makes another one.
    assert leafmark("undo").returncode == 0
    assert not made.exists()
    third = json.loads(leafmark("handoff", path, "--to", target, "--json").stdout)
    assert third["existing"] is False


@TARGETS
def test_a_dry_run_counts_and_writes_nothing(
    target: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    document = {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": "x"},
    }
    path = write_claude(
        home,
        line("user", "u1", None, [{"type": "text", "text": "look"}, document, picture(2000)]),
        line("assistant", "a1", "u1", [thought, call]),
        line("assistant", "a2", "a1", "API Error", isApiErrorMessage=True),
        "no line",
    )
    before = sorted(home.rglob("*"))
    told = json.loads(leafmark("handoff", path, "--to", target, "--dry-run", "--json").stdout)
    assert sorted(home.rglob("*")) == before
    assert (told["dry_run"], told["change"]["after"]) == (True, None)
    losses = {loss["kind"]: loss["count"] for loss in told["losses"]}
    thoughts = "thoughts" if target == "pi" else "signatures of thoughts"
    assert losses == {
        "lines": 1,
        "documents": 1,
        thoughts: 1,
        "failed and aborted answers": 1,
        "tool calls": 1,
    }
    assert all(loss["reason"] for loss in told["losses"])
    text = leafmark("handoff", path, "--to", target, "--dry-run").stdout
    assert "Nothing is written" in text
    assert "Texts are not redacted" in text


@TARGETS
def test_a_session_that_went_on_is_handed_over_anew(
    target: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    path = of_pi(tmp_path / "home")
    first = json.loads(leafmark("handoff", path, "--to", target, "--json").stdout)["change"]["after"]
    append(path, message("00000009", "00000003", "user", "more", 20))
    second = json.loads(leafmark("handoff", path, "--to", target, "--json").stdout)
    assert second["existing"] is False
    assert texts(second["change"]["after"]) == [*texts(first), "more"]


def test_two_hand_overs_at_once_make_one_session(tmp_path: Path) -> None:
    home = tmp_path / "home"
    path = of_pi(home)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: handed(path, "omp", home), range(4)))
    assert len({each.change.after for each in found}) == 1
    assert sum(each.is_new for each in found) == 1
    assert len(list((home / ".omp/agent/sessions").glob("*/*.jsonl"))) == 1


@TARGETS
def test_it_goes_on_from_another_entry_and_with_its_path_alone(
    target: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    more = [message("00000005", "00000002", "user", "a later prompt", 20)]
    path = of_pi(home)
    append(path, *more)
    told = json.loads(
        leafmark("handoff", path, "--to", target, "--entry", "00000002", "--path-only", "--json").stdout
    )
    assert texts(told["change"]["after"]) == ["a prompt", "an answer"]
    manager = opened(told["change"]["after"], target, home)
    assert manager.get_label("00000001") == "start"
    # A prompt means the entry before it.
    whole = json.loads(leafmark("handoff", path, "--to", target, "--entry", "00000005", "--json").stdout)
    assert whole["prompt"] == "a later prompt"
    manager = opened(whole["change"]["after"], target, home)
    assert texts(whole["change"]["after"]) == texts(path)
    said = [each.id for each in manager.get_branch() if each.type == "message"]
    assert said == ["00000001", "00000002"]


def test_the_folder_can_be_another_one(leafmark: Callable[..., Any], tmp_path: Path) -> None:
    path = of_claude(tmp_path / "home")
    (tmp_path / "elsewhere").mkdir()
    told = json.loads(leafmark("handoff", path, "--to", "pi", "--dir", "elsewhere", "--json").stdout)
    assert opened(told["change"]["after"], "pi", tmp_path / "home").header_cwd == str(tmp_path / "elsewhere")
    done = leafmark("handoff", path, "--to", "pi", "--dir", "nowhere")
    assert (done.returncode, done.stderr) == (2, f"leafmark: {path}: there is no folder 'nowhere'\n")


@TARGETS
def test_a_broken_source_works_and_says_what_was_done(
    target: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    path = pis(
        tmp_path / "home",
        header("mine", "/w"),
        message("a", None, "user", "first root"),
        '{"type":"message","id":"torn',
        message("b", "gone", "assistant", "no parent"),
        message("c", "d", "user", "a loop"),
        message("d", "c", "assistant", "a loop"),
        message("e", None, "user", "second root"),
        message("a", "e", "assistant", "the same id"),
        {"type": "message", "id": "f", "parentId": "a", "timestamp": 5, "message": None},
        message("g", "f", "user", "the last one"),
        '{"type":"custom","id":"h","parentId":"g","timestamp":"2026-05-01T10:00:00.000Z","customType":"x","data":1e999}',
    )
    told = json.loads(leafmark("handoff", path, "--to", target, "--json").stdout)
    made = told["change"]["after"]
    reasons = " ".join(f"{loss['kind']}: {loss['reason']}" for loss in told["losses"])
    for words in (
        "cannot be read",
        "parent is missing",
        "form a loop",
        "ids are missing, or those of others",
    ):
        assert words in reasons, words
    manager = opened(made, target, tmp_path / "home")
    assert manager.problems == []
    ids = [each.id for each in manager.get_entries()]
    assert len(set(ids)) == len(ids)
    assert sorted(texts(made)) == sorted(texts_of_source(path))
    last = opened(path, "pi", tmp_path / "home").get_branch()
    assert [each.id for each in manager.get_branch()][1:] == [each.id for each in last]


def texts_of_source(path: Path) -> list[str]:
    return [
        "first root",
        "no parent",
        "a loop",
        "a loop",
        "second root",
        "the same id",
        "the last one",
    ]


@TARGETS
def test_a_compaction_keeps_what_it_kept(target: str, leafmark: Callable[..., Any], tmp_path: Path) -> None:
    """The messages stay in their places, and are not written twice."""
    home = tmp_path / "home"
    kept = {"preservedMessages": {"anchorUuid": "s1", "uuids": ["u2", "b2"]}}
    path = write_claude(
        home,
        line("user", "u1", None, "first"),
        line("assistant", "b1", "u1", "one"),
        line("user", "u2", "b1", "second"),
        line("assistant", "b2", "u2", "two"),
        boundary("c1", "b2", kept),
        summary("s1", "c1", "what was said"),
        line("user", "u3", "s1", "third"),
    )
    made = json.loads(leafmark("handoff", path, "--to", target, "--json").stdout)["change"]["after"]
    assert sent(opened(made, target, home)) == ["what was said", "second", "two", "third"]
    assert texts(made) == ["first", "one", "second", "two", "third"]


@pytest.mark.parametrize("source", ["pi", "omp"])
@TARGETS
def test_a_path_whose_compaction_names_a_label_keeps_the_same(
    source: str, target: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    """The labels of a path go behind it, so that the compaction has to name the next entry."""
    home = tmp_path / "home"
    folder = {"pi": ".pi/agent/sessions/--w--", "omp": ".omp/agent/sessions/-w"}[source]
    path = write_session(
        home / folder / "1_mine.jsonl",
        *chain("a prompt", "an answer", id="mine", cwd="/w"),
        entry("label", "l", "00000002", 3, targetId="00000001", label="start"),
        message("00000003", "l", "user", "kept", 4),
        entry(
            "compaction", "c", "00000003", 5, summary="what was said", firstKeptEntryId="l", tokensBefore=5
        ),
        message("00000004", "c", "assistant", "after", 6),
    )
    told = leafmark("handoff", path, "--to", target, "--path-only", "--json")
    made = opened(json.loads(told.stdout)["change"]["after"], target, home)
    assert sent(made) == ["what was said", "kept", "after"]
    assert made.get_label("00000001") == "start"
    out = tmp_path / "exported.jsonl"
    leafmark("export", path, "--to", "jsonl", "--agent", target, "-o", out)
    assert sent(opened(out, target, home)) == ["what was said", "kept", "after"]


def sent(manager: Any) -> list[str]:
    return [each.get("summary") or said_in(each) for each in manager.build_session_context().messages]


def said_in(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else content[0]["text"]


@pytest.mark.parametrize("write", [of_pi, of_claude, of_codex])
@pytest.mark.parametrize("removed", ["source", "copy"])
def test_statistics_count_each_entry_once(
    write: Callable[[Path], Path], removed: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    path = write(tmp_path / "home")

    def totals() -> dict[str, Any]:
        total: dict[str, Any] = json.loads(leafmark("stats", "--json").stdout)["total"]
        return {key: value for key, value in total.items() if key != "sessions"}

    before = totals()
    made = json.loads(leafmark("handoff", path, "--to", "omp", "--json").stdout)["change"]["after"]
    back = json.loads(leafmark("handoff", made, "--to", "pi", "--json").stdout)["change"]["after"]
    assert totals() == before
    if removed == "source":
        path.unlink()
        Path(made).unlink()
    else:
        Path(back).unlink()
    assert totals() == before


@pytest.mark.parametrize("again", [False, True])
def test_statistics_count_the_rollouts_that_a_session_goes_on_from_once(
    again: bool, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    _, path = base_and_fork(home)
    if again:
        base = {"thread_id": FORK, "end_ordinal_exclusive": 2}
        own = (meta(REWIND, history_base=base), said("user", "third"), said("assistant", "three"))
        path = write_rollout(home, *numbered(*own), name=REWIND_NAME)
    before = json.loads(leafmark("stats", "--json").stdout)["total"]
    made = json.loads(leafmark("handoff", path, "--to", "omp", "--json").stdout)["change"]["after"]
    assert len(texts(made)) == (5 if again else 4)
    after = json.loads(leafmark("stats", "--json").stdout)["total"]
    assert {**after, "sessions": 0} == {**before, "sessions": 0}


def test_estimated_costs_stay_when_the_source_is_gone(leafmark: Callable[..., Any], tmp_path: Path) -> None:
    message = {
        "role": "assistant",
        "id": "m",
        "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "an answer"}],
        "usage": {"input_tokens": 10_000, "output_tokens": 5_000},
    }
    path = write_claude(
        tmp_path / "home",
        line("user", "u1", None, "a prompt"),
        line("assistant", "a1", "u1", message=message),
    )
    before = json.loads(leafmark("stats", "--json").stdout)["total"]
    assert before["cost"] > 0
    assert leafmark("handoff", path, "--to", "pi").returncode == 0
    path.unlink()
    assert json.loads(leafmark("stats", "--json").stdout)["total"] == before


@TARGETS
def test_the_parts_of_an_answer_are_one_and_its_results_come_next(
    target: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    """pi makes up a result for each call that has none before the next message."""
    calls = [
        {"type": "tool_use", "id": "toolu_0", "name": "Read", "input": {"file_path": "a.py", "offset": 3}},
        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls", "timeout": 5000}},
        {"type": "tool_use", "id": "toolu_2", "name": "WebFetch", "input": {"url": "x"}},
    ]
    results = [{"type": "tool_result", "tool_use_id": f"toolu_{n}", "content": f"r{n}"} for n in range(3)]
    path = write_claude(
        tmp_path / "home",
        line("user", "u1", None, "look"),
        *[
            line(
                "assistant",
                f"a{n}",
                f"a{n - 1}" if n else "u1",
                message={"role": "assistant", "id": "m", "content": [call]},
            )
            for n, call in enumerate(calls)
        ],
        line("user", "r0", "a0", [results[0]]),
        line("user", "n0", "r0", "a note", isMeta=True),
        line("user", "r1", "a1", [results[1]]),
        line("user", "r2", "a2", [results[2]]),
        line("assistant", "b", "r2", "done"),
    )
    made = json.loads(leafmark("handoff", path, "--to", target, "--json").stdout)["change"]["after"]
    found = opened(made, target, tmp_path / "home").get_branch()
    kinds = [each.raw.get("message", {}).get("role", each.type) for each in found]
    assert kinds == [
        *("custom", "user", "assistant", "toolResult", "toolResult", "toolResult", "custom_message"),
        "assistant",
    ]
    content = found[2].raw["message"]["content"]
    read = {"path": "a.py:3-"} if target == "omp" else {"path": "a.py", "offset": 3}
    assert [(call["name"], call["arguments"]) for call in content] == [
        ("read", read),
        ("bash", {"command": "ls", "timeout": 5}),
        ("WebFetch", {"url": "x"}),
    ]
    assert [each.raw["message"]["toolName"] for each in found[3:6]] == ["read", "bash", "WebFetch"]


@TARGETS
def test_a_session_that_ends_with_a_result_keeps_the_note_before_it(
    target: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    call = {"type": "tool_use", "id": "toolu_0", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_0", "content": "done"}
    path = write_claude(
        home,
        line("user", "u1", None, "look"),
        line("assistant", "a1", "u1", [{"type": "text", "text": "I look."}, call]),
        line("user", "n1", "a1", "a note of a hook", isMeta=True),
        line("user", "r1", "n1", [result]),
        line("assistant", "b1", "u1", "another way"),
    )
    made = handed(path, target, home, entry="r1").change.after
    assert sent(opened(made, target, home)) == ["look", "I look.", "done", "a note of a hook"]


def test_branches_from_several_roots_are_compared_without_leafmarks_entry(tmp_path: Path) -> None:
    roots = [
        message("00000009", None, "user", "another root", 20),
        message("0000000a", "00000009", "assistant", "x", 21),
    ]
    path = pis(tmp_path / "home", *chain("a prompt", "an answer", id="mine", cwd="/w"), *roots)
    tree = open_tree(handed(path, "omp", tmp_path / "home").change.after or "", ("omp",))
    one, other = (tree.find(each, -1) for each in ("00000002", "0000000a"))
    assert one is not None
    assert other is not None
    found = compare(tree, one, other)
    assert found.common is None
    assert (found.one.entries, found.other.entries) == (2, 2)


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        ("handoff mine", 2, "--to names the agent, or markdown"),
        ("handoff mine --to pi --entry ", 2, "--entry needs the id of an entry"),
        ("handoff mine --to pi --entry zz", 1, "there is no entry 'zz'"),
        ("handoff mine --to pi --limit 2000", 2, "--limit has a place only beside --to markdown"),
        (
            "handoff mine --to markdown --json",
            2,
            "--json has no place beside --to markdown, which prints a text",
        ),
        ("handoff mine --to omp --entry root --path-only", 1, "nothing to hand over before the first entry"),
        ("handoff empty --to omp", 1, "there is nothing to hand over: nothing was said"),
        ("handoff none --to omp", 1, "none"),
    ],
)
def test_wrong_words_get_one_line(
    words: str, code: int, reason: str, leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    of_pi(home)
    pis(
        home,
        header("empty", "/w"),
        entry("model_change", "a", None, provider="p", modelId="m"),
        name="2_empty.jsonl",
    )
    done = leafmark(*words.split(" "))
    assert done.returncode == code
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (home / ".omp").exists()


def test_a_folder_that_cannot_be_written_makes_no_session(
    leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    path = of_pi(tmp_path / "home")
    (tmp_path / "home/.omp").write_text("a file in the way")
    done = leafmark("handoff", path, "--to", "omp")
    assert done.returncode == 3
    assert "cannot be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "nothing to undo" in leafmark("undo").stderr


def test_a_full_disk_leaves_nothing_half(
    leafmark: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = of_pi(tmp_path / "home")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("app.sessions.storage.file_storage.os.write", full)
        done = leafmark("handoff", path, "--to", "omp")
    assert done.returncode == 3
    assert "No space left on device" in done.stderr
    assert list((tmp_path / "home/.omp").rglob("*.jsonl")) == []
    assert [each.name for each in (tmp_path / "home/.omp").rglob("*") if each.is_file()] == []


def test_a_name_that_does_not_fit_is_cut_and_said(leafmark: Callable[..., Any], tmp_path: Path) -> None:
    home = tmp_path / "home"
    name = "a long name " * 40
    path = pis(
        home, *chain("a prompt", "an answer", id="mine"), entry("session_info", "n", "00000002", name=name)
    )
    told = json.loads(leafmark("handoff", path, "--to", "omp", "--json").stdout)
    assert [loss["kind"] for loss in told["losses"]] == ["name"]
    back = json.loads(leafmark("handoff", told["change"]["after"], "--to", "pi", "--json").stdout)
    assert opened(back["change"]["after"], "pi", home).session_name == name.strip()
    assert without_marker(lines(back["change"]["after"])) == lines(path)


def test_long_texts_are_cut_as_oh_my_pi_cuts_them_and_said(
    leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    answer = message(
        "00000003", "00000002", "assistant", "x" * 600_000, usage={"input": 5, "cost": {"total": 1}}
    )
    path = pis(home, *chain("a prompt", "an answer", id="mine"), answer)
    told = json.loads(leafmark("handoff", path, "--to", "omp", "--json").stdout)
    assert [loss["kind"] for loss in told["losses"]] == ["texts"]
    made = opened(told["change"]["after"], "omp", home).get_entries()[-1].raw["message"]
    assert len(made["content"][0]["text"]) == 500_000
    assert (made["usage"]["totalTokens"], made["usage"]["cost"]["total"]) == (5, 1)


def test_images_move_to_the_blobs_of_oh_my_pi_and_back(leafmark: Callable[..., Any], tmp_path: Path) -> None:
    home = tmp_path / "home"
    first = chain("a prompt", "an answer", id="mine", cwd="/w")
    first[1]["message"]["content"].append({"type": "image", "mimeType": "image/png", "data": "QUFB" * 600})
    path = pis(home, *first)
    made = json.loads(leafmark("handoff", path, "--to", "omp", "--json").stdout)["change"]["after"]
    assert "blob:sha256:" in Path(made).read_text()
    back = json.loads(leafmark("handoff", made, "--to", "pi", "--json").stdout)["change"]["after"]
    assert without_marker(lines(back)) == lines(path)
    shutil.rmtree(home / ".omp/agent/blobs")
    Path(back).unlink()
    told = json.loads(leafmark("handoff", made, "--to", "pi", "--json").stdout)
    assert [loss["kind"] for loss in told["losses"]] == ["images"]
    assert (
        "blob:sha256:"
        not in Path(told["change"]["after"]).read_text().split("originals")[1].partition("\n")[2]
    )


def test_the_text_to_paste_has_its_parts_below_headings_and_no_secret(
    leafmark: Callable[..., Any], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    path = write_claude(
        home,
        line("user", "u1", None, f"use {KEY}"),
        line(
            "assistant",
            "b1",
            "u1",
            [{"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": "/w/a.py"}}],
        ),
        line("user", "r1", "b1", [{"type": "tool_result", "tool_use_id": "t", "content": "done"}]),
        boundary("c1", "r1"),
        summary("s1", "c1", "what was said"),
        *[
            each
            for n in range(40)
            for each in (
                line("user", f"p{n}", f"q{n - 1}" if n else "s1", f"prompt {n}\n" + "word " * 500),
                line("assistant", f"q{n}", f"p{n}", f"answer {n}\n" + "語" * 900 + "\nthe last line"),
            )
        ],
    )
    for limit in (None, 2_000, 50_000):
        done = leafmark("handoff", path, "--to", "markdown", *(("--limit", limit) if limit else ()))
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.encode()) <= (limit or 8_000)
        assert KEY not in done.stdout
        for heading in (
            "# Handed over",
            "## First prompt",
            "## Summary of what was said before",
            "## Files changed",
        ):
            assert heading in done.stdout, (limit, heading)
        assert "> use [redacted: Anthropic key]" in done.stdout
    assert "prompt 39" in done.stdout
    assert "the last line" in done.stdout
    assert "- /w/a.py" in done.stdout
    labelled = of_pi(home)
    assert "## Labels\n\n- start: a prompt" in leafmark("handoff", labelled, "--to", "markdown").stdout


def test_a_rollout_keeps_its_id_in_the_marker(tmp_path: Path) -> None:
    path = of_codex(tmp_path / "home")
    [marker, *_] = lines(handed(path, "pi", tmp_path / "home").change.after)
    assert marker["data"]["from"]["session_id"] == ID
