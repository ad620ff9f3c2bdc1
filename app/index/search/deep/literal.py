"""What every match of a pattern must have in it."""

from __future__ import annotations

import re

# Quotes, and characters by number or by class: nothing is promised then.
_HARD = re.compile(r"\[:|\\[QExpPC0-9]")
_TOKEN = re.compile(
    r"(?s)(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|(?P<times>\{[^}]*\}|[*?+])|(?P<escape>\\.)|(?P<char>.)"
)


def required(pattern: str) -> list[str]:
    """Runs of ASCII letters, digits and underscores, one of which is in all that an RE2 pattern matches,
    whatever the case: the longest of each alternative. None where that cannot be told.
    """
    if _HARD.search(pattern):
        return []
    found = []
    best = run = ""
    depth = 0
    for token in _TOKEN.finditer(pattern):
        text = token.group()
        if token["times"]:
            # What may be left out is no part of it, and what may come again is followed by anything.
            kept, run = run if text == "+" else run[:-1], ""
        elif token["char"] and not depth and text.isascii() and (text.isalnum() or text == "_"):
            run += text
            continue
        else:
            kept, run = run, ""
            if token["char"]:
                depth += (text == "(") - (text == ")")
        best = max(best, kept, key=len)
        if token["char"] == "|" and not depth:
            found.append(best)
            best = ""
    found.append(max(best, run, key=len))
    return found if all(found) else []
