"""Shared parts of the commands that change sessions: the journal, and printing a change."""

from __future__ import annotations

from typing import Any

from app.actions.journal import Intent, Journal
from app.actions.journal_entries import JournalEntry
from app.actions.session_edits import ROOT
from app.actions.undo import settle_interrupted
from app.actions.undo_steps import UndoAttempt
from app.formats.text import inert, one_line
from app.reports.output import SCHEMA, complain
from app.sessions.manager.change import Change
from app.sessions.summaries.quick_summary import quick_title
from app.setup import Setup
from app.stores import agent_named
from app.stores.kept import is_copy
from app.view.formatting import short_id


def settle(setup: Setup) -> None:
    """Record in the journal the changes of a leafmark that was killed before it could."""
    try:
        state_folder = setup.state_folder
    except OSError:
        return  # the command that needs the folder reports the error
    settle_interrupted(Journal(state_folder), setup.agent_env, setup.stores, state_folder)


def intend(setup: Setup, action: int = 0) -> Intent:
    """Announce the changes in the body of a `with` to the journal; see `Intent`. The body calls `record`.

    :param action: the number of the first change of the same action; 0: the change begins the action.
    """
    return Intent(lambda: Journal(setup.state_folder), action)


def record(intent: Intent, change: Change, setup: Setup) -> int:
    """Record a change in the journal; if that fails, the change was made all the same.

    :return: its number there; 0 if it has none.
    """
    try:
        return intent.done(change)
    except OSError as error:
        _complain_of_journal(error, setup)
        return 0


def record_failure(attempt: UndoAttempt[JournalEntry], setup: Setup) -> None:
    """Record in the journal why a change was not undone, and whether another undo tries it again."""
    try:
        journal = Journal(setup.state_folder)
        journal.mark_failed(attempt.step.number, attempt.reason, can_retry=attempt.can_retry)
    except OSError as error:
        _complain_of_journal(error, setup)


def _complain_of_journal(error: OSError, setup: Setup) -> None:
    # If a write to an open file fails, the error names no path.
    complain(f"undo will not know of it: {error.filename or setup.state_folder}: {error.strerror or error}")


LIMIT = 1_000
"""Characters that are shown of a name, a label or a path."""

LONG_ENTRY_ID, SHORT_ENTRY_ID = 12, 8
"""Characters of an entry's id that is shortened, and of what is shown of it."""


def title_after(change: Change) -> str:
    """The title of the session that a change was made to, as it is now; "" if that is not known."""
    if change.kind in ("pin", "tags", "note"):
        return ""  # the change is one of leafmark's own file
    is_moved = change.kind in ("trash", "restore", "file", "move")
    path = change.after if is_moved and change.after else change.path
    return quick_title(path, (change.agent,) if change.agent else ()) if path else ""


def as_line(change: Change, title: str = "", *, hints: bool = True) -> str:
    """A change as one inert line: what was done, to which session, and how it can be undone.

    :param title: of the session; "" if it is not known.
    :param hints: say how it can be undone, if it can.
    """
    if change.kind == "file" and change.after_id != change.session_id:
        made = f"forked from {_short(change.session_id)}"
        if change.source_agent:
            agents = [agent_named(name).title for name in (change.source_agent, change.agent)]
            made = f"handed over from {agents[0]} ({_short(change.session_id)}) to {agents[1]}"
        what = f"New session {_session(change.after_id or '', title)}, {made}"
        hint = "trashes it"
    elif change.kind == "trash" and is_copy(change.path):
        what, hint = f"Dropped the copy of {_session(change.session_id, title)}", "brings it back"
    elif change.kind == "trash":
        what = f"Trashed {_session(change.session_id, title)}"
        hint = "brings it back" if change.after else ""
    elif change.kind in ("restore", "file"):
        what = f"Restored {_session(change.session_id, title)}"
        # A session from an archive stays.
        hint = "trashes it again" if change.kind == "restore" else ""
    elif change.kind == "delete":
        what, hint = f"Deleted {_session(change.session_id, title)}", ""
    else:
        what, hint = _values(change, title), "" if change.is_nothing else "undoes it"
    return f"{what}. `leafmark undo` {hint}." if hint and hints else f"{what}."


def _values(change: Change, title: str) -> str:
    """The change of a session in words, with the values before and after."""
    of = f"of {_session(change.session_id, title)}"
    if change.kind == "leaf":
        what, before, after = f"Leaf {of}", _entry(change.before), _entry(change.target_id)
    elif change.kind in ("pin", "tags"):
        what, before, after = f"{change.kind.capitalize()} {of}", _value(change.before), _value(change.after)
    else:
        what = f"{change.kind.capitalize()} {of}"
        if change.kind == "label":
            what = f"Label of {_entry(change.target_id)} in {_session(change.session_id, title)}"
        before, after = _text(change.before), _text(change.after)
    return f"{what}: {after}, as before" if change.is_nothing else f"{what}: {before} → {after}"


def _session(session_id: str, title: str) -> str:
    if not session_id:
        return "what was written without a session"
    return f'"{one_line(title, 80)}" ({_short(session_id)})' if title else _short(session_id)


def _short(session_id: str) -> str:
    return one_line(short_id(session_id))


def _entry(value: str | None) -> str:
    if value is None:
        return ROOT
    return one_line(value if len(value) <= LONG_ENTRY_ID else value[:SHORT_ENTRY_ID])


def as_text(change: Change) -> str:
    """A change as inert lines: `as_line`, and the prompt to be edited and sent again, if there is one."""
    text = as_line(change, title_after(change)) + "\n"
    if change.prompt:
        text += f"prompt:\n{inert(change.prompt).rstrip()}\n"
    return text


def as_document(change: Change, path: str) -> dict[str, Any]:
    """A change as the JSON document of ``--json``.

    :param path: of the session that was named.
    """
    document = {"schema": SCHEMA, **change_fields(change, path, title_after(change))}
    if change.kind in ("leaf", "file"):
        document["prompt"] = change.prompt
    return document


def change_fields(change: Change, path: str | None, title: str) -> dict[str, Any]:
    """The fields of a change in a JSON document.

    :param path: of the session; None if it is unknown.
    :param title: of the session; "" if it is unknown.
    """
    return {
        "session": {
            "agent": change.agent,
            "session_id": change.session_id or None,
            "path": path,
            "title": title or None,
        },
        "change": {
            "kind": change.kind,
            "entry_id": change.entry_id or None,
            "target_id": change.target_id,
            "before": change.before,
            "after": change.after,
            "after_id": change.after_id,
        },
    }


def _text(value: str | None) -> str:
    return f'"{one_line(value, LIMIT)}"' if value else "none"


def _value(value: str | None) -> str:
    return one_line(value, LIMIT) if value else "none"
