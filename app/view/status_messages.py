"""The messages of the status line: one at a time, for some seconds or until the next key."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from app.formats.text import one_line
from app.view.cells import max_width, shorten, stable_width
from app.view.line import Line, fit_line

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 3.0
"""Seconds for which a message stays."""
MOST_CHARACTERS = 500
MOST_LOGGED = 50

FACT, DONE, WARNING, ERROR = "fact", "done", "warning", "error"
"""Kinds of messages: a fact, an action that was done, a warning, and an action that was not done."""

_MARKS = {FACT: "", DONE: "✓ ", WARNING: "! ", ERROR: "× "}
_STYLES = {FACT: "text", DONE: "live", WARNING: "warning", ERROR: "error"}
_SEPARATORS = (" – ", "; ", " · ")


class StatusMessage(NamedTuple):
    """A message.

    text      inert, in one line
    kind      one of the kinds above
    undo_key  the key that the text offers for undo; "" for none
    seconds   how long it stays
    """

    text: str
    kind: str = FACT
    undo_key: str = ""
    seconds: float = SECONDS


def message(text: str, kind: str = FACT, undo_key: str = "", seconds: float = SECONDS) -> StatusMessage:
    """A message of a raw text, which is shown for some seconds."""
    return StatusMessage(one_line(text, MOST_CHARACTERS), kind, undo_key, seconds)


class MessageQueue:
    """The message that is shown, and those that wait for it to end.

    current   the message that is shown; None for none
    log       the texts of the last messages, the newest at the end
    """

    def __init__(self) -> None:
        self.current: StatusMessage | None = None
        self.log: deque[str] = deque(maxlen=MOST_LOGGED)
        self._waiting: deque[StatusMessage] = deque()

    def add(self, added: StatusMessage) -> None:
        """Show a message now, or after those before it. One that is shown or waits already is not added."""
        if not added.text or added in self._waiting or added == self.current:
            return
        self.log.append(added.text)
        if self.current is None:
            self.current = added
        else:
            self._waiting.append(added)

    def end(self) -> None:
        """End the current message, and show the next one."""
        self.current = self._waiting.popleft() if self._waiting else None

    def withdraw(self, is_outdated: Callable[[StatusMessage], bool]) -> None:
        """Drop messages that do not hold any more."""
        self._waiting = deque(message for message in self._waiting if not is_outdated(message))
        if self.current is not None and is_outdated(self.current):
            self.end()


def message_line(shown: StatusMessage, cells: int) -> Line:
    """A message in one line. If there is no room, its last clauses are left out whole."""
    style = _STYLES[shown.kind]
    mark = _MARKS[shown.kind]
    return fit_line([(f" {mark}", style), (fitted(shown.text, cells - 2 - len(mark)), style)], cells)


def message_text(shown: StatusMessage, cells: int) -> str:
    """A message with its mark, in at most `cells`."""
    mark = _MARKS[shown.kind]
    return mark + fitted(shown.text, cells - len(mark))


def fitted(text: str, cells: int) -> str:
    """A text in at most `cells`, without its last clauses if there is no room for them."""
    text = stable_width(text)
    while max_width(text) > cells:
        end = max(text.rfind(separator) for separator in _SEPARATORS)
        if end <= 0:
            return shorten(text, cells)
        text = text[:end]
    return text
