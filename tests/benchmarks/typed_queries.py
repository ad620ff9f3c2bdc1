"""A hundred short queries of every kind, as users type them."""

from __future__ import annotations

import random

from tests.benchmarks.corpus.chunks import NAMES, THINGS, WORDS
from tests.benchmarks.corpus.needles import NEEDLES

LEAST, MOST = 3, 12
"""Characters of a query; words of CJK characters and single emoji are shorter."""

_FOREIGN = (
    "日本",
    "日本語",
    "テスト",
    "検索",
    "索引",
    "🎉",
    "✅",
    "🦑🪐",
    "naïve",
    "grüße",
    "café",
    "проверка",
    "поиск",
)


CAPITALS = (
    "Error",
    "The",
    "THE",
    "GET",
    "HttpClient",
    "Straße",
    "ΟΔΟΣ",
    "µs",
    '"Two Words"',
    "re:[A-Z]{3}_[0-9]+",
    "Qzxjw",
)
"""Queries whose case counts: frequent and rare words, a phrase, a pattern, and a word that is nowhere. Micro
sign, sharp s and final sigma change when they are folded.
"""


def queries(count: int = 100) -> list[str]:
    """Return `count` queries, the same on every run: common and rare words, two words, parts of identifiers,
    calls, paths, CJK, emoji, accents. Some of them match nothing.
    """
    rng = random.Random("typed queries")
    plain = [word for word in WORDS if word.isascii() and len(word) >= LEAST]
    rare = [needle.query for needle in NEEDLES if needle.query.isalpha()]

    def identifier() -> str:
        name = rng.choice(
            (
                f"{rng.choice(NAMES)}_{rng.choice(plain)}",
                f"{rng.choice(NAMES)}{rng.choice(THINGS)}",
                "reFrobnosticatorHandle",
            )
        )
        return name[rng.randrange(max(1, len(name) - MOST)) :]

    kinds = (
        lambda: rng.choice(plain),
        lambda: rng.choice(plain),
        lambda: rng.choice(rare),
        lambda: f"{rng.choice(plain)} {rng.choice(plain)}",
        lambda: f"{rng.choice(plain)} {rng.choice(rare)}",
        identifier,
        lambda: f"{rng.choice(NAMES)}_{rng.choice(plain)}("[-MOST:],
        lambda: f"src/{rng.choice(plain)}",
        lambda: rng.choice(_FOREIGN),
    )
    return [kinds[number % len(kinds)]()[:MOST].strip() for number in range(count)]


def prefixes(query: str) -> list[str]:
    """Return the text in the search box after each key."""
    return [query[:end] for end in range(1, len(query) + 1)]
