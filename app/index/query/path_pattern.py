"""The values of `file:` and `edited:`, and the files of a session that they are compared with."""

from __future__ import annotations

import re
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.utf8_text import fold
from app.index.query.tokens import single_spaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WILDCARDS = re.compile(r"\*\*/|\*+|\?|\[!?\]?[^]/]*\]")
_ABSOLUTE = ("/", "~")


class TouchedPaths(NamedTuple):
    """The files that a session touched, folded.

    cwd           the session's folder
    all           the paths of the files, with a newline before and behind each; those that were changed come
                  first, and those in the folder are relative to it
    changed_end   the length of the paths of the files that were changed
    """

    cwd: str
    all: str
    changed_end: int

    @property
    def changed(self) -> str:
        """The paths of the files that were changed."""
        return self.all[: self.changed_end]


def touched_paths(cwd: str, paths: tuple[str, ...], changed: int) -> TouchedPaths:
    """The files of a session.

    :param changed: how many of them were changed; they come first.
    """
    text = _text(paths[:changed])
    everything = text if changed == len(paths) else text[:-1] + _text(paths[changed:])
    # Ten thousand sessions have a few folders.
    return TouchedPaths(intern(fold(cwd)), everything, len(text))


def _text(paths: Sequence[str]) -> str:
    joined = "".join(paths)
    if joined.isprintable() and "  " not in joined:
        # As nearly all are: several are folded at once.
        return fold("\n".join(["", *paths, ""]))
    return "\n".join(["", *map(_folded, paths), ""])


def _folded(path: str) -> str:
    return single_spaced(fold(path)).replace("\n", " ")


class PathPattern:
    """A path, a part of it, or the beginning of one: `auth.py` and `shop/au` are in `src/shop/auth.py`, and
    `th.py` is not. A `*` stands for any part of a name, `**` for any folders, `?` for a character and `[a-z]`
    for one of some; a path with one of these has to match up to its end. Case does not count.
    """

    def __init__(self, value: str, home: str) -> None:
        """:param home: the folder that `~` stands for; "" for none.
        :raises BadPattern: RE2, which compares wildcards, is not installed.
        """
        value = _folded(value).removeprefix("./")
        self._as_given = value if value.startswith("~") else ""
        if home and (value == "~" or value.startswith("~/")):
            value = fold(home).rstrip("/") + value[1:]
        self._value = value
        self._beginnings = (f"\n{value}", f"/{value}")
        self._is_absolute = value.startswith(_ABSOLUTE)
        first = _WILDCARDS.search(value)
        self._prefix = value if first is None else value[: first.start()]
        self._regex = None if first is None else _compiled(value, is_absolute=self._is_absolute)
        self._needles = [part for part in _WILDCARDS.split(value) if part] if first is not None else []

    def is_in(self, cwd: str, paths: str) -> bool:
        """Whether one of the paths matches.

        :param cwd, paths: as in `TouchedPaths`.
        """
        if paths == "\n":
            return False  # `*` stands for no character, too.
        if not self._is_absolute:
            # `[id].tsx` is also the name of a file.
            if self._beginnings[0] in paths or self._beginnings[1] in paths:
                return True
            if self._regex is None or not all(map(paths.__contains__, self._needles)):
                return False
            return self._regex.search(paths) is not None
        if self._as_given and f"\n{self._as_given}" in paths:
            return True
        inside = cwd.rstrip("/") + "/"
        if self._regex is None:
            if self._beginnings[0] in paths:
                return True
            if self._value.startswith(inside):
                return f"\n{self._value[len(inside) :]}" in paths
        is_near = inside.startswith(self._prefix) or self._prefix.startswith(inside)
        if not is_near and f"\n{self._prefix}" not in paths:
            return False
        absolute = [
            path if path.startswith(_ABSOLUTE) else inside + path for path in paths.split("\n") if path
        ]
        if self._regex is None:
            return any(path.startswith(self._value) for path in absolute)
        return self._regex.search("\n".join(["", *absolute, ""])) is not None


def _compiled(value: str, *, is_absolute: bool) -> Any:
    """:raises BadPattern: RE2 is not installed, or the pattern is too large."""
    # Imported here because few queries have a wildcard.
    from app.index.query.regex import BadPattern, compiled

    start = "^" if is_absolute else "(?:^|/)"
    try:
        return compiled(f"{start}{_translated(value, _wildcard)}$", ignore_case=False)
    except BadPattern:
        # `[z-a]` is no class.
        return compiled(f"{start}{_translated(value, _wildcard_or_bracket)}$", ignore_case=False)


def _translated(value: str, wildcard: Callable[[str], str]) -> str:
    parts = []
    position = 0
    for match in _WILDCARDS.finditer(value):
        parts += [re.escape(value[position : match.start()]), wildcard(match[0])]
        position = match.end()
    return "".join([*parts, re.escape(value[position:])])


def _wildcard_or_bracket(text: str) -> str:
    return re.escape(text) if text.startswith("[") else _wildcard(text)


def _wildcard(text: str) -> str:
    if text == "**/":
        return r"(?:[^\n]*/)?"
    if text == "*":
        return r"[^\n/]*"
    if text.startswith("*"):
        return r"[^\n]*"
    if text == "?":
        return r"[^\n/]"
    characters = text[1:-1].removeprefix("!")
    inside = "".join([each if each.isalnum() or each == "-" else "\\" + each for each in characters])
    return f"[^\\n/{inside}]" if text.startswith("[!") else f"[{inside}]"
