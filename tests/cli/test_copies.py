"""Figures of sessions that repeat others, and of counters of Codex that begin with those of another session
(formats/README.md, "Copies of entries").
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import cases
from tests.claude_lines import line, write
from tests.rollouts import event, item, meta, said, write_rollout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Lines = list[dict[str, Any]]
A, B, C, D = (f"019d0000-0000-7000-8000-00000000000{number}" for number in range(4))
TOKENS = ("input", "output", "cache_read", "cache_write")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def figures(leafmark: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """The totals of `leafmark stats`, with the tokens as a list."""

    def read(*words: str) -> dict[str, Any]:
        total: dict[str, Any] = json.loads(leafmark("stats", *words, "--json").stdout)["total"]
        return {**total, "tokens": [total["tokens"][name] for name in TOKENS]}

    return read


@pytest.fixture
def listed(leafmark: Callable[..., Any]) -> Callable[..., dict[str, list[int]]]:
    """The tokens of each session in `leafmark list`, sub-agents too."""

    def read(*words: str) -> dict[str, list[int]]:
        rows = json.loads(leafmark("list", *words, "--json").stdout)["sessions"]
        return {row["session_id"]: [row["tokens"][name] for name in TOKENS] for row in rows}

    return read


def counter(total: tuple[Any, ...], last: tuple[Any, ...] | None = None) -> dict[str, Any]:
    names = ("input_tokens", "output_tokens", "cached_input_tokens")
    told = {"total_token_usage": dict(zip(names, total, strict=False))}
    if last is not None:
        told["last_token_usage"] = dict(zip(names, last, strict=False))
    return event("token_count", info=told)


def talk(word: str, total: tuple[int, ...], last: tuple[int, ...] | None = None) -> Lines:
    call = item("function_call", name="shell", arguments="{}", call_id=f"call-{word}")
    done = item("function_call_output", call_id=f"call-{word}", output="ok")
    return [said("user", word), call, done, said("assistant", f"{word} is done"), counter(total, last)]


def at(day: int, lines: Lines) -> Lines:
    return [{**each, "timestamp": f"2026-03-{day:02}T10:00:00.000Z"} for each in lines]


def rollout(home: Path, own: str, day: int, lines: Lines, **fields: Any) -> Path:
    """A rollout; `fields` are those of its `session_meta`."""
    stamp = f"2026-03-{day:02}T10:00:00.000Z"
    return write_rollout(
        home, meta(own, stamp, **fields), *at(day, lines), name=f"rollout-2026-03-{day:02}-{own}.jsonl"
    )


FIRST = talk("first", (1000, 100, 200))
SECOND = talk("second", (3000, 300, 900), (2000, 200, 700))
OWN = talk("own", (3500, 350, 1000), (500, 50, 100))
COPIED = meta(A)
"""The line that a fork copies of its parent."""


@cases(
    ("lines", "fields"),
    [
        ([COPIED, *FIRST, *SECOND, *OWN], {"forked_from_id": A}),
        ([*FIRST, *SECOND, *OWN], {"forked_from_id": A}),
        ([COPIED, *FIRST, *SECOND, *OWN], {}),
        # A fork may leave out lines that are no prompts.
        ([COPIED, *FIRST[:1], *FIRST[3:], *SECOND, *OWN], {"forked_from_id": A}),
    ],
)
def test_a_fork_of_codex_with_new_times_counts_its_own_part(home, figures, listed, lines, fields) -> None:
    rollout(home, A, 1, FIRST + SECOND)
    rollout(home, B, 2, lines, **fields)
    found = figures()
    assert (found["turns"], found["tool_calls"], found["tokens"]) == (3, 3, [2500, 350, 1000, 0])
    assert listed()[B] == [2500, 350, 1000, 0]


def test_a_fork_of_a_fork_counts_its_own_part(home, figures) -> None:
    rollout(home, A, 1, FIRST)
    rollout(home, B, 2, FIRST + SECOND, forked_from_id=A)
    rollout(home, C, 3, FIRST + SECOND + OWN, forked_from_id=B)
    assert (figures()["turns"], figures()["tokens"]) == (3, [2500, 350, 1000, 0])


def test_two_forks_of_a_session_that_is_gone_count_what_they_share_once(home, figures) -> None:
    other = talk("other", (3100, 310, 910), (100, 10, 10))
    rollout(home, B, 2, FIRST + SECOND + OWN, forked_from_id=A)
    rollout(home, C, 3, FIRST + SECOND + other, forked_from_id=A)
    found = figures()
    assert (found["turns"], found["tool_calls"], found["tokens"]) == (4, 4, [2590, 360, 1010, 0])
    # The parent is back, and what it has is its own.
    rollout(home, A, 1, FIRST + SECOND)
    assert figures() == {**found, "sessions": 3, "active_seconds": figures()["active_seconds"]}


def test_equal_lines_of_unrelated_sessions_count_for_each(home, figures) -> None:
    for day, own in enumerate((A, B, C), 1):
        rollout(home, own, day, FIRST)
    found = figures()
    assert (found["turns"], found["tool_calls"], found["tokens"]) == (3, 3, [2400, 300, 600, 0])


def test_sub_agents_with_equal_lines_count_for_each(home, figures) -> None:
    rollout(home, A, 1, FIRST + SECOND)
    baseline = counter((3000, 300, 900), (0, 0, 0))
    for day, own in ((2, B), (3, C)):
        rollout(home, own, day, [baseline, *OWN], forked_from_id=A, thread_source="subagent")
    assert figures()["tokens"] == [2900, 400, 1100, 0]


def test_parents_in_a_circle_count_once(home, figures) -> None:
    rollout(home, A, 1, FIRST, forked_from_id=B)
    rollout(home, B, 2, FIRST + SECOND, forked_from_id=A)
    rollout(home, C, 3, OWN, forked_from_id=C)
    found = figures()
    assert (found["turns"], found["tokens"]) == (3, [2500, 350, 1000, 0])


ZERO = (0, 0, 0)


@cases(
    ("lines", "fields", "expected"),
    [
        # Nothing is new in the first sum.
        ([counter((3000, 300, 900), ZERO), *OWN], {"thread_source": "subagent"}, [400, 50, 100, 0]),
        ([*OWN[:-1], counter((3000, 300, 900), ZERO), OWN[-1]], {}, [400, 50, 100, 0]),
        # Only the last request is new.
        (OWN, {"parent_thread_id": D}, [400, 50, 100, 0]),
        # Without a parent, the first sum is the session's own.
        (OWN, {}, [2500, 350, 1000, 0]),
        ([counter((700, 70, 100)), *FIRST], {}, [800, 100, 200, 0]),
        ([counter((700, 70, 100))], {}, [600, 70, 100, 0]),
        # A clock or a counter that jumps back begins again.
        ([*FIRST, *talk("again", (100, 10, 0))], {}, [900, 110, 200, 0]),
        ([*FIRST[:-1], counter((-5, 10**30, 0)), FIRST[-1]], {}, [800, 100, 200, 0]),
        ([*FIRST[:-1], counter((1000.0, 100.5, 200.0))], {}, [800, 100, 200, 0]),
        ([*FIRST[:-1], counter((), ()), FIRST[-1]], {}, [800, 100, 200, 0]),
    ],
)
def test_list_and_statistics_agree_on_counters(home, figures, listed, lines, fields, expected) -> None:
    rollout(home, B, 2, lines, **fields)
    assert figures()["tokens"] == expected
    assert listed() == {B: expected}
    total = sum(expected[:2])
    assert listed(f"tokens:={total}") == {B: expected}
    assert listed(f"tokens:>{total}") == {}


def answer(own: str, parent: str, number: int, text: str = "done", **fields: Any) -> str:
    usage = {"input_tokens": 10 * number, "output_tokens": number, "cache_read_input_tokens": 7}
    message = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": text}], "usage": usage}
    return line("assistant", own, parent, **{"message": {**message, "id": f"msg-{number}"}, **fields})


def history(prefix: str = "") -> list[str]:
    a, b, c, d = (f"{prefix}{letter}" for letter in "abcd")
    later = {"timestamp": f"2026-03-0{2 if prefix else 1}T11:00:00.000Z"}
    return [
        line("user", a, None, "first question", **later),
        answer(b, a, 1, **later),
        line("user", c, b, "second question", **later),
        answer(d, c, 2, **later),
    ]


@cases("prefix", ["new-", ""])
def test_a_copy_of_claude_code_counts_its_own_part(home, figures, prefix) -> None:
    write(home, *history())
    own = [line("user", "x", f"{prefix}d", "own question"), answer("y", "x", 3)]
    write(home, *history(prefix), *own, name="two")
    found = figures()
    assert (found["turns"], found["messages"], found["tokens"]) == (3, 6, [60, 6, 21, 0])


def test_copies_of_claude_code_without_message_ids_have_that_of_the_request(home, figures) -> None:
    for name in ("one", "two"):
        usage = {"input_tokens": 5, "output_tokens": 1}
        message = {"role": "assistant", "content": [{"type": "text", "text": "done"}], "usage": usage}
        asked = line("user", f"{name}-a", None, "question")
        answered = line("assistant", f"{name}-b", f"{name}-a", message=message, requestId="r")
        write(home, asked, answered, name=name)
    assert (figures()["turns"], figures()["tokens"]) == (1, [5, 1, 0, 0])


def test_equal_ids_of_different_answers_count_for_each(home, figures) -> None:
    write(home, line("user", "a", None, "question"), answer("b", "a", 1, "one"))
    write(home, line("user", "c", None, "question"), answer("d", "c", 1, "two"), name="two")
    assert (figures()["turns"], figures()["tokens"]) == (2, [20, 2, 14, 0])


def test_a_copy_is_known_again_when_its_original_is_gone(home, figures) -> None:
    first = write(home, *history())
    write(home, *history("new-"), name="two")
    before = figures()
    first.unlink()
    assert figures()["tokens"] == before["tokens"] == [30, 3, 14, 0]
    write(home, *history())
    assert figures()["tokens"] == before["tokens"]
