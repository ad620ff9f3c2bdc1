"""A session as Markdown that GitHub renders: texts as they are, tool calls folded with their
results, and edits as diffs.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from app.view.formatting import counted

if TYPE_CHECKING:
    from app.export.articles import Article, Articles, Piece
    from app.export.tool_calls import Picture, ToolCall

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_IMAGE = re.compile(r"!\[")
_TICKS = re.compile(r"(`+)")
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")


def markdown_lines(articles: Articles) -> Iterator[str]:
    """The document, piece by piece."""
    yield f"# {escaped(articles.title)}\n\n"
    yield " · ".join(f"`{part.replace('`', ' ')}`" for part in articles.about) + "\n"
    if articles.facts:
        yield f"\n{escaped(' · '.join(articles.facts))}\n"
    if articles.problems:
        yield "\n> **Not everything in the file can be read.**\n"
        yield "".join(f"> - {escaped(problem)}\n" for problem in articles.problems[:50])
        if len(articles.problems) > 50:
            yield f"> - and {len(articles.problems) - 50:,} more\n"
    before = ""
    for article in articles:
        yield from _article(article, before)
        before = article.kind


def _article(article: Article, before: str) -> Iterator[str]:
    """:param before: the kind of the article before this one."""
    if article.begins_branch:
        yield f"\n---\n\n_A branch from entry {article.parent}_\n" if article.parent else "\n---\n"
    if article.is_new_day and article.moment is not None:
        yield f"\n_{article.moment.day}_\n"
    clock = article.moment.clock if article.moment is not None else ""
    label = f"🏷 {escaped(article.label)}" if article.label else ""
    facts = [*filter(None, (escaped(article.model), article.ending, label))]
    yield f'\n<a id="e{article.number}"></a>\n'
    if facts or article.begins_branch or article.kind != "assistant" or before != "assistant":
        yield f"\n### {' · '.join(filter(None, (article.name, clock, *facts)))}\n"
    for piece in article.pieces:
        yield "\n" + _piece(article.kind, piece) + "\n"


def _piece(kind: str, piece: Piece) -> str:
    if piece.call is not None:
        return _tool(piece.call)
    if piece.picture is not None:
        return _image(piece.picture)
    match piece.kind:
        case "text" if kind == "user":
            return "\n".join(f"> {line}".rstrip() for line in _safe(piece.text).split("\n"))
        case "text":
            return _safe(piece.text)
        case "thinking":
            return _folded("Thinking", "", "\n\n" + _safe(piece.text) + "\n")
        case "error":
            return _folded("Error: ", piece.title, fenced(piece.text))
    return _folded("", piece.title or piece.kind, fenced(piece.text))


def _tool(call: ToolCall) -> str:
    """A call, and below it its input, its edit and its result."""
    facts = [f"+{call.changed[0]:,} −{call.changed[1]:,}"] if call.changed is not None else []
    facts += [call.facts] if call.facts else []
    end = " · ".join([*facts, *([f"🏷 {call.label}"] if call.label else [])])
    body = [fenced(code.text, "sh" if code.language == "bash" else code.language) for code in call.input]
    if call.diff:
        rows = [row.text if row.sign == "@" else row.sign + row.text for row in call.diff]
        rows += [f"… {counted(call.more, 'more line')}"] if call.more else []
        body.append(fenced("\n".join(rows), "diff"))
    if call.output:
        body.append(fenced(call.output))
    body += [f"\n{_image(picture)}\n" for picture in call.images]
    body += [f"\n{_tool(nested)}\n" for nested in call.nested]
    anchor = f'<a id="e{call.number}"></a>' if call.number else ""
    if call.diff or not body:
        # An edit is not folded.
        words = (f"**{escaped(call.name)}**", _code_span(call.argument), escaped(end))
        return anchor + " ".join(filter(None, words)) + "\n" + "".join(body)
    return _folded("", call.line, "".join(body), end, anchor)


def _image(picture: Picture) -> str:
    if picture.content is None:
        return f"_[{escaped(picture.words)}]_"
    mime, data = picture.content
    return f"![image](data:{mime};base64,{base64.b64encode(data).decode()})"


def _folded(lead: str, title: str, body: str, end: str = "", anchor: str = "") -> str:
    code = f"<code>{html.escape(title)}</code>" if title else ""
    end = f" {html.escape(end)}" if end else ""
    return f"<details>{anchor}<summary>{lead}{code}{end}</summary>\n{body}\n</details>"


def _code_span(text: str) -> str:
    """One line of text as code, in more backticks than are in it; "" for none."""
    ticks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{ticks} {text} {ticks}" if "`" in text else f"`{text}`" if text else ""


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
