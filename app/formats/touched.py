"""Which files the tools of answers read and changed, as pi tells it in its summaries (pi 0.87.1).

pi looks at calls of `read`, `write` and `edit` alone, whatever came of them: a file that was changed is
not one that was only read. A summary of a branch that pi made carries the lists on to the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.content import TOOL_CALLS
from app.formats.skim import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.formats.dialects.base import Dialect

_TOOLS = frozenset(("read", "write", "edit"))


class Files(NamedTuple):
    """Paths as the calls gave them, sorted; none is in both."""

    read: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()

    @property
    def details(self) -> dict[str, list[str]]:
        """As the `details` of a summary, from which pi takes them up again."""
        return {"readFiles": list(self.read), "modifiedFiles": list(self.changed)}


class Touched:
    """Collects files from one entry after the other.

    :param dialect: how their session spells what a call reads.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._read: set[str] = set()
        self._changed: set[str] = set()

    def take(self, entry: dict[str, Any]) -> None:
        """Take in an entry as pi's version 3 spells it. Raises nothing, whatever it holds."""
        if entry.get("type") == "branch_summary":
            details = entry.get("details")
            if isinstance(details, dict) and not entry.get("fromHook") and not entry.get("fromExtension"):
                self._add(details.get("readFiles"), "read")
                self._add(details.get("modifiedFiles"), "edit")
            return
        for name, arguments in calls_in(entry):
            if name in _TOOLS and isinstance(arguments, dict):
                self._add([arguments.get("path")], name)

    def files(self) -> Files:
        """What was found so far."""
        return Files(tuple(sorted(self._read - self._changed)), tuple(sorted(self._changed)))

    def _add(self, paths: Any, tool: str) -> None:
        found = self._read if tool == "read" else self._changed
        for path in paths if isinstance(paths, list) else ():
            if isinstance(path, str) and path:
                found.add(self._dialect.file_of(tool, clean(path)))
        found.discard("")


def files_of(entries: Iterable[dict[str, Any]], dialect: Dialect) -> Files:
    """The files that `entries` tell of; see `Touched`."""
    touched = Touched(dialect)
    for entry in entries:
        touched.take(entry)
    return touched.files()


def calls_in(entry: dict[str, Any]) -> list[tuple[str, Any]]:
    """The tool calls of an answer: names, and arguments of whatever kind; none in any other entry."""
    return [(_string(block.get("name")), block.get("arguments")) for block in call_blocks(entry)]


def call_blocks(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of an answer that call tools; none in any other entry."""
    message = entry.get("message")
    if entry.get("type") != "message" or not isinstance(message, dict) or message.get("role") != "assistant":
        return []
    content = message.get("content")
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") in TOOL_CALLS]


def _string(value: Any) -> str:
    return clean(value) if isinstance(value, str) else ""
