"""Find the new leaf if a user picks an entry in the tree (pi's `/tree`).

These functions change nothing. The caller moves the leaf with `SessionManager.branch`, `reset_leaf`,
`move_leaf` or `branch_with_summary`. The last of them writes a summary below `Target.leaf_id`; the caller
makes its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.sessions.errors import UnknownEntry

if TYPE_CHECKING:
    from app.sessions.manager.entry_store import Entry
    from app.sessions.manager.session_manager import SessionManager


@dataclass(frozen=True, slots=True)
class Target:
    """The result of picking an entry.

    :param leaf_id: the new leaf, which is also the parent of a summary of the branch that is left; None
        before all entries.
    :param text: the text that is offered for editing, as written; "" for a message of images alone, None if
        the entry is not edited.
    :param images: the images of that message, as the blocks of its file.
    :param same: the entry is the leaf already.
    """

    leaf_id: str | None
    text: str | None = None
    images: tuple[dict[str, Any], ...] = ()
    same: bool = False


def target_of(session: SessionManager, entry_id: str, *, past_leaf: bool = False) -> Target:
    """Return the new leaf if the user picks an entry of `session`.

    A message of the user or of an extension is to be edited and sent again: the leaf goes to its parent
    (before all entries if that is not in the file), and its text is offered. Any other entry becomes the
    leaf.

    :param past_leaf: a message that is the leaf leads to its parent, too, as in oh-my-pi; pi does nothing.
    :raises UnknownEntry: there is no such entry.
    """
    entry = session.get_entry(entry_id)
    if entry is None:
        raise UnknownEntry(session.session_file or "", 0, f"there is no entry {entry_id!r}")
    same = entry_id == session.leaf_id
    content = None if same and not past_leaf else _editable_blocks(entry)
    if content is None:
        return Target(entry_id, same=same)
    parent = entry.parent_id
    has_parent = parent is not None and session.get_entry(parent) is not None
    blocks = [block for block in content if isinstance(block, dict)]
    texts = (block.get("text") for block in blocks if block.get("type") == "text")
    return Target(
        parent if has_parent else None,
        "".join(text for text in texts if isinstance(text, str)),
        tuple(block for block in blocks if block.get("type") == "image"),
    )


def _editable_blocks(entry: Entry) -> list[Any] | None:
    """Return the blocks of a message that is offered for editing; None for any other entry."""
    fields = entry.normalized
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
