"""Where the leaf goes when a user picks an entry in the tree (pi's `/tree`).

Looking a place up changes nothing: whoever moves the leaf does so afterwards, with `SessionManager.branch`,
`reset_leaf`, `move_leaf` or `branch_with_summary`. A summary is written only by the last of them, below
`Target.leaf_id`. Nothing here makes summaries, so there is nobody to hand instructions for one to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.sessions.errors import UnknownEntry

if TYPE_CHECKING:
    from app.sessions.manager.entry import Entry
    from app.sessions.manager.manager import SessionManager


@dataclass(frozen=True, slots=True)
class Target:
    """Where picking an entry leads.

    :param leaf_id: the leaf to be, which is also the parent of a summary of what is left; None before all
        entries.
    :param text: what is offered for editing, as written; "" of a message of images alone, None where the
        entry is none to edit.
    :param images: the images of that message, as the blocks of its file.
    :param same: the entry is the leaf already: there is nowhere to go.
    """

    leaf_id: str | None
    text: str | None = None
    images: tuple[dict[str, Any], ...] = ()
    same: bool = False


def target_of(session: SessionManager, entry_id: str, *, past_leaf: bool = False) -> Target:
    """Where picking an entry of `session` leads.

    A message of the user's or of an extension is to be said again in other words: the leaf goes to its
    parent (before all entries if that is nowhere in the file), and its text is offered. Any other entry
    becomes the leaf.

    :param past_leaf: a message that is the leaf leads to its parent too, as in oh-my-pi; pi does nothing.
    :raises UnknownEntry: there is no such entry.
    """
    entry = session.get_entry(entry_id)
    if entry is None:
        raise UnknownEntry(session.session_file or "", 0, f"there is no entry {entry_id!r}")
    same = entry_id == session.leaf_id
    content = None if same and not past_leaf else _editable(entry)
    if content is None:
        return Target(entry_id, same=same)
    parent = entry.parent_id
    known = parent is not None and session.get_entry(parent) is not None
    blocks = [block for block in content if isinstance(block, dict)]
    texts = (block.get("text") for block in blocks if block.get("type") == "text")
    return Target(
        parent if known else None,
        "".join(text for text in texts if isinstance(text, str)),
        tuple(block for block in blocks if block.get("type") == "image"),
    )


def _editable(entry: Entry) -> list[Any] | None:
    """The blocks of a message that is offered for editing; None of any other entry."""
    fields = entry.spelt
    if entry.type == "message":
        message = fields.get("message")
        if not isinstance(message, dict) or message.get("role") != "user":
            return None
        fields = message
    elif entry.type != "custom_message":
        return None
    content = fields.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []
