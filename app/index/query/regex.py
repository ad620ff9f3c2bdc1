"""Checks and compiles patterns with RE2, whose search time is linear in the length of the text.

RE2 is imported with the first pattern, because few queries have one. Without its package, patterns are
refused.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from app.formats.text import one_line
from app.formats.utf8_text import counts_marks, fold

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = "google-re2"

_COMPILED_BYTES = 1 << 20
"""The most memory of a compiled pattern. A larger one takes a tenth of a second to compile, at every key."""

_SEARCH_BYTES = 8 << 20
"""The most memory of a compiled pattern with its cache during a search."""

# Whether a pattern matches the empty text depends only on the two characters around it: none, a newline, a
# letter or another character.
_AROUND = (b"", b"\n", b"a", b" ")


_LITERAL = re.compile(r"[\w\s!\"#%&',/:;<=>@`~-]|\\[!-/:-@\[-`{-~]", re.ASCII)
"""A part of a pattern that stands for one ASCII character."""
_QUANTIFIERS = ("*", "+", "?", "{")

_MAX_LITERALS = 8
# Constructs for which no literals are known: quotes, and characters by code or class.
_OPAQUE = re.compile(r"\[:|\\[QExpPC0-9]")
_TOKEN = re.compile(
    r"(?s)(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<times>\{[^}]*\}|[*?+])|(?P<escape>\\.)"
    r"|(?P<flags>\(\?[a-zA-Z-]*\))|(?P<open>\((?:\?(?:[a-zA-Z-]*:|P?<[^>]*>))?)|(?P<char>.)"
)

_IN_ONE_WORD = re.compile(
    r"(?:[\w/@~-]|\\[wd./-]|\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[\w./@~]|\\[wd])+\]"
    r"|[*+?)|]|\((?!\?)|\{\d+(?:,\d*)?\})+",
    re.ASCII,
)

# RE2 ends a line only at LF, and pasted text often has a CR before it.
_LINE_END = r"(?:\r?$)"


class BadPattern(ValueError):
    """A pattern that is refused.

    part         the part of the pattern that is to blame; "" for the whole pattern
    occurrence   which occurrence of `part` in the pattern it is, from 0
    """

    def __init__(self, message: str, part: str = "", occurrence: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.part = part
        self.occurrence = occurrence

    def position_in(self, pattern: str) -> int:
        """The offset of the part in the pattern as it was typed; -1 if it is unknown."""
        offset = pattern.find(self.part) if self.part else -1
        for _ in range(self.occurrence):
            offset = pattern.find(self.part, offset + 1) if offset >= 0 else -1
        return offset


def compiled(pattern: str, *, ignore_case: bool) -> Any:
    """The RE2 object of a pattern that `check` accepted, for `str` or UTF-8 `bytes`. `^` and `$` match at
    every line, and a line ends with LF or CRLF.

    :raises BadPattern: RE2 does not accept the pattern, or is not installed.
    """
    return _compiled(pattern, ignore_case, _SEARCH_BYTES)


def from_literal(pattern: str, *, ignore_case: bool) -> Any:
    """The RE2 object of a pattern from its longest literal on, such as `_[0-9]+` for `[A-Z]{3}_[0-9]+`. It
    has a match within every match of `compiled(pattern)`, and RE2 searches up to fifty times as fast for it,
    because it skips to the literal.

    None if the pattern has groups, alternatives or no suitable literal, or if it begins with the literal and
    case counts: then RE2 skips to it anyway.

    :param pattern: a pattern that `check` accepted.
    :param ignore_case: the pattern is for folded text.
    """
    begin, end = _longest_literal(pattern)
    if begin == end or (not begin and not ignore_case):
        return None
    literal, rest = pattern[begin:end], pattern[end:]
    if ignore_case:
        # Folded text has no capitals, and RE2 skips only to a literal whose case counts.
        literal, rest = literal.lower(), f"(?i:{_as_folded(rest)})"
    import re2  # as in `_compiled`

    return re2.compile("(?m)" + literal + _by_lines(rest), _set_options(re2.Options(), _SEARCH_BYTES))


@lru_cache(maxsize=64)
def check(pattern: str) -> bool:
    """Check a pattern, and return whether case counts in it (smart case).

    :raises BadPattern: it cannot be compiled, matches the empty text, or matches half a character.
    """
    regex = _compiled(pattern, True, _COMPILED_BYTES)
    if r"\C" in _parts(pattern):
        raise BadPattern(r"\C is half a character", r"\C")
    for before in _AROUND:
        for after in _AROUND:
            if regex.fullmatch(before + after, len(before), len(before)):
                raise BadPattern("this pattern also matches where nothing stands, so it matches everything")
    return _counts_case(pattern)


def has_case_flag(pattern: str) -> bool:
    """Whether the pattern contains the flag `(?-i)`."""
    if "(?" not in pattern:
        return False
    return any(
        "i" in _flags(part).partition("-")[2] for _, part, is_operator in _operators(pattern) if is_operator
    )


def _compiled(pattern: str, ignore_case: bool, memory: int) -> Any:
    try:
        # Imported here because few queries have a pattern.
        import re2
        from re2 import Options
    except ImportError:  # also if another package is called re2
        raise BadPattern(f"re: needs the Python package {PACKAGE}, which is not installed") from None
    try:
        return re2.compile(_translated(pattern, ignore_case), _set_options(Options(), memory))
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
    whole_patterns = (pattern, folded, _by_lines(pattern), _by_lines(folded))
    message = f"{reason}: {part}" if colon and part and part not in whole_patterns else reason
    occurrence = 0
    offset = _error_offset(pattern, reason)
    if offset >= 0:
        part = pattern[offset]
        occurrence = pattern.count(part, 0, offset)
    raise BadPattern(f"not a regular expression: {one_line(message, 120)}", part, occurrence)


def _translated(pattern: str, ignore_case: bool) -> str:
    if ignore_case:
        return "(?im)" + _by_lines(_as_folded(_without_case(pattern)))
    return "(?m)" + _by_lines(pattern)


def _error_offset(pattern: str, reason: str) -> int:
    """The offset of the character that is to blame, for errors for which RE2 names the whole pattern; -1 for
    other errors.
    """
    if reason.startswith("trailing \\"):
        return len(pattern) - 1
    opened: list[int] = []
    if reason in ("missing )", "unexpected )"):
        for offset, part, is_operator in _operators(pattern):
            if is_operator and part.startswith("("):
                # Flags alone, such as `(?i)`, open no group.
                opened += [] if part.endswith(")") else [offset]
            elif is_operator and part == ")" and opened:
                opened.pop()
            elif is_operator and part == ")":
                return offset
    return opened[-1] if opened else -1


def _without_case(pattern: str) -> str:
    """The pattern without flags that make case count, for folded text, which has no capitals."""
    if "(?" not in pattern:
        return pattern
    parts = []
    for _, part, is_operator in _operators(pattern):
        on, minus, off = _flags(part).partition("-")
        counts = is_operator and "i" in off
        parts.append(f"(?{on}i{minus}{off.replace('i', '')}".rstrip("-") + part[-1] if counts else part)
    return "".join(parts)


def _as_folded(pattern: str) -> str:
    r"""The pattern for folded text, in which letters such as ß are two: each becomes a group. Characters in
    brackets and patterns with `\Q` stay as they are, and so do patterns with marks, which are for text as it
    is written.
    """
    if pattern.isascii() or r"\Q" in pattern or counts_marks(pattern):
        return pattern
    parts = []
    in_brackets = False
    for part in _parts(pattern):
        in_brackets = part == "[" or (in_brackets and part != "]")
        folded = part if in_brackets or len(part) > 1 else fold(part)
        parts.append(f"(?:{folded})" if len(folded) > len(part) else folded)
    return "".join(parts)


def _by_lines(pattern: str) -> str:
    """The pattern with each operator `$` matching before a CRLF as well."""
    if "$" not in pattern:
        return pattern
    parts = _operators(pattern)
    return "".join([_LINE_END if is_operator and part == "$" else part for _, part, is_operator in parts])


def _operators(pattern: str) -> Iterator[tuple[int, str, bool]]:
    r"""(offset, part, is operator) for each of `_parts`. A part is no operator in brackets and between `\Q`
    and `\E`, where it stands for itself.
    """
    literal = False
    # The offset of the first character in brackets, and of the end of a class such as [:alpha:] in brackets.
    first_member = class_end = -1
    end = 0
    for part in _parts(pattern):
        start, end = end, end + len(part)
        is_operator = not literal and first_member < 0
        if literal:
            literal = part != r"\E"
        elif first_member >= 0:
            if pattern.startswith("[:", start):
                class_end = pattern.find(":]", start) + 2
            elif part == "]" and start > first_member and start >= class_end:
                first_member = -1
        elif part == "[":
            first_member = end + pattern.startswith("^", end)
        else:
            literal = part == r"\Q"
        yield start, part, is_operator


def _longest_literal(pattern: str) -> tuple[int, int]:
    """The offsets at which the longest literal that every match contains begins and ends in the pattern.

    (0, 0) if there is none but a single letter, digit or space, which most texts contain.
    """
    best = (0, 0)
    most = 0
    begin = length = 0
    in_braces = False
    parts = [*_operators(pattern), (len(pattern), "", True)]
    for (offset, part, is_operator), (end, following, _) in pairwise(parts):
        if part == r"\Q" or (is_operator and part.startswith(("(", "|"))):
            return (0, 0)
        in_braces = part == "{" or (in_braces and part != "}")
        if in_braces or not is_operator or not _LITERAL.fullmatch(part) or following in _QUANTIFIERS:
            length = 0
            continue
        if not length:
            begin = offset
        length += 1
        if length > most and (length > 1 or not (part.isalnum() or part == " ")):
            best, most = (begin, end), length
    return best


def _set_options(options: Any, memory: int) -> Any:
    options.log_errors = False  # otherwise RE2 writes to the terminal
    options.max_mem = memory
    return options


def _counts_case(pattern: str) -> bool:
    """Whether case counts: the pattern has `(?-i)`, or it has an upper-case letter that stands for itself and
    no `(?i)`.
    """
    if has_case_flag(pattern):
        return True
    if any("i" in _flags(part) for _, part, is_operator in _operators(pattern) if is_operator):
        return False
    return any(part.isupper() for part in _parts(pattern) if len(part) == 1)


def _flags(part: str) -> str:
    """The flags that a part sets, such as `s-i`; "" if it sets none, or names a group."""
    return part[2:-1] if part.startswith("(?") and part[2:3] not in ("P", "<") else ""


def _parts(pattern: str) -> Iterator[str]:
    r"""The parts of a pattern: single characters, and constructs with letters that do not stand for
    themselves, such as `\S`, `\pL`, `\p{Greek}`, `\x{1F600}`, `(?U`, `(?P<Name>`. Between `\Q` and `\E` every
    character is a part.
    """
    start = 0
    literal = False
    while start < len(pattern):
        end = start + 1
        if literal:
            if pattern.startswith(r"\E", start):
                literal = False
                end = start + 2
        elif pattern[start] == "\\":
            end = _escape_end(pattern, start)
            literal = pattern[start:end] == r"\Q"
        elif pattern.startswith("(?", start):
            end = _group_end(pattern, start)
        yield pattern[start:end]
        start = end


def _escape_end(pattern: str, start: int) -> int:
    letter = pattern[start + 1 : start + 2]
    if letter in ("p", "P", "x"):
        if pattern[start + 2 : start + 3] == "{":
            closing = pattern.find("}", start)
            return closing + 1 if closing >= 0 else len(pattern)
        return start + (4 if letter == "x" else 3)
    return start + 2


def _group_end(pattern: str, start: int) -> int:
    """The end of the beginning of a group, after its flags or its name."""
    end = start + 2
    while end < len(pattern) and pattern[end] not in ":)>":
        end += 1
    return end + 1


class _Group:
    """The part of a group, or of the whole pattern, that has been read.

    alternatives   for each alternative before this one, the literals of which it has one; none if unknown
    best           the same for this alternative
    run            the literal that is being read
    last           the literals of the part before it
    """

    def __init__(self) -> None:
        self.alternatives: list[list[str]] = []
        self.best: list[str] = []
        self.run = ""
        self.last: list[str] = []

    def end_run(self) -> None:
        """The literal ends here."""
        self.best = max(self.best, [self.run] if self.run else [], self.last, key=_merit)
        self.run, self.last = "", []

    def end_alternative(self) -> None:
        self.end_run()
        self.alternatives.append(self.best)
        self.best = []

    def literals(self) -> list[str]:
        """The literals of which every match has one."""
        self.end_alternative()
        literals = sorted({literal for alternative in self.alternatives for literal in alternative})
        return literals if all(self.alternatives) and len(literals) <= _MAX_LITERALS else []


def required_literals(pattern: str) -> list[str]:
    """Runs of ASCII letters, digits and underscores of which every match of an RE2 pattern has one, in any
    case. None if that is not known.
    """
    if _OPAQUE.search(pattern):
        return []
    groups = [_Group()]
    for token in _TOKEN.finditer(pattern):
        text = token.group()
        group = groups[-1]
        if token["times"]:
            # An optional character is no part of the run, and anything may follow a repeated one.
            if text != "+":
                group.run, group.last = group.run[:-1], []
            group.end_run()
        elif token["char"] and text.isascii() and (text.isalnum() or text == "_"):
            if group.last:
                group.end_run()
            group.run += text
        elif token["open"]:
            group.end_run()
            groups.append(_Group())
        elif text == ")" and len(groups) > 1:
            literals = groups.pop().literals()
            groups[-1].last = literals
        elif text == "|":
            group.end_alternative()
        else:
            group.end_run()
    # A pattern with open groups does not compile.
    return groups[0].literals() if len(groups) == 1 else []


def is_in_one_word(pattern: str) -> bool:
    """Whether each match of an RE2 pattern is a part of one word of tools (`summaries.words_reader`), as
    those of `[A-Z]{3}_[0-9]+`; False if that is not known.
    """
    return _IN_ONE_WORD.fullmatch(pattern) is not None


def _merit(literals: list[str]) -> tuple[int, int]:
    """The longer the shortest literal and the fewer there are, the better."""
    return (min(map(len, literals)), -len(literals)) if literals else (0, 0)
