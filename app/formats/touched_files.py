"""The files that a tool call reads, writes, edits, moves or removes, by its arguments and its result.

Only tools for files are looked at, and patches: what a command of a shell does to files is not guessed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.edits import DIFF_HEADS, changed_lines
from app.formats.text import replace_surrogates, string_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from app.formats.dialects.base import Dialect

READ, WRITE, EDIT, MOVE, REMOVE = KINDS = ("read", "write", "edit", "move", "remove")
"""How a file is touched. A moved file is two touches: its old path, and then its new one with the lines."""

LONGEST_PATH = 4_096
"""Characters; a longer text is no path."""

_PATHS = ("path", "file_path", "filePath", "file", "filename", "notebook_path")
_CONTENTS = ("content", "file_text", "contents")
_COMMANDS = ("command", "cmd", "script", "code")
_FOLDERS = ("workdir", "working_directory", "cwd")
_TOOLS = {"read": READ, "write": WRITE, "edit": EDIT, "multi_edit": EDIT, "multiedit": EDIT}
_PATCH_TOOL = "apply_patch"
_COMMAND = re.compile(
    r"(?:\bcd\s+(?P<quote>['\"]?)(?P<folder>[^'\"\s;&|]+)(?P=quote)\s*&&\s*)?\bapply_?patch\b[^\n]*\n?"
    r"(?=\s*\*\*\* Begin Patch)"
)
"""A patch in a command, as Codex itself reads it: behind `apply_patch`, and behind `cd` to a folder."""
_BEGIN = "*** Begin Patch"
_FILE = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE_TO = re.compile(r"\*\*\* Move to: (.+)")
_SECTION = re.compile(r"\[(.+)#[0-9A-Za-z]{1,8}\]\s*")
"""The head of the changes to one file in oh-my-pi's patches by line numbers."""
_SECTION_MOVE = re.compile(r"MV (.+)")
_REFUSED = re.compile(r"\s*(?:apply_patch verification failed|patch rejected|apply_patch handler received)")
"""How the result begins of a patch that Codex did not apply: it has no exit code."""


class Touch(NamedTuple):
    """A file as a call names it, one of `KINDS`, and the numbers of lines that are added and removed, as far
    as they are known.
    """

    path: str
    kind: str
    added: int = 0
    removed: int = 0


def touches_of_call(name: str, arguments: Any, dialect: Dialect) -> list[Touch]:
    """The files that a call touches if it does not fail. Raises nothing, whatever the arguments are."""
    if not isinstance(arguments, dict):
        return []
    tool, given = dialect.file_call(name, arguments)
    kind = _TOOLS.get(tool)
    if kind is None:
        found = list(_patched(tool, arguments))
    else:
        path = given if isinstance(given, str) and given else _first(arguments, _PATHS)
        found = list(_by_arguments(kind, path, arguments))
        tool = READ if kind == READ else tool
    touches = []
    for touch in found:
        path = dialect.file_path(tool, replace_surrogates(touch.path))
        if is_path(path):
            touches.append(touch._replace(path=path))
    return touches


def is_path(path: str) -> bool:
    """Whether a text can be the path of a file."""
    return 0 < len(path) <= LONGEST_PATH and "\0" not in path and not path.isspace()


def touches_of_result(message: Mapping[str, Any], touches: Sequence[Touch]) -> list[Touch]:
    """The files that a call touched, as its result tells; none if it failed.

    :param message: the result, in the spelling of pi's version 3.
    :param touches: those of `touches_of_call`.
    """
    if message.get("isError") is True or _REFUSED.match(_beginning(message.get("content"))):
        return []
    details = message.get("details")
    if not isinstance(details, dict) or not touches or touches[0].kind == READ:
        return list(touches)
    files = details.get("perFileResults")
    if isinstance(files, list) and files:
        # oh-my-pi tells of each file, and some of them may have failed.
        dicts = [file for file in files if isinstance(file, dict)]
        return [touch for file in dicts if file.get("isError") is not True for touch in _told(file, "")]
    if len(touches) == 1 and isinstance(details.get("diff"), str):
        return list(_told(details, touches[0].path, touches[0].kind))
    return list(touches)


def _told(details: Mapping[str, Any], path: str, kind: str = EDIT) -> Iterator[Touch]:
    """The touches of a file that the details of a result tell of.

    :param path: of the file if the call names it; "" for the one in the details.
    """
    path = path or string_of(details.get("path"))
    target, source = string_of(details.get("move")), string_of(details.get("sourcePath"))
    added, removed = _counts(string_of(details.get("diff")))
    operation = details.get("op")
    kind = {"create": WRITE, "delete": REMOVE}.get(operation, kind) if isinstance(operation, str) else kind
    paths = [(source or path, MOVE), (target, MOVE)] if target else [(path, kind)]
    for number, (each, how) in enumerate(paths):
        if is_path(each):
            is_last = number == len(paths) - 1
            yield Touch(replace_surrogates(each), how, *((added, removed) if is_last else (0, 0)))


def _by_arguments(kind: str, path: str, arguments: Mapping[str, Any]) -> Iterator[Touch]:
    if kind == EDIT:
        patch = _first(arguments, ("input", "_input", "patch"))
        if patch and not path:
            yield from _sections(patch)
            return
        edits = arguments.get("edits")
        for edit in (arguments, *(edits if isinstance(edits, list) else ())):
            if not isinstance(edit, dict):
                continue
            target = string_of(edit.get("rename"))
            if edit.get("op") == "delete":
                yield Touch(path, REMOVE)
                return
            if edit.get("op") == "create":
                text = string_of(edit.get("diff"))
                yield Touch(path, WRITE, _line_count(text))
                return
            if target:
                yield Touch(path, MOVE)
                yield Touch(target, MOVE, *_counts(string_of(edit.get("diff"))))
                return
        yield Touch(path, EDIT, *changed_lines(arguments))
    elif kind == WRITE:
        yield Touch(path, WRITE, _line_count(_first(arguments, _CONTENTS)))
    else:
        yield Touch(path, READ)


def _patched(tool: str, arguments: Mapping[str, Any]) -> Iterator[Touch]:
    """The files of a patch that a tool, or a command of a shell, applies."""
    if tool == _PATCH_TOOL:
        texts = [text for text in arguments.values() if isinstance(text, str) and _BEGIN in text]
        yield from _sections(texts[0]) if texts else ()
        return
    action = arguments.get("action")
    for fields in (arguments, action if isinstance(action, dict) else {}):
        for name in _COMMANDS:
            command = fields.get(name)
            if isinstance(command, list):
                command = "\n".join(word for word in command if isinstance(word, str))
            if not isinstance(command, str) or _BEGIN not in command:
                continue
            match = _COMMAND.search(command)
            if match is not None:
                folders = [string_of(fields.get(each)) for each in _FOLDERS] + [match["folder"] or ""]
                folder = "".join(f"{each}/" for each in folders if each)
                for touch in _sections(command[match.end() :]):
                    is_absolute = touch.path.startswith(("/", "~"))
                    yield touch if is_absolute else touch._replace(path=folder + touch.path)
                return


def _sections(patch: str) -> Iterator[Touch]:
    """The files of a patch in the format of `apply_patch`, or in oh-my-pi's own with line numbers."""
    path, target, kind = "", "", EDIT
    added = removed = 0

    def ended() -> Iterator[Touch]:
        if path and target:
            yield Touch(path, MOVE)
        if path:
            yield Touch(target or path, MOVE if target else kind, added, removed)

    for line in patch.split("\n"):
        file = _FILE.fullmatch(line.rstrip("\r"))
        section = _SECTION.fullmatch(line)
        if file is not None or section is not None:
            yield from ended()
            path, target, kind = (file[2].strip() if file else section[1] if section else ""), "", EDIT
            added = removed = 0
            if file is not None:
                kind = {"Add": WRITE, "Delete": REMOVE}.get(file[1], EDIT)
        elif line.startswith("*** End Patch"):
            break
        elif (move := _MOVE_TO.fullmatch(line) or _SECTION_MOVE.fullmatch(line)) is not None:
            target = move[1].strip()
        elif line.strip() == "REM":
            kind = REMOVE
        else:
            added += line.startswith("+")
            removed += line.startswith("-")
    yield from ended()


def _first(arguments: Mapping[str, Any], names: Sequence[str]) -> str:
    return next(filter(None, (string_of(arguments.get(name)) for name in names)), "")


def _line_count(text: str) -> int:
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def _counts(diff: str) -> tuple[int, int]:
    """The lines that a diff adds and removes."""
    signs = [line[:1] for line in diff.split("\n") if not line.startswith(DIFF_HEADS)]
    return signs.count("+"), signs.count("-")


def _beginning(content: Any) -> str:
    """The beginning of the first text of a result."""
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            return str(block["text"][:100])
    return ""
