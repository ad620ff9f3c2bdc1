"""What a tally knows between two looks at a file, as bytes for the catalog (`sessions.tally.halves`)."""

from __future__ import annotations

import msgspec
from msgspec import Struct, field

from app.formats.dialects import named
from app.formats.header import Header
from app.formats.silent import SILENT
from app.sessions.header_checks import Heads
from app.sessions.tally.halves import NONE, Halves
from app.sessions.tally.leaves import Leaves, NeedsReread

_VERSION = 6
"""To be raised when what is stored, or what it means, changes: older states are then read anew."""


class State(Struct, array_like=True):
    """The sums of a `Tally`. Without the names of its fields, which would be a third of what is stored."""

    name: str | None = None
    parent_session: str | None = None
    problems: int = 0
    lines: int = 0
    entries: int = 0
    messages: int = 0
    newest: float | int = 0
    first_message: str = ""
    last_prompt: str = ""
    first_stamp: int = 0
    leaf_id: str | None = None
    heads: Heads = field(default_factory=Heads)
    labels: dict[str, str] = field(default_factory=dict)
    tools: dict[str, None] = field(default_factory=dict)
    errors: int = 0
    images: int = 0
    input: float | int = 0
    output: float | int = 0
    cache_read: float | int = 0
    cache_write: float | int = 0
    cost: float = 0.0
    leaf_marked: bool = False
    marked_leaf: str | None = None
    shape: list[tuple[str | None, str | None]] = field(default_factory=list)


class _Stored(Struct, array_like=True):
    version: int
    header: Header
    sums: State
    leaves: bytes
    named: bytes
    models: list[tuple[str | None, str | None]]
    linear: bool
    hung: dict[str, str | None]
    only: list[str]
    skipped: bool
    told: int | None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Stored).decode


def pack_state(
    header: Header, sums: State, leaves: Leaves, models: list[tuple[str | None, str | None]]
) -> Halves:
    """The state as it is stored; none where it cannot be."""
    packed = leaves.pack()
    if packed is None:
        return NONE
    old_leaves, named, lasting = packed
    try:
        ends = leaves.silent_ends
        stored = _Stored(
            *(_VERSION, header, sums, old_leaves, named, models, leaves.linear),
            *(ends.hung, sorted(ends.only), ends.skipped, leaves.told),
        )
        return _encode(stored), lasting
    except (UnicodeEncodeError, OverflowError):
        # An id with a lone surrogate, or a number beyond 64 bits: such a file is read whole each time.
        return NONE


def unpack_state(state: Halves) -> tuple[Header, State, Leaves, list[tuple[str | None, str | None]]]:
    """What `pack_state` put together.

    :raises NeedsReread: `state` is empty, damaged, or from another version of this program.
    """
    try:
        changing, lasting = state
        stored = _decode(changing)
    except (ValueError, msgspec.MsgspecError):
        raise NeedsReread from None
    if stored.version != _VERSION:
        raise NeedsReread
    leaves = Leaves(SILENT, in_a_row=named(stored.header.dialect).linear)
    ends = leaves.silent_ends
    ends.hung, ends.only, ends.skipped = stored.hung, set(stored.only), stored.skipped
    leaves.told, leaves.tip = stored.told, stored.sums.leaf_id
    leaves.tangled = stored.told is not None
    leaves.unpack(stored.leaves, stored.named, lasting)
    leaves.go_on(stored.sums.leaf_id, linear=stored.linear)
    return stored.header, stored.sums, leaves, stored.models
