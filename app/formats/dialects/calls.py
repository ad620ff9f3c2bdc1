"""Calls of the tools that two agents have in common (read, write, edit, bash, grep, find and ls), in pi's
spelling and back (formats/README.md, "Sessions handed over").

Each function takes the name and the arguments of a call and returns both in the other spelling. A call of
another tool, or one whose arguments have another shape, is returned as it is. An argument that the other
tool does not have stays.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping

Call = tuple[str, dict[str, Any]]

_CLAUDE_NAMES = {
    "Read": "read",
    "Write": "write",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Bash": "bash",
    "Grep": "grep",
    "Glob": "find",
    "LS": "ls",
}
_CLAUDE_ARGUMENTS = {
    "Read": {"file_path": "path"},
    "Write": {"file_path": "path"},
    "Grep": {"-i": "ignoreCase", "-C": "context", "head_limit": "limit"},
}
_CODEX_SHELLS = frozenset(("exec_command", "shell", "shell_command", "local_shell"))
_CODEX_ARGUMENTS = {"cmd": "command", "workdir": "cwd", "working_directory": "cwd", "timeout_ms": "timeout"}
_SHELL = re.compile(r"(?:.*/)?(?:ba|z|da)?sh\Z")
_SHELL_FLAGS = ("-c", "-lc")
_LINES = re.compile(r"(.+):(\d+)(?:\+(\d+)|-(\d+)?)\Z", re.DOTALL)
"""oh-my-pi's path with lines behind it: `a.py:5+10`, `a.py:5-9` or `a.py:5-`."""
_PATTERN = re.compile(r"[*?\[{]")


def claude_call(name: str, arguments: dict[str, Any]) -> Call:
    """A call of Claude Code, as pi spells it."""
    if name not in _CLAUDE_NAMES:
        return name, arguments
    known = _CLAUDE_NAMES[name]
    if known == "edit":
        return known, _with_edits(_renamed(arguments, {"file_path": "path"}))
    return known, _in_seconds(name, _renamed(arguments, _CLAUDE_ARGUMENTS.get(name, {})))


def _in_seconds(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a command of Claude Code, whose timeout is in milliseconds."""
    timeout = arguments.get("timeout")
    if name != "Bash" or not _is_number(timeout):
        return arguments
    return {**arguments, "timeout": _seconds(timeout)}


def codex_call(name: str, arguments: dict[str, Any]) -> Call:
    """A call of Codex, as pi spells it: commands of the shell; Codex has no other of these tools."""
    if name not in _CODEX_SHELLS:
        return name, arguments
    renamed = _renamed(arguments, _CODEX_ARGUMENTS)
    command = renamed.get("command")
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        is_line = len(command) == 3 and _SHELL.match(command[0]) and command[1] in _SHELL_FLAGS
        command = command[2] if is_line else shlex.join(command)
    if not isinstance(command, str):
        return name, arguments
    timeout = renamed.get("timeout")
    return "bash", {
        **renamed,
        "command": command,
        **({"timeout": _seconds(timeout)} if _is_number(timeout) else {}),
    }


def omp_call(name: str, arguments: dict[str, Any]) -> Call:
    """A call of oh-my-pi, as pi spells it."""
    path = arguments.get("path")
    if name == "read" and isinstance(path, str) and (lines := _LINES.match(path)):
        path, first, count, last = lines.groups()
        found: dict[str, Any] = {**arguments, "path": path, "offset": int(first)}
        if count or last:
            found["limit"] = int(count) if count else int(last) - int(first) + 1
        return name, found
    if name == "edit":
        return name, _with_edits(arguments)
    if name == "grep" and isinstance(arguments.get("case"), bool):
        return name, {**_without(arguments, "case"), "ignoreCase": not arguments["case"]}
    if name == "glob" and isinstance(path, str):
        place = _PATTERN.search(path)
        start = path.rfind("/", 0, place.start() if place else len(path)) + 1
        found = {"pattern": path[start:], **_without(arguments, "path")}
        return "find", found | ({"path": path[: start - 1] or "/"} if start else {})
    return name, arguments


def call_for_omp(name: str, arguments: dict[str, Any]) -> Call:
    """A call of pi, as oh-my-pi spells it."""
    path, pattern = arguments.get("path"), arguments.get("pattern")
    if name == "read" and isinstance(path, str):
        offset, limit = arguments.get("offset"), arguments.get("limit")
        if not _is_count(offset) and not _is_count(limit):
            return name, arguments
        lines = f":{offset if _is_count(offset) else 1}" + (f"+{limit}" if _is_count(limit) else "-")
        return name, {**_without(arguments, "offset", "limit"), "path": path + lines}
    if name == "edit":
        return name, _as_replacement(arguments)
    if name == "grep" and isinstance(arguments.get("ignoreCase"), bool):
        return name, {**_without(arguments, "ignoreCase"), "case": not arguments["ignoreCase"]}
    if name == "find" and isinstance(pattern, str):
        rest = _without(arguments, "path", "pattern")
        folder = f"{path.rstrip('/')}/" if isinstance(path, str) and path else ""
        return "glob", {"path": folder + pattern, **rest}
    return name, arguments


def _with_edits(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an edit with `old_string` and `new_string`, or with a list of such edits, as pi has
    them.
    """
    names = {"old_string": "oldText", "new_string": "newText"}
    edits = arguments.get("edits")
    if isinstance(edits, list):
        if not all(isinstance(edit, dict) for edit in edits):
            return arguments
        return {**arguments, "edits": [_renamed(edit, names) for edit in edits]}
    if not all(isinstance(arguments.get(name), str) for name in names):
        return arguments
    own = {name: arguments[name] for name in (*names, "replace_all") if name in arguments}
    return {**_without(arguments, *own), "edits": [_renamed(own, names)]}


def _as_replacement(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an edit of pi, as oh-my-pi's replacement, or as a list of replacements."""
    names = {"oldText": "old_string", "newText": "new_string"}
    edits = arguments.get("edits")
    if not isinstance(edits, list) or not all(isinstance(edit, dict) for edit in edits):
        return arguments
    replacements = [_renamed(edit, names) for edit in edits]
    if len(replacements) == 1:
        return {**_without(arguments, "edits"), **replacements[0]}
    return {**arguments, "edits": replacements}


def _renamed(arguments: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in arguments.items()}


def _without(arguments: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name not in names}


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _seconds(milliseconds: float) -> float:
    seconds = milliseconds / 1_000
    return int(seconds) if seconds == int(seconds) else seconds
