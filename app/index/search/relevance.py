"""How well a session answers a query.

What people wrote themselves counts most: a term in the session's name or in a label 3, in a prompt 2,
anywhere else 1; the mean over all terms times 10 is the first part of the score. The second, from 0 to 8, is
how dense the terms are: pieces with a term for each 4,096 bytes of text, half of it at one. The third, below
1, is age: half after 30 days, none in the end. So neither density nor youth makes up for a better place of
the only term.

Of a session no more than the last 64 pieces with a term count towards how dense they are. A prompt counts as
one wherever it stands: what comes after it does not make it worse.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from app.formats import kinds
from app.index.search.metadata_fields import LABEL, NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from app.index.search.passage import Passage

MOST = 64
_NAMED, _ASKED, _SAID = 3, 2, 1
_DENSITY = 8.0
_PER_BYTES = 4096
_DAY_MS = 24 * 3600 * 1000
_HALF_DAYS = 30


def score(
    told: Iterable[Passage],
    pieces: Iterable[Passage],
    asked: Callable[[int], int],
    terms: int,
    size: int,
    age_ms: int,
) -> float:
    """The score of a session: from 0 up, the higher, the more relevant.

    :param told: what matches of what the catalog knows; `pieces`: of what was said in it, the last first.
    :param asked: which of some terms, a mask, are in prompts; called where `pieces` are too many.
    :param terms: how many terms are wanted.
    :param size: bytes of its text.
    :param age_ms: since it was modified.
    """
    # Somewhere it has each of them.
    weights = [_SAID] * terms
    for piece in told:
        if piece.kind in (NAME, LABEL):
            _weigh(weights, piece.mask, _NAMED)
    count = 0
    for piece in islice(pieces, MOST):
        count += 1
        if piece.kind == kinds.USER:
            _weigh(weights, piece.mask, _ASKED)
    left = sum([1 << number for number, weight in enumerate(weights) if weight < _ASKED])
    if left and count == MOST:
        _weigh(weights, asked(left), _ASKED)
    dense = count * _PER_BYTES / max(size, 1)
    youth = 1 / (1 + max(age_ms, 0) / (_DAY_MS * _HALF_DAYS))
    return 10 * sum(weights) / max(terms, 1) + _DENSITY * dense / (dense + 1) + 0.99 * youth


def _weigh(weights: list[int], mask: int, weight: int) -> None:
    for number, before in enumerate(weights):
        if mask >> number & 1 and before < weight:
            weights[number] = weight
