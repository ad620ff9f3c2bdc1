"""Random session files, read by the real agents and by leafmark: the same entries, tree and context.

They contain missing and later parents, times out of order, unknown types and fields, and old versions. They
do not contain what the real agents cannot read: loops of parents, and ids used twice.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leafmark import SessionManager

from app.sessions import open_tree
from tests.interop.programs import Program, assistant, tool_result, user
from tests.interop.strategies import OMPS_TURNS, PIS_TURNS
from tests.interop.views import differences, of_manager, of_program, of_tree, untimed

TIMES = st.sampled_from(
    [f"2026-05-01T10:00:0{second}.000Z" for second in range(6)]
    + ["2026-05-01T10:00:03Z", "2026-05-01T12:00:02.500+02:00"]
)
TEXTS = st.sampled_from(["", "fix it", " odd\n", "🙂", "two\r\nlines", "\u00a0\ufeffx"])
IDS = st.integers(-1, 14)
"""A position; -1 is an entry that is not there."""

ANY_FIELD: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {}, {"later": {"a": [1, None]}}, {"details": None}]
)


def of_type(type: str, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"type": st.just(type), **fields})


def message(*messages: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return of_type("message", message=st.one_of(*messages))


USER = TEXTS.map(user)
NO_CONTENT = st.sampled_from(["user", "assistant", "toolResult", "system"]).map(
    lambda role: {"role": role, "content": None, "provider": "acme", "model": "large-1", "timestamp": 1}
)
ASSISTANT = st.builds(assistant, TEXTS, model=st.sampled_from(["large-1", "small-1"]))
RESULT = st.builds(tool_result, st.just("call-1"), TEXTS)
SYSTEM = TEXTS.map(lambda text: {"role": "system", "content": text, "timestamp": 1})
HOOK = st.just({"role": "hookMessage", "customType": "hint", "content": "Mind it.", "timestamp": 1})
REPLACEMENT = st.one_of(
    st.none(), st.fixed_dictionaries({"content": st.one_of(TEXTS, st.just([{"type": "text", "text": "x"}]))})
)

COMMON = [
    of_type("thinking_level_change", thinkingLevel=st.sampled_from(["off", "high"])),
    of_type("custom", customType=st.just("note"), data=st.sampled_from([None, {"n": 1}])),
    of_type("custom_message", customType=st.just("hint"), content=TEXTS, display=st.booleans()),
    of_type("compaction", summary=TEXTS, firstKeptEntryId=IDS, tokensBefore=st.integers(0, 9)),
    of_type("compaction", summary=TEXTS, firstKeptEntryId=IDS, tokensBefore=st.integers(0, 9)),
    of_type("branch_summary", summary=TEXTS, fromId=st.one_of(IDS, st.just("root"))),
    of_type("label", targetId=IDS, label=st.one_of(st.none(), TEXTS)),
    of_type("label", targetId=IDS),
    of_type("from_the_future", value=st.just({"a": 1})),
]
PIS = st.one_of(
    message(USER, ASSISTANT, RESULT, SYSTEM, NO_CONTENT, HOOK),
    message(PIS_TURNS),
    message(USER, ASSISTANT),
    message(USER, ASSISTANT),
    *COMMON,
    of_type("model_change", provider=st.just("acme"), modelId=st.sampled_from(["a", "b/c"])),
    of_type("custom_message", customType=st.just("hint"), content=st.none(), display=st.just(True)),
    of_type("session_info", name=TEXTS),
    of_type("session_info"),
    of_type("context_edit", targetId=IDS, replacement=REPLACEMENT),
    of_type("context_edit", targetId=IDS, replacement=REPLACEMENT),
    of_type("usage", kind=st.just("summary"), provider=st.just("acme"), model=st.just("a")),
    of_type("active_tools_change", activeToolNames=st.just(["read"])),
    of_type("compaction", summary=TEXTS, firstKeptEntryId=IDS, tokensBefore=st.just(7), systemMessage=SYSTEM),
)
OMPS_OWN_MESSAGES = st.sampled_from(["interrupted-thinking", "prewalk-plan", "vibe-mode-context"])
SNAPSHOT = {"openaiRemoteCompaction": {"provider": "openai", "replacementHistory": [{"type": "reasoning"}]}}
"""What oh-my-pi keeps of a compaction by OpenAI. 18.2.3 and 18.3 differ about one by Anthropic."""
OMPS = st.one_of(
    message(USER, ASSISTANT),
    message(USER, ASSISTANT),
    message(USER, ASSISTANT, HOOK),
    message(OMPS_TURNS),
    message(OMPS_TURNS),
    message(OMPS_TURNS.map(lambda answer: {**answer, "retryRecovery": {"kind": "plain"}})),
    *COMMON,
    of_type("custom_message", customType=OMPS_OWN_MESSAGES, content=TEXTS, display=st.just(False)),
    of_type("custom_message", customType=st.just("hint"), content=st.none(), display=st.just(True)),
    of_type(
        "compaction",
        summary=TEXTS,
        firstKeptEntryId=IDS,
        tokensBefore=st.just(7),
        tokensAfter=st.just(2),
        method=st.sampled_from(["remote", "soft"]),
        warning=st.just("short of space"),
        providerReplayThroughEntryId=IDS,
        preserveData=st.sampled_from([SNAPSHOT, {}]),
    ),
    of_type("model_change", model=st.just("acme/a"), role=st.sampled_from(["default", "smol", "slow"])),
    of_type("model_change", model=st.sampled_from(["acme/b/c", "other/x"])),
    of_type("thinking_level_change", thinkingLevel=st.none(), configured=st.none()),
    of_type("session_info", name=TEXTS),
    of_type("title_change", title=TEXTS, source=st.just("user")),
    of_type("mode_change", mode=st.sampled_from(["plan", "none"]), data=st.just({"planFile": "a.md"})),
    of_type("mode_change", mode=st.sampled_from(["plan", "none"])),
    of_type("ttsr_injection", injectedRules=st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)),
    of_type("session_init", systemPrompt=TEXTS, task=TEXTS, tools=st.just([])),
    of_type("service_tier_change", serviceTier=st.none()),
    of_type("reset_boundary"),
)


@st.composite
def lines_of(draw: st.DrawFn, kinds: st.SearchStrategy[dict[str, Any]]) -> list[dict[str, Any]]:
    """Draw entries as on disk, without loops of parents."""
    count = draw(st.integers(1, 14))
    ids = [f"{place:08x}" for place in range(count)]
    entries: list[dict[str, Any]] = []
    above: list[int | None] = []
    for place in range(count):
        fields = draw(kinds)
        for key in ("targetId", "firstKeptEntryId", "fromId", "providerReplayThroughEntryId"):
            if isinstance(fields.get(key), int):
                fields[key] = ids[fields[key]] if 0 <= fields[key] < count else "0badc0de"
        usual = place - 1 if place else None
        parent = draw(st.one_of(st.just(usual), st.just(usual), st.none(), st.integers(-1, count - 1)))
        above.append(parent)
        parent_id = None if parent is None else "0badc0de" if parent < 0 else ids[parent]
        entries.append(
            {
                "type": fields.pop("type"),
                "id": ids[place],
                "parentId": parent_id,
                "timestamp": draw(TIMES),
                **fields,
                **draw(ANY_FIELD),
            }
        )
    for place in range(count):
        if _goes_round(above, place):
            above[place] = None
            entries[place]["parentId"] = None
    return entries


def _goes_round(above: list[int | None], place: int) -> bool:
    at: int | None = place
    for _ in above:
        at = above[at] if at is not None and at >= 0 else None
        if at == place:
            return True
    return False


MANY = settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def compare(program: Program, folder: Path, lines: list[dict[str, Any]], *, migrated: bool = False) -> None:
    """Write a session of these lines, open it with the real agent and with leafmark, and compare."""
    agent = program.agent
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    copy = folder / "copy.jsonl"
    shutil.copyfile(path, copy)
    there = program.make("open", str(copy))
    theirs = of_program(there.state())
    there.forget()
    manager = SessionManager.open(str(path), env={"HOME": str(folder)})
    mine = of_manager(manager, agent)
    told = path.read_text()
    assert differences(theirs, mine) == [], told
    shown = of_tree(open_tree(str(path), (agent,)))
    assert differences(theirs, shown, "context", "children", "tree") == [], told
    # The tree of the screens keeps siblings in the order of the file, independent of their times.
    assert sorted(theirs.tree) == sorted(shown.tree), told
    assert path.read_text() == told, "opening wrote"
    if migrated:
        manager.append_custom_entry("note")
        again = program.make("open", str(path))
        after = of_program(again.state())
        again.forget()
        assert json.loads(path.read_text().partition("\n")[0])["version"] == 3, path.read_text()
        assert after.entries[:-1] == theirs.entries, told
        assert differences(untimed(after), untimed(of_manager(manager, agent))) == [], told


@MANY
@given(entries=lines_of(PIS))
def test_any_file_of_pi(pi: Program, tmp_path: Path, entries: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        compare(pi, Path(name), [header(tmp_path), *entries])


@MANY
@given(entries=lines_of(OMPS), title=st.sampled_from([None, "", "fix it", "🙂"]))
def test_any_file_of_omp(
    omp: Program, tmp_path: Path, entries: list[dict[str, Any]], title: str | None
) -> None:
    named = {} if title is None else {"title": title, "titleSource": "user"}
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        compare(omp, Path(name), [header(tmp_path, providerPromptCacheKey="k", **named), *entries])


@MANY
@given(entries=lines_of(st.one_of(message(USER, ASSISTANT, HOOK), *COMMON[:-3])))
def test_any_file_of_version_2(pi: Program, tmp_path: Path, entries: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        compare(pi, Path(name), [header(tmp_path, version=2), *entries], migrated=True)


@MANY
@given(
    entries=lines_of(st.one_of(message(USER, ASSISTANT, HOOK), *COMMON[:3])),
    compactions=st.lists(st.tuples(st.integers(0, 14), st.integers(-1, 16)), max_size=2),
)
def test_any_file_of_version_1(
    pi: Program, tmp_path: Path, entries: list[dict[str, Any]], compactions: list[tuple[int, int]]
) -> None:
    for wanted, kept in compactions:
        place = min(wanted, len(entries))
        # Counted with the header. pi ignores an index that lies behind the compaction itself.
        fields = {"summary": "So far.", "firstKeptEntryIndex": min(kept, place + 1), "tokensBefore": 5}
        entries.insert(place, {"type": "compaction", "timestamp": "2026-05-01T10:00:01.000Z", **fields})
    bare = [{key: value for key, value in each.items() if key not in ("id", "parentId")} for each in entries]
    first = header(tmp_path)
    del first["version"]
    with tempfile.TemporaryDirectory(dir=tmp_path) as name:
        compare(pi, Path(name), [first, *bare], migrated=True)


def header(cwd: Path, **more: Any) -> dict[str, Any]:
    """Return the first line of a session."""
    return {
        "type": "session",
        "version": 3,
        "id": "0197a0b0-0000-7000-8000-000000000001",
        "timestamp": "2026-05-01T10:00:00.000Z",
        "cwd": str(cwd),
        **more,
    }


@pytest.mark.parametrize(
    "ending", ["", "\n", "\r\n", '\n{"type":"mess', "\nnull\n", "\n\n  \n", "\nnot json\n"]
)
def test_line_endings_and_lines_that_are_no_entries(pi: Program, tmp_path: Path, ending: str) -> None:
    path = tmp_path / "session.jsonl"
    entry = {"type": "message", "id": "0000000a", "parentId": None, "timestamp": "2026-05-01T10:00:01.000Z"}
    lines = [header(tmp_path), {**entry, "message": user("Why?")}]
    path.write_text("\n".join(json.dumps(line) for line in lines) + ending, newline="")
    before = path.read_bytes()
    mine = of_manager(SessionManager.open(str(path), env={"HOME": str(tmp_path)}))
    assert path.read_bytes() == before
    shown = of_tree(open_tree(str(path), ("pi",)))
    theirs = of_program(pi.make("open", str(path)).state())
    assert differences(theirs, mine) == []
    assert differences(theirs, shown, "context") == []
