"""What was said along one path of a session, entry by entry, as lines of a given width.

A prompt and an answer stand there as they were given, a tool by its one line and the beginning of what it
gave back. What is left out is counted in its place. The entry in which something was found shows the place
where it was, wherever that is.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.parts import parts
from app.formats.skim import raw_json
from app.formats.stamps import parse_time
from app.formats.text import one_line
from app.formats.tool_line import shortened_arguments, tool_line
from app.view.ages import count
from app.view.document_line import DocumentLine
from app.view.find import around, place_of
from app.view.highlight import best_line
from app.view.turn_lines import TurnLines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.parts import Part as EntryPart

MOST_LINES = {"thinking": 6, "tool_call": 4, "tool_result": 4, "error": 12, "image": 1, "raw": 4, "meta": 4}
SUMMARY_LINES = 12
_MARGIN = "  "
_NOT_SAID = ("details", "diff")
_SUMMARIES = ("branchSummary", "compactionSummary")
_STYLES = {"thinking": "thinking", "tool_result": "result", "error": "error"}


class Turn:
    """What one entry says.

    entry_id, offset   of the entry; where its line begins in the file
    lines              none for an entry that says nothing, such as a change of the model
    found              which of the lines to show for what was found in it, -1 for none
    """

    __slots__ = ("entry_id", "found", "lines", "offset")

    def __init__(self, entry_id: str | None, offset: int, lines: list[DocumentLine], found: int = -1) -> None:
        self.entry_id = entry_id
        self.offset = offset
        self.lines = lines
        self.found = found


class Part(NamedTuple):
    """A part of a transcript, on its way to the screen.

    above, below   what comes before and behind what is shown, in the order of the path
    at_root        nothing is before `above`; at_end: nothing behind `below`
    first          the number on the path, from 1, of the first entry that is shown now; None: nobody knows
    total          how many entries the path has; None: nobody knows
    opened         a path of its own: what was shown before goes. `below` begins with the entry that was
                   asked for, the last one where none was
    found          whether that entry is there
    followed       it is the answer to a request to look for more at the end
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
    asked: bool = False,
) -> Turn:
    """What an entry says.

    :param raw: as `read_entry` gives it.
    :param cells: how wide a line may be, at least 8.
    :param words: folded; what was found, if it was `asked` for this entry: then it is among the lines.
    """
    cells = max(8, cells)
    made = _Entry(cells, words if asked else ())
    made.entry(raw)
    if asked and not made.lines:
        made.everything(parts(raw))
    found = best_line(made.lines, words) if asked else -1
    return Turn(entry_id, offset, made.lines, max(found, 0) if asked and made.lines else -1)


def unread(entry_id: str | None, offset: int, reason: str) -> Turn:
    """Stands for an entry that cannot be shown."""
    return Turn(entry_id, offset, [DocumentLine("", "text"), DocumentLine(one_line(reason), "error")])


class _Entry(TurnLines):
    """Makes the lines of one entry."""

    def entry(self, raw: dict[str, Any]) -> None:
        """An entry, if it is one that says something."""
        kind, message = raw.get("type"), raw.get("message")
        if kind == "message" and isinstance(message, dict):
            self._message(raw, message)
        elif kind == "compaction":
            self._summary(raw, _compaction(raw.get("tokensBefore")))
        elif kind in ("branch_summary", "branch"):
            self._summary(raw, "summary of another branch" if kind == "branch_summary" else "fork")
        elif kind == "custom_message":
            self.head(f"[{_string(raw.get('customType')) or 'custom'}]", "custom", _when(raw, raw))
            self._texts(parts(raw), SUMMARY_LINES)

    def everything(self, pieces: Sequence[EntryPart]) -> None:
        """An entry that says nothing, in which something was found all the same."""
        for piece in pieces:
            if piece.kind != "meta":
                self.head(piece.title or "entry", "meta", "")
                self.some(piece.text, "dim", MOST_LINES["raw"])

    def _message(self, raw: dict[str, Any], message: dict[str, Any]) -> None:
        role = _string(message.get("role"))
        pieces = [piece for piece in parts(raw) if piece.kind not in _NOT_SAID]
        when = _when(raw, message)
        if role == "user":
            self.head("user", "user", when)
            self._said(pieces)
        elif role == "assistant":
            self._answer(message, pieces, when)
        elif role == "toolResult":
            self._result(pieces)
        elif role in ("bashExecution", "pythonExecution"):
            sign = "$ " if role == "bashExecution" else ">>> "
            self.add("", "text")
            for piece in pieces:
                if piece.kind == "tool_call":
                    self.some(sign + piece.text, "bash", MOST_LINES["tool_call"])
                elif piece.kind != "meta":
                    self.some(piece.text, _STYLES.get(piece.kind, "dim"), MOST_LINES["tool_result"], _MARGIN)
        elif role in _SUMMARIES:
            self._summary(raw, "summary of another branch" if role == "branchSummary" else "compaction")
        else:
            name = _string(message.get("customType")) or role or "message"
            self.head(f"[{name}]", "custom" if role in ("custom", "hookMessage") else "system", when)
            self._texts(pieces, SUMMARY_LINES)

    def _answer(self, message: dict[str, Any], pieces: Sequence[EntryPart], when: str) -> None:
        says = any(piece.kind in ("text", "error", "thinking", "image") and piece.text for piece in pieces)
        stopped = _string(message.get("stopReason"))
        if says or stopped == "aborted":
            self.head("assistant", "assistant", when)
        content = message.get("content")
        blocks: Sequence[Any] = content if isinstance(content, list) else ()
        for at, piece in enumerate(pieces):
            if piece.kind == "tool_call" and at < len(blocks):
                self._call(blocks[at], piece)
            else:
                self._said([piece])
        if stopped == "aborted" and not any(piece.kind == "error" for piece in pieces):
            self.add("(aborted)", "error")

    def _call(self, block: dict[str, Any], piece: EntryPart) -> None:
        arguments = shortened_arguments(piece.title, raw_json(block.get("arguments")))
        said = one_line(tool_line(piece.title, bytes(arguments)))
        self.wrapped(said, "call")
        if self.words and best_line([DocumentLine(said, "")], self.words) < 0:
            at = place_of(piece.text, self.words)
            if at >= 0:
                self.pieces(piece.text, [around(piece.text, at)], "dim", _MARGIN)

    def _result(self, pieces: Sequence[EntryPart]) -> None:
        for piece in pieces:
            if piece.kind == "meta" or (not piece.text and piece.kind != "error"):
                continue
            style = _STYLES.get(piece.kind, "dim")
            begin = len(self.lines)
            self.some(piece.text, style, MOST_LINES.get(piece.kind, 4), _MARGIN)
            if begin < len(self.lines):
                first = self.lines[begin]
                first.text = "└ " + first.text[len(_MARGIN) :]

    def _said(self, pieces: Sequence[EntryPart]) -> None:
        for piece in pieces:
            if piece.kind == "text":
                self.prose(piece.text)
            elif piece.kind == "image":
                self.wrapped(f"[image: {one_line(piece.text)}]", "dim")
            elif piece.kind != "meta" and piece.text:
                self.some(piece.text, _STYLES.get(piece.kind, "dim"), MOST_LINES.get(piece.kind, 4))

    def _summary(self, raw: dict[str, Any], title: str) -> None:
        self.add("", "text")
        self.wrapped(f"── {title} ──", "compaction")
        self._texts(parts(raw), SUMMARY_LINES)

    def _texts(self, pieces: Sequence[EntryPart], most: int) -> None:
        for piece in pieces:
            if piece.kind == "text" and piece.text:
                self.some(piece.text, "dim", most)


def _when(raw: dict[str, Any], message: dict[str, Any]) -> str:
    """When something was said, by the clock of this place; "" where that is not told."""
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
