"""What oh-my-pi has put into its cold archive, `archive/sessions/<folder>/<file>.jsonl.gz`, and lists no more
(formats/README.md, "oh-my-pi").
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores.layout import reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from app.stores.base import Store
    from app.stores.layout import Complaint

PACKED = ".gz"

_HEAD = 64 << 10
"""Bytes of a session that are unpacked for its name: the header and the first prompt of nearly every one."""

_READ = 16 << 10


class Archived:
    """A session in the archive.

    path       of the packed file; `size` in bytes and `mtime_ms` are those of that file
    target     where the session lay, and goes back to
    root       the root of its store; `agent` is whose it is
    title      one inert line: its name, else its first prompt; "" where neither can be told
    id, cwd    from its header; "" where the file cannot be unpacked so far
    problem    what is wrong with its beginning, "" where nothing is
    """

    __slots__ = ("agent", "cwd", "id", "mtime_ms", "path", "problem", "root", "size", "target", "title")

    def __init__(self, path: str, target: str, root: str, agent: str, size: int, mtime_ms: int) -> None:
        self.path = path
        self.target = target
        self.root = root
        self.agent = agent
        self.size = size
        self.mtime_ms = mtime_ms
        self.id = self.cwd = self.title = self.problem = ""

    def __repr__(self) -> str:
        return f"Archived({self.path!r}, {self.title!r})"


def archived(stores: Iterable[Store], complaints: list[Complaint] | None = None) -> list[Archived]:
    """The sessions in the archives of `stores`, the last to be packed first. Raises nothing; of each file at
    most its first bytes are unpacked.

    :param complaints: gets (path, reason) of the folders and files that cannot be read and are left out.
    """
    found: dict[str, Archived] = {}
    complaints = [] if complaints is None else complaints
    for store in stores:
        for each in (store, *store.twins):
            folder = each.agent.archive(each)
            for path, status in _packed(folder, each.agent.suffixes, complaints) if folder else ():
                if path not in found:
                    below = os.path.relpath(path, folder)[: -len(PACKED)]
                    target = os.path.join(each.root, below)
                    mtime_ms = status.st_mtime_ns // 1_000_000
                    one = Archived(path, target, each.root, each.agent.name, status.st_size, mtime_ms)
                    _tell(one)
                    found[path] = one
    return sorted(found.values(), key=lambda one: (-one.mtime_ms, one.path))


def _packed(
    folder: str, suffixes: tuple[str, ...], complaints: list[Complaint], depth: int = 0
) -> Iterator[tuple[str, os.stat_result]]:
    """The packed sessions in a folder and the folders in it, as deep as those of a store are listed."""
    try:
        with os.scandir(folder) as opened:
            entries = sorted(opened, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        complaints.append((folder, reason(error)))
        return
    ends = tuple(suffix + PACKED for suffix in suffixes)
    for entry in entries:
        try:
            if entry.is_dir() and depth == 0:
                yield from _packed(entry.path, suffixes, complaints, 1)
            elif entry.name.endswith(ends) and entry.is_file():
                yield entry.path, entry.stat()
            elif entry.name.endswith(ends):
                what = "a folder, not a file" if entry.is_dir() else "not a regular file"
                complaints.append((entry.path, what))
        except FileNotFoundError:
            continue
        except OSError as error:
            complaints.append((entry.path, reason(error)))


def _tell(one: Archived) -> None:
    """Fill in what the beginning of the session says of it."""
    from app.formats.content import text_of
    from app.formats.decode import BadLine
    from app.formats.dialects import named
    from app.formats.header import NotASession, read_header
    from app.formats.text import one_line, visible_line

    head, one.problem = _beginning(one.path)
    lines = head[: head.rfind(b"\n") + 1]
    try:
        header = read_header(one.path, lines, (one.agent,))
    except NotASession as error:
        one.problem = one.problem or error.reason
        return
    one.id = header.id
    one.cwd = header.cwd
    one.title = visible_line(header.name or "")
    dialect = named(header.dialect)
    for line in lines[header.offset + header.length :].split(b"\n"):
        if one.title:
            return
        if b'"user"' not in line:
            continue
        try:
            skims = dialect.skims(line)
        except BadLine:
            continue
        for skim in skims:
            if skim.message is not None and skim.message.role == "user":
                one.title = one.title or one_line(text_of(skim.message.content))


def _beginning(path: str) -> tuple[bytes, str]:
    """The first bytes of what is packed, as far as they can be unpacked, and what is wrong with them."""
    import zlib

    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    head = b""
    # what came out before it went wrong is good
    try:
        with open(path, "rb") as file:
            while len(head) < _HEAD and not unpacker.eof:
                data = file.read(_READ)
                if not data:
                    return head, "cut off before its end" if file.tell() else "empty file"
                head += unpacker.decompress(data, _HEAD - len(head))
    except OSError as error:
        return head, reason(error)
    except zlib.error:
        return head, "damaged" if head else "not packed by gzip"
    return head, ""
