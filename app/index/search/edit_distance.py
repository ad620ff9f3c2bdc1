"""Other spellings of a word that is nowhere: the words of the text store that are next to it.

Next to a word is, by its length in characters:

    up to 3    nothing
    4          what has two neighbouring letters swapped; with one letter changed, half of all short words are
    5 to 8     what differs in one letter: left out, added, changed, or swapped with the next
    9 and on   what differs in up to two letters left out, added or changed; a swap is two of them

Of a word with one fault one half is right, of one with two a third: so only words with one of these parts are
compared letter by letter. Of one that may only be swapped all spellings are known beforehand.

What tools were asked and gave back is in no text store, and has no other spellings: each word of all files
would have to be compared.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from app.formats.fold import encoded
from app.index.search.passage import kind_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.search.cancellation import CancelToken
    from app.index.search.documents import Place

SHORTEST = 4
"""Of so many letters no other spelling counts but a swap; shorter words have none."""
LONG = 9
"""From so many letters on there may be two faults."""
MOST = 5
"""So many spellings are used, the nearest and of these the commonest."""

MOST_LOOKS = 60_000
"""So many words with a part are compared at most, the newest: a part may be in every third word there is."""

# Words are of letters and digits, and of all that is not ASCII; what is between them becomes a blank.
_WORDS = b"0123456789_abcdefghijklmnopqrstuvwxyz"
_BETWEEN = bytes(byte if byte >= 0x80 or byte in _WORDS else 0x20 for byte in range(0x100))
_WIDEST = 4


def faults(word: str) -> int:
    """How many faults another spelling of a folded word may have."""
    return 0 if len(word) < SHORTEST else 1 if len(word) < LONG else 2


def nearest(word: str, places: Iterable[Place], kinds: frozenset[int], pulse: CancelToken) -> tuple[str, ...]:
    """The spellings of `word` in the texts at `places`, the nearest first; none where there are none.

    :param word: folded.
    :param kinds: of pieces that count.
    :raises Stopped: the search is not wanted any more.
    """
    most = faults(word)
    if not most:
        return ()
    room = (len(word) + most) * (1 if word.isascii() else _WIDEST) + most * _WIDEST
    known: dict[bytes, tuple[int, bytes]] = {}
    counts: Counter[bytes] = Counter()
    swaps = _swaps(word) if len(word) == SHORTEST else None
    parts = dict.fromkeys(_parts(word, most) if swaps is None else swaps, MOST_LOOKS)
    for source, start, end in places:
        for part, looks in parts.items():
            at = source.find_far(part, start, end) if looks else -1
            while at >= 0 and looks:
                looks -= 1
                pulse.beat()
                window = max(start, at - room)
                around = source.data[window : min(end, at + room)].translate(_BETWEEN)
                begin = around.rfind(b" ", 0, at - window) + 1
                stop = around.find(b" ", at - window)
                token = around[begin : stop if stop >= 0 else len(around)]
                apart, by = known.get(token) or (-1, part)
                if apart < 0:
                    apart = _apart(word, token, most, swaps)
                    known[token] = apart, part
                # Many words have more than one of the parts.
                if apart <= most and by == part and kind_at(source, start, at) in kinds:
                    counts[token] += 1
                at = source.find_far(part, at + len(part), end)
            parts[part] = looks
            pulse.beat()
    ranked = sorted(counts, key=lambda token: (known[token][0], -counts[token], token))
    return tuple(token.decode() for token in ranked[:MOST])


def _parts(word: str, most: int) -> list[bytes]:
    """Of these each spelling has one."""
    cuts = [len(word) * number // (most + 1) for number in range(most + 2)]
    parts = [word[start:end] for start, end in pairwise(cuts)]
    if most == 1:
        # The one swap that spoils both halves.
        cut = cuts[1]
        parts.append(word[: cut - 1] + word[cut] + word[cut - 1] + word[cut + 1 :])
    return [encoded(part) for part in dict.fromkeys(parts)]


def _swaps(word: str) -> list[bytes]:
    """The word with two neighbouring letters swapped, whichever two are not the same."""
    found = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]
    return [encoded(each) for each in dict.fromkeys(found) if each != word]


def _apart(word: str, token: bytes, most: int, swaps: Sequence[bytes] | None) -> int:
    if swaps is not None:
        return 1 if token in swaps else most + 1
    try:
        return distance(word, token.decode(), most)
    except UnicodeDecodeError:  # the window, or half a surrogate pair, cuts a character
        return most + 1


def distance(one: str, other: str, most: int) -> int:
    """How many letters have to be left out, added or changed to make `other` of `one`, or, where `most` is 1,
    swapped with the next; `most` + 1 where more than `most`.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    older: list[int] = []
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, char in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, there in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (char != there))
            if most == 1 and i > 1 and j > 1 and char == other[j - 2] and one[i - 2] == there:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
