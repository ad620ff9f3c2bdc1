"""oh-my-pi's archive of compressed sessions, `archive/sessions/<folder>/<file>.jsonl.gz`, which it does not
list (formats/README.md, "Archive of oh-my-pi").
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
"""Bytes of a session that are decompressed for its title; nearly all have header and first prompt
in these.
"""

_CHUNK = 16 << 10


class Archived:
    """A session in the archive.

    path       the compressed file
    target     the path of the session before it was archived, to which it is restored
    agent      the name of its agent
    size       of the compressed file, in bytes
    mtime_ms   of the compressed file
    title      one inert line: the name of the session, or its first prompt; "" if neither is known
    id, cwd    from its header; "" if the header cannot be decompressed
    problem    the problem with the beginning of the file; "" for none
    """

    __slots__ = ("agent", "cwd", "id", "mtime_ms", "path", "problem", "size", "target", "title")

    def __init__(self, path: str, target: str, agent: str, size: int, mtime_ms: int) -> None:
        self.path = path
        self.target = target
        self.agent = agent
        self.size = size
        self.mtime_ms = mtime_ms
        self.id = self.cwd = self.title = self.problem = ""

    def __repr__(self) -> str:
        return f"Archived({self.path!r}, {self.title!r})"


def archived(stores: Iterable[Store], complaints: list[Complaint] | None = None) -> list[Archived]:
    """The sessions in the archives of `stores`, the last archived first. Only the first bytes of each file
    are decompressed.

    :param complaints: gets (path, reason) for folders and files that cannot be read; they are left out.
    """
    found: dict[str, Archived] = {}
    complaints = [] if complaints is None else complaints
    for listed in stores:
        for store in (listed, *listed.twins):
            folder = store.agent.archive(store)
            for path, status in _compressed_files(folder, store.agent.suffixes, complaints) if folder else ():
                if path not in found:
                    below = os.path.relpath(path, folder)[: -len(PACKED)]
                    target = os.path.join(store.root, below)
                    mtime_ms = status.st_mtime_ns // 1_000_000
                    session = Archived(path, target, store.agent.name, status.st_size, mtime_ms)
                    _read_beginning(session)
                    found[path] = session
    return sorted(found.values(), key=lambda session: (-session.mtime_ms, session.path))


def _compressed_files(
    folder: str, suffixes: tuple[str, ...], complaints: list[Complaint], depth: int = 0
) -> Iterator[tuple[str, os.stat_result]]:
    """The compressed sessions in a folder and its direct subfolders, where a store has its sessions."""
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
                yield from _compressed_files(entry.path, suffixes, complaints, 1)
            elif entry.name.endswith(ends) and entry.is_file():
                yield entry.path, entry.stat()
            elif entry.name.endswith(ends):
                what = "a folder, not a file" if entry.is_dir() else "not a regular file"
                complaints.append((entry.path, what))
        except FileNotFoundError:
            continue
        except OSError as error:
            complaints.append((entry.path, reason(error)))


def _read_beginning(session: Archived) -> None:
    """Fill in the fields that the beginning of the session tells."""
    # Imported here because few users have an archive, and the readers of formats load a decoder.
    from app.formats.content import text_of
    from app.formats.dialects import dialect_named
    from app.formats.errors import NotASession
    from app.formats.header import read_header
    from app.formats.json_codec import BadLine
    from app.formats.text import one_line, visible_line

    head, session.problem = _decompressed(session.path)
    lines = head[: head.rfind(b"\n") + 1]
    try:
        header = read_header(session.path, lines, (session.agent,))
    except NotASession as error:
        session.problem = session.problem or error.reason
        return
    session.id = header.id
    session.cwd = header.cwd
    session.title = visible_line(header.name or "")
    dialect = dialect_named(header.dialect)
    for line in lines[header.offset + header.length :].split(b"\n"):
        if session.title:
            return
        if b'"user"' not in line:
            continue
        try:
            skims = dialect.partial_entries(line)
        except BadLine:
            continue
        for skim in skims:
            if skim.message is not None and skim.message.role == "user":
                session.title = session.title or one_line(text_of(skim.message.content))


def _decompressed(path: str) -> tuple[bytes, str]:
    """The first bytes of the session, as far as they can be decompressed, and the problem with them."""
    import zlib  # imported here because few users have an archive

    decompressor = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    head = b""
    # The bytes before an error are good.
    try:
        with open(path, "rb") as file:
            while len(head) < _HEAD and not decompressor.eof:
                data = file.read(_CHUNK)
                if not data:
                    return head, "cut off before its end" if file.tell() else "empty file"
                head += decompressor.decompress(data, _HEAD - len(head))
    except OSError as error:
        return head, reason(error)
    except zlib.error:
        return head, "damaged" if head else "not packed by gzip"
    return head, ""
