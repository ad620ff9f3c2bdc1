"""Code as lines of coloured pieces, with Pygments, and diffs with the numbers of their lines.

A line of code is cut and never wrapped, because its columns matter. Pygments is imported when the first code
is drawn, and only texts of bounded size are given to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from app.view.diff_lines import replaced_lines
from app.view.document_line import inert_pieces, line_ranges
from app.view.line import Line

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MOST_COLOURED = 24 << 10
"""Characters of code that are coloured; a longer code has one colour."""
LONGEST_LINE = 1_000
"""Characters of a line of code that are kept; no screen is as wide."""
_STYLES = (
    ("Token.Comment", "syntax-comment"),
    ("Token.Keyword", "syntax-keyword"),
    ("Token.Operator.Word", "syntax-keyword"),
    ("Token.Name.Function", "syntax-name"),
    ("Token.Name.Class", "syntax-name"),
    ("Token.Name.Decorator", "syntax-name"),
    ("Token.Name.Tag", "syntax-keyword"),
    ("Token.Name.Attribute", "syntax-name"),
    ("Token.Name.Builtin", "syntax-keyword"),
    ("Token.Literal.String", "syntax-string"),
    ("Token.Literal.Number", "syntax-number"),
    ("Token.Generic.Inserted", "added"),
    ("Token.Generic.Deleted", "removed"),
    ("Token.Generic.Subheading", "hunk"),
    ("Token.Generic.Heading", "file"),
)


@lru_cache(maxsize=256)
def _style_of(token: str) -> str:
    return next((style for name, style in _STYLES if token.startswith(name)), "syntax")


@lru_cache(maxsize=32)
def _lexer(language: str) -> Lexer | None:
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except (ClassNotFound, ValueError):
        return None


@lru_cache(maxsize=64)
def language_of_file(path: str) -> str:
    """The language of a file by the end of its name; "" if that is not known."""
    end = path.rpartition("/")[2].rpartition(".")[2].lower()
    return _SUFFIXES.get(end, end if end in _SUFFIXES.values() else "")


_SUFFIXES = {
    "py": "python", "js": "javascript", "mjs": "javascript", "jsx": "jsx", "ts": "typescript", "tsx": "tsx",
    "rs": "rust", "go": "go", "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "hpp": "cpp", "java": "java",
    "rb": "ruby", "sh": "bash", "bash": "bash", "zsh": "bash", "fish": "fish", "sql": "sql", "html": "html",
    "css": "css", "scss": "scss", "json": "json", "toml": "toml", "yaml": "yaml", "yml": "yaml", "lua": "lua",
    "xml": "xml", "kt": "kotlin", "swift": "swift", "php": "php", "cs": "csharp", "ex": "elixir",
}  # fmt: skip


def code_lines(text: str, language: str) -> list[Line]:
    """The lines of a code, inert and coloured. Lines are as long as they are, up to `LONGEST_LINE`.

    :param language: Pygments' name of the language; one that it does not know gives one colour.
    """
    rows = [
        piece[:LONGEST_LINE] for begin, end in line_ranges(text) for piece in inert_pieces(text, begin, end)
    ]
    lexer = _lexer(language.lower()) if language and len(text) <= MOST_COLOURED else None
    if lexer is None:
        return [[(row, "syntax")] if row else [] for row in rows]
    lines: list[Line] = [[]]
    for token, value in lexer.get_tokens("\n".join(rows)):
        style = _style_of(str(token))
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append((piece, style))
    # A lexer that drops or adds a line must not change the code.
    return lines[: len(rows)] + [[] for _ in range(len(rows) - len(lines))]


class DiffRow(NamedTuple):
    """A line of a diff.

    :param sign: "+", "-", " ", "@" for a head or a gap.
    :param number: the number of the line in its file; None if it is not known.
    :param text: the line, inert, without its sign.
    """

    sign: str
    number: int | None
    text: str


_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_NUMBERED = re.compile(r"([-+ ])\s*(\d+)(?: (.*))?$", re.DOTALL)
_HEADS = ("diff --git ", "index ", "--- ", "+++ ", "*** ", "similarity ", "rename ", "new file ", "deleted ")


def diff_rows(text: str) -> list[DiffRow]:
    """The lines of a diff, as git or an agent writes it."""
    rows: list[DiffRow] = []
    old = new = None
    lines = [
        piece[:LONGEST_LINE] for begin, end in line_ranges(text) for piece in inert_pieces(text, begin, end)
    ]
    # pi writes the number of each line behind its sign, and no hunks.
    is_numbered = "@@" not in text and any(_NUMBERED.match(line) for line in lines[:3])
    for line in lines:
        sign = line[:1]
        hunk = _HUNK.match(line)
        if hunk is not None:
            old, new = int(hunk[1]), int(hunk[2])
            rows.append(DiffRow("@", None, line))
            continue
        if line.startswith(_HEADS) or sign in ("@", "\\"):
            rows.append(DiffRow("@", None, line))
            continue
        match = _NUMBERED.match(line) if is_numbered else None
        if match is not None:
            rows.append(DiffRow(match[1], int(match[2]), match[3] or ""))
        elif sign == "-":
            rows.append(DiffRow("-", old, line[1:]))
            old = None if old is None else old + 1
        elif sign == "+":
            rows.append(DiffRow("+", new, line[1:]))
            new = None if new is None else new + 1
        else:
            rows.append(DiffRow(" ", new, line[1:] if sign == " " else line))
            old, new = (None if at is None else at + 1 for at in (old, new))
    while rows and not rows[-1].text and rows[-1].sign == " ":
        rows.pop()
    return rows


def replaced_rows(old: str, new: str) -> Iterator[DiffRow]:
    """The difference of the two texts of an edit."""
    before, after = _inert_lines(old), _inert_lines(new)
    for sign, line in replaced_lines(before, after):
        yield DiffRow(sign, None, line[:LONGEST_LINE])


def _inert_lines(text: str) -> Sequence[str]:
    if not text:
        return ()
    return [
        piece
        for begin, end in line_ranges(text.removesuffix("\n"))
        for piece in inert_pieces(text, begin, end)
    ]


def changed_counts(rows: Sequence[DiffRow]) -> tuple[int, int]:
    """How many lines a diff adds and removes."""
    return sum(row.sign == "+" for row in rows), sum(row.sign == "-" for row in rows)
