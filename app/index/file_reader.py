"""Read one session file, in this process or in a worker: whole, only its new bytes, or only its two ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from app.index.row import Reading, Signature, Span
    from app.index.text.segment import Kept
    from app.sessions.passages import PackedText
    from app.sessions.summaries.summarise import Progress

    Keep = Callable[[PackedText], Kept]

LARGE_BYTES = 256 << 20
"""A file with more bytes to read is read alone and after all others, so that they do not wait for it."""

MOST_ENTRIES = 100_000
"""Entries whose builders a `ProgressCache` holds at most: about 20 MB. One session may exceed the limit."""

UNREADABLE = "cannot be read"
"""The first words of a refusal that says nothing about the contents: a later reading may succeed."""


class SessionFile(NamedTuple):
    """The fields of a row by which a session is read once more."""

    path: str
    agent: str
    cwd: str
    signature: Signature

    @property
    def size(self) -> int:
        """The number of bytes in the file."""
        return self.signature[1]

    @property
    def provisional(self) -> bool:
        """No, as for a row that may be read again."""
        return False

    @property
    def refused(self) -> str | None:
        """None, as for a row that may be read again."""
        return None


class Task(NamedTuple):
    """A file to read.

    agents      the names of the agents of its store
    mtime_ms    the file's modification time in milliseconds
    only_ends   read only the two ends of the file, for a provisional row
    foreign     not None: count the figures of the session and make no row; the packed keys of the entries
                that belong to other sessions (`sessions.summaries.figures`)
    touches     not None: read which files the session touched and make no row: its folder, and the values of
                the `PackedTouches` that the reading continues from, or None
    words       not None: read the words of tools and make no row; the end of the last reading, and its check
    """

    path: str
    agents: tuple[str, ...]
    mtime_ms: int = 0
    only_ends: bool = False
    foreign: bytes | None = None
    touches: tuple[str, tuple[Any, ...] | None] | None = None
    words: tuple[int, int] | None = None


class Result(NamedTuple):
    """The result of reading a file.

    values         the values of its `Summary`, or for figures: the packed keys of all entries, and those of
                   its `Figures`, or those of its `PackedTouches` or `WordsRead`; None if there are none
    refused        the reason why the file is refused, else None
    refused_line   the number of the line that shows the reason; 0 if no line does
    bytes_read     the number of bytes that were read
    is_tail        whether only the bytes that were added since the last reading were read
    kept           the position of the new text in the text store
    progress       the state from which the next reading can continue; None from workers
    """

    values: tuple[Any, ...] | None
    refused: str | None = None
    refused_line: int = 0
    bytes_read: int = 0
    is_tail: bool = False
    kept: Kept = None
    progress: Progress | None = None


def read(task: Task, keep: Keep | None = None, progress: Progress | None = None) -> Result:
    """Read a file. Raise nothing: an error becomes the reason why the file is refused.

    :param keep: writes the text that was read to the text store (`index.text`); None: the text is not stored.
    :param progress: the state after the last reading. The file is read whole if it is None or out of date.
    """
    if task.foreign is not None:
        return _read_figures(task.path, task.agents, task.foreign)
    if task.touches is not None:
        return _read_touches(task.path, task.agents, *task.touches)
    if task.words is not None:
        return _read_words(task.path, task.agents, *task.words)
    if task.only_ends:
        return _read_ends(task)
    # Imported here: the decoders load slowly, and a scan that finds no change does not need them.
    from app.sessions.summaries.summarise import extend, summarise

    path, agents, mtime_ms, *_ = task
    try:
        outcome = extend(path, progress, agents, mtime_ms, keep) if progress else None
        is_tail = outcome is not None
        if outcome is None:
            outcome = summarise(path, agents, mtime_ms, keep)
        kept = None
        if keep and outcome.summary is not None:
            kept = _together([*outcome.stored, keep(outcome.text)])
    except MemoryError:
        return Result(None, f"{UNREADABLE}: not enough memory")
    except Exception as error:
        # One file must not end the scan of the others. The error is a bug of leafmark that a later version
        # may fix; until then the last successful reading of the file is the best result.
        return Result(None, f"{UNREADABLE}: {type(error).__name__}: {error}")
    return Result(
        None if outcome.summary is None else outcome.summary.values(),
        outcome.refused,
        outcome.refused_line,
        outcome.bytes_read,
        is_tail,
        kept,
        outcome.progress,
    )


def _together(parts: Sequence[Kept]) -> Kept:
    """The spans of all parts of a text; the reason why a part was not stored, if there is one."""
    spans: list[Span] = []
    for part in parts:
        if not isinstance(part, tuple):
            return part
        spans += part
    return tuple(spans)


def _read_ends(task: Task) -> Result:
    # Imported here for the reason given in `read`.
    from app.sessions.summaries.quick_summary import quick_summary

    try:
        summary = quick_summary(task.path, task.agents, task.mtime_ms)
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        # The whole file is read later, and that reading reports the reason.
        summary = None
    return Result(None if summary is None else summary.values())


def _read_figures(path: str, agents: tuple[str, ...], foreign: bytes) -> Result:
    # Imported here for the reason given in `read`.
    from app.formats.errors import NotASession
    from app.sessions.summaries.figures_reader import read_sums

    try:
        keys, figures = read_sums(path, agents, foreign)
    except (NotASession, OSError, ValueError, MemoryError):
        # The row of the session has the reason. A path from a damaged catalog may be no path.
        return Result(None)
    return Result((keys, *figures))


def _read_touches(path: str, agents: tuple[str, ...], cwd: str, before: tuple[Any, ...] | None) -> Result:
    # Imported here for the reason given in `read`.
    from app.formats.errors import NotASession
    from app.sessions.summaries.touches_reader import PackedTouches, read_touches

    last = None if before is None else PackedTouches(*before)
    try:
        return Result(tuple(read_touches(path, agents, cwd, last)))
    except (NotASession, OSError, ValueError, MemoryError):
        # The row of the session has the reason. A path from a damaged catalog may be no path.
        return Result(None)


def _read_words(path: str, agents: tuple[str, ...], begin: int, check: int) -> Result:
    # Imported here for the reason given in `read`.
    from app.formats.errors import NotASession
    from app.sessions.summaries.words_reader import read_words

    try:
        return Result(tuple(read_words(path, agents, begin, check)))
    except (NotASession, OSError, ValueError, MemoryError):
        # The row of the session has the reason. A path from a damaged catalog may be no path.
        return Result(None)


class ProgressCache:
    """The progress of files that grow, so that the next reading of each needs only its new bytes.

    The cache is in memory only: after a start each file that grows is read whole once.
    """

    def __init__(self) -> None:
        self._entries = 0
        self._known: dict[str, tuple[Signature, tuple[Span, ...] | None, int, Progress]] = {}

    @property
    def is_full(self) -> bool:
        """Whether keeping another progress would drop an older one."""
        return self._entries >= MOST_ENTRIES

    def take(self, reading: Reading) -> Progress | None:
        """Remove and return the progress that led to a stored reading; it can be used once.

        Return None if it is not known, or if another process has stored a reading of the file since.
        """
        known = self._known.pop(reading.row.path, None)
        if known is None:
            return None
        signature, spans, entries, progress = known
        self._entries -= entries
        return progress if (signature, spans) == (reading.row.signature, reading.spans) else None

    def keep(self, reading: Reading, progress: Progress) -> None:
        """Store the progress that led to a reading, and drop those that were used longest ago."""
        row = reading.row
        self.take(reading)
        self._known[row.path] = (row.signature, reading.spans, row.entry_count, progress)
        self._entries += row.entry_count
        for path in list(self._known):
            if self._entries <= MOST_ENTRIES or path == row.path:
                break
            self._entries -= self._known.pop(path)[2]
