"""Tells from the words of tools (`index.words`) whether sessions have the terms of a query in texts that only
their files have, so that few files are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text_kinds import OTHER, TOOLS
from app.index.words.tool_words import any_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from app.index.search.documents import Block
    from app.index.search.matchers import QueryPlan, TermMatcher
    from app.index.words.tool_words import Sessions, Words


class ToolTerms:
    """Answers for the terms of `plan`."""

    def __init__(self, plan: QueryPlan, words: Words | None) -> None:
        """:param words: the words that are known now; None for none."""
        self._words = words
        # Not if the query leaves out the texts of some tools.
        self._is_sure = plan.kinds >= TOOLS and not plan.tools
        self._knows_all = OTHER not in plan.kinds
        self._answers: dict[TermMatcher, Sessions | None] = {}

    def having(
        self, matcher: TermMatcher, block: Block, slots: Iterable[int]
    ) -> tuple[Sequence[int], Collection[int]]:
        """The slots of the sessions that have a term in the texts of their tools, and of those of which only
        the file tells.

        :param slots: the sessions that are asked about.
        """
        words = self._words
        answer = None if words is None else self._sessions_with(matcher, words)
        if words is None or answer is None:
            return (), list(slots)
        uncovered, documents = block.uncovered(words), block.documents
        found, unknown = [], []
        for slot in slots:
            path = documents[slot].row.path
            if slot in uncovered:
                unknown.append(slot)
            elif path in answer.having and self._is_sure:
                found.append(slot)
            elif path in answer.having or path in answer.maybe or not self._knows_all:
                unknown.append(slot)
        return found, unknown

    def _sessions_with(self, matcher: TermMatcher, words: Words) -> Sessions | None:
        """The sessions with any of the alternatives of a term; None if words say nothing about one."""
        if matcher not in self._answers:
            answers = list(map(words.sessions_with, matcher.alternatives))
            self._answers[matcher] = any_of(answers)
        return self._answers[matcher]
