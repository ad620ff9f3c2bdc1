"""The excerpt of a hit in a tool call or its output, shaped by its place: ``edit src/shop/auth.py  +1 −1``,
``bash rg -n token src``, ``bash rg: src/auth.py:31: session_token``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from app.formats.edits import changed_lines
from app.formats.text import one_line
from app.formats.utf8_text import fold
from app.view.tool_input import COMMANDS, FILES, first_of

_LONGEST_NAME = 60
_LONGEST = 400
"""Characters of a line, and of the text before its match."""


class Shape(NamedTuple):
    """An inert line, and the (start, end) of the matches in it, in characters."""

    text: str
    ranges: tuple[tuple[int, int], ...]


def shape_call(name: str, arguments: object, matches: Sequence[str], folder: str) -> Shape | None:
    """The excerpt of a call with one of the matches; None if the call has none, or no usual argument.

    :param arguments: as the call gives them.
    :param matches: the texts that matched, folded.
    :param folder: the folder of the session; paths in it are shown without it.
    """
    if not isinstance(arguments, dict):
        return None
    name = one_line(name, _LONGEST_NAME)
    head = _head(name, arguments, folder)
    if not head:
        return None
    command = arguments.get(first_of(arguments, COMMANDS))
    if isinstance(command, str):
        line = _line_with(command, matches)
        if line is None:
            return None
        return _marked(
            f"{name} {line}" if one_line(command.strip(), _LONGEST) == line else f"{head}: {line}", matches
        )
    shape = _marked(head, matches)
    if shape.ranges:
        return shape
    lines = (_line_with(text, matches) for text in _values(arguments))
    line = next(filter(None, lines), None)
    return None if line is None else _marked(f"{head}: {line}", matches)


def shape_output(
    name: str, arguments: object, texts: Iterable[str], matches: Sequence[str], folder: str
) -> Shape | None:
    """The excerpt of the output of a tool; None if no line of it has a match. The parameters are those of
    `shape_call`.

    :param arguments: those of the call; None if they are not known.
    :param texts: the texts of the output.
    """
    line = next(filter(None, (_line_with(text, matches) for text in texts)), None)
    if line is None:
        return None
    name = one_line(name, _LONGEST_NAME)
    head = _head(name, arguments, folder) if isinstance(arguments, dict) else ""
    return _marked(f"{head or name}: {line}", matches)


def _head(name: str, arguments: Mapping[str, Any], folder: str) -> str:
    """The name of a tool with the program that it runs, or with the file and its change; "" for neither."""
    command = arguments.get(first_of(arguments, COMMANDS))
    if isinstance(command, str):
        return one_line(f"{name} {program_of(command)}")
    path = arguments.get(first_of(arguments, FILES))
    if not isinstance(path, str):
        return ""
    added, removed = changed_lines(arguments)
    change = f"  +{added} −{removed}" if added or removed else ""
    return one_line(f"{name} {path.removeprefix(folder + '/') if folder else path}", _LONGEST) + change


def program_of(command: str) -> str:
    """The name of the program that a command runs first, without the folder that it goes to before."""
    for part in command.replace("\n", ";").replace("&&", ";").split(";"):
        words = [word for word in part.split() if "=" not in word.partition("/")[0]]
        if words and words[0] not in ("cd", "set", "export"):
            return words[0].rpartition("/")[2][:40]
    return ""


def _values(arguments: Mapping[str, Any]) -> Iterable[str]:
    """The texts among the arguments, those of edits as well."""
    waiting: list[Any] = [*arguments.values()][::-1]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting.extend([*value.values()][::-1])
        elif isinstance(value, list):
            waiting.extend(reversed(value))


def _line_with(text: str, matches: Sequence[str]) -> str | None:
    """The first line of a text with a match, as an inert line that begins not far before the match."""
    folded = fold(text)
    places = [place for match in matches if match and (place := folded.find(match)) >= 0]
    if not places or len(folded) != len(text):
        return None
    place = min(places)
    begin = text.rfind("\n", 0, place) + 1
    end = text.find("\n", place)
    line = text[begin : end if end >= 0 else len(text)]
    cut = max(0, place - begin - _LONGEST // 2)
    return one_line(("…" if cut else "") + line[cut:].strip(), _LONGEST)


def _marked(text: str, matches: Sequence[str]) -> Shape:
    folded = fold(text)
    if len(folded) != len(text):
        return Shape(text, ())
    found: list[tuple[int, int]] = []
    for match in matches:
        place = folded.find(match) if match else -1
        while place >= 0:
            found.append((place, place + len(match)))
            place = folded.find(match, place + len(match))
    ranges: list[tuple[int, int]] = []
    for begin, end in sorted(found):
        if ranges and begin < ranges[-1][1]:
            ranges[-1] = ranges[-1][0], max(end, ranges[-1][1])
        else:
            ranges.append((begin, end))
    return Shape(text, tuple(ranges))
