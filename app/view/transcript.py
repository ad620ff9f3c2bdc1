"""The conversation along one path of a session, entry by entry, as lines of a given width.

Prompts and answers are shown as they were written. A tool call is one line, followed by the beginning of its
output. Text that is left out is counted in its place. The entry of a search hit shows the place of the hit.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from app.formats.entry_parts import Part as EntryPart
from app.formats.entry_parts import entry_parts
from app.formats.json_codec import raw_json
from app.formats.text import one_line
from app.formats.timestamps import parse_time
from app.formats.tool_calls import call_line, shortened_arguments
from app.view.cells import stable_width
from app.view.document_line import DocumentLine, LineKind, best_line, mark_line, paragraphs
from app.view.formatting import count
from app.view.line import wrap

AROUND = 600
"""Characters shown before and behind a match, in a text that is not shown whole."""
LINE_OF_TEXT = 400
"""Characters that count as one line; a longer line counts as several."""
_CHUNK = 64 << 10


def find_words(text: str, words: Sequence[str]) -> int:
    """The offset of the first occurrence of the longest of the words, in characters; -1 if none occurs.

    The text is searched in parts, because folding many megabytes at once would block the screen.
    """
    for word in sorted(words, key=len, reverse=True):
        step = max(_CHUNK, 4 * len(word))
        for begin in range(0, len(text), step):
            part = text[begin : begin + step + len(word)]
            folded = part.casefold()
            position = folded.find(word)
            if position >= 0:
                return begin + (position if len(folded) == len(part) else _unfolded(part, position))
    return -1


def _unfolded(text: str, position: int) -> int:
    """The offset in a text of an offset in its folded form, which may be longer."""
    for index, char in enumerate(text):
        position -= len(char.casefold())
        if position < 0:
            return index
    return len(text)


def end_of_first_lines(text: str, most: int) -> int:
    """The end of the first lines of a text; a short rest is included."""
    position = 0
    for _ in range(most):
        end = text.find("\n", position, position + LINE_OF_TEXT)
        if end < 0:
            position = min(len(text), position + LINE_OF_TEXT)
            break
        position = end + 1
    is_rest_short = len(text) - position <= LINE_OF_TEXT and text.find("\n", position) < 0
    return len(text) if is_rest_short else position


def context_range(text: str, offset: int) -> tuple[int, int]:
    """(begin, end) of the text around an offset, in whole lines if they are short."""
    return line_begin(text, max(0, offset - AROUND)), line_end(text, min(len(text), offset + AROUND))


def line_begin(text: str, offset: int) -> int:
    """The beginning of the line at an offset; the offset itself if that is far."""
    if offset <= 0:
        return 0
    newline = text.rfind("\n", max(0, offset - LINE_OF_TEXT), offset)
    return newline + 1 if newline >= 0 else offset


def line_end(text: str, offset: int) -> int:
    """The end of the line at an offset, with its LF; the offset itself if that is far."""
    newline = text.find("\n", offset, offset + LINE_OF_TEXT)
    return newline + 1 if newline >= 0 else min(offset, len(text))


MOST_TEXT = 48 << 10
"""Most characters of a prompt or an answer that is shown whole; a longer one is shown by its two ends."""
END_OF_TEXT = 16 << 10
"""Characters of each of these ends."""

MOST_LINES = {"thinking": 6, "tool_call": 4, "tool_result": 4, "error": 12, "image": 1, "raw": 4, "meta": 4}
SUMMARY_LINES = 12
_MARGIN = "  "
_LEFT_OUT = ("details", "diff")
_SUMMARIES = ("branchSummary", "compactionSummary")
_STYLES = {"thinking": "thinking", "tool_result": "result", "error": "error"}


class _TurnLines:
    """The lines of one entry, added one after the other.

    words   the folded words of the match, which is shown in any case

    :param cells: the width of a line, at least 8.
    """

    def __init__(self, cells: int, words: Sequence[str]) -> None:
        self.lines: list[DocumentLine] = []
        self.words = words
        self._cells = cells

    def add(self, text: str, style: str, prose: bool = False) -> None:
        """Add a line that fits the width."""
        self.lines.append(DocumentLine(text, style, prose))

    def head(self, who: str, style: str, when: str) -> None:
        """Add an empty line and the heading of a message."""
        self.add("", "text")
        self.wrapped(one_line(f"{who} · {when}" if when else who), style)

    def wrapped(self, text: str, style: str) -> None:
        """Add an inert line, wrapped to the width."""
        for piece in wrap(stable_width(text), self._cells):
            self.add(piece, style)

    def prose(self, text: str) -> None:
        """Add a prompt or an answer: whole, or both ends of a long one and the text around the match."""
        if len(text) <= MOST_TEXT:
            ranges = [(0, len(text))]
        else:
            ranges = [
                (0, line_end(text, END_OF_TEXT)),
                (line_begin(text, len(text) - END_OF_TEXT), len(text)),
            ]
            offset = find_words(text, self.words)
            if offset >= 0:
                ranges.insert(1, context_range(text, offset))
        self.pieces(text.rstrip() if len(text) <= MOST_TEXT else text, ranges, "text", prose=True)

    def first_lines(self, text: str, style: str, most: int, margin: str = "") -> None:
        """Add the first lines of a text, and the lines around the match."""
        text = text.strip("\n")
        ranges = [(0, end_of_first_lines(text, most))]
        offset = find_words(text, self.words)
        if offset >= ranges[0][1]:
            ranges.append(context_range(text, offset))
        self.pieces(text, ranges, style, margin)

    def pieces(
        self,
        text: str,
        ranges: Sequence[tuple[int, int]],
        style: str,
        margin: str = "",
        *,
        prose: bool = False,
    ) -> None:
        """Add ranges of a text, with counts of the text between them."""
        shown = 0
        for begin, end in sorted(ranges):
            begin = max(begin, shown)
            if begin >= end and text:
                continue
            self._left_out(text, shown, begin, margin)
            kind = LineKind()
            for paragraph in paragraphs(text[begin:end].removesuffix("\n")):
                line_style = mark_line(paragraph, kind) if prose else style
                for piece in wrap(paragraph, self._cells - len(margin)):
                    self.add(margin + piece, line_style, prose and line_style == "text")
            shown = end
        self._left_out(text, shown, len(text), margin)

    def _left_out(self, text: str, begin: int, end: int, margin: str) -> None:
        if end <= begin or (end - begin < LINE_OF_TEXT and not text[begin:end].strip()):
            return
        lines = text.count("\n", begin, end) + (not text.endswith("\n", begin, end))
        what = f"{lines:,} lines" if lines > 1 else f"{end - begin:,} characters"
        self.add(f"{margin}… {what} more"[: self._cells], "faint")

    def entry(self, raw: dict[str, Any]) -> None:
        """Add an entry, if it has text."""
        kind, message = raw.get("type"), raw.get("message")
        if kind == "message" and isinstance(message, dict):
            self._message(raw, message)
        elif kind == "compaction":
            self._summary(raw, _compaction(raw.get("tokensBefore")))
        elif kind in ("branch_summary", "branch"):
            self._summary(raw, "summary of another branch" if kind == "branch_summary" else "fork")
        elif kind == "custom_message":
            self.head(f"[{_string(raw.get('customType')) or 'custom'}]", "custom", _when(raw, raw))
            self._texts(entry_parts(raw), SUMMARY_LINES)

    def everything(self, pieces: Sequence[EntryPart]) -> None:
        """Add all parts of an entry without text that has a match."""
        for piece in pieces:
            if piece.kind != "meta":
                self.head(piece.title or "entry", "meta", "")
                self.first_lines(piece.text, "dim", MOST_LINES["raw"])

    def _message(self, raw: dict[str, Any], message: dict[str, Any]) -> None:
        role = _string(message.get("role"))
        pieces = [piece for piece in entry_parts(raw) if piece.kind not in _LEFT_OUT]
        when = _when(raw, message)
        if role == "user":
            self.head("user", "user", when)
            self._conversation(pieces)
        elif role == "assistant":
            self._answer(message, pieces, when)
        elif role == "toolResult":
            self._result(pieces)
        elif role in ("bashExecution", "pythonExecution"):
            sign = "$ " if role == "bashExecution" else ">>> "
            self.add("", "text")
            for piece in pieces:
                if piece.kind == "tool_call":
                    self.first_lines(sign + piece.text, "bash", MOST_LINES["tool_call"])
                elif piece.kind != "meta":
                    self.first_lines(
                        piece.text, _STYLES.get(piece.kind, "dim"), MOST_LINES["tool_result"], _MARGIN
                    )
        elif role in _SUMMARIES:
            self._summary(raw, "summary of another branch" if role == "branchSummary" else "compaction")
        else:
            name = _string(message.get("customType")) or role or "message"
            self.head(f"[{name}]", "custom" if role in ("custom", "hookMessage") else "system", when)
            self._texts(pieces, SUMMARY_LINES)

    def _answer(self, message: dict[str, Any], pieces: Sequence[EntryPart], when: str) -> None:
        has_text = any(
            piece.kind in ("text", "error", "thinking", "image") and piece.text for piece in pieces
        )
        stopped = _string(message.get("stopReason"))
        if has_text or stopped == "aborted":
            self.head("assistant", "assistant", when)
        content = message.get("content")
        blocks: Sequence[Any] = content if isinstance(content, list) else ()
        for index, piece in enumerate(pieces):
            if piece.kind == "tool_call" and index < len(blocks):
                self._call(blocks[index], piece)
            else:
                self._conversation([piece])
        if stopped == "aborted" and not any(piece.kind == "error" for piece in pieces):
            self.add("(aborted)", "error")

    def _call(self, block: dict[str, Any], piece: EntryPart) -> None:
        arguments = shortened_arguments(piece.title, raw_json(block.get("arguments")))
        line = one_line(call_line(piece.title, bytes(arguments)))
        self.wrapped(line, "call")
        if self.words and best_line([DocumentLine(line, "")], self.words) < 0:
            offset = find_words(piece.text, self.words)
            if offset >= 0:
                self.pieces(piece.text, [context_range(piece.text, offset)], "dim", _MARGIN)

    def _result(self, pieces: Sequence[EntryPart]) -> None:
        for piece in pieces:
            if piece.kind == "meta" or (not piece.text and piece.kind != "error"):
                continue
            style = _STYLES.get(piece.kind, "dim")
            begin = len(self.lines)
            self.first_lines(piece.text, style, MOST_LINES.get(piece.kind, 4), _MARGIN)
            if begin < len(self.lines):
                first = self.lines[begin]
                first.text = "└ " + first.text[len(_MARGIN) :]

    def _conversation(self, pieces: Sequence[EntryPart]) -> None:
        for piece in pieces:
            if piece.kind == "text":
                self.prose(piece.text)
            elif piece.kind == "image":
                self.wrapped(f"[image: {one_line(piece.text)}]", "dim")
            elif piece.kind != "meta" and piece.text:
                self.first_lines(piece.text, _STYLES.get(piece.kind, "dim"), MOST_LINES.get(piece.kind, 4))

    def _summary(self, raw: dict[str, Any], title: str) -> None:
        self.add("", "text")
        self.wrapped(f"── {title} ──", "compaction")
        self._texts(entry_parts(raw), SUMMARY_LINES)

    def _texts(self, pieces: Sequence[EntryPart], most: int) -> None:
        for piece in pieces:
            if piece.kind == "text" and piece.text:
                self.first_lines(piece.text, "dim", most)


class Turn:
    """The lines of one entry.

    entry_id, offset   the id of the entry, and the offset of its line in the file
    lines              empty for an entry without text, such as a change of the model
    found              the index of the line with the match, -1 for none
    """

    __slots__ = ("entry_id", "found", "lines", "offset")

    def __init__(self, entry_id: str | None, offset: int, lines: list[DocumentLine], found: int = -1) -> None:
        self.entry_id = entry_id
        self.offset = offset
        self.lines = lines
        self.found = found


class Part(NamedTuple):
    """A part of a transcript, as it is sent to the screen.

    above, below   the turns before and behind the shown ones, in the order of the path
    at_root        whether no turn precedes `above`
    at_end         whether no turn follows `below`
    first          the number on the path, from 1, of the first entry that is shown now; None if it is not
                   known
    total          the number of entries on the path; None if it is not known
    opened         whether it replaces the shown path by another. `below` then begins with the requested
                   entry, or with the last one if none was requested
    found          whether the requested entry is on the path
    followed       whether it answers a request for more at the end
    """

    above: Sequence[Turn]
    below: Sequence[Turn]
    at_root: bool
    at_end: bool
    first: int | None
    total: int | None
    opened: bool = False
    found: bool = False
    followed: bool = False


def turn(
    raw: dict[str, Any],
    entry_id: str | None,
    offset: int,
    cells: int,
    words: Sequence[str] = (),
    *,
    has_match: bool = False,
) -> Turn:
    """The lines of an entry.

    :param raw: the entry as `read_entry` gives it.
    :param cells: the width of a line, at least 8.
    :param words: the folded words of a match.
    :param has_match: whether the match is in this entry; it is then among the lines.
    """
    cells = max(8, cells)
    builder = _TurnLines(cells, words if has_match else ())
    builder.entry(raw)
    if has_match and not builder.lines:
        builder.everything(entry_parts(raw))
    found = best_line(builder.lines, words) if has_match else -1
    return Turn(entry_id, offset, builder.lines, max(found, 0) if has_match and builder.lines else -1)


def unreadable_turn(entry_id: str | None, offset: int, reason: str) -> Turn:
    """The turn of an entry that cannot be shown."""
    return Turn(entry_id, offset, [DocumentLine("", "text"), DocumentLine(one_line(reason), "error")])


def _when(raw: dict[str, Any], message: dict[str, Any]) -> str:
    """The local time of a message; "" if it has none."""
    ms = parse_time(message.get("timestamp"))
    if ms is None:
        ms = parse_time(raw.get("timestamp"))
    if ms is None:
        return ""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(ms / 1000))
    except (OverflowError, OSError, ValueError):
        return ""


def _compaction(tokens: object) -> str:
    if isinstance(tokens, int | float) and not isinstance(tokens, bool) and 0 < tokens < 1e12:
        return f"compaction of {count(int(tokens))} tokens"
    return "compaction"


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
