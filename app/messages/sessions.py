"""What the background tells of the sessions: which there are, and what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.index.row import Row
    from app.view.session_list import SessionList


class ScreenReady(Message):
    """The browser's panes are there and the session list has the keys."""


class CatalogLoaded(Message):
    """Every session that is known so far, as a list that is ready to be shown, and the places that are
    searched: (agents, folder, state). ``cold``: the catalog knew none at launch.
    """

    def __init__(self, model: SessionList, places: Sequence[tuple[str, str, str]], cold: bool) -> None:
        self.model = model
        self.places = places
        self.cold = cold
        super().__init__()


class FirstPageRead(Message):
    """The sessions that come first in one list of all, as one that is ready to be shown, while the others are
    not known yet; as many as there may be in sight with the cursor on the one of this `path`, "" for none.
    """

    def __init__(self, model: SessionList, path: str) -> None:
        self.model = model
        self.path = path
        super().__init__()


class SessionsChanged(Message):
    """Rows that are new or changed and paths that are gone; ``done`` of ``total`` files are read. ``looked``:
    every store has been looked at again, as was asked for. ``unread``: so many files and so many folders
    cannot be read, and nobody knows what is in them.
    """

    def __init__(
        self,
        changed: Sequence[Row],
        removed: Sequence[str],
        done: int,
        total: int,
        *,
        looked: bool = False,
        unread: tuple[int, int] = (0, 0),
    ) -> None:
        self.changed = changed
        self.removed = removed
        self.done = done
        self.total = total
        self.looked = looked
        self.unread = unread
        super().__init__()


class PlacesFound(Message):
    """The places that are searched, as `CatalogLoaded` has them, as they are now."""

    def __init__(self, places: Sequence[tuple[str, str, str]]) -> None:
        self.places = places
        super().__init__()


class PinsRead(Message):
    """The sessions that are pinned: (agent, id)."""

    def __init__(self, pins: frozenset[tuple[str, str]]) -> None:
        self.pins = pins
        super().__init__()


class HereFound(Message):
    """Working folders of sessions that are this folder, spelled otherwise."""

    def __init__(self, folders: Sequence[str]) -> None:
        self.folders = folders
        super().__init__()


class SubagentsRead(Message):
    """The sessions of sub-agents, as far as their ends tell."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        super().__init__()


class Unremembered(Message):
    """How the list is shown could not be written down; `reason` is the system's word for why."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class Unkept(Message):
    """Not all that was read is kept on disk; `reason` is one line that says why, "" when all is again."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class ServiceFailed(Message):
    """Something in the background ended with an error that concerns no pane."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class IndexFailed(Message):
    """Following the stores ended with an error."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class StatesFound(Message):
    """Which sessions are live (path -> ``live`` or ``maybe``), and who holds them."""

    def __init__(self, states: Mapping[str, str], reasons: Mapping[str, str]) -> None:
        self.states = states
        self.reasons = reasons
        super().__init__()
