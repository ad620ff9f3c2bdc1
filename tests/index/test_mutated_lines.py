"""No value of any type in any field ends a command: random changes to lines of all six agents go through the
summary, the tree, the transcript, the context, the exports and the index
(app/formats/README.md, "Odd values").
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from leafmark import Index, Store

from app.export import HTML, JSON, JSONL, MARKDOWN, Choice, Surroundings, open_export
from app.formats import SessionError
from app.formats.entry_parts import entry_parts
from app.redact import Redactor
from app.sessions import Branches, TreeText, open_tree, summarise
from app.sessions.summaries import problems, read_figures
from app.stores import agent_named
from app.view.transcript import turn
from tests.index.test_bad_values import AT, SAMPLES, STAMP
from tests.rollouts import event, item, line, meta, said, typed_item

NOW = AT + 1_000_000
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 5, 1.5, 2**70, "", "x", "error", "user", "9" * 5000, "a\ud800b", "\0"),
    *([], ["x"], [None], [[]], [{}], {}, {"x": "y"}, {"type": ["x"]}, [{"type": "text", "text": 5}]),
    *([{"type": "image", "data": 5}], {"role": ["x"]}, [5, "x", None, True]),
)
"""Values that replace others."""


def _claude() -> list[dict[str, Any]]:
    def one(kind: str, number: int, content: Any, **more: Any) -> dict[str, Any]:
        shared = {"sessionId": "s", "cwd": "/w", "timestamp": STAMP, "isSidechain": False, "version": "2.1"}
        parent = f"u{number - 1}" if number else None
        shared |= {"uuid": f"u{number}", "parentUuid": parent}
        return {"type": kind, "message": {"role": kind, "content": content}, **shared, **more}

    usage = {"input_tokens": 5, "output_tokens": 6, "cache_read_input_tokens": 7}
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    answer = one("assistant", 1, [{"type": "thinking", "thinking": "hm", "signature": "s"}])
    call = one(
        "assistant", 2, [{"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "a"}}]
    )
    for each in (answer, call):
        each["message"] |= {"id": "m1", "model": "opus", "stop_reason": "tool_use", "usage": usage}
    result = one("user", 3, [{"type": "tool_result", "tool_use_id": "t1", "content": "ok", "is_error": True}])
    hunk = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a", "+b"]}
    result["toolUseResult"] = {"structuredPatch": [hunk]}
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "u4", "parentUuid": None}
    boundary |= {"logicalParentUuid": "u3", "timestamp": STAMP, "sessionId": "s", "compactMetadata": {"x": 1}}
    return [
        one("user", 0, [{"type": "text", "text": "hello"}, picture], origin={"kind": "human"}),
        *(answer, call, result, boundary),
        one("user", 5, "Summary of it", isCompactSummary=True),
        one("user", 6, "<command-name>/x</command-name>", promptSource="typed"),
        {"type": "attachment", "uuid": "u7", "parentUuid": "u6", "attachment": {"type": "file", "x": 1}},
        {"type": "custom-title", "customTitle": "a title", "sessionId": "s"},
        {"type": "summary", "summary": "of it", "leafUuid": "u2"},
    ]


def _codex() -> list[dict[str, Any]]:
    usage = {"input_tokens": 5, "output_tokens": 6, "cached_input_tokens": 2}
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    shell = "<user_shell_command>\n<command>\nls\n</command>\n<result>\nExit code: 1\nOutput:\na\n</result>\n"
    kept = [said("user", "first")["payload"], {"type": "compaction", "encrypted_content": "x"}]
    return [
        meta("019c", history_base={"thread_id": "base", "end_ordinal_exclusive": 3, "end_byte_offset": 9}),
        line("turn_context", cwd="/w", model="gpt"),
        said("user", "<environment_context>\n<cwd>/w</cwd>\n</environment_context>"),
        said(
            "user", "# Files mentioned by the user:\n\n## My request for Codex:\nfirst", kinds=["user.text"]
        ),
        item("message", role="user", content=[{"type": "input_text", "text": "look"}, picture]),
        typed_item("look"),
        event("user_message", message="look", images=[]),
        said("user", f"{shell}</user_shell_command>", kinds=["shell.user_command"]),
        item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="x"),
        item("function_call", name="shell", arguments='{"command":["ls"]}', call_id="c"),
        item("function_call_output", call_id="c", output={"content": "ok", "success": False}),
        item("image_generation_call", result="aGk=", revised_prompt="a cat"),
        item("web_search_call", action={"query": "x"}, id="w"),
        event("token_count", info={"total_token_usage": usage, "last_token_usage": usage}),
        event("thread_rolled_back", num_turns=1),
        event("error", message="overloaded"),
        event("task_complete", error={"message": "overloaded"}),
        event("thread_name_updated", thread_name="a name"),
        line("compacted", message="in short", replacement_history=kept),
        said("assistant", "done"),
    ]


def _old_codex() -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [{"id": "5973", "timestamp": STAMP, "instructions": None}]
    lines += [
        {"record_type": "state"},
        said("user", "<cwd>/w</cwd>")["payload"],
        said("user", "hi")["payload"],
    ]
    output = {"type": "function_call_output", "call_id": "c"}
    return [*lines, {**output, "output": json.dumps({"output": "a", "metadata": {"exit_code": 1}})}]


def _more_of_pi() -> list[dict[str, Any]]:
    def entry(kind: str, number: int, **fields: Any) -> dict[str, Any]:
        parent = f"e{number - 1}" if number else None
        return {"type": kind, "id": f"e{number}", "parentId": parent, "timestamp": STAMP, **fields}

    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    blocks = [
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
        {"type": "text", "text": "ok"},
    ]
    todo = {
        "type": "toolCall",
        "id": "c",
        "name": "bash",
        "arguments": {"command": "ls", "edits": [{"a": 1}]},
    }
    answer = {"role": "assistant", "content": [*blocks, todo], "stopReason": "error", "errorMessage": "no"}
    result = {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "details": {"diff": "-1 a\n+1 b"}}
    system = {"role": "system", "content": "be kind", "sections": {"a": "b"}, "toolsAdded": [{"name": "x"}]}
    return [
        {"type": "session", "version": 3, "id": "s", "timestamp": STAMP, "cwd": "/w"},
        entry("message", 0, message=system),
        entry("message", 1, message={"role": "user", "content": [{"type": "text", "text": "hi"}, image]}),
        entry("message", 2, message=answer),
        entry("message", 3, message={**result, "content": [image]}),
        entry("branch_summary", 4, fromId="e1", summary="left", details={"readFiles": ["a"]}),
        entry("context_edit", 5, targetId="e2", replacement={"content": "new"}),
        entry("custom", 6, customType="leafmark.branch", data={"a": 1}),
        entry("message", 7, message={"role": "compactionSummary", "summary": "s", "tokensBefore": 5}),
        entry("message", 8, message={"role": "custom", "customType": "c", "content": "x", "display": True}),
        entry("thinking_level_change", 9, thinkingLevel="high"),
    ]


LINES: dict[str, tuple[str, str, list[dict[str, Any]]]] = {
    **{name: (sample.agent, sample.suffix, sample.lines) for name, sample in SAMPLES.items()},
    "pi2": ("pi", ".jsonl", _more_of_pi()),
    "omp2": ("omp", ".jsonl", _more_of_pi()),
    "claude": ("claude", ".jsonl", _claude()),
    "codex": ("codex", ".jsonl", _codex()),
    "codex1": ("codex", ".jsonl", _old_codex()),
}


def mutated(value: Any, chance: random.Random) -> Any:
    """A copy of a JSON value with one change: another value, a field less, or a value put into a list."""
    places: list[tuple[Any, Any]] = []
    copied = json.loads(json.dumps(value))
    waiting = [copied]
    while waiting:
        part = waiting.pop()
        fields = list(part.items()) if isinstance(part, dict) else list(enumerate(part))
        for key, field in fields:
            places.append((part, key))
            if isinstance(field, dict | list):
                waiting.append(field)
    part, key = chance.choice(places)
    how = chance.randrange(6)
    if how == 0:
        del part[key]
    elif how == 1:
        part[key] = [part[key]]
    else:
        part[key] = chance.choice(ODD)
    return copied


def write_mutated(folder: Path, name: str, chance: random.Random, number: int) -> tuple[Path, int]:
    """A session with some changed lines, and the number of changes."""
    _, suffix, lines = LINES[name]
    changed = set(chance.sample(range(len(lines)), min(len(lines), chance.randint(1, 4))))
    written = [mutated(each, chance) if index in changed else each for index, each in enumerate(lines)]
    path = folder / f"rollout-{number}{suffix}"
    path.write_text("".join(json.dumps(each) + "\n" for each in written))
    return path, len(changed)


def read_in_every_way(path: Path, agent: str) -> None:
    """Everything that leafmark does with one session; only errors with a reason are caught."""
    agents = (agent,)
    summarise(str(path), agents, NOW)
    problems(str(path), agents)
    try:
        tree = open_tree(str(path), agents)
    except SessionError:
        return
    read_figures(str(path), agents)
    tree.read_rows(tree.entries)
    raws = [tree.read(node) for node in tree.entries]
    for raw, node in zip(raws, tree.entries, strict=True):
        entry_parts(raw)
        turn(raw, node.id, node.offset, 80, now_ms=NOW, node=node, full=True)
        turn(raw, node.id, node.offset, 30, ("ok",), has_match=True, results={"c": raw, "c1": raw, "t1": raw})
    Branches(tree).all()
    text = TreeText(tree)
    for block in text.blocks():
        text.find(block, ("ok",), lambda: True)
    store = Store(agent_named(agent), str(path.parent))
    around = Surroundings((store,), {}, str(path.parent), NOW)
    for format in (HTML, MARKDOWN, JSON, JSONL):
        for redactor in (None, Redactor()):
            for choice in (Choice(), Choice(all_branches=format != JSON, images=True)):
                try:
                    export = open_export(str(path), agents, format, choice, around, redactor=redactor)
                    b"".join(export.pieces)
                except SessionError:
                    continue


def index_all(store: Store, cache: Path) -> list[str]:
    """Index a folder, search in it, and return why files were not read."""
    index = Index([store], str(cache))
    index.scan()
    for query in ("ok", "hello has:image", "role:user first", "tool:bash"):
        for page in index.query(query):
            for hit in page.hits:
                _ = hit.path
    reasons = [reason for _, reason in index.complaints]
    index.close()
    return reasons


def run(tmp_path: Path, seed: int, least: int) -> None:
    chance = random.Random(seed)
    done = round_number = 0
    while done < least:
        round_number += 1
        for name, (agent, _, _) in LINES.items():
            folder = tmp_path / f"{round_number}" / name
            folder.mkdir(parents=True)
            for number in range(4):
                path, changes = write_mutated(folder, name, chance, number)
                done += changes
                try:
                    read_in_every_way(path, agent)
                except Exception as error:
                    error.add_note(f"{name}, seed {seed}:\n{path.read_text()[:4000]}")
                    raise
            reasons = index_all(Store(agent_named(agent), str(folder)), tmp_path / f"c{round_number}{name}")
            assert not [reason for reason in reasons if "Error" in reason], reasons


def test_no_value_is_an_error(tmp_path: Path) -> None:
    run(tmp_path, 1, 100)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_no_value_of_ten_thousand_is_an_error(tmp_path: Path, seed: int) -> None:
    run(tmp_path, seed, 1_000)
