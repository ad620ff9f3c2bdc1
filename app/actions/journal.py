"""What leafmark did to sessions, so that the last of it can be taken back, also by another run (issue 5).

It is leafmark's own file, `journal.jsonl` in its state folder: a line for each change, and a line for each
that was taken back or of which it was said why that cannot be. Several programs may write to it at a time.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass, fields
from io import BytesIO
from typing import TYPE_CHECKING, Any

from app.sessions.change import Change
from app.sessions.tracked_file import now_ms
from app.small_files import read_small
from app.stores.locks import FileLock

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "journal.jsonl"
KEPT = 1_000
"""So many changes are kept; the file is written anew when it has `_MORE` lines more."""

_MORE = 200
_LONGEST = 64 << 20
# Not waiting: with a named pipe in its place nothing is noted, and nothing hangs.
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
_FIELDS = frozenset(field.name for field in fields(Change))


@dataclass(slots=True)
class Recorded:
    """One change in the journal.

    :param number: what it is known by; later ones have higher numbers.
    :param at_ms: when it was noted, milliseconds since the epoch.
    :param action: the number of the first of the changes that were made together with it.
    :param stands: it was not taken back.
    :param is_told: it was said that something stands in the way of taking it back.
    """

    number: int
    at_ms: int
    change: Change
    action: int
    stands: bool = True
    is_told: bool = False


class Journal:
    """The journal in a state folder, which need not exist.

    Reading it never fails: what cannot be read is as if it were not there.
    """

    def __init__(self, state_folder: str) -> None:
        self._folder = state_folder
        self._path = os.path.join(state_folder, NAME)

    def record(self, change: Change, action: int = 0) -> int:
        """Note a change.

        :param action: the number of the first of those that are made together with it; 0: it is the first.
        :return: its number, by which it can be said to be taken back; 0 where nothing was done.
        :raises OSError: it cannot be written.
        """
        if change.is_nothing:
            return 0
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with self._locked():
            entries = self._entries()
            number = entries[-1].number + 1 if entries else 1
            self._append(_line(Recorded(number, now_ms(), change, action or number)))
        return number

    def standing(self) -> list[Recorded]:
        """The changes that were not taken back, oldest first."""
        return [entry for entry in self._entries() if entry.stands]

    def undone(self) -> set[int]:
        """The numbers of the changes that were taken back, as far as they are kept."""
        return {entry.number for entry in self._entries() if not entry.stands}

    def actions(self) -> list[list[Recorded]]:
        """The changes that were not taken back, those that were made together in one list;
        by the last of each, oldest first.
        """
        found: dict[int, list[Recorded]] = {}
        for entry in self.standing():
            found.setdefault(entry.action, []).append(entry)
        return sorted(found.values(), key=lambda steps: steps[-1].number)

    def taken_back(self, number: int) -> None:
        """Note that the change of this number was taken back, or never can be: it is not the last any more.

        :raises OSError: it cannot be written.
        """
        self._note({"taken_back": number, "at": now_ms()})

    def told(self, number: int) -> None:
        """Note that it was said what stands in the way of taking the change of this number back.

        :raises OSError: it cannot be written.
        """
        self._note({"in_the_way": number, "at": now_ms()})

    def _note(self, value: dict[str, Any]) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with self._locked():
            self._append(value)

    def _locked(self) -> FileLock:
        return FileLock(self._path + ".lock")

    def _append(self, value: dict[str, Any]) -> None:
        """Add a line, in one write; of many lines the oldest go."""
        lines = self._lines()
        text = json.dumps(value).encode("ascii") + b"\n"
        if len(lines) >= KEPT + _MORE:
            self._rewrite(text)
            return
        if lines and not lines[-1].endswith(b"\n"):  # torn
            text = b"\n" + text
        descriptor = os.open(self._path, _APPEND, 0o600)
        try:
            os.write(descriptor, text)
        finally:
            os.close(descriptor)

    def _rewrite(self, more: bytes) -> None:
        descriptor, temporary = tempfile.mkstemp(dir=self._folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for entry in self._entries()[1 - KEPT :]:
                    file.write(json.dumps(_line(entry)).encode("ascii") + b"\n")
                file.write(more)
            os.replace(temporary, self._path)
        except OSError:
            os.unlink(temporary)
            raise

    def _lines(self) -> list[bytes]:
        try:
            return BytesIO(read_small(self._path, _LONGEST)).readlines()
        except OSError:
            return []

    def _entries(self) -> list[Recorded]:
        entries: dict[int, Recorded] = {}
        for value in self._values():
            taken_back, told = value.get("taken_back"), value.get("in_the_way")
            if isinstance(taken_back, int):
                if taken_back in entries:
                    entries[taken_back].stands = False
                continue
            if isinstance(told, int):
                if told in entries:
                    entries[told].is_told = True
                continue
            entry = _entry(value)
            if entry is not None:
                entries[entry.number] = entry
        return list(entries.values())

    def _values(self) -> Iterator[dict[str, Any]]:
        for line in self._lines():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def _line(entry: Recorded) -> dict[str, Any]:
    return {
        "number": entry.number,
        "at": entry.at_ms,
        "action": entry.action,
        "stands": entry.stands,
        "told": entry.is_told,
        "change": asdict(entry.change),
    }


def _entry(value: dict[str, Any]) -> Recorded | None:
    """What a line says; None where another version, or nobody, wrote it."""
    number, at_ms, change = value.get("number"), value.get("at"), value.get("change")
    if not (isinstance(number, int) and isinstance(at_ms, int) and isinstance(change, dict)):
        return None
    if not change.keys() <= _FIELDS or not all(
        isinstance(change.get(name), str) for name in ("kind", "path")
    ):
        return None
    try:
        moves = tuple((str(was), str(now)) for was, now in change.get("moves", ()))
        made = Change(**{"entry_id": "", **change, "moves": moves})
    except (TypeError, ValueError):
        return None
    action = value.get("action")
    return Recorded(
        number,
        at_ms,
        made,
        action if isinstance(action, int) else number,
        stands=value.get("stands") is not False,
        is_told=value.get("told") is True,
    )
