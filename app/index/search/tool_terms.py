"""Tells from the words of tools (`index.words`) whether sessions have the terms of a query in texts that only
their files have, so that few files are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text_kinds import OTHER, TOOLS

if TYPE_CHECKING:
    from app.index.query.query import Term
    from app.index.search.documents import Document
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
        self._sessions: dict[Term, Sessions | None] = {}

    def has(self, matcher: TermMatcher, document: Document) -> bool | None:
        """Whether the file of a session has a term in the texts of its tools; None if only the file tells."""
        words = self._words
        if words is None or not self._covers(document, words):
            return None
        answers = [self._has(term, document.row.path, words) for term in matcher.alternatives]
        return True if True in answers else None if None in answers else False

    def _has(self, term: Term, path: str, words: Words) -> bool | None:
        if term not in self._sessions:
            self._sessions[term] = words.sessions_with(term)
        sessions = self._sessions[term]
        if sessions is None or path in sessions.maybe:
            return None
        if path in sessions.having:
            return True if self._is_sure else None
        return False if self._knows_all else None

    def _covers(self, document: Document, words: Words) -> bool:
        # Ten thousand signatures are compared once, and not at each key.
        if document.covered is None or document.covered[0] is not words:
            document.covered = words, words.covers(document.row)
        return document.covered[1]
