"""The journal: leafmark's changes to sessions, so that the last ones can be undone, also by another run.

It is leafmark's own file, `journal.jsonl` in its state folder. It has a line for each change, and one more
line when the change is undone, or when the user is told why it cannot be undone. Several programs may write
to it at a time. The journal keeps a move to the trash as long as the session is in the trash, also after
other changes and undos.

While a change is being made, a file beside the journal says which one (`Journal.intend`). If the process is
killed, that file stays, and the next leafmark settles it (`app.actions.undo`). An older leafmark does not
look at such files.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import BinaryIO

from app.actions.journal_entries import (
    InterruptedChange,
    JournalEntry,
    encode_entry,
    encode_intent,
    encode_line,
    encode_undone,
    group_by_action,
    parse_entries,
    parse_intent,
    parse_number,
    trash_moves,
)
from app.formats.lines import BLANK_BYTES, run_start
from app.paths import JOURNAL, make_own_folders
from app.sessions.manager.change import Change, announced_to
from app.sessions.manager.session_file import now_ms
from app.small_files import check_regular, read_small, refuse_link, replace_file
from app.stores.locks import file_lock

KEPT_ACTIONS = 1_000
"""The number of actions that are kept, each with all its changes. Older actions are kept as long as one of
their sessions lies in the trash. The file is rewritten when it has `_SLACK` more.
"""
KEPT_BYTES = 64 << 20
"""Bytes. If the file is longer, the oldest actions are dropped as well, but never the last one."""

_INTENT = f"{JOURNAL}.intent-"
_SLACK = 200
_LONGEST = 256 << 20
"""Bytes. If the file is longer, only its end is read."""

# A crash may leave gigabytes of NUL bytes behind the last line.
_PADDING = BLANK_BYTES + b"\0"
# If a named pipe is in its place, nothing is recorded, and nothing hangs.
_NONBLOCKING = os.O_NONBLOCK | os.O_NOFOLLOW
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NONBLOCKING
_READ = os.O_RDONLY | _NONBLOCKING


class Journal:
    """The journal in a state folder, which need not exist.

    Reading it never fails: a journal that cannot be read counts as empty.
    """

    def __init__(self, state_folder: str) -> None:
        self._folder = state_folder
        self._path = os.path.join(state_folder, JOURNAL)

    def record(
        self, change: Change, action: int = 0, *, intent: str = "", at_ms: int = 0, redoes: int = 0
    ) -> int:
        """Record a change. A restore undoes the moves to the trash that put the session where it lay. A new
        change ends what can be redone.

        :param action: the number of the first change of the same action; 0: this change is the first.
        :param intent: the token of the intent that announced the change, "" for none.
        :param at_ms: when it was made, milliseconds since the epoch; 0 for now.
        :param redoes: the number of the undone change that it made again; 0 for none.
        :return: its number, for `mark_undone`; 0 if the change did nothing, or is a restore that undoes a
            move of the same action.
        :raises OSError: it cannot be written.
        """
        if change.is_nothing:
            return 0
        make_own_folders(self._folder)
        with self._locked():
            number = self._last_number() + 1
            at_ms = at_ms or now_ms()
            entry = JournalEntry(number, at_ms, change, action or number, redoes=redoes)
            text = encode_entry(entry, intent)
            if change.kind == "restore":
                moved = [entry for entry in self.active() if _is_undone_by(entry.change, change)]
                if any(entry.action == action for entry in moved):
                    text, number = b"", 0  # the action has moved something there and back
                text = b"".join(encode_undone(entry.number, None, at_ms) for entry in moved) + text
            # Between two actions: no action is cut in two, and one of thousands of changes checks only once.
            # A redo keeps the lines that say what else can be redone.
            if action or redoes or not self._thin_out(text):
                self._append(text)
        return number

    def active(self) -> list[JournalEntry]:
        """The changes that were not undone, oldest first."""
        return [entry for entry in self.entries() if entry.is_active]

    def undone(self) -> set[int]:
        """The numbers of the changes that were undone, as far as they are kept."""
        return {entry.number for entry in self.entries() if not entry.is_active}

    def actions(self) -> list[list[JournalEntry]]:
        """The changes that were not undone, one list for each action; sorted by the last change of each,
        oldest first.
        """
        return group_by_action(self.active())

    def has_next(self) -> tuple[bool, bool]:
        """Whether there is a change that can be undone, and one that can be redone."""
        entries = self.entries()
        return any(entry.is_active for entry in entries), any(entry.undone_as for entry in entries)

    def redoable(self) -> list[list[JournalEntry]]:
        """The undone changes that can be redone, one list for each action, each in the order in which they
        were made. The action that was undone last comes first.
        """
        actions = group_by_action(entry for entry in self.entries() if entry.undone_as)
        return sorted(actions, key=lambda steps: -max(entry.undone_as for entry in steps))

    def entries(self) -> list[JournalEntry]:
        """All changes that are kept, with their states, oldest first."""
        return parse_entries(self._read())

    def mark_undone(self, number: int, by: Change | None = None, *, intent: str = "") -> None:
        """Record that the change of this number was undone. If it was a restore, the move to the trash before
        it is active again.

        :param by: the change that undid it, None for none.
        :param intent: the token of the intent that announced it, "" for none.
        :raises OSError: it cannot be written.
        """
        self._note(encode_undone(number, by, now_ms(), intent, redo=by is not None))

    def mark_failed(self, number: int, reason: str, *, can_retry: bool) -> None:
        """Record why the change of this number was not undone, which the user was told.

        :param can_retry: another undo tries it again; else undo passes over it.
        :raises OSError: it cannot be written.
        """
        if can_retry:
            self._note(encode_line({"in_the_way": number, "at": now_ms(), "reason": reason}))
        else:
            self._note(encode_undone(number, None, now_ms(), reason=reason))

    def mark_not_redone(self, number: int) -> None:
        """Record that the undone change of this number can never be redone: then redo passes over it.

        :raises OSError: it cannot be written.
        """
        self._note(encode_line({"not_redone": number, "at": now_ms()}))

    # intents

    def intend(self, action: int = 0, undoes: int = 0, redoes: int = 0) -> Intent:
        """Record each change in the body of a `with` before it is made; see `Intent`.

        :param action: as in `record`.
        :param undoes: the number of the change that is undone in the body; 0 for none.
        :param redoes: the number of the undone change that is made again in the body; 0 for none.
        """
        return Intent(lambda: self, action, undoes, redoes)

    @contextlib.contextmanager
    def interrupted(self) -> Iterator[list[InterruptedChange]]:
        """The changes that were announced by processes that have ended, oldest first. No other leafmark gets
        them until the end of the `with`; pass each to `settle`.
        """
        names = self._intents()
        with contextlib.ExitStack() as locks:
            changes = []
            if names:
                with self._locked():
                    changes = [change for name in names if (change := self._claim(name, locks)) is not None]
            yield sorted(changes, key=lambda change: change.at_ms)

    def settle(self, interrupted: InterruptedChange, change: Change | None) -> None:
        """Record the result of a change that was interrupted.

        :param change: as it was made; None if it was not made.
        :raises OSError: it cannot be written.
        """
        if change is not None and interrupted.token.encode() not in self._read():
            if interrupted.undoes:
                self.mark_undone(interrupted.undoes, change, intent=interrupted.token)
            else:
                token, at_ms = interrupted.token, interrupted.at_ms
                action, redoes = interrupted.action, interrupted.redoes
                self.record(change, action, intent=token, at_ms=at_ms, redoes=redoes)
        os.unlink(interrupted.path)

    def _intents(self) -> list[str]:
        try:
            return [name for name in os.listdir(self._folder) if name.startswith(_INTENT)]
        except OSError:
            return []

    def _claim(self, name: str, locks: contextlib.ExitStack) -> InterruptedChange | None:
        """Lock and read the intent file of that name. None: its process still runs, or was killed before it
        had written the file, and therefore before it changed anything.

        :param locks: gets the lock.
        """
        path = os.path.join(self._folder, name)
        try:
            locks.enter_context(file_lock(path, 0))
            change = parse_intent(read_small(path), path)
            if change is None:
                os.unlink(path)
        except OSError:
            return None
        return change

    def _begin(self, token: str, line: bytes, locks: contextlib.ExitStack) -> str:
        """Write or rewrite the file of an intent, and return its path.

        :param locks: gets the lock that shows that this process runs.
        :raises OSError: it cannot be written.
        """
        path = os.path.join(self._folder, _INTENT + token)
        make_own_folders(self._folder)
        # Between making and locking the file, no other process takes it for an interrupted one.
        with self._locked():
            if not os.path.lexists(path):
                locks.enter_context(file_lock(path, 0))
            descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        return path

    def _note(self, line: bytes) -> None:
        make_own_folders(self._folder)
        with self._locked():
            self._append(line)

    def _locked(self) -> contextlib.AbstractContextManager[None]:
        return file_lock(self._path + ".lock")

    def _append(self, text: bytes) -> None:
        """Append a line in one write. If only a part fits on the disk, that part is removed.

        :raises OSError: it cannot be written.
        """
        if self._is_torn():
            text = b"\n" + text
        descriptor = os.open(self._path, _APPEND, 0o600)
        try:
            before = os.fstat(descriptor).st_size
            if os.write(descriptor, text) < len(text):
                # The lock keeps other processes from writing meanwhile.
                os.truncate(descriptor, before)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), self._path)
        finally:
            os.close(descriptor)

    def _last_number(self) -> int:
        """The number of the last change, 0 for none."""
        numbers = map(parse_number, reversed(self._written_lines().split(b"\n")))
        return next(filter(None, numbers), 0)

    def _is_torn(self) -> bool:
        """Whether the last line is incomplete. NUL bytes behind it, which a crash leaves, are removed.

        :raises OSError: the file cannot be read or written.
        """
        with self._opened() as file:
            length = file.seek(0, os.SEEK_END)
            end = run_start(file.fileno(), length) if length else 0
            file.seek(max(end - 1, 0))
            last = file.read(1) if end else b""
        if end < length:
            os.truncate(self._path, end)
        return last not in (b"", b"\n")

    def _written_lines(self) -> bytes:
        """The lines of the file. If it is long, those in its last `_LONGEST` bytes, without the blank lines
        and NUL bytes at its end.

        :raises OSError: it cannot be read, or is no regular file.
        """
        with self._opened() as file:
            end = file.seek(0, os.SEEK_END)
            if end > _LONGEST:
                end = run_start(file.fileno(), end, _PADDING)
            start = file.seek(max(end - _LONGEST, 0))
            data = file.read(end - start)
        # The first line may have been cut.
        return data[data.find(b"\n") + 1 if start else 0 :]

    def _opened(self) -> BinaryIO:
        """The file, open for reading; an empty one if there is none.

        :raises OSError: it cannot be read, or is no regular file.
        """
        try:
            refuse_link(self._path)
            # Before it is opened: opening some devices has an effect.
            check_regular(self._path, os.stat(self._path))
            return open(os.open(self._path, _READ), "rb")
        except FileNotFoundError:
            return BytesIO()

    def _thin_out(self, more: bytes) -> bool:
        """If there are too many actions or too many notes, rewrite the file with the last actions, each
        whole, and then the line ``more``.

        :return: whether that was done.
        """
        data = self._read()
        count = data.count(b"\n")
        is_long = len(data) > KEPT_BYTES
        if count < KEPT_ACTIONS + _SLACK and not is_long:
            return False
        entries = parse_entries(data)
        actions = group_by_action(entries)
        # For some sessions in the trash, only the journal knows where they came from.
        old = [steps for steps in actions[: 1 - KEPT_ACTIONS] if not _lies_in_trash(steps)]
        kept = actions
        if len(old) > _SLACK:
            dropped = {steps[0].action for steps in old}
            kept = [steps for steps in actions if steps[0].action not in dropped]
        if is_long:
            # Less than the limit, so that the next change does not rewrite the file again.
            kept = _newest_within(kept, KEPT_BYTES * 3 // 4)
        if not is_long and len(kept) == len(actions) and count - len(entries) <= len(entries) + _SLACK:
            return False
        entries = sorted((entry for steps in kept for entry in steps), key=lambda entry: entry.number)
        replace_file(self._path, b"".join([*map(encode_entry, entries), more]))
        return True

    def _read(self) -> bytes:
        try:
            return self._written_lines()
        except OSError:
            return b""


class Intent:
    """Announces the changes of an action. In the body of its `with`, each change is written to a file before
    it is made. `done` puts the change into the journal and removes the file.

    If the body ends without that, because it failed or its process was killed, the file stays and is settled
    later. If the file cannot be written, the change is made all the same, as without a journal.

    :param journal: returns the journal; it may raise OSError if the state folder is unknown.
    :param action: as in `Journal.record`; ``undoes`` and ``redoes`` as in `Journal.intend`.
    """

    def __init__(self, journal: Callable[[], Journal], action: int, undoes: int = 0, redoes: int = 0) -> None:
        self._journal = journal
        self._action = action
        self._undoes = undoes
        self._redoes = redoes
        self._token = secrets.token_hex(8)
        self._path = ""
        # closed at the end of the body: the listener for changes, and the lock of the file
        self._exit_stack = contextlib.ExitStack()

    def __enter__(self) -> Intent:
        self._exit_stack.enter_context(announced_to(self._announced))
        return self

    def __exit__(self, *error: object) -> None:
        self._exit_stack.close()

    def done(self, change: Change) -> int:
        """Record that the change was made.

        :return: its number in the journal; 0 if it did nothing, or undid an earlier change.
        :raises OSError: it cannot be written; the file stays.
        """
        number = 0
        if self._undoes:
            self._journal().mark_undone(self._undoes, change, intent=self._token)
        else:
            journal = self._journal()
            number = journal.record(change, self._action, intent=self._token, redoes=self._redoes)
            self._action = self._action or number
        # A file that stays is harmless: its token is in the journal.
        with contextlib.suppress(OSError):
            if self._path:
                os.unlink(self._path)
        self._token, self._path = secrets.token_hex(8), ""
        return number

    def _announced(self, change: Change) -> None:
        line = encode_intent(self._token, now_ms(), self._action, self._undoes, change, self._redoes)
        with contextlib.suppress(OSError):
            self._path = self._journal()._begin(self._token, line, self._exit_stack)


def journal_problem(error: OSError, state_folder: str) -> str:
    """Why the journal cannot be written, as one line."""
    # If a write to an open file fails, the error names no path.
    path = error.filename or state_folder
    return f"the journal cannot be written: {path}: {error.strerror or error}"


def _is_undone_by(change: Change, restored: Change) -> bool:
    """Whether `change` is the move to the trash that `restored` undoes."""
    return change.kind == "trash" and change.after is not None and change.after == restored.before


def _lies_in_trash(steps: Iterable[JournalEntry]) -> bool:
    return any(os.path.lexists(change.after or "") for _, change in trash_moves(steps))


def _newest_within(actions: list[list[JournalEntry]], most: int) -> list[list[JournalEntry]]:
    """The last actions that have no more than `most` bytes together; always at least one."""
    for index in range(len(actions) - 1, -1, -1):
        most -= sum(len(encode_entry(entry)) for entry in actions[index])
        if most < 0:
            return actions[min(index + 1, len(actions) - 1) :]
    return actions
