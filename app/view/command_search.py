"""Scores how well a command matches the text that is typed into the palette."""

from __future__ import annotations

import re

from app.commands import Command

_WORD = re.compile(r"\w+")
ALIASES = {
    "session.delete": "delete remove trash",
    "session.pin": "star favourite bookmark",
    "session.fork": "duplicate copy branch",
    "session.resume": "open continue",
    "session.rename": "name title",
    "session.new": "create",
    "entry.go_on": "branch rewind",
    "entry.label": "tag bookmark",
    "label.list": "tags bookmarks",
    "change.undo": "revert",
    "history.show": "journal log changes",
    "trash.show": "bin deleted recover",
    "list.hidden": "hidden",
    "list.order": "sort order",
    "theme.choose": "colours colors dark light contrast",
    "index.rescan": "refresh reload",
    "help.show": "keys shortcuts",
    "app.quit": "exit",
}
"""Other names of commands, which users of similar programs know."""


def match_score(typed: str, command: Command, description: str) -> int:
    """How well a command matches the typed text; greater is better, 0 if at most single letters match.

    The label and the id of a command count more than the words in them, and these more than its description.

    :param description: the description of the command.
    """
    query = " ".join(typed.casefold().split())
    names = (command.label.casefold(), command.id)
    verb = command.id.rpartition(".")[2]
    words = [
        word for name in names for word in (*_WORD.findall(name), *_WORD.findall(name.replace("_", " ")))
    ] + ALIASES.get(command.id, "").split()
    grades = (
        query in names,
        query in (verb, verb.replace("_", " ")),
        query in words,
        any(word.startswith(query) for word in (*names, *words)),
        any(query in name for name in names),
        description.casefold().startswith(query),
        all(word in f"{names} {description.casefold()}" for word in query.split()),
    )
    return next((len(grades) - place for place, holds in enumerate(grades) if query and holds), 0)
