"""The beginning and the end of damaged sessions, and a line to be damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.corpus.chunks import Text
from tests.benchmarks.corpus.draft import quote
from tests.benchmarks.corpus.variants import claude, codex, pi

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.corpus.draft import Draft
    from tests.benchmarks.corpus.maker import Maker

ENTRIES = 24


HEALTHY: dict[str, Callable[[Maker, int], Draft]] = {
    "pi": lambda maker, entries: pi(maker, entries, events=0.0),
    "claude": claude,
    "codex": codex,
}
"""A healthy session of each agent that is damaged in all ways."""


def whole(maker: Maker) -> Draft:
    """Return a healthy session."""
    return HEALTHY[maker.damaged](maker, ENTRIES)


def half(maker: Maker) -> Draft:
    """Return the first half of a healthy session."""
    return HEALTHY[maker.damaged](maker, ENTRIES // 2)


def rest(maker: Maker, draft: Draft) -> Draft:
    maker.talk(draft, ENTRIES // 2, 0.0)
    return draft


def prompt(maker: Maker, text: str, json_text: str | None = None) -> Draft:
    """Return a session whose first message is `text`, and `json_text` in the file."""
    draft = maker.start(maker.damaged, entries=ENTRIES)
    draft.header()
    draft.user(Text(text, json_text or quote(text)))
    return rest(maker, draft)


def message_line(draft: Draft, rest: str) -> str:
    """Return a message with `rest` after the opening quote of its text, and `{id}` in place of its id."""
    line = draft.line("message", f',"message":{{"role":"user","content":"{rest}', "{id}", draft.leaf)
    return line.removesuffix("}")
