"""The entry at the head of a fork that says which session it was cut from (FORMATS 1.4).

Only nickcecere/agent has such entries; the others say it in the header. Nothing hangs on one and it hangs on
nothing, so it is a leaf, but none that anybody went to: a person sees no branch there.
"""

from __future__ import annotations

_TYPE = "branch"
_DIALECTS = frozenset(("agent",))


def is_origin(entry_type: str, dialect: str) -> bool:
    """Whether entries of that type are such."""
    return entry_type == _TYPE and dialect in _DIALECTS


def branch_count(leaf_count: int, dialect: str, parent_session: str | None) -> int:
    """How many branches a person sees in a session.

    :param leaf_count: entries that no entry names as its parent, see `sessions.summary`.
    :param parent_session: what the session was cut from.
    """
    has_origin = dialect in _DIALECTS and parent_session is not None
    return leaf_count - 1 if has_origin and leaf_count > 1 else leaf_count
