"""A second process that looks through the same files, the last ones first, until both have met.

A search that is all a process does would leave the other processors idle: looking through files holds the
interpreter. A fork has everything that is loaded at once, and the pages of the one who asks still come in
order and as soon as without it.
"""

from __future__ import annotations

import gc
import marshal
import mmap
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn

_LENGTH_BYTES = 4
_READ = 1 << 16
_TAKE_SECONDS = 0.001
_NUMBER_BYTES = 8


class Meeting:
    """How far the one who asks has come, for both to see. Made before the other one is begun."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _NUMBER_BYTES)

    @property
    def reached(self) -> int:
        """The number of the file that is looked through: nobody needs to know of those before it."""
        return int.from_bytes(self._shared[:], "little")

    @reached.setter
    def reached(self, number: int) -> None:
        self._shared[:] = number.to_bytes(_NUMBER_BYTES, "little")


class OtherEnd:
    """Answers of the other process as far as they have come. `close` in any case; it ends the process.

    process_id   of the other process
    """

    def __init__(self, process: int, pipe: int) -> None:
        self.process_id = process
        self._pipe = pipe
        self._due = 0.0
        self._data = b""
        self._answers: dict[str, Any] = {}

    def fileno(self) -> int:
        """What becomes readable when there is more to take; -1 when nothing will."""
        return self._pipe

    def take(self, path: str) -> Any:
        """What is known of a file by now; None where that is nothing. Waits for nothing."""
        answer = self._answers.pop(path, None)
        if answer is not None or self._pipe < 0 or time.monotonic() < self._due:
            return answer
        self._due = time.monotonic() + _TAKE_SECONDS
        while self._pipe >= 0:
            try:
                data = os.read(self._pipe, _READ)
            except BlockingIOError:
                break
            if not data:
                self.close()
                break
            self._data += data
            self._unpack()
        return self._answers.pop(path, None)

    def close(self) -> None:
        """End the other process, which may have ended."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
            os.kill(self.process_id, signal.SIGKILL)
            os.waitpid(self.process_id, 0)

    def _unpack(self) -> None:
        begin = 0
        while True:
            at = begin + _LENGTH_BYTES
            end = at + int.from_bytes(self._data[begin:at], "big")
            if len(self._data) < at or len(self._data) < end:
                break
            path, answer = marshal.loads(self._data[at:end])
            self._answers[path] = answer
            begin = end
        self._data = self._data[begin:]


def begin(look: Callable[[], Iterable[tuple[str, Any]]]) -> OtherEnd | None:
    """Have `look` run in a process that is this one's copy; None where that cannot be had: there is one
    processor only, the system has no such thing, or other threads might hold what the copy needs.

    :param look: gives (path, answer); answers are what `marshal` takes.
    """
    if not hasattr(os, "fork") or not hasattr(os, "sched_getaffinity"):
        return None
    if threading.active_count() > 1 or len(os.sched_getaffinity(0)) < 2:
        return None
    mine, theirs = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(mine)
        os.close(theirs)
        return None
    if not process:
        _run(look, mine, theirs)
    os.close(theirs)
    os.set_blocking(mine, False)
    return OtherEnd(process, mine)


def _run(look: Callable[[], Iterable[tuple[str, Any]]], mine: int, pipe: int) -> NoReturn:
    """The whole life of the copy. Nothing of what it has of its parent is flushed."""
    try:
        # Else it would never be told that the parent is gone.
        os.close(mine)
        # Collecting would write to every page that both still share.
        gc.disable()
        for answer in look():
            data = marshal.dumps(answer)
            data = len(data).to_bytes(_LENGTH_BYTES, "big") + data
            while data:
                data = data[os.write(pipe, data) :]
    finally:
        # Whatever happened: what is not answered is looked into by the parent, which tells what is wrong.
        os._exit(0)
