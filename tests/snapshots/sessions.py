"""The sessions that the pictures show."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from tests.factory import chain, entry, header, message, write_session
from tests.screenshots import NOW_NS

USAGE = {
    "input": 1_200,
    "output": 340,
    "cacheRead": 9_000,
    "cacheWrite": 450,
    "totalTokens": 10_990,
    "cost": {"input": 0.0036, "output": 0.0051, "cacheRead": 0.0027, "cacheWrite": 0.0017, "total": 0.0131},
}


def answer(id: str, parent: str, text: str, at: float, *calls: tuple[str, dict[str, object]], **more: object):
    """Return an answer with its usage and tool calls."""
    made = message(id, parent, "assistant", text, at, usage=USAGE, **{"stopReason": "stop", **more})
    made["message"]["content"] += [
        {"type": "toolCall", "id": f"call-{id}-{number}", "name": name, "arguments": arguments}
        for number, (name, arguments) in enumerate(calls)
    ]
    return made


def result(id: str, parent: str, of: str, name: str, text: str, at: float):
    """Return a tool result."""
    return message(
        id, parent, "toolResult", text, at, toolCallId=f"call-{of}-0", toolName=name, isError=False
    )


def session(folder: str) -> list[dict[str, object]]:
    """Return a session with two inactive branches, one of which is forked, and the active branch."""
    read = ("read", {"path": f"{folder}/src/pool.py", "offset": 1, "limit": 40})
    grep = ("grep", {"pattern": "acquire", "path": "src"})
    edit = ("edit", {"path": f"{folder}/src/pool.py", "oldText": "pass\n", "newText": "self.free.put(one)\n"})
    custom = ("ask_colleague", {"question": "is the pool shared?", "wait": True})
    return [
        header("tree", folder),
        entry("model_change", "a0", None, 0, provider="anthropic", modelId="claude-sonnet-4-5"),
        entry("thinking_level_change", "a1", "a0", 0, thinkingLevel="high"),
        message("a2", "a1", "user", "connections leak: the pool is empty after an hour", 1),
        answer("a3", "a2", "I'll read the pool first.", 2, read, stopReason="toolUse"),
        result("a4", "a3", "a3", "read", "class Pool:\n    pass\n", 3),
        answer("a5", "a4", "Nothing gives a connection back when a query fails.", 4),
        # Inactive branch: a timeout, tried in two ways. One ended in an error, one was aborted.
        message("b0", "a5", "user", "can't we just close idle ones after a minute?", 10),
        answer("b1", "b0", "", 11, grep, stopReason="toolUse"),
        result("b2", "b1", "b1", "grep", "src/pool.py:12: def acquire", 12),
        answer("b3", "b2", "That hides the leak, it does not end it.", 13),
        message("b4", "b3", "user", "how long would it take to show again?", 14),
        answer("b5", "b4", "", 15, stopReason="error", errorMessage="529 overloaded_error: try again later"),
        message("c0", "b3", "user", "then log every connection that is not given back", 16),
        answer("c1", "c0", "", 17, custom, stopReason="aborted"),
        # Inactive branch: a weak reference.
        message("d0", "a5", "user", "would a weak reference do?", 20),
        answer("d1", "d0", "Only where nobody else holds the connection: the driver does.", 21),
        # Active branch: with a summary of the other branch, compacted.
        entry(
            "branch_summary", "e0", "a5", 30, fromId="c1", summary="Idle timeout: hides the leak, dropped."
        ),
        message("e1", "e0", "user", "give it back in a finally block 修正", 31),
        answer("e2", "e1", "", 32, edit, stopReason="toolUse"),
        result("e3", "e2", "e2", "edit", "1 replacement made", 33),
        answer("e4", "e3", "Given back in every case now.", 34),
        entry(
            "compaction",
            "e5",
            "e4",
            40,
            summary="The pool leaked when a query failed. It is given back in `finally`.",
            firstKeptEntryId="e1",
            tokensBefore=151_200,
        ),
        message("e6", "e5", "user", "and a test for it", 41),
        answer("e7", "e6", "Done: `test_a_failed_query_gives_its_connection_back`.", 42),
        entry("label", "l0", "e7", 50, targetId="a5", label="cause"),
        entry("label", "l1", "l0", 51, targetId="b3", label="idle timeout"),
        entry("label", "l2", "l1", 52, targetId="e7", label="ready to merge"),
    ]


def write_sessions(home: Path, folder: str) -> None:
    """Write two sessions of pi: one with everything that a tree can show, and one of a few lines.

    The first has two branches beside the active one, labels, a summary of a branch, a compaction, an error
    and an abort.

    :param home: the home folder of the agents.
    :param folder: the folder that the sessions belong to.
    """
    path = write_session(home / ".pi/agent/sessions/--work--/2026_tree.jsonl", *session(folder))
    other = chain("draw the pool's life as a chart", "Here it is.", id="chart", cwd=folder)
    other.append(entry("label", "l9", "00000002", 4, targetId="00000002", label="chart"))
    more = write_session(path.with_name("2025_chart.jsonl"), *other)
    for minutes, each in ((10, path), (20, more)):
        os.utime(each, ns=(NOW_NS - minutes * 60 * 10**9,) * 2)


def write_needing(home: Path, folder: str) -> None:
    """Write the sessions of a morning: one waits, one has failed, and one of oh-my-pi has newer messages on
    another branch; one is a fork.

    :param home: the home folder of the agents.
    :param folder: the folder of some of them.
    """
    question = answer("00000002", "00000001", "", 2, ("ask", {"question": "which?"}), stopReason="toolUse")
    failed = answer("00000002", "00000001", "", 2, stopReason="error", errorMessage="overloaded")
    done = chain("add a rate limit to the login", "Done.", id="limit", cwd=folder)
    fork = [*done, message("f1", "00000002", "user", "and the same for the password reset", 4)]
    left = chain("move the handlers", "Moved.", id="left", cwd="/work/site")
    later = [message("n1", "00000002", "assistant", "All of them.", 3)]
    later.append(entry("custom", "x", "00000001", 4, customType="session_exit"))
    pi, omp = home / ".pi/agent/sessions/--work--", home / ".omp/agent/sessions/-work-site"
    for path, hours, lines in (
        (pi / "1_asks.jsonl", 30, [*chain("shop totals are off", id="asks", cwd="/work/shop"), question]),
        (pi / "2_failed.jsonl", 5, [*chain("list all pictures", id="failed", cwd=folder), failed]),
        (pi / "3_limit.jsonl", 3, done),
        (pi / "4_fork.jsonl", 1, fork),
        (omp / "5_left.jsonl", 2, [*left, *later]),
    ):
        dated = json.loads(json.dumps(lines))
        for number, line in enumerate(dated):
            copied = path.name == "4_fork.jsonl" and 0 < number < 3
            seconds = NOW_NS // 10**9 - (3 if copied else hours) * 3600 + number
            line["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(seconds))
        if path.name == "4_fork.jsonl":
            dated[0] |= {"id": "fork", "parentSession": "limit"}
            dated[0]["timestamp"] = dated[3]["timestamp"]
        write_session(path, *dated)
