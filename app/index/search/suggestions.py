"""Suggestions for terms that nothing matches: the term without its capitals, or similar words of the texts.

The words that are similar to a word depend on its length in characters:

    up to 3    none
    4          words of titles that differ in one letter, as below; if there are none, words of all texts with
               two neighbouring letters swapped, because too many short words differ in one letter
    5 to 8     words that differ in one letter: missing, added, changed, or swapped with the next one
    9 or more  words that differ in up to two letters, missing, added or changed; a swap counts as two

A word with one fault has one correct half, and a word with two faults one correct third: only words with one
of these parts are compared letter by letter. All swaps of a word of four letters are known beforehand.

The words of tool calls and output are no suggestions: they are in no text store, so that every word of all
files would have to be compared.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from app.formats.text_kinds import CONVERSATION, SEARCHED, USER
from app.formats.utf8_text import counts_marks, fold, to_utf8
from app.index.query.query import REGEX, WORD, Note, Query, Term
from app.index.query.regex import has_case_flag
from app.index.search.matchers import name_of, without_case
from app.index.search.metadata_fields import NAME, SHORT_FOLDER, WHERE
from app.index.search.passages import kind_at
from app.index.text.mmap_reader import Source
from app.sessions.passages import joined, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Snapshot, TextRange
    from app.index.text.mmap_reader import Segments

    Spellings = dict[str, tuple[str, ...]]

SHORTEST = 4
"""Letters of a word that is compared with titles first; shorter words have no other spellings."""
LONG = 9
"""Letters from which on two faults are allowed."""
MOST = 5
"""The most spellings that are used: the nearest, and of these the most frequent."""
MOST_COMPARED = 60_000
"""The most words with a part that are compared, the newest first: a part may be in every third word."""

# A word consists of letters, digits and everything beyond ASCII; the other bytes become blanks.
_WORD_BYTES = b"0123456789_abcdefghijklmnopqrstuvwxyz"
_TO_BLANKS = bytes(byte if byte >= 0x80 or byte in _WORD_BYTES else 0x20 for byte in range(0x100))
_WIDEST = 4
"""The most bytes of a character."""


def other_spellings(
    query: Query,
    snapshot: Snapshot,
    segments: Segments,
    token: CancelToken,
    has_any: Callable[[Query, Snapshot], bool],
) -> tuple[Spellings, list[Note]]:
    """Other spellings of the terms that nothing matches, by the name of the term, and a note about each term.

    The only other spelling of a phrase or a pattern is the one without capitals and marks. A term that is
    missing only from the places that `role:`, `in:` or `tool:` name gets a note and no spellings. A query of
    one term needs no note that nothing matches.

    :param query: no session matches it.
    :param has_any: whether any session of a snapshot matches a query.
    :raises Cancelled: the search is not wanted any more.
    """
    instead: Spellings = {}
    notes = []
    # The words of the shortened folder are those of the folder.
    kinds = query.kinds | (WHERE.keys() - {SHORT_FOLDER} if query.everywhere else frozenset())
    for term in query.terms:
        folded, name = fold(term.text), name_of(term)
        quoted = f'"{name}"'
        if not (term.kind == WORD or term.exact) or term.negated or name in instead:
            continue
        is_alone = query.terms == (term,) and not query.filters
        may_differ = term.exact or counts_marks(term.text)
        may_differ = may_differ and not (term.kind == REGEX and has_case_flag(term.text))
        if query.needs_files and not (is_alone or term.exact or may_differ or max_faults(folded)):
            # All files would have to be read to know that nothing matches it.
            continue
        # The only term of a query is known to match nothing.
        if not is_alone and has_any(_only(term, query), snapshot):
            continue
        searches_all = query.everywhere and query.kinds >= SEARCHED
        if not searches_all and has_any(Query(terms=(term,)), snapshot):
            message = f"No {quoted} in what role:, in: or tool: search; it is elsewhere"
            notes.append(Note(message, term.position, term.length))
            continue
        words: tuple[str, ...] = ()
        if may_differ and has_any(_only(without_case(term), query), snapshot):
            words = (name_of(term, "(?i)") if term.kind == REGEX else folded,)
        elif term.kind == WORD:
            texts, is_short = _texts(snapshot, segments), len(folded) == SHORTEST
            words = nearest(folded, _titles(snapshot), kinds, token) if is_short else ()
            words = words or nearest(folded, texts, kinds, token, only_swaps=is_short)
        instead[name] = words
        if words:
            message = f"No {quoted}; searched for {', '.join(words)}"
            notes.append(Note(message, term.position, term.length))
        elif query.kinds.isdisjoint(CONVERSATION) and term.kind == WORD:
            message = f"No {quoted}; other spellings are known only of the conversation"
            notes.append(Note(message, term.position, term.length))
        elif not is_alone:
            notes.append(Note(f"No {quoted}", term.position, term.length))
    return instead, notes


def _only(term: Term, query: Query) -> Query:
    """A query of one term that searches the same texts."""
    return Query(terms=(term,), kinds=query.kinds, tools=query.tools, everywhere=query.everywhere)


def _texts(snapshot: Snapshot, segments: Segments) -> Iterator[TextRange]:
    """All texts and metadata, those of the newest sessions first."""
    for block in snapshot.blocks:
        yield from chain.from_iterable(texts or () for texts in block.texts(segments))
        metadata = block.metadata().source
        yield metadata, 0, metadata.size


def _titles(snapshot: Snapshot) -> list[TextRange]:
    """The titles of all sessions as passages: names and first prompts."""
    rows = [document.row for document in snapshot.documents]
    # The ellipsis of a cut title would count as a letter.
    titles = [pack(NAME if row.name else USER, 0, row.title.replace("…", " ")) for row in rows]
    source = Source(joined(titles).folded)
    return [(source, 0, source.size)]


# -- similar words --


def max_faults(word: str) -> int:
    """The greatest `distance` of another spelling from a folded word."""
    return 0 if len(word) < SHORTEST else 1 if len(word) < LONG else 2


def nearest(
    word: str,
    texts: Iterable[TextRange],
    kinds: frozenset[int],
    token: CancelToken,
    *,
    only_swaps: bool = False,
) -> tuple[str, ...]:
    """The other words in `texts` that are similar to `word`, the nearest first.

    :param word: folded.
    :param kinds: the kinds of passages that count.
    :param only_swaps: find only words with two neighbouring letters swapped.
    :raises Cancelled: the search is not wanted any more.
    """
    most = max_faults(word)
    if not most:
        return ()
    margin = (len(word) + most) * (1 if word.isascii() else _WIDEST) + most * _WIDEST
    faults_of: dict[bytes, tuple[int, bytes]] = {}
    counts: Counter[bytes] = Counter()
    swaps = _swaps(word) if only_swaps else None
    remaining_by_part = dict.fromkeys(_parts(word, most) if swaps is None else swaps, MOST_COMPARED)
    for source, start, end in texts:
        for part, remaining in remaining_by_part.items():
            position = source.find(part, start, end) if remaining else -1
            while position >= 0 and remaining:
                remaining -= 1
                token.check()
                window = max(start, position - margin)
                around = source.data[window : min(end, position + margin)].translate(_TO_BLANKS)
                begin = around.rfind(b" ", 0, position - window) + 1
                stop = around.find(b" ", position - window)
                candidate = around[begin : stop if stop >= 0 else len(around)]
                faults, first_part = faults_of.get(candidate) or (-1, part)
                if faults < 0:
                    faults = _faults(word, candidate, most, swaps)
                    faults_of[candidate] = faults, part
                # A word with several of the parts is counted once.
                if 0 < faults <= most and first_part == part and kind_at(source, start, position) in kinds:
                    counts[candidate] += 1
                position = source.find(part, position + len(part), end)
            remaining_by_part[part] = remaining
            token.check()
        source.release(start, end)
    ranked = sorted(counts, key=lambda candidate: (faults_of[candidate][0], -counts[candidate], candidate))
    return tuple(candidate.decode() for candidate in ranked[:MOST])


def _parts(word: str, most: int) -> list[bytes]:
    """The parts of a word, one of which every similar word has."""
    cuts = [len(word) * number // (most + 1) for number in range(most + 2)]
    parts = [word[start:end] for start, end in pairwise(cuts)]
    if most == 1:
        # One swap changes both halves.
        cut = cuts[1]
        parts.append(word[: cut - 1] + word[cut] + word[cut - 1] + word[cut + 1 :])
    return [to_utf8(part) for part in dict.fromkeys(parts)]


def _swaps(word: str) -> list[bytes]:
    """The word with two neighbouring letters swapped, for each two that differ."""
    swapped_words = [
        word[:position] + word[position + 1] + word[position] + word[position + 2 :]
        for position in range(len(word) - 1)
    ]
    return [to_utf8(swapped) for swapped in dict.fromkeys(swapped_words) if swapped != word]


def _faults(word: str, candidate: bytes, most: int, swaps: Sequence[bytes] | None) -> int:
    if swaps is not None:
        return 1 if candidate in swaps else most + 1
    try:
        return distance(word, candidate.decode(), most)
    except UnicodeDecodeError:  # the window, or half a surrogate pair, cuts a character
        return most + 1


def distance(word: str, candidate: str, most: int) -> int:
    """The edit distance of two words: letters that are missing, added or changed, or, if `most` is 1, swapped
    with the next one; `most` + 1 if it is greater than `most`.
    """
    if abs(len(word) - len(candidate)) > most:
        return most + 1
    before_last: list[int] = []
    last: list[int] = []
    row = list(range(len(candidate) + 1))
    for i, char in enumerate(word, 1):
        before_last, last, row = last, row, [i]
        for j, candidate_char in enumerate(candidate, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (char != candidate_char))
            if most == 1 and i > 1 and j > 1 and char == candidate[j - 2] and word[i - 2] == candidate_char:
                cost = min(cost, before_last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
