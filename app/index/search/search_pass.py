"""One pass over all sessions, newest first: which of them match a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text_kinds import CONVERSATION, USER
from app.index.search.documents import Block, texts_of
from app.index.search.evaluator import Evaluator, PassageFinder
from app.index.search.grep.file_search import FileResult, FileSearcher
from app.index.search.hit_details import HitDetails
from app.index.search.passages import display_order
from app.sessions.passages import HEADS, MARK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Document, DocumentSet, Snapshot
    from app.index.search.matchers import QueryPlan
    from app.index.search.passages import Passage
    from app.index.search.refinement_cache import RefinementCache
    from app.index.text.mmap_reader import Segments

    Passes = Callable[[Document], bool]

BEST_AT_ONCE = 50
"""Matching files whose best passage is worked out at once: it takes as long as searching a file that lacks
all terms, and few hits are shown at a time."""


class SearchPass:
    """Searches the sessions of `snapshot` for `plan`.

    searched   sessions that were searched so far, or are known not to match
    total      sessions that match so far
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
        every: bool,
        best_at_once: bool,
    ) -> None:
        """:param passes: whether a session passes the filters; None without filters.
        :param every: all passages of a file are wanted.
        :param best_at_once: the best passage of a file is wanted when the file is read.
        """
        self.plan = plan
        self.searched = 0
        self.total = 0
        if any(matcher.exact for matcher in (*plan.wanted, *plan.unwanted)):
            segments.checks_written = True
        self.evaluator = Evaluator(plan, segments, token)
        self.finder = PassageFinder(self.evaluator, token)
        self.files = FileMatcher(
            self.evaluator,
            self.finder,
            documents,
            segments,
            token,
            cache,
            every=every,
            best_at_once=best_at_once,
        )
        self._snapshot = snapshot
        self._segments = segments
        self._token = token
        self._cache = cache
        self._passes = passes

    def run(self) -> Iterator[list[Document]]:
        """The sessions that match, newest first, some at a time; an empty list now and then.

        :raises Cancelled: the search is not wanted any more.
        """
        for block in self._snapshot.blocks:
            for matching in self._run_block(block):
                self.total += len(matching)
                yield matching

    def _run_block(self, block: Block) -> Iterator[list[Document]]:
        self._token.check()
        slots = self._candidates(block)
        if not slots:
            return
        documents = block.documents
        if not self.plan.wanted and not self.plan.unwanted:
            self.searched += len(slots)
            yield [documents[slot] for slot in slots]
            return
        without_text = block.without_text(self._segments)
        if self.plan.query.is_deep:
            without_text = frozenset(slot for slot in slots if not documents[slot].row.is_deleted)
        stored = [slot for slot in slots if slot not in without_text]
        from_files = [slot for slot in slots if slot in without_text]
        matching = self._evaluate(block, stored)
        self.searched += len(stored)
        if from_files:
            yield from self._with_files(block, slots, set(matching), from_files)
        else:
            yield [documents[slot] for slot in matching]

    def _with_files(
        self, block: Block, slots: Sequence[int], matching: set[int], from_files: Sequence[int]
    ) -> Iterator[list[Document]]:
        """The sessions of `matching`, and those of `from_files` whose files match."""
        file_slots = set(from_files)
        reloaded = self.files.reloaded(block, from_files)
        # All at once: packing the metadata of one session at a time takes five times as long.
        block.metadata()
        token = self._token
        asked = token.asked
        for slot in slots:
            document = reloaded.get(slot, block.documents[slot])
            if slot in file_slots:
                self.searched += 1
                token.check()
                match = self.files.matching(document)
                if match is not None:
                    yield [match]
                elif asked != token.asked:
                    asked = token.asked
                    yield []
            elif slot in matching:
                yield [document]

    def _evaluate(self, block: Block, slots: Sequence[int]) -> Sequence[int]:
        """The slots that match. The sessions that lack a term are cached."""
        matching, clean = self.evaluator.evaluate(block, slots)
        if len(matching) < len(slots):
            lacking = set(slots).difference(matching)
            self._cache.lacking.update([block.documents[slot] for slot in lacking])
        return clean

    def _candidates(self, block: Block) -> Sequence[int]:
        """The slots of the sessions that may match."""
        documents, lacking, passes = block.documents, self._cache.lacking, self._passes
        slots: Sequence[int] = range(len(documents))
        if lacking:
            slots = [slot for slot in slots if documents[slot] not in lacking]
        if not self.plan.wanted:
            # Only what was typed in a deleted session is found.
            slots = [slot for slot in slots if not documents[slot].row.is_deleted]
        if passes is not None:
            slots = [slot for slot in slots if passes(documents[slot])]
        self.searched += len(documents) - len(slots)
        return slots


class FileMatcher:
    """Matches sessions by their files: their text is missing or incomplete, or the query searches more than
    the text store has.

    as_kept   paths of files that cannot be read; their stored text was searched
    unread    path -> reason for those without the text that is searched
    details   fills in the hits of the pass
    """

    def __init__(
        self,
        evaluator: Evaluator,
        finder: PassageFinder,
        documents: DocumentSet,
        segments: Segments,
        token: CancelToken,
        cache: RefinementCache,
        *,
        every: bool,
        best_at_once: bool,
    ) -> None:
        """The parameters are those of `SearchPass`."""
        self.as_kept: list[str] = []
        self.unread: dict[str, str] = {}
        self.plan = evaluator.plan
        self._evaluator = evaluator
        self._finder = finder
        self._documents = documents
        self._segments = segments
        self._token = token
        self._cache = cache
        self._every = every
        self._best_at_once = best_at_once
        self._searcher: FileSearcher | None = None
        self._passages: dict[Document, tuple[Passage, ...]] = {}
        self._best: dict[Document, Passage] = {}
        self.details = HitDetails(self.plan, segments, self._passages, self._best)

    @property
    def read(self) -> int:
        """How many files were read."""
        return self._searcher.files if self._searcher else 0

    def reloaded(self, block: Block, slots: Sequence[int]) -> dict[int, Document]:
        """Slot -> new document of the sessions whose text was not in its place and may have been moved."""
        lost = [slot for slot in slots if block.documents[slot].spans is not None]
        if not lost or self.plan.query.is_deep:
            return {}
        return dict(zip(lost, self._documents.reload([block.documents[slot] for slot in lost]), strict=True))

    def matching(self, document: Document) -> Document | None:
        """The session if it matches, else None. Its text is searched if it is stored by now, else its file,
        or its earlier text if the file cannot be read.
        """
        if not self.plan.query.is_deep and document.spans is not None:
            block = Block([document])
            if block.texts(self._segments)[0] is not None:
                matching, clean = self._evaluator.evaluate(block, (0,))
                if not matching:
                    self._cache.lacking.add(document)
                return document if clean else None
        try:
            result = self._search_file(document)
        except OSError as error:
            return self._matching_as_kept(document, error)
        if result.mask != self.plan.all_terms:
            self._cache.lacking.add(document)
        if not result.matches:
            return None
        self._passages[document] = tuple(passage.passage() for passage in reversed(result.passages))
        if result.best:
            self._best[document] = result.best.passage()
        return document

    def passages(self, document: Document) -> Iterable[Passage]:
        """The passages of a session that matches, in the order in which they are shown."""
        in_file = self._passages.get(document)
        if in_file is not None:
            return display_order(in_file)
        return display_order(self._finder.passages(document.row, texts_of(document, self._segments) or ()))

    def has_prompt(self, document: Document, prompt: Passage, passages: Iterable[Passage]) -> bool:
        """Whether a prompt of the history is also in the stored text of its session.

        :param prompt: the passage of the prompt in the metadata.
        :param passages: those of the session; none of them may have the same terms if case counts.
        """
        if not any(passage.mask & prompt.mask == prompt.mask for passage in passages):
            return False
        if document.spans is None:
            # A search of the files does not ask for the stored texts.
            document = self._documents.reload([document])[0]
        passage = HEADS[USER] + bytes(prompt.source.data[prompt.begin : prompt.end])
        return any(
            source.find(passage + MARK, start, end) >= 0
            or source.data[max(start, end - len(passage)) : end] == passage
            for source, start, end in texts_of(document, self._segments) or ()
        )

    def terms_in_prompts(self, document: Document, terms: int) -> int:
        """The terms that prompts of a session have.

        :param terms: the mask of those to search for.
        """
        in_file = self._passages.get(document)
        if in_file is None:
            texts = texts_of(document, self._segments) or ()
            return self._finder.terms_in_prompts(texts, terms)
        mask = 0
        for passage in in_file:
            if passage.kind == USER:
                mask |= passage.mask
        return mask & terms

    def text_size(self, document: Document) -> int:
        """Bytes that were searched of a session: its text, or its file."""
        return document.row.size if document in self._passages else document.size

    def _search_file(self, document: Document) -> FileResult:
        """Search the file of a session. :raises OSError: it cannot be read."""
        in_metadata = 0
        for passage in self._finder.in_metadata(document):
            in_metadata |= passage.mask
        if self.plan.everywhere and any(
            self._evaluator.has_in_metadata(matcher, document) for matcher in self.plan.unwanted
        ):
            return FileResult(False, self.plan.all_terms)
        if self._searcher is None:
            self._searcher = FileSearcher(self.plan)
        row = document.row
        return self._searcher.search(
            row.path,
            row.dialect,
            known=in_metadata,
            best=self._best_at_once and not in_metadata and len(self._best) < BEST_AT_ONCE,
            every=self._every,
            beat=self._token.check,
        )

    def _matching_as_kept(self, document: Document, error: OSError) -> Document | None:
        """The session if its stored text matches."""
        path = document.row.path
        kept = document if document.spans is not None else self._documents.reload([document])[0]
        block = Block([kept])
        if self.plan.kinds.isdisjoint(CONVERSATION) or block.texts(self._segments)[0] is None:
            self.unread[path] = error.strerror or str(error)
            return None
        self.as_kept.append(path)
        # The rest of the file may have an unwanted term.
        return kept if not self.plan.unwanted and self._evaluator.evaluate(block, (0,))[0] else None
