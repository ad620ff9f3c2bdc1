"""Keys one after the other: a key that was typed early goes where the keys before it lead.

Textual hands each key at once to the widget that has the focus then, from which it climbs to the bindings.
What a key does to the focus comes later. So of keys that come together (typed ahead, pasted, on a busy
machine) the second still reaches the widget that the first one left: Tab, Up, Enter would resume the session
in the list, and the first letters of a filter would be lost. Here a key waits until the one before it has
climbed all the way.
"""

from __future__ import annotations

import asyncio
from collections import deque
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from textual import events
from textual.widgets import Input

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from textual.app import App
    from textual.dom import DOMNode

PATIENCE = 0.5
"""Seconds after which the next key is passed on whatever has become of the one before: its widget may be
gone.
"""


HELD = 0.05
"""Seconds for which the first picture waits at most for what the keys typed before it lead to."""


class KeyOrder:
    """The keys that wait.

    :param app: whose keys they are.
    :param pass_on: hands a key to the widget with the focus.
    """

    def __init__(self, app: App[Any], pass_on: Callable[[events.Key], Awaitable[None]]) -> None:
        self._app = app
        self._pass_on = pass_on
        # what was typed while the screen was being built; None once that is there
        self._early: list[events.Key] | None = []
        self._holds_picture = False
        self._waiting: deque[events.Key] = deque()
        self._turn = 0
        self._under_way = False
        self._timeout: asyncio.TimerHandle | None = None

    @property
    def letter_follows(self) -> bool:
        """Whether a letter is the next of the keys that wait."""
        return bool(self._waiting) and self._waiting[0].is_printable

    @property
    def has_begun(self) -> bool:
        """Whether the screen is there."""
        return self._early is None

    @property
    def leads_to_picture(self) -> bool:
        """Whether keys wait for the screen, or are on their way that did: its first picture is the one that
        they lead to.
        """
        return bool(self._early) or self._holds_picture

    async def begin(self) -> None:
        """The screen is there: it gets the keys that were typed meanwhile, in order."""
        early, self._early = self._early or [], None
        if early:
            self._holds_picture = True
            asyncio.get_running_loop().call_later(HELD, self._app.call_later, self._let_paint)
        for key in early:
            # Enter, typed while the terminal still made a line feed of it
            await self.take(events.Key("enter", "\r") if key.key == "ctrl+j" else key)

    def _let_paint(self) -> None:
        if self._holds_picture:
            self._holds_picture = False
            self._app.screen.refresh()

    async def take(self, key: events.Key) -> None:
        """Pass `key` on, now or when its turn comes."""
        if self._early is not None:
            self._early.append(key)
        elif self._under_way:
            self._waiting.append(key)
        elif key.is_printable and isinstance(self._app.focused, Input):
            # the other letters of what is pasted stand in the queue behind it
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
        # not Textual's timer: each is a task, and hardly a key needs it
        later = asyncio.get_running_loop().call_later
        self._timeout = later(PATIENCE, self._app.call_later, self._end, turn)
        self._climb(start, turn)

    def _climb(self, node: DOMNode, turn: int) -> None:
        """Go the way of the key, behind it: each step is taken when the queue there has come to it."""
        if node.call_later(self._step, node, turn):
            return
        # It takes no more messages: whatever the key did to it is done.
        self._app.call_later(self._end, turn)

    def _step(self, node: DOMNode, turn: int) -> None:
        parent = node.parent
        if parent is not None:
            self._climb(parent, turn)
        elif node is self._app:
            # A widget that was told to take the focus takes it by way of the queue that we are in.
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
        """Put a run of letters that wait into the line they are typed in, but for the last, which goes its
        way as any key: each alone would be painted and looked for.
        """
        line = self._app.focused
        letters = list(takewhile(lambda key: key.is_printable, self._waiting))[:-1]
        if not letters or not isinstance(line, Input) or not line.selection.is_empty:
            return
        text = "".join(key.character or "" for key in letters)
        if not line.value and text[0] == " ":
            return  # in an empty line a blank may be a command
        with line.prevent(Input.Changed):
            line.insert_text_at_cursor(text)
        for _ in letters:
            self._waiting.popleft()


def letter_follows(app: App[Any]) -> bool:
    """Whether another letter is about to be typed, as in a text that is pasted: what its beginning leads to
    need not be found out.
    """
    order = getattr(app, "key_order", None)
    return isinstance(order, KeyOrder) and order.letter_follows


def leads_to_picture(app: App[Any]) -> bool:
    """Whether the first picture is still to be that to which keys lead that were typed before it."""
    order = getattr(app, "key_order", None)
    return isinstance(order, KeyOrder) and order.leads_to_picture
