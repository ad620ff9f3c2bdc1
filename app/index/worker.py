"""The inside of a worker process: reads files for the scan (PERFORMANCE 3.5).

Started as `python -I -S`, with the parent's `sys.path` as arguments, and ended by the end of its input.
Frames on both pipes are a length of four bytes and a `marshal` of plain values; both ends are one Python.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

START = "import sys; sys.path[:] = sys.argv[1:]; from app.index.worker import main; main()"
"""The program text for `python -c`."""

READY = "ready"

_FLUSH_SECONDS = 0.02


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
    import app.sessions.ends  # noqa: F401


def load_decoder() -> None:
    """Import msgspec; for processes without other threads, which might import what it is not to have."""
    # It does as well without this one, which brings a third of all along.
    spared = "typing_extensions"
    if spared in sys.modules or "msgspec" in sys.modules:
        return
    sys.modules[spared] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401
    finally:
        del sys.modules[spared]


def main() -> None:
    """Answer each batch of tasks with pairs: a list of results, in order, and whether it is the last one.

    Before the first batch comes the folder to keep texts in, each worker in a segment of its own; or None.
    """
    # Nothing here makes cycles worth collecting, and the collector would look at every line's objects.
    gc.disable()
    from app.index.reader import read

    source, target = sys.stdin.buffer, sys.stdout.buffer
    try:
        send(target, READY)
        from app.index.text.segment import Writer

        folder = receive(source)
        keep = Writer(folder).keep if folder else None
        # Before there is anything to read there is time for it.
        load()
        while True:
            results = []
            flushed = time.monotonic()
            for task in receive(source):
                results.append(read(task, keep))
                if time.monotonic() - flushed > _FLUSH_SECONDS:
                    send(target, (results, False))
                    results = []
                    flushed = time.monotonic()
            send(target, (results, True))
    except (EOFError, OSError):
        # The parent is gone or wants no more; without this Python would still try to flush at exit.
        os._exit(0)
