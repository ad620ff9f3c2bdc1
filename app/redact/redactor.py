"""Redacts texts and whole values, and remembers each replacement."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from app.redact.personal import Personal, user_in
from app.redact.readers import named_value
from app.redact.rules import NAME_WORD, RULES
from app.redact.scanner import Secret, secrets_in

if TYPE_CHECKING:
    from collections.abc import Iterator

SURROUNDINGS = 40
"""Characters on either side of a replacement that are remembered."""
_LONGEST_IMAGE_TEXT = 400
_BEFORE_WORDS = 60
"""Characters of an excerpt before the words that it is about."""
_SHORTEST_VALUE = 4
_SHORT = 20
"""Characters of a field that is remembered if there is nothing to replace in it; a time is longer."""
_SHORT_NAME = 12
_MOST_PLAIN = 10_000
_SHORTEST = 6
"""Characters of the shortest text with something to replace."""
_DIGITS = re.compile(r"[0-9a-fTZ:.+-]*")
"""Ids and times: nothing in them is to be replaced, and they are a third of all texts."""
_BASE64 = re.compile(r"[A-Za-z0-9+/=]*")
_SECRET_NAME = re.compile(
    "key|token|secret|pass|pwd|pw$|credential|kennwort|contrase|senha|[^\\x00-\\x7f]", re.IGNORECASE
)
"""One of these is in the name of each field whose value may be a secret because of its name."""
_HEADER_NAME = re.compile("(?:proxy-)?authorization|(?:set-)?cookie|_?auth", re.IGNORECASE)
"""Fields whose values the rules know by the name and the value together."""
_VALUE_FIELDS = frozenset(("value", "Value", "default", "plaintext"))
_NAME_FIELDS = ("name", "Name", "key", "Key", "field", "header")
_KINDS = [rule.kind for rule in RULES]
_PASSWORD, _TOKEN = _KINDS.index("password"), _KINDS.index("token or key")
_MOST_ARGUMENTS = 200
_LONGEST_CUT_LINE = 600
"""Characters at the end of a line in which the beginning of a cut secret is looked for; titles have half."""
_CUT_WORDS = re.compile(
    rf"(?i)({NAME_WORD}[0-9]{{0,2}}[\"'`*\]]{{0,4}}\s?(?:=>|:=|[:=])\s?[\"'`])[^\"'`]*…$"
    r"|((?:seed|recovery|mnemonic|phrase|words)[\"'`*]{0,3}\s?[:=]\s?[\"'`]?)[a-z, ]*…$"
    r"|(PRIVATE KEY).*…$"
    r"|(\becho )[^|]*(?:\|[^|]{0,40})?…$"
)
"""The beginnings of secrets with blanks in them, and of those that only a later word tells."""


class Replacement(NamedTuple):
    """A secret that was replaced.

    :param kind: of secret.
    :param place: where in the session it stood, as given to `Redactor.at`.
    :param before, after: the text around it, without the other secrets in it.
    :param secret: the secret itself.
    """

    kind: str
    place: str
    before: str
    after: str
    secret: str


class Redactor:
    """Redacts, and keeps count.

    :param personal: homes and names to replace as well; None for secrets alone.

    replacements   the secrets that were replaced, in order
    personal_count the number of homes and names that were replaced
    """

    def __init__(self, personal: Personal | None = None) -> None:
        self._personal = personal
        self._place = ""
        self.replacements: list[Replacement] = []
        self.personal_count = 0
        # short fields with nothing to replace: most fields are one of a few words
        self._plain: set[tuple[str, str]] = set()

    def add_user_of(self, folder: str) -> None:
        """Also replace the name of the user in whose home `folder` is, if names are replaced."""
        if self._personal is not None:
            self._personal.add_users((user_in(folder),))
            self._plain.clear()

    def at(self, place: str) -> None:
        """Name the place of the texts that follow."""
        self._place = place

    def cut(self, text: str, most: int, *, keeps_end: bool = False) -> str:
        """At most `most` characters of `text`: its secrets are replaced first, because half a secret cannot
        be recognised.

        :param keeps_end: keep the last characters, and not the first ones.
        """
        text = self.text(text)
        return text[-most:] if keeps_end else text[:most]

    def cut_line(self, line: str) -> str:
        """A line that was cut when it was stored, such as a title, without its secrets and without what may
        be a part of a secret at a cut.

        :param line: it begins or ends with "…" if it was cut there.
        """
        return _without_cut_secret(self.text(_without_cut_secret(line)))

    def excerpt(self, text: str, words: str, most: int) -> str:
        """A line of at most `most` characters around some words in `text`, which is cut after its secrets
        were replaced; "" if the words are not in it any more.
        """
        line = " ".join(self.text(text).split())
        at = line.find(words)
        if at < 0:
            return ""
        begin = line.rfind(" ", 0, max(0, at - _BEFORE_WORDS)) + 1
        end = begin + most
        return ("…" if begin else "") + line[begin:end] + ("…" if end < len(line) else "")

    def copy_of_text(self, text: str) -> str:
        """As `text`, for a text that stands elsewhere as well: its replacements are not counted again."""
        count, personal = len(self.replacements), self.personal_count
        redacted = self.text(text)
        del self.replacements[count:]
        self.personal_count = personal
        return redacted

    def text(self, text: str) -> str:
        """`text` with each secret as `[redacted: kind]`."""
        if len(text) < _SHORTEST or _DIGITS.fullmatch(text) is not None:
            return text
        data = text.encode("utf-8", "surrogatepass")
        found = secrets_in(data)
        if found:
            text = self._replaced(data, found)
        if self._personal is not None:
            text, count = self._personal.replace(text)
            self.personal_count += count
        return text

    def value(self, value: Any) -> Any:
        """A copy of a JSON value with each text in it redacted, names of fields too. Data of images stay."""
        holder: list[Any] = [value]
        # the containers around the present value, each with its items that are still to come and its name
        around: list[tuple[Any, Iterator[tuple[Any, Any]], str]] = [(holder, enumerate([value]), "")]
        while around:
            container, items, name = around[-1]
            for key, content in items:
                is_field = type(key) is str and key not in _VALUE_FIELDS
                field = key if is_field else _name_of(container, key, name)
                if isinstance(content, str):
                    if field != "data" or not _is_image_data(container, content):
                        container[key] = self._field(field, content)
                elif isinstance(content, dict):
                    fields = container[key] = self._renamed(content)
                    around.append((fields, iter(fields.items()), field))
                    break
                elif isinstance(content, list):
                    copied = container[key] = self._arguments(content)
                    around.append((copied, enumerate(copied), field))
                    break
                elif type(content) is int and _may_name_a_secret(field):
                    redacted = self._field(field, str(content))
                    container[key] = content if redacted == str(content) else redacted
            else:
                around.pop()
        return holder[0]

    def _renamed(self, fields: dict[str, Any]) -> dict[str, Any]:
        """A copy of `fields` whose names are redacted. Nearly all names are short words."""
        if max(map(len, fields), default=0) < _SHORT_NAME:
            return fields.copy()
        names = [name if len(name) < _SHORT_NAME else self.text(name) for name in fields]
        renamed = dict(zip(names, fields.values(), strict=True))
        if len(renamed) < len(fields):  # two names became one
            numbered = [f"{name} ({number})" for number, name in enumerate(names, 1)]
            renamed = dict(zip(numbered, fields.values(), strict=True))
        return renamed

    def _field(self, name: str, text: str) -> str:
        """The value of the field `name`: it may be a secret because of its name."""
        if len(text) > _SHORT:
            return self._redacted_field(name, text)
        if (name, text) in self._plain:
            return text
        redacted = self._redacted_field(name, text)
        if redacted == text and len(self._plain) < _MOST_PLAIN:
            self._plain.add((name, text))
        return redacted

    def _redacted_field(self, name: str, text: str) -> str:
        redacted = self.text(text)
        if redacted != text or len(text) < _SHORTEST_VALUE or not _may_name_a_secret(name):
            return redacted
        data = text.encode("utf-8", "surrogatepass")
        if _HEADER_NAME.fullmatch(name) is not None:
            lead = f'"{name}": "'.encode()
            found = secrets_in(b'%b%b"' % (lead, data))
            moved = [Secret(begin - len(lead), end - len(lead), rule) for begin, end, rule in found]
            return self._replaced(data, [secret for secret in moved if secret.begin >= 0])
        called = named_value(name, data)
        if called is None:
            return redacted
        return self._replaced(data, [Secret(0, len(data), _PASSWORD if called.is_password else _TOKEN)])

    def _arguments(self, items: list[Any]) -> list[Any]:
        """A copy of a list. If it is a command, its arguments are redacted that are secrets in its line."""
        copied = items.copy()
        if not 1 < len(items) <= _MOST_ARGUMENTS or not all(isinstance(item, str) for item in items):
            return copied
        if not any(item.startswith(("-", "pass:", "/")) for item in items):
            return copied
        encoded = [item.encode("utf-8", "surrogatepass") for item in items]
        found = secrets_in(b'"%b"' % b'", "'.join(encoded))
        begin = 1
        for number, data in enumerate(encoded):
            end = begin + len(data)
            inside = [
                Secret(secret.begin - begin, min(secret.end, end) - begin, secret.rule)
                for secret in found
                if begin <= secret.begin < end
            ]
            if inside:
                copied[number] = self._replaced(data, inside)
            begin = end + 4
        return copied

    def _replaced(self, data: bytes, found: list[Secret]) -> str:
        parts: list[str] = []
        done = 0
        for begin, end, rule in found:
            parts += (_decoded(data[done:begin]), f"[redacted: {RULES[rule].kind}]")
            done = end
        parts.append(_decoded(data[done:]))
        redacted = "".join(parts)
        at = 0
        for number, (begin, end, rule) in enumerate(found):
            at += len(parts[2 * number])
            before = redacted[max(0, at - SURROUNDINGS) : at]
            at += len(parts[2 * number + 1])
            after = redacted[at : at + SURROUNDINGS]
            secret = _decoded(data[begin:end])
            self.replacements.append(Replacement(RULES[rule].kind, self._place, before, after, secret))
        return redacted


def _without_cut_secret(line: str) -> str:
    if line.startswith("…"):
        line = "…" + "".join(line.partition(" ")[1:])
    if not line.endswith(("…", "...")):
        return line
    start = max(0, len(line) - _LONGEST_CUT_LINE)
    end = "".join(line[start:].rpartition(" ")[:2]) + "…"
    return line[:start] + _CUT_WORDS.sub(lambda match: next(filter(None, match.groups())) + "…", end)


@lru_cache(maxsize=1_000)
def _may_name_a_secret(field: str) -> bool:
    return _SECRET_NAME.search(field) is not None or _HEADER_NAME.fullmatch(field) is not None


def _name_of(container: Any, key: Any, name: str) -> str:
    """The name of an item: for a field such as `value`, the name beside it; in a list, the item before it if
    that is a name, as in a list of arguments; else the name of the container.

    :param name: that of the container.
    """
    if isinstance(container, dict):
        beside = next(
            (container[each] for each in _NAME_FIELDS if isinstance(container.get(each), str)), name
        )
        return beside or str(key)
    before = container[key - 1] if key else None
    if isinstance(before, str):
        is_pair = len(container) == 2 and any(map(str.isdigit, str(container[1])))
        if is_pair or before.startswith("-") or _HEADER_NAME.fullmatch(before) is not None:
            return before
    return name


def _is_image_data(block: Any, data: str) -> bool:
    """Whether `data` is what an image consists of, which is long and no text."""
    is_image = isinstance(block, dict) and block.get("type") == "image"
    return is_image and len(data) > _LONGEST_IMAGE_TEXT and _BASE64.fullmatch(data) is not None


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass" if b"\xed" in data else "replace")
