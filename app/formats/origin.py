"""The entry at the head of a fork that says which session it was cut from (FORMATS 1.4).

Only nickcecere/agent has such entries; the others say it in the header. Nothing hangs on one and it hangs on
nothing, so it is a leaf, but none that anybody went to: a person sees no branch there.
"""

from __future__ import annotations

from app.formats.silent import SILENT

_TYPE = "branch"
_DIALECTS = frozenset(("agent",))
_SILENT = SILENT | {_TYPE}


def is_origin(entry_type: str, dialect: str) -> bool:
    """Whether entries of that type are such."""
    return entry_type == _TYPE and dialect in _DIALECTS


def silent_in(dialect: str) -> frozenset[str]:
    """The types of entries that make no branch where nothing is said below them."""
    return _SILENT if dialect in _DIALECTS else SILENT
