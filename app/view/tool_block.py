"""The call of a tool and its result as one block: a line, which unfolds to input and output."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from app.formats.edits import PAIRS, is_diff
from app.formats.entry_parts import Part, content_parts
from app.formats.json_codec import raw_json
from app.formats.nested_calls import NestedCall
from app.formats.text import inert, one_line
from app.formats.tool_calls import call_line, shortened_arguments
from app.view.cells import stable_width
from app.view.code_lines import LONGEST_LINE, DiffRow, changed_counts, diff_rows
from app.view.document_line import DocumentLine, own_line
from app.view.formatting import counted
from app.view.line import Line
from app.view.tool_input import COMMANDS, CONTENTS, FILES, edit_rows, first_of, input_lines
from app.view.transcript_block import FOLDED, SHORT, Block, fold_head

SHORT_LINES = 12
"""Lines of an unfolded block before its rest is asked for."""
INPUT_LINES = 6
"""Lines of these that the input takes while there is output."""
FULL_LINES = 2_000
"""Lines of a block that is unfolded whole."""
MOST_DIFF = 200_000
"""Characters of a diff, or of the texts of an edit, that are compared."""
BAR: Line = [("    ", "text"), ("│ ", "border")]
_EXIT = re.compile(r"exit(?:ed)?(?: with)?(?: code| status)?:? (\d{1,3})\b", re.IGNORECASE)
_SEARCHES = ("grep", "find", "glob", "rg", "search")


class Result(NamedTuple):
    """The result of a call.

    raw        the entry with it
    duration   milliseconds from the call to the result; None if it is not known
    is_kept    whether the session has the output
    """

    raw: Mapping[str, Any]
    duration: int | None = None
    is_kept: bool = True


def nested_result(call: NestedCall) -> Result:
    """The result of a call that a tool made: the session has only its end and its duration."""
    content = [{"type": "text", "text": call.text}] if call.text else []
    message = {"role": "toolResult", "isError": call.failed, "content": content}
    return Result({"type": "message", "message": message}, call.duration, is_kept=bool(call.text))


def tool_block(
    name: str,
    arguments: Any,
    result: Result | None,
    cells: int,
    *,
    full: bool,
) -> Block:
    """The block of a call.

    :param arguments: as the call gives them, of any type; None if only the result is known.
    :param result: None if there is none yet.
    :param cells: the width of a line.
    :param full: all of it is shown, up to `FULL_LINES`.
    """
    most = FULL_LINES if full else SHORT_LINES
    room = max(8, cells - 4)
    facts = tool_facts(name, arguments, result, MOST_DIFF)
    diff, output, failed = facts.diff, facts.output, facts.failed
    if diff:
        body, more = [row.drawn([]) for row in diff[:most]], max(0, len(diff) - most)
    else:
        most_input, more = INPUT_LINES if output and not full else most, 0
        rest = input_lines(name, arguments, room - 2, is_headed=True, most=most_input)
        body = list(islice(rest, most_input + 1))
        if next(rest, None) is not None:
            body.append(own_line("… more input"))
    is_tail = False
    if output.strip():
        left = max(most - len(body), 4)
        rows, hidden = window(output, left, tail=failed and not full)
        if body and rows:
            body.append(own_line("─" * min(room, 12), "border"))
        style = "text" if failed else "result"
        body += [DocumentLine([(row, style)] if row else [], scrolls=True) for row in rows]
        more += hidden
        is_tail = failed and not full and hidden > 0
    body += [own_line(f"[image: {one_line(part.text)}]") for part in facts.images]
    lines = [barred(line) for line in body]
    shown_name = stable_width(one_line(name or "tool", 40))
    head, open_head = fold_head(shown_name, "call", argument_of(name, arguments), facts.right)
    code = "".join(_code_of(arguments)[:1])
    text = "\n".join(filter(None, (input_text(name, arguments), output if output.strip() else "")))
    return Block(
        "tool",
        lines,
        head=head,
        open_head=open_head,
        state=SHORT if full or failed or diff else FOLDED,
        more=more,
        is_tail=is_tail,
        text=text,
        codes=[code] if code else [],
        brief=_brief(shown_name, arguments, diff),
        has_failed=failed,
    )


def _brief(name: str, arguments: Any, diff: Sequence[DiffRow]) -> str:
    """A call in a few words: its name, the name of its file, and the lines that it adds and removes."""
    words = [name]
    key = first_of(arguments, FILES) if isinstance(arguments, dict) else ""
    if key:
        words.append(stable_width(one_line(os.path.basename(arguments[key].rstrip("/")), 40)))
    if diff:
        added, removed = changed_counts(diff)
        words.append(f"+{added:,} −{removed:,}")
    return " ".join(filter(None, words))


class ToolFacts(NamedTuple):
    """The content of the result of a call.

    diff     the change to a file; empty for none
    output   its text; "" if the diff shows the same
    images   the parts that are images
    failed   whether the call failed
    right    the end of its line: how much it changed or gave back, how it failed, how long it took
    """

    diff: Sequence[DiffRow]
    output: str
    images: Sequence[Part]
    failed: bool
    right: Line


def tool_facts(name: str, arguments: Any, result: Result | None, most: int | None = None) -> ToolFacts:
    """The content of the result of a call.

    :param arguments, result: those of `tool_block`.
    :param most: characters of a diff, or of the texts of an edit, that are compared; None for all.
    """
    parts = _output(result)
    output = "\n".join(part.text for part in parts if part.kind in ("text", "tool_result", "error", "raw"))
    images = [part for part in parts if part.kind == "image"]
    failed = result is not None and _message(result).get("isError") is True
    diff = _diff(arguments, parts, output, most)
    right = _right(name, result, parts, output, diff, failed)
    if diff and not failed and not images:
        output = ""
    return ToolFacts(diff, output, images, failed, right)


def window(text: str, most: int, *, tail: bool = False) -> tuple[list[str], int]:
    """The first lines of a text, or its last ones, inert and cut; and how many others there are."""
    text = text.strip("\n")
    total = text.count("\n") + 1 if text else 0
    if tail:
        lines = text[-most * LONGEST_LINE :].split("\n")[-most:]
    else:
        lines = text[: most * LONGEST_LINE].split("\n")[:most]
    rows = [stable_width(inert(line[:LONGEST_LINE].rstrip("\r"))).replace("\n", " ") for line in lines]
    return rows, max(0, total - len(rows))


def argument_of(name: str, arguments: Any) -> str:
    """The arguments of a call in one inert line."""
    if arguments is None or arguments == {}:
        return ""
    if isinstance(arguments, dict):
        command = first_of(arguments, COMMANDS)
        if command:
            return stable_width(one_line(arguments[command]))
    line = call_line(name, shortened_arguments(name, raw_json(arguments)))
    shown = line[len(name) + 3 : -1] if line.startswith(f"[{name}: ") else ""
    if isinstance(arguments, dict) and shown.startswith("{"):
        texts = [value for value in arguments.values() if isinstance(value, str) and value.strip()]
        path = first_of(arguments, FILES)
        shown = arguments[path] if path else (texts[0][:400] if texts else shown)
    return stable_width(one_line(shown))


def input_text(name: str, arguments: Any) -> str:
    """The input of a call as text."""
    if isinstance(arguments, dict):
        texts = _code_of(arguments)
        if texts:
            return texts[0]
    return argument_of(name, arguments)


def _code_of(arguments: Any) -> list[str]:
    if not isinstance(arguments, dict):
        return []
    found = [
        arguments[key]
        for key in (*COMMANDS, *CONTENTS, *PAIRS.values())
        if isinstance(arguments.get(key), str)
    ]
    return [text for text in found if text]


def _message(result: Result) -> Mapping[str, Any]:
    message = result.raw.get("message")
    return message if isinstance(message, dict) else {}


def _output(result: Result | None) -> list[Part]:
    if result is None:
        return []
    return content_parts(dict(result.raw))


def _diff(arguments: Any, parts: Sequence[Part], output: str, most: int | None) -> list[DiffRow]:
    """The change that the call makes to a file; empty for none."""
    for part in parts:
        if part.kind == "diff" and part.text:
            return list(diff_rows(part.text[:most]))
    edits = edit_rows(arguments, most)
    if edits is not None:
        return list(edits)
    return list(diff_rows(output[:most])) if is_diff(output) else []


def barred(line: DocumentLine) -> DocumentLine:
    """The line behind the bar of an unfolded block."""
    line.spans = [*BAR, *line.spans]
    line.own += len(BAR)
    return line


def _right(
    name: str,
    result: Result | None,
    parts: Sequence[Part],
    output: str,
    diff: Sequence[DiffRow],
    failed: bool,
) -> Line:
    if result is None:
        return []
    facts: list[str] = []
    right: Line = []
    if failed:
        right.append(("× ", "error"))
        facts.append(_failure(result, output))
    elif diff:
        added, removed = changed_counts(diff)
        return [(f"+{added:,}", "added"), (" ", "text"), (f"−{removed:,}", "removed")]
    elif result.is_kept:
        facts.append(_size(name, output, parts))
    if result.duration is not None and result.duration >= 1_000:
        facts.append(f"{result.duration / 1_000:.1f} s" if result.duration < 600_000 else "over 10 min")
    return [*right, (" · ".join(filter(None, facts)), "error" if failed else "dim")]


def _failure(result: Result, output: str) -> str:
    details = _message(result).get("details")
    code = details.get("exitCode") if isinstance(details, dict) else None
    if isinstance(code, int) and not isinstance(code, bool):
        return f"exit {code}"
    match = _EXIT.search(output[-300:])
    return f"exit {match[1]}" if match is not None else "failed"


def _size(name: str, output: str, parts: Sequence[Part]) -> str:
    text = output.strip("\n")
    if not text:
        return "image" if any(part.kind == "image" for part in parts) else "no output"
    lines = text.count("\n") + 1
    return counted(lines, "match", "matches") if name.lower() in _SEARCHES else counted(lines, "line")
