"""An entry on its way out of leafmark: to the clipboard, or as a copy into a program of the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from app.formats.text import one_line
from app.services.external_editor import Handed, NoProgram, command_of, hand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from textual.app import App

    from app.formats.parts import Part


def copy_out(app: App[Any], what: str, text: str, env: Mapping[str, str]) -> None:
    """Put a text on the clipboard by the terminal, and say what and how much; that it arrived cannot be
    known everywhere.
    """
    from app.view.clipboard import doubt, size_of

    if not text:
        app.notify(f"{one_line(what)}: there is none here", severity="warning", markup=False)
        return
    # half a character has no place in what a terminal is sent
    app.copy_to_clipboard(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    unsure = doubt(text, env)
    said = f"{one_line(what)} copied, {size_of(text)}" + (f" – {unsure}" if unsure else "")
    app.notify(said, markup=False)


def open_out(app: App[Any], kind: str, parts: Sequence[Part], env: Mapping[str, str], *, raw: bool) -> None:
    """Show a copy of an entry in the user's "pager" or "editor"; leafmark comes back when it ends.

    :param raw: it is the entry as it stands in the file.
    """
    from app.view.clipboard import suffix_of, whole

    try:
        command = command_of(kind, env)
    except NoProgram as error:
        _complain(app, str(error))
        return
    handed: Handed | None = None
    problem = ""
    try:
        with app.suspend():
            # Nothing may be raised in here: the terminal would not be taken back.
            try:
                handed = hand(whole(parts), suffix_of(parts, raw=raw), command, env, shown=kind == "pager")
            except OSError as error:
                problem = f"{command[0]} cannot be run: {error.strerror or error}"
    except SuspendNotSupported:
        problem = "Other programs cannot be shown here"
    if problem:
        _complain(app, problem)
    elif handed is not None and handed.problem:
        _complain(app, f"{command[0]} {handed.problem}")
    elif handed is not None and handed.changed:
        app.notify("That was a copy: the session is as it was", markup=False)


def _complain(app: App[Any], text: str) -> None:
    app.notify(one_line(text, 500), severity="error", markup=False, timeout=10)
