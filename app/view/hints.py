"""The keys that the footer offers while somebody types."""

from __future__ import annotations

from app.commands import footer, key_name, of_pane

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
        ("Tab", "all folders" if here else "this folder"),
        (key_name("f1"), "help"),
        ("Esc", "clear" if typed else "leave"),
    ]
