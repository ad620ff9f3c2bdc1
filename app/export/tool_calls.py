"""The calls of tools in a document: each in one line, with its input, its edit as a diff, and its result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from app.export.choice import SHORT
from app.export.clean_text import clean_line, clean_text
from app.formats.edits import MOST_EDITS, edit_pairs, pair_names, patch_name
from app.formats.entry_parts import Part, fields_text, layout_fields
from app.formats.nested_calls import nested_calls
from app.view.code_lines import DiffRow, changed_counts, language_of_file
from app.view.formatting import counted
from app.view.line import plain_text
from app.view.tool_block import Result, argument_of, nested_result, tool_facts
from app.view.tool_input import COMMANDS, CONTENTS, FILES, first_of

SHORT_LINES = 12
"""Lines of a tool's input and output that `SHORT` keeps."""
SHORT_CHARACTERS = 1_200
LONGEST_HEAD = 120
"""Characters of a command or of a path that its line shows whole, and that need not be repeated below it."""
_LONGEST_ARGUMENT = 300
_HEADS = {"read": ("offset", "limit"), "grep": ("pattern",), "find": ("pattern",)}
"""Arguments besides the path that the lines of these tools show."""


class Code(NamedTuple):
    """A text in a fixed pitch.

    :param language: Pygments' name of it; "" for none.
    """

    text: str
    language: str = ""


class Picture(NamedTuple):
    """An image of a session.

    :param words: its description, or why it is not shown.
    :param content: its type, which browsers draw, and its bytes; None if it is not shown.
    """

    words: str
    content: tuple[str, bytes] | None = None


class ToolCall(NamedTuple):
    """A call with its result, redacted and clean.

    :param name, argument: its line; "" for no argument.
    :param facts: the end of its line: how much it gave back, how it failed, how long it took; "" for none.
    :param changed: how many lines its edit adds and removes; None for no edit.
    :param input: what of the input its line does not show.
    :param diff: the lines of its edit; ``more`` tells how many were left out.
    :param output: the text of the result; "" if there is none.
    :param images: those of the result.
    :param failed: the call failed.
    :param number: the number of the entry with the result; 0 if there is none, or if it is an article.
    :param label: of that entry; "" for none.
    :param nested: the calls that the tool made itself.
    """

    name: str
    argument: str
    facts: str
    changed: tuple[int, int] | None
    input: Sequence[Code]
    diff: Sequence[DiffRow]
    more: int
    output: str
    images: Sequence[Picture]
    failed: bool
    number: int = 0
    label: str = ""
    nested: Sequence[ToolCall] = ()

    @property
    def line(self) -> str:
        """The call in one line."""
        return f"{self.name} {self.argument}".rstrip()

    @property
    def is_open(self) -> bool:
        """Whether it is shown unfolded."""
        return self.failed or bool(self.diff)


def tool_call(
    name: str, arguments: Any, result: Result | None, tools: str, picture: Callable[[Part], Picture]
) -> ToolCall:
    """A call with its result.

    :param arguments: as the call gives them, of any type; None if only the result is known.
    :param result: redacted; None if there is none.
    :param tools: one of `choice.TOOLS`.
    :param picture: makes the image of a part.
    """
    is_short = tools == SHORT
    facts = tool_facts(name, arguments, result)
    diff = list(facts.diff)
    shown = diff[:SHORT_LINES] if is_short else diff
    output = clean_text(facts.output.strip("\n")) if facts.output.strip() else ""
    nested = nested_calls(dict(result.raw)) if result is not None else ()
    return ToolCall(
        clean_line(name, 60) or "tool",
        clean_line(argument_of(name, arguments), _LONGEST_ARGUMENT),
        "" if diff and not facts.failed else clean_line(plain_text(facts.right), 60),
        changed_counts(diff) if diff else None,
        [
            code._replace(text=shortened(code.text) if is_short else code.text)
            for code in _input(name, arguments, is_edit=bool(diff))
        ],
        shown,
        len(diff) - len(shown),
        shortened(output) if is_short else output,
        [picture(part) for part in facts.images],
        facts.failed,
        nested=[tool_call(call.name, call.arguments, nested_result(call), tools, picture) for call in nested],
    )


def _input(name: str, arguments: Any, *, is_edit: bool) -> list[Code]:
    """The part of the arguments that the line of the call does not show.

    :param is_edit: the texts of an edit are shown as a diff.
    """
    if not isinstance(arguments, dict):
        text = "" if arguments is None else clean_text(fields_text(layout_fields(arguments)))
        return [Code(text)] if len(text) > LONGEST_HEAD else []
    codes = []
    drawn = _edit_names(arguments) if is_edit else set()
    command, file = first_of(arguments, COMMANDS), first_of(arguments, FILES)
    content = first_of(arguments, CONTENTS) if file else ""
    if command and command not in drawn:
        drawn.add(command)
        if not _is_in_head(arguments[command]):
            is_python = command == "code" or "python" in name.lower()
            codes.append(Code(clean_text(arguments[command].strip("\n")), "python" if is_python else "bash"))
    elif file and _is_in_head(arguments[file]):
        drawn.add(file)
    if not command:
        drawn |= {key for key in _HEADS.get(name.lower(), ()) if _is_in_head(arguments.get(key))}
    if content and content not in drawn:
        drawn.add(content)
        codes.append(Code(clean_text(arguments[content].strip("\n")), language_of_file(arguments[file])))
    rest = {key: value for key, value in arguments.items() if key not in drawn}
    if len(rest) == 1 == len(arguments) and _is_in_head(next(iter(rest.values()))):
        rest = {}
    if rest:
        codes.insert(0, Code(clean_text(fields_text(layout_fields(rest)))))
    return codes


def _edit_names(arguments: Mapping[str, Any]) -> set[str]:
    pair = pair_names(arguments)
    if pair or edit_pairs(arguments):
        edits = arguments.get("edits")
        has_all = not isinstance(edits, list) or len(edits) <= MOST_EDITS
        return {*(pair or ()), *(["edits"] if has_all else [])}
    return {patch_name(arguments)}


def _is_in_head(value: Any) -> bool:
    return not isinstance(value, dict | list) and len(str(value)) <= LONGEST_HEAD and "\n" not in str(value)


def shortened(text: str) -> str:
    """The first lines of a text, and how many others there are."""
    lines = text.split("\n")
    kept = "\n".join(lines[:SHORT_LINES])[:SHORT_CHARACTERS]
    if len(kept) == len(text):
        return text
    more = len(lines) - kept.count("\n") - 1
    return f"{kept}\n… {counted(more, 'more line')}" if more > 1 else f"{kept} …"
