"""The lines of the journal: a change each, or what has become of one."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from app.formats.lines import after_blanks
from app.sessions.manager.change import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FIELDS = frozenset(field.name for field in fields(Change))


@dataclass(slots=True)
class Recorded:
    """One change in the journal.

    :param number: what it is known by; later ones have higher numbers.
    :param at_ms: when it was noted, milliseconds since the epoch.
    :param action: the number of the first of the changes that were made together with it.
    :param stands: it was not taken back.
    :param is_told: it was said that something stands in the way of taking it back.
    :param by: what took it back, where that was one more move to the trash; `by_ms` when.
    """

    number: int
    at_ms: int
    change: Change
    action: int
    stands: bool = True
    is_told: bool = False
    by: Change | None = None
    by_ms: int = 0


def entries_of(data: bytes) -> list[Recorded]:
    """The changes in a journal, with what the lines after them say of them."""
    entries: dict[int, Recorded] = {}
    moved: dict[str, list[Recorded]] = {}
    for value in _values(data):
        taken_back, told = value.get("taken_back"), value.get("in_the_way")
        if isinstance(taken_back, int):
            if taken_back in entries:
                _take_back(entries[taken_back], value, moved)
            continue
        if isinstance(told, int):
            if told in entries:
                entries[told].is_told = True
            continue
        entry = _entry(value)
        if entry is not None:
            entries[entry.number] = entry
            if entry.change.kind == "trash" and entry.change.after:
                moved.setdefault(entry.change.after, []).append(entry)
    return list(entries.values())


def trashed_by(entries: Iterable[Recorded]) -> list[tuple[int, Change]]:
    """All moves to the trash of which it is known where they went, with their times, the last one last;
    whether they were taken back or not, and those that took something back.
    """
    found = [(entry.at_ms, entry.change) for entry in entries]
    found += [(entry.by_ms, entry.by) for entry in entries if entry.by is not None]
    to_trash = [(at_ms, change) for at_ms, change in found if change.kind == "trash" and change.after]
    return sorted(to_trash, key=lambda one: one[0])


def actions_of(entries: Iterable[Recorded]) -> list[list[Recorded]]:
    """Those that were made together in one list; by the last of each, oldest first."""
    found: dict[int, list[Recorded]] = {}
    for entry in entries:
        found.setdefault(entry.action, []).append(entry)
    return sorted(found.values(), key=lambda steps: steps[-1].number)


def number_in(line: bytes) -> int:
    """The number of the change in a line, also of one that another version wrote; 0 where it has none."""
    value = _value(line) if b'"number"' in line else None
    number = None if value is None else value.get("number")
    return number if type(number) is int else 0


def written(value: dict[str, Any]) -> bytes:
    """A line of the journal, to its end."""
    return json.dumps(value).encode("ascii") + b"\n"


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A change that was about to be made when its process ended; whether it was made, the files show.

    :param path: of the file that says so.
    :param token: stands in the journal's line about the same change, if there is one.
    :param at_ms: when the change was begun, milliseconds since the epoch.
    :param action: see `Recorded`; 0 for a change that begins an action.
    :param undoes: the number of the change that it undoes; 0 for none.
    """

    path: str
    token: str
    at_ms: int
    action: int
    undoes: int
    change: Change


def interrupted_in(data: bytes, path: str) -> Interrupted | None:
    """The content of the file at `path`; None for what is not complete, or another version wrote."""
    value = _value(data) or {}
    change, token = _change(value.get("change")), value.get("intent")
    at_ms, action, undoes = (value.get(name) for name in ("at", "action", "undoes"))
    if change is None or not isinstance(token, str):
        return None
    if not (isinstance(at_ms, int) and isinstance(action, int) and isinstance(undoes, int)):
        return None
    return Interrupted(path, token, at_ms, action, undoes, change)


def intent_line(token: str, at_ms: int, action: int, undoes: int, change: Change) -> bytes:
    """The content of a file about a change that is about to be made; parameters as of `Interrupted`."""
    value = {"intent": token, "at": at_ms, "action": action, "undoes": undoes, "change": _stored(change)}
    return written(value)


def as_line(entry: Recorded, intent: str = "") -> bytes:
    """The line of a change, with what has become of it.

    :param intent: the token of its intent, "" for none.
    """
    value: dict[str, Any] = {
        "number": entry.number,
        "at": entry.at_ms,
        "action": entry.action,
        "stands": entry.stands,
        "told": entry.is_told,
        "change": _stored(entry.change),
    }
    if entry.by is not None:
        value |= {"by": _stored(entry.by), "by_at": entry.by_ms}
    return written(value | ({"intent": intent} if intent else {}))


def taken_back_line(number: int, by: Change | None, at_ms: int, intent: str = "") -> bytes:
    """The line that says that the change of this number was taken back.

    :param by: what did it; where a session lies in the trash by that, the line has it.
    :param intent: the token of its intent, "" for none.
    """
    value: dict[str, Any] = {"taken_back": number, "at": at_ms}
    if by is not None and by.kind == "trash":
        value["by"] = _stored(by)
    return written(value | ({"intent": intent} if intent else {}))


def _stored(change: Change) -> dict[str, Any]:
    """The fields of a change without its prompt: an older leafmark refuses a field that it does not know, and
    the prompt stays in the session.
    """
    value = asdict(change)
    del value["prompt"]
    return value


def _take_back(entry: Recorded, value: dict[str, Any], moved: dict[str, list[Recorded]]) -> None:
    """Note in `entry` what a line says that was written when it was taken back.

    :param moved: the moves to the trash, by where the session lay then.
    """
    entry.stands = False
    at_ms, by = value.get("at"), _change(value.get("by"))
    if by is None or not isinstance(at_ms, int):
        return
    entry.by, entry.by_ms = by, at_ms
    restored = entry.change
    if restored.kind != "restore":
        return
    # The move that the restore took back stands again, with the session where it lies now.
    for before in reversed(moved.get(restored.before or "", ())):
        if before.number < entry.number and not before.stands and before.change.path == restored.path:
            before.change, before.stands, before.is_told = by, True, False
            if by.after:
                moved.setdefault(by.after, []).append(before)
            return


def _values(data: bytes) -> Iterator[dict[str, Any]]:
    start = 0
    while start < len(data):
        start, _ = after_blanks(data, start, len(data))
        end = data.find(b"\n", start)
        value = _value(data[start : end if end >= 0 else len(data)])
        if value is not None:
            yield value
        start = end + 1 if end >= 0 else len(data)


def _value(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _entry(value: dict[str, Any]) -> Recorded | None:
    """What a line says; None where another version, or nobody, wrote it."""
    number, at_ms, change = value.get("number"), value.get("at"), _change(value.get("change"))
    if not (isinstance(number, int) and isinstance(at_ms, int)) or change is None:
        return None
    action, by_ms = value.get("action"), value.get("by_at")
    return Recorded(
        number,
        at_ms,
        change,
        action if isinstance(action, int) else number,
        stands=value.get("stands") is not False,
        is_told=value.get("told") is True,
        by=_change(value.get("by")),
        by_ms=by_ms if isinstance(by_ms, int) else at_ms,
    )


def _change(value: object) -> Change | None:
    if not isinstance(value, dict) or not value.keys() <= _FIELDS:
        return None
    if not all(isinstance(value.get(name), str) for name in ("kind", "path")):
        return None
    try:
        moves = tuple((str(was), str(now)) for was, now in value.get("moves", ()))
        return Change(**{"entry_id": "", **value, "moves": moves})
    except (TypeError, ValueError):
        return None
