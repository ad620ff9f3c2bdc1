"""The inside of a worker process: reads files for the scan.

Started as `python -I -S`, with the parent's `sys.path` as arguments, and ended by the end of its input.
Frames on both pipes are a length of four bytes and a `marshal` of plain values; both ends are one Python.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
import time
from _thread import start_new_thread
from queue import SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import IO, Any

    from app.index.text.segment import Kept, Writer
    from app.index.workers.reader import Result, Task

START = "import sys; sys.path[:] = sys.argv[1:]; from app.index.workers.worker import main; main()"
"""The program text for `python -c`."""

_FLUSH_SECONDS = 0.02

_WAITS = "it has not been written yet"
"""Why a text is not kept that is on the shelf."""


def send(pipe: IO[bytes], value: Any) -> None:
    """Write one frame. OSError when the other end is gone."""
    data = marshal.dumps(value)
    pipe.write(len(data).to_bytes(4, "big") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Read one frame. EOFError when the other end is gone."""
    length = pipe.read(4)
    data = pipe.read(int.from_bytes(length, "big")) if len(length) == 4 else b""
    if not data:
        raise EOFError("the other process has ended")
    return marshal.loads(data)


def load() -> None:
    """Import what decodes, which takes as long as reading the ends of a thousand files."""
    load_decoder()
    import app.sessions.tally.ends
    import app.sessions.tally.summarise  # noqa: F401


def load_decoder() -> None:
    """Import what decodes entries."""
    import msgspec  # noqa: F401


def main() -> None:
    """Say which process this is, and answer each batch of tasks with pairs: a list of results, in order, and
    whether it is the last one.

    Before the first batch comes a pair: the folder to keep texts in, each worker in a segment of its own, or
    None; and the descriptors of input and output of each worker that is to be made of this one.
    """
    # Nothing here makes cycles worth collecting, and the collector would look at every line's objects.
    gc.disable()
    from app.index.workers.reader import read

    source, target = sys.stdin.buffer, sys.stdout.buffer
    try:
        send(target, os.getpid())
        from app.index.text.segment import Writer

        # Before there is anything to read there is time for it.
        load()
        folder, more = receive(source)
        source, target = _forked(source, target, more)
        shelf = _Shelf(Writer(folder)) if folder else None
        keep = shelf.keep if shelf else None
        batches: SimpleQueue[list[Task]] = SimpleQueue()
        start_new_thread(_listen, (source, batches))
        while True:
            results = []
            flushed = time.monotonic()
            for task in batches.get():
                results.append(read(task, keep))
                if time.monotonic() - flushed > _FLUSH_SECONDS:
                    send(target, (shelf.written(results) if shelf else results, False))
                    results = []
                    flushed = time.monotonic()
            send(target, (shelf.written(results) if shelf else results, True))
    except (EOFError, OSError):
        # The parent is gone or wants no more; without this Python would still try to flush at exit.
        os._exit(0)


class _Shelf:
    """The texts of the files that were read, until the results are sent: they are written all at once."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._texts: list[bytes] = []

    def keep(self, text: bytes) -> Kept:
        """Put a text on the shelf."""
        self._texts.append(text)
        return _WAITS

    def written(self, results: list[Result]) -> list[Result]:
        """Write the texts of these results, and say in each what became of it."""
        kept = iter(self._writer.keep_all(self._texts))
        self._texts = []
        return [(*result[:-1], next(kept)) if result[-1] is _WAITS else result for result in results]


def _listen(source: IO[bytes], batches: SimpleQueue[list[Task]]) -> None:
    """Take in batches as soon as they are sent: so the parent never waits, and we do not wait for the next
    one. End the process with the input, whatever it is doing.
    """
    try:
        while True:
            batches.put(receive(source))
    except (EOFError, OSError):
        os._exit(0)


def _forked(source: IO[bytes], target: IO[bytes], more: list[tuple[int, int]]) -> tuple[IO[bytes], IO[bytes]]:
    """Make more workers, each with one of these inputs and outputs; those of the process this then is."""
    if not more:
        return source, target
    import signal

    # Nobody asks how they ended, and none is to be left lying about.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number, (their_source, their_target) in enumerate(more):
        if os.fork():
            os.close(their_source)
            os.close(their_target)
            continue
        os.setpgid(0, 0)
        # Others must find out when we end, and we when our input does: what is not ours is let go of.
        os.dup2(their_source, 0)
        os.dup2(their_target, 1)
        for descriptor in [one for pair in more[number:] for one in pair]:
            os.close(descriptor)
        # What the old ones have read ahead is not for us.
        source, target = os.fdopen(0, "rb"), os.fdopen(1, "wb")
        send(target, os.getpid())
        break
    return source, target
