"""Reads the transcript of a session a part at a time, in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.errors import Cancelled, NotASession, SessionError
from app.gc_policy import exempt_tree
from app.messages import TranscriptRead
from app.services.background import BackgroundService, GilYielder, answered, in_thread, request
from app.services.transcript_request import Request
from app.services.tree_reader import reason_of
from app.sessions.errors import Changed
from app.sessions.tree.entry_ref import EntryRef
from app.view.transcript_block import Part, Turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from app.services.background import Post
    from app.services.transcript_turns import Turns
    from app.sessions.tree.node import Node
    from app.sessions.tree.path_reader import PathReader
    from app.view.transcript_block import Block

# Entries that are read in one step.
STEP = 4
# Entries above the first wanted one that are read to find the calls of the results below them.
MOST_FOR_CALLS = 64


class TranscriptReader(BackgroundService):
    """Reads one transcript; posts ``TranscriptRead``.

    A request that is replaced by one for the same transcript gets no answer of its own: the answer to the
    newest request includes it.
    """

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self.path: PathReader | None = None
        self._is_exempt = False
        self._opened_generation = 0
        self._turns: Turns | None = None
        # that of the transcript that is read; None when it is closed
        self._request: Request | None = None
        # Number of entries that were read whole, for tests that count.
        self.entries_read = 0

    def open(self, request: Request, start: EntryRef | None) -> None:
        """Read another transcript, or the same from another entry.

        :param start: the entry to begin with; None for the end.
        """
        self._request = request
        self._read_anew(request, start)

    def read_on(self, step: str, start: EntryRef | None) -> None:
        """Read the entries "above" those that were read, or "below" them; "follow": what was appended.

        :param start: the entry to begin with if the file was changed; None for the end.
        """
        if self._request is not None:
            self._continue(self._request, start, step)

    def close(self) -> None:
        """Release the transcript; messages on their way become out of date."""
        self._request = None
        super().close()

    def read_block(self, shown: Turn, index: int) -> Awaitable[Block | None]:
        """Read a block of a turn whole; None if it has gone.

        :raises SessionError: it cannot be shown.
        :raises OSError: it cannot be read.
        :raises MemoryError: there is too little memory for it.
        """
        return self._read_block(self.path, self._request, shown, index)

    @answered(SessionError, OSError, MemoryError)
    def _read_block(
        self, path: PathReader | None, request: Request | None, shown: Turn, index: int
    ) -> Block | None:
        from app.sessions.tree.entry_loader import read_node
        from app.view.transcript import turn

        if path is None or request is None or shown.node is None:
            raise Cancelled
        try:
            raw = read_node(path.path, path.header, shown.node)
            results = {call: read_node(path.path, path.header, node) for call, node in shown.results.items()}
            made = turn(
                raw,
                shown.entry_id,
                shown.offset,
                request.cells,
                results=results,
                now_ms=request.now_ms,
                full=True,
            )
        except (SessionError, OSError, MemoryError):
            raise
        except Exception as error:
            raise SessionError("", 0, f"cannot be shown: {type(error).__name__}: {error}") from error
        return made.blocks[index] if index < len(made.blocks) else None

    def stop(self) -> None:
        self.generation += 1
        super().stop()

    @request
    def _read_anew(self, request: Request, start: EntryRef | None) -> None:
        self._run(request, start, "open")

    @in_thread
    def _continue(self, request: Request, start: EntryRef | None, step: str) -> None:
        self._run(request, start, step)

    def _release(self) -> None:
        self.path = self._turns = None

    def _run(self, request: Request, start: EntryRef | None, step: str) -> None:
        try:
            path = self.path
            if path is None or self._opened_generation != self._running:
                self._open(request, start)
                return
            try:
                self._read_on(request, path, step)
            except Changed:
                self._open(request, start)
        except Cancelled:
            return
        except (Changed, NotASession, OSError, MemoryError) as error:
            self.path = None
            self._post(TranscriptRead(self._running, None, reason_of(error)))
        except Exception as error:
            # A session with unexpected content fails alone, in its own pane.
            self.path = None
            reason = f"cannot be shown: {type(error).__name__}: {error}"
            self._post(TranscriptRead(self._running, None, reason))

    def _open(self, request: Request, start: EntryRef | None) -> None:
        from app.services.transcript_turns import Turns
        from app.sessions.tree.path_reader import open_path

        self.path, self._is_exempt = None, False
        # Not `is_stale`: a file that grows all the time would never be read to its end.
        path = open_path(
            request.path,
            request.agents,
            start,
            entries=request.entries,
            through=request.through,
            keep_going=self._is_wanted,
        )
        self._turns = Turns(request, path)
        first = [] if path.start is None else [self._counted(path.start, self._turns.above)]
        # At the end of a session, the entries above fill the lines that the last entry leaves.
        rows = request.rows
        if start is None:
            rows = max(0, rows - sum(made.rows for made in first))
        above = self._read_above(request, path, first, rows)
        below = self._read_below(request, path)
        changed = self._take_changed()
        self.path, self._opened_generation = path, self._running
        replaced = {made.offset: made for made in changed}
        above = [replaced.pop(made.offset, made) for made in above]
        below = [replaced.pop(made.offset, made) for made in (*first, *below)]
        self._post_part(path, above, below, opened=True, changed=changed)

    def _read_on(self, request: Request, path: PathReader, step: str) -> None:
        above: Sequence[Turn] = ()
        below: Sequence[Turn] = ()
        if step == "above":
            above = self._read_above(request, path, [])
        elif step == "below":
            below = self._read_below(request, path)
        else:
            was_at_end = path.at_end
            path.look_again()
            if was_at_end:
                below = self._read_below(request, path)
        changed = self._take_changed()
        self._post_part(path, above, below, followed=step == "follow", changed=changed)

    def _take_changed(self) -> list[Turn]:
        turns = self._turns
        if turns is None:
            return []
        changed, turns.changed = turns.changed, []
        return changed

    def _counted(self, node: Node, make: Callable[[Node], Turn]) -> Turn:
        self.entries_read += 1
        return make(node)

    def _post_part(
        self,
        path: PathReader,
        above: Sequence[Turn],
        below: Sequence[Turn],
        *,
        opened: bool = False,
        followed: bool = False,
        changed: Sequence[Turn] = (),
    ) -> None:
        if path.tree.is_whole and not self._is_exempt:
            self._is_exempt = True
            exempt_tree(len(path.tree.entries))
        part = Part(
            above=above[::-1],
            below=below,
            at_root=path.at_root,
            at_end=path.at_end,
            total=path.total,
            opened=opened,
            found=path.found,
            followed=followed,
            changed=changed,
        )
        self._post(TranscriptRead(self._running, part))

    def _read_above(
        self, request: Request, path: PathReader, first: list[Turn], wanted: int | None = None
    ) -> list[Turn]:
        """Read entries above those that were read, the nearest first, until their lines fill the rows; then
        as many as it takes to know the calls of their results.

        :param first: the turn of the first entry, if it was just read.
        :param wanted: None for the rows of the request.
        """
        turns = self._turns
        assert turns is not None
        made = self._read(request, path, path.above, lambda: path.at_root, turns.above, wanted)
        for _ in range(MOST_FOR_CALLS):
            if not turns.awaits_calls or path.at_root:
                break
            made += [self._counted(node, turns.above) for node in path.above(1)]
        turns.give_up(made, first)
        self._join(made, first)
        return made

    def _join(self, above: list[Turn], first: list[Turn]) -> None:
        """Note on the empty turn of each result where it is shown."""
        owners = {result.offset: made.offset for made in above for result in made.results.values()}
        for made in (*above, *first):
            if not made.blocks:
                made.joined_to = owners.get(made.offset, -1)

    def _read_below(self, request: Request, path: PathReader) -> list[Turn]:
        """Read entries below those that were read, until their lines fill the rows."""
        assert self._turns is not None
        return self._read(request, path, path.below, lambda: path.at_end, self._turns.below)

    def _read(
        self,
        request: Request,
        path: PathReader,
        read: Callable[[int], list[Node]],
        is_done: Callable[[], bool],
        make: Callable[[Node], Turn],
        wanted: int | None = None,
    ) -> list[Turn]:
        turns: list[Turn] = []
        rows = 0
        wanted = request.rows if wanted is None else wanted
        yielder = GilYielder(lambda: not path.keep_going())
        while rows < wanted and not is_done():
            for node in read(STEP):
                turns.append(self._counted(node, make))
                rows += turns[-1].rows
                if not yielder.keep_going():
                    raise Cancelled
        return turns
