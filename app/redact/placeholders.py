"""Tells placeholders, references and code from secrets that have no shape of their own."""

from __future__ import annotations

import re

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
