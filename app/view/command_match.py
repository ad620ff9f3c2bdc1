"""How well a command of the table answers to what is typed into the palette."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.commands import Command

_WORD = re.compile(r"\w+")


def closeness(typed: str, command: Command, told: str) -> int:
    """The greater the closer; 0 where nothing but single letters can be found in it.

    What the footer calls a command and its id come before what the id is made of, and that before the
    sentence.

    :param told: what the command does, as it is said where it is looked for.
    """
    sought = " ".join(typed.casefold().split())
    names = (command.label.casefold(), command.id)
    verb = command.id.rpartition(".")[2]
    words = [
        word for name in names for word in (*_WORD.findall(name), *_WORD.findall(name.replace("_", " ")))
    ]
    grades = (
        sought in names,
        sought in (verb, verb.replace("_", " ")),
        sought in words,
        any(word.startswith(sought) for word in (*names, *words)),
        any(sought in name for name in names),
        all(word in f"{names} {told.casefold()}" for word in sought.split()),
    )
    return next((len(grades) - at for at, holds in enumerate(grades) if sought and holds), 0)
