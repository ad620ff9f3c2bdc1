"""Finds the secret behind a match of a rule: the value of a name or an option, each cookie of a line, the
password in an address, and the lines of a key.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.redact.names import LONGEST, Name, is_code, is_ordinary, is_placeholder, secret_name
from app.redact.rules import ADDRESS, ARGUMENT, COOKIES, MARKERS, NAME_WORD, NAMED, SETTER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Span = tuple[int, int]

_BEFORE = 80
"""Bytes of a name that are looked at."""
_NAME_BEFORE = re.compile(rb"[\w.$-]*\Z")
_NAME = re.compile(rb"(?i)%b[0-9]{0,2}" % NAME_WORD.encode())
_BLANKS = re.compile(rb"(?:\*\*|__)?[ \t]{0,200}(?:\r?\n[ \t]{0,200}(?=[\"']))?")
_QUOTED = re.compile(
    rb"[bBrRfFuU@$]{0,2}(?:\"\"\"((?:[^\"\\]|\\.|\"(?!\"\"))*)|\"((?:[^\"\\\n]|\\.)*)|'((?:[^'\\\n]|\\.)*)|`([^`\n]*))",
    re.DOTALL,
)
# An ending such as `&x=1` or `; name=` begins another value.
_BARE = re.compile(
    rb"(?:[^\s\"'`<>\\,;&|]|[,;&|](?![\s\"'`,;&|)\]}]|[\w.-]{1,40} ?[=:]|$)|\\(?![nrtu\"'\\/\s]))+"
)
_BLOCK = re.compile(rb"[|>][+-]?[0-9]?[ \t]*\r?\n(?=([ \t]+))")
_VERBS = frozenset((b"is", b"was", b"ist", b"es", b"est", b"is:"))
_SHORTEST_OF_PROSE = 16
"""Bytes of the shortest token that is found behind a colon in prose."""
_MOST_TRIMMED = 20
_ELEMENT = re.compile(rb"[^<\n]{0,1000}")


def readers() -> dict[str, Callable[[bytes, Any], Iterator[Span]]]:
    """For each reader of the table, the function that gives the secrets at a match in bytes."""
    return {
        ADDRESS: _address,
        ARGUMENT: _argument,
        COOKIES: _cookies,
        MARKERS: _key_block,
        NAMED: _named,
        SETTER: _set,
    }


def _named(data: bytes, match: Any) -> Iterator[Span]:
    """The value behind a name."""
    word = match.start()
    before = _NAME_BEFORE.search(data, max(0, word - _BEFORE), word)
    start = before.start() if before else word
    end = _NAME.match(data, word).end()  # type: ignore[union-attr]
    name = secret_name(data[start:end])
    if name is not None:
        yield from _value(data, match.end(), name, data[end : match.end()], data[max(0, start - 2) : start])


def _set(data: bytes, match: Any) -> Iterator[Span]:
    """The value that a command gives to a variable."""
    name = next(filter(None, map(secret_name, reversed(match[0].split()))), None)
    if name is not None and not data.startswith(b"-", match.end()):
        yield from _value(data, match.end(), name, b"=", b"")


def _value(data: bytes, at: int, name: Name, between: bytes, before: bytes) -> Iterator[Span]:
    """The value at `at`.

    :param between: what stands between it and its name.
    :param before: two bytes before the name.
    """
    sign = between.strip(b" \t\r\n\"'`*])")
    is_pair = sign == b","
    is_strict = is_pair or not sign or sign[:1] in b"|\xe2"
    begin = _BLANKS.match(data, at).end()  # type: ignore[union-attr]
    quoted, block = _QUOTED.match(data, begin), _BLOCK.match(data, begin)
    if sign[-1:] == b">" and sign != b"=>":
        is_own = between[:1] == sign == b">" and before[-1:] == b"<"
        yield from _element(data, begin, name, is_strict=not is_own and sign == b">")
    elif block is not None and sign == b":":
        yield from _block(data, block, name)
    elif quoted is not None:
        begin, end = quoted.span(quoted.lastindex or 0)
        yield from _checked(data, begin, end, name, is_quoted=True, is_strict=is_strict)
    elif not is_pair:
        is_strict = is_strict or sign in _VERBS or before[-1:] == b"/"
        yield from _bare(data, at, begin, name, between, before, is_strict=is_strict)


def _element(data: bytes, at: int, name: Name, *, is_strict: bool) -> Iterator[Span]:
    """The text of an element of XML, or its beginning at the end of the bytes."""
    begin, end = _ELEMENT.match(data, at).span()  # type: ignore[union-attr]
    is_cut = end == len(data)
    if is_cut or data.startswith(b"</", end) or data.startswith(b"]]", end - 2):
        yield from _checked(data, begin, end, name, is_quoted=True, is_strict=is_strict or is_cut)


def _bare(
    data: bytes, at: int, begin: int, name: Name, between: bytes, before: bytes, *, is_strict: bool
) -> Iterator[Span]:
    """A value without quotes, which begins at `begin`; the blanks before it begin at `at`."""
    bare = _BARE.match(data, begin)
    if bare is None or bare[0].endswith((b"...", b"\xe2\x80\xa6")):  # only its beginning is there
        return
    end = _trimmed(data, begin, bare.end())
    is_env = between in (b"=", b":=") and begin == at
    rest = data[end : end + 2]
    if between.rstrip(b" ")[-1:] == b":" and not name.is_upper:
        # `Unexpected token: X` is prose, and so are more words behind a password.
        is_prose = before[-1:] == b" " and before[:1].isalpha()
        if is_prose and not name.is_password and end - begin < _SHORTEST_OF_PROSE:
            return
        is_strict = is_strict or is_prose or (rest[:1] in b" ," and rest[1:].isalpha())
    elif is_env and not name.is_upper and rest[:1] in (b")", b",", b";"):
        is_strict = is_strict or data[begin:end].isalpha()  # an argument in code
    yield from _checked(data, begin, end, name, is_strict=is_strict, is_env=is_env)


def _checked(
    data: bytes,
    begin: int,
    end: int,
    name: Name,
    *,
    is_quoted: bool = False,
    is_strict: bool = False,
    is_env: bool = False,
) -> Iterator[Span]:
    value = data[begin:end]
    least = 4 if name.is_password or name.is_upper else 8
    if end - begin >= least and not is_ordinary(
        value, name, is_quoted=is_quoted, is_strict=is_strict, is_env=is_env
    ):
        yield begin, end


def _trimmed(data: bytes, begin: int, end: int) -> int:
    """The end of a bare value without the brackets and stops that belong to the text around it."""
    least = max(begin, end - _MOST_TRIMMED)
    while end > least and data[end - 1] in b")]}.,:":
        opener = {0x29: b"(", 0x5D: b"[", 0x7D: b"{"}.get(data[end - 1])
        if opener is not None and data.find(opener, begin, end) >= 0:
            break
        end -= 1
    return end


def _block(data: bytes, block: re.Match[bytes], name: Name) -> Iterator[Span]:
    """The lines of a block of YAML: those with the indentation of the first one. The beginning decides
    whether they are a secret, so that the lines of a long one are not read again for each name in it.
    """
    indent, at = block[1], block.end()
    begin = at + len(indent)
    is_secret = False
    while data.startswith(indent, at):
        at = _end_of_line(data, at)
        if at - begin > LONGEST and not is_secret:
            is_secret = any(_checked(data, begin, begin + LONGEST, name, is_quoted=True))
            if not is_secret:
                return
    end = begin + len(data[begin:at].rstrip())
    if is_secret:
        yield begin, end
    else:
        yield from _checked(data, begin, end, name, is_quoted=True)


def _end_of_line(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end + 1


def named_value(name: str, value: bytes) -> Name | None:
    """How the name of a field calls the secret that is its value; None if the value is none."""
    called = secret_name(name.encode("utf-8", "surrogatepass"))
    if called is None or not any(_checked(value, 0, len(value), called, is_quoted=True)):
        return None
    return called


def _argument(data: bytes, match: Any) -> Iterator[Span]:
    """A value that is no placeholder: the group that matched, or what stands at an empty group."""
    group = next(number for number in range(1, match.re.groups + 1) if match.start(number) >= 0)
    begin, end = match.span(group)
    is_free = begin == end
    if is_free:
        quoted = _QUOTED.match(data, begin)
        bare = None if quoted is not None else _WORD.match(data, begin)
        if quoted is not None:
            begin, end = quoted.span(quoted.lastindex or 0)
        elif bare is not None:
            end = bare.end()
    value = data[begin:end]
    is_word = (
        len(value) <= LONGEST
        and value.isalpha()
        and not (is_free and data[begin - 1 : begin] in (b'"', b"'"))
    )
    if end - begin > 2 and not is_word and not is_code(value) and not is_placeholder(value):
        yield begin, end


_WORD = re.compile(rb"[^\s\"'`;|<>\\]+")
_COOKIE = re.compile(rb"([^\s=;,\"'`]{1,100})=([^\s;\"'`\\]*)[; ]*")
_SESSION = re.compile(rb"(?i)sess|sid|token|auth|jwt|csrf|xsrf|remember|login|id$")
_ATTRIBUTES = frozenset(b"path domain expires max-age samesite version priority comment".split())


def _cookies(data: bytes, match: Any) -> Iterator[Span]:
    """The value of each cookie of a line, but for short words such as `theme=dark`."""
    at = match.end()
    while (cookie := _COOKIE.match(data, at)) is not None or (cookie := _FLAG.match(data, at)) is not None:
        at = cookie.end()
        if cookie.re is _FLAG or cookie[1].lower() in _ATTRIBUTES:
            continue
        value = cookie[2]
        least = 4 if _SESSION.search(cookie[1]) else 8
        has_digit = any(48 <= byte < 58 for byte in value)
        is_long = len(value) > LONGEST
        if len(value) >= least and (has_digit or least == 4 or is_long) and not is_placeholder(value):
            yield cookie.span(2)
    yield at, at  # what was looked at is not looked at again


_FLAG = re.compile(rb"(?i)(?:httponly|secure|partitioned|expires=[a-z]{3}, [0-9a-z :-]{1,40})[; ]+")

_RUN = re.compile(rb"[^\s\"'`<>\\]{1,1000}")
_PORT = re.compile(rb"[0-9]{1,5}(?:[/?#]|$)")
_HOST = re.compile(rb"[A-Za-z0-9_.-]+\.[A-Za-z0-9-]{2,}|localhost|[A-Za-z0-9_.-]+:[0-9]|\[")
_TOKEN = re.compile(rb"(?=[^@]*[0-9])[A-Za-z0-9_.~%-]{16,}")


def _address(data: bytes, match: Any) -> Iterator[Span]:
    """The password in an address: to the last `@` before the host. It may have `/` and `@` in it."""
    begin = match.end()
    if data[begin - 1] == 0x40:  # `https://TOKEN@host`
        start = data.rfind(b"//", match.start(), begin) + 2
        if _TOKEN.fullmatch(data, start, begin - 1):
            yield start, begin - 1
        return
    run = _RUN.match(data, begin)
    if run is None or _PORT.match(run[0]):
        return
    text = run[0]
    at = text.find(b"@")
    while at > 0:
        slash = text.find(b"/", at)
        further = text.find(b"@", at + 1)
        if further < 0 or (_HOST.match(text, at + 1) and not 0 < further < slash):
            break
        if slash < 0 or further < slash or _HOST.match(text, further + 1):
            at = further
        else:
            break
    if at < 1 or not re.match(rb"[A-Za-z0-9_.\[/-]", text[at + 1 : at + 2]):
        return
    if not is_placeholder(text[:at]):
        yield begin, begin + at


_MATERIAL = re.compile(
    rb"[ \t+>|-]*(?:[0-9]{1,6}[ \t:|\xe2\x86\x92-]+)?[ \t+>|-]*[\"']?"
    rb"(?:[A-Za-z0-9+/=]{1,100}|[A-Z][A-Za-z-]{1,30}: [^\n]{0,200})?[\"',+\\ \t]*\r?(?:\n|$)"
    rb"|[ ]?[A-Za-z0-9+/=]{20,100}(?=[ ]|\xe2\x80\xa6)|[ ]?[A-Za-z0-9+/=]{1,100}\xe2\x80\xa6"  # in a title
)
_LONGEST_LINE = 400
_MARKER = re.compile(rb"-{4,5} ?(?:BEGIN|END) (?:[A-Z0-9 ]{0,40} ?-{4,5})?")
_LONG = re.compile(rb"[A-Za-z0-9+/=]{20}")


def _key_block(data: bytes, match: Any) -> Iterator[Span]:
    """The key at a marker: to the end marker, else the lines behind or before it that look like a key."""
    begin, end = match.span()
    if data[begin : begin + 1] == b'"':
        yield begin, end
        return
    if b"END" in match[0]:
        last = begin
        while last > 0:
            line = data.rfind(b"\n", 0 if last < _LONGEST_LINE else last - _LONGEST_LINE, last - 1) + 1
            if (line == 0 and last > _LONGEST_LINE) or not _MATERIAL.fullmatch(data, line, last):
                break
            last = line
        if _LONG.search(data, last, begin):
            yield last, end
        return
    marker = _MARKER.search(data, end)
    if marker is not None and b"END" in marker[0] and _LONG.search(data, end, marker.start()):
        yield begin, marker.end()
        return
    at = end
    following = _MATERIAL.match(data, at)
    while following is not None and following.end() > at:
        at = following.end()
        following = _MATERIAL.match(data, at)
    if _LONG.search(data, end, at):
        yield begin, end + len(data[end:at].rstrip())
