"""The lines of the journal: each has a change, or a later state of one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeGuard

from app.formats.lines import skip_blanks
from app.formats.text import string_of
from app.sessions.manager.change import Change
from app.small_files import path_problem
from app.stores import AGENTS

_FIELDS = frozenset(field.name for field in fields(Change))
_TEXTS = ("entry_id", "agent", "session_id", "note", "draft", "source_agent")
_OPTIONAL_TEXTS = ("before", "after", "target_id", "after_id", "prompt")
_MOVED = frozenset(("trash", "restore", "delete", "file", "move", "keep"))
"""The kinds of changes whose `before` and `after` are paths."""
_AGENTS = frozenset(("", *(agent.name for agent in AGENTS)))
_LARGEST = 1 << 47
"""Milliseconds since the epoch that no clock shows before the year 6000."""


@dataclass(slots=True)
class JournalEntry:
    """One change in the journal.

    :param number: its id; later changes have higher numbers.
    :param at_ms: when it was recorded, milliseconds since the epoch.
    :param action: the number of the first change of the same action.
    :param is_active: it was not undone.
    :param is_reported: the user was told why it cannot be undone now.
    :param by: the change that undid it, if that was another move to the trash; `by_ms`: when.
    :param reason: why it cannot be undone, "" if it can, or was not tried.
    :param redoes: the number of the undone change that it made again; 0 for none.
    :param undone_as: the place in the order of undos, from 1; 0 if it was not undone, or cannot be redone.
    :param undone_ms: when it was undone, milliseconds since the epoch.
    """

    number: int
    at_ms: int
    change: Change
    action: int
    is_active: bool = True
    is_reported: bool = False
    by: Change | None = None
    by_ms: int = 0
    reason: str = ""
    redoes: int = 0
    undone_as: int = 0
    undone_ms: int = 0


def parse_entries(data: bytes) -> list[JournalEntry]:
    """The changes in a journal, each with the state that later lines give it."""
    entries: dict[int, JournalEntry] = {}
    moved: dict[str, list[JournalEntry]] = {}
    redoable: dict[int, JournalEntry] = {}
    for place, value in enumerate(_parse_lines(data), 1):
        undone, reported, dropped = value.get("taken_back"), value.get("in_the_way"), value.get("not_redone")
        if _is_number(undone):
            if undone in entries:
                entry = entries[undone]
                _apply_undo(entry, value, moved)
                entry.reason = string_of(value.get("reason"))
                if value.get("redo") is True:
                    entry.undone_as, entry.undone_ms = place, _number(value.get("at"))
                    redoable[undone] = entry
            continue
        if _is_number(reported):
            if reported in entries:
                entries[reported].is_reported = True
                entries[reported].reason = string_of(value.get("reason"))
            continue
        if _is_number(dropped):
            if dropped in redoable:
                redoable.pop(dropped).undone_as = 0
            continue
        parsed = _parse_entry(value)
        if parsed is not None:
            entry = entries[parsed.number] = parsed
            if entry.redoes in redoable:
                redoable.pop(entry.redoes).undone_as = 0
            elif not entry.redoes:
                # A new change ends what can be redone.
                for other in redoable.values():
                    other.undone_as = 0
                redoable.clear()
            if entry.change.kind == "trash" and entry.change.after:
                moved.setdefault(entry.change.after, []).append(entry)
    return list(entries.values())


def trash_moves(entries: Iterable[JournalEntry]) -> list[tuple[int, Change]]:
    """All moves to the trash whose path there is known, with their times, the last one last; also those that
    were undone, and those that undid a change.
    """
    changes = [(entry.at_ms, entry.change) for entry in entries]
    changes += [(entry.by_ms, entry.by) for entry in entries if entry.by is not None]
    moves = [(at_ms, change) for at_ms, change in changes if change.kind == "trash" and change.after]
    return sorted(moves, key=lambda move: move[0])


def group_by_action(entries: Iterable[JournalEntry]) -> list[list[JournalEntry]]:
    """One list for each action; sorted by the last change of each, oldest first."""
    actions: dict[int, list[JournalEntry]] = {}
    for entry in entries:
        actions.setdefault(entry.action, []).append(entry)
    return sorted(actions.values(), key=lambda steps: steps[-1].number)


def parse_number(line: bytes) -> int:
    """The number of the change in a line, also in one that another version wrote; 0 for none."""
    value = _parse_line(line) if b'"number"' in line else None
    number = None if value is None else value.get("number")
    return _number(number)


def encode_line(value: dict[str, Any]) -> bytes:
    """A complete line of the journal."""
    return json.dumps(value).encode("ascii") + b"\n"


@dataclass(frozen=True, slots=True)
class InterruptedChange:
    """A change that was announced by a process that has ended. The files show whether it was made.

    :param path: of the intent file.
    :param token: is also in the journal's line about the same change, if there is one.
    :param at_ms: when the change was begun, milliseconds since the epoch.
    :param action: see `JournalEntry`; 0 for a change that begins an action.
    :param undoes: the number of the change that it undoes; 0 for none.
    :param redoes: the number of the undone change that it makes again; 0 for none.
    """

    path: str
    token: str
    at_ms: int
    action: int
    undoes: int
    change: Change
    redoes: int = 0


def parse_intent(data: bytes, path: str) -> InterruptedChange | None:
    """The content of the intent file at `path`; None if it is incomplete, or another version wrote it."""
    value = _parse_line(data) or {}
    change, token = _parse_change(value.get("change")), value.get("intent")
    at_ms, action, undoes = (value.get(name) for name in ("at", "action", "undoes"))
    if change is None or not isinstance(token, str):
        return None
    if not (_is_number(at_ms) and _is_number(action) and _is_number(undoes)):
        return None
    return InterruptedChange(path, token, at_ms, action, undoes, change, _number(value.get("redoes")))


def encode_intent(token: str, at_ms: int, action: int, undoes: int, change: Change, redoes: int) -> bytes:
    """The content of the intent file of a change. `InterruptedChange` has the parameters."""
    value: dict[str, Any] = {
        "intent": token,
        "at": at_ms,
        "action": action,
        "undoes": undoes,
        "change": _change_fields(change),
    }
    return encode_line(value | ({"redoes": redoes} if redoes else {}))


def encode_entry(entry: JournalEntry, intent: str = "") -> bytes:
    """The line of a change with its state.

    :param intent: the token of its intent, "" for none.
    """
    value: dict[str, Any] = {
        "number": entry.number,
        "at": entry.at_ms,
        "action": entry.action,
        "stands": entry.is_active,
        "told": entry.is_reported,
        "change": _change_fields(entry.change),
    }
    if entry.by is not None:
        value |= {"by": _change_fields(entry.by), "by_at": entry.by_ms}
    if entry.reason:
        value["reason"] = entry.reason
    if entry.redoes:
        value["redoes"] = entry.redoes
    return encode_line(value | ({"intent": intent} if intent else {}))


def encode_undone(
    number: int, by: Change | None, at_ms: int, intent: str = "", *, redo: bool = False, reason: str = ""
) -> bytes:
    """The line that says that the change of this number was undone.

    :param by: the change that undid it; the line has it if it moved a session to the trash.
    :param intent: the token of its intent, "" for none.
    :param redo: it can be redone.
    :param reason: why it can never be undone, "" if it was.
    """
    value: dict[str, Any] = {"taken_back": number, "at": at_ms}
    if redo:
        value["redo"] = True
    if reason:
        value["reason"] = reason
    if by is not None and by.kind == "trash":
        value["by"] = _change_fields(by)
    return encode_line(value | ({"intent": intent} if intent else {}))


def _change_fields(change: Change) -> dict[str, Any]:
    """The fields of a change without its prompt: an older leafmark refuses a field that it does not know, and
    the prompt stays in the session. Replaced lines and the agent of the source are left out if there are
    none, for the same reason.
    """
    value = asdict(change)
    del value["prompt"]
    if not change.lines:
        del value["lines"]
    if not change.source_agent:
        del value["source_agent"]
    return value


def _apply_undo(entry: JournalEntry, value: dict[str, Any], moved: dict[str, list[JournalEntry]]) -> None:
    """Apply to `entry` a line that was written when it was undone.

    :param moved: the moves to the trash, by their path there.
    """
    entry.is_active = False
    at_ms, by = value.get("at"), _parse_change(value.get("by"))
    if by is None or not _is_number(at_ms):
        return
    entry.by, entry.by_ms = by, at_ms
    restored = entry.change
    if restored.kind != "restore":
        return
    # The move that the restore undid is active again, with the session's new path in the trash.
    for before in reversed(moved.get(restored.before or "", ())):
        if before.number < entry.number and not before.is_active and before.change.path == restored.path:
            # The lines that the restore had appended to the session are not part of it any more.
            before.change, before.is_active, before.is_reported = replace(by, lines=()), True, False
            if by.after:
                moved.setdefault(by.after, []).append(before)
            return


def _parse_lines(data: bytes) -> Iterator[dict[str, Any]]:
    start = 0
    while start < len(data):
        start, _ = skip_blanks(data, start, len(data))
        end = data.find(b"\n", start)
        value = _parse_line(data[start : end if end >= 0 else len(data)])
        if value is not None:
            yield value
        start = end + 1 if end >= 0 else len(data)


def _parse_line(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parse_entry(value: dict[str, Any]) -> JournalEntry | None:
    """The entry of a line; None if another version wrote it, or it is damaged."""
    number, at_ms, change = value.get("number"), value.get("at"), _parse_change(value.get("change"))
    if not (_is_number(number) and _is_number(at_ms)) or change is None:
        return None
    action, by_ms = value.get("action"), value.get("by_at")
    return JournalEntry(
        number,
        at_ms,
        change,
        action if _is_number(action) else number,
        is_active=value.get("stands") is not False,
        is_reported=value.get("told") is True,
        by=_parse_change(value.get("by")),
        by_ms=by_ms if _is_number(by_ms) else at_ms,
        reason=string_of(value.get("reason")),
        redoes=_number(value.get("redoes")),
    )


def _parse_change(value: object) -> Change | None:
    """The change in a line; None if it has a field that this version does not know, or is damaged."""
    if not isinstance(value, dict) or not value.keys() <= _FIELDS:
        return None
    texts = [value.get(name, "") for name in _TEXTS]
    optional = [value.get(name) for name in _OPTIONAL_TEXTS]
    rows = _rows(value.get("moves", ()), 2), _rows(value.get("lines", ()), 3)
    if not all(isinstance(text, str) for text in (*texts, value.get("kind"), value.get("path"))):
        return None
    if not all(isinstance(text, str | None) for text in optional) or None in rows:
        return None
    if not isinstance(value.get("draft_folder", False), bool) or value.get("agent", "") not in _AGENTS:
        return None
    moves, lines = rows
    change = Change(**{"entry_id": "", **value, "moves": moves, "lines": lines})
    paths = [change.path, *(path for pair in change.moves for path in pair)]
    if change.kind in _MOVED:
        paths += [path for path in (change.before, change.after) if path is not None]
    return None if any(map(path_problem, paths)) else change


def _rows(value: object, width: int) -> tuple[tuple[str, ...], ...] | None:
    """A list of lists of `width` texts as tuples; None if it is something else."""
    if not isinstance(value, list | tuple):
        return None
    for row in value:
        is_row = isinstance(row, list) and len(row) == width and all(isinstance(text, str) for text in row)
        if not is_row or any(map(_is_unwritable, row)):
            return None
    return tuple(map(tuple, value))


def _is_unwritable(text: str) -> bool:
    """Whether a text has half a character, which no file of an agent has."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return True
    return False


def _number(value: object) -> int:
    return value if _is_number(value) else 0


def _is_number(value: object) -> TypeGuard[int]:
    """Whether it is a number or a time that leafmark can have written."""
    return type(value) is int and 0 <= value < _LARGEST
