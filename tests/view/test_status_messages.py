"""The messages of the status line: one at a time, cut to the line, and what they say of an action or of
the settings.
"""

from __future__ import annotations

from app.sessions import Change, WriteFailed
from app.view import done_text, not_done_text, progress_note, settings_messages, stopped_note
from app.view.cells import width
from app.view.status_messages import DONE, ERROR, MessageQueue, fitted, message, message_line, message_text
from tests.cases import cases


def test_messages_wait_for_each_other_and_none_comes_twice() -> None:
    queue = MessageQueue()
    for text in ("one", "two", "one", "two", "", "three"):
        queue.add(message(text))
    shown = []
    while queue.current is not None:
        shown.append(queue.current.text)
        queue.end()
    assert shown == ["one", "two", "three"]
    assert list(queue.log) == shown


def test_withdrawn_messages_are_not_shown() -> None:
    queue = MessageQueue()
    queue.add(message("done", DONE, "z"))
    queue.add(message("a fact"))
    queue.withdraw(lambda shown: bool(shown.undo_key))
    assert queue.current == message("a fact")


@cases("cells", [60, 40, 33, 12, 3, 1, 0])
def test_a_long_message_loses_its_last_clauses_whole(cells: int) -> None:
    text = 'Not trashed: open in pi (pid 4711) – "语言 languages"'
    assert width(fitted(text, cells)) <= cells
    assert fitted(text, 40) == "Not trashed: open in pi (pid 4711)"
    line = message_line(message(text, ERROR), cells)
    assert sum(width(piece) for piece, _ in line) == cells
    assert message_text(message(text, ERROR), 60).startswith("× Not trashed")


def test_an_action_is_told_with_the_title_and_the_key() -> None:
    trashed = Change("trash", "/a.jsonl", "", "/a.jsonl", "/trash/a.jsonl")
    assert done_text("trash", [trashed], "z", "Flaky login") == 'Trashed "Flaky login" (z to undo)'
    assert done_text("trash", [trashed] * 3, "", "Flaky login") == "Trashed 3 sessions"
    assert done_text("undo", [trashed], "z", "Flaky login") == 'Undone: trash of "Flaky login"'
    assert "\x1b" not in done_text("trash", [trashed], "z", "\x1b[31m red")
    assert done_text("fork", [Change("file", "/b", "", "/a", "/b")], "z", "x" * 99).endswith('…" (z to undo)')


def test_a_failure_says_the_reason_first_and_no_path() -> None:
    error = WriteFailed("/home/me/a.jsonl", "the disk is full")
    assert not_done_text("rename", [("Flaky", error)]) == 'Not renamed: the disk is full – "Flaky"'
    assert not_done_text("trash", [("A", error), ("B", error)]).startswith("2 sessions not trashed: the disk")
    assert not_done_text("pin", [("", PermissionError(13, "Permission denied", "/x"))]) == (
        "Not pinned: Permission denied"
    )


def test_the_note_has_the_progress_of_an_action():
    assert progress_note("trash", 0, 5_000) == "trashing 0 of 5,000"
    assert progress_note("trash anyway", 12, 5_000) == "trashing 12 of 5,000"
    assert progress_note("undo", 1, 2) == "undoing 1 of 2"


@cases(
    ("action", "done", "undo", "note"),
    [
        ("trash", 123, "z", "123 of 5,000 trashed (z to undo)"),
        ("trash", 1, "z", "1 of 5,000 trashed (z to undo)"),
        ("trash", 0, "z", "0 of 5,000 trashed"),
        ("trash", 3, "", "3 of 5,000 trashed"),
        ("delete", 3, "z", "3 of 5,000 deleted for good"),
        ("undo", 3, "z", "3 of 5,000 undone – z undoes the others"),
        ("restore", 3, "run leafmark undo", "3 of 5,000 restored (run leafmark undo to undo)"),
    ],
)
def test_the_note_about_a_stopped_action_names_the_undo_key(action, done, undo, note):
    assert stopped_note(action, done, 5_000, undo) == note


FILE = "/home/me/.config/leafmark/config.toml"


def test_each_problem_has_a_message_with_its_number() -> None:
    assert settings_messages([], FILE) == []
    assert settings_messages([f"{FILE}: keys: must be a table"], FILE) == [
        "config.toml: keys: must be a table"
    ]
    assert settings_messages(
        [f"{FILE}: ascii: must be true or false", "keys: no key is called 'x'"], FILE
    ) == [
        "config.toml: ascii: must be true or false (problem 1 of 2)",
        "config.toml: keys: no key is called 'x' (problem 2 of 2)",
    ]
    messages = settings_messages([f"keys: no command is called 'x{n}'" for n in range(20_000)], FILE)
    assert messages[0] == "config.toml: keys: no command is called 'x0' (problem 1 of 20,000)"
    assert messages[-1] == "config.toml: `leafmark config --check` lists all problems"
    assert len(messages) == 6
