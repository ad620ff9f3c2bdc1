"""Reads one file, in this process or in a worker: its new bytes where that will do, else the whole.

Everything that goes in and out is plain values, because between processes they travel as `marshal`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.sessions.tally.halves import NONE, Halves

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from app.index.text.segment import Kept

    Keep = Callable[[bytes], Kept]

Task = tuple[str, tuple[str, ...], int, Halves, int, bytes]
"""path, names of the agents of its store, mtime in milliseconds, and the resume point: state, offset,
fingerprint. No state: read the whole file."""

Result = tuple["tuple[Any, ...] | None", "str | None", int, Halves, int, bytes, int, bool, "Kept"]
"""The summary's values or None; why it is refused and the line that shows it; state, offset, fingerprint;
bytes read; whether only new bytes were read; what became of the text of what was read."""

ENDS = -1
"""As the offset of a task: only the two ends of the file, for a provisional row. The result says no more than
its values, or None where the ends do not tell."""

LARGE_BYTES = 256 << 20
"""A file with more to read than this is read alone and after all others, which must not wait for it."""

UNREADABLE = "cannot be read"
"""How refusals begin that say nothing about the contents: the file may be fine tomorrow."""


def refused(reason: str) -> Result:
    """The result for a file that could not be read through."""
    return (None, reason, 0, NONE, 0, b"", 0, False, None)


def read(task: Task, keep: Keep | None = None) -> Result:
    """Do what `task` says. Raises nothing: what goes wrong with a file is the reason why it is refused.

    :param keep: puts the text of what was read into the text store (`index.text`); None: it is not kept.
    """
    path, agents, mtime_ms, state, offset, fingerprint = task
    if offset == ENDS:
        return _read_ends(path, agents, mtime_ms)
    # Imported late: where nothing has changed the decoders are not needed, and they load slowly.
    from app.sessions.tally.summarise import extend, summarise

    try:
        outcome = extend(path, state, offset, fingerprint, agents, mtime_ms) if state else None
        tail = outcome is not None
        if outcome is None:
            outcome = summarise(path, agents, mtime_ms)
        kept = keep(outcome.text) if keep and outcome.summary is not None else None
    except MemoryError:
        return refused(f"{UNREADABLE}: not enough memory")
    except Exception as error:
        # One file must not end the scan of the others. The mistake is ours: the next version may know better,
        # and until then what was read of it before is the best there is.
        return refused(f"{UNREADABLE}: {type(error).__name__}: {error}")
    return (
        None if outcome.summary is None else outcome.summary.values(),
        outcome.refused,
        outcome.refused_line,
        outcome.state,
        outcome.offset,
        outcome.fingerprint,
        outcome.bytes_read,
        tail,
        kept,
    )


def _read_ends(path: str, agents: tuple[str, ...], mtime_ms: int) -> Result:
    from app.sessions.tally.ends import provisional

    try:
        summary = provisional(path, agents, mtime_ms)
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        # Reading the whole of it comes later and will say why.
        summary = None
    return (None if summary is None else summary.values(), None, 0, NONE, 0, b"", 0, False, None)
