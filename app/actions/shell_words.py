"""Words quoted for shells, in characters that are safe to print: a character that a terminal would interpret
(`formats.text.inert`) and a byte that is no text are written as escapes.

Every command line that leafmark prints or copies for the user is quoted here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from itertools import groupby

from app.formats.text import inert

SHELLS = ("bash", "zsh", "fish", "sh")
"""The shells that words are quoted for; `sh` stands for all others."""

_PLAIN = re.compile(r"[A-Za-z0-9_./:@+,-]+")
"""A word that every shell takes as it is. zsh reads `=NAME`, and fish `%self` and `NAME=`."""
_SPECIAL = re.compile(r"['\\]")
_SPELLED = {"'": "'\"'\"'", "\\": "'\"\\\\\"'"}
"""Characters in single quotes, as every shell reads them: the quotes end, and begin again behind it."""
_ESCAPED = r"\\\g<0>"


def shell_of(env: Mapping[str, str]) -> str:
    """The user's shell, one of `SHELLS`, by the variable `SHELL`."""
    name = os.path.basename(env.get("SHELL", ""))
    return name if name in SHELLS else "sh"


def shell_line(words: Iterable[str], shell: str) -> str:
    """A command and its arguments as one line for a shell."""
    return " ".join(quoted(word, shell) for word in words)


def quoted(word: str, shell: str) -> str:
    """A word quoted for a shell, one of `SHELLS`."""
    if _PLAIN.fullmatch(word):
        return word
    return _for_fish(word) if shell == "fish" else _for_posix(word)


def _for_posix(word: str) -> str:
    """A word as POSIX shells read it, and fish since version 3.4 as well: between single quotes. `printf`
    writes what is not printable, because dash has no `$'...'`. A command substitution drops newlines at its
    end, so these are kept as they are.
    """
    text = word.rstrip("\n")
    newlines = word[len(text) :]
    if _is_printable(text):
        return f"'{_SPECIAL.sub(lambda match: _SPELLED[match[0]], text)}{newlines}'"
    printed = f"\"$(printf '{''.join(map(_octal, text))}')\""
    return f"{printed}'{newlines}'" if newlines else printed


def _is_printable(text: str) -> bool:
    return text.isprintable() or ("\n" not in text and inert(text) == text)


def _octal(char: str) -> str:
    """A character in the format of `printf`, in which `%` and `-` have a meaning."""
    if char == "%":
        return "%%"
    if (char.isalnum() or char in " /._") and _is_printable(char):
        return char
    return "".join(f"\\{byte:03o}" for byte in _bytes(char))


def _for_fish(word: str) -> str:
    r"""A word between single quotes, with `\\` and `\'` for a backslash and a quote. Other characters
    stand outside the quotes, byte by byte as `\X1b`: the same in every version of fish.
    """
    parts = []
    for printable, chars in groupby(word, str.isprintable):
        text = "".join(chars)
        parts.append(f"'{_SPECIAL.sub(_ESCAPED, text)}'" if printable else _fish_bytes(text))
    return "".join(parts) or "''"


def _fish_bytes(text: str) -> str:
    return "".join(f"\\X{byte:02x}" for byte in _bytes(text))


def _bytes(text: str) -> bytes:
    """The bytes of a text as the system gets them; of half a character, which no path has, its code."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")
