"""The actions of a user on sessions, undo and the journal.

The public names load when they are first used. Import a function that has the name of its module, such as
`trash`, from its module.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "handoff": "Handed Request hand_over",
        "journal_entries": "JournalEntry encode_entry parse_entries trash_moves",
        "redo": "redo_journal_action",
        "resume": "Plan ResumeError execute plan plan_new",
        "session_edits": "label pin rename",
        "tagging": "annotate tag",
        "trash_place": "TrashFacts delete_trashed trash_facts",
        "undo_steps": "UndoAttempt UndoableAction undo_last",
    },
)
