"""The interface of the panes beside the list to the screen with the sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.widget import Widget

    from app.commands import Command
    from app.index.row import Row
    from app.view.geometry import PaneLayout
    from app.view.hit_line import HitPlace
    from app.view.line import Line
    from app.widgets.line_list import LineList
    from app.widgets.panes import Divider, Pane


class Beside(Protocol):
    """The panes beside the list, in a widget with the id `right`. The actions `beside.…` of the table of
    commands are its own; one that it lacks does nothing.

    widgets       pane of the table of commands -> the widget that runs its commands
    main          the list of the pane with the focus, which may be that of the sessions
    lines         the lines that can be scrolled from the pane with the focus, or from the search line of the
                  list; None if no other pane has any
    focused_pane  the name of the pane with the focus
    closing       pane -> its figures for the rule below the panes
    """

    @property
    def widgets(self) -> Mapping[str, LineList]: ...
    @property
    def main(self) -> LineList: ...
    @property
    def lines(self) -> LineList | None: ...
    @property
    def focused_pane(self) -> str: ...
    @property
    def closing(self) -> Mapping[str, str]: ...

    def place(self, columns: int, lines: int) -> PaneLayout:
        """The places of all panes, the list's among them, on a screen of this size."""

    def status_line(self, cells: int) -> Line:
        """The status line, which stands above that of the keys."""

    def keys(self) -> list[tuple[str, str]]:
        """(key, label) of the commands that do something now."""

    def works_now(self, command: Command) -> bool:
        """Whether nothing in these panes is against the command."""

    def show_session(self, row: Row | None, *, again: bool) -> None:
        """Show the session under the cursor.

        :param again: it is the one that was shown, at another place.
        """

    def show_hit(self, hit: HitPlace) -> None:
        """Show the hit of the session under the cursor."""

    async def follow(self, row: Row) -> None:
        """Show what has changed in the file of a session."""

    def retry(self) -> None:
        """Read the session again if it could not be read."""

    def update(self, row: Row | None) -> None:
        """Show what is known by now about the session under the cursor."""

    def sessions_changed(self) -> None:
        """Take note that sessions were moved, or changed in their files."""

    def stop_running(self) -> bool:
        """Stop what takes long; return whether anything did."""

    def focus_moved(self, widget: Widget) -> None:
        """Take note that another widget of the screen has the focus."""

    def dragged(self, event: Divider.Dragged | Pane.Dragged) -> None:
        """Move a border between panes, which the user drags."""

    def go_to(self, path: str, entry_id: str) -> None:
        """Go to a session, or to one of its entries.

        :param entry_id: "" for the session itself.
        """

    def open_filter(self) -> None:
        """Open the search line of the pane with the focus."""

    def read(self) -> None:
        """Show the transcript of the session under the cursor, and give it the keys."""

    def show_tree(self) -> None:
        """Go to the tree of the session under the cursor."""
