"""A row of the catalog: a session's summary, and the file it was read from.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os
from operator import attrgetter
from typing import TYPE_CHECKING

from app.sessions.summary import FIELDS as SUMMARY_FIELDS

if TYPE_CHECKING:
    from os import stat_result
    from typing import Any

Span = tuple[str, int, int]
"""A part of a segment of the text store: the name of the segment, the offset, and the length in bytes."""

Signature = tuple[int, int, int, int]
"""(inode, size, mtime_ns, ctime_ns): a file whose four are unchanged is not read again."""

FIELDS = (
    "path",
    "store",
    *SUMMARY_FIELDS,
    "ino",
    "size",
    "mtime_ns",
    "ctime_ns",
    "grew_ms",
    "refused",
    "refused_line",
)
"""The fields of a `Row` in the order in which the catalog stores them."""

SCHEMA = 13
"""What is stored of files by one number is read by that number alone. Changes with `FIELDS`, with what they
mean, with the tables of `index.catalog.schema` and with the form of `sessions.passages`.
"""


def catalog_in(folder: str) -> str:
    """The file of the catalog in a cache folder."""
    return os.path.join(folder, f"catalog-{SCHEMA}.db")


_values = attrgetter(*FIELDS)

FIRST_MESSAGE = FIELDS.index("first_message")

QUIET_MS = 60_000
"""An unfinished last line is still being written until the file has been quiet for this long."""

STEP_NS = 12_000_000
"""Times of files and folders move in steps of up to 10 ms: what was written so lately may be written again
unseen.
"""

# An inode may use all 64 bits, and a time may lie after 2262; the database's integers are signed.
_BITS = 0x7FFF_FFFF_FFFF_FFFF

# What stands in the summary's fields of a file that is no session.
_BLANK = (
    *("", "", "", "", None, "", "", "", None, 0, 0, 0, 0, 0, (), None, None),
    *((), (), (0, 0, 0, 0), 0.0, 0, 0, 0, False, False),
)


class Row:
    """One file of a store: the fields of its `Summary` (see there), and

    path, store               absolute path; root of the store that lists it
    ino size mtime_ns ctime_ns  of the file when it was read; see `unread` for what else they may say
    grew_ms                   when one of us last saw the file grow (milliseconds), None if never
    refused, refused_line     why the file is no session, and the line that says so (0: none does); such
                              rows are not listed, `doctor` shows them

    `first_message` is "" unless the row was asked for in full; `title` is always there.

    A row that is `provisional` says what the two ends of the file tell (`sessions.summaries.quick_summary`):
    its counts, labels, models, tokens and cost are not known yet, its name and times may change. It is shown
    and never stored.
    """

    __slots__ = (*FIELDS, "provisional")

    path: str
    store: str
    agent: str
    dialect: str
    id: str
    cwd: str
    name: str | None
    title: str
    first_message: str
    last_prompt: str
    created: int | None
    modified: int
    message_count: int
    entry_count: int
    leaf_count: int
    branch_count: int
    labels: tuple[tuple[str, str], ...]
    leaf_id: str | None
    parent_session: str | None
    models: tuple[str, ...]
    tools: tuple[str, ...]
    tokens: tuple[int, int, int, int]
    cost: float
    errors: int
    images: int
    problems: int
    torn: bool
    linear: bool
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int
    grew_ms: int | None
    refused: str | None
    refused_line: int
    provisional: bool

    def __init__(self, values: tuple[Any, ...]) -> None:
        """:param values: every field, in the order of `FIELDS`. ValueError when there are more or fewer."""
        # One unpacking for all fields: ten thousand rows are made before the list is complete.
        (
            self.path,
            self.store,
            self.agent,
            self.dialect,
            self.id,
            self.cwd,
            self.name,
            self.title,
            self.first_message,
            self.last_prompt,
            self.created,
            self.modified,
            self.message_count,
            self.entry_count,
            self.leaf_count,
            self.branch_count,
            self.labels,
            self.leaf_id,
            self.parent_session,
            self.models,
            self.tools,
            self.tokens,
            self.cost,
            self.errors,
            self.images,
            self.problems,
            self.torn,
            self.linear,
            self.ino,
            self.size,
            self.mtime_ns,
            self.ctime_ns,
            self.grew_ms,
            self.refused,
            self.refused_line,
        ) = values
        self.provisional = False

    def values(self) -> tuple[Any, ...]:
        """Every field, in the order of `FIELDS`; `Row(row.values())` makes an equal one."""
        values: tuple[Any, ...] = _values(self)
        return values

    @property
    def signature(self) -> Signature:
        """The file as it was when it was read."""
        return (self.ino, self.size, self.mtime_ns, self.ctime_ns)

    @signature.setter
    def signature(self, signature: Signature) -> None:
        self.ino, self.size, self.mtime_ns, self.ctime_ns = signature

    @property
    def is_out_of_reach(self) -> bool:
        """Whether the file could not be read when it was last looked at: what the row says is how it was
        before.
        """
        return self.ctime_ns < 0 and self.refused is None

    def __repr__(self) -> str:
        return f"Row({self.path!r}, {self.refused or self.title!r})"


class Reading:
    """What one reading of a file gave: its row, and where its text lies in the text store, in the order of
    the file; None if the text is not stored. They are stored together or not at all.
    """

    __slots__ = ("row", "spans")

    def __init__(self, row: Row, spans: tuple[Span, ...] | None = None) -> None:
        self.row = row
        self.spans = spans


def signature_of(status: stat_result) -> Signature:
    """What of a file's status tells that it changed."""
    return signature(status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def signature(ino: int, size: int, mtime_ns: int, ctime_ns: int) -> Signature:
    """The same of its parts, as the database can store it."""
    if mtime_ns > _BITS or not 0 <= ctime_ns <= _BITS:
        mtime_ns, ctime_ns = min(mtime_ns, _BITS), max(0, min(ctime_ns, _BITS))
    return (ino & _BITS, size, mtime_ns, ctime_ns)


def unread(signature: Signature) -> Signature:
    """A signature that no file has, for one that must be looked at again: `signature` is how it was found, or
    how it was read before it was out of reach.
    """
    return (*signature[:3], min(signature[3], ~signature[3]))


def session_row(
    path: str, store: str, values: tuple[Any, ...], signature: Signature, grew_ms: int | None = None
) -> Row:
    """The row of a file that was read as a session.

    :param values: those of its `Summary`, as they come from a worker.
    """
    return Row((path, store, *values, *signature, grew_ms, None, 0))


def provisional_row(path: str, store: str, values: tuple[Any, ...], signature: Signature) -> Row:
    """The row of a file of which only the ends were read; `signature` is that of the file."""
    row = session_row(path, store, values, signature)
    row.first_message = ""
    row.provisional = True
    return row


def refused_row(path: str, store: str, signature: Signature, reason: str, line: int = 0) -> Row:
    """The row of a file that is no session, so that it is neither read again nor forgotten."""
    return Row((path, store, *_BLANK, *signature, None, reason, line))


REFUSED, LISTED, EMPTY, SUBAGENT = range(4)
"""What is stored of a row beside it, to be counted by: it is no session, one that is shown, or one that is
hidden until a user asks for such.
"""

_SUFFIX = ".jsonl"


def is_empty(row: Row) -> bool:
    """Whether there is nothing in the session, and nothing wrong with its file; of one that is not read yet
    nobody knows.
    """
    return not (row.message_count or row.provisional or row.problems or row.torn or row.is_out_of_reach)


def is_subagent(row: Row) -> bool:
    """Whether the session lies in the artifacts folder of the one that started it
    (formats/README.md, "oh-my-pi").
    """
    parent = row.parent_session or ""
    return parent.endswith(_SUFFIX) and row.path.startswith(parent[: -len(_SUFFIX)] + os.sep)


def kind_of(row: Row) -> int:
    """`REFUSED`, `LISTED`, `EMPTY` or `SUBAGENT`."""
    if row.refused is not None:
        return REFUSED
    if is_empty(row):
        return EMPTY
    return SUBAGENT if row.parent_session and is_subagent(row) else LISTED


def problem_count(row: Row, now_ms: int) -> int:
    """The faults of a session's file: damaged lines, an unfinished last line that nobody finishes, and one
    more where it cannot be read any more.
    """
    quiet = now_ms - row.mtime_ns // 1_000_000 >= QUIET_MS
    return row.problems + (1 if row.torn and quiet else 0) + row.is_out_of_reach
