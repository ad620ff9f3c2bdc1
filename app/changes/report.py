"""Shared parts of the commands that change sessions: exit codes, the journal, and printing a change."""

from __future__ import annotations

from typing import Any

from app.actions.journal import Intent, Journal
from app.actions.session_edits import ROOT
from app.actions.undo import settle_interrupted
from app.formats.text import inert, one_line
from app.reports.output import complain
from app.sessions.manager.change import Change
from app.setup import Setup

NOT_FOUND, WRONG_USE, REFUSED = 1, 2, 3


class WrongUse(Exception):
    """The arguments do not fit together; the text says why."""


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


def mark_impossible(number: int, reason: str, setup: Setup) -> None:
    """Record that a change of the journal can never be undone."""
    try:
        Journal(setup.state_folder).mark_undone(number, reason=reason)
    except OSError as error:
        _complain_of_journal(error, setup)


def mark_reported(number: int, reason: str, setup: Setup) -> None:
    """Record that the user was told why a change cannot be undone now."""
    try:
        Journal(setup.state_folder).mark_reported(number, reason)
    except OSError as error:
        _complain_of_journal(error, setup)


def _complain_of_journal(error: OSError, setup: Setup) -> None:
    # If a write to an open file fails, the error names no path.
    complain(f"undo will not know of it: {error.filename or setup.state_folder}: {error.strerror or error}")


SCHEMA = 1
LIMIT = 1_000
"""Characters that are shown of a name, a label or a path."""

# Among these, a change of kind "file" is a session that came out of an archive.
_VERBS = {"trash": "trashed", "restore": "restored", "delete": "deleted", "file": "restored"}
_UNKNOWN_PLACES = {"trash": "the trash", "restore": "its place", "delete": "gone", "file": "its place"}


def as_line(change: Change) -> str:
    """A change as one inert line, with the values before and after."""
    if change.kind == "file" and change.after_id != change.session_id:
        return f"new session {_id(change.after_id)}: {_id(change.before)} → {_id(change.after)}"
    if change.kind in _VERBS:
        after = _id(change.after) if change.after else _UNKNOWN_PLACES[change.kind]
        what = _id(change.session_id) or "what was written without a session"
        return f"{_VERBS[change.kind]} {what}: {_id(change.before)} → {after}"
    if change.kind == "leaf":
        what = "leaf"
        before, after = _id(change.before), _id(change.target_id)
    elif change.kind in ("pin", "tags"):
        what, before, after = change.kind, _value(change.before), _value(change.after)
    else:
        what = f"label of {_id(change.target_id)}" if change.kind == "label" else change.kind
        before, after = _text(change.before), _text(change.after)
    if change.is_nothing:
        return f"{what}: {after}, as before"
    return f"{what}: {before} → {after}"


def as_text(change: Change) -> str:
    """A change as inert lines: `as_line`, and the prompt to be edited and sent again, if there is one."""
    text = as_line(change) + "\n"
    if change.prompt:
        text += f"prompt:\n{inert(change.prompt).rstrip()}\n"
    return text


def as_document(change: Change, path: str) -> dict[str, Any]:
    """A change as the JSON document of ``--json``.

    :param path: of the session that was named.
    """
    document = {"schema": SCHEMA, **change_fields(change, path)}
    if change.kind in ("leaf", "file"):
        document["prompt"] = change.prompt
    return document


def change_fields(change: Change, path: str | None) -> dict[str, Any]:
    """The fields of a change in a JSON document.

    :param path: of the session; None if it is unknown.
    """
    return {
        "session": {"agent": change.agent, "id": change.session_id or None, "path": path},
        "change": {
            "kind": change.kind,
            "entry_id": change.entry_id or None,
            "target_id": change.target_id,
            "before": change.before,
            "after": change.after,
            "after_id": change.after_id,
        },
    }


def _id(value: str | None) -> str:
    return ROOT if value is None else one_line(value, LIMIT)


def _text(value: str | None) -> str:
    return f'"{one_line(value, LIMIT)}"' if value else "none"


def _value(value: str | None) -> str:
    return one_line(value, LIMIT) if value else "none"
