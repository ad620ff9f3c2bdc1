"""A session as one HTML file that needs nothing else and loads nothing: the transcript, a tree of its
branches, and a search.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup, escape

from app.export.html_text import DARK, LIGHT, HtmlTexts, code_styles

if TYPE_CHECKING:
    from app.export.articles import Article, Articles, Piece

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
_MOST_PROBLEMS = 50
_DEEPEST = 12
"""The most branch points for which a row of the tree is indented."""


class Row(NamedTuple):
    """A row of the tree: an article in a short line."""

    number: int
    depth: int
    begins_branch: bool
    kind: str
    name: str
    label: str
    snippet: str
    on_path: bool


class _Page(NamedTuple):
    template: Template
    style: Markup
    script: Markup
    policy: str


@lru_cache(maxsize=1)
def _page() -> _Page:
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
    return _Page(environment.get_template("page.html"), Markup(style), Markup(script), policy)


def _asset(name: str) -> str:
    with open(os.path.join(_FOLDER, name), encoding="utf-8", newline="\n") as file:
        return file.read()


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def html_page(articles: Articles) -> Iterator[str]:
    """The document, piece by piece."""
    page = _page()
    texts = HtmlTexts()
    rows: list[Row] = []
    parents: list[tuple[int, int]] = []

    def with_rows() -> Iterator[Article]:
        """The articles; the rows of the tree are made of those that have passed."""
        for article in articles:
            rows.append(
                Row(
                    article.number,
                    min(article.depth, _DEEPEST),
                    article.begins_branch,
                    article.kind,
                    article.name,
                    article.label,
                    article.snippet,
                    article.on_path,
                )
            )
            parents.append((article.number, article.parent))
            yield article

    yield from page.template.generate(
        title=articles.title,
        about=articles.about,
        problems=articles.problems[:_MOST_PROBLEMS],
        more_problems=max(0, len(articles.problems) - _MOST_PROBLEMS),
        policy=page.policy,
        style=page.style,
        script=page.script,
        articles=with_rows(),
        piece=lambda article, piece: _piece(texts, article, piece),
        rows=rows,
        hidden=lambda: articles.hidden,
        data=lambda: _data({"parents": parents, "leaf": articles.leaf}),
    )


def _data(value: object) -> Markup:
    """A value as JSON that ends no element of HTML."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _piece(texts: HtmlTexts, article: Article, piece: Piece) -> Markup:
    match piece.kind:
        case "text":
            return texts.plain(piece.text) if article.kind == "user" else texts.markdown(piece.text)
        case "thinking":
            return _folded("thinking", "Thinking", texts.markdown(piece.text))
        case "image" if piece.image is not None:
            return texts.image(*piece.image, piece.text)
        case "image":
            return Markup('<p class="image">[{}]</p>').format(piece.text)
        case "diff":
            return _folded("output", "Diff", texts.diff(piece.text), is_open=True)
        case "tool_call":
            if not piece.text:
                return Markup('<p class="call"><b>{}</b></p>').format(piece.title)
            language = "bash" if piece.title == "bash" else ""
            return _folded("call", piece.title, texts.code(piece.text, language), is_open=True)
        case "error":
            return _folded("error", f"Error: {piece.title}", texts.code(piece.text), is_open=True)
        case "tool_result":
            lines = piece.text.count("\n") + 1
            counted = f"{piece.title}: {lines:,} {'line' if lines == 1 else 'lines'}"
            return _folded("output", counted, texts.code(piece.text), is_open=lines <= 12)
    return _folded("other", piece.title or piece.kind, texts.code(piece.text))


def _folded(kind: str, title: str, body: Markup, *, is_open: bool = False) -> Markup:
    state = " open" if is_open else ""
    return Markup(f'<details class="{kind}"{state}><summary>{escape(title)}</summary>{body}</details>')
