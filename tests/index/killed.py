"""A process that brings an index up to date, or follows, until it is killed: by whoever started it, or by itself
in the middle of a line that was chosen by lot.

`python -m tests.index.killed CACHE STORE MODE LINES`, where MODE is one of `MODES`, and after LINES lines of
app/index it kills itself; 0: never. Everything that happens seldom happens often here: segments are small, and
compacted as soon as anything in them is dead.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

from app.index import batch, scan
from app.index.index import Index
from app.index.text import compact, segment, store
from tests.index.helpers import pi_store

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

MODES = ("scan", "workers", "compaction", "follow")

FOLDER = os.path.dirname(os.path.abspath(scan.__file__))
SMALL = 20_000


class Fuse:
    """Counts lines of app/index, from `light` on, and kills this process in the middle of one."""

    def __init__(self, lines: int) -> None:
        self._left = lines
        self._ours: dict[object, bool] = {}

    def light(self) -> None:
        if self._left:
            threading.settrace(self._called)
            sys.settrace(self._called)

    def out(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        ours = self._ours.get(code)
        if ours is None:
            ours = self._ours[code] = code.co_filename.startswith(FOLDER)
        return self._line if ours else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return self._line


def main() -> None:
    cache, root, mode, lines = sys.argv[1:]
    fuse = Fuse(int(lines))
    batch.SAVED_FROM = 8
    compact.WORTH_BYTES = 1
    compact.MANY = 3
    for module in (compact, segment, store):
        for name in {"SMALL_BYTES", "FULL_BYTES"} & vars(module).keys():
            setattr(module, name, SMALL)
    scan.WORKERS_FROM_BYTES = 1000 if mode == "workers" else 1 << 40
    index = Index([pi_store(root)], cache)
    if mode == "compaction":
        really = compact.compact

        def compacting(*arguments: Any) -> bool:
            fuse.light()
            try:
                return really(*arguments)
            finally:
                fuse.out()

        compact.compact = compacting
    else:
        fuse.light()
    print("go", flush=True)
    if mode == "follow":
        index.watch(lambda delta: None, threading.Event())
    index.scan(lambda delta: None)
    index.close()
    print("done", flush=True)


if __name__ == "__main__":
    main()
