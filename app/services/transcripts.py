"""Reads the transcript of a session a part at a time, in a thread of its own.

What reads sessions is imported in the thread: the screen is up before the first of them needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.collector import Resting
from app.messages.transcripts import TranscriptFailed, TranscriptRead
from app.services.latest import LatestOnlyWorker
from app.services.yield_gil import Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.message import Message

    from app.sessions.tree.anchor import EntryRef
    from app.sessions.tree.node import Node
    from app.sessions.tree.path_reader import Path
    from app.view.transcript import Turn

    Post = Callable[[Message], object]

# entries that are looked for at once
STEP = 4


class Request:
    """Which transcript is read.

    path, agents   the session
    cells          how wide a line may be
    rows           lines that are wanted on each side of the entry that one begins with
    hit, words     the entry in which something was found, and what; folded
    straight       see `open_path`, `entries` too
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


class TranscriptReader:
    """Reads one transcript at a time; answers with ``TranscriptRead`` or ``TranscriptFailed``.

    A request that is overtaken by one for the same transcript is dropped without an answer, or answered
    by the answer to the later one: there is one when nobody is waiting any more.
    """

    def __init__(self, post: Post, failed: Callable[[BaseException], None]) -> None:
        self._post = post
        self._latest = LatestOnlyWorker("transcript", failed)
        self._path: Path | None = None
        self._opened = 0
        self._request: Request | None = None
        self.generation = 0
        # entries that were read whole so far
        self.entries_read = 0

    @property
    def path(self) -> Path | None:
        """What is read, for who counts."""
        return self._path

    def open(self, request: Request, at: EntryRef | None) -> None:
        """Read another transcript, or the same from another place.

        :param at: the entry to begin with; None for the end.
        """
        self.generation += 1
        self._request = request
        self._ask(request, at, "open")

    def above(self, at: EntryRef | None) -> None:
        """Read what comes before.

        :param at: where to begin anew if the session is no longer what it was; None for the end.
        """
        self._again(at, "above")

    def below(self, at: EntryRef | None) -> None:
        """Read what comes behind, see `above`."""
        self._again(at, "below")

    def follow(self, at: EntryRef | None) -> None:
        """The file changed: read what came, see `above`."""
        self._again(at, "follow")

    def close(self) -> None:
        """Forget the transcript; answers that are on their way are out of date."""
        self.generation += 1
        self._request = None
        self._latest.ask(lambda overtaken: self._forget())

    def stop(self) -> None:
        """End the thread."""
        self.generation += 1
        self._latest.stop()

    def _again(self, at: EntryRef | None, what: str) -> None:
        if self._request is not None:
            self._ask(self._request, at, what)

    def _ask(self, request: Request, at: EntryRef | None, what: str) -> None:
        generation = self.generation
        self._latest.ask(lambda overtaken: self._do(generation, request, at, what))

    def _forget(self) -> None:
        self._path = None

    def _do(self, generation: int, request: Request, at: EntryRef | None, what: str) -> None:
        from app.sessions.tree.path_reader import Changed, Overtaken
        from app.sessions.tree.tree import NotASession

        try:
            path = self._path
            if path is None or self._opened != generation:
                self._open(generation, request, at)
                return
            try:
                self._go_on(generation, request, path, what)
            except Changed:
                self._open(generation, request, at)
        except Overtaken:
            return
        except (Changed, NotASession, OSError) as error:
            self._path = None
            self._post(TranscriptFailed(generation, _reason(error)))
        except Exception as error:
            # whatever a session holds, it takes nothing but its own pane along
            self._path = None
            self._post(TranscriptFailed(generation, f"cannot be shown: {type(error).__name__}: {error}"))

    def _open(self, generation: int, request: Request, at: EntryRef | None) -> None:
        from app.sessions.tree.path_reader import open_path

        self._path = None
        # not the thread's own request to stop: a file that grows all the time would never be read
        with Resting():
            path = open_path(
                request.path,
                request.agents,
                at,
                straight=request.straight,
                entries=request.entries,
                keep_going=lambda: self.generation == generation,
            )
        start = [] if path.start is None else [self._turn(request, path, path.start)]
        # at the end, what is above fills what the last entry leaves
        rows = request.rows if at is not None else max(0, request.rows - sum(len(one.lines) for one in start))
        above = self._more(request, path, path.above, lambda: path.at_root, rows)
        if not path.is_quick_below:
            self._tell(generation, path, above, start, opened=True)
            opened, above, start = False, [], []
        else:
            opened = True
        below = self._more(request, path, path.below, lambda: path.at_end)
        self._path, self._opened = path, generation
        self._tell(generation, path, above, [*start, *below], opened=opened)

    def _go_on(self, generation: int, request: Request, path: Path, what: str) -> None:
        above: Sequence[Turn] = ()
        below: Sequence[Turn] = ()
        if what == "above":
            above = self._more(request, path, path.above, lambda: path.at_root)
        elif what == "below":
            below = self._more(request, path, path.below, lambda: path.at_end)
        else:
            was_at_end = path.at_end
            path.look_again()
            if was_at_end:
                below = self._more(request, path, path.below, lambda: path.at_end)
        self._tell(generation, path, above, below, followed=what == "follow")

    def _tell(
        self,
        generation: int,
        path: Path,
        above: Sequence[Turn],
        below: Sequence[Turn],
        *,
        opened: bool = False,
        followed: bool = False,
    ) -> None:
        from app.view.transcript import Part

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

    def _more(
        self,
        request: Request,
        path: Path,
        read: Callable[[int], list[Node]],
        is_over: Callable[[], bool],
        wanted: int | None = None,
    ) -> list[Turn]:
        """So many entries that their lines fill what is wanted, in the order in which `read` gives them."""
        from app.sessions.tree.path_reader import Overtaken

        found: list[Turn] = []
        rows = 0
        wanted = request.rows if wanted is None else wanted
        turns = Turns(lambda: not path.keep_going())
        while rows < wanted and not is_over():
            for node in read(STEP):
                found.append(self._turn(request, path, node))
                rows += len(found[-1].lines)
                if not turns.go_on():
                    raise Overtaken
        return found

    def _turn(self, request: Request, path: Path, node: Node) -> Turn:
        from app.formats.errors import SessionError
        from app.view.transcript import turn, unread

        self.entries_read += 1
        try:
            hit = request.hit
            asked = hit is not None and _is(node, hit)
            raw = path.entry(node)
            return turn(raw, node.id, node.offset, request.cells, request.words, asked=asked)
        except (SessionError, OSError):
            raise
        except Exception as error:
            return unread(node.id, node.offset, f"cannot be shown: {type(error).__name__}: {error}")


def _reason(error: BaseException) -> str:
    return f"cannot be read: {error.strerror or error}" if isinstance(error, OSError) else str(error)


def _is(node: Node, hit: EntryRef) -> bool:
    if hit.offset >= 0 and node.offset != hit.offset:
        return False
    return hit.entry_id is None or node.id == hit.entry_id
