"""Patterns: what is allowed in one, and how it is compiled (RE2: in time that grows with the text alone).

RE2 is imported when the first pattern is met; without its package there are no patterns.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from app.formats.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = "google-re2"

_PROGRAM = 1 << 20
_SEARCH = 8 << 20
"""Bytes that a compiled pattern may take, and that it may take together with what it remembers while it
searches. A larger pattern would take a tenth of a second to compile, at every key.
"""

# An empty match depends on the two characters around it and nothing else: nothing, a line's end, a letter of
# a word, and what is none.
_AROUND = (b"", b"\n", b"a", b" ")


# To RE2 a line ends at its LF alone, and what was pasted from elsewhere often has a CR before it.
_LINE_END = r"(?:\r?$)"


class BadPattern(ValueError):
    """A pattern that is not looked for.

    :ivar part: what of the pattern is to blame; "" when it is all of it. It is the one that `before` others
        like it stand before.
    """

    def __init__(self, message: str, part: str = "", before: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.part = part
        self.before = before

    def place_in(self, pattern: str) -> int:
        """Where the part begins in the pattern as it was typed; -1 where that is not known."""
        at = pattern.find(self.part) if self.part else -1
        for _ in range(self.before):
            at = pattern.find(self.part, at + 1) if at >= 0 else -1
        return at


def compiled(pattern: str, *, ignore_case: bool) -> Any:
    """The RE2 object of a pattern that `check` has let through, for `str` or UTF-8 `bytes`; `^` and `$` match
    at every line, and a line ends with LF or CRLF.

    :raises BadPattern: RE2 does not take it, or is not there.
    """
    return _compiled(pattern, ignore_case, _SEARCH)


def filtered(pattern: str) -> Any:
    """What tells at a glance of most UTF-8 `bytes` that `compiled(pattern, ignore_case=True)` is not in them:
    that they lack words that are in all it matches. None where RE2 knows of no such words.

    Of such bytes `Match(bytes, True)` is None. It takes a hundredth of the time that RE2 takes for a pattern
    for which it can keep no table of what it has seen, as for one with a wide gap between two words.
    """
    from re2 import Filter, Options, error

    words = Filter()
    try:
        words.Add(_spelt(pattern, True), _options(Options(), _SEARCH))
        words.Compile()
    except error:
        return None
    return None if words.Match(b"", True) else words


@lru_cache(maxsize=64)
def check(pattern: str) -> bool:
    """Look at a pattern, and say whether case counts in it (smart case).

    :raises BadPattern: it cannot be compiled, would match where nothing stands, or in half a character.
    """
    found = _compiled(pattern, True, _PROGRAM)
    if r"\C" in _escapes(pattern):
        raise BadPattern(r"\C is half a character", r"\C")
    for before in _AROUND:
        for behind in _AROUND:
            at = len(before)
            if found.fullmatch(before + behind, at, at):
                raise BadPattern("this pattern also matches where nothing stands, so it matches everything")
    return _counts_case(pattern)


def says_case_counts(pattern: str) -> bool:
    """Whether `(?-i)` stands in it."""
    if "(?" not in pattern:
        return False
    return any("i" in _flags(part).partition("-")[2] for _, part, is_sign in _signs(pattern) if is_sign)


def _compiled(pattern: str, ignore_case: bool, memory: int) -> Any:
    try:
        import re2
        from re2 import Options
    except ImportError:  # also where some other package calls itself re2
        raise BadPattern(f"re: needs the Python package {PACKAGE}, which is not installed") from None
    try:
        return re2.compile(_spelt(pattern, ignore_case), _options(Options(), memory))
    except UnicodeEncodeError:
        raise BadPattern("half a surrogate pair cannot be part of a pattern") from None
    except re2.error as error:
        message = error.args[0] if error.args else ""
    if isinstance(message, bytes):
        message = message.decode("utf-8", "replace")
    reason, colon, part = str(message).partition(": ")
    if "too large" in reason:
        raise BadPattern("this pattern is too large")
    part = part.removeprefix("(?im)").removeprefix("(?m)")
    folded = _as_folded(pattern)
    whole = (pattern, folded, _by_lines(pattern), _by_lines(folded))
    said = f"{reason}: {part}" if colon and part and part not in whole else reason
    before = 0
    at = _blamed(pattern, reason)
    if at >= 0:
        part = pattern[at]
        before = pattern.count(part, 0, at)
    raise BadPattern(f"not a regular expression: {one_line(said, 120)}", part, before)


def _spelt(pattern: str, ignore_case: bool) -> str:
    if ignore_case:
        return "(?im)" + _by_lines(_as_folded(_without_case(pattern)))
    return "(?m)" + _by_lines(pattern)


def _blamed(pattern: str, reason: str) -> int:
    """Where the character is that RE2 complains about, which names the whole pattern for it; -1 where it
    names what it means.
    """
    if reason.startswith("trailing \\"):
        return len(pattern) - 1
    opened: list[int] = []
    if reason in ("missing )", "unexpected )"):
        for at, part, is_sign in _signs(pattern):
            if is_sign and part.startswith("("):
                # Flags alone, as `(?i)`, open nothing.
                opened += [] if part.endswith(")") else [at]
            elif is_sign and part == ")" and opened:
                opened.pop()
            elif is_sign and part == ")":
                return at
    return opened[-1] if opened else -1


def _without_case(pattern: str) -> str:
    """The pattern with case ignored also where its flags say that it counts: in folded text there is none."""
    if "(?" not in pattern:
        return pattern
    spelt = []
    for _, part, is_sign in _signs(pattern):
        on, minus, off = _flags(part).partition("-")
        counts = is_sign and "i" in off
        spelt.append(f"(?{on}i{minus}{off.replace('i', '')}".rstrip("-") + part[-1] if counts else part)
    return "".join(spelt)


def _as_folded(pattern: str) -> str:
    r"""The pattern for folded text, in which letters such as ß are two: there they stand as a group. Not
    between brackets, nor between `\Q` and `\E`, where only one can stand for one.
    """
    if pattern.isascii() or r"\Q" in pattern:
        return pattern
    spelt = []
    between = False
    for part in _parts(pattern):
        between = part == "[" or (between and part != "]")
        folded = part.casefold()
        longer = len(part) == 1 < len(folded) and not between
        spelt.append(f"(?:{folded})" if longer else part)
    return "".join(spelt)


def _by_lines(pattern: str) -> str:
    r"""The pattern with each `$` also before a CRLF. Not between brackets, nor between `\Q` and `\E`, where
    it stands for itself.
    """
    if "$" not in pattern:
        return pattern
    parts = _signs(pattern)
    return "".join([_LINE_END if is_sign and part == "$" else part for _, part, is_sign in parts])


def _signs(pattern: str) -> Iterator[tuple[int, str, bool]]:
    r"""Each of `_parts`, where it begins, and whether it is a sign if it looks like one: it stands neither
    between brackets nor between `\Q` and `\E`.
    """
    literal = False
    # Where the first character between brackets stands, and where a class such as [:alpha:] there ends.
    member = named = -1
    at = 0
    for part in _parts(pattern):
        here, at = at, at + len(part)
        is_sign = not literal and member < 0
        if literal:
            literal = part != r"\E"
        elif member >= 0:
            if pattern.startswith("[:", here):
                named = pattern.find(":]", here) + 2
            elif part == "]" and here > member and here >= named:
                member = -1
        elif part == "[":
            member = at + pattern.startswith("^", at)
        else:
            literal = part == r"\Q"
        yield here, part, is_sign


def _options(options: Any, memory: int) -> Any:
    options.log_errors = False  # RE2 itself would write to the screen
    options.max_mem = memory
    return options


def _escapes(pattern: str) -> list[str]:
    """The escapes of a pattern: backslashes, each with the character behind it."""
    return [part for part in _parts(pattern) if part[:1] == "\\"]


def _counts_case(pattern: str) -> bool:
    """Whether case counts: the pattern says so, or an upper-case letter stands in it for itself and it does
    not say by `(?i)` that case does not count.
    """
    if says_case_counts(pattern):
        return True
    if any("i" in _flags(part) for _, part, is_sign in _signs(pattern) if is_sign):
        return False
    return any(part.isupper() for part in _parts(pattern) if len(part) == 1)


def _flags(part: str) -> str:
    """The flags that one of `_parts` sets, as `s-i`; "" where it sets none, or gives a group its name."""
    return part[2:-1] if part.startswith("(?") and part[2:3] not in ("P", "<") else ""


def _parts(pattern: str) -> Iterator[str]:
    r"""The characters of a pattern that stand for themselves (or are a sign such as `*`), one by one, and
    whole what holds letters that do not: `\S`, `\pL`, `\p{Greek}`, `\x{1F600}`, `(?U`, `(?P<Name>`.
    Between `\Q` and `\E` each stands for itself.
    """
    at = 0
    literal = False
    while at < len(pattern):
        end = at + 1
        if literal:
            if pattern.startswith(r"\E", at):
                literal = False
                end = at + 2
        elif pattern[at] == "\\":
            end = _escape_end(pattern, at)
            literal = pattern[at:end] == r"\Q"
        elif pattern.startswith("(?", at):
            end = _group_end(pattern, at)
        yield pattern[at:end]
        at = end


def _escape_end(pattern: str, at: int) -> int:
    sign = pattern[at + 1 : at + 2]
    if sign in ("p", "P", "x"):
        if pattern[at + 2 : at + 3] == "{":
            closing = pattern.find("}", at)
            return closing + 1 if closing >= 0 else len(pattern)
        return at + (4 if sign == "x" else 3)
    return at + 2


def _group_end(pattern: str, at: int) -> int:
    """Where the sign that opens a group ends: behind its flags or its name."""
    end = at + 2
    while end < len(pattern) and pattern[end] not in ":)>":
        end += 1
    return end + 1
