"""The sessions that are searched, in blocks, in the order of the list.

Blocks let the first sessions be searched, and shown, before the rest. Each text is searched by itself:
starting a search takes a sixth of a microsecond and searching the text of a session four microseconds, so
that joining neighbours would gain little (tests/benchmarks/README.md, "Search").
"""

from __future__ import annotations

import errno
import os
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import attrgetter
from threading import Lock
from typing import TYPE_CHECKING

from app.formats.lines import open_file
from app.index.search.metadata_fields import packed_metadata, packed_names
from app.index.search.prompt_histories import PromptHistories
from app.index.search.refinement_cache import RefinementCache
from app.index.text.mmap_reader import Source
from app.sessions.passages import joined
from app.stores.tags import NOTHING, read_taggings, tags_path

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from app.index.catalog.catalog import Catalog
    from app.index.row import Row, Span
    from app.index.search.matchers import TermMatcher
    from app.index.text.mmap_reader import Segments
    from app.index.touched_files import TouchedLookup
    from app.index.words.tool_words import Words
    from app.sessions.passages import PackedText
    from app.stores.base import Store
    from app.stores.tags import Tagging, Taggings

    TextRange = tuple[Source, int, int]
    """Some packed passages: where they are, their start and their end."""
    Texts = tuple[TextRange, ...]
    Touched = TouchedLookup

FIRST = 64
"""Sessions in the first block, so that the first page comes at once. Each next block is twice as long."""
MOST = 512
"""The most sessions in a new block; a block grows to twice its size before all are made anew."""


class Document:
    """A row and the spans of its text. A session that changes becomes another object.

    spans     None if the text store does not have its text, so that its file has to be read
    home      the folder that is written as `~`
    prompts   those of its agent's history
    tagging   its tags and its note
    key       the sort key of the list: newest first, then by path
    """

    __slots__ = ("_metadata", "home", "key", "prompts", "row", "spans", "tagging")

    def __init__(
        self,
        row: Row,
        spans: tuple[Span, ...] | None,
        home: str = "",
        prompts: Sequence[str] = (),
        tagging: Tagging = NOTHING,
    ) -> None:
        self.row = row
        self.spans = spans
        self.home = home
        self.prompts = prompts
        self.tagging = tagging
        self.key = -row.modified, row.path
        self._metadata: TextRange | None = None

    @property
    def metadata(self) -> TextRange:
        """Its packed metadata (`metadata_fields`)."""
        if self._metadata is None:
            Block([self]).metadata()
            assert self._metadata is not None
        return self._metadata

    @metadata.setter
    def metadata(self, packed: TextRange) -> None:
        self._metadata = packed

    @property
    def size(self) -> int:
        """Bytes of text."""
        return sum([length for _, _, length in self.spans or ()])


class Fields:
    """The packed passages of some fields of sessions, one session after the other."""

    def __init__(self, packed: Sequence[PackedText]) -> None:
        """:param packed: the passages of each session."""
        folded, written = joined(packed)
        self.source = Source(folded, written=Source(written))
        self._starts = array("q")
        start = 0
        for passages in packed:
            self._starts.append(start)
            start += len(passages.folded)

    def range(self, slot: int) -> TextRange:
        """The passages of one session."""
        end = self._starts[slot + 1] if slot + 1 < len(self._starts) else self.source.size
        return self.source, self._starts[slot], end

    def matching(self, matcher: TermMatcher, slots: Collection[int]) -> set[int]:
        """The slots of the sessions whose passages may have a term.

        :param slots: the sessions to search.
        """
        source, starts = self.source, self._starts
        find_first = matcher.find_first
        matching = set()
        position = find_first(source, 0, source.size) if source.size else -1
        while position >= 0:
            after = bisect_right(starts, position)
            if after - 1 in slots:
                matching.add(after - 1)
            position = find_first(source, starts[after], source.size) if after < len(starts) else -1
        return matching


class Block:
    """Some sessions that follow one another in the list. A slot is the number of a session in the block."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self._checked = (0, False)
        self._texts: list[Texts | None] | None = None
        self._without_text: frozenset[int] = frozenset()
        self._fields: dict[str, Fields] = {}
        self._touched: tuple[Touched, list[str]] | None = None
        self._uncovered: tuple[Words, frozenset[int]] | None = None

    def texts(self, segments: Segments) -> list[Texts | None]:
        """The texts of each session; None if they are missing or incomplete."""
        checked = segments.age, segments.checks_written
        if self._texts is None or self._checked != checked:
            self._checked = checked
            self._texts = [texts_of(document, segments) for document in self.documents]
            self._without_text = frozenset(slot for slot, texts in enumerate(self._texts) if texts is None)
        return self._texts

    def without_text(self, segments: Segments) -> frozenset[int]:
        """The slots whose `texts` are None."""
        self.texts(segments)
        return self._without_text

    def touched(self, touched: Touched) -> list[str]:
        """The paths of the files that each session touched (`TouchedPaths.all`); "" if they are not known."""
        if self._touched is None or self._touched[0] is not touched:
            found = [touched(document.row) for document in self.documents]
            self._touched = touched, ["" if paths is None else paths.all for paths in found]
        return self._touched[1]

    def uncovered(self, words: Words) -> frozenset[int]:
        """The slots of the sessions whose words of tools are not known."""
        if self._uncovered is None or self._uncovered[0] is not words:
            slots = [slot for slot, each in enumerate(self.documents) if not words.covers(each.row)]
            self._uncovered = words, frozenset(slots)
        return self._uncovered[1]

    def names(self) -> Fields:
        """The names, or titles, labels and tags."""
        return self._fields_of("names", lambda each: packed_names(each.row, each.tagging))

    def metadata(self) -> Fields:
        """The metadata (`metadata_fields`)."""
        is_new = "metadata" not in self._fields
        fields = self._fields_of(
            "metadata", lambda each: packed_metadata(each.row, each.home, each.prompts, each.tagging)
        )
        for slot, document in enumerate(self.documents if is_new else ()):
            document.metadata = fields.range(slot)
        return fields

    def _fields_of(self, name: str, packed: Callable[[Document], PackedText]) -> Fields:
        if name not in self._fields:
            self._fields[name] = Fields([packed(document) for document in self.documents])
        return self._fields[name]


@dataclass(slots=True, frozen=True)
class Snapshot:
    """All sessions at one moment.

    blocks         the sessions, newest first
    out_of_reach   paths of files that cannot be read any more, sorted; their old text is searched
    """

    blocks: list[Block]
    out_of_reach: Sequence[str]

    @property
    def documents(self) -> Iterator[Document]:
        """The sessions, newest first."""
        return chain.from_iterable(block.documents for block in self.blocks)

    @property
    def count(self) -> int:
        """The number of sessions."""
        return sum(len(block.documents) for block in self.blocks)


class DocumentSet:
    """All sessions that can be searched, kept current row by row. It may be used from several threads.

    loaded   all sessions of the catalog are known
    asked    for how many sessions the catalog was asked for the spans of their texts
    cache    the result of the last search
    """

    def __init__(
        self, catalog: Catalog, segments: Segments, home: str, stores: Iterable[Store], state_folder: str = ""
    ) -> None:
        """:param home: the folder that is written as ``~``.
        :param stores: those with the histories of prompts.
        :param state_folder: leafmark's state folder, with the tags; "" for none.
        """
        self.loaded = False
        self.asked = 0
        self.cache = RefinementCache()
        self._catalog = catalog
        self._segments = segments
        self._home = home
        self._histories = PromptHistories(stores)
        self._tags_path = tags_path(state_folder) if state_folder else ""
        self._state_folder = state_folder
        self._taggings: Taggings = {}
        self._tags_signature: tuple[int, int, int] | None = None
        self._histories_lock = Lock()
        self._lock = Lock()
        self._by_path: dict[str, Document] = {}
        self._deleted: dict[str, Document] = {}
        self._blocks: list[Block] = []
        self._unasked: set[str] = set()
        self._out_of_reach: set[str] = set()
        self._snapshot: Snapshot | None = None
        self._has_texts = False

    @property
    def count(self) -> int:
        """The number of sessions that are known."""
        return len(self._by_path)

    def load(self, rows: Iterable[Row] | None = None) -> None:
        """Take in all sessions of the catalog, in addition to those from `update`.

        :param rows: the rows of the catalog; None: read them.
        """
        with self._lock:
            stored = {row.path: row for row in (self._catalog.rows() if rows is None else rows)}
            # A row is stored before it is reported, so a row that only `update` has is new or provisional.
            for path, document in self._by_path.items():
                stored.setdefault(path, document.row)
            self._by_path = {path: self._document(row) for path, row in stored.items()}
            self._out_of_reach = {path for path, row in stored.items() if row.is_out_of_reach}
            self.loaded = True
            self._has_texts = False
            self._snapshot = None

    def update(self, changed: Iterable[Row], removed: Iterable[str]) -> None:
        """Take in changed rows and removed paths. The cost does not depend on the number of sessions."""
        with self._lock:
            for row in changed:
                self._by_path[row.path] = self._document(row)
                self._out_of_reach.discard(row.path)
                if row.is_out_of_reach:
                    self._out_of_reach.add(row.path)
                if not row.provisional:
                    # The next search asks for the texts of all changed sessions in one query.
                    self._unasked.add(row.path)
            for path in removed:
                self._by_path.pop(path, None)
                self._unasked.discard(path)
                self._out_of_reach.discard(path)
            self._snapshot = None

    def reload(self, documents: Sequence[Document]) -> list[Document]:
        """Read the spans of these sessions' texts again. Return their new documents. A document with the same
        spans as before gets none, because its text is missing or damaged, and the catalog forgets it.
        """
        texts = self._catalog.texts([document.row.path for document in documents])
        fresh = []
        damaged = {}
        for document in documents:
            spans = texts.get(document.row.path)
            if spans is not None and spans == document.spans:
                damaged[document.row.path] = spans
            fresh.append(self._document(document.row, None if spans == document.spans else spans))
        with self._lock:
            self.asked += len(documents)
            for before, after in zip(documents, fresh, strict=True):
                if self._by_path.get(after.row.path) is before:
                    self._by_path[after.row.path] = after
            self._snapshot = None
        self._catalog.forget_texts(damaged)
        return fresh

    def rows(self) -> list[Row]:
        """The rows of all sessions, in no order."""
        with self._lock:
            return [document.row for document in self._by_path.values()]

    def snapshot(self) -> Snapshot:
        """The sessions as they are now, with the spans of their texts."""
        if not self.loaded:
            self.load()
        self._read_histories()
        self._ask_for_texts()
        with self._lock:
            if self._snapshot is None:
                self._find_deleted()
                documents = newest_first([*self._by_path.values(), *self._deleted.values()])
                self._blocks = _blocks(documents, self._blocks)
                self._segments.keep({span[0] for document in documents for span in document.spans or ()})
                self._snapshot = Snapshot(self._blocks, sorted(self._out_of_reach))
            return self._snapshot

    def _document(self, row: Row, spans: tuple[Span, ...] | None = None) -> Document:
        tagging = self._taggings.get((row.agent, row.id), NOTHING)
        return Document(row, spans, self._home, self._histories.prompts(row), tagging)

    def _find_deleted(self) -> None:
        """Find the sessions of which only the prompts are left."""
        before, self._deleted = self._deleted, {}
        if not self._histories.has_sessions:
            return
        known = {(document.row.agent, document.row.id) for document in self._by_path.values()}
        for row, prompts in self._histories.deleted(known):
            document = before.get(row.path)
            if document is None or document.prompts != prompts:
                document = Document(row, (), self._home, prompts)
            self._deleted[row.path] = document

    def _read_histories(self) -> None:
        # This is not `_lock`, so that no scan waits while a long history is read.
        with self._histories_lock:
            has_new_tags = self._read_tags()
            if not self._histories.update() and not has_new_tags:
                return
            with self._lock:
                for path, document in self._by_path.items():
                    fresh = self._document(document.row, document.spans)
                    if (document.prompts, document.tagging) != (fresh.prompts, fresh.tagging):
                        self._by_path[path] = fresh
                self._snapshot = None

    def _read_tags(self) -> bool:
        """Read the tags and notes again if they have changed; return whether they have."""
        try:
            status = os.stat(self._tags_path) if self._tags_path else None
        except OSError:
            status = None
        signature = status and (status.st_ino, status.st_size, status.st_mtime_ns)
        if signature == self._tags_signature:
            return False
        self._tags_signature, self._taggings = signature, read_taggings(self._state_folder)
        return True

    def _ask_for_texts(self) -> None:
        with self._lock:
            if not self._has_texts:
                self._ask_for_all_texts()
            unasked = [self._by_path[path] for path in self._unasked]
            self._unasked.clear()
        if unasked:
            self.reload(unasked)

    def _ask_for_all_texts(self) -> None:
        texts = self._catalog.texts()
        self.asked += len(self._by_path)
        self._by_path = {
            path: self._document(document.row, texts.get(path)) for path, document in self._by_path.items()
        }
        self._unasked.clear()
        self._has_texts = True
        self._snapshot = None


list_key = attrgetter("key")


def newest_first(documents: Iterable[Document]) -> list[Document]:
    """The documents in the order of the list."""
    return sorted(documents, key=list_key)


def texts_of(document: Document, segments: Segments) -> Texts | None:
    """The texts of a session; None if they are missing or incomplete."""
    if document.spans is None:
        return None
    texts = []
    for span in document.spans:
        source = segments.source(span)
        if source is None:
            return None
        if span[2]:
            texts.append((source, span[1], span[1] + span[2]))
    return tuple(texts)


def open_session(path: str) -> int:
    """Open the file of a session and return its descriptor.

    :raises OSError: it cannot be opened; also if no file can have this path, as in a damaged catalog.
    """
    try:
        return open_file(path)
    except ValueError as error:
        raise OSError(errno.EINVAL, str(error), path) from error


def _blocks(documents: list[Document], earlier: Sequence[Block]) -> list[Block]:
    """The documents in blocks. A change keeps all blocks but those that it is in.

    :param documents: in the order of the list.
    :param earlier: the blocks before the change.
    """
    ends = [bisect_right(documents, list_key(block.documents[-1]), key=list_key) for block in earlier[:-1]]
    ends = [0, *ends, len(documents)]
    if len(ends) == 2 or ends[1] > 2 * FIRST or any(end - start > 2 * MOST for start, end in pairwise(ends)):
        ends, size = [0], FIRST
        while ends[-1] < len(documents):
            ends.append(min(ends[-1] + size, len(documents)))
            size = min(2 * size, MOST)
    known = {block.documents[0]: block for block in earlier}
    blocks = []
    for start, end in pairwise(ends):
        part = documents[start:end]
        block = known.get(part[0]) if part else None
        if part:
            blocks.append(block if block and block.documents == part else Block(part))
    return blocks
