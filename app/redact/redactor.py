"""Redacts texts and whole values, and remembers each replacement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from app.redact.personal import Personal, user_in
from app.redact.rules import RULES
from app.redact.scanner import Secret, secrets_in

if TYPE_CHECKING:
    from collections.abc import Iterator

SURROUNDINGS = 40
"""Characters on either side of a replacement that are remembered."""
_LONGEST_VALUE = 400
_SHORT = 20
"""Characters of a field that is remembered if there is nothing to replace in it; a time is longer."""
_SHORT_NAME = 12
_MOST_PLAIN = 10_000
_SHORTEST = 6
"""Characters of the shortest text with something to replace."""
_DIGITS = re.compile(r"[0-9a-fTZ:.+-]*")
"""Ids and times: nothing in them is to be replaced, and they are a third of all texts."""
_BASE64 = re.compile(r"[A-Za-z0-9+/=]*")
_SECRET_NAME = re.compile("key|token|secret|passw|passphrase|pwd|authorization", re.IGNORECASE)
"""One of these is in the name of each field whose value may be a secret because of its name."""


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
                field = key if isinstance(container, dict) else name
                if field == "value" and isinstance(container, dict):
                    field = _name_beside(container)
                if isinstance(content, str):
                    if field != "data" or not _is_image_data(container, content):
                        container[key] = self._field(field, content)
                elif isinstance(content, dict):
                    fields = container[key] = self._renamed(content)
                    around.append((fields, iter(fields.items()), field))
                    break
                elif isinstance(content, list):
                    container[key] = copied = content.copy()
                    around.append((copied, enumerate(content), field))
                    break
            else:
                around.pop()
        return holder[0]

    def _renamed(self, fields: dict[str, Any]) -> dict[str, Any]:
        """A copy of `fields` whose names are redacted. Nearly all names are short words."""
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
        if redacted != text or not name or not 4 <= len(text) <= _LONGEST_VALUE or '"' in text:
            return redacted
        if _SECRET_NAME.search(name) is None:
            return redacted
        lead = f'"{name}": "'
        begin = len(lead.encode("utf-8", "surrogatepass"))
        data = f'{lead}{text}"'.encode("utf-8", "surrogatepass")
        found = [secret for secret in secrets_in(data) if secret.begin >= begin]
        return self._replaced(data, found)[len(lead) : -1] if found else redacted

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


def _name_beside(variable: dict[str, Any]) -> str:
    """The name of the field `value`: a variable is often an object with its name and its value."""
    name = variable.get("name")
    return name if isinstance(name, str) else "value"


def _is_image_data(block: Any, data: str) -> bool:
    """Whether `data` is what an image consists of, which is long and no text."""
    is_image = isinstance(block, dict) and block.get("type") == "image"
    return is_image and len(data) > _LONGEST_VALUE and _BASE64.fullmatch(data) is not None


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass" if b"\xed" in data else "replace")
