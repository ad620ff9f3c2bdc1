"""The keys that the footer offers beside the list of sessions and in its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.commands import footer, key_name, key_of, named, of_pane, offered

if TYPE_CHECKING:
    from app.view.session_list import SessionList

SEARCH_HINT = 'words, "a phrase", agent:pi, label:x'
"""Stands in the line of the search while nothing is typed."""


def line_keys(
    *,
    selects: bool,
    here: bool,
    typed: bool,
    completing: str = "",
    has_row: bool = True,
    has_marks: bool = False,
) -> list[tuple[str, str]]:
    """(key, label) of what can be done in the line of the search.

    :param selects: it is the selector's.
    :param here: this folder's sessions alone are shown.
    :param typed: there is something in the line.
    :param completing: what completes what is typed: "tab" for the key of that command, "right" for the arrow,
        "" where nothing is offered.
    :param has_row: the cursor of the list is on a session; ``has_marks``: some are marked.
    """
    completes = [(key_of("filter.complete") if completing == "tab" else key_name("right"), "complete")]
    if not completing:
        completes = []
    scope = key_of("pane.next", typing=True)
    if not selects:
        moves = " ".join(filter(None, (key_of("filter.above"), key_of("filter.below"))))
        own = offered(of_pane("filter"))
        pairs = [*own, *completes, (moves, "move"), (key_of("app.quit", typing=True), "quit")]
        return _there(pairs, has_row=has_row, has_marks=has_marks)
    # where there is no room, those in the middle go first
    pairs = [
        (key_of("filter.keep"), "resume"),
        (key_of("pane.previous", typing=True), "list"),
        (key_of("change.undo", typing=True), "undo"),
        *completes,
        *offered(of_pane("side")),
        *([] if (scope, "complete") in completes else [(scope, _other_scope(here))]),
        (key_of("help.show", typing=True), "help"),
        (key_of("filter.drop"), "unmark" if has_marks else "clear" if typed else "leave"),
    ]
    return _there(pairs, has_row=has_row, has_marks=has_marks)


def list_keys(*, selects: bool, here: bool) -> list[tuple[str, str]]:
    """The same of what can be done in the list itself. In the selector, the key of the next pane turns the
    scope, as in pi.
    """
    pane = named("pane.next").label
    return [
        (key, _other_scope(here) if selects and label == pane else label) for key, label in footer("sessions")
    ]


def keys_without_session(model: SessionList) -> list[tuple[str, str]]:
    """What can be done in the browser's list at the start, where no session is under the cursor."""
    without = {command.label for pane in ("sessions", "side") for command in of_pane(pane)}
    pairs = [
        pair
        for pair in list_keys(selects=False, here=model.arrangement.scope == "here")
        if pair[1] not in without
    ]
    if model.lines:
        return [("Enter", "fold" if model.is_open(model.lines[0].group) else "unfold"), *pairs]
    return pairs if model.known else [("F6", "examples"), ("F5", "look again"), *pairs]


def preview_keys(*, here: bool) -> list[tuple[str, str]]:
    """The same of what can be done in the preview beside it."""
    without = {command.label for command in of_pane("sessions") if not command.preview}
    return [pair for pair in list_keys(selects=True, here=here) if pair[1] not in without]


def on_marks() -> set[str]:
    """The labels of what is done to the marked sessions, wherever the cursor is."""
    return {named(id).label for id in ("session.trash", "session.pin")}


def _there(pairs: list[tuple[str, str]], *, has_row: bool, has_marks: bool) -> list[tuple[str, str]]:
    """Those that have a key, and something to be done with."""
    without = set() if has_row else {"resume", *(command.label for command in of_pane("side"))}
    if has_marks:
        without -= on_marks()
    return [pair for pair in pairs if pair[0] and pair[1] not in without]


def _other_scope(here: bool) -> str:
    return "all folders" if here else "this folder"
