"""Two branches of a session side by side: prompts, answers, tool calls and files since their common entry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from app.formats.content import text_of
from app.formats.dialects import dialect_named
from app.formats.dialects.base import Dialect
from app.formats.dialects.copies import HANDED_OVER
from app.formats.edits import changed_lines
from app.formats.entry_types import SILENT
from app.formats.errors import Cancelled
from app.formats.json_codec import raw_json
from app.formats.prices import LIST_PRICES, Prices, Spending
from app.formats.text import one_line
from app.formats.tool_calls import FileCollector, calls_in, file_calls_in
from app.sessions.tree.branches import UsageTotals, common_ancestor, spent_on
from app.sessions.tree.node import Node, path_to
from app.sessions.tree.tree import SessionTree

TEXT_LIMIT = 300
"""Characters that are kept of a prompt or an answer."""

_SPEAKERS = frozenset(("user", "assistant"))


@dataclass(slots=True)
class Turn:
    """A prompt and its answers; all texts are one line each and inert.

    :param node: the prompt's entry, None if the side begins in the middle of a turn.
    :param first: its first entry that is read: the prompt, else an answer.
    :param prompt: "" if there is no prompt, or it has no text.
    :param answer: the last text of the answers; the error if they have no text.
    :param tools: how often each tool was called, in the order of first use.
    """

    node: Node | None = None
    prompt: str = ""
    answer: str = ""
    tools: dict[str, int] = field(default_factory=dict)
    first: Node | None = field(default=None, compare=False)


@dataclass(slots=True)
class FileChange:
    """A file that the tools of one side changed.

    :param node: the entry with the last change.
    :param is_new: the first change wrote it whole.
    :param added: lines that edits added, as far as their arguments tell; ``removed``: lines they removed.
    """

    path: str
    node: Node = field(compare=False)
    is_new: bool = False
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class Side:
    """The entries that only one of the two branches has.

    :param leaf: the end of the branch; ``label`` is the label nearest to it, "" for none.
    :param entries: the number of entries.
    :param tools: how often each tool was called, the most frequent first.
    :param changed: the files that were changed, by path; ``read``: the paths that were only read.
    :param spent: tokens, and dollars as the agent wrote them; ``spending`` is the cost with estimates.
    :param first_ms: the earliest time of an entry that is no bookkeeping, ``last_ms`` the latest, in
        milliseconds since the epoch, UTC; None if no such entry has a time.
    """

    leaf: Node
    label: str
    entries: int
    turns: tuple[Turn, ...]
    tools: tuple[tuple[str, int], ...]
    changed: tuple[FileChange, ...]
    read: tuple[str, ...]
    spent: UsageTotals
    spending: Spending
    first_ms: int | None
    last_ms: int | None

    @property
    def duration_ms(self) -> int:
        """The time from the first entry to the last; 0 if it is unknown."""
        return 0 if self.first_ms is None or self.last_ms is None else self.last_ms - self.first_ms


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two branches since their last common entry.

    :param common: that entry; None if they begin at different roots.
    :param last_shared: the nearest entry of the conversation on the path to it, with the text of its row.
    :param one: the side of the first branch; ``other`` that of the second.
    """

    common: Node | None
    last_shared: Node | None
    one: Side
    other: Side

    def turns(self) -> list[tuple[Turn | None, Turn | None]]:
        """The turns of both sides in pairs, from the first on; None if a side has no more turns."""
        return list(zip_longest(self.one.turns, self.other.turns))


def compare(
    tree: SessionTree,
    one: Node,
    other: Node,
    keep_going: Callable[[], bool] = lambda: True,
    prices: Prices = LIST_PRICES,
) -> Comparison:
    """Compare the paths to two entries of `tree`. Entries that they share are not read.

    If one entry lies on the path to the other, its side is empty.

    :param keep_going: called before each entry is read.
    :param prices: those of tokens without a cost.
    :raises Cancelled: `keep_going` returned False.
    :raises Changed: the file is no longer the one that the tree was read from.
    :raises OSError: it cannot be read.
    """
    common = common_ancestor(one, other)
    if common is not None and _is_marker(tree, common):
        # leafmark's own entry is above the roots of a session that was handed over.
        common = None
    sides = []
    for leaf in (one, other):
        path = [node for node in path_to(leaf) if node.parent is not None or not _is_marker(tree, node)]
        own = path[path.index(common) + 1 :] if common else path
        sides.append(_compare_side(tree, leaf, own, keep_going, prices))
    last_shared = common
    while last_shared is not None and last_shared.shown_type in SILENT:
        last_shared = last_shared.parent
    tree.read_rows([last_shared] if last_shared is not None else [])
    return Comparison(common, last_shared, *sides)


def _is_marker(tree: SessionTree, node: Node) -> bool:
    return node.type == "custom" and node.parent is None and tree.read(node).get("customType") == HANDED_OVER


def _compare_side(
    tree: SessionTree,
    leaf: Node,
    path: list[Node],
    keep_going: Callable[[], bool],
    prices: Prices,
) -> Side:
    turns: list[Turn] = []
    called: Counter[str] = Counter()
    files = _Files(dialect_named(tree.header.dialect))
    for node in path:
        # Tool results are not shown, and may be long.
        if node.role not in _SPEAKERS and node.type != "branch_summary":
            continue
        if not keep_going():
            raise Cancelled
        entry = tree.read(node)
        if node.role == "user":
            turns.append(Turn(node, _text(entry), first=node))
        elif node.role == "assistant":
            if not turns:
                turns.append(Turn(first=node))
            _add_answer(turns[-1], entry)
            called.update(_tools(entry))
        files.take(node, entry)
    counted = (node for node in path if node.shown_type not in SILENT)
    times = [time for node in counted if (time := node.timestamp) is not None]
    label = next((node.label for node in reversed(path) if node.label), "")
    return Side(
        leaf,
        one_line(label, TEXT_LIMIT),
        len(path),
        tuple(turns),
        tuple(called.most_common()),
        *files.found(),
        *spent_on(path, prices),
        min(times, default=None),
        max(times, default=None),
    )


class _Files:
    """Collects the files of one side."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._collector = FileCollector(dialect)
        self._changes: dict[str, FileChange] = {}

    def take(self, node: Node, entry: dict[str, Any]) -> None:
        self._collector.take(entry)
        for call in file_calls_in(entry, self._dialect):
            if call.tool == "read":
                continue
            change = self._changes.setdefault(call.path, FileChange(call.path, node, call.tool == "write"))
            added, removed = changed_lines(call.arguments)
            change.node = node
            change.added += added
            change.removed += removed
        if entry.get("type") == "branch_summary":
            # a file that only the summary mentions
            for path in self._collector.files().changed:
                self._changes.setdefault(path, FileChange(path, node))

    def found(self) -> tuple[tuple[FileChange, ...], tuple[str, ...]]:
        changes = tuple(self._changes[path] for path in sorted(self._changes))
        return changes, self._collector.files().read


def _add_answer(turn: Turn, entry: dict[str, Any]) -> None:
    message = entry["message"]
    text = _text(entry)
    if text:
        turn.answer = text
    elif not turn.answer:
        error = message.get("errorMessage")
        if isinstance(error, str) and error:
            turn.answer = one_line(error, TEXT_LIMIT)
        elif message.get("stopReason") == "aborted":
            turn.answer = "(aborted)"
    for name in _tools(entry):
        turn.tools[name] = turn.tools.get(name, 0) + 1


def _tools(entry: dict[str, Any]) -> list[str]:
    """The names of the tools that an answer calls, inert, once for each call."""
    return [one_line(name, TEXT_LIMIT) or "tool" for name, _ in calls_in(entry)]


def _text(entry: dict[str, Any]) -> str:
    """The text of a message in one line."""
    content = entry["message"].get("content")
    if isinstance(content, list):
        # Only texts: images and tool arguments need not be encoded as JSON and parsed again.
        content = [block for block in content if isinstance(block, dict) and block.get("type") == "text"]
    return one_line(text_of(raw_json(content)), TEXT_LIMIT)


def count_tools(tools: Iterable[tuple[str, int]]) -> str:
    """For example "read 3, bash, edit 2"."""
    return ", ".join(name if count == 1 else f"{name} {count:,}" for name, count in tools)
