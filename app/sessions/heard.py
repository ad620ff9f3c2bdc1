"""What is said in lines, as pieces for the text store, and which tools are called (PERFORMANCE 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.brief import ANSWERS, Extra, Prompt, Summed
from app.formats.fold import fold, replacements
from app.formats.kinds import ASSISTANT, CUSTOM, SUMMARY, THINKING, USER
from app.formats.spoken import Call, SnakeCall, Text, Thought, lines_of
from app.sessions.pieces import pack_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.formats.brief import Brief

    Heard = list[tuple[int, int, str]]
    """(kind, number of the line, text)."""


def hear(entries: Sequence[Brief], numbers: Iterable[int], tools: dict[str, None]) -> Heard:
    """What those of the entries say that have the given numbers, in this order: one text for each entry and
    kind, and no empty one.

    :param tools: the names of the tools that they call are added here.
    """
    camel, snake = ANSWERS
    heard: Heard = []
    for number in numbers:
        entry = entries[number]
        message: Any = entry.message
        said = type(message)
        if entry.type != "message":
            _hear_entry(entry, number, heard)
        elif said is camel or said is snake:
            content = message.content
            if type(content) is not list:
                if content:
                    heard.append((ASSISTANT, number, content))
                continue
            text = thought = ""
            for block in content:
                kind = type(block)
                if kind is Call or kind is SnakeCall:
                    if block.name:
                        tools[block.name] = None
                elif kind is Text:
                    if block.text:
                        text = f"{text}\n{block.text}" if text else block.text
                elif kind is Thought and block.thinking:
                    thought = f"{thought}\n{block.thinking}" if thought else block.thinking
            if thought:
                heard.append((THINKING, number, thought))
            if text:
                heard.append((ASSISTANT, number, text))
        elif said is Prompt:
            if text := lines_of(message.content):
                heard.append((USER, number, text))
        elif isinstance(message, Extra):
            if text := lines_of(message.content):
                heard.append((CUSTOM, number, text))
        elif isinstance(message, Summed) and message.summary:
            heard.append((SUMMARY, number, message.summary))
    return heard


def _hear_entry(entry: Brief, number: int, heard: Heard) -> None:
    if entry.type == "custom_message":
        if text := lines_of(entry.content):
            heard.append((CUSTOM, number, text))
        return
    summary = entry.branch_summary if entry.type == "branch" else entry.summary
    if summary:
        heard.append((SUMMARY, number, summary))


def packed(heard: Heard, starts: Sequence[int]) -> bytes:
    """The pieces of what was heard, see `pieces`.

    :param starts: where each line begins in the file.
    """
    found, wide = pack_all(heard, starts)
    if found.count(b"\0") > len(heard):
        return packed(_without_nul(heard), starts)
    changes = replacements(wide) if wide else ()
    if changes is None:
        return pack_all([(kind, number, fold(text)) for kind, number, text in heard], starts)[0]
    # What is done to a text may be done to all at once: a head has no letters and no whole character.
    for before, after in changes:
        found = found.replace(before, after)
    return found.lower()


def _without_nul(heard: Heard) -> Heard:
    without = [(kind, number, text.replace("\0", "")) for kind, number, text in heard]
    return [one for one in without if one[2]]
