"""The messages of a screen, in its status line. A message with the key that undoes what was done is removed
as soon as the key would do something else: after an undo, after another action, and while a dialog or an
input has the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from textual.screen import ModalScreen

from app.keys import key_of
from app.view.notifications import copied_text
from app.view.status_messages import DONE, ERROR, FACT, SECONDS, WARNING, message, message_line
from app.widgets.inputs import LineInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.screen import Screen

    from app.view.line import Line
    from app.view.notifications import copied_text
from app.view.status_messages import MessageQueue, StatusMessage


class MessageApp(Protocol):
    """The application, which shows the messages (`app.browser.Browser`)."""

    messages: MessageQueue

    def show_message(self, shown: StatusMessage) -> None:
        """Show a message after those that are shown already."""

    def show_messages(self) -> None:
        """Paint the current message."""


class StatusMessages:
    """Shows messages in the status line. All texts are raw."""

    def __init__(self, screen: Screen[Any]) -> None:
        self._screen = screen

    @property
    def _app(self) -> MessageApp:
        return cast("MessageApp", self._screen.app)

    def line(self, cells: int) -> Line | None:
        """The current message, for the status line; None for none."""
        queue: MessageQueue | None = getattr(self._screen.app, "messages", None)
        return None if queue is None or queue.current is None else message_line(queue.current, cells)

    def show(self, text: str, seconds: float = SECONDS) -> None:
        """Show a fact."""
        self._app.show_message(message(text, FACT, seconds=seconds))

    def warn(self, text: str, seconds: float = SECONDS) -> None:
        """Show a warning."""
        self._app.show_message(message(text, WARNING, seconds=seconds))

    def complain(self, text: str) -> None:
        """Show why something was not done."""
        self._app.show_message(message(text, ERROR))

    def withdraw(self, text: str) -> None:
        """Remove a message that does not hold any more."""
        self._app.messages.withdraw(lambda shown: shown.text == text)
        self._app.show_messages()

    def copy(self, text: str, what: str = "", title: str = "") -> None:
        """Put a text on the clipboard, through the terminal (OSC 52).

        :param what: the name of the text in the message; "" shows no message.
        :param title: the raw title of the session whose text it is; "" for none.
        """
        self._screen.app.copy_to_clipboard(text)
        if what:
            self._app.show_message(message(copied_text(what, title), DONE))

    # the key that undoes

    def show_done(self, text: Callable[[str], str], *, is_undo: bool) -> None:
        """Show what was done, with the key that undoes it if that key works here.

        :param text: gets the name of the key, or "", and gives the text.
        :param is_undo: an undo was done.
        """
        types = isinstance(self._screen.focused, LineInput)
        key = "" if self._is_covered else key_of("change.undo", typing=types)
        offered, plain = text(key), text("")
        offers = offered != plain
        if is_undo or offers:
            self._withdraw()
        self._app.show_message(message(offered, DONE, key if offers else ""))

    def focus_moved(self, is_input: bool) -> None:
        """Remove the messages whose key does not undo any more.

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
        """Remove the messages whose key does not undo any more.

        :param holds: whether a key still does.
        """
        self._app.messages.withdraw(lambda shown: bool(shown.undo_key) and not holds(shown.undo_key))
        self._app.show_messages()
