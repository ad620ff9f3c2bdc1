"""Processes that index or watch until they are killed, from outside or by themselves in the middle of a
random line.

`python -m tests.index.killed` reads lines of JSON, [CACHE, STORE, MODE, LINES]. MODE is one of `MODES`. After
LINES executed lines of app/index the process kills itself (0: never). Each input line starts a process, which
prints "go" and its process id, and "done" if it ends normally; then "ended" and the exit status are printed.
Segments are small and are compacted as soon as anything in them is dead, so that rare cases happen often.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING

from leafmark import Index

from app.index.catalog import writes
from app.index.scan import deltas, scan, walk
from app.index.text import compaction, segment, store
from tests.index.helpers import pi_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

MODES = ("scan", "workers", "saving", "compaction", "watch")

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(scan.__file__)))
SMALL = 20_000


class Fuse:
    """Counts executed lines of app/index, starting with `light`, and kills this process at the last one."""

    def __init__(self, lines: int) -> None:
        self.left = lines
        self.ours: dict[object, bool] = {}

    def inside(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function so that only lines executed inside it are counted."""

        def counting(*arguments: Any) -> Any:
            self.light()
            try:
                return function(*arguments)
            finally:
                sys.settrace(None)

        return counting

    def light(self) -> None:
        if self.left:
            threading.settrace(self.called)
            sys.settrace(self.called)

    def called(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        ours = self.ours.get(code)
        if ours is None:
            ours = self.ours[code] = code.co_filename.startswith(FOLDER)
        return self.line if ours else None

    def line(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.line


def prepare() -> None:
    deltas.SAVED_FROM = 8
    compaction.WORTH_BYTES = 1
    compaction.MANY = 3
    for module in (compaction, segment, store):
        for name in {"SMALL_BYTES", "FULL_BYTES"} & vars(module).keys():
            setattr(module, name, SMALL)


def run(cache: str, root: str, mode: str, lines: int) -> None:
    fuse = Fuse(lines)
    walk.WORKERS_FROM_BYTES = 1000 if mode == "workers" else 1 << 40
    index = Index([pi_store(root)], cache)
    if mode == "compaction":
        store.compact = fuse.inside(store.compact)
    elif mode == "saving":
        writes.write = fuse.inside(writes.write)
    else:
        fuse.light()
    print("go", os.getpid(), flush=True)
    if mode == "watch":
        index.watch(lambda delta: None, threading.Event())
    index.scan(lambda delta: None)
    index.close()
    print("done", flush=True)


def main() -> None:
    prepare()
    for line in sys.stdin:
        # A fork is much cheaper than starting an interpreter for each run.
        number = os.fork()
        if not number:
            try:
                run(*json.loads(line))
                os._exit(0)
            finally:
                traceback.print_exc()
                os._exit(1)
        print("ended", os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
