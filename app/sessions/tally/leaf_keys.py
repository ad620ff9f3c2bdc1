"""Ids of entries as they are stored between two looks at a file: packed (`sessions.tally.leaves`)."""

from __future__ import annotations

import zlib
from hashlib import blake2b

from app.formats.bytes_in import find
from app.sessions.tally.halves import STAMP

KEY = 4
"""So many bytes has the key of an id."""


def can_be_packed(entry_id: str) -> bool:
    """False for ids that cannot be told from what stands between two packed leaves."""
    return bool(entry_id) and "\0" not in entry_id


def packed_leaf(entry_id: str) -> bytes:
    """A leaf as it is stored: NUL id NUL."""
    return b"\0" + entry_id.encode() + b"\0"


def key_of(entry_id: str) -> bytes:
    """Four bytes for an id: the number itself for the usual eight hex digits, else a checksum."""
    if len(entry_id) == 2 * KEY:
        try:
            key = bytes.fromhex(entry_id)
        except ValueError:
            key = b""
        if len(key) == KEY:
            return key
    return zlib.crc32(entry_id.encode()).to_bytes(KEY, "big")


def keys_of(ids: list[str]) -> bytes:
    """The keys of many ids."""
    if not ids:
        return b""
    # One call for all of them, where all look as they usually do: eight letters, a LF, eight letters.
    text = "\n".join(ids)
    if text[2 * KEY :: 2 * KEY + 1] == "\n" * (len(ids) - 1) and text.count("\n") == len(ids) - 1:
        try:
            keys = bytes.fromhex(text)
        except ValueError:
            keys = b""
        if len(keys) == len(ids) * KEY:
            return keys
    return b"".join([key_of(entry_id) for entry_id in ids])


def stamped(keys: bytes) -> bytes:
    """Keys behind their stamp (`halves`)."""
    return blake2b(keys, digest_size=STAMP).digest() + keys


def holds(keys: bytes, key: bytes) -> bool:
    """Whether a key is among `keys`."""
    at = find(keys, key, 0)
    while at >= 0:
        if at % KEY == 0:
            return True
        at = find(keys, key, at + 1)
    return False
