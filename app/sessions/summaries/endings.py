"""How a session ended: what its agent did last on the active path.

The rule is that of oh-my-pi's list (formats/README.md, "List of oh-my-pi"), with three differences: the last
message is that of the active path and not of the file, a prompt without an answer is an interrupted turn, and
a question without an answer waits for the user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.content import SnakeToolCallBlock, ToolCallBlock
from app.formats.summary_fields import Answer, Prompt, ToolResult
from app.sessions.summary import ABORTED, DONE, FAILED, INTERRUPTED, WAITING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.formats.summary_fields import Message, SummaryFields

ASKS = frozenset(("ask", "AskUserQuestion", "ExitPlanMode", "request_user_input"))
"""The names of the tools with which agents ask the user."""

TOOL_USE = frozenset(("toolUse", "tool_use"))
"""The reasons for which an answer stopped to call tools."""

_BY_STOP_REASON = {
    **dict.fromkeys(TOOL_USE, INTERRUPTED),
    "length": INTERRUPTED,
    "deferred": INTERRUPTED,
    "error": FAILED,
    "aborted": ABORTED,
}


class EndingFold:
    """The ending at every entry, while entries are added in the order of the file. The leaf may be any.

    Most messages are prompts, answers that call tools, and results of tools. A session that ends with one of
    them was interrupted, unless a question is open, so only the other endings are kept.

    last  the ending of the last message in the file, which counts in formats without branches
    """

    __slots__ = ("_endings", "_has_asked", "_open_calls", "last")

    def __init__(self) -> None:
        self.last = ""
        self._endings: dict[str | None, str] = {}
        # The number of calls of the last answer without a result, and whether it has called `ask`.
        self._open_calls = 0
        self._has_asked = False

    def add(
        self,
        entries: Sequence[SummaryFields],
        changing: Iterable[SummaryFields] | None = None,
        tool_names: Iterable[str] = ASKS,
    ) -> None:
        """Add the next entries.

        :param changing: those of them that are no prompts, no answers that stop for `TOOL_USE` and no results
            of a tool.
        :param tool_names: the tools that they call.
        """
        if changing is None or self._is_asking or not ASKS.isdisjoint(tool_names):
            endings = [(entry, self._follow(entry.message)) for entry in entries]
        else:
            endings = [(entry, _ending_of(entry.message)) for entry in changing]
            last = (_ending_of(entry.message) for entry in reversed(entries))
            self.last = next(filter(None, last), self.last)
        kept = self._endings
        for entry, ending in endings:
            if ending is None:
                ending = kept.get(entry.parent_id, INTERRUPTED) if entry.parent_id else ""
            if ending != INTERRUPTED:
                kept[entry.id] = ending

    @property
    def _is_asking(self) -> bool:
        """Whether the last answer has called `ask`, and not all of its calls have a result yet."""
        return self._has_asked and self._open_calls > 0

    def _follow(self, message: Message | None) -> str | None:
        """`_ending_of` a message, with the questions in it and before it."""
        ending = _ending_of(message)
        if isinstance(message, Answer):
            calls = _called_tools(message)
            self._open_calls, self._has_asked = len(calls), not ASKS.isdisjoint(calls)
        elif isinstance(message, Prompt):
            self._has_asked = False
        elif isinstance(message, ToolResult):
            self._open_calls -= 1
        if ending is not None:
            # oh-my-pi runs `ask` alone. A call without a result beside it is therefore the question.
            self.last = ending = WAITING if ending == INTERRUPTED and self._is_asking else ending
        return ending

    def at(self, leaf: str | None) -> str:
        """The ending of the path from the root to an entry; "" if there is no message on it."""
        return "" if leaf is None else self._endings.get(leaf, INTERRUPTED)


def _ending_of(message: Message | None) -> str | None:
    """How a session ends with this message; None if the message does not change that."""
    if isinstance(message, Answer):
        ending = _BY_STOP_REASON.get(message.stop_reason or "")
        if ending is not None:
            return ending
        if message.error_message:
            return FAILED
        return INTERRUPTED if _called_tools(message) else DONE
    return INTERRUPTED if isinstance(message, (Prompt, ToolResult)) else None


def _called_tools(answer: Answer) -> list[str]:
    if type(answer.content) is not list:
        return []
    return [block.name for block in answer.content if isinstance(block, (ToolCallBlock, SnakeToolCallBlock))]
