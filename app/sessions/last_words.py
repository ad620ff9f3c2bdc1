"""The last words of a session: the question that it asks the user, its error, or the tool call at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.json_codec import raw_json
from app.formats.text import one_line, valid_string_of
from app.formats.tool_calls import call_blocks, call_line, shortened_arguments
from app.sessions.summaries.endings import ASKS
from app.sessions.summary import FAILED, WAITING
from app.sessions.tree.tree import open_end, open_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_BYTES = 64 << 20
"""Size of the largest file that is read whole, where its end does not suffice."""
_LONGEST_LINE = 64 << 10
"""Bytes of a line of which long texts are not cut."""
_LONGEST = 500
_LOOKED_AT = 8
"""Entries before the leaf among which the question is: the results of other calls may follow it."""


def last_words(path: str, agents: Sequence[str], ending: str, size: int) -> str:
    """The last words of the session at `path`, in one inert line; "" if there are none.

    :param agents: the agents whose store the file is in.
    :param ending: how the session ended (`app.sessions.summary`).
    :param size: the bytes of the file.
    :raises SessionError: the file is not a session, or changed meanwhile.
    :raises OSError: the file cannot be read.
    """
    tree = open_end(path, agents)
    if tree is None and size <= MOST_BYTES:
        tree = open_tree(path, agents)
    if tree is None or tree.leaf is None:
        return ""
    if ending in (WAITING, FAILED):
        for node in reversed(tree.active_path()[-_LOOKED_AT:]):
            if node.role == "assistant":
                message = tree.read(node, _LONGEST_LINE).get("message")
                return one_line(_question_or_error(message), _LONGEST) if isinstance(message, dict) else ""
        return ""
    nodes = [node for node in tree.active_path()[-_LOOKED_AT:] if node.type == "message"]
    calls = call_blocks(tree.read(nodes[-1], _LONGEST_LINE)) if nodes else ()
    if calls:
        name = valid_string_of(calls[-1].get("name"))
        line = call_line(name, shortened_arguments(name, raw_json(calls[-1].get("arguments"))))
        return one_line(line[1:-1].replace(": ", " ", 1), _LONGEST)
    tree.read_rows(nodes[-1:])
    text = nodes[-1].row_text if nodes else None
    return "" if text is None else text.text


def _question_or_error(message: dict[str, Any]) -> str:
    """The question of an answer that asks the user, else its error; "" if it has neither."""
    content = message.get("content")
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("name") in ASKS:
            found = _first_text(block.get("arguments"))
            if found:
                return found
    return valid_string_of(message.get("errorMessage"))


def _first_text(arguments: object) -> str:
    """The question in the arguments of a tool in `ASKS`: a text, or the first of a list, by agent."""
    if isinstance(arguments, list):
        return next(filter(None, map(_first_text, arguments)), "")
    if not isinstance(arguments, dict):
        return ""
    for name in ("question", "questions", "plan", "prompt", "message"):
        value = arguments.get(name)
        text = valid_string_of(value) if isinstance(value, str) else _first_text(value)
        if text:
            return text
    return ""
