"""Notes about the progress of an action."""

from __future__ import annotations

from app.view.notifications import progress_note, stopped_note
from tests.cases import cases


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
