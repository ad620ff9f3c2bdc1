"""The context that an agent builds from a session, as JSON (formats/README.md, "Context")."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from app.export.articles import prompt_title
from app.export.choice import Choice, find_id, newest_end
from app.formats.images import describe_image, image_of
from app.sessions.summaries.quick_summary import quick_title

if TYPE_CHECKING:
    from app.redact import Redactor
    from app.sessions.manager.session_manager import SessionManager

SCHEMA = 3


def chosen_end(manager: SessionManager, choice: Choice) -> str | None:
    """The id of the entry that the selected path ends at; None for the leaf, or if there are no entries.

    :raises UnknownEntry, AmbiguousEntry: of an id in `choice`.
    """
    named = choice.entry or choice.branch
    if not named:
        return None
    entries = manager.get_entries()
    found = find_id(named, (entry.id for entry in entries if entry.id), manager.session_file or "")
    entry = manager.get_entry(found)
    assert entry is not None
    if choice.branch:
        entry = newest_end(entry, lambda each: manager.get_children(each.id), lambda each: each.index)
    return entry.id


def context_document(
    manager: SessionManager, choice: Choice, redactor: Redactor | None = None
) -> dict[str, Any]:
    """The context at the selected entry, as a JSON object.

    :param redactor: redacts everything, and leaves images out unless `choice` has them; None for nothing.
    :raises UnknownEntry, AmbiguousEntry: of an id in `choice`.
    """
    end = chosen_end(manager, choice)
    context = manager.build_session_context(end)
    document: dict[str, Any] = {
        "session": {
            "agent": manager.agent,
            "session_id": manager.session_id,
            "path": manager.session_file,
            "title": "",
            "cwd": manager.header_cwd,
            "name": manager.session_name,
        },
        "entry_id": manager.leaf_id if end is None else end,
        "thinking_level": context.thinking_level,
        "model": context.model,
        "messages": context.messages,
        "problems": [{"line": problem.line, "reason": problem.reason} for problem in manager.problems],
    }
    if redactor is not None:
        redactor.at("context")
        if not choice.images:
            document = without_images(document)
        document = redactor.value(document)
    document["session"]["title"] = document["session"]["name"] or _title(manager, redactor)
    return {"schema": SCHEMA, **document}


def _title(manager: SessionManager, redactor: Redactor | None) -> str:
    """The title of a session without a name."""
    if redactor is None:
        return quick_title(manager.session_file or "", (manager.agent,))
    messages = (entry.normalized for entry in manager.get_entries() if entry.type == "message")
    return prompt_title(
        (raw for raw in messages if _role(raw) == "user"), redactor, is_typed=manager.dialect.knows_prompts
    )


def _role(raw: dict[str, Any]) -> object:
    message = raw.get("message")
    return message.get("role") if isinstance(message, dict) else None


def context_pieces(document: dict[str, Any]) -> Iterator[bytes]:
    """The document as JSON in ASCII with a newline, in pieces: a long text at once takes much memory."""
    head = {key: value for key, value in document.items() if key != "messages"}
    text = json.dumps(head, ensure_ascii=True)
    yield f'{text[:-1]}, "messages": ['.encode()
    for number, message in enumerate(document["messages"]):
        yield (",\n" if number else "\n").encode() + json.dumps(message, ensure_ascii=True).encode()
    yield b"\n]}\n"


def without_images(value: Any) -> Any:
    """A copy of a JSON value with a text in the place of each block that is an image."""
    holder = [value]
    waiting: list[tuple[Any, Any]] = [(holder, 0)]
    while waiting:
        parent, key = waiting.pop()
        item = parent[key]
        if isinstance(item, dict):
            if item.get("type") == "image":
                parent[key] = {"type": "text", "text": f"[image left out: {describe_image(image_of(item))}]"}
                continue
            fields = parent[key] = dict(item)
            waiting.extend((fields, field) for field in fields)
        elif isinstance(item, list):
            items = parent[key] = item.copy()
            waiting.extend((items, index) for index in range(len(items)))
    return holder[0]
