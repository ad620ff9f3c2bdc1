"""The table of filters: the name, values and meaning of each, and the help about the query language.

The parser, completion, error messages and help all read this table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from app.index.sorting import SORTS
from app.stores import AGENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    TableRow = tuple[str, str, str]


FILES = ("file", "edited")
"""The filters on the files that a session touched."""

REGEX = "re"
"""The name before a pattern. It is written like the name of a filter, but is none."""

_HAS = {
    "branch": "more than one branch",
    "label": "a label",
    "fork": "a parent: it is a fork",
    "error": "an answer that failed",
    "image": "an image",
}
_IS = {
    "waiting": "waiting for your answer",
    "failed": "ended by an answer that failed",
    "aborted": "ended by you in the middle of an answer",
    "interrupted": "ended in the middle of an answer, and not open",
    "done": "ended with a whole answer",
    "open": "open in a running agent, or maybe so",
    "empty": "without an answer, a name and a prompt",
    "subagent": "written by a sub-agent",
    "named": "given a name",
    "pinned": "pinned by you",
    "damaged": "with lines that cannot be read",
    "kept": "kept by leafmark as a compressed copy",
    "gone": "kept, and deleted by the agent or moved away",
    "expiring": "about to be deleted by the agent, within seven days",
}
_ROLE = {
    "user": "prompts",
    "assistant": "answers",
    "thinking": "thinking",
    "summary": "summaries of branches, compactions",
    "custom": "messages of extensions",
    "tool": "tool calls and results",
    "bash": "commands that the user ran",
    "other": "all the rest",
}
_IN = {
    "text": "the conversation",
    "tools": "tool calls and results, commands",
    "thinking": "thinking",
    "all": "everything there is, as without in:",
}
_DATES = {
    "today": "since midnight",
    "yesterday": "the day before",
    "<2d": "in the last two days",
    "<1w": "in the last week",
    "<1mo": "in the last 30 days",
    ">1mo": "more than 30 days ago",
}


@dataclass(slots=True, frozen=True)
class FilterKind:
    """A kind of filter.

    takes     the values that it accepts, described in words
    example   an example as it is typed
    refusal   the reason why another value is refused, with examples; "": made of `values`
    hint      a short explanation for a list of filters, and for the title of a list of values
    meaning   the explanation with its values for the help; "": made of `hint` and `takes`
    values    values with their meanings: all that are accepted if `fixed`, otherwise suggestions
    renamed   other names for values, which are accepted but neither offered nor shown
    also      other names for it, which are accepted but neither offered nor shown
    others    names that users may try for it: they are read as words, with a note
    """

    name: str
    takes: str
    example: str
    hint: str = field(kw_only=True)
    meaning: str = ""
    refusal: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    fixed: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def _one_of(name: str, values: Mapping[str, str], example: str, *, meaning: str, **more: Any) -> FilterKind:
    takes = ", ".join(values)
    return FilterKind(name, takes, example, meaning=f"{meaning}: {takes}", values=values, fixed=True, **more)


_AGENTS = {agent.name: agent.title for agent in AGENTS}

_FILTER_KINDS = (
    _one_of(
        "agent",
        _AGENTS,
        "agent:pi,omp",
        hint="sessions of an agent",
        meaning="sessions of an agent",
        also=("program",),
    ),
    FilterKind(
        "dir",
        "a part of its path, ~ for home",
        "dir:~/work/",
        meaning="part of the path of the session's folder; ~ is your home folder",
        hint="sessions in a folder",
        others=("cwd", "folder", "path", "project"),
    ),
    FilterKind(
        "name",
        "a part of it",
        'name:"release notes"',
        meaning="part of the session's name",
        hint="part of the session's name",
        others=("title",),
    ),
    FilterKind("label", "a part of one", "label:todo", meaning="part of a label", hint="part of a label"),
    FilterKind(
        "tag",
        "the beginning of one",
        "tag:client-x",
        meaning="beginning of a tag",
        hint="a tag of the session",
        others=("tags",),
    ),
    FilterKind(
        "model",
        "a part of provider/model",
        "model:opus",
        meaning="part of the name of a model that answered, as provider/model",
        hint="a model that answered",
        others=("provider",),
    ),
    FilterKind(
        "tool",
        "its name",
        "tool:bash",
        meaning="sessions that called this tool; words are then searched in its calls and results only",
        hint="a tool that was called",
    ),
    FilterKind(
        "file",
        "a path, a part of it, or a pattern with * ** ? [a-z]",
        "file:src/**/*.py",
        meaning="sessions that read or changed a file: its path, a part of it that begins with a name, or a "
        "pattern with * ** ? [a-z]",
        hint="a file that was read or changed",
        others=("files", "touched"),
    ),
    FilterKind(
        "edited",
        "a path, a part of it, or a pattern with * ** ? [a-z]",
        "edited:auth.py",
        meaning="as file:, for files that were written, edited, moved or removed",
        hint="a file that was changed",
        others=("changed", "edit", "wrote"),
    ),
    FilterKind(
        "id",
        "its beginning",
        "id:019a2b",
        meaning="beginning of the session id",
        hint="beginning of the session id",
    ),
    FilterKind(
        "date",
        "an age (<2d, >1w, 3h; m h d w mo y), today, yesterday, 2026, 2026-10, 2026-10-05 "
        "(alone or after < <= > >=) or a range (2026-09..2026-10)",
        "date:<2d",
        hint="time of the last message",
        refusal="is no time; examples: today, yesterday, <2d, 2026-10",
        values=_DATES,
        others=("after", "age", "before", "since"),
    ),
    FilterKind(
        "cost",
        "dollars: >1, >=0.5, <1, <=1, =0 or a range (1..10)",
        "cost:>1",
        meaning="dollars (>1, >=0.5, <1, <=1, =0 or 1..10)",
        hint="cost in dollars",
        refusal="is no amount in dollars; examples: >1, <0.5, 1..10",
        values={">1": "more than a dollar", ">10": "more than ten", "<1": "less than one"},
        others=("price",),
    ),
    FilterKind(
        "tokens",
        "a number: >100k, >=2m, <500, <=1k, =0 or a range (1k..2k)",
        "tokens:>100k",
        meaning="tokens, input and output (>100k, >=2m, <500, <=1k, =0 or 1k..2k)",
        hint="number of tokens, input and output",
        refusal="is no number; examples: >100k, <=2m, 1k..2k",
        values={">100k": "more than 100,000", ">1m": "more than a million", "<10k": "less than 10,000"},
    ),
    FilterKind(
        "messages",
        "a number: >50, >=50, <5, <=5, =1 or a range (10..20)",
        "messages:>50",
        meaning="number of messages (>50, >=50, <5, <=5, =1 or 10..20)",
        hint="number of messages",
        refusal="is no number; examples: >50, <5, 10..20",
        values={">50": "more than 50", ">200": "more than 200", "<5": "fewer than 5"},
    ),
    FilterKind(
        "size",
        "bytes: >10m, >=1g, <100k, <=1m or a range (1m..10m)",
        "size:>10m",
        meaning="bytes of the session's file (>10m, >=1g, <100k, <=1m or 1m..10m)",
        hint="size of the session's file",
        refusal="is no number of bytes; examples: >10m, <100k, 1m..10m",
        values={">1m": "more than a megabyte", ">10m": "more than ten", "<100k": "less than 100 kB"},
        others=("bytes", "disk"),
    ),
    _one_of(
        "has",
        _HAS,
        "has:branch",
        meaning="sessions with at least one",
        hint="at least one label, branch, image…",
    ),
    _one_of(
        "is",
        _IS,
        "is:waiting",
        meaning="sessions that are",
        hint="waiting, failed, open, named…",
        renamed={"live": "open"},
    ),
    _one_of(
        "sort",
        SORTS,
        "sort:cost",
        meaning="the order of the sessions",
        hint="the order: by cost, tokens, size…",
    ),
    _one_of(
        "role",
        _ROLE,
        "role:user",
        meaning="search words only in these parts of a session",
        hint="search only prompts, answers…",
        others=("from",),
    ),
    _one_of(
        "in",
        _IN,
        "in:tools",
        meaning="search words only in these, or in everything",
        hint="search only the conversation, tools, thinking…",
    ),
)

FILTER_KINDS = {kind.name: kind for kind in _FILTER_KINDS}
"""Every kind of filter by its name, in the order of the help."""

NAMES = {name: kind.name for kind in _FILTER_KINDS for name in (kind.name, *kind.also)}
"""Accepted name of a filter -> its name."""


def intended_filter(name: str) -> str | None:
    """The filter that the user may have meant by an unknown `name` (lower case): `name` is another word for
    it, or a typing error in its name. None if there is no such filter.
    """
    for kind in _FILTER_KINDS:
        if name in kind.others:
            return kind.name
    is_similar = _is_typo if len(name) > 4 else _is_swapped  # `host`, `data`, `mode` and `hash` are words
    return next((known for known in FILTER_KINDS if len(known) > 3 and is_similar(name, known)), None)


def _is_typo(typed: str, name: str) -> bool:
    """Whether one letter is missing, doubled, wrong or swapped with the next."""
    end = _common_prefix(typed, name)
    rest, expected = typed[end:], name[end:]
    return (
        rest[1:] == expected[1:] or rest[1:] == expected or rest == expected[1:] or _is_swapped(typed, name)
    )


def _is_swapped(typed: str, name: str) -> bool:
    """Whether two adjacent letters are swapped."""
    end = _common_prefix(typed, name)
    return typed[end : end + 2] == name[end : end + 2][::-1] and typed[end + 2 :] == name[end + 2 :]


def _common_prefix(typed: str, name: str) -> int:
    """The number of equal characters at the beginning of both."""
    length = 0
    while length < min(len(typed), len(name)) and typed[length] == name[length]:
        length += 1
    return length


_TERMS: tuple[TableRow, ...] = (
    ("word", "sessions that contain it, also as a part of a longer word; all words must match", "frobnic"),
    ("phrase", "a phrase in double quotes: these words in a row", '"off by one"'),
    ("re:", "a regular expression (RE2), in quotes if it has blanks", r"re:https?://\S+"),
    ("-", "before a word, phrase or filter: sessions without it", "-draft -agent:omp"),
)

CASE = "A word, phrase or pattern with a capital letter must match exactly; others match in any case."


def language_table() -> list[TableRow]:
    """The query language as rows for the help and the README: (name, meaning and values, example)."""
    filters = [
        (f"{kind.name}:", kind.meaning or f"{kind.hint}: {kind.takes}", kind.example)
        for kind in FILTER_KINDS.values()
    ]
    return [*_TERMS, *filters]


_PLAIN_TERMS: tuple[TableRow, ...] = (
    ("word", "sessions that contain it, in any part of a longer word; all words must match", "frobnic"),
    ('"…"', "a phrase: these words in a row", '"off by one"'),
    *_TERMS[2:],
)


def screen_table() -> list[TableRow]:
    """The query language as rows for the help on the screen: (name, explanation with all values, example)."""
    rows = list(_PLAIN_TERMS)
    filters = language_table()[len(_TERMS) :]
    for kind, (name, meaning, example) in zip(FILTER_KINDS.values(), filters, strict=True):
        if kind.fixed:
            values = ", ".join(f"{value} ({text})" for value, text in kind.values.items())
            meaning = f"{meaning.partition(':')[0]}: {values}"
        rows.append((name, meaning, example))
    return rows


def language_help(columns: int) -> str:
    """The table as lines of at most `columns` characters (at least 40), without a newline at the end."""
    import textwrap  # imported here because only the help needs it

    lines: list[str] = []
    name_width = max(len(name) for name, _, _ in language_table()) + 2
    text_width = max(columns, 40) - 2 - name_width
    for name, meaning, example in language_table():
        first, *rest = [*textwrap.wrap(meaning, text_width), example]
        lines.append(f"  {name:<{name_width}}{first}")
        lines += [f"  {'':<{name_width}}{text}" for text in rest]
    return "\n".join([*lines, "", *textwrap.wrap(CASE, max(columns, 40))])
