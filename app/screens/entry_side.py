"""The entry under the tree's cursor, in its pane: read once the cursor rests, and handed on."""

from __future__ import annotations

from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from textual import on

from app.formats.text import one_line
from app.messages.reading import EntryRead, ImageDecoded
from app.services.made import stop_made
from app.view.ages import age
from app.view.damaged_rows import DamagedLine
from app.widgets.entry_pane import EntryPane, image_of
from app.widgets.pane import Pane
from app.widgets.terminal_images import TerminalImages

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.timer import Timer

    from app.services.entry_reading import EntryReader
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.tree.tree import Node, SessionTree
    from app.setup import Setup

# seconds: it is read once the cursor rests for REST; that of a leaf that runs on, no oftener than RUNNING
REST = 0.05
RUNNING = 0.25
# to so many cells is an entry wrapped that nobody sees
UNSEEN = 80
# lines of the pane that an image leaves for what is said about it
BESIDE = 2


class Place(NamedTuple):
    """What a tree's cursor is on: an entry, or a line that is none.

    :param has_match: something that was looked for is in it, and the line with it is to be shown.
    """

    tree: SessionTree
    spot: Node | DamagedLine
    has_match: bool


class Heading(NamedTuple):
    """What the borders say of an entry.

    :param timestamp: what its age is counted from; None where none is told.
    """

    subtitle: str
    title: str
    timestamp: int | None


class EntrySide(Pane):
    """The pane with the entry that the tree's cursor is on."""

    def __init__(
        self,
        setup: Setup,
        failed: Callable[[BaseException], None],
        place: Callable[[], Place | None],
        *,
        images: str,
        id: str,
    ) -> None:
        """:param failed: gets what goes wrong in a thread and concerns no pane; called in that thread.
        :param place: says where the cursor is now; None where it is on no entry.
        :param images: in which way images are drawn (`way_to_draw`).
        """
        super().__init__("entry", id=id)
        self._setup = setup
        self._place = place
        self._timer: Timer | None = None
        self._read_at = -RUNNING
        # of what is shown or being read, and of what the borders are told
        self._head = self._shown_head = Heading("", "entry", None)
        self._seeks = False
        # what is shown or being read, and whether it is what was before, grown
        self._spot: Node | DamagedLine | None = None
        self._grew = False
        self._failed = failed
        self._images = images
        self.entry = EntryPane(id="entry")
        self._told = TerminalImages(self.entry)

    @cached_property
    def _entries(self) -> EntryReader:
        # with the first entry: imports hold up the first key
        from app.services.entry_reading import EntryReader

        return EntryReader(self.post_message, self._failed, self._images, self._blobs)

    def compose(self) -> ComposeResult:
        yield self.entry

    def on_mount(self) -> None:
        # while another program had the terminal it may have forgotten all
        self.app.app_resume_signal.subscribe(self, lambda app: self._told.tell_again())

    def on_unmount(self) -> None:
        stop_made(self, "_entries")
        self._told.forget()

    def _blobs(self, tree: SessionTree) -> BlobStore | None:
        from app.sessions.storage.image_bytes import blobs_of

        setup, header = self._setup, tree.header
        return blobs_of(header.agent, tree.path, header.cwd, setup.stores, setup.agent_env, setup.home)

    def show_soon(self, *, runs: bool) -> None:
        """Show the entry that the cursor is on, once it rests there.

        :param runs: the cursor is on a leaf that runs on.
        """
        if self._timer is not None:
            self._timer.stop()
        place = self._place()
        if place is None:
            self._entries.clear()
            self._spot = None
            self.entry.show_lines([], more=False)
            self._shown_head = Heading("", "entry", None)
            self.tell_age()
            return
        self.entry.expect()
        # under a leaf that runs on, nobody can read every entry that passes; nor all that a torn line becomes
        runs = runs or (isinstance(place.spot, DamagedLine) and place.spot.torn)
        ran = monotonic() - self._read_at
        self._timer = self.set_timer(max(REST, RUNNING - ran) if runs else REST, self._show)

    def seek_no_more(self) -> None:
        """Nothing is looked for any more in the entry that is being read."""
        self._seeks = False

    @on(EntryPane.ReadAsked)
    def _show_at_once(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._read(hidden=True)

    @on(EntryPane.WidthChanged)
    @on(EntryPane.RawToggled)
    def _show(self) -> None:
        self._read(hidden=False)

    def _read(self, *, hidden: bool) -> None:
        """:param hidden: also where the pane is not displayed."""
        place = self._place()
        if place is None:
            return
        is_seen = self.entry.is_laid_out
        if not is_seen:
            self.entry.forget_width()
            if not hidden:
                return
        self._read_at = monotonic()
        self._seeks = place.has_match
        spot = place.spot
        cells, rows = UNSEEN, 0
        if is_seen:
            cells, rows = self.entry.cells, max(1, self.entry.size.height - BESIDE)
        self._entries.read(place.tree, spot, cells, rows, raw=self.entry.raw)
        before, self._spot = self._spot, spot
        torn = isinstance(spot, DamagedLine) and isinstance(before, DamagedLine) and spot.is_now(before)
        self._grew = torn and spot != before
        if isinstance(spot, DamagedLine):
            title, timestamp = f"{spot.place}, no entry", None
        else:
            title, timestamp = f"entry {spot.id or spot.index + 1}", spot.timestamp
        subtitle = "as it stands in the file" if self.entry.raw else ""
        self._head = Heading(subtitle, one_line(title), timestamp)

    def tell_age(self) -> None:
        """Have the borders say what is shown, and how long ago it was by now."""
        subtitle, title, timestamp = self._shown_head
        if timestamp is not None:
            title += f" · {age(timestamp, self._setup.now_ms())}"
        self.say(subtitle, title)

    @on(EntryRead)
    def _entry_read(self, event: EntryRead) -> None:
        if event.generation == self._entries.generation:
            self._shown_head = self._head
            self.tell_age()
            begin = len(self.entry.lines) if event.more else 0
            self._told.tell(image.drawing for image in map(image_of, event.lines) if image is not None)
            self.entry.show_lines(event.lines, more=event.more, parts=event.parts, stays=self._grew)
            if self._seeks and self.entry.show_match(begin):
                self._seeks = False

    @on(ImageDecoded)
    def _image_decoded(self, event: ImageDecoded) -> None:
        if event.generation == self._entries.generation:
            self._told.tell([event.drawing])
            self.entry.show_image(event.drawing)

    @on(EntryPane.CopyAsked)
    def _copy_asked(self, event: EntryPane.CopyAsked) -> None:
        from app.screens.entry_out import copy_out

        copy_out(self.app, event.what, event.text, self._setup.env)

    @on(EntryPane.OpenAsked)
    def _open_asked(self, event: EntryPane.OpenAsked) -> None:
        from app.screens.entry_out import open_out

        if self.entry.parts:
            open_out(self.app, event.kind, self.entry.parts, self._setup.env, raw=self.entry.raw)
