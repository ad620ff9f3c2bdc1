"""Pass keys on one after the other: each key waits until the key before it has been handled.

Textual 8.2.8 puts each key that has no priority binding into the queue of the widget with the focus and does
not wait for it. The widget handles the key and passes it to its parents. A widget that takes the focus gets
it through the queue of the app, which may already have handed out the next key. If several keys come together
(typed ahead, pasted, or on a busy machine), the second would still reach the widget that the first one left:
Tab, Up, Enter would resume the session in the list, and the first letters of a filter would be lost. This
module becomes unnecessary if Textual hands out each key after the effects of the previous one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from itertools import takewhile
from typing import Any

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.widgets import Input

PATIENCE = 0.5
"""Seconds until the next key is passed on if the previous one is not known to be handled: its widget may be
gone.
"""
HELD = 0.05
"""Most seconds for which the first picture waits for the effect of keys that were typed before it."""


class KeyOrder:
    """The queue of keys.

    :param app: the app that gets the keys.
    :param pass_on: hands a key to the widget with the focus.
    """

    def __init__(self, app: App[Any], pass_on: Callable[[events.Key], Awaitable[None]]) -> None:
        self._app = app
        self._pass_on = pass_on
        # keys typed while the screen was being built; None when it is ready
        self._early: list[events.Key] | None = []
        self._holds_picture = False
        self._waiting: deque[events.Key] = deque()
        self._turn = 0
        self._under_way = False
        self._timeout: asyncio.TimerHandle | None = None

    @property
    def letter_follows(self) -> bool:
        """Whether the next key in the queue is a letter."""
        return bool(self._waiting) and self._waiting[0].is_printable

    @property
    def has_begun(self) -> bool:
        """Whether the screen is ready."""
        return self._early is None

    @property
    def leads_to_picture(self) -> bool:
        """Whether keys that were typed before the screen was ready have not taken effect; the first picture
        waits for them.
        """
        return bool(self._early) or self._holds_picture

    async def begin(self) -> None:
        """Begin to pass keys on, first those that were typed before the screen was ready."""
        early, self._early = self._early or [], None
        if early:
            self._holds_picture = True
            asyncio.get_running_loop().call_later(HELD, self._app.call_later, self._let_paint)
        for key in early:
            # before the first frame, the terminal turned Enter into a line feed
            await self.take(events.Key("enter", "\r") if key.key == "ctrl+j" else key)

    def _let_paint(self) -> None:
        if self._holds_picture:
            self._holds_picture = False
            self._app.screen.refresh()

    async def take(self, key: events.Key) -> None:
        """Pass `key` on, now or after the keys before it."""
        if self._early is not None:
            self._early.append(key)
        elif self._under_way:
            self._waiting.append(key)
        elif key.is_printable and isinstance(self._app.focused, Input):
            # the other letters of a pasted text follow it in the queue
            self._waiting.append(key)
            self._under_way = True
            self._turn += 1
            self._app.call_later(self._end, self._turn)
        else:
            await self._send(key)

    async def _send(self, key: events.Key) -> None:
        self._under_way = True
        self._turn += 1
        turn = self._turn
        start = self._app.focused or self._app.screen
        await self._pass_on(key)
        # a timer of Textual would cost a task for each key, and hardly any key needs it
        later = asyncio.get_running_loop().call_later
        self._timeout = later(PATIENCE, self._app.call_later, self._end, turn)
        # A message that the key made a widget post, such as that Enter was pressed, follows the key.
        self._climb(start, turn, then=start)

    def _climb(self, node: DOMNode, turn: int, then: DOMNode | None) -> None:
        """Follow the key from widget to parent: each step runs in the message queue of that widget, behind
        the key.

        :param then: the widget from which to climb once more.
        """
        if node.call_later(self._step, node, turn, then):
            return
        # A widget that takes no more messages has handled the key.
        self._app.call_later(self._end, turn)

    def _step(self, node: DOMNode, turn: int, then: DOMNode | None) -> None:
        parent = node.parent
        if parent is not None:
            self._climb(parent, turn, then)
        elif node is self._app and then is not None:
            self._climb(then, turn, None)
        elif node is self._app:
            # A widget takes the focus through the queue of the app, in which this function runs.
            self._app.screen.call_later(self._app.call_later, self._end, turn)

    async def _end(self, turn: int) -> None:
        if turn != self._turn or not self._under_way:
            return
        self._under_way = False
        if self._timeout is not None:
            self._timeout.cancel()
        if self._waiting:
            self._type_at_once()
            await self._send(self._waiting.popleft())
        else:
            self._let_paint()

    def _type_at_once(self) -> None:
        """Type all waiting letters but the last into the input at once; the last is passed on like any key.
        Otherwise each letter would be painted and searched for.
        """
        line = self._app.focused
        letters = list(takewhile(lambda key: key.is_printable, self._waiting))[:-1]
        if not letters or not isinstance(line, Input) or not line.selection.is_empty:
            return
        text = "".join(key.character or "" for key in letters)
        if not line.value and text[0] == " ":
            return  # in an empty line, a blank may be a command
        with line.prevent(Input.Changed):
            line.insert_text_at_cursor(text)
        for _ in letters:
            self._waiting.popleft()


def letter_follows(app: App[Any]) -> bool:
    """Whether another letter waits, as in a pasted text: a search for the text so far would be useless."""
    order = getattr(app, "key_order", None)
    return isinstance(order, KeyOrder) and order.letter_follows


def leads_to_picture(app: App[Any]) -> bool:
    """Whether the first picture still waits for keys that were typed before it."""
    order = getattr(app, "key_order", None)
    return isinstance(order, KeyOrder) and order.leads_to_picture
