"""A row of the catalog: a session's summary, and the file it was read from.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os
from operator import attrgetter
from time import time_ns
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.packed import PACKED
from app.formats.text import replace_surrogates, trim_name, visible_line
from app.sessions.summary import FROM_NAME, FROM_PROMPT, Summary
from app.stores import agent_named
from app.stores.kept import FOLDER, is_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import stat_result

    from app.formats.prices import Unpriced

Span = tuple[str, int, int]
"""A part of a segment of the text store: the name of the segment, the offset, and the length in bytes."""

Signature = tuple[int, int, int, int]
"""(inode, size, mtime_ns, ctime_ns): a file whose four are unchanged is not read again. See `signature_of`
for the last one.
"""

FIELDS = (
    "path",
    "store",
    *Summary._fields,
    "ino",
    "size",
    "mtime_ns",
    "ctime_ns",
    "ahead_ms",
    "grew_ms",
    "refused",
    "refused_line",
)
"""The fields of a `Row` in the order in which the catalog stores them."""

SCHEMA = 26
"""The version of the stored data; a version reads only its own. It changes with `FIELDS` and their meaning,
with the tables of `index.catalog.schema`, and with the format of `sessions.passages`.
"""


def catalog_in(folder: str) -> str:
    """The path of the catalog's file in a cache folder."""
    return os.path.join(folder, f"catalog-{SCHEMA}.db")


_values = attrgetter(*FIELDS)

# A single unpacking takes a twentieth of the time of a loop, and a list needs ten thousand rows.
_made: dict[str, Any] = {}
exec(f"def fill(row, values): ({', '.join(f'row.{name}' for name in FIELDS)}) = values", _made)
_fill: Callable[[Row, tuple[Any, ...]], None] = _made["fill"]

AHEAD_MS = 24 * 3_600_000
"""Milliseconds by which a message may be ahead of the clock, before its time is taken for a mistake."""

QUIET_MS = 60_000
"""Milliseconds without a write after which an unfinished last line counts as damaged."""

STEP_NS = 12_000_000
"""Nanoseconds. File systems step the times of files by up to 10 ms: a second write within one step changes no
time.
"""

# Nanoseconds: shorter than a step of the clock of a file system.
_MARK_NS = (1 << 20) - 1

# The largest integer that the database stores. An inode may have 64 bits, and a time may lie after 2262.
_LARGEST = 0x7FFF_FFFF_FFFF_FFFF

# The fields of the summary for a file that is no session.
_BLANK = (
    *("", "", "", "", None, "", "", "", "", None, 0, 0, 0, 0, 0, (), None, None),
    *((), (), (0, 0, 0, 0), 0.0, 0, 0, 0, False, False, "", False, (), "", "", (), "", False),
)


class Row:
    """One file of a store: the fields of its `Summary` (see there), and these:

    modified                that of the summary; of a fork its creation if that is later
    cwd                     the one of `folders` that counts (`folder_of`), else that of the summary
    path, store             absolute path; root of the store that lists it
    ino, size, mtime_ns, ctime_ns
                            the signature of the file when it was read; `unread` changes it
    ahead_ms                the time of the newest message, if it was more than a day ahead of the clock when
                            the file was read; `modified` is that of the file then. Else None
    grew_ms                 when a leafmark process last saw the file grow, in milliseconds since the epoch;
                            None if never
    refused, refused_line   the reason why the file is no session, and the number of the line that shows it
                            (0: no line does); such rows are not listed, and `doctor` shows them

    `first_message` is "" unless the row was read in full; `title` is always set.

    A `provisional` row comes from the two ends of the file (`sessions.summaries.quick_summary`): its counts,
    labels, models, tokens, cost and ending are not known yet, and its name and times may change. It is shown
    and never stored.

    An `is_deleted` row stands for a session whose file is gone, and of which only the prompts are left
    (`deleted_row`). Searches find it; it is in no list, and never stored.
    """

    __slots__ = (*FIELDS, "is_deleted", "provisional")

    path: str
    store: str
    agent: str
    dialect: str
    id: str
    cwd: str
    name: str | None
    title: str
    title_source: str
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
    ending: str
    spawned: bool
    folders: tuple[str, ...]
    continued_in: str
    first_id: str
    unpriced: tuple[Unpriced, ...]
    own_prompt: str
    is_behind: bool
    ino: int
    size: int
    mtime_ns: int
    ctime_ns: int
    ahead_ms: int | None
    grew_ms: int | None
    refused: str | None
    refused_line: int
    provisional: bool
    is_deleted: bool

    def __init__(self, values: tuple[Any, ...]) -> None:
        """:param values: every field, in the order of `FIELDS`.
        :raises ValueError: there are more or fewer values.
        """
        _fill(self, values)
        self.provisional = self.is_deleted = False

    def values(self) -> tuple[Any, ...]:
        """Every field, in the order of `FIELDS`; `Row(row.values())` makes an equal row."""
        values: tuple[Any, ...] = _values(self)
        return values

    @property
    def signature(self) -> Signature:
        """The signature of the file when it was read, or what `unread` made of it."""
        return (self.ino, self.size, self.mtime_ns, self.ctime_ns)

    @signature.setter
    def signature(self, signature: Signature) -> None:
        self.ino, self.size, self.mtime_ns, self.ctime_ns = signature

    @property
    def is_out_of_reach(self) -> bool:
        """Whether the file could not be read at the last check; the row is from an earlier reading."""
        return self.ctime_ns < 0 and self.refused is None

    @property
    def is_gone(self) -> bool:
        """Whether the file of the session is gone, and the row is of the copy that leafmark keeps."""
        return is_copy(self.path)

    @property
    def original_path(self) -> str:
        """The path of the agent's file, which is gone if `is_gone`."""
        if not self.is_gone:
            return self.path
        return self.path[self.path.index(f"{os.sep}{FOLDER}{self.store}") + len(FOLDER) + 1 : -len(PACKED)]

    @property
    def newest(self) -> int:
        """The time of the newest message, wherever the clock is; sessions are ordered by `modified`."""
        return self.modified if self.ahead_ms is None else self.ahead_ms

    def __repr__(self) -> str:
        return f"Row({self.path!r}, {self.refused or self.title!r})"


class Outline(NamedTuple):
    """The fields of a row that most statistics need, as far as they depend on the file alone."""

    path: str
    agent: str
    signature: Signature
    modified: int
    ahead_ms: int | None
    problems: int
    torn: bool

    @property
    def mtime_ns(self) -> int:
        """The time of modification of the file when it was read."""
        return self.signature[2]

    @property
    def is_out_of_reach(self) -> bool:
        """As `Row.is_out_of_reach`."""
        return self.signature[3] < 0


class Reading(NamedTuple):
    """The result of reading a file: its row, and the spans of its text in the text store, in the order of the
    file; None if the text is not stored. Row and spans are stored together or not at all.
    """

    row: Row
    spans: tuple[Span, ...] | None = None


def signature_of(status: stat_result, name: str = "") -> Signature:
    """The signature of a file with this status, limited to integers that the database can store.

    :param name: the name that its agent keeps beside it; "" for none. Another name changes the change time in
        the signature, so that the session counts as changed.
    """
    mtime_ns, ctime_ns = status.st_mtime_ns, status.st_ctime_ns
    if name:
        from zlib import crc32  # imported here because few sessions have such a name

        ctime_ns ^= crc32(name.encode("utf-8", "surrogatepass")) & _MARK_NS
    if mtime_ns > _LARGEST or not 0 <= ctime_ns <= _LARGEST:
        mtime_ns, ctime_ns = min(mtime_ns, _LARGEST), max(0, min(ctime_ns, _LARGEST))
    return (status.st_ino & _LARGEST, status.st_size, mtime_ns, ctime_ns)


def unread(signature: Signature) -> Signature:
    """`signature` with a negative ctime_ns, which no file has, so that the next check reads the file again.

    :param signature: that of the file when it was found or last read.
    """
    return (*signature[:3], min(signature[3], ~signature[3]))


def session_row(
    path: str,
    store: str,
    values: tuple[Any, ...],
    signature: Signature,
    grew_ms: int | None = None,
    name: str = "",
) -> Row:
    """The row of a file that was read as a session.

    :param values: the values of its `Summary`.
    :param name: the name that its agent keeps beside it, which replaces one in the file; "" for none.
    """
    row = Row((path, store, *values, *signature, None, grew_ms, None, 0))
    if row.folders:
        row.cwd = folder_of(row)
    now_ms = time_ns() // 1_000_000
    if row.modified > now_ms + AHEAD_MS:
        row.ahead_ms, row.modified = row.modified, min(row.mtime_ns // 1_000_000, now_ms)
    if row.parent_session and row.created is not None:
        # The messages that a fork has from its parent are older than the fork.
        row.modified = max(row.modified, min(row.created, now_ms))
    if name:
        _rename(row, name)
    return row


def folder_of(row: Row) -> str:
    """The folder of a session that was used in several (formats/README.md, "Folders of sessions").

    It looks at the disk: a folder may be moved or removed while the file stays as it is.
    """
    is_history_of = agent_named(row.agent).is_history_of
    named = [folder for folder in reversed(row.folders) if is_history_of(row.path, folder)]
    return next(filter(os.path.isdir, (*named, *row.folders)), row.folders[-1])


def _rename(row: Row, name: str) -> None:
    name = replace_surrogates(name)
    if title := visible_line(name):
        row.name, row.title, row.title_source = trim_name(name), title, FROM_NAME


def provisional_row(
    path: str, store: str, values: tuple[Any, ...], signature: Signature, name: str = ""
) -> Row:
    """The row of a file of which only the two ends were read; `name` as in `session_row`."""
    row = session_row(path, store, values, signature, None, name)
    row.first_message = ""
    row.provisional = True
    return row


def refused_row(path: str, store: str, signature: Signature, reason: str, line: int = 0) -> Row:
    """The row of a file that is no session, so that it is neither read again nor forgotten."""
    return Row((path, store, *_BLANK, *signature, None, None, reason, line))


def deleted_row(
    path: str,
    store: str,
    agent: str,
    session_id: str,
    folder: str,
    prompts: Sequence[str],
    times: tuple[int, int],
) -> Row:
    """The row of a session that its agent has deleted, and whose prompts are in the agent's history.

    :param path: where its file was.
    :param prompts: its prompts, newest first.
    :param times: of the first prompt and of the last one, in milliseconds since the epoch.
    """
    row = Row((path, store, *_BLANK, 0, 0, 0, 0, None, None, None, 0))
    first, last = (visible_line(prompt) for prompt in (prompts[-1], prompts[0]))
    row.agent = row.dialect = agent
    row.id, row.cwd, row.last_prompt = session_id, folder, last
    row.first_message, row.title, row.title_source = prompts[-1], f"deleted: {first}", FROM_PROMPT
    row.created, row.modified = times
    row.message_count = len(prompts)
    now_ms = time_ns() // 1_000_000
    if row.modified > now_ms + AHEAD_MS:
        row.ahead_ms, row.modified = row.modified, 0
    row.is_deleted = True
    return row


REFUSED, LISTED, EMPTY, SUBAGENT = range(4)
"""The kind of a row, stored in a column of its own for counting: no session, a shown session, or a session
that is hidden until the user asks for empty sessions or sub-agents.
"""

_SUFFIX = ".jsonl"


def is_empty(row: Row) -> bool:
    """Whether a session has no answer, no name and no prompt, and its file has no problems. A prompt may be
    an image. False for a provisional row, whose counts are not known.

    The session list of oh-my-pi 18.3 hides the same sessions.
    """
    # The title of a session with a name or with any text has a source.
    if row.title_source or row.models or row.tools or row.errors or row.images:
        return False
    return not (row.provisional or row.problems or row.torn or row.is_out_of_reach)


def is_subagent(row: Row) -> bool:
    """Whether a sub-agent wrote the session: its header says that, or it is in the artifacts folder of the
    session that started it (formats/README.md, "Artifacts of oh-my-pi").
    """
    parent = row.parent_session
    if row.spawned or not parent:
        return row.spawned
    return parent.endswith(_SUFFIX) and row.path.startswith(parent[: -len(_SUFFIX)] + os.sep)


def kind_of(row: Row) -> int:
    """`REFUSED`, `LISTED`, `EMPTY` or `SUBAGENT`."""
    if row.refused is not None:
        return REFUSED
    if is_empty(row):
        return EMPTY
    return SUBAGENT if is_subagent(row) else LISTED


def is_ahead(row: Row | Outline, now_ms: int) -> bool:
    """Whether the newest message of a session is more than a day ahead of the clock.

    :param now_ms: the time in milliseconds since the epoch.
    """
    return row.ahead_ms is not None and row.ahead_ms > now_ms + AHEAD_MS


def problem_count(row: Row | Outline, now_ms: int) -> int:
    """The number of problems of a session's file: its damaged lines, one for a last line that has been
    unfinished for `QUIET_MS`, one if the file cannot be read any more, and one for a time in the future.

    :param now_ms: the time in milliseconds since the epoch.
    """
    is_quiet = row.torn and now_ms - row.mtime_ns // 1_000_000 >= QUIET_MS
    is_early = row.ahead_ms is not None and is_ahead(row, now_ms)
    return row.problems + is_quiet + row.is_out_of_reach + is_early
