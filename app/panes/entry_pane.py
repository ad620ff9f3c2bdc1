"""The pane with the entry under the tree's cursor: read once the cursor rests, copied, and opened in other
programs.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from textual import on

from app.formats.text import one_line
from app.keys import key_of
from app.messages import EntryRead, ImageDecoded
from app.view.clipboard import file_suffix, full_text
from app.view.document_line import DETAILS, RAW, TEXT
from app.view.image_lines import ImageLine, delete_command
from app.view.problems import DamagedLine
from app.widgets.entry_lines import EntryLines
from app.widgets.other_program import copy_text, open_in_program
from app.widgets.panes import Pane
from app.widgets.textual_internals import write_to_terminal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.timer import Timer
    from textual.widget import Widget

    from app.services.entry_reader import EntryReader
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree
    from app.setup import Setup
    from app.view.entry_details import EntryFacts
    from app.view.image_lines import Drawing
    from app.widgets.entry_tree import EntryTree

REST_SECONDS = 0.05
"""Time for which the cursor rests before its entry is read."""
FOLLOW_SECONDS = 0.25
"""Least time between two entries that are read while the cursor follows a growing leaf."""
HIDDEN_CELLS = 80
"""Width of an entry whose pane is hidden."""
TEXT_LINES = 2
"""Lines of the pane that an image leaves for text."""
MOST_IMAGES = 48
"""Images that the terminal keeps: more than one entry has."""


class EntryPane(Pane):
    """The pane with the entry under the tree's cursor.

    lines   the lines of the entry
    """

    def __init__(self, setup: Setup, tree: EntryTree, *, images: str, id: str) -> None:
        """:param tree: its cursor selects the entry; call `cursor_moved` when it has moved.
        :param images: how images are drawn (`image_method`).
        """
        super().__init__("Entry", id=id)
        self._setup = setup
        self._tree = tree
        self._timer: Timer | None = None
        self._read_at = -FOLLOW_SECONDS
        # the title of a line that is no entry, and the details of the entry that is shown
        self._place = ""
        self._facts: EntryFacts | None = None
        # the line with the hit is still to be shown
        self._wants_match = False
        # the requested entry, and whether it is the entry before, grown
        self._spot: Node | DamagedLine | None = None
        self._grew = False
        self._images = images
        # None before the first entry
        self._reader: EntryReader | None = None
        self.lines = EntryLines(id="entry")
        self._terminal_images = TerminalImages(self.lines)

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_mount(self) -> None:
        # While another program had the terminal, it may have dropped the images.
        self.app.app_resume_signal.subscribe(self, lambda app: self._terminal_images.send_again())

    def on_unmount(self) -> None:
        if self._reader is not None:
            self._reader.stop()
        self._terminal_images.clear()

    def _entry_reader(self) -> EntryReader:
        if self._reader is None:
            # Imported here: the first key would wait for it.
            from app.services.entry_reader import EntryReader

            self._reader = EntryReader(self.post_message, self._images, self._blobs, self._setup.prices)
        return self._reader

    def _blobs(self, tree: SessionTree) -> BlobStore | None:
        # Imported here, in the thread of the reader.
        from app.sessions.storage.blobs import blobs_of

        setup, header = self._setup, tree.header
        return blobs_of(header.agent, tree.path, header.cwd, setup.stores, setup.agent_env, setup.home)

    def cursor_moved(self) -> None:
        """Show the entry under the tree's cursor once the cursor rests."""
        if self._timer is not None:
            self._timer.stop()
        spot = self._tree.spot
        if spot is None:
            if self._reader is not None:
                self._reader.clear()
            self._spot = None
            self.lines.show_lines([], more=False)
            self._place, self._facts = "", None
            self.update_age()
            return
        self.lines.expect(spot)
        # No user can read every entry of a growing leaf, or every state of a torn line.
        runs = self._tree.follows or (isinstance(spot, DamagedLine) and spot.torn)
        elapsed = monotonic() - self._read_at
        delay = max(REST_SECONDS, FOLLOW_SECONDS - elapsed) if runs else REST_SECONDS
        self._timer = self.set_timer(delay, self._show)

    def mark(self, words: tuple[str, ...]) -> None:
        """Highlight these words, which are folded. Without words, do not scroll to a hit in the entry that is
        being read.
        """
        self.lines.mark(words)
        self._wants_match = self._wants_match and bool(words)

    @on(EntryLines.ReadAsked)
    def _show_at_once(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._read(hidden=True)

    @on(EntryLines.WidthChanged)
    @on(EntryLines.LookChanged)
    def _show(self) -> None:
        self._read(hidden=False)

    def _read(self, *, hidden: bool) -> None:
        """Request the entry under the cursor.

        :param hidden: also if the pane is hidden.
        """
        spot, view = self._tree.spot, self._tree.view
        if spot is None or view is None:
            return
        is_seen = self.lines.is_laid_out
        if not is_seen:
            self.lines.forget_width()
            if not hidden:
                return
        self._read_at = monotonic()
        self._wants_match = self._tree.is_at_hit
        cells, rows = HIDDEN_CELLS, 0
        if is_seen:
            cells, rows = self.lines.cells, max(1, self.lines.size.height - TEXT_LINES)
        self._entry_reader().read(view.tree, spot, cells, rows, look=self.lines.look)
        before, self._spot = self._spot, spot
        torn = isinstance(spot, DamagedLine) and isinstance(before, DamagedLine) and spot.is_now(before)
        self._grew = torn and spot != before
        self._place = one_line(f"{spot.place}, no entry") if isinstance(spot, DamagedLine) else ""

    def update_age(self) -> None:
        """Show the details of the entry in the rule."""
        facts, look = self._facts, self.lines.look
        key = {RAW: key_of("entry.raw"), DETAILS: key_of("entry.details")}
        if facts is None:
            self.say("raw" if look == RAW and self._place else "", self._place or "Entry")
            return
        title, *shorter = facts.titles(self._setup.now_ms())
        words = f"{key[look]} text" if look != TEXT else f"{key[DETAILS]} details"
        self.say(words.strip(), title, tuple(shorter))

    @on(EntryRead)
    def _entry_read(self, event: EntryRead) -> None:
        if event.generation == self._entry_reader().generation:
            if not event.more:
                self._facts = event.facts
                self.update_age()
            begin = len(self.lines.lines) if event.more else 0
            images = [line.drawing for line in event.lines if isinstance(line, ImageLine)]
            self._terminal_images.send(images)
            self.lines.show_lines(event.lines, more=event.more, parts=event.parts, stays=self._grew)
            if self._wants_match and self.lines.show_match(begin):
                self._wants_match = False

    @on(ImageDecoded)
    def _image_decoded(self, event: ImageDecoded) -> None:
        if event.generation == self._entry_reader().generation:
            self._terminal_images.send([event.drawing])
            self.lines.show_image(event.drawing)

    @on(EntryLines.NeighbourAsked)
    def _neighbour_asked(self, event: EntryLines.NeighbourAsked) -> None:
        self._tree.move_to(self._tree.cursor + event.step)

    @on(EntryLines.CopyAsked)
    def _copy_asked(self, event: EntryLines.CopyAsked) -> None:
        if event.text:
            copy_text(self.app, event.what, event.text, self._setup.env)
        else:
            text = f"{one_line(event.what)}: there is none here"
            self.app.notify(text, severity="warning", markup=False)

    @on(EntryLines.OpenAsked)
    def _open_asked(self, event: EntryLines.OpenAsked) -> None:
        if self.lines.parts:
            parts, is_raw = self.lines.parts, self.lines.look == RAW
            open_in_program(
                self.app,
                event.kind,
                full_text(parts),
                file_suffix(parts, raw=is_raw),
                self._setup.env,
                shown=event.kind == "pager",
            )


class TerminalImages:
    """Sends each image to the terminal once, before its cells are drawn (see ``app.view.image_lines``)."""

    def __init__(self, widget: Widget) -> None:
        """:param widget: a widget of the screen on which the images are drawn."""
        self._widget = widget
        # By number, the last image last. The terminal replaces an image by another one with its number.
        self._sent: dict[int, Drawing] = {}

    def send(self, drawings: Iterable[Drawing]) -> None:
        """Send the images that are decoded and that the terminal does not have."""
        for drawing in drawings:
            if drawing.sent:
                known = self._sent.pop(drawing.number, None)
                self._sent[drawing.number] = drawing
                if known is not drawing:
                    self._write(drawing.sent)
        while len(self._sent) > MOST_IMAGES:
            number = next(iter(self._sent))
            del self._sent[number]
            self._write(delete_command(number))

    def send_again(self) -> None:
        """Send all images again: the terminal may have dropped them."""
        for drawing in self._sent.values():
            self._write(drawing.sent)

    def clear(self) -> None:
        """Have the terminal drop all images. When leafmark ends, the terminal does so by itself, and the
        commands would be written to the shell's screen.
        """
        if self._widget.app.return_code is None:
            for number in self._sent:
                self._write(delete_command(number))
        self._sent.clear()

    def _write(self, text: str) -> None:
        write_to_terminal(self._widget.app, text)
