"""What leafmark did to sessions, so that the last of it can be taken back, also by another run.

It is leafmark's own file, `journal.jsonl` in its state folder: a line for each change, and a line for each
that was taken back or of which it was said why that cannot be. Several programs may write to it at a time.
What went to the trash is known by it as long as it lies there, whatever was done and taken back since.

While a change is being made, a file beside the journal says which one (`Journal.intend`). If the process is
killed, that file stays, and the next leafmark settles it (`app.actions.earlier`). An older leafmark does not
look at such files.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from app.actions.recorded import (
    Interrupted,
    Recorded,
    actions_of,
    as_line,
    entries_of,
    intent_line,
    interrupted_in,
    number_in,
    taken_back_line,
    trashed_by,
    written,
)
from app.formats.lines import BLANK_BYTES, run_start
from app.paths import make_own_folders
from app.sessions.manager.change import announced_to
from app.sessions.manager.tracked_file import now_ms
from app.small_files import check_regular, read_small, write_whole
from app.stores.locks import FileLock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from app.sessions.manager.change import Change

NAME = "journal.jsonl"
KEPT = 1_000
"""So many actions are kept, each with all its changes, and older ones of which something lies in the trash.
The file is written anew when it has `_MORE` more.
"""
KEPT_BYTES = 64 << 20
"""Of a file that is longer the oldest actions go as well, but never the last one."""

_INTENT = f"{NAME}.intent-"
_MORE = 200
_LONGEST = 256 << 20
"""Of a file that is longer only the end is read."""

# A crash may leave gigabytes of them behind the last line.
_EMPTY = BLANK_BYTES + b"\0"
_BLOCK = 8 << 10
# Not waiting: with a named pipe in its place nothing is noted, and nothing hangs.
_NOT_WAITING = getattr(os, "O_NONBLOCK", 0)
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NOT_WAITING
_READ = os.O_RDONLY | _NOT_WAITING | getattr(os, "O_BINARY", 0)


class Journal:
    """The journal in a state folder, which need not exist.

    Reading it never fails: what cannot be read is as if it were not there.
    """

    def __init__(self, state_folder: str) -> None:
        self._folder = state_folder
        self._path = os.path.join(state_folder, NAME)

    def record(self, change: Change, action: int = 0, *, intent: str = "", at_ms: int = 0) -> int:
        """Note a change. A restore undoes the moves to the trash that put the session where it lay.

        :param action: the number of the first of those that are made together with it; 0: it is the first.
        :param intent: the token of the intent that said so before, "" for none.
        :param at_ms: when it was made, milliseconds since the epoch; 0 for now.
        :return: its number, by which it can be said to be taken back; 0 where nothing was done.
        :raises OSError: it cannot be written.
        """
        if change.is_nothing:
            return 0
        make_own_folders(self._folder)
        with self._locked():
            number = self._last_number() + 1
            at_ms = at_ms or now_ms()
            text = as_line(Recorded(number, at_ms, change, action or number), intent)
            if change.kind == "restore":
                moved = [each for each in self.standing() if _put_there(each.change, change)]
                text = b"".join(taken_back_line(each.number, None, at_ms) for each in moved) + text
            # Between two actions: none is cut in two, and one of thousands of changes asks but once.
            if action or not self._thin_out(text):
                self._append(text)
        return number

    def standing(self) -> list[Recorded]:
        """The changes that were not taken back, oldest first."""
        return [entry for entry in entries_of(self._read()) if entry.stands]

    def undone(self) -> set[int]:
        """The numbers of the changes that were taken back, as far as they are kept."""
        return {entry.number for entry in entries_of(self._read()) if not entry.stands}

    def actions(self) -> list[list[Recorded]]:
        """The changes that were not taken back, those that were made together in one list;
        by the last of each, oldest first.
        """
        return actions_of(self.standing())

    def trashed(self) -> list[tuple[int, Change]]:
        """Each move to the trash, with its time, the last one last; also those that were taken back since,
        and those that took something back. What lies where one of them went may be another thing by now.
        """
        return trashed_by(entries_of(self._read()))

    def taken_back(self, number: int, by: Change | None = None, *, intent: str = "") -> None:
        """Note that the change of this number was taken back, or never can be: it is not the last any more.
        Was it a restore, then the move to the trash before that stands again.

        :param by: what took it back, None where nothing did.
        :param intent: the token of the intent that said so before, "" for none.
        :raises OSError: it cannot be written.
        """
        self._note(taken_back_line(number, by, now_ms(), intent))

    def told(self, number: int) -> None:
        """Note that it was said what stands in the way of taking the change of this number back.

        :raises OSError: it cannot be written.
        """
        self._note(written({"in_the_way": number, "at": now_ms()}))

    # what is about to be done

    def intend(self, action: int = 0, undoes: int = 0) -> Intent:
        """Note each change that is made in the body of a `with` before it is made; see `Intent`.

        :param action: as of `record`.
        :param undoes: the number of the change that is undone in the body; 0 for none.
        """
        return Intent(lambda: self, action, undoes)

    @contextlib.contextmanager
    def interrupted(self) -> Iterator[list[Interrupted]]:
        """The changes that were about to be made by processes that have ended, oldest first. No other
        leafmark gets them until the end of the `with`; each is to be handed to `settle`.
        """
        names = self._intents()
        with contextlib.ExitStack() as held:
            found = []
            if names:
                with self._locked():
                    found = [each for name in names if (each := self._held(name, held)) is not None]
            yield sorted(found, key=lambda each: each.at_ms)

    def settle(self, interrupted: Interrupted, change: Change | None) -> None:
        """Note what became of a change that was interrupted.

        :param change: as it was made; None where it was not.
        :raises OSError: it cannot be written.
        """
        if change is not None and interrupted.token.encode() not in self._read():
            if interrupted.undoes:
                self.taken_back(interrupted.undoes, change, intent=interrupted.token)
            else:
                token, at_ms = interrupted.token, interrupted.at_ms
                self.record(change, interrupted.action, intent=token, at_ms=at_ms)
        os.unlink(interrupted.path)

    def _intents(self) -> list[str]:
        try:
            return [name for name in os.listdir(self._folder) if name.startswith(_INTENT)]
        except OSError:
            return []

    def _held(self, name: str, held: contextlib.ExitStack) -> Interrupted | None:
        """What the file of that name says, locked; None where its process runs, or was killed before it had
        written the file and so before it did anything.
        """
        path = os.path.join(self._folder, name)
        try:
            held.enter_context(FileLock(path, 0))
            found = interrupted_in(read_small(path), path)
            if found is None:
                os.unlink(path)
        except OSError:
            return None
        return found

    def _begin(self, token: str, line: bytes, held: contextlib.ExitStack) -> str:
        """Write the file of an intent, or write it anew; the path of it.

        :param held: gets the lock that says that this process runs.
        :raises OSError: it cannot be written.
        """
        path = os.path.join(self._folder, _INTENT + token)
        make_own_folders(self._folder)
        # Between making the file and locking it, nobody takes it for one that was left.
        with self._locked():
            if not os.path.lexists(path):
                held.enter_context(FileLock(path, 0))
            descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | getattr(os, "O_BINARY", 0))
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        return path

    def _note(self, line: bytes) -> None:
        make_own_folders(self._folder)
        with self._locked():
            self._append(line)

    def _locked(self) -> FileLock:
        return FileLock(self._path + ".lock")

    def _append(self, text: bytes) -> None:
        """Add a line, in one write; of one that does not fit on the disk nothing stays.

        :raises OSError: it cannot be written.
        """
        if self._is_torn():
            text = b"\n" + text
        descriptor = os.open(self._path, _APPEND, 0o600)
        try:
            before = os.fstat(descriptor).st_size
            if os.write(descriptor, text) < len(text):
                # nobody else writes meanwhile: it is locked
                os.truncate(descriptor, before)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path)
        finally:
            os.close(descriptor)

    def _last_number(self) -> int:
        """The number of the last change, 0 where there is none. Of a long file only the end is read."""
        wanted = _BLOCK
        while True:
            data, is_all = self._written_end(wanted)
            number = next((found for found in map(number_in, reversed(data.split(b"\n"))) if found), 0)
            if number or is_all or wanted > _LONGEST:
                return number
            wanted *= 8

    def _is_torn(self) -> bool:
        """Whether the last line was not written to its end. NUL bytes behind it are taken off, which a crash
        leaves there.

        :raises OSError: the file cannot be read or written.
        """
        with self._opened() as file:
            length = file.seek(0, os.SEEK_END)
            end = run_start(file.fileno(), 0, length) if length else 0
            file.seek(max(end - 1, 0))
            last = file.read(1) if end else b""
        if end < length:
            os.truncate(self._path, end)
        return last not in (b"", b"\n")

    def _written_end(self, size: int) -> tuple[bytes, bool]:
        """The lines in the last `size` bytes of the file, blank lines and NUL bytes at its end left out, and
        whether these are all lines; none where there is no file.

        :raises OSError: it cannot be read, or is something else.
        """
        with self._opened() as file:
            end = file.seek(0, os.SEEK_END)
            if end > size:
                end = run_start(file.fileno(), 0, end, _EMPTY)
            start = file.seek(max(end - size, 0))
            data = file.read(end - start)
        # The first line may have been cut.
        return data[data.find(b"\n") + 1 if start else 0 :], not start

    def _opened(self) -> BinaryIO:
        """The file for reading; an empty one where there is none.

        :raises OSError: it cannot be read, or is something else.
        """
        try:
            # Before it is opened: there are devices to which that alone does something.
            check_regular(self._path, os.stat(self._path))
            return open(os.open(self._path, _READ), "rb")
        except FileNotFoundError:
            return BytesIO()

    def _thin_out(self, more: bytes) -> bool:
        """Where there are too many actions, or more notes than anybody needs, write the file anew: what was
        done last, whole actions only, then the line ``more``.

        :return: whether that was done.
        """
        data = self._read()
        count = data.count(b"\n")
        is_long = self._length() > KEPT_BYTES
        if count < KEPT + _MORE and not is_long:
            return False
        entries = entries_of(data)
        actions = actions_of(entries)
        # What lies in the trash may be known by nothing else.
        old = [steps for steps in actions[: 1 - KEPT] if not _is_in_trash(steps)]
        if len(old) > _MORE:
            dropped = {steps[0].action for steps in old}
            kept = [steps for steps in actions if steps[0].action not in dropped]
        else:
            kept = actions
        if is_long:
            # To less than it may be: the next one needs not do it again.
            kept = _fitting(kept, KEPT_BYTES * 3 // 4)
        if not is_long and len(kept) == len(actions) and count - len(entries) <= len(entries) + _MORE:
            return False
        self._rewrite(sorted((each for steps in kept for each in steps), key=lambda each: each.number), more)
        return True

    def _rewrite(self, entries: Iterable[Recorded], more: bytes) -> None:
        lines = [as_line(entry) for entry in entries]
        write_whole(self._path, b"".join([*lines, more]), 0o600)

    def _read(self) -> bytes:
        try:
            return self._written_end(_LONGEST)[0]
        except OSError:
            return b""

    def _length(self) -> int:
        try:
            return os.stat(self._path).st_size
        except OSError:
            return 0


class Intent:
    """What an action is about to do. In the body of its `with`, each change is written to a file before it is
    made. `done` puts the change into the journal and removes the file.

    If the body ends without that, because it failed or its process was killed, the file stays and is settled
    later. If the file cannot be written, the change is made all the same, as without a journal.

    :param journal: gives the journal; it may raise OSError if the state folder cannot be told.
    :param action: as of `Journal.record`; ``undoes`` as of `Journal.intend`.
    """

    def __init__(self, journal: Callable[[], Journal], action: int = 0, undoes: int = 0) -> None:
        self._journal = journal
        self._action = action
        self._undoes = undoes
        self._token = secrets.token_hex(8)
        self._path = ""
        self._held = contextlib.ExitStack()

    def __enter__(self) -> Intent:
        self._held.enter_context(announced_to(self._announced))
        return self

    def __exit__(self, *error: object) -> None:
        self._held.close()

    def done(self, change: Change) -> int:
        """Note that the change was made.

        :return: its number in the journal; 0 where nothing was done, or an earlier change was undone by it.
        :raises OSError: it cannot be written; the file stays.
        """
        number = 0
        if self._undoes:
            self._journal().taken_back(self._undoes, change, intent=self._token)
        else:
            number = self._journal().record(change, self._action, intent=self._token)
            self._action = self._action or number
        # A file that stays does no harm: its token is in the journal.
        with contextlib.suppress(OSError):
            if self._path:
                os.unlink(self._path)
        self._token, self._path = secrets.token_hex(8), ""
        return number

    def _announced(self, change: Change) -> None:
        line = intent_line(self._token, now_ms(), self._action, self._undoes, change)
        with contextlib.suppress(OSError):
            self._path = self._journal()._begin(self._token, line, self._held)


def _put_there(change: Change, restored: Change) -> bool:
    """Whether `change` is the move to the trash that `restored` undoes."""
    return change.kind == "trash" and change.after is not None and change.after == restored.before


def _is_in_trash(steps: Iterable[Recorded]) -> bool:
    return any(os.path.lexists(change.after or "") for _, change in trashed_by(steps))


def _fitting(actions: list[list[Recorded]], most: int) -> list[list[Recorded]]:
    """The last of the actions that are no longer than so many bytes together; always the last one."""
    for at in range(len(actions) - 1, -1, -1):
        most -= sum(len(as_line(entry)) for entry in actions[at])
        if most < 0:
            return actions[min(at + 1, len(actions) - 1) :]
    return actions
