"""What is said in lines, as pieces for the text store (PERFORMANCE 3.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.brief import Answer, Extra, Prompt, Summed
from app.formats.folded import folded
from app.formats.kinds import ASSISTANT, CUSTOM, SUMMARY, THINKING, USER
from app.formats.skim import raw_json
from app.formats.spoken import Call, SnakeCall, lines_of, thoughts_of
from app.sessions.pieces import pack_all

if TYPE_CHECKING:
    from msgspec import Raw

    from app.formats.brief import Brief

    Heard = tuple[list[tuple[int, int]], list[Raw]]
    """(kind, where the line begins) of each text, and the texts, which are JSON strings not yet read; both in
    the order of the lines, and one for each entry and kind."""


def hear(entry: Brief, at: int, heard: Heard, called: list[str]) -> None:
    """Add what `entry` says.

    :param at: where its line begins in the file.
    :param called: the names of the tools that it calls are added here.
    """
    message = entry.message
    kind = CUSTOM
    if entry.type == "custom_message":
        said = lines_of(entry.content)
    elif entry.type != "message":
        kind = SUMMARY
        said = _raw(entry.branch_summary if entry.type == "branch" else entry.summary)
    elif isinstance(message, Answer):
        kind = ASSISTANT
        if type(message.content) is list:
            called += [block.name for block in message.content if isinstance(block, Call | SnakeCall)]
            thought = thoughts_of(message.content)
            if thought is not None:
                _add(heard, THINKING, at, thought)
        said = lines_of(message.content)
    elif isinstance(message, Prompt):
        kind = USER
        said = lines_of(message.content)
    elif isinstance(message, Extra):
        said = lines_of(message.content)
    elif isinstance(message, Summed):
        kind = SUMMARY
        said = _raw(message.summary)
    else:
        return
    if said is not None:
        _add(heard, kind, at, said)


def packed(heard: Heard) -> bytes:
    """The pieces of what was heard, see `pieces`."""
    places, texts = heard
    return pack_all(places, folded(texts)) if texts else b""


def _add(heard: Heard, kind: int, at: int, said: Raw) -> None:
    places, texts = heard
    places.append((kind, at))
    texts.append(said)


def _raw(text: str | None) -> Raw | None:
    return raw_json(text) if text else None
