"""What is said in lines, as pieces for the text store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.brief import Answer, Extra, Prompt, Summed
from app.formats.folded import folded
from app.formats.kinds import ASSISTANT, CUSTOM, SUMMARY, THINKING, USER
from app.formats.skim import raw_json
from app.formats.spoken import Call, SnakeCall, lines_of, thoughts_of
from app.sessions.passages import HEADS, pack_all

if TYPE_CHECKING:
    from msgspec import Raw

    from app.formats.brief import Brief


class Heard:
    """What was heard in lines, in their order: of each text, one for each entry and kind,

    heads     the head (`pieces.HEADS`)
    offsets   where the line begins
    texts     the text, a JSON string not yet read
    """

    __slots__ = ("heads", "offsets", "texts")

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.offsets: list[int] = []
        self.texts: list[Raw] = []

    def add(self, kind: int, at: int, text: Raw) -> None:
        """A text of that kind in the line that begins at `at`."""
        self.heads.append(HEADS[kind])
        self.offsets.append(at)
        self.texts.append(text)

    def packed(self) -> bytes:
        """As a block of pieces, see `pieces`."""
        return pack_all(self.heads, self.offsets, folded(self.texts)) if self.texts else b""


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
                heard.add(THINKING, at, thought)
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
        heard.add(kind, at, said)


def _raw(text: str | None) -> Raw | None:
    return raw_json(text) if text else None
