"""The title slot of omp: the first 256 bytes of a session, which may be overwritten in place.

See formats/README.md, "Titles of oh-my-pi". If there is a slot, omp reads the title only from there. A
running omp tolerates a change of these bytes because the size of the file stays the same. The slot is one
line of JSON, padded with blanks: `{"type":"title","v":1,"title":…,"source":…,"updatedAt":…,"pad":"   "}` and
a newline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.json_codec import BadLine, decode, encode
from app.formats.text import replace_surrogates, trim_name
from app.formats.timestamps import iso

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    Source = Literal["auto", "user"]

SLOT_SIZE = 256
"""Bytes of the title slot, newline included; only a line of exactly this size may be written in place."""

_KIND = "title"
_VERSION = 1
_SOURCES = (None, "auto", "user")

# C0, DEL and C1, as omp folds them, and the two separators that some programs take for a newline.
_BLANKS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " ")
_TWO_BYTES = frozenset('"\\')  # what JSON escapes, once the controls are gone


def fold_title(title: str) -> str:
    """`title` as one line that any program can store: the rule of omp for the names that it is given.

    Newlines and other controls become blanks, runs of blanks one blank, and there are none at the ends. Lone
    surrogates become U+FFFD. Everything else stays, of any length.
    """
    words = replace_surrogates(title).translate(_BLANKS).split(" ")
    return trim_name(" ".join(word for word in words if word)) or ""


def slot_line(title: str, source: Source | None, updated_ms: int) -> bytes:
    """The slot for `title`: exactly `SLOT_SIZE` bytes, the newline at the end included.

    :param title: any text; "" for none. It is folded (`fold_title`), and cut after the last code point with
        which the line fits: about 158 bytes of JSON (formats/README.md, "Titles of oh-my-pi").
    :param source: who named the session; None leaves it unsaid. omp gives a session that "user" named no
        other title by itself.
    :param updated_ms: when, in milliseconds since the epoch.
    :raises ValueError: `source` is something else.
    """
    if source not in _SOURCES:
        raise ValueError(f"a title comes from 'auto' or 'user', not from {source!r}")
    folded = fold_title(title)
    room = SLOT_SIZE - len(_line("", source, updated_ms, 0))
    kept = _fitting(folded, room)
    line = _line(folded[:kept], source, updated_ms, 0)
    return _line(folded[:kept], source, updated_ms, SLOT_SIZE - len(line))


def read_slot(line: bytes) -> str | None:
    """The title in `line`, "" where the session has none; None where the line is no title slot of omp's.

    Any length is read: whether the line may be overwritten is for its size to say.
    """
    try:
        value = decode(line)
    except BadLine:
        return None
    return replace_surrogates(value["title"]) if is_slot(value) else None


def is_slot(value: Mapping[str, Any]) -> bool:
    """Whether omp takes the object of a file's first line for its title slot; any other it refuses."""
    return (
        value.get("type") == _KIND
        and value.get("v") == _VERSION
        and value.get("v") is not True
        and all(isinstance(value.get(field), str) for field in ("title", "updatedAt", "pad"))
        and ("source" not in value or value["source"] in _SOURCES[1:])
    )


def _line(title: str, source: str | None, updated_ms: int, pad: int) -> bytes:
    slot: dict[str, object] = {"type": _KIND, "v": _VERSION, "title": title}
    if source is not None:
        slot["source"] = source
    slot |= {"updatedAt": iso(updated_ms), "pad": " " * pad}
    return encode(slot) + b"\n"


def _fitting(text: str, room: int) -> int:
    """How many of the first characters of `text` take no more than `room` bytes in a string of JSON."""
    for count, char in enumerate(text):
        room -= 2 if char in _TWO_BYTES else len(char.encode())
        if room < 0:
            return count
    return len(text)
