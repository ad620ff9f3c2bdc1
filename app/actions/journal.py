"""What leafmark did to sessions, so that the last of it can be taken back, also by another run (issue 5).

It is leafmark's own file, `journal.jsonl` in its state folder: a line for each change, and a line for each
that was taken back. Several programs may write to it at a time.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from app.sessions.change import Change
from app.sessions.tracked_file import now_ms
from app.stores.locks import FileLock

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "journal.jsonl"
KEPT = 1_000
"""So many changes are kept; the file is written anew when it has `_MORE` lines more."""

_MORE = 200
_FIELDS = frozenset(field.name for field in fields(Change))


@dataclass(slots=True)
class Recorded:
    """One change in the journal.

    :param number: what it is known by; later ones have higher numbers.
    :param at_ms: when it was noted, milliseconds since the epoch.
    :param stands: it was not taken back.
    """

    number: int
    at_ms: int
    change: Change
    stands: bool = True


class Journal:
    """The journal in a state folder, which need not exist.

    Reading it never fails: what cannot be read is as if it were not there.
    """

    def __init__(self, state_folder: str) -> None:
        self._folder = state_folder
        self._path = os.path.join(state_folder, NAME)

    def record(self, change: Change) -> int:
        """Note a change.

        :return: its number, by which it can be said to be taken back; 0 where nothing was done.
        :raises OSError: it cannot be written.
        """
        if change.is_nothing:
            return 0
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with self._locked():
            entries = self._entries()
            number = entries[-1].number + 1 if entries else 1
            self._append(_line(number, now_ms(), change))
        return number

    def last(self) -> tuple[int, Change] | None:
        """The last change that was not taken back, with its number; None where there is none."""
        standing = self.standing()
        return (standing[-1].number, standing[-1].change) if standing else None

    def standing(self) -> list[Recorded]:
        """The changes that were not taken back, oldest first."""
        return [entry for entry in self._entries() if entry.stands]

    def taken_back(self, number: int) -> None:
        """Note that the change of this number was taken back, or never can be: it is not the last any more.

        :raises OSError: it cannot be written.
        """
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with self._locked():
            self._append({"taken_back": number, "at": now_ms()})

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
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, text)
        finally:
            os.close(descriptor)

    def _rewrite(self, more: bytes) -> None:
        descriptor, temporary = tempfile.mkstemp(dir=self._folder)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for entry in self._entries()[1 - KEPT :]:
                    line = _line(entry.number, entry.at_ms, entry.change, entry.stands)
                    file.write(json.dumps(line).encode("ascii") + b"\n")
                file.write(more)
            os.replace(temporary, self._path)
        except OSError:
            os.unlink(temporary)
            raise

    def _lines(self) -> list[bytes]:
        try:
            with open(self._path, "rb") as file:
                return file.readlines()
        except OSError:
            return []

    def _entries(self) -> list[Recorded]:
        entries: dict[int, Recorded] = {}
        for value in self._values():
            number = value.get("taken_back")
            if isinstance(number, int):
                if number in entries:
                    entries[number].stands = False
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


def _line(number: int, at_ms: int, change: Change, stands: bool = True) -> dict[str, Any]:
    return {"number": number, "at": at_ms, "stands": stands, "change": asdict(change)}


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
    return Recorded(number, at_ms, made, value.get("stands") is not False)
