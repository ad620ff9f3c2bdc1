"""The fields of the items of a list: as values separated by tabs in a pipe, and in a `--format`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from app.formats.prices import Spending
from app.formats.text import one_line
from app.options import Options, WrongUse
from app.view.formatting import short_id

Item = TypeVar("Item")

LONGEST = 100_000
"""Characters of a value that are printed."""
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\", "{": "{", "}": "}"}


class Field(Generic[Item]):
    """One field of an item.

    :param name: as in `{name}`.
    :param help: what it is, in a few words.
    :param of: the value of an item; None is empty.
    """

    __slots__ = ("help", "name", "of")

    def __init__(self, name: str, help: str, of: Callable[[Item], object]) -> None:
        self.name = name
        self.help = help
        self.of = of

    def text(self, item: Item) -> str:
        """The value as one inert line: it holds neither a tab nor a line break."""
        value = self.of(item)
        return "" if value is None else one_line(str(value), LONGEST)


def session_fields(
    id_of: Callable[[Item], str], session_of: Callable[[Item], Any]
) -> tuple[Field[Item], ...]:
    """The first fields of a list of sessions.

    :param id_of: the id of the session of an item.
    :param session_of: that session, with `agent` and `title`.
    """
    return (
        Field("id", "id of the session (session_id works too)", id_of),
        Field("short_id", "the part of the id that lists show", lambda item: short_id(id_of(item))),
        Field("agent", "agent that wrote it", lambda item: session_of(item).agent),
        Field("title", "name, else the first prompt", lambda item: session_of(item).title),
    )


_ALIASES = {"session_id": "id"}
"""Names of JSON that a format takes as well."""


def parse_format(text: str, fields: Sequence[Field[Item]]) -> Callable[[Item], str]:
    """The function that makes the line of an item from a format such as `{id}\\t{title}`.

    A backslash escapes `t`, `n`, `r`, a brace and itself; before another character it stands for itself.

    :raises WrongUse: the format names no field of the list, or a brace is not closed.
    """
    named = {field.name: field for field in fields}
    parts: list[str | Field[Item]] = []
    at = 0
    while at < len(text):
        character = text[at]
        if character == "\\" and text[at + 1 : at + 2] in _ESCAPES:
            parts.append(_ESCAPES[text[at + 1]])
            at += 2
        elif character == "{":
            end = text.find("}", at)
            if end < 0:
                raise WrongUse(f"--format: no }} closes {one_line(text[at:], 40)!r}")
            name = text[at + 1 : end]
            field = named.get(_ALIASES.get(name, name))
            if field is None:
                known = ", ".join(named)
                raise WrongUse(f"--format: no field is called {one_line(name, 40)!r}; there are {known}")
            parts.append(field)
            at = end + 1
        else:
            parts.append(character)
            at += 1
    return lambda item: "".join(part if isinstance(part, str) else part.text(item) for part in parts)


def tab_separated(fields: Sequence[Field[Item]], names: Iterable[str]) -> Callable[[Item], str]:
    """The function that makes the line of an item with these fields, separated by tabs."""
    named = {field.name: field for field in fields}
    chosen = [named[name] for name in names]
    return lambda item: "\t".join([field.text(item) for field in chosen])


def line_maker(
    options: Options, fields: Sequence[Field[Item]], in_pipe: Sequence[str], cells: int | None
) -> Callable[[Item], str] | None:
    """The function that makes the line of an item: by `--format`, or in a pipe. None for a terminal's table.

    :param in_pipe: the names of the fields in a pipe.
    :param cells: the width of the terminal; None in a pipe.
    :raises WrongUse: `--format` cannot be used.
    """
    if options.format is None:
        return None if cells is not None else tab_separated(fields, in_pipe)
    if options.json:
        raise WrongUse("--format has no place beside --json")
    return parse_format(options.format, fields)


def fields_help(fields: Sequence[Field[Item]], in_pipe: Sequence[str]) -> Iterator[str]:
    """The fields as lines for the help of a command.

    :param in_pipe: the names of the fields that are printed in a pipe.
    """
    yield "fields of --format, such as '{id}\\t{title}':"
    cells = max(len(field.name) for field in fields) + 2
    for field in fields:
        yield f"  {field.name:<{cells}}{field.help}"
    yield f"in a pipe, separated by tabs: {' '.join(in_pipe)}"


def cost_fields(spending: Spending) -> dict[str, Any]:
    """The fields about a cost in JSON; `cost` is in dollars, and None if nothing of it is known."""
    is_estimated, is_partial = spending.estimated > 0, spending.unpriced > 0
    return {"cost": spending.known, "cost_estimated": is_estimated, "cost_partial": is_partial}
