"""Markdown as it is read: without its marks, in lines of a given width.

A text is divided at blank lines into sections of a few kilobytes, each of which markdown-it parses alone: the
time for a section is bounded, and no construct can hold up the thread that reads. A section that is too long
for that, and a huge line, are shown as they are written. Each newline stays a newline, because the lines of
an answer are mostly meant as lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from app.view.cells import cut, max_width
from app.view.code_lines import code_lines
from app.view.document_line import CodeBlock, DocumentLine, LineKind, inert_pieces, line_ranges, own_line
from app.view.line import Line, line_width, plain_text, slice_line, wrap_ranges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SECTION = 1_500
"""Characters after which a section ends at the next blank line that allows it."""
MOST_PARSED = 6_000
"""Characters of the longest section that is parsed."""
LONGEST_LINE = 2_000
"""Characters of the longest line that is parsed."""
MOST_TABLE_CELLS = 2_000
"""Cells of a table that is laid out; a larger one is shown as it is written."""
NARROWEST = 6
"""Fewest cells of a column that needs them."""
BETWEEN = " │ "
BAR = "│ "
_MARKED = re.compile(r"[`*_#|<>\[\]~\\&!]|^\s*(?:[-+]|\d{1,9}[.)])\s|^\s*(?:-{3,}|={2,})\s*$", re.MULTILINE)
_URL = re.compile(r"https?://[^\s<>\"'`)\]|]{1,300}")


def markdown_lines(text: str, cells: int) -> Iterator[DocumentLine]:
    """The lines of a Markdown text. Only lines of code may be wider than ``cells``.

    :param text: raw; it is made inert here.
    :param cells: the width of a line, at least 8.
    """
    # Blank lines wait until it is known that they are not the last ones.
    blank: DocumentLine | None = None
    begun = False
    for section in _sections(text):
        for line in section.lines(max(8, cells)):
            if line.own >= len(line.spans) and not line.scrolls and not line.text.strip(BAR):
                blank = line if begun else None
                continue
            if blank is not None:
                yield blank
            yield line
            blank, begun = None, True
        blank = DocumentLine([]) if begun else None


def written_lines(text: str, cells: int, style: str, narrower: int = 0) -> Iterator[DocumentLine]:
    """The lines of a text as it was written, with the code blocks in it.

    :param text: raw; it is made inert here.
    :param narrower: cells by which the first line is narrower.
    """
    kind = LineKind()
    block: CodeBlock | None = None
    for begin, end in line_ranges(text):
        for line in inert_pieces(text, begin, end):
            stripped = line.lstrip(" ")
            opened: CodeBlock | None = None
            if not kind.fence:
                info = kind.opens(stripped)
                if info is not None:
                    opened = block = _block_behind(text, end, info, len(line) - len(stripped))
            elif kind.closes(stripped) and block is not None:
                block.end = max(block.begin, begin - 1)
            for start, stop in wrap_ranges(line, cells - narrower, -narrower) if line else ((0, 0),):
                yield DocumentLine([(line[start:stop], style)] if stop > start else [], opened)
                opened = None
            narrower = 0


def _block_behind(text: str, end: int, info: str, indent: int) -> CodeBlock:
    """The code block behind the line of its fence, which ends at ``end``."""
    language = (info.split() or [""])[0].strip("{}.")
    following = end + 1 + text.startswith("\r", end)
    return CodeBlock(text, language, min(following, len(text)), indent=indent)


class _Section(NamedTuple):
    """A part of a text: prose, or a fenced code block with its language."""

    rows: list[str]
    language: str | None = None
    block: CodeBlock | None = None

    def lines(self, cells: int) -> Iterator[DocumentLine]:
        """The lines of the section."""
        source = "\n".join(self.rows)
        is_long = len(source) > MOST_PARSED or any(len(row) > LONGEST_LINE for row in self.rows)
        if self.language is not None:
            yield from _code(source, self.language, cells, self.block)
        elif source.strip() and (is_long or not _MARKED.search(source)):
            yield from _plain(self.rows, cells)
        elif source.strip():
            yield from _Renderer(cells).lines(_parser().parse(source))


def _sections(text: str) -> Iterator[_Section]:
    rows: list[str] = []
    size = 0
    kind = LineKind()
    block: CodeBlock | None = None
    language = ""
    indent = 0
    for begin, end in line_ranges(text):
        for line in inert_pieces(text, begin, end):
            stripped = line.lstrip(" ")
            if kind.fence:
                if kind.closes(stripped):
                    if block is not None:
                        block.end = max(block.begin, begin - 1)
                    yield _Section(rows, language, block)
                    rows, size = [], 0
                else:
                    rows.append(line[min(indent, len(line) - len(stripped)) :])
                continue
            opened = kind.opens(stripped)
            if opened is not None:
                if rows:
                    yield _Section(rows)
                rows, size = [], 0
                indent = len(line) - len(stripped)
                block = _block_behind(text, end, opened, indent)
                language = block.name
                continue
            if size > SECTION and not rows[-1].strip() and line[:1] not in ("", " "):
                yield _Section(rows)
                rows, size = [], 0
            rows.append(line)
            size += len(line) + 1
    if rows or kind.fence:
        yield _Section(rows, language, block) if kind.fence else _Section(rows)


def _plain(rows: Sequence[str], cells: int) -> Iterator[DocumentLine]:
    for row in rows:
        for line in _wrapped(_linked(row, "text"), cells):
            yield DocumentLine(line)


def _code(text: str, language: str, cells: int, block: CodeBlock | None = None) -> Iterator[DocumentLine]:
    if language:
        yield DocumentLine([("  " + cut(language, cells - 2), "dim")], block, own=1)
        block = None
    for line in code_lines(text, language):
        yield DocumentLine([(BAR, "border"), *line], block, own=1, scrolls=True)
        block = None
    yield DocumentLine([])


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    # Imported here: it takes longer than this module, and a text without marks does not need it.
    from markdown_it import MarkdownIt

    return (
        # A definition of a reference would not be shown.
        MarkdownIt("commonmark", {"html": False, "maxNesting": 12})
        .enable(["table", "strikethrough"])
        .disable("reference")
    )


class _Renderer:
    """The lines of parsed tokens."""

    def __init__(self, cells: int) -> None:
        self._cells = cells
        # the pieces before the first line of the next block, and before its other lines
        self._first: Line = []
        self._rest: Line = []
        self._stack: list[Line] = []
        # open lists: the number of the next item, None for bullets
        self._lists: list[int | None] = []
        self._quotes = 0

    def lines(self, tokens: Sequence[Token]) -> Iterator[DocumentLine]:
        """The lines of the tokens of one section."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            match token.type:
                case "heading_open":
                    yield from self._block(_inline(tokens[index + 1], "heading"))
                    yield DocumentLine([])
                    index += 2
                case "paragraph_open":
                    yield from self._block(_inline(tokens[index + 1], "quote" if self._quotes else "text"))
                    if not token.hidden:
                        yield self._blank()
                    index += 2
                case "fence" | "code_block":
                    code = token.content.removesuffix("\n")
                    before, self._first = self._first or self._rest, self._rest
                    room = self._cells - line_width(before)
                    name = _safe(token.info.strip())
                    for line in _code(code, name, max(8, room), CodeBlock(code, name)):
                        if line.spans:
                            line.spans[:0] = before
                            line.own += len(before)
                        yield line
                        before = self._rest
                case "hr":
                    yield own_line("─" * min(self._cells, 24), "border")
                    yield DocumentLine([])
                case "table_open":
                    end = next(at for at in range(index, len(tokens)) if tokens[at].type == "table_close")
                    yield from self._table(tokens[index:end])
                    yield DocumentLine([])
                    index = end
                case "bullet_list_open":
                    self._lists.append(None)
                case "ordered_list_open":
                    self._lists.append(int(token.attrs.get("start", 1)))
                case "bullet_list_close" | "ordered_list_close":
                    self._lists.pop()
                    if not self._lists:
                        yield self._blank()
                case "list_item_open":
                    self._item()
                case "list_item_close":
                    if self._first is not self._rest and self._first:
                        # an empty item
                        yield DocumentLine(self._first)
                    self._outdent()
                case "blockquote_open":
                    self._quotes += 1
                    self._indent([(BAR, "border")], [(BAR, "border")])
                case "blockquote_close":
                    self._quotes -= 1
                    self._outdent()
                    if not self._quotes:
                        yield DocumentLine([])
                case _ if token.content:
                    yield from self._block([[(_safe(token.content), "text")]])
            index += 1

    def _blank(self) -> DocumentLine:
        return DocumentLine(list(self._rest), own=len(self._rest)) if self._quotes else DocumentLine([])

    def _item(self) -> None:
        number = self._lists[-1] if self._lists else None
        if number is None:
            mark = "• "
        else:
            mark = f"{number}. "
            self._lists[-1] = number + 1
        self._indent([(mark, "bullet")], [(" " * len(mark), "text")])

    def _indent(self, first: Line, rest: Line) -> None:
        deep = line_width(self._rest) + line_width(rest) > self._cells // 2
        self._first = [*(self._first or self._rest), *([] if deep else first)]
        self._stack.append(self._rest)
        self._rest = [*self._rest, *([] if deep else rest)]

    def _outdent(self) -> None:
        self._rest = self._stack.pop() if self._stack else []
        self._first = []

    def _block(self, rows: Sequence[Line]) -> Iterator[DocumentLine]:
        """Wrapped lines behind the open marks."""
        for row in rows:
            before = self._first or self._rest
            for line in _wrapped(row, max(4, self._cells - line_width(self._rest))):
                yield DocumentLine([*before, *line], own=len(before))
                self._first = []
                before = self._rest

    def _table(self, tokens: Sequence[Token]) -> Iterator[DocumentLine]:
        rows: list[list[Line]] = []
        for index, token in enumerate(tokens):
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                style = "strong" if token.type == "th_open" else "text"
                pieces = _inline(tokens[index + 1], style)
                rows[-1].append([piece for row in pieces for piece in row])
        yield from table_lines(rows, self._cells)


def fit_columns(widths: Sequence[int], cells: int) -> list[int] | None:
    """The widths of columns in ``cells``; the widest are reduced. None if they do not fit."""
    if sum(widths) <= cells:
        return list(widths)
    if sum(min(size, NARROWEST) for size in widths) > cells:
        return None
    low, high = NARROWEST, max(widths)
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) for size in widths) <= cells:
            low = middle
        else:
            high = middle - 1
    return [min(size, low) for size in widths]


def table_lines(rows: Sequence[Sequence[Line]], cells: int) -> Iterator[DocumentLine]:
    """The lines of a table, whose first row is its head: in columns, or row by row if they do not fit."""
    columns = max(map(len, rows), default=0)
    if not columns:
        return
    if columns * len(rows) > MOST_TABLE_CELLS:
        for row in rows:
            yield DocumentLine([piece for cell in row for piece in (*cell, ("  ", "text"))], scrolls=True)
        return
    table = [[*row, *([] for _ in range(columns - len(row)))] for row in rows]
    sizes = [max(1, *(max_width(plain_text(row[number])) for row in table)) for number in range(columns)]
    fitted = fit_columns(sizes, cells - len(BETWEEN) * (columns - 1))
    if fitted is None:
        head = table[0]
        for number, row in enumerate(table[1:]):
            if number:
                yield own_line("─" * min(cells, 6), "border")
            for name, cell in zip(head, row, strict=True):
                pieces = [*name, (": ", "text"), *cell] if name else cell
                yield from map(DocumentLine, _wrapped(pieces, cells))
        return
    for number, row in enumerate(table):
        yield from map(DocumentLine, _table_row(row, fitted))
        if not number:
            yield own_line("─┼─".join("─" * size for size in fitted), "border")


def _table_row(row: Sequence[Line], fitted: Sequence[int]) -> Iterator[Line]:
    columns = [list(_wrapped(cell, room)) for cell, room in zip(row, fitted, strict=True)]
    for number in range(max(map(len, columns))):
        line: Line = []
        for at, (column, room) in enumerate(zip(columns, fitted, strict=True)):
            if at:
                line.append((BETWEEN, "border"))
            piece = column[number] if number < len(column) else []
            line += piece
            if at < len(fitted) - 1:
                line.append((" " * (room - line_width(piece)), "text"))
        yield [(text, style) for text, style in line if text]


def _wrapped(line: Line, cells: int) -> Iterator[Line]:
    text = plain_text(line)
    if not text:
        yield []
        return
    yield from slice_line(line, wrap_ranges(text, cells))


def _linked(text: str, style: str) -> Line:
    if "://" not in text:
        return [(text, style)] if text else []
    line: Line = []
    start = 0
    for match in _URL.finditer(text):
        line += [(text[start : match.start()], style), (match[0], "link")]
        start = match.end()
    line.append((text[start:], style))
    return [piece for piece in line if piece[0]]


def _inline(token: Token, base: str) -> list[Line]:
    """The rows of inline content: marks become styles, and a link shows its address if its text does not."""
    rows: list[Line] = [[]]
    styles = [base]
    targets: list[tuple[str, int]] = []
    for child in token.children or ():
        match child.type:
            case "text":
                rows[-1] += _linked(_safe(child.content), styles[-1])
            case "code_inline":
                rows[-1].append((_safe(child.content), "code"))
            case "softbreak" | "hardbreak":
                rows.append([])
            case "strong_open":
                styles.append("bold" if base != "heading" else base)
            case "em_open":
                styles.append("emphasis" if styles[-1] == "text" else styles[-1])
            case "s_open":
                styles.append("dim")
            case "link_open":
                targets.append((str(child.attrs.get("href", "")), len(rows[-1])))
                styles.append("link")
            case "link_close":
                styles.pop()
                target, begin = targets.pop()
                shown = "".join(text for text, _ in rows[-1][begin:])
                if target and target not in (shown, f"mailto:{shown}"):
                    rows[-1].append((f" ({_safe(target[:300])})", "dim"))
            case "strong_close" | "em_close" | "s_close":
                styles.pop()
            case "image":
                address = _safe(str(child.attrs.get("src", ""))[:300])
                rows[-1].append((f"[image: {_safe(child.content)}] ({address})", "dim"))
            case _ if child.content:
                rows[-1].append((_safe(child.content), styles[-1]))
    return rows


def _safe(text: str) -> str:
    """One inert line. The source is inert, but markdown-it decodes entities, which may give any character."""
    return text if text.isascii() and text.isprintable() else " ".join(inert_pieces(text, 0, len(text)))
