"""How else the terms of a query are spelt that are nowhere: without their capitals, words also nearly like it
(`search.near`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.fold import fold
from app.formats.kinds import CONVERSATION
from app.index.query.query import REGEX, WORD, Note, Query, Term
from app.index.query.regex import says_case_counts
from app.index.search.edit_distance import faults, nearest
from app.index.search.metadata_fields import SHORT, WHERE
from app.index.search.terms import name_of, uncased

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Place
    from app.index.search.sessions import View
    from app.index.text.mmap_reader import Segments

    Spelt = dict[str, tuple[str, ...]]


def other_spellings(
    query: Query, view: View, segments: Segments, pulse: CancelToken, has_any: Callable[[Query, View], bool]
) -> tuple[Spelt, list[Note]]:
    """By the name of each term that is nowhere how else it is spelt, if that is known, and a note about each.
    Phrases and patterns are among them that have a capital: of these there is one other spelling, without.
    Of a query that is one term, nothing else needs to be said than that nothing matches. What only files
    have, as what tools said, is too much to compare each word of it. A term that is only not where `role:`
    and the like have it looked for is not nowhere, and a note says so.

    :param query: nothing matches it.
    :param has_any: whether any session of a view matches a query.
    :raises Stopped: the search is not wanted any more.
    """
    instead: Spelt = {}
    notes = []
    # A folder that is shown shorter has its words already.
    kinds = query.kinds | (WHERE.keys() - {SHORT} if query.everywhere else frozenset())
    for term in query.terms:
        folded, name = fold(term.text), name_of(term)
        if not (term.kind == WORD or term.exact) or term.negated or name in instead:
            continue
        if query.is_deep and not term.exact and not faults(folded):
            # To know that it is nowhere, all files would have to be read.
            continue
        # Where it is all that was looked for, that is known by now.
        if not _is_alone(term, query) and has_any(_alone(term, query), view):
            continue
        if _is_narrow(query) and has_any(Query(terms=(term,)), view):
            # It is spelt right.
            message = f"“{name}” is not where role:, in: or tool: have it looked for, but elsewhere"
            notes.append(Note(message, term.position, term.length))
            continue
        words: tuple[str, ...] = ()
        may_differ = term.exact and not (term.kind == REGEX and says_case_counts(term.text))
        if may_differ and has_any(_alone(uncased(term), query), view):
            # Only its capitals are nowhere.
            words = (name_of(term, "(?i)") if term.kind == REGEX else folded,)
        elif term.kind == WORD:
            found = nearest(folded, _places(view, segments), kinds, pulse)
            # The word itself may stand where it could not be confirmed.
            words = tuple(word for word in found if word != folded)
        instead[name] = words
        if words:
            message = f"“{name}” is nowhere; looked for instead: {', '.join(words)}"
            notes.append(Note(message, term.position, term.length))
        elif query.is_deep and term.kind == WORD:
            message = f"“{name}” is nowhere; outside the conversation no other spellings are known"
            notes.append(Note(message, term.position, term.length))
        elif not _is_alone(term, query):
            notes.append(Note(f"“{name}” is nowhere", term.position, term.length))
    return instead, notes


def _is_alone(term: Term, query: Query) -> bool:
    return query.terms == (term,) and not query.filters


def _is_narrow(query: Query) -> bool:
    """Whether something of what is looked through where nothing is said is left out."""
    return not (query.everywhere and query.kinds >= CONVERSATION)


def _alone(term: Term, query: Query) -> Query:
    """The same places, and nothing but this to look for in them."""
    return Query(terms=(term,), kinds=query.kinds, tools=query.tools, everywhere=query.everywhere)


def _places(view: View, segments: Segments) -> Iterator[Place]:
    """All texts, those of the newest sessions first."""
    for block in view.all_blocks():
        stale = view.stale if block is not view.fresh else frozenset()
        for session, places in zip(block.sessions, block.everything(segments), strict=True):
            if session not in stale:
                yield from places
