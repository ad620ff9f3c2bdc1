"""Code as lines of coloured pieces, with Pygments, and diffs with the numbers of their lines.

A line of code is never wrapped, because its columns matter. Pygments is imported when the first code is
drawn, and only texts of bounded size are given to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from app.formats.edits import DIFF_HEADS, LOOK, replaced_lines
from app.view.document_line import DocumentLine, paragraphs
from app.view.line import Line

if TYPE_CHECKING:
    from pygments.lexer import Lexer

MOST_COLOURED = 24 << 10
"""Characters of code that are coloured; a longer code has one colour."""
LONGEST_LINE = 1_000
"""Characters of a line of code; a longer line goes on in the next one."""
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
    # Imported here: a transcript without code does not need it.
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


def code_lines(text: str, language: str) -> Iterator[Line]:
    """The lines of a code, inert and coloured, at most `LONGEST_LINE` long.

    :param language: Pygments' name of the language; one that it does not know gives one colour.
    """
    lexer = _lexer(language.lower()) if language and len(text) <= MOST_COLOURED else None
    if lexer is None:
        for row in _rows(text):
            yield [(row, "syntax")] if row else []
        return
    rows = list(_rows(text))
    lines: list[Line] = [[]]
    for token, value in lexer.get_tokens("\n".join(rows)):
        style = _style_of(str(token))
        for number, piece in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if piece:
                lines[-1].append((piece, style))
    # A lexer that drops or adds a line must not change the code.
    yield from lines[: len(rows)] + [[] for _ in range(len(rows) - len(lines))]


def _rows(text: str) -> Iterator[str]:
    for line in paragraphs(text):
        if len(line) <= LONGEST_LINE:
            yield line
        else:
            yield from (line[begin : begin + LONGEST_LINE] for begin in range(0, len(line), LONGEST_LINE))


class DiffRow(NamedTuple):
    """A line of a diff.

    :param sign: "+", "-", " ", "@" for a head or a gap.
    :param number: the number of the line in its file; None if it is not known.
    :param text: the line, inert, without its sign.
    """

    sign: str
    number: int | None
    text: str

    def drawn(self, before: Line) -> DocumentLine:
        """The row as it is drawn behind other pieces, which are leafmark's own."""
        if self.sign == "@":
            return DocumentLine([*before, (self.text, "hunk")], own=len(before), scrolls=True)
        sign = "−" if self.sign == "-" else self.sign
        style, ground = _DIFF_STYLES.get(self.sign, ("result", ""))
        number: Line = [(f"{self.number:>4} ", "dim")] if self.number is not None else []
        own: Line = [*before, *number, (f"{sign} ", style)]
        spans: Line = [*own, (self.text, style)] if self.text else own
        return DocumentLine(spans, own=len(own), scrolls=True, ground=ground)


_DIFF_STYLES = {"+": ("added", "added-ground"), "-": ("removed", "removed-ground")}
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@")
_NUMBERED = re.compile(r"([-+ ])\s*(\d{1,9})(?: (.*))?$", re.DOTALL)


def diff_rows(text: str) -> Iterator[DiffRow]:
    """The lines of a diff, as git or an agent writes it."""
    old = new = None
    # pi writes the number of each line behind its sign, and no hunks.
    is_numbered = "@@" not in text and any(_NUMBERED.match(line) for line in text[:LOOK].split("\n", 3)[:3])
    blank: list[DiffRow] = []
    for line in _rows(text):
        sign = line[:1]
        hunk = _HUNK.match(line)
        match = _NUMBERED.match(line) if is_numbered else None
        if hunk is not None:
            old, new = int(hunk[1]), int(hunk[2])
            row = DiffRow("@", None, line)
        elif line.startswith(DIFF_HEADS) or sign in ("@", "\\"):
            row = DiffRow("@", None, line)
        elif match is not None:
            row = DiffRow(match[1], int(match[2]), match[3] or "")
        elif sign == "-":
            row = DiffRow("-", old, line[1:])
            old = None if old is None else old + 1
        elif sign == "+":
            row = DiffRow("+", new, line[1:])
            new = None if new is None else new + 1
        else:
            row = DiffRow(" ", new, line[1:] if sign == " " else line)
            old, new = (None if at is None else at + 1 for at in (old, new))
        # Blank lines at the end are left out.
        blank.append(row)
        if row.text or row.sign != " ":
            yield from blank
            blank = []


def replaced_rows(old: str, new: str) -> Iterator[DiffRow]:
    """The difference of the two texts of an edit."""
    before, after = ([*_rows(text.removesuffix("\n"))] if text else [] for text in (old, new))
    for sign, line in replaced_lines(before, after):
        yield DiffRow(sign, None, line)


def changed_counts(rows: Sequence[DiffRow]) -> tuple[int, int]:
    """How many lines a diff adds and removes."""
    return sum(row.sign == "+" for row in rows), sum(row.sign == "-" for row in rows)
