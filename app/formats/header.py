"""Reads the header of a session in every known format (formats/README.md, "Headers").

A header must begin within the first MiB, as for pi. Formats without a header line have no such limit: any
number of bytes may stand before the line that tells the facts, and in it. If an agent would refuse a file
that can be read all the same (a byte order mark, entries before the header, a title line in a store of pi),
the file is read and the reason is a fault.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from app.formats.dialects import dialect_named
from app.formats.errors import NotASession
from app.formats.json_codec import NOT_AN_OBJECT, BadLine, decode
from app.formats.lines import (
    BLANK_BYTES,
    BLOCK_SIZE,
    BOM,
    is_blank,
    lines_of,
    opened,
    read_at,
    skip_blanks,
)
from app.formats.migrate import CURRENT_VERSION
from app.formats.packed import stem_of
from app.formats.text import replace_surrogates, valid_string_of
from app.formats.timestamps import iso, parse_time
from app.formats.title_slot import SLOT_SIZE, is_slot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.formats.dialects.base import FirstLines

SCAN_LIMIT = 1 << 20
WITHIN = 4 * SCAN_LIMIT
"""Bytes that are searched for a header, which begins within the first `SCAN_LIMIT`."""

_OMP_FIELDS = (
    "title",
    "titleSource",
    "previousSessionFiles",
    "additionalDirectories",
    "providerPromptCacheKey",
)
_FIELDS: tuple[tuple[str, Callable[[object], bool]], ...] = (
    ("cwd", lambda value: isinstance(value, str)),
    ("title", lambda value: isinstance(value, str)),
    ("parentSession", lambda value: isinstance(value, str)),
    ("timestamp", lambda value: parse_time(value) is not None),
    ("version", lambda value: isinstance(value, int | float | str) and not isinstance(value, bool)),
)
"""The fields of headers besides those that identify the session, and whether their values are valid."""
_TRANSCRIPT = "indus/transcript@"
_FALSY = frozenset((b"null", b"false", b"0", b'""'))
_REFUSES = {
    "pi": "pi refuses such a file",
    "omp": "omp refuses such a file",
    "indusagi": "indusagi overwrites such a file",
}
"""The reaction of each agent to a file whose first JSON value is not the header."""
_NOT_OF_V3 = frozenset(("id", "kind", "schema", "sessionId", "leaf"))
_WRITERS = {"transcript": "indusagi"}


UNFINISHED = "the last line is unfinished; it may still be being written"
"""The reason of the fault of a torn last line."""
INVALID_VALUE = "an invalid value counts as absent"
"""The beginning of a reason that names fields with invalid values; the rest of the line is read."""


class Fault(Struct, frozen=True, gc=False):
    """Something in a file that its agent would refuse, or a line that cannot be read.

    :param line: its number, from 1; None for the whole file.
    :param torn: it is the last line, which is unfinished and may still be being written.
    :param length: the number of bytes of that line so far.
    """

    line: int | None
    offset: int
    reason: str
    torn: bool = False
    length: int = 0


class Header(Struct, frozen=True, gc=False):
    """The header of a session.

    :param dialect: the name of one of `app.formats.dialects`.
    :param version: the version of the format; 1 if an old file has none.
    :param cwd: the working folder of the session; "" if the header has none, or an invalid path.
    :param created_ms: None if the header has no time.
    :param parent_session: a path or an id, as the agent wrote it.
    :param title_slot: there is a title line before the header.
    :param slot_writable: that line is the first one and a slot of omp's of 256 bytes, so that it can be
        overwritten in place.
    :param name: the name in the title line or in the header (omp).
    :param line: the number of its line; `offset` and `length` are in bytes.
    :param refusal: why the agent does not open the file, and the command that repairs it; "" if it opens it.
    :param spawned: a sub-agent wrote the session.
    :param first_id: the id of the first entry, for a format whose copies tell their source by it; else "".
    """

    agent: str
    dialect: str
    version: int
    id: str
    cwd: str
    created_ms: int | None
    parent_session: str | None
    title_slot: bool
    slot_writable: bool
    name: str | None
    line: int
    offset: int
    length: int
    has_bom: bool
    faults: tuple[Fault, ...]
    refusal: str = ""
    spawned: bool = False
    first_id: str = ""

    @property
    def has_ids(self) -> bool:
        """Whether entries have ids. Those of version 1 of pi's family get ids when they are read."""
        return self.version >= 2 or self.dialect in ("agent", "transcript")


class _Slot(Struct, gc=False):
    name: str | None
    line: int
    offset: int
    writable: bool


class _Before(Struct, gc=False):
    """A JSON value in a line before the header."""

    line: int
    offset: int
    kind: Literal["slot", "title", "falsy", "other"]


def find_header(path: str, descriptor: int, agents: Sequence[str] = ()) -> Header:
    """The header of the open file at `path`.

    :raises NotASession: there is none.
    :raises OSError: the file cannot be read.
    """
    first = read_at(descriptor, BLOCK_SIZE, 0)
    try:
        return read_header(path, first, agents)
    except NotASession:
        # A file without line ends may have any length, and is not a session.
        more = read_at(descriptor, WITHIN, 0)
        if len(more) <= len(first):
            raise
    has_bom = more.startswith(BOM)
    header = _header_without_line(path, lambda: lines_of(descriptor), agents, has_bom=has_bom)
    return header or read_header(path, more, agents)


def header_of(path: str, agents: Sequence[str]) -> Header | None:
    """The header of the file at `path`; None if the file cannot be read, or is not a session."""
    try:
        with opened(path) as descriptor:
            return find_header(path, descriptor, agents)
    except (NotASession, OSError):
        return None


def header_in(line: bytes) -> dict[str, Any] | None:
    """The header in a line, as an entry without ids; None if the line is no header. It is for dialects whose
    headers do not have the shape of entries.
    """
    try:
        value = decode(line)
    except BadLine:
        return None
    if not _is_header(value) or value.get("kind") != "head":
        return None
    return {key: field for key, field in value.items() if key not in _NOT_OF_V3} | {"type": "session"}


def header_fields_of(header: Header) -> dict[str, Any]:
    """The fields that a header line would have, of a file without one."""
    fields: dict[str, Any] = {"type": "session", "version": header.version, "id": header.id}
    if header.created_ms is not None:
        fields["timestamp"] = iso(header.created_ms)
    fields["cwd"] = header.cwd
    if header.parent_session:
        fields["parentSession"] = header.parent_session
    return fields


def read_header(path: str, data: bytes, agents: Sequence[str] = ()) -> Header:
    """The header in `data`, the file at `path` or its first lines.

    :param agents: the agents whose store the file is in, usually one; empty if that is not known.
    :raises NotASession: there is none.
    """
    if not data:
        raise NotASession(path, 0, "empty file")
    has_bom = data.startswith(BOM)
    start = len(BOM) if has_bom else 0
    header = _header_without_line(path, lambda: _lines(data, start), agents, has_bom=has_bom)
    if header is not None:
        return header
    data = data[:WITHIN]
    slot: _Slot | None = None
    before: list[_Before] = []
    first_line = 0
    headless = ""
    number = 0
    while start < len(data) and start <= SCAN_LIMIT:
        # Most often this loop runs once.
        if data[start] in BLANK_BYTES:
            start, blank = skip_blanks(data, start, len(data))
            number += blank
            if start > SCAN_LIMIT:
                break
        offset, number = start, number + 1
        end = data.find(b"\n", offset)
        terminated = end >= 0
        content = data[offset:end] if terminated else data[offset:]
        start = offset + len(content) + 1
        try:
            value = decode(content)
        except BadLine as bad:
            if not first_line and not is_blank(content):
                first_line = number
            if bad.reason == NOT_AN_OBJECT:
                before.append(_Before(number, offset, "falsy" if content.strip() in _FALSY else "other"))
            continue
        if _is_header(value):
            return _header(path, value, slot, before, agents, has_bom, (number, offset, len(content)))
        first_line = first_line or number
        kind = value.get("type")
        if kind == "session":
            headless = "the header has no id"
            first_line = number
        elif kind == "title" and slot is None and not isinstance(value.get("id"), str):
            fits = offset == 0 and terminated and len(content) == SLOT_SIZE - 1
            writable = fits and is_slot(value)
            slot = _Slot(_name(value.get("title")), number, offset, writable)
        if number == 1 and is_slot(value):
            before.append(_Before(number, offset, "slot"))
        else:
            before.append(_Before(number, offset, "title" if kind == "title" else "other"))
    if not first_line:
        raise NotASession(path, 0, "only blank lines")
    raise NotASession(path, first_line, headless or "no session header")


def _lines(data: bytes, start: int) -> Iterator[bytes]:
    while start < len(data):
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        yield data[start:end]
        start = end + 1


def _header_without_line(
    path: str, lines: Callable[[], Iterator[bytes]], agents: Sequence[str], *, has_bom: bool
) -> Header | None:
    """The header of a file in a format without header lines; None if `lines` do not tell.

    :param lines: gives the lines of the file, without the byte order mark.
    """
    for agent in agents:
        first = dialect_named(agent).first_lines(path, lines())
        if first is not None:
            return _header_of_lines(agent, first, len(BOM) if has_bom else 0, has_bom)
    return None


def _header_of_lines(agent: str, first: FirstLines, start: int, has_bom: bool) -> Header:
    """The header of a file without a header line. It has no length, and stands before the first line."""
    faults = [Fault(1, 0, "the file begins with a byte order mark")] if has_bom else []
    cwd = valid_string_of(first.cwd)
    if "\0" in cwd:
        cwd = ""
        faults.append(Fault(first.line, 0, "the folder is no path: it has a NUL in it"))
    return Header(
        agent=agent,
        dialect=agent,
        version=CURRENT_VERSION,
        id=replace_surrogates(first.session_id),
        cwd=cwd,
        created_ms=parse_time(first.created),
        parent_session=valid_string_of(first.parent) or None,
        title_slot=False,
        slot_writable=False,
        name=None,
        line=first.line,
        offset=start,
        length=0,
        has_bom=has_bom,
        faults=tuple(faults),
        spawned=first.spawned,
        first_id=replace_surrogates(first.first_id),
    )


def _is_header(value: dict[str, Any]) -> bool:
    if value.get("type") == "session":
        return isinstance(value.get("id"), str)
    schema = value.get("schema")
    return isinstance(schema, str) and schema.startswith(_TRANSCRIPT)


def _header(
    path: str,
    value: dict[str, Any],
    slot: _Slot | None,
    before: Sequence[_Before],
    agents: Sequence[str],
    has_bom: bool,
    where: tuple[int, int, int],
) -> Header:
    if value.get("type") == "session":
        version = _version(value.get("version"))
        dialect = _dialect(value, slot, agents)
        session_id = value["id"]
        created = parse_time(value.get("timestamp"))
        parent = value.get("parentSession") or value.get("branchedFrom")
        # If omp has written a title line, the title in the header does not count.
        name = (slot.name if slot else _name(value.get("title"))) if dialect == "omp" else None
    else:
        version, dialect, created, parent, name = 1, "transcript", None, None, None
        session_id = value.get("sessionId")
        if not isinstance(session_id, str):
            session_id = os.path.basename(stem_of(path))
    agent = _agent(dialect, agents)
    cwd = valid_string_of(value.get("cwd"))
    is_strict = value.get("type") == "session" and agent in _REFUSES
    refused = _refused(agent, before, slot, where[0], has_bom) if is_strict else None
    faults = [refused] if refused else []
    if has_bom and not (refused and refused.line == 1):
        faults.append(Fault(1, 0, "the file begins with a byte order mark"))
    wrong = [name for name, is_valid in _FIELDS if value.get(name) is not None and not is_valid(value[name])]
    if wrong:
        faults.append(Fault(where[0], where[1], f"{INVALID_VALUE}: {', '.join(wrong)}"))
    if "\0" in cwd:
        # Every call that takes a path fails with one; so it is kept from all of them here.
        cwd = ""
        faults.append(Fault(where[0], where[1], "the folder in the header is no path: it has a NUL in it"))
    return Header(
        agent=agent,
        dialect=dialect,
        version=version,
        id=replace_surrogates(session_id),
        cwd=cwd,
        created_ms=created,
        parent_session=valid_string_of(parent) or None,
        title_slot=slot is not None,
        slot_writable=slot is not None and slot.writable,
        name=name,
        line=where[0],
        offset=where[1],
        length=where[2],
        has_bom=has_bom,
        faults=tuple(faults),
        refusal=refused.reason if refused else "",
    )


def _refused(
    agent: str, before: Sequence[_Before], slot: _Slot | None, line: int, has_bom: bool
) -> Fault | None:
    """Why `agent` does not open a file whose header is on `line`: for it, another value comes first.

    All agents pass over lines that are no JSON. pi also passes over falsy values, and over a first line with
    a byte order mark, which it cannot parse. oh-my-pi passes over the mark alone, and over its title line.
    """
    if agent == "omp":
        first = [each for each in before if each.kind != "slot"]
    else:
        first = [each for each in before if each.kind != "falsy" and not (has_bom and each.line == 1)]
    copy = f"`leafmark fork` copies the active path to a file that {agent} opens"
    if not first:
        if agent == "omp" or not has_bom or line != 1:
            return None
        return Fault(1, 0, f"a byte order mark before the header: {_REFUSES[agent]}; {copy}")
    what = "a line before the header"
    if all(each.kind in ("slot", "title") for each in first):
        what = "a title line before the header"
        if agent == "omp" and slot and not slot.writable:
            copy = "`leafmark rename` writes it anew"
    return Fault(first[0].line, first[0].offset, f"{what}: {_REFUSES[agent]}; {copy}")


def _dialect(value: dict[str, Any], slot: _Slot | None, agents: Sequence[str]) -> str:
    """Which of the v3 family wrote a file.

    pi and omp may share a folder: then a file is omp's when it has a title line or a field only omp writes.
    """
    if slot:
        return "omp"
    if len(agents) == 1:
        return agents[0]
    known = agents or ("pi", "omp", "agent")
    if "omp" in known and any(field in value for field in _OMP_FIELDS):
        return "omp"
    # nickcecere/agent says version 1 aloud and pi's version 1 says nothing
    # (formats/README.md, "nickcecere/agent").
    if "agent" in known and value.get("version") == 1:
        return "agent"
    return next((agent for agent in known if agent not in ("omp", "agent")), known[0])


def _agent(dialect: str, agents: Sequence[str]) -> str:
    writer = _WRITERS.get(dialect, dialect)
    return writer if writer in agents or not agents else agents[0]


def _version(value: object) -> int:
    if value is None:
        return 1
    if value == 3:
        return 3
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value.strip()[:9])
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9:
        return int(value)
    return 3


def _name(value: object) -> str | None:
    return valid_string_of(value).strip() or None


MORE_THAN_ENTRIES = frozenset(("session", "title", "label", "session_info"))
"""The types of lines that describe the session: headers, title lines, and entries with a meaning for it."""


class HeaderChecks(Struct):
    """The headers and title lines that were read so far. They are no entries."""

    seen_header: bool = False
    seen_title: bool = False

    def fault(self, kind: str | None, entry_id: str | None, entries: int) -> str | None:
        """Return what is wrong with a header or title line, None if nothing is.

        :param kind: the type of the line.
        :param entries: the number of entries before it.
        """
        if kind == "title":
            misplaced = self.seen_header or self.seen_title or entries > 0
            self.seen_title = True
            return "a title line that is not the first line" if misplaced else None
        if entry_id is None:
            return "a header without an id"
        if self.seen_header:
            return "a second header"
        self.seen_header = True
        return "the header is not the first line" if entries else None
