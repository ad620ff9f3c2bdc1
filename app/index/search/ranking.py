"""The order of the sessions that a search has found, the best first.

A term can be in four places of a session, the best first:

    name           its name, or its title if it has none; its labels and tags
    conversation   prompts, answers, thinking, summaries and messages of extensions; its folder, id, agent and
                   note, and its prompts in the history of the agent
    files          the paths of the files that its tools touched
    tools          tool calls and their output, commands of the user, and with `in:all` everything else in its
                   file

The place of a term is the best one that has it. The tier of a session is the worst of the places of its
terms. The rarity of a term is the logarithm of the number of sessions divided by the number of those that
have the term in a place before `tools`; only sessions that pass the filters count. The order is that of

1. the tier,
2. the sum of the rarities of the terms that are in a better place than the tier, the greatest first,
3. the last use, the newest first,
4. the path.

A loosened list has sessions without some of the terms. Its order is that of the sum of the rarities of the
terms that a session has, the greatest first, then of the last use and the path. There, `tools` counts for the
rarity, too. A session is listed if this sum is at least half of the greatest.
"""

from __future__ import annotations

from math import fsum, log
from typing import TYPE_CHECKING, Literal

from app.index.search.documents import list_key, newest_first

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from app.index.search.documents import Document

    Tier = Literal["", "name", "conversation", "files", "tools"]
    Places = bytes
    """The place of each wanted term; 0 if no place is known to have it."""

NOWHERE, NAMES, TEXTS, FILES, TOOLS = range(5)
TIERS: tuple[Tier, ...] = ("", "name", "conversation", "files", "tools")
"""The name of each place; "" for a query without terms."""


def is_complete(places: Places) -> bool:
    """Whether each term has a place."""
    return NOWHERE not in places


def tier_of(places: Places) -> Tier:
    """The tier of a session; terms that it lacks do not count."""
    return TIERS[max(places, default=NOWHERE)]


def rarities(places: Collection[Places], terms: int, worst: int = FILES) -> list[float]:
    """The rarity of each term; 0 for a term that no session has.

    :param places: those of all sessions.
    :param worst: the worst place that counts.
    """
    counts = [sum(NOWHERE < each[number] <= worst for each in places) for number in range(terms)]
    return [log(len(places) / count) if count else 0.0 for count in counts]


def best_first(
    documents: Iterable[Document], places: Mapping[Document, Places], rarity: Sequence[float]
) -> list[Document]:
    """The sessions in this order.

    :param rarity: that of each term.
    """

    # Few sessions have other places than all others.
    keys: dict[Places, tuple[int, float]] = {}
    listed = newest_first(documents)
    for found in set(map(places.__getitem__, listed)):
        tier = max(found, default=NOWHERE)
        keys[found] = tier, -fsum([rarity[number] for number, place in enumerate(found) if place < tier])
    return sorted(listed, key=lambda document: keys[places[document]])


def most_terms_first(places: Mapping[Document, Places], rarity: Sequence[float]) -> list[Document]:
    """The sessions of a loosened list.

    :param places: those of all sessions.
    """
    sums = {
        document: fsum(rarity[number] for number, place in enumerate(found) if place)
        for document, found in places.items()
        if any(found)
    }
    least = max(sums.values(), default=0.0) / 2
    listed = [document for document, total in sums.items() if total >= least]
    return sorted(listed, key=lambda document: (-sums[document], list_key(document)))
