"""The words of the history: an action, its state and time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.stores.kept import is_copy_of
from app.view.cells import pad, shorten, stable_width, width
from app.view.formatting import age, moment

if TYPE_CHECKING:
    from app.actions.history import HistoryStep
    from app.sessions.manager.change import Change
    from app.view.line import Line

LEAST_TITLE = 8
"""Fewest cells of a title in a line."""
_STATE_CELLS = 9


def clock_or_age(at_ms: int, now_ms: int) -> str:
    """When something was done: the local time today, as `12:40`, else its age, as `2d`.

    :param at_ms: milliseconds since the epoch; ``now_ms`` is the present.
    """
    shown = moment(at_ms, now_ms)
    return age(at_ms, now_ms) if " " in shown else shown


def words_of_action(changes: Sequence[Change], title: str) -> str:
    """An action in words, for example `Label "cause found" on Flaky login`; inert, of any length.

    :param changes: all changes of the action, at least one.
    :param title: the raw title of the session, "" if it is unknown.
    """
    # the changes may begin with a move that made room for a restored file
    change = changes[-1]
    same = [other for other in changes if other.kind == change.kind]
    name = one_line(title, 500) or "a session"
    if len(same) > 1:
        name = f"{len(same):,} sessions"
    quoted = f'"{name}"' if len(same) == 1 and title else name
    before, after = (one_line(value or "", 500) for value in (change.before, change.after))
    if change.kind == "name":
        if change.after is None:
            return f"Clear the name of {quoted}"
        if len(same) == 1:
            return f'Rename "{before}" to "{after}"' if before else f'Rename to "{after}"'
        return f"Rename {name}"
    if change.kind == "label":
        if change.after is None:
            return f'Remove the label "{before}" from {name}'
        return f'Label "{after}" on {name}'
    if change.kind == "tags":
        note = " and the note" if change.lines else ""
        return f"{_tags_changed(before, after)}{note} on {name}"
    if change.kind == "note":
        return f"{'Remove the note' if change.after is None else 'Note'} on {name}"
    verb = {
        "trash": "Trash",
        "restore": "Restore",
        "leaf": "Move the leaf of",
        "delete": "Delete",
        "rewrite": "Rewrite entries of",
        "move": "Move",
        "keep": "Keep",
    }
    if change.kind == "pin":
        return f"{'Unpin' if change.after is None else 'Pin'} {quoted}"
    if change.kind == "file":
        if is_copy_of(change.before or "", change.after or ""):
            return f"Restore {quoted}"
        if change.after_id == change.session_id:
            return f"Restore {quoted} from the archive"
        return f"Hand {quoted} over to {change.agent}" if change.source_agent else f"Fork {quoted}"
    return f"{verb.get(change.kind, 'Change')} {quoted}"


def _tags_changed(before: str, after: str) -> str:
    old, new = before.split(), after.split()
    added = [f"#{tag}" for tag in new if tag not in old]
    removed = [f"#{tag}" for tag in old if tag not in new]
    words = [f"Tag {' '.join(added)}"] if added else []
    if removed:
        words.append(f"{'remove' if added else 'Remove'} {' '.join(removed)}")
    return ", ".join(words) or "Tags"


def history_line(step: HistoryStep, cells: int, now_ms: int, hint: str) -> Line:
    """An action as a line of at most `cells` cells: its state, time, words, and the key for it.

    :param now_ms: milliseconds since the epoch.
    :param hint: the key that undoes or redoes it now; "" for none.
    """
    style = {"done": "text", "undone": "dim", "blocked": "warning"}[step.state]
    end = f"  {hint}" if hint else ""
    time = f"{clock_or_age(step.at_ms, now_ms):<5}  "
    room = max(0, cells - _STATE_CELLS - width(time) - width(end))
    words = stable_width(words_of_action(step.changes, step.title))
    if step.reason:
        reason = f": {one_line(step.reason, 200)}"
        words = shorten(words, max(LEAST_TITLE, room - width(reason))) + reason
    return [
        (f"{step.state:<{_STATE_CELLS}}", style),
        (time, "dim"),
        (pad(shorten(words, room), room), "dim" if step.state == "undone" else "title"),
        (end, "key"),
    ]
