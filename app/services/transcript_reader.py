"""Reads the transcript of a session a part at a time, in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.errors import Cancelled, SessionError
from app.formats.header import NotASession
from app.messages import TranscriptFailed, TranscriptRead
from app.services.background import BackgroundService, GilYielder
from app.sessions.errors import Changed
from app.sessions.tree.tail_reader import open_path
from app.view.transcript import Part, turn, unreadable_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.services.background import Post
    from app.sessions.tree.node import Node
    from app.sessions.tree.tail_reader import EntryRef, PathReader
    from app.view.transcript import Turn

# Entries that are read in one step.
STEP = 4


class Request:
    """A transcript to read.

    path, agents   the session
    cells          the width of a line
    rows           lines to read on each side of the entry that the reading begins with
    hit, words     the entry with a hit, and the words of the query, folded
    straight       see `open_path`, as is `entries`
    """

    __slots__ = ("agents", "cells", "entries", "hit", "path", "rows", "straight", "words")

    def __init__(
        self,
        path: str,
        agents: tuple[str, ...],
        cells: int,
        rows: int,
        *,
        hit: EntryRef | None = None,
        words: Sequence[str] = (),
        straight: bool = False,
        entries: int | None = None,
    ) -> None:
        self.path = path
        self.agents = agents
        self.cells = cells
        self.rows = rows
        self.hit = hit
        self.words = words
        self.straight = straight
        self.entries = entries


class TranscriptReader(BackgroundService):
    """Reads one transcript; posts ``TranscriptRead`` or ``TranscriptFailed``.

    A request that is replaced by one for the same transcript gets no answer of its own: the answer to the
    newest request includes it.
    """

    thread_name = "transcript"

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self._path: PathReader | None = None
        self._opened_generation = 0
        self._request: Request | None = None
        # Number of entries that were read whole, for tests that count.
        self.entries_read = 0

    @property
    def path(self) -> PathReader | None:
        """The path that is read, for tests that count."""
        return self._path

    def open(self, request: Request, start: EntryRef | None) -> None:
        """Read another transcript, or the same from another entry.

        :param start: the entry to begin with; None for the end.
        """
        self.generation += 1
        self._request = request
        self._submit(request, start, "open")

    def above(self, start: EntryRef | None) -> None:
        """Read the entries above those that were read.

        :param start: the entry to begin with if the file was changed; None for the end.
        """
        self._continue(start, "above")

    def below(self, start: EntryRef | None) -> None:
        """Read the entries below those that were read, see `above`."""
        self._continue(start, "below")

    def follow(self, start: EntryRef | None) -> None:
        """Read what was appended to the file, see `above`."""
        self._continue(start, "follow")

    def close(self) -> None:
        """Release the transcript; messages on their way become out of date."""
        self.generation += 1
        self._request = None
        self._worker.submit(lambda is_stale: self._release())

    def stop(self) -> None:
        self.generation += 1
        super().stop()

    def _continue(self, start: EntryRef | None, step: str) -> None:
        if self._request is not None:
            self._submit(self._request, start, step)

    def _submit(self, request: Request, start: EntryRef | None, step: str) -> None:
        generation = self.generation
        self._worker.submit(lambda is_stale: self._run(generation, request, start, step))

    def _release(self) -> None:
        self._path = None

    def _run(self, generation: int, request: Request, start: EntryRef | None, step: str) -> None:
        try:
            path = self._path
            if path is None or self._opened_generation != generation:
                self._open(generation, request, start)
                return
            try:
                self._read_on(generation, request, path, step)
            except Changed:
                self._open(generation, request, start)
        except Cancelled:
            return
        except (Changed, NotASession, OSError) as error:
            self._path = None
            self._post(TranscriptFailed(generation, _reason(error)))
        except Exception as error:
            # A session with unexpected content fails alone, in its own pane.
            self._path = None
            self._post(TranscriptFailed(generation, f"cannot be shown: {type(error).__name__}: {error}"))

    def _open(self, generation: int, request: Request, start: EntryRef | None) -> None:
        self._path = None
        # Not `is_stale`: a file that grows all the time would never be read to its end.
        path = open_path(
            request.path,
            request.agents,
            start,
            straight=request.straight,
            entries=request.entries,
            keep_going=lambda: self.generation == generation,
        )
        first = [] if path.start is None else [self._turn(request, path, path.start)]
        # At the end of a session, the entries above fill the lines that the last entry leaves.
        rows = request.rows
        if start is None:
            rows = max(0, rows - sum(len(shown.lines) for shown in first))
        above = self._read(request, path, path.above, lambda: path.at_root, rows)
        is_opened = path.is_quick_below
        if not is_opened:
            self._post_part(generation, path, above, first, opened=True)
            above, first = [], []
        below = self._read(request, path, path.below, lambda: path.at_end)
        self._path, self._opened_generation = path, generation
        self._post_part(generation, path, above, [*first, *below], opened=is_opened)

    def _read_on(self, generation: int, request: Request, path: PathReader, step: str) -> None:
        above: Sequence[Turn] = ()
        below: Sequence[Turn] = ()
        if step == "above":
            above = self._read(request, path, path.above, lambda: path.at_root)
        elif step == "below":
            below = self._read(request, path, path.below, lambda: path.at_end)
        else:
            was_at_end = path.at_end
            path.look_again()
            if was_at_end:
                below = self._read(request, path, path.below, lambda: path.at_end)
        self._post_part(generation, path, above, below, followed=step == "follow")

    def _post_part(
        self,
        generation: int,
        path: PathReader,
        above: Sequence[Turn],
        below: Sequence[Turn],
        *,
        opened: bool = False,
        followed: bool = False,
    ) -> None:
        part = Part(
            above=above[::-1],
            below=below,
            at_root=path.at_root,
            at_end=path.at_end,
            first=path.first,
            total=path.total,
            opened=opened,
            found=path.found,
            followed=followed,
        )
        self._post(TranscriptRead(generation, part))

    def _read(
        self,
        request: Request,
        path: PathReader,
        read: Callable[[int], list[Node]],
        is_done: Callable[[], bool],
        wanted: int | None = None,
    ) -> list[Turn]:
        """Read entries until their lines fill ``wanted`` rows, in the order in which `read` gives them.

        :param wanted: None for the rows of the request.
        """
        turns: list[Turn] = []
        rows = 0
        wanted = request.rows if wanted is None else wanted
        yielder = GilYielder(lambda: not path.keep_going())
        while rows < wanted and not is_done():
            for node in read(STEP):
                turns.append(self._turn(request, path, node))
                rows += len(turns[-1].lines)
                if not yielder.keep_going():
                    raise Cancelled
        return turns

    def _turn(self, request: Request, path: PathReader, node: Node) -> Turn:
        self.entries_read += 1
        try:
            is_hit = request.hit is not None and _is_at(node, request.hit)
            entry = path.entry(node)
            return turn(entry, node.id, node.offset, request.cells, request.words, has_match=is_hit)
        except (SessionError, OSError):
            raise
        except Exception as error:
            return unreadable_turn(node.id, node.offset, f"cannot be shown: {type(error).__name__}: {error}")


def _reason(error: BaseException) -> str:
    return f"cannot be read: {error.strerror or error}" if isinstance(error, OSError) else str(error)


def _is_at(node: Node, hit: EntryRef) -> bool:
    if hit.offset >= 0 and node.offset != hit.offset:
        return False
    return hit.entry_id is None or node.id == hit.entry_id
