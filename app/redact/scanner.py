"""Finds secrets in UTF-8 bytes by the table of rules.

RE2 looks for all rules at once, and then searches for those that may match. Without its package, Python's
`re` searches for the rules with an anchor in the text. A text with escapes of JSON is also searched without
them: a secret is found although it stands in JSON within a text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from app.redact.readers import readers
from app.redact.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LEVELS = 24
"""Levels of JSON within JSON that are looked into: a quote in the last one has 16 million backslashes."""

_AROUND_ESCAPES = 2_000
"""Bytes of a line before its first escape and behind its last one that are searched with them."""


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

    regexes   the pattern of each rule
    readers   by their names
    """

    def __init__(self) -> None:
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
            for rule in RULES:
                self._set.Add((rule.hint or rule.pattern).encode())
            self._set.Compile()
            self.regexes = [re2.compile(pattern, options) for pattern in patterns]
        except ImportError:
            self._set = None
            # RE2 needs no bound on what is skipped; `re` would take the square of the time.
            self.regexes = [re.compile(pattern.replace(b"*?", b"{0,300}?")) for pattern in patterns]
            self._anchors = [tuple(anchor.encode() for anchor in rule.anchors) for rule in RULES]
        self.readers = readers()

    def rules_in(self, data: bytes) -> Sequence[int]:
        """The numbers of the rules that may match in `data`."""
        if self._set is not None:
            found = self._set.Match(data)
            return sorted(found) if found else ()
        folded = data.lower()
        return [
            number
            for number, anchors in enumerate(self._anchors)
            if any(anchor in folded for anchor in anchors)
        ]


@lru_cache(maxsize=1)
def _matcher() -> _Matcher:
    return _Matcher()


def secrets_in(data: bytes) -> list[Secret]:
    """The secrets in `data`, UTF-8, in their order; none overlaps another. Those that escapes of JSON split
    are found as well.
    """
    found = [_of_whole_characters(data, secret) for secret in _in_levels(data, MOST_LEVELS)]
    return without_overlaps(found) if found else found


def _in_levels(data: bytes, levels: int) -> list[Secret]:
    """The secrets in `data`, and in its lines with escapes without these, and so on. A long line is searched
    again only around its escapes.
    """
    found = _in_level(data)
    at = data.find(b"\\") if levels else -1
    while at >= 0:
        begin = data.rfind(b"\n", 0, at) + 1
        if at - begin > 2 * _AROUND_ESCAPES:
            least, most = at - 2 * _AROUND_ESCAPES, at - _AROUND_ESCAPES
            begin = data.rfind(b" ", least, most) + 1 or most
        end = _stretch_end(data, at)
        at = data.find(b"\\", end)
        # The next line has escapes as well.
        while 0 <= at - end <= _AROUND_ESCAPES and data.rfind(b"\n", end, at) == end:
            end = _stretch_end(data, at)
            at = data.find(b"\\", end)
        lines = data[begin:end]
        plain = _without_escapes(lines)
        inner = _in_levels(plain, levels - 1) if len(plain) < len(lines) else ()
        if inner:
            escapes = _Escapes(lines, begin)
            found += map(escapes.secret, inner)
    return found


def _stretch_end(data: bytes, at: int) -> int:
    """The end of the line, or the place in a long line behind which there are no escapes for a while.

    :param at: the offset of an escape.
    """
    end = data.find(b"\n", at)
    end = end if end >= 0 else len(data)
    while at + _AROUND_ESCAPES < end:
        last = data.rfind(b"\\", at + 1, min(end, at + 2 * _AROUND_ESCAPES))
        if last < 0:
            return at + _AROUND_ESCAPES
        at = last
    return end


def _in_level(data: bytes) -> list[Secret]:
    matcher = _matcher()
    found: list[Secret] = []
    for number in matcher.rules_in(data):
        reader = matcher.readers.get(RULES[number].reader)
        done = 0
        for match in matcher.regexes[number].finditer(data):
            if match.start() < done:
                continue
            if reader is None:
                group = next((group for group in range(1, match.re.groups + 1) if match[group]), 0)
                begin, end = match.span(group)
                found.append(Secret(begin, end, number))
                continue
            for begin, end in reader(data, match):
                done = max(done, end)
                if begin < end:
                    found.append(Secret(begin, end, number))
    return found


def _of_whole_characters(data: bytes, secret: Secret) -> Secret:
    begin, end, rule = secret
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    while begin > 0 and data[begin] & 0xC0 == 0x80:
        begin -= 1
    return Secret(begin, end, rule)


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
_PLAIN = {
    b"\\n": b"\n",
    b'\\"': b'"',
    b"\\t": b"\t",
    b"\\/": b"/",
    b"\\r": b"\r",
    b"\\b": b"\b",
    b"\\f": b"\f",
}
"""The most frequent escapes come first."""
_CODE_UNIT = re.compile(rb"\\u[0-9A-Fa-f]{4}")


def _unescaped(match: re.Match[bytes]) -> bytes:
    """The character of an escape."""
    escape = match[0]
    if len(escape) == 2:
        return _PLAIN.get(escape) or escape[1:]
    return chr(int(escape[2:], 16)).encode("utf-8", "surrogatepass")


def _without_escapes(line: bytes) -> bytes:
    """`line` with the character of each escape in its place."""
    # As `_ESCAPE.sub(_unescaped, line)`, in half the time. No text in UTF-8 has the byte FF.
    line = line.replace(b"\\\\", b"\xff")
    left = line.count(b"\\")
    for escape, plain in _PLAIN.items():
        if not left:
            break
        length = len(line)
        line = line.replace(escape, plain)
        left -= length - len(line)
    if left and b"\\u" in line:
        line = _CODE_UNIT.sub(_unescaped, line)
    return line.replace(b"\xff", b"\\")


class _Escapes:
    """The escapes of a line, which tell where a secret stands that was found in the line without them."""

    def __init__(self, line: bytes, offset: int) -> None:
        """:param offset: of the line in its text."""
        self._line = offset
        self._begins: list[int] = []  # of each character in the text without escapes
        self._spans: list[tuple[int, int, int]] = []  # of its escape, and the length of the character
        shorter = 0
        for match in _ESCAPE.finditer(line):
            begin, end = match.span()
            length = len(_unescaped(match))
            self._begins.append(begin - shorter)
            self._spans.append((begin, end, length))
            shorter += end - begin - length

    def secret(self, secret: Secret) -> Secret:
        """The secret with its offsets in the text of the line."""
        begin, end = self._offset(secret.begin), self._offset(secret.end - 1, 1)
        return Secret(self._line + begin, self._line + end, secret.rule)

    def _offset(self, offset: int, after: int = 0) -> int:
        number = bisect_right(self._begins, offset) - 1
        if number < 0:
            return offset + after
        begin, end, length = self._spans[number]
        inside = offset - self._begins[number]
        if inside < length:  # the escape itself
            return end if after else begin
        return end + inside - length + after
