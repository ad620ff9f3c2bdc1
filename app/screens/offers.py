"""Toasts that say which key takes back what was done. Each goes
as soon as the key does that no more: it has done it, something else was done since, or a dialog or a line has
the keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.notifications import Notification, Notify
from textual.screen import ModalScreen

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from textual.app import App


class _Offer(Notification):
    """key   see `offer`"""

    key = ""


def may_offer(app: App[Any]) -> bool:
    """Whether the key of undo does that: dialogs have keys of their own."""
    screens = app.screen_stack
    return not (screens and isinstance(screens[-1], ModalScreen))


def offer(app: App[Any], said: str, key: str) -> None:
    """Say what was done, and that it can be taken back; what was offered before goes.

    :param said: inert.
    :param key: takes it back, as people write it.
    """
    withdraw(app)
    made = _Offer(said, timeout=app.NOTIFICATION_TIMEOUT)
    made.key = key
    app.post_message(Notify(made))


def withdraw(app: App[Any], holds: Callable[[str], bool] = lambda key: False) -> None:
    """Take away what is offered.

    :param holds: whether a key does yet what is said of it.
    """

    def look() -> None:
        for each in list(app._notifications):
            if isinstance(each, _Offer) and not holds(each.key):
                app._unnotify(each)

    # at once, or the next screen would show it first; and what is on its way
    look()
    app.call_later(look)
