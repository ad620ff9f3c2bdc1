"""The input of a tool call as lines: its command or the content of a file as code, its edits as a diff, and
its other arguments as names and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from app.formats.edits import edit_pairs, pair_names, patch_name
from app.formats.entry_parts import Field, layout_fields
from app.formats.text import one_line
from app.view.cells import cut, stable_width, width
from app.view.code_lines import (
    LONGEST_LINE,
    DiffRow,
    code_lines,
    diff_rows,
    language_of_file,
    replaced_rows,
)
from app.view.document_line import CodeBlock, DocumentLine, inert_pieces, line_ranges, own_line
from app.view.formatting import counted
from app.view.line import cut_ranges, wrap_ranges

COMMANDS = ("command", "cmd", "code", "script")
"""Arguments that are a program to run."""
CONTENTS = ("content", "file_text", "text", "new_str")
"""Arguments that are the content of a file, beside one of `FILES`."""
FILES = ("path", "file_path", "filePath", "file", "filename", "notebook_path")


def first_of(arguments: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of these names with a text that is not empty; "" for none."""
    return next((name for name in names if isinstance(arguments.get(name), str) and arguments[name]), "")


def input_lines(
    name: str,
    arguments: Any,
    cells: int,
    *,
    draws_edits: bool = True,
    is_headed: bool = False,
    most: int | None = None,
) -> Iterator[DocumentLine]:
    """The lines of the input of a call.

    :param arguments: as the call gives them, of any type.
    :param cells: the width of a line.
    :param draws_edits: the edits are drawn; else they are shown elsewhere.
    :param is_headed: there is a line above with the command, or with the path of the file.
    :param most: the number of lines of a program or of a file; None for all.
    """
    if not isinstance(arguments, dict):
        if arguments is not None and not is_headed:
            yield from field_lines(layout_fields(arguments), cells, "result")
        return
    coded = first_of(arguments, COMMANDS) or (
        first_of(arguments, CONTENTS) if first_of(arguments, FILES) else ""
    )
    edits = edit_rows(arguments)
    drawn = {coded, *(_edit_names(arguments) if edits is not None else ())}
    rest = {key: value for key, value in arguments.items() if key not in drawn}
    if is_headed:
        rest = {} if coded else _unheaded(rest)
        command = arguments[coded] if coded in COMMANDS else ""
        if command and "\n" not in command.strip() and len(command) < cells - 24:
            coded = ""
    # A program comes before its options, and the path of a file before its content.
    if coded in COMMANDS and edits is None:
        yield from _code(arguments[coded], coded, _language(name, arguments, coded), most)
        coded = ""
    if rest:
        yield from field_lines(layout_fields(rest), cells, "result")
    if edits is not None:
        if draws_edits:
            block: CodeBlock | None = CodeBlock(_new_text(arguments), "edit")
            for row in edits:
                line = row.drawn([])
                line.block, block = block, None
                yield line
    elif coded:
        yield from _code(arguments[coded], coded, _language(name, arguments, coded), most)


def _unheaded(rest: dict[str, Any]) -> dict[str, Any]:
    """The arguments that a line with the first of them does not show, of bounded size."""
    if len(rest) == 1 and not isinstance(next(iter(rest.values())), dict | list):
        return {}
    others = [(key, value) for key, value in list(rest.items())[:50] if key not in FILES]
    return {key: value[:4_000] if isinstance(value, str) else value for key, value in others}


def _language(name: str, arguments: Mapping[str, Any], coded: str) -> str:
    if coded in CONTENTS:
        return language_of_file(arguments[first_of(arguments, FILES)])
    return "python" if coded == "code" or "python" in name.lower() else "bash"


def _code(text: str, name: str, language: str, most: int | None) -> Iterator[DocumentLine]:
    block: CodeBlock | None = CodeBlock(text, name)
    text = text.strip("\n")
    rows = text.split("\n", most) if most is not None else []
    shown = "\n".join(row[:LONGEST_LINE] for row in rows[:most]) if rows else text
    for line in code_lines(shown, language):
        yield DocumentLine(line, block, scrolls=True)
        block = None
    if most is not None and len(rows) > most:
        others = rows[most].count("\n") + 1
        yield own_line(f"… {counted(others, 'more line')} of input")


def edit_rows(arguments: Any, most: int | None = None) -> Iterator[DiffRow] | None:
    """The change that a call makes to a file, by its arguments; None if they are no edit.

    :param most: characters of each text; None for all.
    """
    if not isinstance(arguments, dict) or not _edit_names(arguments):
        return None
    return _edit_rows(arguments, most)


def _edit_rows(arguments: Mapping[str, Any], most: int | None) -> Iterator[DiffRow]:
    pairs = edit_pairs(arguments)
    for number, (old, new) in enumerate(pairs):
        if number:
            yield DiffRow("@", None, "…")
        yield from replaced_rows(old[:most], new[:most])
    if not pairs:
        yield from diff_rows(arguments[patch_name(arguments)][:most])


def _edit_names(arguments: Mapping[str, Any]) -> list[str]:
    pair = pair_names(arguments)
    if pair:
        return list(pair)
    if edit_pairs(arguments):
        return ["edits"]
    return list(filter(None, [patch_name(arguments)]))


def _new_text(arguments: Mapping[str, Any]) -> str:
    pairs = edit_pairs(arguments)
    return "\n".join(new for _, new in pairs) if pairs else str(arguments[patch_name(arguments)])


def field_lines(fields: Sequence[Field], cells: int, style: str = "text") -> Iterator[DocumentLine]:
    """The lines of arguments: a name and its value, or a text of several lines below its name.

    :param style: the style of the values.
    """
    for field in fields:
        yield from _below(field, cells, style) if field.is_below else _beside(field, cells, style)


def _lead(field: Field, cells: int) -> str:
    """The text before a value; it always leaves room for the value."""
    shown = field._replace(name=stable_width(one_line(field.name, 60)))
    lead = shown.lead
    return lead if width(lead) < cells else cut(lead.strip(), cells // 2)


def _margin(field: Field, cells: int) -> str:
    # a sign, an ellipsis and a wide character must fit behind it
    return field.margin[: min(cells // 3, cells - 4)]


def _block(field: Field) -> CodeBlock | None:
    return (
        CodeBlock(field.text, one_line(field.name, 40)) if field.is_below or field.name in COMMANDS else None
    )


def _beside(field: Field, cells: int, style: str) -> Iterator[DocumentLine]:
    lead, margin, block = _lead(field, cells), _margin(field, cells), _block(field)
    before = lead + " " if field.name else lead
    rows = inert_pieces(field.text, 0, len(field.text))
    if width(before) > cells // 2 and width(rows[0][:cells]) > cells - width(before):
        yield DocumentLine([(lead, "argument")], block, own=1)
        before, block = margin, None
    for row in rows:
        narrower = len(margin) - width(before)
        for start, stop in wrap_ranges(row, cells - width(before), narrower):
            yield DocumentLine([(before, "argument"), (row[start:stop], style)], block, own=1)
            before, block = margin, None


def _below(field: Field, cells: int, style: str) -> Iterator[DocumentLine]:
    block = _block(field)
    margin = _margin(field, cells)
    if field.name:
        yield DocumentLine([(_lead(field, cells), "argument")], block, own=1)
        block = None
    lead = margin if field.name else _lead(field, cells)
    room = cells - max(len(margin), width(lead))
    for begin, end in line_ranges(field.text):
        for line in inert_pieces(field.text, begin, end):
            for start, stop in cut_ranges(line, room):
                yield DocumentLine([(lead, "argument"), (line[start:stop], style)], block, own=1)
                block, lead = None, margin
