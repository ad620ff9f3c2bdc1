"""The filters of the language: what each is called, takes and means.

Parser, completion, complaints and help all read this one table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.stores import AGENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

REGEX = "re"
"""The name before a pattern; it stands where a filter's name does and is none."""

_HAS = {
    "branch": "more than one branch",
    "label": "labels",
    "fork": "made out of another session",
    "error": "answers that failed",
    "image": "images",
}
_IS = {
    "live": "open in a running agent, or maybe so",
    "named": "given a name",
    "pinned": "pinned",
    "damaged": "with lines that cannot be read",
}
_ROLE = {
    "user": "what the user said",
    "assistant": "the answers",
    "thinking": "what was thought before them",
    "summary": "what was compacted, or a branch summed up as",
    "custom": "messages of extensions",
    "tool": "tool calls and results",
    "bash": "commands that the user ran",
    "other": "all the rest",
}
_IN = {
    "tools": "tool calls and results, commands",
    "thinking": "what was thought before the answers",
    "all": "everything there is",
}
_DATES = {
    "today": "since midnight",
    "yesterday": "the day before",
    "<2d": "in the last two days",
    "<1w": "in the last week",
    "<1mo": "in the last 30 days",
    ">1mo": "before that",
}


class Sort:
    """One kind of filter.

    takes     what stands behind the colon, in words
    example   one filter as it is typed
    meaning   what of a session it is about
    values    what can stand behind the colon, each with its meaning: all there is where `fixed`, else
              suggestions
    also      names that mean the same, and are neither offered nor shown
    others    names that people try for it; they are words, with a note
    """

    __slots__ = ("also", "example", "fixed", "meaning", "name", "others", "takes", "values")

    def __init__(
        self,
        name: str,
        takes: str,
        example: str,
        meaning: str,
        *,
        values: Mapping[str, str] | None = None,
        fixed: bool = False,
        also: tuple[str, ...] = (),
        others: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.takes = takes
        self.example = example
        self.meaning = meaning
        self.values = values or {}
        self.fixed = fixed
        self.also = also
        self.others = others


def _one_of(
    name: str,
    values: Mapping[str, str],
    example: str,
    meaning: str,
    *,
    also: tuple[str, ...] = (),
    others: tuple[str, ...] = (),
) -> Sort:
    takes = ", ".join(values)
    return Sort(name, takes, example, meaning, values=values, fixed=True, also=also, others=others)


_AGENTS = {agent.name: agent.title for agent in AGENTS}

_SORTS = (
    _one_of("agent", _AGENTS, "agent:pi,omp", "program", also=("program",)),
    Sort(
        "dir",
        "a part of its path, ~ for home",
        "dir:~/work/",
        "folder",
        others=("cwd", "folder", "path", "project"),
    ),
    Sort("name", "a part of it", 'name:"release notes"', "name", others=("title",)),
    Sort("label", "a part of one", "label:todo", "labels", others=("tag",)),
    Sort("model", "a part of provider/model", "model:opus", "models that answered", others=("provider",)),
    Sort("tool", "its name", "tool:bash", "a tool that was called; texts of tools: its own only"),
    Sort("id", "its beginning", "id:019a2b", "id"),
    Sort(
        "date",
        "an age (<2d, >1w, 3h; m h d w mo y), today, yesterday, 2026, 2026-10, 2026-10-05 "
        "(alone or after < <= > >=) or a range (2026-09..2026-10)",
        "date:<2d",
        "last message",
        values=_DATES,
        others=("after", "age", "before", "since"),
    ),
    Sort(
        "cost",
        "dollars: >1, >=0.5, <1, <=1, =0 or a range (1..10)",
        "cost:>1",
        "cost",
        values={">1": "more than a dollar", ">10": "more than ten", "<1": "less than one"},
        others=("price",),
    ),
    Sort(
        "tokens",
        "a number: >100k, >=2m, <500, <=1k, =0 or a range (1k..2k)",
        "tokens:>100k",
        "tokens, cached ones too",
        values={">100k": "more than 100,000", ">1m": "more than a million", "<10k": "less than 10,000"},
    ),
    Sort(
        "messages",
        "a number: >50, >=50, <5, <=5, =1 or a range (10..20)",
        "messages:>50",
        "messages",
        values={">50": "more than 50", ">200": "more than 200", "<5": "fewer than 5"},
    ),
    _one_of("has", _HAS, "has:branch", "at least one"),
    _one_of("is", _IS, "is:live", "what it is"),
    _one_of("role", _ROLE, "role:user", "terms are looked for only in what it said", others=("from",)),
    _one_of("in", _IN, "in:tools", "terms are looked for only there, or in everything"),
)

SORTS = {sort.name: sort for sort in _SORTS}
"""Every filter by its name, in the order in which help shows them."""

NAMES = {name: sort.name for sort in _SORTS for name in (sort.name, *sort.also)}
"""What a filter may be called -> its name."""


def alike(name: str) -> str | None:
    """The filter that somebody may have meant by `name` (lower case), which is none: another word for it, or
    one slip of the finger away. None when there is no such.
    """
    for sort in _SORTS:
        if name in sort.others:
            return sort.name
    slip = _one_slip if len(name) > 4 else _swapped  # `host`, `data`, `mode` and `hash` are words
    return next((known for known in SORTS if len(known) > 3 and slip(name, known)), None)


def _one_slip(typed: str, meant: str) -> bool:
    """Whether one letter was left out, doubled, mistaken or swapped with the next."""
    at = _common(typed, meant)
    rest, due = typed[at:], meant[at:]
    return rest[1:] == due[1:] or rest[1:] == due or rest == due[1:] or _swapped(typed, meant)


def _swapped(typed: str, meant: str) -> bool:
    """Whether two neighbours changed places."""
    at = _common(typed, meant)
    return typed[at : at + 2] == meant[at : at + 2][::-1] and typed[at + 2 :] == meant[at + 2 :]


def _common(one: str, other: str) -> int:
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    return at
