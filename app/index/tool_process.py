"""A process that reads for the screen which files sessions touched, and the words of their tools.

That takes a minute of processor time for ten thousand sessions, and tens of megabytes, and the screen has
neither to spare. The process has the lowest priority, works half of the time, and ends with its input.
"""

from __future__ import annotations

import gc
import os
import select
import sys
from threading import Thread
from typing import TYPE_CHECKING

from app.index.file_reader import SessionFile
from app.index.worker_pool import BROKEN, ended, lower_priority, started
from app.index.worker_process import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.row import Row

START = "import sys; sys.path[:] = sys.argv[1:]; from app.index.tool_process import main; main()"
"""The code for `python -c`."""
_TICK_SECONDS = 0.1
_NICE = 19


def read_tools(
    cache_folder: str,
    rows: Sequence[Row],
    *,
    should_stop: Callable[[], bool],
    touched: Callable[[], object],
) -> None:
    """Bring the touched files and the words in a cache folder up to date, and wait for it. If no process can
    be started, or it dies, nothing more is read.

    :param rows: all sessions of the catalog.
    :param should_stop: asked several times a second; the process is ended when it returns True.
    :param touched: called when the touched files are current.
    """
    files = [
        SessionFile(row.path, row.agent, row.cwd, row.signature)
        for row in rows
        if not (row.provisional or row.refused)
    ]
    try:
        process = started(START)
    except OSError:
        return
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        lower_priority(process.pid, _NICE)
        send(process.stdin, (cache_folder, files))
        while not should_stop():
            if select.select([process.stdout], [], [], _TICK_SECONDS)[0]:
                receive(process.stdout)
                touched()
    except BROKEN:
        pass  # It has ended.
    finally:
        ended(process)


def main() -> None:
    """Receive a cache folder and the files of sessions, and read what is not current."""
    from app.index.touched_files import TouchedFiles
    from app.index.words.tool_words import ToolWords

    # As in `worker_process`: there are few reference cycles.
    gc.disable()
    cache_folder, files = receive(sys.stdin.buffer)
    Thread(target=_end_with_input, daemon=True).start()
    touched_files = TouchedFiles(cache_folder)
    touched_files.update(files, gentle=True)
    touched_files.close()
    send(sys.stdout.buffer, "touched")
    ToolWords(cache_folder).update(files)


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)
