"""Check the values of new entries, and spell their fields as pi does.

Each function takes the session that the entry is for, or its path. It raises `BadValue` for values that a
session cannot hold, and `ReadOnly` if sessions of that format are only read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from app.sessions.errors import BadValue

if TYPE_CHECKING:
    from app.sessions.manager.session_file import SessionFile

TEXT = ("a text", (str,))
NUMBER = ("a number", (int, float))
FLAG = ("True or False", (bool,))
MAPPING = ("a mapping", (Mapping,))


def check_type(path: str, wanted: tuple[str, tuple[type, ...]], **values: object) -> None:
    """Refuse values of another type that would be written to the session at `path`.

    :param wanted: the type in words, and the types of Python.
    :raises BadValue: one of `values`, by the name of its parameter, has another type.
    """
    words, types = wanted
    for name, value in values.items():
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            actual = "None" if value is None else type(value).__name__
            raise BadValue(path, 0, f"{name} has to be {words}, not {actual}")


def message_fields(file: SessionFile, message: Mapping[str, Any]) -> dict[str, Any]:
    """A message of any role."""
    check_type(file.path, MAPPING, message=message)
    role = message.get("role")
    if not isinstance(role, str) or not role:
        raise BadValue(file.path, 0, "a message has to have a role")
    return {"type": "message", "message": dict(message)}


def custom_fields(file: SessionFile, custom_type: str, data: Any) -> dict[str, Any]:
    """Data of a program that the model never sees."""
    check_type(file.path, TEXT, custom_type=custom_type)
    fields = {"type": "custom", "customType": custom_type}
    return fields if data is None else fields | {"data": data}


def custom_message_fields(
    file: SessionFile,
    custom_type: str,
    content: str | Iterable[Mapping[str, Any]],
    display: bool,
    details: Any,
) -> dict[str, Any]:
    """A message of an extension, which the model sees."""
    check_type(file.path, TEXT, custom_type=custom_type)
    check_type(file.path, FLAG, display=display)
    blocks: str | list[Any] = content if isinstance(content, str) else [*content]
    if not isinstance(blocks, str):
        for block in blocks:
            check_type(file.path, MAPPING, **{"a block of a message": block})
        blocks = [dict(block) for block in blocks]
    fields = {
        "type": "custom_message",
        "customType": custom_type,
        "content": blocks,
        "display": display,
        **file.writing.extension_fields,
    }
    return fields if details is None else fields | {"details": details}


def summary_options(file: SessionFile, summary: str, details: Any, from_hook: bool | None) -> dict[str, Any]:
    """The fields beside the summary of a compaction or of a branch, after a check of both."""
    check_type(file.path, TEXT, summary=summary)
    fields = {} if details is None else {"details": details}
    if from_hook is None:
        return fields
    check_type(file.path, FLAG, from_hook=from_hook)
    return fields | {file.writing.hook_field: from_hook}


def list_names(file: SessionFile, kind: str, names: Iterable[str]) -> list[str]:
    """Names as a list; a text is refused, though it is a sequence of texts.

    :param kind: of what, in the singular of the parameter's name.
    """
    if isinstance(names, str):
        raise BadValue(file.path, 0, f"{kind}s has to be a list of texts, not str")
    listed = [*names]
    for name in listed:
        check_type(file.path, TEXT, **{f"the name of a {kind}": name})
    return listed
