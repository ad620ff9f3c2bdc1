"""Makes the turns of a transcript of its entries: each call with the results that other entries have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.errors import SessionError
from app.view.transcript import call_ids, result_id, turn, unreadable_turn
from app.view.transcript_block import Turn

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from app.services.transcript_request import Request
    from app.sessions.tree.entry_ref import EntryRef
    from app.sessions.tree.node import Node
    from app.sessions.tree.path_reader import PathReader


class Turns:
    """Makes the turns of entries, and joins each result with its call, in whichever order they are read.

    changed   turns of calls whose results were read after them
    """

    def __init__(self, request: Request, path: PathReader) -> None:
        self.changed: list[Turn] = []
        self._request = request
        self._path = path
        # by the id of the call: results whose call is above, and the entries of calls without a result
        self._results: dict[str, tuple[Node, dict[str, Any]]] = {}
        self._calls: dict[str, Node] = {}
        # by the offset of an entry with calls: its results
        self._joined: dict[int, dict[str, Node]] = {}

    @property
    def awaits_calls(self) -> bool:
        """Whether a result was read whose call was not."""
        return bool(self._results)

    def above(self, node: Node) -> Turn:
        """The turn of an entry above those that were read."""
        return self._guarded(node, self._above)

    def below(self, node: Node) -> Turn:
        """The turn of an entry below those that were read. It may add to `changed`."""
        return self._guarded(node, self._below)

    def give_up(self, *lists: list[Turn]) -> None:
        """Show the results whose calls were not found, in place of their empty turns."""
        left = {id(node) for node, _ in self._results.values()}
        self._results.clear()
        for turns in lists:
            for index, made in enumerate(turns):
                if made.node is not None and id(made.node) in left:
                    turns[index] = self._guarded(made.node, self._alone)

    def _alone(self, node: Node) -> Turn:
        return self._made(node, self._path.entry(node))

    def _guarded(self, node: Node, make: Callable[[Node], Turn]) -> Turn:
        try:
            return make(node).release_texts()
        except (SessionError, OSError, MemoryError):
            raise
        except Exception as error:
            return unreadable_turn(node.id, node.offset, f"cannot be shown: {type(error).__name__}: {error}")

    def _above(self, node: Node) -> Turn:
        raw = self._path.entry(node)
        answered = result_id(raw)
        if answered and answered not in self._results:
            self._results[answered] = node, raw
            return Turn(node.id, node.offset, [], node=node)
        ids = call_ids(raw)
        found = {call: self._results.pop(call) for call in ids if call in self._results}
        self._joined[node.offset] = {call: result for call, (result, _) in found.items()}
        for call in ids:
            if call not in found:
                self._calls.setdefault(call, node)
        return self._made(node, raw, {call: entry for call, (_, entry) in found.items()})

    def _below(self, node: Node) -> Turn:
        raw = self._path.entry(node)
        answered = result_id(raw)
        call = self._calls.pop(answered, None) if answered else None
        if call is not None:
            joined = self._joined.setdefault(call.offset, {})
            joined[answered] = node
            entries = {each: self._path.entry(result) for each, result in joined.items()}
            made = self._made(call, self._path.entry(call), entries).release_texts()
            self.changed = [turn for turn in self.changed if turn.offset != call.offset]
            self.changed.append(made)
            return Turn(node.id, node.offset, [], node=node, joined_to=call.offset)
        for each in call_ids(raw):
            self._calls[each] = node
        self._joined[node.offset] = {}
        return self._made(node, raw)

    def _made(
        self, node: Node, raw: dict[str, Any], results: dict[str, dict[str, Any]] | None = None
    ) -> Turn:
        request, hit = self._request, self._request.hit
        joined = self._joined.get(node.offset, {})
        matched = [call for call, result in joined.items() if hit is not None and _is_at(result, hit)]
        made = turn(
            raw,
            node.id,
            node.offset,
            request.cells,
            request.words,
            has_match=hit is not None and _is_at(node, hit),
            results=results,
            matched_results=matched,
            now_ms=request.now_ms,
            node=node,
        )
        made.results = joined
        return made


def _is_at(node: Node, hit: EntryRef) -> bool:
    if hit.offset >= 0 and node.offset != hit.offset:
        return False
    return hit.entry_id is None or node.id == hit.entry_id
