"""One search of all sessions: first their metadata and stored texts, then the files of those that these do
not decide.
"""

from __future__ import annotations

from heapq import merge
from typing import TYPE_CHECKING

from app.formats.text_kinds import CONVERSATION, USER
from app.formats.utf8_text import fold
from app.index.search.documents import Block, texts_of
from app.index.search.evaluator import Evaluator, PassageFinder
from app.index.search.grep.file_search import FileResult, FileSearcher
from app.index.search.hit_details import HitDetails
from app.index.search.passages import display_order
from app.index.search.ranking import NOWHERE, TEXTS, TOOLS, is_complete
from app.index.search.tool_terms import ToolTerms
from app.sessions.passages import HEADS, MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Document, DocumentSet, Snapshot, Touched
    from app.index.search.matchers import QueryPlan
    from app.index.search.passages import Passage
    from app.index.search.ranking import Places
    from app.index.search.refinement_cache import RefinementCache
    from app.index.text.mmap_reader import Segments
    from app.index.words.tool_words import Words

    Passes = Callable[[Document], bool]

MOST_WITH_MARKS = 100
"""Files in which words are found with marks that the query does not have, in a second. With more files to
read, their words of tools are not known yet, and they are searched for the words as they are typed.
"""
BEST_AT_ONCE = 50
"""Matching files whose best passage is worked out at once: it takes as long as searching a file that lacks
all terms, and few hits are shown at a time."""


class SearchPass:
    """Searches the sessions of `snapshot` for `plan`. Call `search_texts`, then `search_files` with each of
    the lists that it has filled.

    places        the place of each wanted term in the sessions that pass the filters
    undecided     sessions whose texts are not stored, or that have all wanted terms while a term that is not
                  wanted may be in the file
    incomplete    sessions whose files may have the wanted terms that their stored texts lack
    partial       sessions that do not match, and whose files may have some of the wanted terms
    searched      sessions that were searched so far, or are known not to match
    """

    def __init__(
        self,
        plan: QueryPlan,
        snapshot: Snapshot,
        documents: DocumentSet,
        segments: Segments,
        token: CancelToken,
        cache: RefinementCache,
        passes: Passes | None,
        *,
        best_at_once: bool,
        touched: Touched | None = None,
        words: Words | None = None,
    ) -> None:
        """:param passes: whether a session passes the filters; None without filters.
        :param best_at_once: the best passage of a file is wanted when the file is read.
        :param words: the words of tools, which save the reading of files.
        """
        self.plan = plan
        self.searched = 0
        self.places: dict[Document, Places] = {}
        self.undecided: list[Document] = []
        self.incomplete: list[Document] = []
        self.partial: list[Document] = []
        self.tools = ToolTerms(plan, words)
        if any(matcher.form is not fold for matcher in (*plan.wanted, *plan.unwanted)):
            segments.checks_written = True
        self.evaluator = Evaluator(plan, segments, token, touched)
        self.finder = PassageFinder(self.evaluator, token)
        self.files = FileMatcher(
            self.evaluator, self.finder, documents, segments, token, self.places, best_at_once=best_at_once
        )
        self._snapshot = snapshot
        self._documents = documents
        self._segments = segments
        self._token = token
        self._cache = cache
        self._passes = passes

    def search_texts(self) -> Iterator[list[Document]]:
        """The sessions that match by what is stored of them, newest first, some at a time.

        :raises Cancelled: the search is not wanted any more.
        """
        for block in self._snapshot.blocks:
            self._token.check()
            yield self._search_block(block)
        files = len(self.undecided) + len(self.incomplete) + len(self.partial)
        self.files.finds_marks = files <= MOST_WITH_MARKS

    def search_files(self, documents: Iterable[Document]) -> Iterator[Document | None]:
        """Those of some sessions whose files match, and None for each of the others.

        :raises Cancelled: the search is not wanted any more.
        """
        for document in documents:
            self._token.check()
            self.searched += 1
            yield document if self._matches(document) else None

    def has_any(self) -> bool:
        """Whether any session matches."""
        return any(self.search_texts()) or any(self.search_files((*self.undecided, *self.incomplete)))

    def complete_places(self) -> None:
        """Find the place of each wanted term in the files, too, of sessions that lack other terms."""
        for document in (*self.undecided, *self.incomplete, *self.partial):
            self._token.check()
            places = self.files.places(document, partial=True)
            if places is not None:
                self.places[document] = places

    def _matches(self, document: Document) -> bool:
        # The rarity of a term needs the places of all sessions whose texts are not stored.
        counts = document not in self.places and len(self.plan.wanted) > 1
        if document in self._cache.lacking and not counts:
            return False
        places = self.files.places(document, partial=counts)
        if places is None:
            return False
        if counts or is_complete(places):
            self.places[document] = places
        if not is_complete(places):
            self._cache.lacking.add(document)
        return is_complete(places)

    def _search_block(self, block: Block) -> list[Document]:
        slots = self._candidates(block)
        documents = block.documents
        if not self.plan.wanted and not self.plan.unwanted:
            self.searched += len(slots)
            self.places.update((documents[slot], b"") for slot in slots)
            return [documents[slot] for slot in slots]
        lost = block.without_text(self._segments) if self.evaluator.searches_texts else frozenset()
        stored = [slot for slot in slots if slot not in lost] if lost else slots
        matching = self._search_stored(block, stored)
        for document in self._reloaded([documents[slot] for slot in slots if slot in lost]):
            alone = Block([document])
            if alone.texts(self._segments)[0] is None:
                self.undecided.append(document)
            else:
                matching += self._search_stored(alone, (0,))
        return matching

    def _search_stored(self, block: Block, slots: Sequence[int]) -> list[Document]:
        """The sessions of a block that match by what is stored of them."""
        documents, plan = block.documents, self.plan
        columns = [
            self.evaluator.places(matcher, block, slots, self._cache.places(matcher.term))
            for matcher in plan.wanted
        ]
        unknown = self._add_tools(block, slots, columns) if plan.query.needs_files else []
        maybe = set[int]().union(*unknown)
        complete = []
        for slot, *places in zip(slots, *(map(column.__getitem__, slots) for column in columns), strict=True):
            document = documents[slot]
            self.places[document] = found = bytes(places)
            if NOWHERE not in found:
                complete.append(slot)
            elif slot not in maybe:
                self.searched += 1
            elif all(place or slot in may_have for place, may_have in zip(found, unknown, strict=True)):
                self.incomplete.append(document)
            else:
                self.searched += 1
                self.partial.append(document)
        clean: Sequence[int] = complete
        for matcher in plan.unwanted:
            clean = self.evaluator.without(matcher, block, clean)
        if plan.unwanted and plan.query.needs_files:
            clean = self._without_tools(block, clean)
        self.searched += len(complete)
        return [documents[slot] for slot in clean]

    def _add_tools(
        self, block: Block, slots: Sequence[int], columns: Sequence[bytearray]
    ) -> list[frozenset[int]]:
        """Note the places that the words of tools tell.

        :param columns: the places of each wanted term, by the slots.
        :return: for each term, the slots of the sessions of which only the file tells.
        """
        unknown = []
        for matcher, column in zip(self.plan.wanted, columns, strict=True):
            absent = [slot for slot in slots if not column[slot] and not block.documents[slot].row.is_deleted]
            having, others = self.tools.having(matcher, block, absent) if absent else ((), ())
            for slot in having:
                column[slot] = TOOLS
            unknown.append(frozenset(others))
        return unknown

    def _without_tools(self, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """The slots of the sessions whose files have no term that is not wanted. Those of which only the file
        tells become undecided.
        """
        unknown: set[int] = set()
        having: set[int] = set()
        asked = [slot for slot in slots if not block.documents[slot].row.is_deleted]
        for matcher in self.plan.unwanted:
            found, others = self.tools.having(matcher, block, asked)
            having.update(found)
            unknown.update(others)
        slots = [slot for slot in slots if slot not in having]
        undecided = [block.documents[slot] for slot in slots if slot in unknown]
        self.undecided += undecided
        self.searched -= len(undecided)
        return [slot for slot in slots if slot not in unknown]

    def _reloaded(self, documents: Sequence[Document]) -> list[Document]:
        """The sessions, with new documents of those whose text is not in its place: it may have moved."""
        lost = [document for document in documents if document.spans is not None]
        if not lost:
            return list(documents)
        fresh = dict(zip(lost, self._documents.reload(lost), strict=True))
        return [fresh.get(document, document) for document in documents]

    def _candidates(self, block: Block) -> Sequence[int]:
        """The slots of the sessions that may match."""
        documents, passes = block.documents, self._passes
        slots: Sequence[int] = range(len(documents))
        if not self.plan.wanted:
            # Only what was typed in a deleted session is found.
            slots = [slot for slot in slots if not documents[slot].row.is_deleted]
        if passes is not None:
            slots = [slot for slot in slots if passes(documents[slot])]
        self.searched += len(documents) - len(slots)
        return slots


class FileMatcher:
    """Searches the files of sessions, for texts that are not stored.

    as_kept       paths of files that cannot be read; their stored text was searched
    unread        path -> reason for those without the text that is searched
    details       fills in the hits of the pass
    finds_marks   words without marks are found with marks
    """

    def __init__(
        self,
        evaluator: Evaluator,
        finder: PassageFinder,
        documents: DocumentSet,
        segments: Segments,
        token: CancelToken,
        places: dict[Document, Places],
        *,
        best_at_once: bool,
    ) -> None:
        """The parameters are those of `SearchPass`."""
        self.as_kept: list[str] = []
        self.unread: dict[str, str] = {}
        self.finds_marks = True
        self.plan = evaluator.plan
        self._evaluator = evaluator
        self._finder = finder
        self._documents = documents
        self._segments = segments
        self._token = token
        self._best_at_once = best_at_once
        self._searcher: FileSearcher | None = None
        self._places = places
        self._best: dict[Document, Passage] = {}
        self.details = HitDetails(self.plan, segments, places, self._best, evaluator.touched)

    @property
    def read(self) -> int:
        """How many files were read."""
        return self._searcher.files if self._searcher else 0

    def places(self, document: Document, *, partial: bool = False) -> Places | None:
        """The place of each wanted term, with those in the file of the session; None if the session has a
        term that is not wanted, or if its file cannot be read.

        :param partial: find all terms even if others are missing.
        """
        before = self._places.get(document)
        is_stored = before is not None
        if before is None:
            alone = Block([document])
            before = bytes(self._in_metadata(alone))
        known = sum(1 << number for number, place in enumerate(before) if place)
        try:
            result = self._search_file(document, known, partial=partial, is_stored=is_stored)
        except OSError as error:
            return self._places_as_kept(document, before if partial else None, error, is_stored=is_stored)
        if result is None or (not result.matches and result.mask == self.plan.all_terms):
            return None
        found = list(before)
        for number, place in enumerate(before):
            if result.mask >> number & 1 and not place:
                kinds = {each.kind for each in result.passages if each.mask >> number & 1}
                found[number] = TOOLS if kinds.isdisjoint(CONVERSATION) else TEXTS
        if result.best:
            self._best[document] = result.best.passage()
        return bytes(found)

    def passages(self, document: Document) -> Iterable[Passage]:
        """The passages of a session that matches, in the order in which they are shown."""
        texts = texts_of(document, self._segments)
        in_file: Sequence[Passage] = ()
        if self.plan.query.needs_files or texts is None:
            in_file = self.details.file_passages(document) or ()
        if texts is None:
            return display_order(in_file)
        # The stored passages have their text.
        stored = self._finder.passages(document.row, texts)
        other = [passage for passage in in_file if passage.kind not in CONVERSATION]
        return display_order(merge(stored, other, key=lambda passage: -passage.offset))

    def has_prompt(self, document: Document, prompt: Passage, passages: Iterable[Passage]) -> bool:
        """Whether a prompt of the history is also in the stored text of its session.

        :param prompt: the passage of the prompt in the metadata.
        :param passages: those of the session; none of them may have the same terms if case counts.
        """
        if not any(passage.mask & prompt.mask == prompt.mask for passage in passages):
            return False
        passage = HEADS[USER] + bytes(prompt.source.data[prompt.begin : prompt.end])
        return any(
            source.find(passage + MARK, start, end) >= 0
            or source.data[max(start, end - len(passage)) : end] == passage
            for source, start, end in texts_of(document, self._segments) or ()
        )

    def _in_metadata(self, alone: Block) -> bytearray:
        """The places of the wanted terms in the metadata of the one session of a block."""
        return bytearray(self._evaluator.places(matcher, alone, (0,), {})[0] for matcher in self.plan.wanted)

    def _search_file(
        self, document: Document, known: int, *, partial: bool, is_stored: bool
    ) -> FileResult | None:
        """Search the file of a session; None if its metadata have a term that is not wanted.

        :param known: the mask of the terms that it has elsewhere.
        :param is_stored: these include the terms in its conversation.
        :raises OSError: it cannot be read.
        """
        plan = self.plan
        if plan.everywhere and any(
            self._evaluator.has_in_metadata(matcher, document) for matcher in plan.unwanted
        ):
            return None
        if self._searcher is None:
            self._searcher = FileSearcher(plan, finds_marks=self.finds_marks)
        row = document.row
        return self._searcher.search(
            row.path,
            row.dialect,
            known=known,
            best=self._best_at_once and known != plan.all_terms and len(self._best) < BEST_AT_ONCE,
            deciding=plan.all_terms & ~known if is_stored else 0,
            every=not is_stored,
            partial=partial,
            beat=self._token.check,
        )

    def _places_as_kept(
        self, document: Document, places: Places | None, error: OSError, *, is_stored: bool
    ) -> Places | None:
        """`places`, those of a session whose file cannot be read, if its text is stored."""
        path = document.row.path
        if not (is_stored and self._evaluator.searches_texts):
            self.unread[path] = error.strerror or str(error)
            return None
        if not isinstance(error, FileNotFoundError):  # else the index is about to drop the session
            self.as_kept.append(path)
        return places
