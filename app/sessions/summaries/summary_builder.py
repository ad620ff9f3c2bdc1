"""Builds the summary of a session from its lines, one block after the other; appended lines can follow later.

The counts are those of pi (formats/README.md, "List of pi"). If pi would refuse a whole session because of
one line, the session stays and the line is a fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from app.formats.amounts import finite, finite_int
from app.formats.content import (
    has_image,
    texts_of,
)
from app.formats.dialects import dialect_named
from app.formats.dialects.base import MetadataRecord
from app.formats.entry_types import SILENT, UNDISPLAYED, USAGE_TYPES
from app.formats.glued import records_in
from app.formats.header import INVALID_VALUE, Fault, HeaderChecks
from app.formats.json_codec import BadLine
from app.formats.lines import BOM, is_blank, skip_blanks
from app.formats.model_names import with_provider
from app.formats.nested_calls import nested_names
from app.formats.partial_entry import ABSENT
from app.formats.prices import unpriced_of, unpriced_sums
from app.formats.summary_fields import (
    ANSWER_TYPES,
    RESULT_TYPES,
    SUMMARY_TYPES,
    Answer,
    ExtensionMessage,
    Prompt,
    SummaryMessage,
    decode_lines,
    summary_fields_of,
)
from app.formats.text import one_line, trim_name
from app.formats.text_kinds import CUSTOM, USER
from app.formats.timestamps import LAST_MS, in_milliseconds, parse_time
from app.formats.utf8_text import find
from app.sessions.parent_links import count_tips, deepest_leaf
from app.sessions.passages import PackedText, joined
from app.sessions.summaries.endings import TOOL_USE, EndingFold
from app.sessions.summaries.hierarchy import Hierarchy
from app.sessions.summaries.leaf_trail import LeafTrail
from app.sessions.summaries.passage_builder import PassageBuilder
from app.sessions.summaries.titles import TitleFold
from app.sessions.summary import CONTINUED, FIRST_MESSAGE_LIMIT, FROM_PROMPT, LAST_PROMPT_LIMIT, Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from app.formats.dialects.base import LineReader
    from app.formats.header import Header
    from app.formats.partial_entry import PartialEntry, Usage
    from app.formats.prices import Unpriced
    from app.formats.summary_fields import SummaryFields

UNKNOWN = -1
"""The number of branches if it cannot be counted line by line, but only from all entries at once."""

_OTHER_TYPES = frozenset(("label", "session_info", "branch"))
"""Types of other entries that say something about the session."""

_IMAGE = b'"image"'
"""The type of a block with an image. The quotes of a text with these words are escaped."""

_MIN_SPLIT_BYTES = 16 << 10
"""A larger block is halved if one of its lines is unusual: most other lines are then still decoded
together.
"""


_MOST_UNPRICED = 200
"""Usages without a cost before they are summed: summing them at each answer took a 25th of a cold index."""


class Totals(Struct):
    """The totals of the lines so far, and the latest value of each field that later lines replace."""

    name: str | None = None
    parent_session: str | None = None
    problems: int = 0
    lines: int = 0
    entries: int = 0
    messages: int = 0
    newest: float | int = 0
    first_message: str = ""
    last_prompt: str = ""
    own_prompt: str = ""
    titles: TitleFold = field(default_factory=TitleFold)
    first_time: int = 0
    leaf_id: str | None = None
    header_checks: HeaderChecks = field(default_factory=HeaderChecks)
    labels: dict[str, str] = field(default_factory=dict)
    tools: dict[str, None] = field(default_factory=dict)
    errors: int = 0
    images: int = 0
    input: float | int = 0
    output: float | int = 0
    cache_read: float | int = 0
    cache_write: float | int = 0
    cost: float = 0.0
    unpriced: list[Unpriced] = field(default_factory=list)
    leaf_marked: bool = False
    marked_leaf: str | None = None
    folders: dict[str, None] = field(default_factory=dict)
    continued_in: str = ""
    id_pairs: list[tuple[str | None, str | None]] = field(default_factory=list)


class SummaryBuilder:
    """The summary of one session while its lines are read.

    :param header: the result of `read_header`.
    :param on_fault: called with each fault. The totals are the same without it.
    :param reader: reads its lines; None for a new reader of its dialect.

    text_bytes   the size of what `text` would return, as folded text
    """

    def __init__(
        self,
        header: Header,
        on_fault: Callable[[Fault], None] | None = None,
        reader: LineReader | None = None,
    ) -> None:
        self.header = header
        self.dialect = dialect_named(header.dialect)
        self.reader = reader or self.dialect.reader()
        self.has_ids = header.has_ids
        self.on_fault = on_fault
        self.hierarchy = Hierarchy(is_linear_format=self.dialect.linear)
        if not self.dialect.one_entry_a_line:
            self.hierarchy.all_entries = []
        self.endings = EndingFold()
        self.leaf_trail = LeafTrail()
        self._offset = 0
        self._text: list[PackedText] = []
        self.text_bytes = 0
        self.models: dict[tuple[str | None, str | None], None] = {}
        self.totals = Totals(
            name=header.name,
            parent_session=header.parent_session,
            problems=len(header.faults),
        )
        if on_fault:
            for fault in header.faults:
                on_fault(fault)

    def feed(self, block: bytes, offset: int = 0) -> int:
        """Add the lines of `block` that end with a LF, and return their size in bytes.

        :param offset: where `block` begins in the file. The first block begins the file.
        """
        end = block.rfind(b"\n") + 1
        if not end:
            return 0
        # Only lines that are read one by one give the place of a fault.
        if self.dialect.one_entry_a_line and self.on_fault is None:
            found = decode_lines(block, offset, snake=self.dialect.snake)
            if found is not None:
                entries, starts = found
                self.totals.lines += len(entries)
                passages = PassageBuilder()
                self._add(entries, starts, passages)
                self._add_text(passages)
                self._count_images(block, end)
                return end
            middle = block.find(b"\n", end // 2) + 1
            if end > _MIN_SPLIT_BYTES and middle < end:
                # Usually one line is the reason, so most of the others can still be decoded together.
                self.feed(block[:middle], offset)
                self.feed(block[middle:end], offset + middle)
                return end
        self._feed_lines(block, end, offset)
        return end

    def text(self) -> PackedText:
        """The passages of the lines that were fed since the last call."""
        text, self._text, self.text_bytes = joined(self._text), [], 0
        return text

    def _add_text(self, passages: PassageBuilder) -> None:
        text = passages.pack()
        self._text.append(text)
        self.text_bytes += len(text.folded)

    def _feed_lines(self, block: bytes, size: int, offset: int) -> None:
        """Add the lines in the first `size` bytes of `block` one by one."""
        self.reader.foresee(block[:size])
        passages = PassageBuilder()
        invalid: list[str] = []
        totals = self.totals
        start = 0
        while start < size:
            stop = block.find(b"\n", start)
            line = block[start:stop]
            if not line or line.isspace():
                start, blank = skip_blanks(block, start, size)
                totals.lines += blank
                continue
            totals.lines += 1
            self._offset = offset + start
            start = stop + 1
            if totals.lines == 1 and self.header.has_bom:
                line = line[len(BOM) :]
            if is_blank(line):
                continue
            found = None
            if self.dialect.one_entry_a_line:
                # A line that `decode_lines` accepts has no invalid value.
                found = decode_lines(line + b"\n", snake=self.dialect.snake)
            try:
                partial_entries = () if found else self.reader.partial_entries(line, invalid)
            except BadLine as bad:
                self._add_fault(bad.reason)
                for record in records_in(line):
                    self._add_record(record, passages)
                continue
            if found:
                self._add(found[0], [self._offset], passages)
            self._add_partial(partial_entries, invalid, passages)
            if invalid:
                self._add_fault(f"{INVALID_VALUE}: {', '.join(dict.fromkeys(invalid))}")
                invalid.clear()
            if found or partial_entries:
                # The line is none that a reader skips, because it repeats another one.
                self._count_images(line, len(line))
        self._add_text(passages)

    def _add_record(self, record: bytes, passages: PassageBuilder) -> None:
        """Add one of several records in the current line, which is a fault already."""
        try:
            self._add_partial(self.reader.partial_entries(record), [], passages)
        except BadLine:
            return
        self._count_images(record, len(record))

    def _add_partial(
        self, partial_entries: Sequence[PartialEntry], invalid: list[str], passages: PassageBuilder
    ) -> None:
        """Add the entries and facts of a record.

        :param invalid: the fields of it whose values are invalid; others are added.
        """
        totals = self.totals
        for partial in partial_entries:
            if type(partial) is MetadataRecord:
                self._add_metadata(partial)
                continue
            entry = summary_fields_of(partial, invalid)
            if _is_header_line(entry):
                invalid.clear()  # `header.faults` contains the faults of the header.
            if not self.dialect.one_entry_a_line:
                totals.id_pairs.append((partial.id, partial.parent_id))
                totals.first_time = totals.first_time or parse_time(partial.timestamp) or 0
            self._add([entry], [self._offset], passages)

    def _add(self, entries: list[SummaryFields], starts: Sequence[int], passages: PassageBuilder) -> None:
        """Add the entries and header lines of the next lines.

        :param starts: the offset of the line of each in the file.
        :param passages: gets their texts.
        """
        totals = self.totals
        newest = totals.newest
        heads = others = errors = 0
        header_is_later = False
        tool_names: list[str] = []
        usages: list[tuple[Usage, Any]] = []
        prompts: list[Prompt] = []
        changing: list[SummaryFields] = []
        for entry, offset in zip(entries, starts, strict=True):
            if entry.type == "message":
                message: Any = entry.message
                message_type = type(message)
                if message_type in RESULT_TYPES:
                    if message.usage is not None:
                        usages.append((message.usage, None))
                    if message.nested_calls is not ABSENT:
                        totals.tools.update(dict.fromkeys(nested_names(message.nested_calls)))
                    continue
                if message_type in ANSWER_TYPES:
                    passages.add_answer(offset, message.content, tool_names)
                    if message.stop_reason not in TOOL_USE:
                        changing.append(entry)
                    if message.stop_reason == "error" or message.error_message:
                        errors += 1
                    if message.usage is not None:
                        usages.append((message.usage, message))
                    if message.model:
                        self.models[message.provider, message.model] = None
                elif message_type is Prompt:
                    passages.add_content(USER, offset, message.content)
                    prompts.append(message)
                else:
                    if message is None:
                        self._add_fault("a message entry without a message")
                    elif isinstance(message, ExtensionMessage):
                        passages.add_content(CUSTOM, offset, message.content)
                    elif isinstance(message, SummaryMessage):
                        passages.add_summary(offset, message.summary)
                    changing.append(entry)
                    continue
                if newest < message.timestamp <= LAST_MS:
                    newest = message.timestamp
            elif _is_header_line(entry):
                # The checks need to know only whether any entry precedes the header line.
                header_is_later = header_is_later or entries[heads] is not entry
                entries_before = int(header_is_later or totals.entries > 0)
                heads += 1
                reason = totals.header_checks.fault(entry.type, entry.id, entries_before)
                if reason:
                    self._add_fault(reason)
            else:
                others += 1
                changing.append(entry)
                if entry.type in USAGE_TYPES:
                    if entry.usage is not None:
                        usages.append((entry.usage, None))
                elif entry.type in _OTHER_TYPES:
                    self._add_other(entry)
                if entry.type == "custom_message":
                    passages.add_content(CUSTOM, offset, entry.content)
                    if entry.display is False:
                        entry.type = UNDISPLAYED
                elif entry.type in SUMMARY_TYPES:
                    passages.add_summary(offset, entry.summary)
                elif entry.type == "branch":
                    passages.add_summary(offset, entry.branch_summary)
        if header_is_later:
            entries = [entry for entry in entries if not _is_header_line(entry)]
        elif heads:
            entries = entries[heads:]
        if prompts:
            self._add_prompts(prompts)
        if usages:
            self._add_usage(usages)
        if tool_names:
            totals.tools.update(dict.fromkeys(filter(None, tool_names)))
        totals.entries += len(entries)
        totals.messages += len(entries) - others
        totals.newest = newest
        totals.errors += errors
        if not (totals.titles.prompt or totals.titles.text):
            self._add_texts(entries)
        self.endings.add(entries, changing, tool_names)
        if entries and self.has_ids:
            ids, parents = [entry.id for entry in entries], [entry.parent_id for entry in entries]
            self.hierarchy.add(ids, parents, entries)
            self.leaf_trail.add(entries)
            totals.leaf_id = entries[-1].id

    def _add_prompts(self, prompts: Sequence[Prompt]) -> None:
        """Add the next prompts. The first and the last with text count, and those that may be the title."""
        totals = self.totals
        for prompt in prompts:
            if totals.titles.typed:
                break
            totals.titles.add_prompt(_prompt_text(prompt), is_typed=self.dialect.knows_prompts)
        if not totals.first_message:
            totals.first_message = next(filter(None, map(_prompt_text, prompts)), "")
        if totals.parent_session and not totals.own_prompt and self.header.created_ms is not None:
            begin = self.header.created_ms
            own = (_prompt_text(prompt) for prompt in prompts if prompt.timestamp >= begin)
            totals.own_prompt = next(filter(None, (one_line(text, LAST_PROMPT_LIMIT) for text in own)), "")
        lines = (one_line(_prompt_text(prompt), LAST_PROMPT_LIMIT) for prompt in reversed(prompts))
        totals.last_prompt = next(filter(None, lines), totals.last_prompt)

    def _add_texts(self, entries: Iterable[SummaryFields]) -> None:
        """Add the texts of answers, one of which is the title of a session without prompts."""
        titles = self.totals.titles
        for entry in entries:
            if isinstance(entry.message, Answer):
                titles.add_text(" ".join(texts_of(entry.message.content))[:FIRST_MESSAGE_LIMIT])
            if titles.text:
                break

    def _count_images(self, lines: bytes, length: int) -> None:
        """Count the entries with images in the first `length` bytes of `lines`, which are whole lines."""
        position = find(lines, _IMAGE, 0)
        while 0 <= position < length:
            start = lines.rfind(b"\n", 0, position) + 1
            end = lines.find(b"\n", position)
            if end < 0:
                end = length
            for entry in self.dialect.partial_entries(lines[start:end]):
                self.totals.images += _has_image(entry)
            position = find(lines, _IMAGE, end)

    def _add_other(self, entry: SummaryFields) -> None:
        """Add a label, a name, or the branch entry of a fork."""
        totals = self.totals
        if entry.type == "label":
            self._add_label(entry)
        elif entry.type == "session_info":
            totals.name = self.dialect.name_after(totals.name, trim_name(entry.name))
        elif entry.parent_session_path and not totals.parent_session:
            totals.parent_session = entry.parent_session_path

    def _add_metadata(self, entry: MetadataRecord) -> None:
        totals = self.totals
        if entry.type == "leaf":
            totals.marked_leaf, totals.leaf_marked = entry.target_id, True
        elif entry.type == "label":
            self._add_label(entry)
        elif entry.type == "session_info":
            totals.name = trim_name(entry.name)
        elif entry.type == "parent" and entry.name != self.header.id:
            # The header names the direct parent; otherwise the last answer that was copied tells it.
            totals.parent_session = self.header.parent_session or entry.name
        elif entry.type == "continued":
            totals.continued_in = entry.name or ""
        elif entry.type == "folder" and entry.name:
            # The last use of a folder counts.
            totals.folders.pop(entry.name, None)
            totals.folders[entry.name] = None
        elif entry.usage is not None:
            self._add_usage(((entry.usage, entry),))

    def _add_label(self, entry: SummaryFields | PartialEntry) -> None:
        target = entry.target_id
        if target is None or not self.has_ids:
            return
        # A changed label moves to the end, which keeps the order of the file.
        self.totals.labels.pop(target, None)
        if entry.label:
            self.totals.labels[target] = entry.label

    def _add_usage(self, usages: Sequence[tuple[Usage, Any]]) -> None:
        """Add the tokens and the cost of answers, in the order of the file: sums of floats depend on it.

        :param usages: each with what names its model, None for nothing.
        """
        totals = self.totals
        sent, received, read, written, cost = (
            totals.input,
            totals.output,
            totals.cache_read,
            totals.cache_write,
            totals.cost,
        )
        for usage, source in usages:
            sent += usage.input or 0
            received += usage.output or 0
            read += usage.cache_read or 0
            written += usage.cache_write or 0
            price = usage.cost
            if price is not None and price.total is not None:
                cost += price.total
            elif more := unpriced_of(usage, with_provider(source.provider, source.model) if source else ""):
                totals.unpriced.append(more)
        totals.input, totals.output, totals.cache_read, totals.cache_write, totals.cost = (
            sent,
            received,
            read,
            written,
            cost,
        )
        if len(totals.unpriced) > _MOST_UNPRICED:
            totals.unpriced = [*unpriced_sums(totals.unpriced)]

    def _add_fault(self, reason: str) -> None:
        """Count a fault of the current line."""
        self.totals.problems += 1
        if self.on_fault:
            self.on_fault(Fault(self.totals.lines, self._offset, reason))

    def can_decode(self, line: bytes) -> bool:
        """Whether `line` is JSON of this dialect, or blank."""
        if is_blank(line):
            return True
        if self.totals.lines == 0 and self.header.has_bom:
            line = line[3:]
        try:
            self.dialect.partial_entries(line)
        except BadLine:
            return False
        return True

    def summary(self, mtime_ms: int, *, torn: bool = False) -> Summary:
        """The summary of the lines so far.

        :param mtime_ms: the file's own time, used if neither a message nor the header has one.
        :param torn: whether the last line is unfinished.
        """
        totals = self.totals
        header = self.header
        created = header.created_ms
        if created is None:
            created = totals.first_time or None
        if totals.newest > 0:
            modified = in_milliseconds(int(totals.newest))
        elif created is None or (totals.messages and self.dialect.is_dated_by_file):
            modified = mtime_ms
        else:
            modified = created
        title, title_source = totals.titles.title(totals.name, totals.messages)
        is_title = title_source == FROM_PROMPT and totals.last_prompt == totals.titles.beginning
        one_a_line = self.dialect.one_entry_a_line
        without_ids = not self.has_ids or self._has_no_ids()
        return Summary(
            agent=header.agent,
            dialect=header.dialect,
            id=header.id,
            cwd=header.cwd,
            name=totals.name,
            title=title,
            title_source=title_source,
            first_message=totals.first_message,
            last_prompt="" if is_title else totals.last_prompt,
            created=created,
            modified=modified,
            message_count=totals.messages,
            entry_count=totals.entries,
            leaf_count=min(totals.entries, 1) if without_ids else self.hierarchy.leaf_count(),
            branch_count=self._branch_count(without_ids),
            labels=tuple(totals.labels.items()),
            leaf_id=self._leaf_id(),
            parent_session=totals.parent_session,
            models=tuple([with_provider(provider, model) for provider, model in self.models]),
            tools=tuple(totals.tools),
            tokens=(
                finite_int(totals.input),
                finite_int(totals.output),
                finite_int(totals.cache_read),
                finite_int(totals.cache_write),
            ),
            cost=float(finite(totals.cost)),
            errors=totals.errors,
            images=totals.images,
            problems=totals.problems,
            torn=torn,
            # A line with several entries may name any leaf.
            linear=one_a_line and (without_ids or self.hierarchy.is_linear),
            ending=self._ending(without_ids),
            spawned=header.spawned,
            folders=self.dialect.folders(header.cwd, list(totals.folders)),
            continued_in=totals.continued_in,
            first_id=header.first_id,
            unpriced=unpriced_sums(totals.unpriced),
            own_prompt=totals.own_prompt,
            is_behind=one_a_line and not without_ids and self.leaf_trail.is_behind(totals.leaf_id),
        )

    def _ending(self, without_ids: bool) -> str:
        if self.totals.continued_in:
            return CONTINUED
        if without_ids or self.dialect.linear:
            return self.endings.last
        return self.endings.at(self._leaf_id())

    def _has_no_ids(self) -> bool:
        """Whether no entry has an id although the version has ids: such a file is linear, like version 1."""
        leaves = self.hierarchy.leaves
        return leaves.keys() == {None} and leaves[None] == self.totals.entries

    def _branch_count(self, without_ids: bool) -> int:
        totals, hierarchy = self.totals, self.hierarchy
        if without_ids or not totals.entries:
            return min(totals.entries, 1)
        one_a_line = self.dialect.one_entry_a_line
        if one_a_line and not hierarchy.is_tangled:
            return hierarchy.branch_count(totals.leaf_id)
        if hierarchy.all_entries is None:
            return UNKNOWN
        return count_tips(hierarchy.all_entries, self._leaf_id(), SILENT, last_is_leaf=one_a_line)

    def _leaf_id(self) -> str | None:
        totals = self.totals
        if self.dialect.one_entry_a_line:
            return totals.leaf_id if self.has_ids else None
        return totals.marked_leaf if totals.leaf_marked else deepest_leaf(totals.id_pairs)


def _prompt_text(prompt: Prompt) -> str:
    return " ".join(texts_of(prompt.content))[:FIRST_MESSAGE_LIMIT]


def _is_header_line(entry: SummaryFields) -> bool:
    """Whether the line is a header or a title slot, and not an entry."""
    return entry.type == "session" or (entry.type == "title" and entry.id is None)


def _has_image(entry: PartialEntry) -> bool:
    if entry.type == "custom_message":
        return has_image(entry.content)
    return entry.type == "message" and entry.message is not None and has_image(entry.message.content)
