"""A session as Markdown that GitHub renders: texts as they are, tool calls and their output folded."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.export.articles import Article, Articles, Piece

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_IMAGE = re.compile(r"!\[")
_TICKS = re.compile(r"(`+)")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")


def markdown_lines(articles: Articles) -> Iterator[str]:
    """The document, piece by piece."""
    yield f"# {escaped(articles.title)}\n\n"
    yield " · ".join(f"`{part.replace('`', ' ')}`" for part in articles.about) + "\n"
    if articles.problems:
        yield "\n> **Not everything in the file can be read.**\n"
        yield "".join(f"> - {escaped(problem)}\n" for problem in articles.problems[:50])
        if len(articles.problems) > 50:
            yield f"> - and {len(articles.problems) - 50:,} more\n"
    for article in articles:
        yield from _article(article)


def _article(article: Article) -> Iterator[str]:
    if article.begins_branch:
        yield f"\n---\n\n_A branch from entry {article.parent}_\n" if article.parent else "\n---\n"
    label = f" · 🏷 {escaped(article.label)}" if article.label else ""
    time = f" · {article.time[:16].replace('T', ' ')}" if article.time else ""
    facts = f" · {escaped(article.facts)}" if article.facts else ""
    if article.kind == "result" and not article.label and not article.begins_branch:
        # The output of a tool stands below its call.
        yield f'\n<a id="e{article.number}"></a>\n'
    else:
        yield f'\n<a id="e{article.number}"></a>\n\n### {article.name}{time}{facts}{label}\n'
    for piece in article.pieces:
        yield "\n" + _piece(article.kind, piece) + "\n"


def _piece(kind: str, piece: Piece) -> str:
    match piece.kind:
        case "text" if kind == "user":
            return "\n".join(f"> {line}".rstrip() for line in _safe(piece.text).split("\n"))
        case "text":
            return _safe(piece.text)
        case "thinking":
            return _folded("Thinking", "\n\n" + _safe(piece.text) + "\n")
        case "image" if piece.image is not None:
            mime, data = piece.image
            return f"![image](data:{mime};base64,{base64.b64encode(data).decode()})"
        case "image":
            return f"_[{escaped(piece.text)}]_"
        case "diff":
            return _folded("diff", fenced(piece.text, "diff"))
        case "tool_call" if not piece.text:
            return f"**{escaped(piece.title)}**"
        case "tool_call":
            language = "sh" if piece.title == "bash" else ""
            return _folded(piece.title, fenced(piece.text, language), "Tool call: ")
        case "error":
            return _folded(piece.title, fenced(piece.text), "Error: ")
        case "tool_result":
            return _folded(piece.title, fenced(piece.text), "Output: ")
    return _folded(piece.title or piece.kind, fenced(piece.text))


def _folded(title: str, body: str, lead: str = "") -> str:
    return f"<details><summary>{lead}<code>{html.escape(title)}</code></summary>\n{body}\n</details>"


def fenced(text: str, language: str = "") -> str:
    """`text` in a fence that is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def escaped(text: str) -> str:
    """One line of text without meaning to Markdown."""
    return _SPECIAL.sub(r"\\\1", text)


def _safe(text: str) -> str:
    """Markdown without elements of HTML and without images that would be loaded: both are shown as they are
    written, or as links. An open fence is closed, so that the rest of the document is not code.
    """
    lines = []
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if fence:
            lines.append(line)
            if match and match[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif match:
            fence = match[1]
            lines.append(line)
        else:
            lines.append(_without_elements(line))
    if fence:
        lines.append(fence)
    return "\n".join(lines)


def _without_elements(line: str) -> str:
    if "<" not in line and "![" not in line:
        return line
    parts = _TICKS.split(line)
    opened = ""
    for number, part in enumerate(parts):
        if number % 2:
            if not opened and part in parts[number + 2 :: 2]:
                opened = part
            elif part == opened:
                opened = ""
        elif not opened:
            parts[number] = _IMAGE.sub("[", _TAG.sub("&lt;", part))
    return "".join(parts)
