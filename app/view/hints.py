"""The keys that the footer offers beside the list of sessions and in its line."""

from __future__ import annotations

from app.commands import footer, key_name, named, of_pane

SEARCH_HINT = 'words, "a phrase", agent:pi, label:x'
"""Stands in the line of the search while nothing is typed."""


def line_keys(*, selects: bool, here: bool, typed: bool) -> list[tuple[str, str]]:
    """(key, label) of what can be done in the line of the search.

    :param selects: it is the selector's.
    :param here: this folder's sessions alone are shown.
    :param typed: there is something in the line.
    """
    if not selects:
        return [*footer("filter")[:2], ("↑ ↓", "move"), (key_name("ctrl+q"), "quit")]
    acting = [command for command in of_pane("side") if command.label and command.keys]
    # where there is no room, those in the middle go first
    return [
        ("Enter", "resume"),
        (key_name("shift+tab"), "list"),
        (key_name("ctrl+z"), "undo"),
        *((key_name(command.keys[0]), command.label) for command in acting),
        ("Tab", _other_scope(here)),
        (key_name("f1"), "help"),
        ("Esc", "clear" if typed else "leave"),
    ]


def list_keys(*, selects: bool, here: bool) -> list[tuple[str, str]]:
    """The same of what can be done in the list itself. In the selector, the key of the next pane turns the
    scope, as in pi.
    """
    pane = named("pane.next").label
    return [
        (key, _other_scope(here) if selects and label == pane else label) for key, label in footer("sessions")
    ]


def _other_scope(here: bool) -> str:
    return "all folders" if here else "this folder"
