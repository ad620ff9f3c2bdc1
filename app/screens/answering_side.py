"""What is to be done with the session under the cursor: not before that is one that matches what is typed.

A search answers a moment after the letter. Until then the list shows what matched before, and a key that came
quickly would act on a session that nobody has asked for. So it waits for the answer, and is dropped as soon
as the user does something else: types on, moves the cursor, shows the list in another way.
"""

from __future__ import annotations

from functools import wraps
from types import MethodType
from typing import TYPE_CHECKING, Protocol, TypeVar

from app.screens.searching_side import SearchingSide

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.row import Row
    from app.screens.sessions_side import SessionsSide


class _Asked:
    """What waits.

    act       does it
    is_ready  whether all is known that it takes, of the session under the cursor (None: of none)
    query     was in the line
    steps     so often the user had moved the cursor
    path      of the session it is about; "" while that is for the answer to say
    """

    __slots__ = ("act", "is_ready", "path", "query", "steps")

    def __init__(
        self,
        act: Callable[[], object],
        is_ready: Callable[[Row | None], bool],
        query: str,
        steps: int,
        path: str,
    ) -> None:
        self.act = act
        self.is_ready = is_ready
        self.query = query
        self.steps = steps
        self.path = path


class AnsweringSide(SearchingSide):
    """Does what is asked about the session under the cursor as soon as it is known which that is."""

    _asked: _Asked | None = None
    scanned = False
    """Whether all sessions are known: before, what matches nothing may match yet."""

    def once_known(
        self, act: Callable[[], object], is_ready: Callable[[Row | None], bool] = lambda row: True
    ) -> None:
        """Do something with the session under the cursor: at once where that matches what is typed, else as
        soon as it does. Where nothing matches, it is done with none. Of two things that would have to wait
        neither is done: the second was meant for what the first would have shown.

        A session on which the user has put the cursor since the last letter is the one that is meant, and
        nothing is done where it does not match.

        :param is_ready: see `_Asked`; `go_on` tells that it may be.
        """
        waiting, row = self._asked, self.list.row
        if waiting is not None and waiting.act != act and self._is_still_meant(waiting):
            self._asked = None
            self._say_nothing_was_done("another key was pressed before the search had answered")
            return
        is_chosen = self.is_answered or self.list.steps != self.steps_before
        path = row.path if row is not None and is_chosen else ""
        self._asked = _Asked(act, is_ready, self.box.value, self.list.steps, path)
        self._do_what_is_known(self._asked)

    def drop_asked(self) -> None:
        """Do nothing of what waits."""
        self._asked = None

    def go_on(self) -> None:
        """Do what waits, where it is known now what it is about."""
        asked = self._asked
        if asked is None:
            return
        # of what cannot be looked for nothing is known, and the rows are those of before
        if self._is_still_meant(asked) and (asked.path or not self.is_refused):
            self._do_what_is_known(asked)
        else:
            self._asked = None

    def _is_still_meant(self, asked: _Asked) -> bool:
        """Whether the user has done nothing else since."""
        now = self.box.value, self.list.steps
        return (asked.query, asked.steps) == now and self.screen.is_active

    def _do_what_is_known(self, asked: _Asked) -> None:
        row = self.list.row
        if not self.is_answered or (row is None and self._may_have_rows):
            return
        if asked.path and (row is None or row.path not in (asked.path, self.list.followed_to)):
            self._asked = None
            self._say_nothing_was_done("the session under the cursor is another now")
            return
        asked.path = row.path if row is not None else ""
        if asked.is_ready(row):
            self._asked = None
            asked.act()

    def _say_nothing_was_done(self, why: str) -> None:
        self.notify(f"Nothing was done: {why}", severity="warning", markup=False)

    @property
    def _may_have_rows(self) -> bool:
        """Whether there may yet be a session where the list shows none."""
        return not self.model.lines and (self.is_due or not self.scanned)


class _HasSide(Protocol):
    side: SessionsSide


Screen = TypeVar("Screen", bound=_HasSide)


def once_known(action: Callable[[Screen], object]) -> Callable[[Screen], None]:
    """An action of a screen on the session under the cursor, see `AnsweringSide.once_known`."""

    @wraps(action)
    def asked(screen: Screen) -> None:
        screen.side.once_known(MethodType(action, screen))

    return asked
