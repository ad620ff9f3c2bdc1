"""Search of session files themselves, for texts that the text store does not hold.

The bytes of a file are first searched to find out whether it can have all terms. Then the lines that may have
a term are decoded, those near the end first, until it is decided whether the session matches. The best
passage, or all passages, are found only if the caller wants them.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.dialects import dialect_named
from app.formats.entry_types import TOOL_CALL_TYPES
from app.formats.glued import STRIDE, records_in
from app.formats.header import header_in
from app.formats.json_codec import BadLine, decode
from app.formats.lines import BOM
from app.formats.long_lines import shortened
from app.formats.odd_values import without_odd_words
from app.formats.search_text import text_pieces
from app.formats.text import string_of
from app.formats.text_kinds import CALL, OTHER, RESULT
from app.formats.utf8_text import fold
from app.index.search.documents import open_session
from app.index.search.grep.byte_search import exactly
from app.index.search.grep.prefilter import RunFilter, any_of, name_filter, prefilter_for
from app.index.search.grep.reverse_reader import SLICE, ReverseReader
from app.index.search.passages import Passage, rank
from app.index.text.mmap_reader import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from app.formats.dialects.base import Dialect
    from app.index.search.grep.prefilter import Line, Prefilter
    from app.index.search.grep.reverse_reader import Slice
    from app.index.search.matchers import QueryPlan, TermMatcher

USER_ROLE = b'"user"'
"""A line without it has no prompt."""

_LINES_PER_BEAT = 16
"""The most lines that are decoded between two calls of `beat`."""
_NO_TEXT = Source(b"")


class FilePassage(NamedTuple):
    """A text of a file in which terms are found.

    :param offset: where its line begins in the file.
    :param part: the number of its entry in the line; 0 unless a line holds several.
    :param mask: the terms that it has, by their numbers in `QueryPlan.wanted`.
    :param nth: how many texts of its kind precede it in its line.
    """

    kind: int
    offset: int
    part: int
    mask: int
    nth: int = 0

    def passage(self) -> Passage:
        """The same without its text, which is read from the file when it is needed."""
        return Passage(self.kind, self.offset, self.mask, _NO_TEXT, 0, 0, self.nth)


class FileResult(NamedTuple):
    """The result of searching a file.

    :param matches: the session has all wanted terms and no unwanted term.
    :param mask: `QueryPlan.all_terms` without the terms that were not found.
    :param best: the best passage, if the caller wants it; None if there is none in the file.
    :param passages: all passages in the order of the file, if the caller wants them.
    """

    matches: bool
    mask: int = 0
    best: FilePassage | None = None
    passages: tuple[FilePassage, ...] = ()


class FileSearcher:
    """Searches session files, one at a time, for the terms of a plan.

    files     files that were searched so far
    decoded   lines that were decoded so far
    """

    def __init__(self, plan: QueryPlan, slice_bytes: int = SLICE, *, finds_marks: bool = True) -> None:
        """:param slice_bytes: bytes of a file that are held at once.
        :param finds_marks: see `prefilter_for`.
        """
        self.files = 0
        self.decoded = 0
        self._plan = plan
        self._reader = ReverseReader(slice_bytes)
        self._wanted = [prefilter_for(matcher, finds_marks=finds_marks) for matcher in plan.wanted]
        self._unwanted = [prefilter_for(matcher, finds_marks=finds_marks) for matcher in plan.unwanted]
        # If prompts and answers are searched, too, a file without the tool's name can match.
        self._tools = name_filter(plan.tools) if plan.tools and plan.kinds <= {CALL, RESULT} else None

    @property
    def read(self) -> int:
        """Bytes that were read so far."""
        return self._reader.read

    def search(
        self,
        path: str,
        dialect: str,
        *,
        known: int = 0,
        best: bool = True,
        deciding: int = 0,
        every: bool = False,
        partial: bool = False,
        beat: Callable[[], object] = lambda: None,
    ) -> FileResult:
        """Search the session file at `path`.

        :param known: the mask of the terms that the session has in its metadata: they need not be in the file
            for the session to match, but count in its passages.
        :param best: find the best passage: most terms, then a prompt, then the latest.
        :param deciding: the mask of the terms that count for the best passage; 0 for all.
        :param every: return all passages.
        :param partial: find all terms that the file has, and its passages, even if other terms are missing.
        :param beat: called every millisecond or so; an exception that it raises ends the search.
        :raises OSError: the file cannot be read.
        """
        descriptor = open_session(path)
        try:
            self.files += 1
            self._reader.open(descriptor)
            missing = self._plan.all_terms & ~known
            if missing and not partial and not self._may_have(missing, beat):
                return FileResult(False, known)
            lines = LineDecoder(dialect)
            match = FileMatch(self._plan, self._reader, lines, self._wanted, self._unwanted, beat)
            try:
                return self._result(match, known, best, every, partial=partial, deciding=deciding)
            finally:
                self.decoded += lines.decoded
        finally:
            os.close(descriptor)

    def _may_have(self, mask: int, beat: Callable[[], object]) -> bool:
        """Whether the bytes of the open file can have each of these terms, and a wanted tool. Most files
        cannot, and are done with this.
        """
        missing = [prefilter for number, prefilter in enumerate(self._wanted) if mask >> number & 1]
        if self._tools:
            missing.append(self._tools)
        for part in self._reader.slices():
            beat()
            missing = [wanted for wanted in missing if not wanted.matches(part.data, part.start, part.end)]
            if not missing:
                return True
        return False

    def _result(
        self, match: FileMatch, known: int, best: bool, every: bool, *, partial: bool, deciding: int
    ) -> FileResult:
        everything_wanted = self._plan.all_terms
        mask = known | match.terms(everything_wanted & ~known)
        if match.refused:
            return FileResult(False, everything_wanted)
        matches = mask == everything_wanted
        if not matches and not partial:
            return FileResult(False, mask)
        if every:
            passages = match.every()
            return FileResult(matches, mask, max(passages, key=file_rank, default=None), tuple(passages))
        return FileResult(matches, mask, match.best(deciding or everything_wanted) if best else None)


class FileMatch:
    """The terms of a plan in the file that `reader` has open.

    refused   the file has a term that is not wanted
    """

    def __init__(
        self,
        plan: QueryPlan,
        reader: ReverseReader,
        lines: LineDecoder,
        wanted: Sequence[Prefilter],
        unwanted: Sequence[Prefilter],
        beat: Callable[[], object],
    ) -> None:
        self.refused = False
        self._lines = lines
        self._plan = plan
        self._reader = reader
        self._wanted = wanted
        self._unwanted = unwanted
        self._beat = beat
        self._passages_at: dict[int, list[FilePassage]] = {}
        self._call_reader: ReverseReader | None = None

    def terms(self, mask: int) -> int:
        """The terms of `mask` that the file has; if one is missing, some of the others may be left out. Sets
        `refused`.
        """
        missing = mask
        for part in self._reader.slices() if missing or self._unwanted else ():
            for prefilter in self._unwanted:
                for line in self._filtered(prefilter, part):
                    self._passages(part, line)
                    if self.refused:
                        return mask
            for number in range(len(self._wanted)):
                if missing >> number & 1:
                    missing = self._missing(part, number, missing)
            if not (missing or self._unwanted):
                break
        return mask & ~missing

    def _missing(self, part: Slice, number: int, missing: int) -> int:
        """The terms of `missing` that are not in the lines of a slice up to the first with term `number`."""
        for line in self._filtered(self._wanted[number], part):
            missing &= ~_terms_of(self._passages(part, line))
            if not missing >> number & 1:
                break
        return missing

    def _filtered(self, prefilter: Prefilter, part: Slice) -> Iterator[Line]:
        """The lines of a slice that a prefilter lets through, from top to bottom."""
        self._beat()
        for number, line in enumerate(prefilter.lines(part.data, part.start, part.end), 1):
            yield line
            if not number % _LINES_PER_BEAT:
                self._beat()

    def best(self, deciding: int) -> FilePassage | None:
        """The best of all passages.

        :param deciding: the mask of the terms that count.
        """
        best: FilePassage | None = None
        wanted = [prefilter for number, prefilter in enumerate(self._wanted) if deciding >> number & 1]

        def rank_of(passage: FilePassage | None) -> tuple[int, ...]:
            return file_rank(passage and passage._replace(mask=passage.mask & deciding))

        for part in self._reader.slices() if wanted else ():
            for line in self._last_lines(wanted, part):
                if self._may_be_better(part, line, wanted, rank_of(best)):
                    best = max((best, *self._passages(part, line)), key=rank_of)
            if rank_of(best)[:2] == (len(wanted), True):
                break
        return best

    def every(self) -> list[FilePassage]:
        """All passages, in the order of the file."""
        for part in self._reader.slices():
            for line in self._last_lines(self._wanted, part):
                self._passages(part, line)
        return [passage for offset in sorted(self._passages_at) for passage in self._passages_at[offset]]

    def _last_lines(self, filters: Sequence[Prefilter], part: Slice) -> Iterator[Line]:
        """The lines of a slice that any of `filters` lets through, the last one first."""
        self._beat()
        lines = list(any_of(filters).lines(part.data, part.start, part.end))
        for number, line in enumerate(reversed(lines), 1):
            yield line
            if not number % _LINES_PER_BEAT:
                self._beat()

    def _may_be_better(
        self, part: Slice, line: Line, wanted: Sequence[Prefilter], best: tuple[int, ...]
    ) -> bool:
        terms = sum([prefilter.matches(part.data, *line) for prefilter in wanted])
        by_user = part.data.find(USER_ROLE, *line) >= 0
        return terms > 0 and (terms, by_user, part.base + line[0]) > best[:3]

    def _passages(self, part: Slice, line: Line) -> list[FilePassage]:
        """The passages of a line with any wanted term. Sets `refused`."""
        begin, end = line
        offset = part.base + begin
        passages = self._passages_at.get(offset)
        if passages is None:
            passages = self._passages_at[offset] = []
            counts: dict[int, int] = {}
            data = shortened(part.data[begin:end])
            for text in self._lines.texts(data, offset, other=OTHER in self._plan.kinds):
                nth = counts.get(text.kind, 0)
                counts[text.kind] = nth + 1
                tool = text.tool
                if text.call and self._plan.tools and text.kind in self._plan.kinds:
                    tool = self._caller(text.call, offset)
                if self._plan.searches(text.kind, tool):
                    self._search_text(text, offset, nth, passages)
        return passages

    def _search_text(self, text: EntryText, offset: int, nth: int, passages: list[FilePassage]) -> None:
        folded = fold(text.text)
        mask = _mask(self._plan.wanted, folded, text.text)
        if mask:
            passages.append(FilePassage(text.kind, offset, text.part, mask, nth))
        if not self.refused and _mask(self._plan.unwanted, folded, text.text):
            self.refused = True

    def _caller(self, call: str, offset: int) -> str:
        """The tool of the last call with an id in the lines before `offset`; "" if there is none."""
        with_id = RunFilter([exactly(json.dumps(call, ensure_ascii=False).encode("utf-8", "replace"))], [], 0)
        if self._call_reader is None:
            self._call_reader = ReverseReader()
            self._call_reader.open(self._reader.descriptor)
        for part in self._call_reader.slices(offset):
            for begin, end in self._last_lines([with_id], part):
                tool = self._lines.caller(shortened(part.data[begin:end]), part.base + begin, call)
                if tool:
                    return tool
        return ""


def _mask(matchers: Sequence[TermMatcher], folded: str, text: str) -> int:
    return sum([1 << number for number, matcher in enumerate(matchers) if matcher.in_text(folded, text)])


def _terms_of(passages: Sequence[FilePassage]) -> int:
    mask = 0
    for passage in passages:
        mask |= passage.mask
    return mask


def file_rank(passage: FilePassage | None) -> tuple[int, ...]:
    """The rank of a passage, the higher the better; see `passages.rank`."""
    if passage is None:
        return (0, False, -1, 0, 0)
    return (*rank(passage.kind, passage.offset, passage.mask), passage.part)


class EntryText(NamedTuple):
    """A text of an entry.

    :param part: the number of its entry in the line.
    :param tool: the tool whose call or result it is; "" if the entry does not name it.
    :param call: the id of the call that it answers, for a result that does not name its tool; else "".
    """

    kind: int
    part: int
    text: str
    tool: str
    call: str


class LineDecoder:
    """Decodes single lines of a session of any dialect. Old versions give the same texts as new ones.

    decoded   lines that were decoded so far
    """

    def __init__(self, dialect: str) -> None:
        self.decoded = 0
        self._dialect = dialect_named(dialect)

    def texts(self, line: bytes, offset: int, *, other: bool) -> Iterator[EntryText]:
        """The texts of the line at `offset`; none if it holds no entry and no header, or is damaged.

        :param other: also texts of the kind `OTHER`.
        """
        for part, entry in self._entries(line, offset):
            call = _answered_call(entry)
            for text in text_pieces(entry, other=other):
                needed = call if text.kind == RESULT and not text.tool else ""
                yield EntryText(text.kind, part, text.text, text.tool, needed)

    def caller(self, line: bytes, offset: int, call: str) -> str:
        """The name of the tool that the line calls with this id; "" if it does not."""
        for _, entry in self._entries(line, offset):
            message = entry.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            for block in content if isinstance(content, list) else ():
                if (
                    isinstance(block, dict)
                    and block.get("type") in TOOL_CALL_TYPES
                    and block.get("id") == call
                ):
                    name = block.get("name")
                    if isinstance(name, str):
                        return name
        return ""

    def _entries(self, line: bytes, offset: int) -> list[tuple[int, dict[str, Any]]]:
        self.decoded += 1
        line = line.removeprefix(BOM) if not offset else line
        entries = list(enumerate(entries_of(line, self._dialect)))
        if not entries and not _is_json(line):
            for number, record in enumerate(records_in(line)):
                entries += enumerate(entries_of(record, self._dialect), number * STRIDE)
        # A title is the name of the session, which the catalog has, and no entry.
        return [(part, entry) for part, entry in entries if not _is_title(entry)]


def _is_json(line: bytes) -> bool:
    try:
        decode(line)
    except BadLine:
        return False
    return True


def entries_of(line: bytes, dialect: Dialect) -> list[dict[str, Any]]:
    """The entries and facts in a line, in pi's spelling; a header counts as one, see `text_pieces`. None if
    the line is damaged.
    """
    try:
        if dialect.one_entry_a_line:
            return [without_odd_words(dialect.entry(line))]
        dialect.partial_entries(line)  # raises BadLine for more lines than `entries` does
        entries = [without_odd_words(entry) for entry in dialect.entries(line)]
        entries += dialect.metadata_entries(line)
    except BadLine:
        entries = []
    if not entries and not dialect.one_entry_a_line:
        header = header_in(line)
        entries = [] if header is None else [header]
    return entries


def _answered_call(entry: dict[str, Any]) -> str:
    message = entry.get("message")
    call = message.get("toolCallId") if isinstance(message, dict) else None
    return string_of(call)


def _is_title(entry: dict[str, Any]) -> bool:
    return entry.get("type") == "title" and not isinstance(entry.get("id"), str)
