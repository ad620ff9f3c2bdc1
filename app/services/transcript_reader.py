"""Reads the transcript of a session a part at a time, in a thread."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from app.formats.errors import Cancelled, SessionError
from app.gc_policy import exempt_tree
from app.services.background import BackgroundService, GilYielder, answered, in_background
from app.services.transcript_request import Request
from app.sessions.errors import Changed
from app.sessions.tree.entry_ref import EntryRef
from app.view.transcript_block import Part, Turn

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from app.services.background import Post
    from app.services.transcript_turns import Turns
    from app.sessions.tree.node import Node
    from app.sessions.tree.path_reader import PathReader
    from app.view.transcript_block import Block

# Entries that are read in one step.
STEP = 4
# Entries above the first wanted one that are read to find the calls of the results below them.
MOST_FOR_CALLS = 64


@contextmanager
def _expected_errors() -> Iterator[None]:
    """Make a SessionError of an unexpected error: a session with unexpected content fails alone, in its own
    pane.
    """
    try:
        yield
    except (Cancelled, SessionError, OSError, MemoryError):
        raise
    except Exception as error:
        raise SessionError("", 0, f"cannot be shown: {type(error).__name__}: {error}") from error


class TranscriptReader(BackgroundService):
    """Reads one transcript. Each method is awaited; a later request for a part cancels the earlier one.

    path           the path that is read; None if there is none
    entries_read   the number of entries that were read whole
    """

    shares_thread = True

    def __init__(self, post: Post) -> None:
        super().__init__(post)
        self.path: PathReader | None = None
        self.entries_read = 0
        self._is_exempt = False
        self._turns: Turns | None = None
        # that of the transcript that is read; None when it is closed
        self._request: Request | None = None

    def open(self, request: Request, start: EntryRef | None) -> Awaitable[Part]:
        """Read another transcript, or the same from another entry.

        :param start: the entry to begin with, as `open_path` takes it; None for the end.
        :raises SessionError: it cannot be read or shown.
        :raises OSError: likewise.
        :raises MemoryError: there is too little memory for it.
        """
        self._request = request
        return self._read_part(request, start, "open")

    def read_on(self, step: str, start: EntryRef | None) -> Awaitable[Part]:
        """Read the entries "above" those that were read, or "below" them; "follow": what was appended. The
        errors are those of `open`.

        :param start: the entry to begin with if the file was changed; None for the end.
        """
        return self._read_part(self._request, start, step)

    def close(self) -> None:
        """Release the transcript."""
        self._request = None
        super().close()

    def read_block(self, shown: Turn, index: int) -> Awaitable[Block | None]:
        """Read a block of a turn whole; None if it has gone. The errors are those of `open`."""
        return in_background(partial(self._block, self.path, self._request, shown, index))

    def _block(
        self, path: PathReader | None, request: Request | None, shown: Turn, index: int
    ) -> Block | None:
        from app.sessions.tree.entry_loader import read_node
        from app.view.transcript import turn

        if path is None or request is None or shown.node is None:
            return None
        with _expected_errors():
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
        return made.blocks[index] if index < len(made.blocks) else None

    def _release(self) -> None:
        self.path = self._turns = None

    @answered(SessionError, OSError, MemoryError)
    def _read_part(self, request: Request | None, start: EntryRef | None, step: str) -> Part:
        if request is None:
            raise Cancelled
        path = self.path
        with _expected_errors():
            if path is not None and step != "open":
                try:
                    return self._read_on(request, path, step)
                except Changed:
                    pass
            return self._open(request, start)

    def _open(self, request: Request, start: EntryRef | None) -> Part:
        from app.services.transcript_turns import Turns
        from app.sessions.tree.path_reader import open_path

        self.path, self._is_exempt = None, False
        path = open_path(
            request.path,
            request.agents,
            start,
            entries=request.entries,
            through=request.through,
            keep_going=lambda: not self._is_stale(),
        )
        self._turns = Turns(request, path)
        first = [] if path.start is None else [self._counted(path.start, self._turns.above)]
        # At the end of a session, the entries above fill the lines that the last entry leaves.
        rows = request.rows
        if not path.found:
            rows = max(0, rows - sum(made.rows for made in first))
        above = self._read_above(request, path, first, rows)
        below = self._read_below(request, path)
        changed = self._take_changed()
        self.path = path
        replaced = {made.offset: made for made in changed}
        above = [replaced.pop(made.offset, made) for made in above]
        below = [replaced.pop(made.offset, made) for made in (*first, *below)]
        return self._part(path, above, below, opened=True, changed=changed)

    def _read_on(self, request: Request, path: PathReader, step: str) -> Part:
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
        return self._part(path, above, below, changed=changed)

    def _take_changed(self) -> list[Turn]:
        turns = self._turns
        if turns is None:
            return []
        changed, turns.changed = turns.changed, []
        return changed

    def _counted(self, node: Node, make: Callable[[Node], Turn]) -> Turn:
        self.entries_read += 1
        return make(node)

    def _part(
        self,
        path: PathReader,
        above: Sequence[Turn],
        below: Sequence[Turn],
        *,
        opened: bool = False,
        changed: Sequence[Turn] = (),
    ) -> Part:
        if path.tree.is_whole and not self._is_exempt:
            self._is_exempt = True
            exempt_tree(len(path.tree.entries))
        return Part(
            above=above[::-1],
            below=below,
            at_root=path.at_root,
            at_end=path.at_end,
            total=path.total,
            opened=opened,
            found=path.found,
            changed=changed,
        )

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
