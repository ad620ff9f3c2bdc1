"""JSON that is nested too deeply for a recursive parser.

pi's parser does not recurse and counts such lines, so they are entries. What lies deeper than `DEPTH` levels
is checked and then laid side by side behind a note: so its words are found, and nothing after this has to
fear the depth.
"""

from __future__ import annotations

import re

DEPTH = 200
NOTE = '"[nested too deeply to show]"'

_BLANK = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(
    r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
    r"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
    r"|true|false|null"
)


def flatten(text: str, depth: int = DEPTH) -> str:
    """`text` with what is below `depth` levels laid flat. An array or object there becomes a note; or, where
    a text, a number or a name is in it, an array: the note, then it and each one within it, in their order,
    none within the other. The name of a field that held one is kept once, with null.

    Without recursion, in one pass.

    :raises ValueError: `text` is not JSON.
    """
    out: list[str] = []
    closers: list[str] = []
    length = len(text)
    kept = 0  # text up to here is in `out` or was dropped
    position = 0
    expect = "value"  # value | first value | first key | key | after
    name = ""  # of the field that is read
    below: list[list[str]] = []  # what each array and object below `depth` holds, see `_side_by_side`
    inside: list[list[str]] = []  # those of them that are not closed yet
    names: set[str] = set()
    while True:
        position = _skip(text, position)
        if position >= length:
            break
        char = text[position]
        if expect == "after":
            if not closers:
                raise ValueError(f"trailing characters at character {position}")
            if char == closers[-1]:
                closers.pop()
                position += 1
                if inside:
                    inside.pop().append(char)
                if len(closers) == depth:
                    out.append(_side_by_side(below))
                    below.clear()
                    kept = position
            elif char == ",":
                position += 1
                expect = "key" if closers[-1] == "}" else "value"
            else:
                raise ValueError(f"expected a comma at character {position}")
        elif (expect == "first value" and char == "]") or (expect == "first key" and char == "}"):
            expect = "after"
        elif expect in ("key", "first key"):
            end = _scalar(text, position, key=True)
            name = text[position:end]
            position = _colon(text, end)
            expect = "value"
        elif char in "[{":
            if len(closers) == depth:
                out.append(text[kept:position])
            if len(closers) >= depth:
                if inside and closers[-1] == "}" and name not in names:
                    names.add(name)
                    inside[-1].append(f"{name}:null")
                inside.append([char])
                below.append(inside[-1])
            closers.append("]" if char == "[" else "}")
            expect = "first value" if char == "[" else "first key"
            position += 1
        else:
            end = _scalar(text, position)
            if inside:
                scalar = text[position:end]
                inside[-1].append(f"{name}:{scalar}" if closers[-1] == "}" else scalar)
            position = end
            expect = "after"
    if closers or expect != "after":
        raise ValueError("the line ends in the middle of a value")
    out.append(text[kept:])
    return "".join(out)


def _side_by_side(below: list[list[str]]) -> str:
    """What replaces all this.

    :param below: of each array or object its first sign, what it holds besides others, its last sign.
    """
    found = [f"{opens}{','.join(held)}{closes}" for opens, *held, closes in below if held]
    return f"[{','.join((NOTE, *found))}]" if found else NOTE


def _skip(text: str, position: int) -> int:
    if position < len(text) and text[position] not in " \t\n\r":
        return position
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _scalar(text: str, position: int, *, key: bool = False) -> int:
    match = _SCALAR.match(text, position)
    if match is None or (key and text[position] != '"'):
        raise ValueError(f"unexpected character at character {position}")
    return match.end()


def _colon(text: str, position: int) -> int:
    position = _skip(text, position)
    if not text.startswith(":", position):
        raise ValueError(f"expected a colon at character {position}")
    return position + 1
