"""The details of a hit: its best passage, entry and snippet. They are looked up when the hit is shown."""

from __future__ import annotations

from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any

from app.formats import text_kinds
from app.formats.dialects import dialect_named
from app.formats.lines import BOM
from app.formats.migrate import CURRENT_VERSION, migrate
from app.formats.search_text import iter_texts, text_pieces
from app.formats.text import one_line, string_of
from app.formats.timestamps import parse_time
from app.formats.touched_files import READ
from app.index.query.path_pattern import touched_paths
from app.index.search.cancellation import CancelToken
from app.index.search.documents import Fields, texts_of
from app.index.search.evaluator import Evaluator, PassageFinder
from app.index.search.grep.file_search import FileSearcher, entries_of
from app.index.search.metadata_fields import FILE, HISTORY, LABEL, NAME, TAG, WHERE, is_metadata
from app.index.search.ranking import FILES, TOOLS
from app.index.search.snippet import snippet
from app.index.text.mmap_reader import Source
from app.sessions.errors import Changed, SessionError
from app.sessions.passages import joined, pack
from app.sessions.tree.entry_loader import read_beginning
from app.sessions.tree.tree import open_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from app.index.row import Row
    from app.index.search.documents import Document, Touched
    from app.index.search.grep.file_search import FileResult
    from app.index.search.matchers import QueryPlan, TermMatcher
    from app.index.search.passages import Passage
    from app.index.search.ranking import Places
    from app.index.search.results import Hit
    from app.index.text.mmap_reader import Segments
    from app.sessions.summaries.touches_reader import TouchedFile

_READ_BYTES = 16 << 10
"""Bytes of a line that are read first; more are read only if it is longer."""

_MOST_COUNTED = 20_000
"""Entries with a term after which the others of a session are not counted."""

# Kind of a text -> role of its entry. Used if the entry no longer exists, as the text store has no roles.
_ROLES = {
    text_kinds.USER: "user",
    text_kinds.ASSISTANT: "assistant",
    text_kinds.THINKING: "assistant",
    text_kinds.SUMMARY: "compaction",
    text_kinds.CUSTOM: "custom",
    text_kinds.CALL: "assistant",
    text_kinds.RESULT: "toolResult",
    text_kinds.SHELL: "bashExecution",
}


class HitDetails:
    """Fills in hits of `plan`, in any thread. The best passage of a file that was searched is found by
    another read, for the hits that are shown.
    """

    __slots__ = (
        "_best_in_file",
        "_file_passages",
        "_last_touches",
        "_lock",
        "_places",
        "_plan",
        "_searcher",
        "_segments",
        "_touched",
    )

    def __init__(
        self,
        plan: QueryPlan,
        segments: Segments,
        places: Mapping[Document, Places],
        best_in_file: Mapping[Document, Passage],
        touched: Touched | None = None,
    ) -> None:
        """:param places: the places of the wanted terms in each session.
        :param best_in_file: the best passages of files, if they are known.
        """
        self._plan = plan
        self._segments = segments
        self._places = places
        self._touched = touched
        self._last_touches: tuple[Document, Sequence[TouchedFile]] | None = None
        self._file_passages: dict[Document, Sequence[Passage]] = {}
        self._best_in_file = best_in_file
        self._searcher: FileSearcher | None = None
        self._lock = Lock()

    def fill_best(self, hit: Hit, document: Document) -> None:
        """Fill in a hit with the best match in `document`."""
        self._segments.look(document.spans or ())
        self._fill(hit, self._best(document))

    def fill_passage(self, hit: Hit, passage: Passage) -> None:
        """Fill in a hit with the match in `passage`."""
        self._segments.look()
        if not self._segments.is_safe(passage.source):
            passage = passage._replace(source=Source(b""), begin=0, end=0)
        self._fill(hit, passage)

    def offsets(self, document: Document, most: int) -> list[int]:
        """The hits of a session, by the offsets of their lines, in the order of the file. Row, border, tree
        and transcript show these, and their number.

        A hit is a line of the file whose texts, label and touched files have all terms; if no line has, one
        that has any of them. The texts are those of the conversation, unless the session has a term in no
        better place than its tools. With one entry a line, as pi writes them, a hit is an entry.

        :param most: the search ends when it knows so many that have all terms, from the end of the file.
        """
        self._segments.look(document.spans or ())
        token = CancelToken()
        finder = PassageFinder(Evaluator(self._plan, self._segments, token), token)
        labels = [passage for passage in finder.in_metadata(document) if passage.kind == LABEL]
        texts = None if self._tools_terms(document) else texts_of(document, self._segments)
        passages: Iterable[Passage] = (
            self.file_passages(document) or () if texts is None else finder.passages(document.row, texts)
        )
        masks = _labelled_lines(document.row, labels)
        full = sum(mask == self._plan.all_terms for mask in masks.values())
        for passage in chain(self._touching(document, finder), passages):
            before = masks.get(passage.offset, 0)
            masks[passage.offset] = mask = before | passage.mask
            full += before != mask == self._plan.all_terms
            if full >= most or len(masks) >= _MOST_COUNTED:
                break
        return sorted(offset for offset, mask in masks.items() if not full or mask == self._plan.all_terms)

    def fill_touch(self, hit: Hit, document: Document) -> None:
        """Fill in a hit of a query that names files and has no terms: the last change of one, else the last
        read.
        """
        touches = self._named_touches(document)
        if not touches:
            hit.fill("row")
            return
        touch = max(touches, key=lambda touch: (touch.kind != READ, touch.offset))
        line = one_line(touch.path)
        hit.fill(WHERE[FILE], FILE, touch.offset, snippet=line, ranges=((0, len(line)),))

    def touch_offsets(self, document: Document, most: int) -> list[int]:
        """As `offsets`, for such a query: the lines of the calls that touched the files."""
        return sorted({touch.offset for touch in self._named_touches(document)})[:most]

    def _named_touches(self, document: Document) -> list[TouchedFile]:
        """The touches of files that the query names, in the order of the calls."""
        cwd, named, touches = document.row.cwd, self._plan.query.paths, self._touches(document)
        texts = {path: touched_paths(cwd, (path,), 1) for path in {touch.path for touch in touches}}
        matching = {
            path: [only_changed for pattern, only_changed in named if pattern.is_in(text.cwd, text.all)]
            for path, text in texts.items()
        }
        return [
            touch
            for touch in touches
            if any(touch.kind != READ or not only_changed for only_changed in matching[touch.path])
        ]

    def _touches(self, document: Document) -> Sequence[TouchedFile]:
        """Each call of a session that touched a file. Those of the last session are kept: a session with
        100,000 is unpacked once for its excerpt, its count and its place.
        """
        last = self._last_touches
        if last is None or last[0] is not document:
            touches = self._touched.touches_of(document.row) if self._touched is not None else None
            last = self._last_touches = document, touches or ()
        return last[1]

    def _best(self, document: Document) -> Passage | None:
        token = CancelToken()
        finder = PassageFinder(Evaluator(self._plan, self._segments, token), token)
        in_metadata = finder.in_metadata(document)
        # The name, then the first label, if they have equally many terms.
        named = list(filter(is_name_or_label, in_metadata))
        deciding = self._tools_terms(document)
        if named and not deciding:
            return max(named, key=_count_terms)
        if FILES in self._places[document] and not deciding:
            return max(self._touching(document, finder), key=_count_terms, default=None)
        best = self._best_in_file.get(document)
        if best is None:
            texts = None if deciding else texts_of(document, self._segments)
            best = (
                self._read_best(document.row, deciding) if texts is None else finder.best(document.row, texts)
            )
        if best and deciding:
            return best
        # A prompt of the history is shown if it has more terms: usually the same prompt is in the texts.
        prompts = [passage for passage in in_metadata if passage.kind == HISTORY]
        prompt = max(prompts, key=_count_terms, default=None)
        if prompt and (best is None or _count_terms(prompt) > _count_terms(best)):
            return prompt
        # If no text matches, then the folder or the id does, or a text that no longer exists.
        return best or next(iter(in_metadata), None)

    def _touching(self, document: Document, finder: PassageFinder) -> list[Passage]:
        """The paths of touched files with a term that the session has in no better place, each at the line of
        its call: changes, then reads, the last one first.
        """
        places = self._places.get(document, b"")
        terms = sum(1 << number for number, place in enumerate(places) if place == FILES)
        # Changes come before reads.
        touches = sorted(self._touches(document), key=lambda touch: touch.kind != READ) if terms else ()
        packed = [pack(FILE, touch.offset, touch.path) for touch in touches]
        in_files = Fields([joined(packed)]).range(0)
        found = finder.passages(document.row, (in_files,)) if packed else ()
        return [passage._replace(mask=passage.mask & terms) for passage in found if passage.mask & terms]

    def file_passages(self, document: Document) -> Sequence[Passage] | None:
        """All passages of the file of a session that matches, the last line first; None if the file cannot be
        read any more.
        """
        passages = self._file_passages.get(document)
        if passages is None:
            result = self._search_file(document.row, every=True)
            if result is None:
                return None
            passages = tuple(passage.passage() for passage in reversed(result.passages))
            self._file_passages[document] = passages
        return passages

    def _read_best(self, row: Row, deciding: int) -> Passage | None:
        """The best passage of the file, if no text is stored or it was moved after the search; None if the
        file has none any more.

        :param deciding: the mask of the terms that count; 0 for all.
        """
        result = self._search_file(row, deciding=deciding)
        return result.best.passage() if result and result.best else None

    def _search_file(self, row: Row, *, deciding: int = 0, every: bool = False) -> FileResult | None:
        """Search the file of a session that matches; None if it cannot be read."""
        with self._lock:
            if self._searcher is None:
                self._searcher = FileSearcher(self._plan)
            try:
                return self._searcher.search(
                    row.path,
                    row.dialect,
                    known=self._plan.all_terms,
                    deciding=deciding,
                    every=every,
                    beat=CancelToken().check,
                )
            except OSError:
                return None

    def _tools_terms(self, document: Document) -> int:
        """The mask of the terms that a session has in no better place than its tools."""
        places = self._places.get(document, b"")
        return sum(1 << number for number, place in enumerate(places) if place == TOOLS)

    def _fill(self, hit: Hit, passage: Passage | None) -> None:
        if passage is None:
            hit.fill("row")
            return
        matchers = [matcher for number, matcher in enumerate(self._plan.wanted) if passage.mask >> number & 1]
        if is_metadata(passage.kind):
            _fill_metadata(hit, passage, matchers)
        else:
            _fill_text(hit, passage, matchers)


def _labelled_lines(row: Row, labels: Iterable[Passage]) -> dict[int, int]:
    """The offset of the line of each entry whose label has a term, and the terms of the label. A label
    without an entry is left out.
    """
    masks = {row.labels[label.offset][0]: label.mask for label in labels}
    if not masks:
        return {}
    try:
        tree = open_tree(row.path, (row.agent,))
    except (SessionError, OSError):
        # The stored text is searched: each label counts as one of its entries.
        return {-1 - number: mask for number, mask in enumerate(masks.values())}
    nodes = [(tree.by_id.get(id), mask) for id, mask in masks.items()]
    return {node.offset: mask for node, mask in nodes if node is not None}


def is_name_or_label(passage: Passage) -> bool:
    """Whether a passage is a name, a label or a tag, which is shown before the texts of the session."""
    return passage.kind in (NAME, LABEL, TAG)


def _count_terms(passage: Passage) -> int:
    return passage.mask.bit_count()


def _fill_text(hit: Hit, passage: Passage, matchers: Sequence[TermMatcher]) -> None:
    """Fill in a hit with its snippet from the text store, and with the facts of its entry from the file.

    A passage of a file that was searched has no stored text, so that its snippet comes from the file as well.
    """
    entries = entries_at(hit.row, passage.offset)
    texts = _texts(entries, passage.kind)
    entry, text = texts[passage.nth] if passage.nth < len(texts) else ({}, "")
    in_entry = snippet(text, matchers)
    line, ranges = snippet(passage.text, matchers) or in_entry or ("", ())
    if in_entry is None or not entry:
        # The line has changed since it was read.
        hit.fill("text", passage.kind, passage.offset, None, _ROLES.get(passage.kind, ""), line, ranges)
    elif entry.get("type") == "session":
        hit.fill("header", snippet=line, ranges=ranges)
    else:
        hit.fill(
            "text",
            passage.kind,
            passage.offset,
            string_of(entry.get("id")) or None,
            _role(entry),
            line,
            ranges,
            parse_time(entry.get("timestamp")),
        )


def _texts(entries: Iterable[dict[str, object]], kind: int) -> list[tuple[dict[str, object], str]]:
    """The texts of a kind, each with its entry: one for each passage of the line."""
    results = []
    for entry in entries:
        if kind in text_kinds.CONVERSATION:
            texts = [text for part_kind, text, _ in iter_texts(entry, other=False) if part_kind == kind]
            texts = ["\n".join(texts)] if texts else []
        else:
            # Each tool call and result has a text of its own.
            texts = [
                text.text for text in text_pieces(entry, other=kind == text_kinds.OTHER) if text.kind == kind
            ]
        results += [(entry, text) for text in texts]
    return results


def texts_at(hit: Hit) -> list[str]:
    """The whole texts of the file, in one of which a hit is; none for one in a name, a label or the like."""
    if hit.where != "text":
        return []
    return [text for _, text in _texts(entries_at(hit.row, hit.offset), hit.kind)]


def _fill_metadata(hit: Hit, passage: Passage, matchers: Sequence[TermMatcher]) -> None:
    row = hit.row
    line, ranges = snippet(passage.text, matchers) or ("", ())
    where = WHERE[passage.kind]
    role = where if passage.kind in (NAME, LABEL) else ""
    if passage.kind == FILE:
        hit.fill(where, passage.kind, passage.offset, role=role, snippet=line, ranges=ranges)
        return
    target = row.labels[passage.offset][0] if passage.kind == LABEL else None
    hit.fill(where, entry_id=target, role=role, snippet=line, ranges=ranges)


def _role(entry: dict[str, object]) -> str:
    kind = string_of(entry.get("type"))
    message = entry.get("message")
    if kind == "message" and isinstance(message, dict):
        return string_of(message.get("role")) or kind
    return kind


def entries_at(row: Row, offset: int) -> list[dict[str, Any]]:
    """The entries in the line at `offset` of a session's file, in pi's spelling: one, or any number if
    a line may have several; none if no line begins there any more, it holds no entry, or it cannot be read.
    """
    size = _READ_BYTES
    try:
        line, is_longer = read_beginning(row.path, offset, size)
        while is_longer:
            size *= 4
            line, is_longer = read_beginning(row.path, offset, size)
    except (OSError, ValueError, Changed):  # a path from a damaged catalog may be no path
        return []
    if not offset:
        line = line.removeprefix(BOM)
    dialect = dialect_named(row.dialect)
    entries = entries_of(line, dialect) if line else []
    # A line of an older version has everything but the ids, which come from counting.
    return [migrate(entry, CURRENT_VERSION - 1, 0) for entry in entries] if dialect.migrates else entries
