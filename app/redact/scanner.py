"""Finds secrets in UTF-8 bytes by the table of rules.

A text is matched against all rules at once (an RE2 set). The rules that match are searched for in windows
around their anchors. Without the package of RE2, Python's `re` searches for all rules in the same windows,
whose size bounds its time. A text with escapes of JSON is also searched without
them: a secret is found although it stands in JSON within a text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from app.redact.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BEFORE = 200
"""Bytes before an anchor in which a match may begin."""


MOST_LEVELS = 3
"""Levels of JSON within JSON that are looked into."""


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


_ESCAPE = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})')
_PLAIN = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}


class View:
    """Bytes without one level of escapes, with the place of each part in the bytes with them.

    data   the bytes without escapes
    """

    __slots__ = ("_begins", "_ends", "_places", "data")

    def __init__(self, data: bytes) -> None:
        pieces: list[bytes] = []
        self._begins: list[int] = []  # of each piece in the view
        self._places: list[int] = []  # where it begins in `data`
        self._ends: list[int] = []  # and where it ends there
        done = length = 0
        for match in _ESCAPE.finditer(data):
            begin, end = match.span()
            char = data[begin + 1 : begin + 2]
            plain = _PLAIN.get(char, char) if char != b"u" else _character(data[begin + 2 : end])
            for piece, first, last in ((data[done:begin], done, begin), (plain, begin, end)):
                if piece:
                    pieces.append(piece)
                    self._begins.append(length)
                    self._places.append(first)
                    self._ends.append(last)
                    length += len(piece)
            done = end
        pieces.append(data[done:])
        self._begins.append(length)
        self._places.append(done)
        self._ends.append(len(data))
        self.data = b"".join(pieces)

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """The offsets, in the bytes with escapes, of the part from `begin` to `end` of the view."""
        return self._place(begin, last=False), self._place(end - 1, last=True)

    def _place(self, offset: int, *, last: bool) -> int:
        number = bisect_right(self._begins, offset) - 1
        place, end = self._places[number], self._ends[number]
        following = self._begins[number + 1] if number + 1 < len(self._begins) else len(self.data)
        if end - place != following - self._begins[number]:  # an escape
            return end if last else place
        return place + offset - self._begins[number] + last


def has_escapes(data: bytes) -> bool:
    """Whether `data` has an escape of JSON."""
    return b"\\" in data and _ESCAPE.search(data) is not None


def _character(digits: bytes) -> bytes:
    return chr(int(digits, 16)).encode("utf-8", "surrogatepass")


_WORDS = re.compile(
    rb"(?i)your|example|placeholder|redacted|changeme|change[_-]me|xxx|\*\*\*|\.\.\.|insert|dummy|todo|"
    rb"password|passwd|passphrase|secret[_-]?(?:key|value|name)|api[_-]?key|access[_-]?key|"
    rb"(?:^|[_ .-])(?:my|some|the|a|test|fake|valid|invalid|wrong|new|old)?[_-]?(?:token|secret|key)$|"
    rb"env[.(\[:]|environ|process\.|secrets\.|config\.|settings\.|self\.|this\.|getenv"
)
_REFERENCE = re.compile(rb"[$<%{&*@!(\[]|%\(")
_WORD = re.compile(rb"[A-Za-z]+")
_CODE = re.compile(rb"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_*]\w*)+[\w.:]*|_*[A-Za-z]+(?:_[A-Za-z]+)+_*")
_CAPITALS = re.compile(rb"[A-Z][A-Z_]*")
_PASSWORDS = (b"password", b"passwd", b"passwort", b"passphrase", b"pwd")
_VALUES = frozenset(
    b"none null nil true false undefined optional required string str text bytes bool boolean number int "
    b"integer float object default empty value values hidden disabled enabled varchar char uuid json type "
    b"postgres root admin user username guest login pass auth token secret key keys".split()
)


def is_placeholder(value: bytes, before: bytes) -> bool:
    """Whether the value of an assignment to a secret's name is no secret but a placeholder, a reference to a
    variable, a word of prose or a name in code.

    :param value: the value without quotes.
    :param before: the match before the value: the name, the sign and an opening quote.
    """
    if _REFERENCE.match(value) or b"${" in value or b"{{" in value or _WORDS.search(value):
        return True
    if value.lower().rstrip(b".,:;") in _VALUES or len(set(value)) < 3:
        return True
    if _CODE.fullmatch(value):
        return True
    is_quoted = before[-1:] in (b'"', b"'", b"`")
    sign = before.rstrip(b"\"'` \t")[-1:]
    name = re.sub(rb"[^A-Za-z0-9]+$", b"", before)
    is_password = name.lower().endswith(_PASSWORDS)
    if b"://" in before:
        return False
    if value.isdigit() and not (is_password and len(value) > 5):
        return True
    if is_quoted:
        if b" " in value and not any(48 <= byte < 58 for byte in value):
            return True
        least = 6 if is_password else 8
        is_trusted = is_password or (name.isupper() and not _CAPITALS.fullmatch(value))
        return bool(_WORD.fullmatch(value)) and (not is_trusted or len(value) < least)
    has_digit = any(48 <= byte < 58 for byte in value)
    if sign == b"=" and b" " not in before[len(name) :]:
        if name.isupper():
            return bool(_CAPITALS.fullmatch(value))
        if is_password and len(value) >= 8:
            return False
    return not has_digit
