"""The toasts of a screen. A toast with the key that undoes what was done is removed as soon as the key would
do something else: after an undo, after another action, and while a dialog or an input has the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.notifications import Notification, Notify
from textual.screen import ModalScreen

from app.formats.text import one_line
from app.keys import key_of
from app.widgets.inputs import LineInput
from app.widgets.textual_internals import remove_toasts

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

ERROR_SECONDS = 10
MOST_CHARACTERS = 500


class _UndoToast(Notification):
    """A toast with the name of the `key` that undoes."""

    key = ""


class Toasts:
    """Shows toasts on a screen. All texts are raw."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen

    def show(self, text: str) -> None:
        """Show what has happened."""
        self._screen.notify(one_line(text, MOST_CHARACTERS), markup=False)

    def warn(self, text: str) -> None:
        """Show a warning."""
        self._screen.notify(one_line(text, MOST_CHARACTERS), severity="warning", markup=False)

    def complain(self, text: str) -> None:
        """Show why something was not done."""
        text = one_line(text, MOST_CHARACTERS)
        self._screen.notify(text, severity="error", markup=False, timeout=ERROR_SECONDS)

    def copy(self, text: str, what: str = "") -> None:
        """Put a text on the clipboard, through the terminal (OSC 52).

        :param what: the name of the text in the toast; "" shows no toast.
        """
        self._screen.app.copy_to_clipboard(text)
        if what:
            self.show(f"{what} copied")

    # the key that undoes

    def show_done(self, message: Callable[[str], str], *, is_undo: bool) -> None:
        """Show what was done, with the key that undoes it if that key works here.

        :param message: gets the name of the key, or "", and gives the text.
        :param is_undo: an undo was done.
        """
        types = isinstance(self._screen.focused, LineInput)
        key = "" if self._is_covered else key_of("change.undo", typing=types)
        text, plain = one_line(message(key), MOST_CHARACTERS), one_line(message(""), MOST_CHARACTERS)
        if is_undo:
            self._withdraw()
        if text != plain:
            self._withdraw()
            toast = _UndoToast(text, timeout=self._screen.app.NOTIFICATION_TIMEOUT)
            toast.key = key
            self._screen.app.post_message(Notify(toast))
        elif text:
            self._screen.notify(text, markup=False)

    def focus_moved(self, is_input: bool) -> None:
        """Remove the toasts whose key does not undo any more.

        :param is_input: an input has the focus now.
        """
        if is_input:
            key = key_of("change.undo", typing=True)
            self._withdraw(lambda offered: offered == key)

    def covered(self) -> None:
        """Another screen is over this one."""
        if self._is_covered:
            self._withdraw()

    @property
    def _is_covered(self) -> bool:
        """Whether a dialog, which has its own keys, is open."""
        screens = self._screen.app.screen_stack
        return bool(screens) and isinstance(screens[-1], ModalScreen)

    def _withdraw(self, holds: Callable[[str], bool] = lambda key: False) -> None:
        """Remove the toasts whose key does not undo any more.

        :param holds: whether a key still does.
        """
        app = self._screen.app

        def remove() -> None:
            remove_toasts(app, lambda toast: isinstance(toast, _UndoToast) and not holds(toast.key))

        # At once, or the next screen would show it first; and again for a toast that is posted but not shown.
        remove()
        app.call_later(remove)
