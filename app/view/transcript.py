"""The conversation along one path of a session, entry by entry, as blocks of a given width.

Prompts are shown as they were written, answers as rendered Markdown. Thinking and tool calls are one line
each, which unfolds. Text that is left out is counted in its place. The entry of a search hit shows the place
of the hit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from app.formats.entry_parts import Part as EntryPart
from app.formats.entry_parts import entry_parts
from app.formats.nested_calls import nested_calls
from app.formats.text import one_line, string_of
from app.formats.timestamps import parse_time
from app.formats.tool_calls import call_blocks
from app.formats.utf8_text import fold
from app.view.cells import stable_width
from app.view.document_line import (
    MEASURE,
    PAD,
    CodeBlock,
    DocumentLine,
    best_line,
    own_line,
    paragraphs,
    text_line,
)
from app.view.formatting import count, counted, day_and_clock
from app.view.line import Line, wrap
from app.view.markdown import markdown_lines, written_lines
from app.view.text_window import context_range, end_of_first_lines, find_words, line_begin, line_end
from app.view.tool_block import (
    FULL_LINES,
    SHORT_LINES,
    Result,
    barred,
    nested_result,
    tool_block,
)
from app.view.transcript_block import FOLDED, SHORT, Block, Turn, fold_head

if TYPE_CHECKING:
    from app.sessions.tree.node import Node

MOST_TEXT = 48 << 10
"""Most characters of a prompt or an answer that is shown whole; a longer one is shown by its two ends."""
END_OF_TEXT = 16 << 10
"""Characters of each of these ends."""
BAND = "▌ "
NESTED = "  "
"""The indent of a call that a tool made, below the call of that tool."""
_LEFT_OUT = ("details", "diff")
_SUMMARIES = ("branchSummary", "compactionSummary")
_SIGNS = {"bashExecution": "$", "pythonExecution": ">>>"}


def turn(
    raw: dict[str, Any],
    entry_id: str | None,
    offset: int,
    cells: int,
    words: Sequence[str] = (),
    *,
    has_match: bool = False,
    results: Mapping[str, dict[str, Any]] | None = None,
    matched_results: Sequence[str] = (),
    now_ms: int = 0,
    full: bool = False,
    node: Node | None = None,
) -> Turn:
    """The blocks of an entry.

    :param raw: the entry as `read_entry` gives it.
    :param cells: the width of a line, without the cell of the cursor.
    :param words: the folded words of a match.
    :param has_match: whether the match is in this entry; it is then among the lines.
    :param results: the entries with the results of its calls, by the id of the call.
    :param matched_results: the ids of those that have the match.
    :param now_ms: milliseconds since the epoch, for the times of today.
    :param full: blocks that can be folded are made whole.
    :param node: the entry in its file.
    """
    when = _time_of(raw)
    day, clock = ("", "") if when is None else day_and_clock(when, now_ms)
    builder = _Builder(
        cells, words, results or {}, matched_results, day, clock, full=full, has_match=has_match
    )
    builder.entry(raw)
    if has_match and not builder.blocks:
        builder.everything(entry_parts(raw))
    made = Turn(
        entry_id,
        offset,
        builder.blocks,
        node=node,
        model=builder.model,
        day=builder.day,
        clock=builder.clock,
    )
    if words and (has_match or matched_results):
        _find(made, words)
    return made


def _find(made: Turn, words: Sequence[str]) -> None:
    """Unfold the block with the match, and note its line."""
    best, most = (0, -1), 0
    for number, block in enumerate(made.blocks):
        index = best_line(block.body, words)
        text = fold(block.body[index].session_text) if index >= 0 else ""
        head = fold(block.head.session_text) if block.head is not None else ""
        found, in_head = (sum(word in where for word in words) for where in (text, head))
        if max(found, in_head) > most:
            best, most = (number, -1 if in_head >= found else index), max(found, in_head)
    if not made.blocks:
        return
    made.found, index = best
    block = made.blocks[made.found]
    block.in_open_run = True
    if index >= 0 and block.folds and block.state == FOLDED:
        block.state = SHORT
    skipped = (1 if block.head is not None else 0) + (1 if block.is_tail and block.more else 0)
    block.found = 0 if index < 0 else index + skipped


def call_ids(raw: Mapping[str, Any]) -> list[str]:
    """The ids of the tool calls of an entry."""
    return [string_of(block.get("id")) for block in call_blocks(dict(raw)) if string_of(block.get("id"))]


def result_id(raw: Mapping[str, Any]) -> str:
    """The id of the call that an entry is the result of; "" if it is none."""
    message = raw.get("message")
    if raw.get("type") != "message" or not isinstance(message, dict) or message.get("role") != "toolResult":
        return ""
    return string_of(message.get("toolCallId"))


def unreadable_turn(entry_id: str | None, offset: int, reason: str) -> Turn:
    """The turn of an entry that cannot be shown."""
    line = own_line(PAD + stable_width(one_line(reason)), "error")
    return Turn(entry_id, offset, [Block("custom", [line])])


class _Builder:
    """The blocks of one entry, added one after the other."""

    def __init__(
        self,
        cells: int,
        words: Sequence[str],
        results: Mapping[str, dict[str, Any]],
        matched_results: Sequence[str],
        day: str,
        clock: str,
        *,
        full: bool,
        has_match: bool,
    ) -> None:
        self.blocks: list[Block] = []
        self.model = ""
        self.day = day
        self.clock = clock
        self._cells = max(8, min(MEASURE, cells - len(PAD) - 1))
        self._words = words if has_match else ()
        self._all_words = words
        self._results = results
        self._matched = matched_results
        self._full = full

    # entries

    def entry(self, raw: dict[str, Any]) -> None:
        """Add the blocks of an entry, if it has text."""
        kind, message = raw.get("type"), raw.get("message")
        if kind == "message" and isinstance(message, dict):
            self._message(raw, message)
        elif kind == "compaction":
            self._summary(raw, _compaction(raw.get("tokensBefore")))
        elif kind in ("branch_summary", "branch"):
            self._summary(raw, "Branch summary" if kind == "branch_summary" else "Fork")
        elif kind == "custom_message" and raw.get("display") is not False:
            self._custom(string_of(raw.get("customType")) or "custom", "custom", entry_parts(raw))

    def everything(self, parts: Sequence[EntryPart]) -> None:
        """Add all parts of an entry without text that has a match."""
        for part in parts:
            if part.kind != "meta":
                self._folding("custom", part.title or "entry", "meta", part.text, "dim", shows=True)

    def _message(self, raw: dict[str, Any], message: dict[str, Any]) -> None:
        role = string_of(message.get("role"))
        parts = [part for part in entry_parts(raw) if part.kind not in _LEFT_OUT]
        if role == "user":
            self._prompt(parts)
        elif role == "assistant":
            self._answer(raw, message, parts)
        elif role == "toolResult":
            self._tool(string_of(message.get("toolName")), None, Result(raw), matched=bool(self._words))
            self._nested(raw, matched=bool(self._words))
        elif role in _SIGNS:
            self._command(_SIGNS[role], raw, parts)
        elif role in _SUMMARIES:
            self._summary(raw, "Branch summary" if role == "branchSummary" else "Compaction")
        else:
            name = string_of(message.get("customType")) or role or "message"
            self._custom(name, "custom" if role in ("custom", "hookMessage") else "system", parts)

    # prompts and answers

    def _prompt(self, parts: Sequence[EntryPart]) -> None:
        when = self.clock
        lines: list[DocumentLine] = []
        codes: list[CodeBlock] = []

        def add(text: str, style: str, *, is_own: bool = False) -> None:
            spans: Line = [(BAND, "brand"), (text, style)]
            right: Line = [(when, "dim")] if when and not lines else []
            lines.append(DocumentLine(spans, own=1 + is_own, ground="panel", right=right))

        for part in parts:
            if part.kind == "text":
                for note, piece in self._pieces(part.text.strip("\n")):
                    if note:
                        add(note, "faint", is_own=True)
                    # The time stands at the end of the first line.
                    narrower = len(when) + 2 if when and not lines and self._cells > 3 * len(when) else 0
                    for line in written_lines(piece, self._cells, "name", narrower) if piece else ():
                        add(line.text, "name")
                        codes += [line.block] if line.block is not None else []
                while len(lines) > 1 and lines[-1].text == BAND:
                    lines.pop()
            elif part.kind == "image":
                add(f"[image: {one_line(part.text)}]"[: self._cells], "dim")
            elif part.kind != "meta" and part.text:
                for row in paragraphs(part.text[:2_000]):
                    for piece in wrap(row, self._cells):
                        add(piece, "error" if part.kind == "error" else "dim")
        if not lines:
            add("(empty)", "dim")
        text = "\n\n".join(part.text for part in parts if part.kind == "text")
        sources = [block.source for block in codes]
        self.blocks.append(Block("prompt", lines[1:], head=lines[0], text=text, codes=sources))

    def _answer(self, raw: dict[str, Any], message: dict[str, Any], parts: Sequence[EntryPart]) -> None:
        calls = call_blocks(raw)
        self.model = stable_width(one_line(string_of(message.get("model")), 60))
        stopped = string_of(message.get("stopReason"))
        answer: Block | None = None

        def add_to_answer(lines: list[DocumentLine], text: str = "", codes: list[str] | None = None) -> None:
            nonlocal answer
            if answer is not None and self.blocks[-1] is answer:
                answer.body += [DocumentLine([]), *lines]
                answer.text = "\n\n".join(filter(None, (answer.text, text)))
                answer.codes += codes or []
                return
            answer = Block("answer", lines, text=text, codes=codes or [])
            self.blocks.append(answer)

        called = 0
        started = _time_of(raw)
        for part in parts:
            if part.kind == "text" and part.text.strip():
                lines, codes = self._markdown(part.text)
                add_to_answer(lines, part.text, codes)
            elif part.kind == "thinking" and part.text:
                self._folding("thinking", "thinking", "thinking", part.text, "thinking")
            elif part.kind == "tool_call" and called < len(calls):
                self._call(calls[called], started)
                called += 1
            elif part.kind == "image":
                add_to_answer([own_line(f"{PAD}[image: {one_line(part.text)}]")])
            elif part.kind == "error":
                add_to_answer(self._failure(part))
            elif part.kind in ("raw", "tool_result") and part.text:
                self._folding("custom", part.title or "block", "meta", part.text, "dim")
        if stopped == "aborted" and not any(part.kind == "error" for part in parts):
            add_to_answer([own_line(PAD + "× aborted", "error")])

    def _failure(self, part: EntryPart) -> list[DocumentLine]:
        """The lines of the reason why an answer ended."""
        lines = []
        for row in paragraphs(f"× {part.title or 'error'}: {part.text[:4_000]}"):
            lines += [text_line(PAD + piece, "error") for piece in wrap(row, self._cells)]
        return lines

    def _markdown(self, text: str) -> tuple[list[DocumentLine], list[str]]:
        lines: list[DocumentLine] = []
        codes: list[str] = []
        for note, piece in self._pieces(text):
            if note:
                lines.append(own_line(PAD + note, "faint"))
            for line in markdown_lines(piece, self._cells):
                if line.spans:
                    line.spans[:0] = [(PAD, "text")]
                    line.own += 1
                lines.append(line)
                if line.block is not None:
                    codes.append(line.block.source)
        return lines, codes

    def _ranges(self, text: str) -> list[tuple[int, int]]:
        """The parts of a text that are shown: all of it, or both ends of a long one and the match."""
        if len(text) <= MOST_TEXT:
            return [(0, len(text))]
        ranges = [(0, line_end(text, END_OF_TEXT)), (line_begin(text, len(text) - END_OF_TEXT), len(text))]
        offset = find_words(text, self._words)
        if offset >= 0:
            ranges.insert(1, context_range(text, offset))
        shown, kept = 0, []
        for begin, end in sorted(ranges):
            begin = max(begin, shown)
            if end > begin:
                kept.append((begin, end))
                shown = end
        return kept

    def _pieces(self, text: str) -> Iterator[tuple[str, str]]:
        """The parts of a text that are shown, each behind a note about what is left out before it."""
        shown = 0
        for begin, end in [*self._ranges(text), (len(text), len(text))]:
            note = _left_out(text, shown, begin)
            if note or end > begin:
                yield note, text[begin:end].removesuffix("\n")
            shown = max(shown, end)

    # blocks that fold

    def _call(self, block: Mapping[str, Any], started: int | None) -> None:
        call_id = string_of(block.get("id"))
        raw = self._results.get(call_id)
        result = None
        if raw is not None:
            ended = _time_of(raw)
            result = Result(raw, ended - started if started is not None and ended is not None else None)
        matched = bool(self._words) or call_id in self._matched
        self._tool(string_of(block.get("name")), block.get("arguments"), result, matched=matched)
        if raw is not None:
            self._nested(raw, matched=matched)

    def _nested(self, raw: Mapping[str, Any], *, matched: bool) -> None:
        """Add the calls that the tool of a result made itself, below its own block."""
        for call in nested_calls(raw):
            self._tool(call.name, call.arguments, nested_result(call), matched=matched)
            block = self.blocks[-1]
            for line in filter(None, (block.head, block.open_head)):
                line.spans.insert(0, (NESTED, "dim"))
                line.own += 1

    def _tool(self, name: str, arguments: Any, result: Result | None, *, matched: bool) -> None:
        made = tool_block(name, arguments, result, self._cells + len(PAD), full=self._full)
        if matched and self._all_words:
            lines = [*made.body, *([made.head] if made.head is not None else [])]
            wanted = sum(any(word in fold(line.text) for line in lines) for word in self._all_words)
            if wanted < len(self._all_words):
                self._add_context(made)
        self.blocks.append(made)

    def _add_context(self, block: Block) -> None:
        """Add the text around the match to a block that does not show it."""
        offset = find_words(block.text, self._all_words)
        if offset < 0:
            return
        begin, end = context_range(block.text, offset)
        block.body.append(own_line("    … around the match", "faint"))
        for row in paragraphs(block.text[begin:end].removesuffix("\n")):
            for piece in wrap(row, max(8, self._cells - 4)):
                block.body.append(barred(text_line(piece, "result")))
        block.state = max(block.state, SHORT)

    def _folding(
        self,
        kind: str,
        name: str,
        name_style: str,
        text: str,
        style: str,
        *,
        argument: str | None = None,
        shows: bool = False,
        right: Line | None = None,
    ) -> None:
        """Add a block with a text that unfolds.

        :param argument: the text of the head; None for the beginning of the text.
        :param shows: the block is unfolded.
        """
        text = text.strip("\n")
        most = FULL_LINES if self._full else SHORT_LINES
        ranges = [(0, end_of_first_lines(text, most))]
        offset = find_words(text, self._words)
        if offset >= ranges[0][1]:
            ranges.append(context_range(text, offset))
        body: list[DocumentLine] = []
        for number, (begin, end) in enumerate(ranges):
            if number:
                body.append(own_line("    …", "faint"))
            for row in paragraphs(text[begin:end].removesuffix("\n")) if text else ():
                body += [
                    DocumentLine([("    ", "text"), (piece, style)], own=1)
                    for piece in wrap(row, max(8, self._cells - 2))
                ]
        lines = text.count("\n") + 1 if text else 0
        rest = text.count("\n", ranges[0][1]) + 1 if ranges[0][1] < len(text) else 0
        if right is None:
            right = [(counted(lines, "line"), "dim")] if argument is None else []
        shown_name = stable_width(one_line(name, 60))
        beginning = stable_width(one_line(text[:1_200])) if argument is None else argument
        head, open_head = fold_head(
            shown_name, name_style, beginning, right, style if style == "thinking" else "dim"
        )
        is_found = bool(self._words) and find_words(text, self._words) >= 0
        state = SHORT if shows or self._full or is_found else FOLDED
        self.blocks.append(
            Block(kind, body, head=head, open_head=open_head, state=state, more=rest, text=text)
        )

    def _command(self, sign: str, raw: dict[str, Any], parts: Sequence[EntryPart]) -> None:
        command = next((part.text for part in parts if part.kind == "tool_call"), "")
        results = [part for part in parts if part.kind in ("tool_result", "error") and part.text]
        ended = next((part.title for part in parts if part.kind == "tool_result"), "")
        right: Line = [("× " + one_line(ended, 40), "error")] if ended not in ("", "output") else []
        self._folding(
            "command",
            sign,
            "bash",
            "\n".join(part.text for part in results),
            "result",
            argument=stable_width(one_line(command)),
            shows=True,
            right=right,
        )
        block = self.blocks[-1]
        block.text = "\n".join(filter(None, (command, block.text)))
        block.codes = [command] if command else []

    def _summary(self, raw: dict[str, Any], title: str) -> None:
        text = "\n\n".join(part.text for part in entry_parts(raw) if part.kind == "text" and part.text)
        self._folding("summary", f"≡ {title}", "compaction", text, "dim", argument="", shows=True)

    def _custom(self, name: str, style: str, parts: Sequence[EntryPart]) -> None:
        text = "\n\n".join(part.text for part in parts if part.kind == "text" and part.text)
        title = f"[{one_line(name, 40)}]"
        self._folding("custom", title, style, text, "dim", argument=self.clock, shows=True, right=[])


def _time_of(raw: Mapping[str, Any]) -> int | None:
    """The time of an entry in milliseconds since the epoch, that of its message if it has one; None for
    none.
    """
    message = raw.get("message")
    ms = parse_time(message.get("timestamp")) if isinstance(message, dict) else None
    return parse_time(raw.get("timestamp")) if ms is None else ms


def _left_out(text: str, begin: int, end: int) -> str:
    """A note about a part of a text that is not shown; "" if nothing of weight is left out."""
    if end <= begin or not text[begin : min(end, begin + 2_000)].strip():
        return ""
    lines = text.count("\n", begin, end) + (not text.endswith("\n", begin, end))
    return f"… {lines:,} lines more" if lines > 1 else f"… {end - begin:,} characters more"


def _compaction(tokens: object) -> str:
    if isinstance(tokens, int | float) and not isinstance(tokens, bool) and 0 < tokens < 1e12:
        return f"Compaction: {count(int(tokens))} tokens"
    return "Compaction"
