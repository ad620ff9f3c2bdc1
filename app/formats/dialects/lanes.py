"""pi v4 "lanes": transactions of entries, usage rows and values (formats/README.md, "pi version 4").

The tip of the main branch, labels and the name are values. Only the usage rows give the cost of answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from app.formats.dialects.base import Dialect, MetadataRecord
from app.formats.json_codec import BadLine, decode
from app.formats.partial_entry import PartialEntry, partial_entry_of
from app.formats.text import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS = ("header", "entry", "usage", "value", "list")


class Lanes(Dialect):
    """pi's next format. It has been seen in a library, not yet in a user's folder: read only."""

    name = "lanes"
    migrates = False
    writing = None
    one_entry_a_line = False
    lines_are_entries = False
    name_marker = b"pi.session.name"

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The entries and facts that the transaction wrote."""
        entries: list[PartialEntry] = []
        for write in _writes(line):
            kind = write["kind"]
            if kind == "entry":
                entry = partial_entry_of(write, wrong)
                if entry.message is not None:
                    entry.message.usage = None
                entry.usage = None
                entries.append(entry)
            elif kind == "usage":
                entries.append(MetadataRecord(type="usage", usage=partial_entry_of(write, wrong).usage))
            elif kind == "value":
                entries.extend(_value(write))
        return entries

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """The entries of the transaction."""
        return [write for write in _writes(line) if write["kind"] == "entry"]

    def metadata_entries(self, line: bytes) -> list[dict[str, Any]]:
        """Labels and names as pi's version 3 has them; other values, lists and usage rows as they are."""
        return [_metadata_entry(write) for write in _writes(line) if write["kind"] not in ("header", "entry")]


def _writes(line: bytes) -> list[dict[str, Any]]:
    """The writes of a line, which is an object or an array of objects. A line with a write of an unknown kind
    is refused, because that write may change the others.
    """
    writes = _objects(line)
    if any(write.get("kind") not in _KINDS for write in writes):
        raise BadLine("neither an entry nor a value")
    return writes


def _objects(line: bytes) -> list[dict[str, Any]]:
    if line.lstrip().startswith(b"["):
        try:
            value = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            wrapped = decode(b'{"writes":' + line + b"}")
            if len(wrapped) > 1:
                raise BadLine("not a JSON array") from None
            value = wrapped["writes"]
        return [write for write in value if isinstance(write, dict)]
    return [decode(line)]


def _value(write: dict[str, Any]) -> Sequence[PartialEntry]:
    value = write.get("value") if write.get("op") != "delete" else None
    text = replace_surrogates(value) if isinstance(value, str) else None
    key = write.get("key")
    match write.get("namespace"):
        case "pi.branch.tip" if key == "main":
            return (MetadataRecord(type="leaf", target_id=text),)
        case "pi.entry.label" if isinstance(key, str):
            return (MetadataRecord(type="label", target_id=replace_surrogates(key), label=text),)
        case "pi.session.name":
            return (MetadataRecord(type="session_info", name=text),)
    return ()


# Fields of a write that are ids, numbers, or words of the format.
_OF_WRITES = frozenset(("kind", "op", "seq", "id", "type"))
_TIP, _LABEL, _NAME = "pi.branch.tip", "pi.entry.label", "pi.session.name"


def _metadata_entry(write: dict[str, Any]) -> dict[str, Any]:
    """The text of a write that is not an entry, as an entry."""
    kind = write["kind"]
    fields = {name: field for name, field in write.items() if name not in _OF_WRITES}
    space = fields.get("namespace") if kind == "value" else None
    if space in (_TIP, _LABEL, _NAME):
        del fields["namespace"]
        key, value = fields.pop("key", None), fields.pop("value", None)
        if space == _LABEL:
            kind = "label"
            fields |= {"targetId": key, "label": value}
        elif space == _NAME:
            kind = "session_info"
            fields["name"] = value
        elif key != "main":
            # The value of a tip is an id.
            fields["branch"] = key
    return fields | {"type": kind}
