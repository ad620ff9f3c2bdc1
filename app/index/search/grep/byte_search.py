"""What every match of a pattern must have in it."""

from __future__ import annotations

import re

_MOST = 8
"""More words than this are not looked for at once."""

# Quotes, and characters by number or by class: nothing is promised then.
_HARD = re.compile(r"\[:|\\[QExpPC0-9]")
_TOKEN = re.compile(
    r"(?s)(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<times>\{[^}]*\}|[*?+])|(?P<escape>\\.)"
    r"|(?P<flags>\(\?[a-zA-Z-]*\))|(?P<open>\((?:\?(?:[a-zA-Z-]*:|P?<[^>]*>))?)|(?P<char>.)"
)


class _Alternatives:
    """What has been read of a group, or of the whole pattern.

    done   of each alternative before this one the words one of which it has; none where nothing is known
    best   the same of this one; `run` the letters read last, `last` what the part before is known by
    """

    def __init__(self) -> None:
        self.done: list[list[str]] = []
        self.best: list[str] = []
        self.run = ""
        self.last: list[str] = []

    def settle(self) -> None:
        """What comes next is not read on from here."""
        self.best = max(self.best, [self.run] if self.run else [], self.last, key=_merit)
        self.run, self.last = "", []

    def next(self) -> None:
        self.settle()
        self.done.append(self.best)
        self.best = []

    def words(self) -> list[str]:
        """The words one of which is in all that it matches."""
        self.next()
        words = sorted({word for each in self.done for word in each})
        return words if all(self.done) and len(words) <= _MOST else []


def required(pattern: str) -> list[str]:
    """Runs of ASCII letters, digits and underscores, one of which is in all that an RE2 pattern matches,
    whatever the case. None where that cannot be told.
    """
    if _HARD.search(pattern):
        return []
    groups = [_Alternatives()]
    for token in _TOKEN.finditer(pattern):
        text = token.group()
        here = groups[-1]
        if token["times"]:
            # What may be left out is no part of it, and what may come again is followed by anything.
            if text != "+":
                here.run, here.last = here.run[:-1], []
            here.settle()
        elif token["char"] and text.isascii() and (text.isalnum() or text == "_"):
            if here.last:
                here.settle()
            here.run += text
        elif token["open"]:
            here.settle()
            groups.append(_Alternatives())
        elif text == ")" and len(groups) > 1:
            words = groups.pop().words()
            groups[-1].last = words
        elif text == "|":
            here.next()
        else:
            here.settle()
    # Only a pattern that nobody can compile has groups that are still open.
    return groups[0].words() if len(groups) == 1 else []


def _merit(words: list[str]) -> tuple[int, int]:
    """The longer the shortest of them, and the fewer they are, the better."""
    return (min(map(len, words)), -len(words)) if words else (0, 0)
