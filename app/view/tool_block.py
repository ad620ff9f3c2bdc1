"""The call of a tool and its result as one block: a line, which unfolds to input and output."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from app.formats.entry_parts import Part, entry_parts, layout_fields
from app.formats.json_codec import raw_json
from app.formats.text import inert, one_line
from app.formats.tool_calls import call_line, shortened_arguments
from app.view.cells import stable_width
from app.view.code_lines import (
    LONGEST_LINE,
    DiffRow,
    changed_counts,
    code_lines,
    diff_rows,
    language_of_file,
    replaced_rows,
)
from app.view.diff_lines import is_diff
from app.view.entry_document import PAIRS, field_lines
from app.view.line import Line
from app.view.rendered_markdown import cut_line
from app.view.transcript_block import FOLDED, SHORT, Block, BlockLine

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
_COMMANDS = ("command", "cmd", "code", "script")
_CONTENTS = ("content", "file_text", "text", "new_str")
_FILES = ("path", "file_path", "filePath", "file", "filename", "notebook_path")
_SEARCHES = ("grep", "find", "glob", "rg", "search")


class Result(NamedTuple):
    """The result of a call.

    raw        the entry with it
    duration   milliseconds from the call to the result; None if it is not known
    """

    raw: Mapping[str, Any]
    duration: int | None = None


def fold_head(
    name: str, name_style: str, text: str, right: Line, text_style: str = "dim"
) -> tuple[BlockLine, BlockLine]:
    """The heads of a folded and of an unfolded block. The texts are inert."""
    made = []
    for mark in ("▸ ", "▾ "):
        spans: Line = [("  ", "text"), (mark, "dim"), (name, name_style)]
        if text:
            spans.append(("  " + text, text_style))
        made.append(BlockLine(spans, name_style, right=right))
    return made[0], made[1]


def tool_block(
    name: str,
    arguments: Any,
    result: Result | None,
    cells: int,
    *,
    full: bool = False,
    words: Sequence[str] = (),
) -> Block:
    """The block of a call.

    :param arguments: as the call gives them, of any type; None if only the result is known.
    :param result: None if there is none yet.
    :param cells: the width of a line.
    :param full: all of it is shown, up to `FULL_LINES`.
    :param words: the folded words of a match in it, around which its text is shown.
    """
    most = FULL_LINES if full else SHORT_LINES
    room = max(8, cells - 4)
    parts = _output(result)
    output = "\n".join(part.text for part in parts if part.kind in ("text", "tool_result", "error", "raw"))
    failed = result is not None and _message(result).get("isError") is True
    diff = _diff(arguments, parts, output)
    body: list[Line] = []
    if diff:
        body += [_diff_line(row) for row in diff]
        if not failed:
            output = "" if not any(part.kind == "image" for part in parts) else output
    else:
        body += _input(name, arguments, INPUT_LINES if output and not full else most, room)
    more = 0
    if len(body) > most:
        more, body = len(body) - most, body[:most]
    is_tail = False
    if output.strip():
        left = max(most - len(body), 4)
        rows, hidden = window(output, left, tail=failed and not full)
        if body and rows:
            body.append([("─" * min(room, 12), "border")])
        body += [[(row, "text" if failed else "result")] if row else [] for row in rows]
        more += hidden
        is_tail = failed and not full and hidden > 0
    body += [[(f"[image: {one_line(part.text)}]", "dim")] for part in parts if part.kind == "image"]
    lines = [_bar_line(line, room) for line in body]
    shown_name = stable_width(one_line(name or "tool", 40))
    head, open_head = fold_head(
        shown_name, "call", argument_of(name, arguments), _right(name, result, parts, output, diff, failed)
    )
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
    )


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
        command = _first(arguments, _COMMANDS)
        if command:
            return stable_width(one_line(command))
    line = call_line(name, shortened_arguments(name, raw_json(arguments)))
    shown = line[len(name) + 3 : -1] if line.startswith(f"[{name}: ") else ""
    if isinstance(arguments, dict) and shown.startswith("{"):
        texts = [value for value in arguments.values() if isinstance(value, str) and value.strip()]
        shown = _first(arguments, _FILES) or (texts[0][:400] if texts else shown)
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
        for key in (*_COMMANDS, *_CONTENTS, *PAIRS.values())
        if isinstance(arguments.get(key), str)
    ]
    return [text for text in found if text]


def _first(arguments: Mapping[str, Any], names: Sequence[str]) -> str:
    return next(
        (arguments[name] for name in names if isinstance(arguments.get(name), str) and arguments[name]), ""
    )


def _input(name: str, arguments: Any, most: int, room: int) -> list[Line]:
    """The lines of the input that the head does not show."""
    if not isinstance(arguments, dict) or not arguments:
        return []
    command = _first(arguments, _COMMANDS)
    if command:
        if "\n" not in command.strip() and len(command) < room - 24:
            return []
        return _limited(command, "bash", most)
    path, content = _first(arguments, _FILES), _first(arguments, _CONTENTS)
    if path and content:
        return _limited(content, language_of_file(path), most)
    rest = {key: value for key, value in arguments.items() if key not in _FILES}
    if not rest or (len(arguments) == 1 and not isinstance(next(iter(arguments.values())), dict | list)):
        return []
    lines: list[Line] = []
    for line in field_lines(layout_fields(_bounded(rest)), room, "result"):
        lines.append(list(line.spans))
        if len(lines) >= most:
            break
    return lines


def _bounded(value: dict[str, Any]) -> dict[str, Any]:
    return {key: each[:4_000] if isinstance(each, str) else each for key, each in list(value.items())[:50]}


def _limited(text: str, language: str, most: int) -> list[Line]:
    rows = text.strip("\n").split("\n", most)
    is_cut = len(rows) > most
    lines = code_lines("\n".join(row[:LONGEST_LINE] for row in rows[:most]), language)
    if is_cut:
        others = rows[most].count("\n") + 1
        lines.append([(f"… {others:,} more line{'s' if others > 1 else ''} of input", "dim")])
    return lines


def _message(result: Result) -> Mapping[str, Any]:
    message = result.raw.get("message")
    return message if isinstance(message, dict) else {}


def _output(result: Result | None) -> list[Part]:
    if result is None:
        return []
    return [part for part in entry_parts(dict(result.raw)) if part.kind not in ("meta", "details")]


def _diff(arguments: Any, parts: Sequence[Part], output: str) -> list[DiffRow]:
    """The change that the call makes to a file; empty for none."""
    for part in parts:
        if part.kind == "diff" and part.text:
            return diff_rows(part.text[:MOST_DIFF])
    if isinstance(arguments, dict):
        rows = list(_pairs(arguments))
        edits = arguments.get("edits")
        for edit in edits[:100] if isinstance(edits, list) else ():
            if isinstance(edit, dict):
                rows += _pairs(edit)
        if rows:
            return rows
        patch = next((text for text in arguments.values() if isinstance(text, str) and is_diff(text)), "")
        if patch:
            return diff_rows(patch[:MOST_DIFF])
    return diff_rows(output[:MOST_DIFF]) if is_diff(output) else []


def _pairs(arguments: Mapping[str, Any]) -> list[DiffRow]:
    for old, new in PAIRS.items():
        before, after = arguments.get(old), arguments.get(new)
        if isinstance(before, str) and isinstance(after, str):
            return list(replaced_rows(before[:MOST_DIFF], after[:MOST_DIFF]))
    return []


_SIGNS = {"+": "added", "-": "removed", "@": "hunk"}


def _diff_line(row: DiffRow) -> Line:
    if row.sign == "@":
        return [(row.text, "hunk")]
    sign = "−" if row.sign == "-" else row.sign
    style = _SIGNS.get(row.sign, "result")
    number = f"{row.number:>4} " if row.number is not None else ""
    return [(number, "dim"), (f"{sign} ", style), (row.text, style)]


def _bar_line(line: Line, room: int) -> BlockLine:
    style = line[-1][1] if line else "result"
    ground = {"added": "added-ground", "removed": "removed-ground"}.get(style, "") if len(line) == 3 else ""
    return BlockLine([*BAR, *cut_line([piece for piece in line if piece[0]], room - 2)], style, ground=ground)


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
    else:
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
    what = "match" if name.lower() in _SEARCHES else "line"
    plural = {"match": "matches", "line": "lines"}[what]
    return f"{lines:,} {what if lines == 1 else plural}"
