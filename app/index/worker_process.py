"""A worker process, which reads files for the scan until its input ends, and the frames of its two pipes.

It is started as `python -I -S` with the parent's `sys.path` as arguments. A frame is a length of four bytes
and a pickled value.
"""

from __future__ import annotations

import gc
import os
import pickle
import sys
import time
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from app.index.file_reader import read

if TYPE_CHECKING:
    from typing import IO, Any

    from app.index.file_reader import Result, Task

START = "import sys; sys.path[:] = sys.argv[1:]; from app.index.worker_process import main; main()"
"""The code for `python -c`."""

READY = "ready"
"""The first frame that a worker sends."""

_FLUSH_SECONDS = 0.02


def send(pipe: IO[bytes], value: Any) -> None:
    """Write one frame.

    :raises OSError: the other process has ended.
    """
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(4, "big") + data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Read one frame.

    :raises EOFError: the other process has ended.
    """
    length = int.from_bytes(pipe.read(4), "big")
    data = pipe.read(length)
    if not data or len(data) < length:
        raise EOFError("the other process has ended")
    return pickle.loads(data)


def main() -> None:
    """Send `READY`, receive the folder of the text store (None: texts are not kept), and answer each list of
    tasks with lists of results, in order. The process ends with its input.
    """
    # There are few reference cycles, and the collector would visit the objects of every line.
    gc.disable()
    # Imported here: the parent imports this module as well, and does not need it.
    from app.index.text.segment import Writer

    source, target = sys.stdin.buffer, sys.stdout.buffer
    try:
        send(target, READY)
        folder = receive(source)
        keep = Writer(folder).keep if folder else None
        batches: SimpleQueue[list[Task]] = SimpleQueue()
        Thread(target=_listen, args=(source, batches), daemon=True).start()
        while True:
            results: list[Result] = []
            flushed_at = time.monotonic()
            for task in batches.get():
                results.append(read(task, keep)._replace(progress=None))
                if time.monotonic() - flushed_at > _FLUSH_SECONDS:
                    send(target, results)
                    results = []
                    flushed_at = time.monotonic()
            if results:
                send(target, results)
    except (EOFError, OSError):
        # The parent has ended. A usual exit would try to flush the pipe.
        os._exit(0)


def _listen(source: IO[bytes], batches: SimpleQueue[list[Task]]) -> None:
    """Receive tasks. End the process at the end of its input, even while it reads a file."""
    try:
        while True:
            batches.put(receive(source))
    except (EOFError, OSError):
        os._exit(0)
