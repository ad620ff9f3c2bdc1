"""A session as one HTML file that needs nothing else and loads nothing: the transcript, a sidebar with its
prompts and branches, and a search. No text of the session becomes an element of its own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, Template
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from app.export.clean_text import line_of
from app.view.formatting import counted

if TYPE_CHECKING:
    from app.export.articles import Article, Articles, Piece
    from app.export.tool_calls import Picture, ToolCall
    from app.view.code_lines import DiffRow

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
_MOST_PROBLEMS = 50
_LONGEST_SUMMARY = 300
_DEEPEST = 12
"""The most branch points for which a row of the tree is indented."""


@lru_cache(maxsize=1)
def _page() -> Template:
    """The template, and the style and the script with the policy that permits only these two."""
    environment = Environment(
        loader=FileSystemLoader(_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    dark = code_styles(".dark .hl", DARK)
    system_dark = code_styles(":root:not(.light) .hl", DARK)
    style = "\n".join(
        (
            _asset("page.css"),
            code_styles(".hl", LIGHT),
            f"@media screen and (prefers-color-scheme: dark) {{\n{system_dark}\n}}",
            f"@media screen {{\n{dark}\n}}",
        )
    )
    script = _asset("page.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    environment.globals |= {"style": Markup(style), "script": Markup(script), "policy": policy}
    return environment.get_template("page.html")


def _asset(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8", newline="\n") as file:
        return file.read()


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def html_page(articles: Articles) -> Iterator[str]:
    """The document, piece by piece."""
    texts = HtmlTexts()
    rows: list[Article] = []

    def with_rows() -> Iterator[Article]:
        """The articles; the rows of the sidebar are made of those that have passed."""
        for article in articles:
            rows.append(article._replace(pieces=(), forks=(), moment=None))
            yield article

    yield from _page().generate(
        title=articles.title,
        session_id=articles.session_id,
        about=articles.about,
        facts=articles.facts,
        problems=articles.problems[:_MOST_PROBLEMS],
        more_problems=max(0, len(articles.problems) - _MOST_PROBLEMS),
        articles=with_rows(),
        piece=lambda article, piece: _piece(texts, article, piece),
        rows=rows,
        deepest=_DEEPEST,
        hidden=lambda: articles.hidden,
        data=lambda: _data({"parents": [row[:2] for row in rows], "leaf": articles.leaf}),
    )


def _data(value: object) -> Markup:
    """A value as JSON that ends no element of HTML."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _piece(texts: HtmlTexts, article: Article, piece: Piece) -> Markup:
    if piece.call is not None:
        return _tool(texts, piece.call)
    if piece.picture is not None:
        return texts.image(piece.picture)
    match piece.kind:
        case "text":
            return texts.plain(piece.text) if article.kind == "user" else texts.markdown(piece.text)
        case "thinking":
            summary = _summary("thinking", piece.text, counted(piece.text.count("\n") + 1, "line"))
            return _folded("thinking", summary, texts.markdown(piece.text))
        case "error":
            return Markup('<p class="error">× {}: {}</p>').format(piece.title, piece.text)
    return _folded("other", _summary(piece.title or piece.kind, "", ""), texts.code(piece.text))


def _tool(texts: HtmlTexts, call: ToolCall) -> Markup:
    """A call: its line, and below it its input, its edit and its result."""
    body = [texts.code(code.text, code.language) for code in call.input]
    if call.diff:
        body.append(texts.diff(call.diff, call.more))
    if call.output:
        body.append(texts.code(call.output, kind="output"))
    body += [texts.image(picture) for picture in call.images]
    body += [_tool(texts, nested) for nested in call.nested]
    facts = escape(call.facts)
    if call.changed is not None:
        added, removed = call.changed
        changed = f'<span class="add">+{added:,}</span> <span class="del">−{removed:,}</span>'
        facts = Markup(f"{changed} {facts}".rstrip())
    summary = _summary(call.name, call.argument, facts, call.label)
    kind = "tool failed" if call.failed else "tool"
    anchor = f"e{call.number}" if call.number else ""
    if not body:
        anchor = f' id="{anchor}"' if anchor else ""
        return Markup(f'<p class="{kind}"{anchor}>{summary}</p>')
    return _folded(kind, summary, Markup("").join(body), is_open=call.is_open, anchor=anchor)


def _summary(name: str, text: str, facts: str, label: str = "") -> Markup:
    """The line of what is folded: a name, the beginning of a text, and facts at its end."""
    mark = f'<span class="label">◆ {escape(label)}</span>' if label else ""
    line = escape(line_of(text, _LONGEST_SUMMARY))
    facts = escape(facts)
    return Markup(
        f'<b>{escape(name)}</b> <span class="argument">{line}</span> {mark}<span class="facts">{facts}</span>'
    )


def _folded(kind: str, summary: Markup, body: Markup, *, is_open: bool = False, anchor: str = "") -> Markup:
    state = " open" if is_open else ""
    anchor = f' id="{anchor}"' if anchor else ""
    return Markup(f'<details class="{kind}"{anchor}{state}><summary>{summary}</summary>{body}</details>')


_DIFF_KINDS = {"+": ("add", "+ "), "-": ("del", "− "), " ": ("same", "  "), "@": ("hunk", "")}
_SCHEMES = frozenset(("http", "https", "mailto"))

LONGEST_MARKDOWN = 100_000
"""Characters; a longer text is shown as it is written."""
LONGEST_CODE = 20_000
"""Characters of the longest code that is coloured."""
MARKDOWN_BUDGET = 1_000_000
CODE_BUDGET = 60_000
"""Characters of Markdown that are laid out, and of code that are coloured, in one document. The rest is shown
as it is written, because ten times as much would take ten seconds.
"""
_FORMATTER = HtmlFormatter(nowrap=True)
LIGHT, DARK = "default", "github-dark"


def code_styles(selector: str, style: str) -> str:
    """The rules of CSS for coloured code below `selector`.

    :param style: a style of Pygments.
    """
    rules = HtmlFormatter(style=style).get_style_defs(selector)
    # The rules for line numbers are not needed, and the background is that of the page.
    kept = [rule for rule in rules.splitlines() if rule.startswith(f"{selector} .") and "linenos" not in rule]
    return "\n".join(kept)


def is_safe_link(url: str) -> bool:
    """Whether a link may be followed: http, https and mailto, and no relative link."""
    try:
        return urlsplit(url.strip()).scheme.lower() in _SCHEMES
    except ValueError:
        return False


class HtmlTexts:
    """Makes HTML of texts, within the budgets of one document."""

    def __init__(self) -> None:
        self._markdown_left = MARKDOWN_BUDGET
        self._code_left = CODE_BUDGET
        self._parser = MarkdownIt("commonmark", {"html": False, "highlight": self._highlighted})
        self._parser.enable(["table", "strikethrough"])
        self._parser.validateLink = is_safe_link  # type: ignore[method-assign]
        self._parser.add_render_rule("image", _image)
        self._parser.add_render_rule("link_open", _link_open)
        for name in ("th_open", "td_open"):
            self._parser.add_render_rule(name, _cell_open)

    def markdown(self, text: str) -> Markup:
        """Markdown as HTML; as it is written if it is too long."""
        if len(text) > LONGEST_MARKDOWN or len(text) > self._markdown_left:
            return self.plain(text)
        self._markdown_left -= len(text)
        return Markup(f'<div class="md">{self._parser.render(text)}</div>')

    def plain(self, text: str) -> Markup:
        """Text as it is written, with its line breaks."""
        return Markup(f'<div class="plain">{escape(text)}</div>')

    def code(self, text: str, language: str = "", kind: str = "hl") -> Markup:
        """Code in a block, coloured if the language is known and there is budget left."""
        body = self._highlighted(text, language, "") or escape(text)
        return Markup(f'<pre class="{kind}">{body}</pre>')

    def diff(self, rows: Sequence[DiffRow], more: int) -> Markup:
        """A diff in a block, with a class for each line that was added or removed.

        :param more: how many other lines there are.
        """
        parts = []
        for row in rows:
            number = "" if row.number is None else f'<span class="n">{row.number:>4} </span>'
            kind, sign = _DIFF_KINDS[row.sign]
            parts.append(f'<span class="{kind}">{number}{sign}{escape(row.text)}\n</span>')
        if more:
            parts.append(f'<span class="hunk">… {counted(more, "more line")}</span>')
        return Markup('<pre class="diff">' + "".join(parts) + "</pre>")

    def image(self, picture: Picture) -> Markup:
        """An image in the page itself, with its description."""
        if picture.content is None:
            return Markup('<p class="image">[{}]</p>').format(picture.words)
        mime, data = picture.content
        source = f"data:{mime};base64,{base64.b64encode(data).decode()}"
        return Markup('<p class="image"><img src="{}" alt="{}"></p>').format(source, picture.words)

    def _highlighted(self, code: str, language: str, attrs: str) -> str:
        """Code as HTML; "" to have it escaped only."""
        if not language or len(code) > LONGEST_CODE or len(code) > self._code_left:
            return ""
        lexer = _lexer(language[:40])
        if lexer is None:
            return ""
        self._code_left -= len(code)
        return str(highlight(code, lexer, _FORMATTER))


@lru_cache(maxsize=64)
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _image(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A link to the image, which is not loaded."""
    source, words = str(tokens[index].attrGet("src") or ""), tokens[index].content or "image"
    if not is_safe_link(source):
        return str(escape(f"[{words}]"))
    return f'<a href="{escape(source)}" rel="noopener noreferrer nofollow">[image: {escape(words)}]</a>'


def _link_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    href = str(tokens[index].attrGet("href") or "")
    if not is_safe_link(href):
        return "<span>"
    return f'<a href="{escape(href)}" rel="noopener noreferrer nofollow">'


def _cell_open(renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A cell with a class for its alignment, because the page's policy permits no styles of elements."""
    style = str(tokens[index].attrGet("style") or "")
    side = style.removeprefix("text-align:")
    return (
        f'<{tokens[index].tag} class="{side}">'
        if side in ("left", "right", "center")
        else (f"<{tokens[index].tag}>")
    )
