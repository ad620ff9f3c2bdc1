"""The change that a tool call makes to a file, by its arguments: pairs of old and new texts, or a patch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_OLD = ("oldText", "old_text", "old_string", "oldString", "old_str")
_NEW = ("newText", "new_text", "new_string", "newString", "new_str")
PAIRS = dict(zip(_OLD, _NEW, strict=True))
"""Arguments that are the two texts of an edit."""
MOST_EDITS = 100
"""Edits of one call that are looked at."""
LOOK = 4_000
"""Characters at the beginning of a text in which `is_diff` looks for the signs of a diff."""
DIFF_HEADS = (
    "diff --git ", "index ", "--- ", "+++ ", "*** ", "similarity ", "rename ", "new file ", "deleted ",
)  # fmt: skip
"""Beginnings of the lines of a diff that are neither text nor a hunk."""
# a hunk, git's head of a file, or an agent's patch
_SIGN = re.compile(r"^(@@ .*@@|diff --git |\*\*\* (Begin Patch|Update File: ))", re.MULTILINE)


def is_diff(text: str) -> bool:
    """Whether a text looks like a diff, by its beginning."""
    return _SIGN.search(text, 0, LOOK) is not None


def pair_names(arguments: Any) -> tuple[str, str] | None:
    """The names of the arguments that are the old and the new text of an edit; None for none."""
    if isinstance(arguments, dict):
        for old, new in PAIRS.items():
            if isinstance(arguments.get(old), str) and isinstance(arguments.get(new), str):
                return old, new
    return None


def edit_pairs(arguments: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The old and the new text of each edit of a call."""
    edits = arguments.get("edits")
    found = []
    for edit in (arguments, *(edits[:MOST_EDITS] if isinstance(edits, list) else ())):
        pair = pair_names(edit)
        if pair is not None:
            found.append((edit[pair[0]], edit[pair[1]]))
    return found


def patch_name(arguments: Mapping[str, Any]) -> str:
    """The name of the argument that is a patch; "" for none."""
    return next((key for key, text in arguments.items() if isinstance(text, str) and is_diff(text)), "")


def replaced_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The difference of two texts as lines, each with its sign: "-", "+", or " " for equal lines at both
    ends.
    """
    same = 0
    shorter = min(len(old), len(new))
    while same < shorter and old[same] == new[same]:
        same += 1
    after = 0
    while after < shorter - same and old[-1 - after] == new[-1 - after]:
        after += 1
    for sign, lines in (
        (" ", old[:same]),
        ("-", old[same : len(old) - after]),
        ("+", new[same : len(new) - after]),
        (" ", old[len(old) - after :]),
    ):
        for line in lines:
            yield sign, line


def changed_lines(arguments: Mapping[str, Any]) -> tuple[int, int]:
    """How many lines a call adds to a file and removes from it; (0, 0) if its arguments do not tell."""
    pairs = edit_pairs(arguments)
    signs: list[str] = []
    for pair in pairs:
        old, new = (text.removesuffix("\n").split("\n") if text else [] for text in pair)
        signs += [sign for sign, _ in replaced_lines(old, new)]
    name = "" if pairs else patch_name(arguments)
    if name:
        signs = [line[:1] for line in arguments[name].split("\n") if not line.startswith(DIFF_HEADS)]
    return signs.count("+"), signs.count("-")
