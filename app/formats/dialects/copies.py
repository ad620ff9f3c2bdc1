"""Keys by which statistics recognise the copies of an entry in other sessions, whatever ids and times these
were given (formats/README.md, "Copies of entries").
"""

from __future__ import annotations

import contextlib
from _imp import source_hash  # faster than every digest of hashlib for so few bytes
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw, Struct
from xxhash import xxh3_64_digest, xxh3_64_intdigest

from app.formats.json_codec import DECODE_ERRORS, BadLine, decode

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.formats.partial_entry import PartialEntry

_LARGEST_TIME = (1 << 63) - 1


HANDED_OVER = "leafmark.handoff"
"""The custom type of leafmark's own entry in a session that was handed over from another agent
(`app.actions.handoff`).
"""
KEY_BYTES = 6
"""Bytes of a key that are kept there."""
_HANDED_WITHIN = 3
"""Lines in which that entry stands, the title line and the header among them."""


class Copies:
    """pi's family: a copied entry has the id and the time of the original. In a session that was handed over
    from another agent, leafmark's own entry has the keys of the others.
    """

    def __init__(self) -> None:
        self._lines = 0
        self._handed: dict[str, bytes] = {}

    def read(self, line: bytes) -> None:
        """Look at a line before its entries."""
        self._lines += 1
        if self._lines <= _HANDED_WITHIN and HANDED_OVER.encode() in line:
            self._handed = _keys_in(line)

    def has_no_cost(self, entry_id: str) -> bool:
        """Whether a cost of 0 stands for none, because the entry came from an agent that writes no costs."""
        return entry_id in self._handed

    def key(self, entry: PartialEntry, entry_id: str, time_ms: int) -> tuple[bytes, bool]:
        """A digest of 8 bytes that an entry of the line has in common with its copies, and whether the
        entries between the answer before it and this one are copies too if this one is.
        """
        return self._handed.get(entry_id) or key_of(entry_id, time_ms), False


def key_of(entry_id: str, time_ms: int) -> bytes:
    """The key of an entry of pi's family."""
    return source_hash(time_ms & _LARGEST_TIME, entry_id.encode("utf-8", "surrogatepass"))


def _keys_in(line: bytes) -> dict[str, bytes]:
    """The keys of entries, by their ids, in leafmark's own entry."""
    try:
        data = decode(line).get("data")
    except BadLine:
        return {}
    copies = data.get("copies") if isinstance(data, dict) else None
    keys: dict[str, bytes] = {}
    for entry_id, key in copies.items() if isinstance(copies, dict) else ():
        # a file that was damaged, or changed by hand
        with contextlib.suppress(TypeError, ValueError):
            keys[entry_id] = bytes.fromhex(key)
    return {entry_id: key for entry_id, key in keys.items() if len(key) == KEY_BYTES}


class _Message(Struct, gc=False):
    id: Any = None


class _Answer(Struct, gc=False):
    """The ids that the provider gave an answer."""

    requestId: Any = None
    message: _Message | None = None


_decode_answer: Callable[[bytes], _Answer] = msgspec.json.Decoder(_Answer).decode


class ClaudeCopies(Copies):
    """Claude Code: the lines of an answer by the id of its message, or of its request, and by their contents.
    Other entries have the id of the original, or belong to a copied answer.
    """

    def __init__(self) -> None:
        super().__init__()
        self._answer = ""

    def read(self, line: bytes) -> None:
        """Remember the id of the answer."""
        try:
            found = _decode_answer(line)
        except DECODE_ERRORS:
            found = _Answer()
        named = (found.message.id if found.message is not None else None) or found.requestId
        self._answer = named if isinstance(named, str) else ""

    def key(self, entry: PartialEntry, entry_id: str, time_ms: int) -> tuple[bytes, bool]:
        """By the id and the contents of an answer."""
        message = entry.message
        if not self._answer or message is None or message.role != "assistant":
            return super().key(entry, entry_id, 0)
        content = xxh3_64_intdigest(message.content)
        return xxh3_64_digest(self._answer.encode("utf-8", "surrogatepass"), content), True


class _Envelope(Struct, gc=False):
    payload: Raw = Raw(b"")


_decode_envelope: Callable[[bytes], _Envelope] = msgspec.json.Decoder(_Envelope).decode


class CodexCopies(Copies):
    """Codex: the contents of lines, behind the same prompts."""

    def __init__(self) -> None:
        super().__init__()
        self._payload = b""
        self._prompts = 0
        self._known: Counter[int] = Counter()

    def read(self, line: bytes) -> None:
        """Remember the contents without the time and the number of the line."""
        try:
            self._payload = bytes(_decode_envelope(line).payload) or line.strip()
        except DECODE_ERRORS:
            self._payload = line.strip()

    def key(self, entry: PartialEntry, entry_id: str, time_ms: int) -> tuple[bytes, bool]:
        """By the contents, the prompts before it, and how often the contents came since the last prompt."""
        digest = xxh3_64_intdigest(self._payload, self._prompts)
        self._known[digest] += 1
        key = xxh3_64_digest(b"%d" % self._known[digest], digest)
        if entry.message is not None and entry.message.role == "user":
            self._prompts = int.from_bytes(key)
            self._known.clear()
        return key, False
