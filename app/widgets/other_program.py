"""Gives texts to other programs: to the clipboard, and to the user's editor or pager."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from textual.app import SuspendNotSupported

from app.formats.text import one_line
from app.services.external_editor import EditorResult, NoProgram, command_of, open_copy
from app.view.clipboard import copy_warning, text_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App


_DOUBTS: WeakKeyDictionary[App[Any], set[str]] = WeakKeyDictionary()
"""The reasons why a copy may fail that were told: each once in a run."""


def copy_text(app: App[Any], what: str, text: str, env: Mapping[str, str]) -> None:
    """Copy a text through the terminal, and show what and how much. Not every terminal tells whether it
    worked, which is said once.

    :param what: the name of the text, such as "answer"; raw.
    """
    app.copy_to_clipboard(text)
    unsure, told = copy_warning(text, env), _DOUBTS.setdefault(app, set())
    doubt = f" – {unsure}" if unsure and unsure not in told else ""
    told.add(unsure)
    name = one_line(what[:1].lower() + what[1:])
    the = "" if " of " in name else "the "
    app.notify(f"Copied {the}{name} ({text_size(text)}){doubt}", markup=False)


def open_in_program(
    app: App[Any],
    kind: str,
    text: str,
    suffix: str,
    env: Mapping[str, str],
    *,
    shown: bool,
    name: str = "entry",
) -> None:
    """Show a copy of a text in the user's "pager" or "editor", and wait until it ends.

    :param suffix: the end of the file's name.
    :param shown: the program may write the text to the terminal as it is: it gets an inert text.
    :param name: the name of the file, without its suffix.
    """
    try:
        command = command_of(kind, env)
    except NoProgram as error:
        _complain(app, str(error))
        return
    result: EditorResult | None = None
    problem = ""
    try:
        with app.suspend():
            # An exception in here would keep Textual from taking the terminal back.
            try:
                result = open_copy(text, suffix, command, env, shown=shown, name=name)
            except OSError as error:
                problem = f"{command[0]} cannot be run: {error.strerror or error}"
    except SuspendNotSupported:
        problem = "Other programs cannot run here"
    if problem:
        _complain(app, problem)
    elif result is not None and result.problem:
        _complain(app, f"{command[0]} {result.problem}")
    elif result is not None and result.changed:
        app.notify("Changes to this copy are not saved to the session", markup=False)


def show_on_terminal(app: App[Any], text: str) -> None:
    """Show an inert text on the terminal in place of the screen, until the user presses Enter."""
    try:
        with app.suspend(), suppress(OSError, EOFError, KeyboardInterrupt):
            input(text)
    except SuspendNotSupported:
        _complain(app, "The toy agent cannot run here")


def _complain(app: App[Any], text: str) -> None:
    app.notify(one_line(text, 500), severity="error", markup=False, timeout=10)
