"""Texts of a session as HTML: Markdown, code, diffs and plain text. Nothing in them becomes an element of its
own, and nothing is loaded.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_SCHEMES = frozenset(("http", "https", "mailto"))

LONGEST_MARKDOWN = 100_000
"""Characters; a longer text is shown as it is written."""
LONGEST_CODE = 20_000
"""Characters of the longest code that is coloured."""
MARKDOWN_BUDGET = 1_000_000
CODE_BUDGET = 200_000
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

    def code(self, text: str, language: str = "") -> Markup:
        """Code in a block, coloured if the language is known and there is budget left."""
        body = self._highlighted(text, language, "") or escape(text)
        return Markup(f'<pre class="hl">{body}</pre>')

    def diff(self, text: str) -> Markup:
        """A diff in a block, with a class for each line that was added or removed."""
        parts = []
        for line in text.split("\n"):
            kind = {"+": "add", "-": "del", "@": "hunk"}.get(line[:1], "")
            parts.append(f'<span class="{kind}">{escape(line)}</span>' if kind else str(escape(line)))
        return Markup('<pre class="diff">' + "\n".join(parts) + "</pre>")

    def image(self, mime: str, data: bytes, words: str) -> Markup:
        """An image in the page itself, with its description."""
        source = f"data:{mime};base64,{base64.b64encode(data).decode()}"
        return Markup('<p class="image"><img src="{}" alt="{}"></p>').format(source, words)

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


_Rule = Callable[[RendererHTML, Sequence[Token], int, Any, Any], str]


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
