"""What the version before the simplification left on disk, and what must be read from it."""

from __future__ import annotations

import base64
import os
import re
import zlib
from typing import TYPE_CHECKING, Any

from tests.golden.changes import OMP, TORN
from tests.golden.commands import BRANCHED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.golden.world import World

FOLDERS = ("home", "state", "data", "cache")
"""The folders of a world that are kept: the sessions, and what leafmark and the trash keep."""

MADE_BY = [
    ["label", BRANCHED, "b0000003", "start"],
    ["rename", OMP, "Kept title"],
    ["fork", BRANCHED, "--entry", "b0000006"],
    ["trash", TORN],
]
"""The commands after which the folders are kept. Before them, `KEYS` are pressed in the browser."""

KEYS = ("down", "p", "f2", "o", "d", "q")
"""Pin a session, change the theme, the order and the height of rows, and leave."""

READ_BY = [
    ["list"],
    ["list", "is:pinned"],
    ["labels"],
    ["trash", "--list"],
    ["index", "--verify"],
    ["undo", "--json"],
    ["undo", "--json"],
    ["undo", "--json"],
    ["undo", "--json"],
    ["undo"],
    ["undo"],
    ["list"],
]

_NAME = re.compile(rb"leafmark-golden-[0-9a-f]{8}")


def kept(there: World) -> list[dict[str, Any]]:
    """The files of `FOLDERS`, under names and with contents that do not tell where they were."""
    found = []
    for folder in FOLDERS:
        for path in sorted((there.root / folder).rglob("*")):
            if path.is_file() and not path.name.endswith((".lock", "-shm", "-wal")):
                data = _NAME.sub(b"leafmark-golden-00000000", path.read_bytes())
                name = _NAME.sub(
                    b"leafmark-golden-00000000", os.fsencode(path.relative_to(there.root))
                ).decode()
                packed = base64.b64encode(zlib.compress(data, 9)).decode()
                found.append({"path": name, "mtime_ns": path.stat().st_mtime_ns, "data": packed})
    return found


def put_back(files: list[dict[str, Any]], root: Path) -> None:
    """Write what `kept` returned below another root."""
    own = re.search(rb"leafmark-golden-[0-9a-f]{8}", os.fsencode(root))
    assert own is not None
    for file in files:
        name = file["path"].replace("leafmark-golden-00000000", own[0].decode())
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = zlib.decompress(base64.b64decode(file["data"]))
        path.write_bytes(data.replace(b"leafmark-golden-00000000", own[0]))
        os.utime(path, ns=(file["mtime_ns"], file["mtime_ns"]))
