"""A second process that looks through the same things, the last ones first, until both have met.

A search that is all a process does would leave the other processors idle: looking through files holds the
interpreter. A fork has everything that is loaded at once, and the pages of the one who asks still come in
order and as soon as without it.
"""

from __future__ import annotations

import gc
import marshal
import mmap
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from app.index.workers.process import KILLED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn

    Look = Callable[["Board"], Iterable[tuple[int, Any]]]

TOLD = 255
"""On the board: the answer is in the pipe. Answers that are smaller numbers, but 0, are on the board."""

_LENGTH_BYTES = 4
_READ = 1 << 16
_TAKE_SECONDS = 0.001
_NUMBER_BYTES = 8


class Board:
    """What both see: how far the one who asks has come, and a byte for the answer about each thing."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._shared = mmap.mmap(-1, _NUMBER_BYTES + count)

    @property
    def reached(self) -> int:
        """The number of what is looked through: nobody needs to know of those before it."""
        return int.from_bytes(self._shared[:_NUMBER_BYTES], "little")

    @reached.setter
    def reached(self, number: int) -> None:
        self._shared[:_NUMBER_BYTES] = number.to_bytes(_NUMBER_BYTES, "little")

    def note(self, number: int, answer: int) -> None:
        """Write down an answer."""
        self._shared[_NUMBER_BYTES + number] = answer

    def noted(self, number: int) -> int:
        """The answer, 0 where there is none yet."""
        return self._shared[_NUMBER_BYTES + number]


class OtherEnd:
    """Answers of the other process as far as they have come. `close` in any case; it ends the process.

    process_id   of the other process; board   what both see
    """

    def __init__(self, process: int, pipe: int, board: Board) -> None:
        self.process_id = process
        self.board = board
        self._pipe = pipe
        self._due = 0.0
        self._data = b""
        self._answers: dict[int, Any] = {}
        self._news: list[tuple[int, Any]] = []

    def fileno(self) -> int:
        """What becomes readable when there is more to take; -1 when nothing will."""
        return self._pipe

    def take(self, number: int) -> Any:
        """What is known of a thing by now; None where that is nothing. Waits for nothing."""
        noted = self.board.noted(number)
        # What waits for room in the pipe looks through nothing.
        if noted == TOLD or time.monotonic() >= self._due:
            self.receive()
        return self._answers.pop(number, None) if noted in (0, TOLD) else noted

    def news(self) -> list[tuple[int, Any]]:
        """The answers, with their numbers, that came out of the pipe since this was asked before."""
        news, self._news = self._news, []
        return news

    def receive(self) -> None:
        """Take what there is in the pipe."""
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
        self._due = time.monotonic() + _TAKE_SECONDS

    def close(self) -> None:
        """End the other process, which may have ended."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
            os.kill(self.process_id, -KILLED)
            os.waitpid(self.process_id, 0)

    def _unpack(self) -> None:
        begin = 0
        while True:
            at = begin + _LENGTH_BYTES
            end = at + int.from_bytes(self._data[begin:at], "big")
            if len(self._data) < at or len(self._data) < end:
                break
            number, answer = marshal.loads(self._data[at:end])
            self._answers[number] = answer
            self._news.append((number, answer))
            begin = end
        self._data = self._data[begin:]


def begin(count: int, look: Look) -> OtherEnd | None:
    """Have `look` run in a process that is this one's copy; None where that cannot be had: there is one
    processor only, the system has no such thing, or other threads might hold what the copy needs.

    :param count: of the things that are looked through, which are known by their numbers.
    :param look: gives (number, answer); answers are numbers from 1 to 254, or what `marshal` takes.
    """
    if not hasattr(os, "fork") or not hasattr(os, "sched_getaffinity"):
        return None
    if threading.active_count() > 1 or len(os.sched_getaffinity(0)) < 2:
        return None
    board = Board(count)
    mine, theirs = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(mine)
        os.close(theirs)
        return None
    if not process:
        _run(look, board, mine, theirs)
    os.close(theirs)
    os.set_blocking(mine, False)
    return OtherEnd(process, mine, board)


def _run(look: Look, board: Board, mine: int, pipe: int) -> NoReturn:
    """The whole life of the copy. Nothing of what it has of its parent is flushed."""
    try:
        # Else it would never be told that the parent is gone.
        os.close(mine)
        # Collecting would write to every page that both still share.
        gc.disable()
        for number, answer in look(board):
            noted = answer
            if not isinstance(answer, int) or not 0 < answer < TOLD:
                _send(pipe, (number, answer))
                noted = TOLD
            board.note(number, noted)
    finally:
        # Whatever happened: what is not answered is looked into by the parent, which tells what is wrong.
        os._exit(0)


def _send(pipe: int, answer: tuple[int, Any]) -> None:
    data = marshal.dumps(answer)
    data = len(data).to_bytes(_LENGTH_BYTES, "big") + data
    while data:
        data = data[os.write(pipe, data) :]
