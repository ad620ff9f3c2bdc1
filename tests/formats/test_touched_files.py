"""The files that a tool call touches, by the calls of each agent."""

from __future__ import annotations

from typing import Any

from app.formats import Touch, dialect_named, touches_of_call, touches_of_result
from tests.cases import cases

LONGEST_PATH = 4_096  # characters

PATCH = """*** Begin Patch
*** Add File: new.py
+one
+two
*** Update File: old.py
@@ def f():
-    a
+    b
+    c
*** Update File: from.py
*** Move to: to dir/to.py
@@
-x
+y
*** Delete File: gone.py
*** End Patch
"""
PATCHED = [
    Touch("new.py", "write", 2),
    Touch("old.py", "edit", 2, 1),
    Touch("from.py", "move"),
    Touch("to dir/to.py", "move", 1, 1),
    Touch("gone.py", "remove"),
]
NUMBERED = """*** Begin Patch
[src/a.py#1A2B]
PUT 3.=4:
+replacement
[b.py#00ff]
REM
[c.py#00ff]
MV d.py
*** End Patch
"""


@cases(
    ("dialect", "tool", "arguments", "expected"),
    [
        ("pi", "read", {"path": "a.py", "offset": 3}, [Touch("a.py", "read")]),
        ("pi", "write", {"path": "a.py", "content": "1\n2\n"}, [Touch("a.py", "write", 2)]),
        ("pi", "edit", {"path": "a", "oldText": "x\ny", "newText": "x\nz\nq"}, [Touch("a", "edit", 2, 1)]),
        (
            "pi",
            "edit",
            {"path": "a", "edits": [{"oldText": "x", "newText": "y"}, {"oldText": "z", "newText": ""}]},
            [Touch("a", "edit", 1, 2)],
        ),
        ("pi", "edit", {"file_path": "a", "old_text": "x", "new_text": "y"}, [Touch("a", "edit", 1, 1)]),
        ("omp", "read", {"path": "a.py:10-20"}, [Touch("a.py", "read")]),
        ("omp", "read", {"path": "https://example.org/a"}, []),
        ("omp", "edit", {"path": "a", "old_string": "x", "new_string": "y"}, [Touch("a", "edit", 1, 1)]),
        (
            "omp",
            "edit",
            {"input": NUMBERED},
            [
                Touch("src/a.py", "edit", 1),
                Touch("b.py", "remove"),
                Touch("c.py", "move"),
                Touch("d.py", "move"),
            ],
        ),
        ("omp", "edit", {"input": PATCH}, PATCHED),
        (
            "omp",
            "edit",
            {"path": "a", "edits": [{"op": "create", "diff": "1\n2"}]},
            [Touch("a", "write", 2)],
        ),
        ("omp", "edit", {"path": "a", "edits": [{"op": "delete"}]}, [Touch("a", "remove")]),
        (
            "omp",
            "edit",
            {"path": "a", "edits": [{"op": "update", "rename": "b", "diff": "@@\n-x\n+y\n+z"}]},
            [Touch("a", "move"), Touch("b", "move", 2, 1)],
        ),
        ("claude", "Read", {"file_path": "/w/a.py"}, [Touch("/w/a.py", "read")]),
        ("claude", "Write", {"file_path": "/w/a.py", "content": "1"}, [Touch("/w/a.py", "write", 1)]),
        (
            "claude",
            "Edit",
            {"file_path": "/w/a.py", "old_string": "x", "new_string": "y\nz"},
            [Touch("/w/a.py", "edit", 2, 1)],
        ),
        (
            "claude",
            "MultiEdit",
            {"file_path": "/w/a.py", "edits": [{"old_string": "x", "new_string": "y"}] * 2},
            [Touch("/w/a.py", "edit", 2, 2)],
        ),
        (
            "claude",
            "NotebookEdit",
            {"notebook_path": "/w/n.ipynb", "new_source": "1"},
            [Touch("/w/n.ipynb", "edit")],
        ),
        ("codex", "apply_patch", {"input": PATCH}, PATCHED),
        ("codex", "shell", {"command": ["apply_patch", PATCH]}, PATCHED),
        ("codex", "shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF\n"]}, PATCHED),
        ("codex", "exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}EOF\n"}, PATCHED),
        (
            "codex",
            "shell",
            {
                "command": "cd sub && apply_patch <<EOF\n*** Begin Patch\n*** Delete File: a\n",
                "workdir": "/w",
            },
            [Touch("/w/sub/a", "remove")],
        ),
        (
            "codex",
            "local_shell",
            {"type": "exec", "command": ["apply_patch", "*** Begin Patch\n*** Delete File: a\n"]},
            [Touch("a", "remove")],
        ),
        # What a command does otherwise is not guessed.
        ("codex", "shell", {"command": ["bash", "-lc", "cat a.py > b.py; rm c.py"]}, []),
        ("codex", "shell", {"command": f"cat <<EOF\n{PATCH}EOF"}, []),
        ("pi", "bash", {"command": "rm a.py"}, []),
        ("pi", "grep", {"path": "src", "pattern": "x"}, []),
        ("agent", "edit", {"path": "a.py", "old": "x", "new": "y"}, [Touch("a.py", "edit")]),
        ("transcript", "write", {"path": "a.py", "content": ""}, [Touch("a.py", "write")]),
    ],
)
def test_calls(dialect: str, tool: str, arguments: Any, expected: list[Touch]) -> None:
    assert touches_of_call(tool, arguments, dialect_named(dialect)) == expected


@cases(
    "arguments",
    [
        None,
        "a.py",
        ["a.py"],
        {},
        {"path": 1},
        {"path": ""},
        {"path": " "},
        {"path": "a\0b"},
        {"path": "a" * (LONGEST_PATH + 1)},
        {"path": None, "edits": [1, None, {"op": "delete"}]},
        {"input": ["*** Begin Patch"]},
        {"input": "*** Begin Patch\n*** Update File: \n"},
        {"command": [["apply_patch"], {}], "action": [1]},
        {"path": {}, "content": {}, "edits": {}},
    ],
)
def test_odd_arguments_touch_nothing(arguments: Any) -> None:
    for tool in ("read", "write", "edit", "apply_patch", "shell"):
        assert touches_of_call(tool, arguments, dialect_named("pi")) == []


EDIT = [Touch("a.py", "edit", 1, 1)]


@cases(
    ("message", "expected"),
    [
        ({}, EDIT),
        ({"isError": False, "details": []}, EDIT),
        ({"isError": True}, []),
        ({"content": [{"type": "text", "text": "apply_patch verification failed: no such line"}]}, []),
        ({"details": {"diff": "@@ -1 +1 @@\n-x\n+y\n+z"}}, [Touch("a.py", "edit", 2, 1)]),
        ({"details": {"diff": "-1 x\n+1 y\n 2 z"}}, [Touch("a.py", "edit", 1, 1)]),
        (
            {"details": {"diff": "", "path": "/w/b.py", "move": "/w/b.py", "sourcePath": "/w/a.py"}},
            [Touch("/w/a.py", "move"), Touch("/w/b.py", "move")],
        ),
        ({"details": {"diff": "+1 x", "op": "create"}}, [Touch("a.py", "write", 1)]),
        ({"details": {"diff": "", "op": "delete"}}, [Touch("a.py", "remove")]),
        (
            {
                "details": {
                    "diff": "",
                    "perFileResults": [
                        {"path": "/w/a.py", "diff": "+1 x"},
                        {"path": "/w/b.py", "diff": "", "isError": True},
                        {"path": "/w/c.py", "diff": "", "op": "delete"},
                        None,
                        {"path": 3},
                    ],
                }
            },
            [Touch("/w/a.py", "edit", 1), Touch("/w/c.py", "remove")],
        ),
    ],
)
def test_results(message: dict[str, Any], expected: list[Touch]) -> None:
    assert touches_of_result(message, EDIT) == expected
