"""Finds secrets in UTF-8 bytes by the table of rules.

A text is matched against all rules at once (an RE2 set). The rules that match are searched for in windows
around their anchors. Without the package of RE2, Python's `re` searches for all rules in the same windows,
whose size bounds its time.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from app.redact.escapes import MOST_LEVELS, View, has_escapes
from app.redact.placeholders import is_placeholder
from app.redact.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BEFORE = 200
"""Bytes before an anchor in which a match may begin."""


class Secret(NamedTuple):
    """A secret in bytes.

    :param begin, end: its offsets.
    :param rule: the number of its rule in the table.
    """

    begin: int
    end: int
    rule: int


class _Matcher:
    """The compiled rules.

    anchors   for each reach in bytes, a pattern for its anchors in small letters, and the reach
    regexes   the pattern of each rule
    """

    def __init__(self) -> None:
        reaches: dict[bytes, int] = {}
        for rule in RULES:
            for anchor in rule.anchors:
                key = anchor.encode()
                reaches[key] = max(reaches.get(key, 0), rule.reach)
        patterns = [rule.pattern.encode() for rule in RULES]
        try:
            # Imported here: few runs of leafmark redact, and some machines have no package of RE2.
            import re2

            options = re2.Options()
            options.log_errors = False  # otherwise RE2 writes to the terminal
            # Bytes that are no UTF-8 match as well as any others.
            options.encoding = re2.Options.Encoding.LATIN1
            options.max_mem = 64 << 20
            self._set: Any = re2.Set.SearchSet(options)
            for pattern in patterns:
                self._set.Add(pattern)
            self._set.Compile()

            def compiled(pattern: bytes) -> Any:
                return re2.compile(pattern, options)

        except ImportError:
            self._set = None
            compiled = re.compile
        self.regexes = [compiled(pattern) for pattern in patterns]
        self.anchors = [
            (
                compiled(b"|".join(re.escape(anchor) for anchor, each in reaches.items() if each == reach)),
                reach,
            )
            for reach in set(reaches.values())
        ]

    def rules_in(self, data: bytes) -> Sequence[int]:
        """The numbers of the rules that match in `data`; without RE2, of all rules."""
        if self._set is not None:
            found = self._set.Match(data)
            return sorted(found) if found else ()
        return range(len(self.regexes))


@lru_cache(maxsize=1)
def _matcher() -> _Matcher:
    return _Matcher()


def secrets_in(data: bytes) -> list[Secret]:
    """The secrets in `data`, UTF-8, in their order; none overlaps another. Those that escapes of JSON split
    are found as well.
    """
    if b"\\" not in data and not _matcher().rules_in(data):
        return []
    if _HIDING.search(data) is not None:
        return without_overlaps([*_in_windows(data), *_in_views(data, 0, len(data))])
    return without_overlaps(_in_windows(data))


_HIDING = re.compile(rb"\\u00[2-7]|\\/")
"""Escapes that may be within an anchor. Any other escape is beside it."""


def _in_views(data: bytes, begin: int, end: int) -> list[Secret]:
    """The secrets in a part of `data` without its escapes, and without those in what they hide."""
    found: list[Secret] = []
    views: list[View] = []
    level = data[begin:end]
    while len(views) < MOST_LEVELS and has_escapes(level):
        views.append(View(level))
        level = views[-1].data
        for start, stop, rule in _in_windows(level, looks_into_escapes=False):
            for view in reversed(views):
                start, stop = view.span(start, stop)
            found.append(Secret(begin + start, _token_end(data, begin + stop, end), rule))
    return found


def _in_windows(data: bytes, *, looks_into_escapes: bool = True) -> list[Secret]:
    matcher = _matcher()
    rules = matcher.rules_in(data)
    looks_into_escapes = looks_into_escapes and b"\\" in data
    if not rules and not looks_into_escapes:
        return []
    found: list[Secret] = []
    for begin, end in _windows(data):
        window = data[begin:end]
        for number in rules:
            assigned = RULES[number].is_assigned
            for match in matcher.regexes[number].finditer(window):
                group = next((group for group in range(1, match.re.groups + 1) if match[group]), 0)
                start, stop = match.span(group)
                if assigned and is_placeholder(window[start:stop], window[match.start() : start]):
                    continue
                found.append(Secret(begin + start, _token_end(data, begin + stop, end), number))
        if looks_into_escapes and b"\\" in window:
            found += _in_views(data, begin, end)
    return found


def _windows(data: bytes) -> Iterator[tuple[int, int]]:
    """The parts of `data` around anchors; none overlaps another."""
    folded = data.lower()
    around = []
    for anchor, reach in _matcher().anchors:
        match = anchor.search(folded)
        while match is not None:
            at = match.start()
            around.append((max(0, at - BEFORE), at + reach))
            # The window also covers the anchors in its first half.
            match = anchor.search(folded, at + reach // 2)
    around.sort()
    begin = end = -1
    for first, last in around:
        if first > end:
            if end > 0:
                yield begin, min(end, len(data))
            begin, end = first, last
        elif last > end:
            end = last
    if end > 0:
        yield begin, min(end, len(data))


_TOKEN = re.compile(rb"[A-Za-z0-9._~+/=-]*")


def _token_end(data: bytes, stop: int, window_end: int) -> int:
    """The end of a secret: behind a whole character. One that reaches the end of its window goes on while its
    characters do.
    """
    if stop >= window_end:
        match = _TOKEN.match(data, stop)
        stop = match.end() if match else stop
    while stop < len(data) and data[stop] & 0xC0 == 0x80:  # within a character
        stop += 1
    return stop


def without_overlaps(found: list[Secret]) -> list[Secret]:
    """Secrets in their order, with each group that overlaps as one, of the kind of its first rule."""
    found.sort()
    merged: list[Secret] = []
    for secret in found:
        if merged and secret.begin < merged[-1].end:
            last = merged[-1]
            merged[-1] = Secret(last.begin, max(last.end, secret.end), min(last.rule, secret.rule))
        else:
            merged.append(secret)
    return merged
