"""A value of JSON as names and values, for people: what a tool was asked, and what an entry says besides.

A text stands as it is, over several lines if it has them; a short list stays on one line; whatever else holds
other things is opened. Nothing is left out.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

INLINE = 60
"""A list that is no longer than this as JSON, and holds nothing but short values, stays JSON."""
DEEPEST = 12
"""Below so many levels everything is JSON: there is no room to indent it."""
STEP = 2


class Field(NamedTuple):
    """A name and a value.

    :param column: where the name, or a value without one, begins.
    :param dash: whether an item of a list begins here, with a dash two columns before.
    :param name: "" for what has none.
    :param text: the value. Neither is inert yet. "" where the fields that follow are the value.
    """

    column: int
    dash: bool
    name: str
    text: str

    @property
    def lead(self) -> str:
        """What stands before the value."""
        name = f"{self.name}:" if self.name else ""
        return " " * (self.column - STEP) + "- " + name if self.dash else " " * self.column + name

    @property
    def margin(self) -> str:
        """What stands before each line of a value of several lines."""
        return " " * (self.column + (STEP if self.name else 0))

    @property
    def is_below(self) -> bool:
        """Whether the value stands below its name."""
        return "\n" in self.text


def fields(value: Any) -> list[Field]:
    """The fields of an object or the items of a list; one field without a name for any other value."""
    found: list[Field] = []
    # what is still to be said, the next one last: (column, dash, name, value)
    waiting: list[tuple[int, bool, str, Any]] = []
    if isinstance(value, dict | list) and value:
        _open(value, 0, False, waiting)
    else:
        waiting.append((0, False, "", value))
    while waiting:
        column, dash, name, value = waiting.pop()
        if isinstance(value, str):
            found.append(Field(column, dash, name, value))
        elif not isinstance(value, dict | list) or column >= DEEPEST * STEP or _is_short(value):
            found.append(Field(column, dash, name, json.dumps(value, ensure_ascii=False)))
        elif not name and isinstance(value, dict):
            # the dash stands before the first field of an object
            _open(value, column, dash, waiting)
        else:
            found.append(Field(column, dash, name, ""))
            _open(value, column + STEP if name else column, False, waiting)
    return found


def as_text(found: list[Field]) -> str:
    """Fields as lines of text."""
    lines = []
    for field in found:
        if not field.is_below:
            lines.append(f"{field.lead} {field.text}".rstrip(" ") if field.name else field.lead + field.text)
            continue
        if field.name:
            lines.append(field.lead)
        body = field.text.replace("\n", "\n" + field.margin)
        lines.append((field.margin if field.name else field.lead) + body)
    return "\n".join(lines)


def _open(
    value: dict[str, Any] | list[Any], column: int, dash: bool, waiting: list[tuple[int, bool, str, Any]]
) -> None:
    if isinstance(value, list):
        waiting.extend((column + STEP, True, "", each) for each in reversed(value))
        return
    found = [(column, False, name, each) for name, each in value.items()]
    found[0] = (column, dash, *found[0][2:])
    waiting.extend(reversed(found))


def _is_short(value: dict[str, Any] | list[Any]) -> bool:
    if not value:
        return True
    if isinstance(value, dict) or len(value) > INLINE:
        return False
    if any(isinstance(each, dict | list) or (isinstance(each, str) and "\n" in each) for each in value):
        return False
    if sum(len(each) for each in value if isinstance(each, str)) > INLINE:
        return False
    return len(json.dumps(value, ensure_ascii=False)) <= INLINE
