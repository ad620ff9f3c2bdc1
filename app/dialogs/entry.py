"""The dialog with a whole entry: its details and all of its text, or its raw JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.content import Content

from app.formats.text import one_line
from app.messages import EntryRead, ImageDecoded
from app.view.clipboard import block_title, file_suffix, full_text, main_text
from app.view.document_line import DETAILS, RAW
from app.view.image_lines import ImageLine, delete_command
from app.view.problems import DamagedLine
from app.widgets.dialog import Dialog, DialogBox
from app.widgets.entry_lines import EntryLines
from app.widgets.other_program import copy_text, open_in_program
from app.widgets.textual_internals import write_to_terminal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.widget import Widget

    from app.services.entry_reader import EntryReader
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree
    from app.setup import Setup
    from app.view.image_lines import Drawing

TEXT_LINES = 2
"""Lines of the dialog that an image leaves for text."""
MOST_IMAGES = 48
"""Images that the terminal keeps: more than one entry has."""
_KEYS = "{look}  y copy  Y copy code  e editor  | pager  ↑ ↓ scroll  Esc close"


class EntryDialog(Dialog[None]):
    """Shows an entry, or a damaged line.

    lines   the lines of the entry
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("i", "show('details')", "Details"),
        Binding("r", "show('raw')", "Raw JSON"),
        Binding("y", "copy_text", "Copy the text"),
        Binding("Y", "copy_code", "Copy the next block of code"),
        Binding("e", "open_in('editor')", "Open in $EDITOR"),
        Binding("vertical_line", "open_in('pager')", "Open in $PAGER"),
    ]

    def __init__(
        self,
        setup: Setup,
        tree: SessionTree,
        spot: Node | DamagedLine,
        look: str,
        *,
        words: tuple[str, ...],
        images: str,
    ) -> None:
        """:param spot: the entry, or the damaged line.
        :param look: one of `LOOKS`.
        :param words: to highlight, folded.
        :param images: how images are drawn (`image_method`).
        """
        super().__init__()
        self._setup = setup
        self._tree = tree
        self._spot = spot
        self._look = look
        self._images = images
        # the line with the hit is still to be shown
        self._wants_match = bool(words)
        # None before the lines have a size
        self._reader: EntryReader | None = None
        self.lines = EntryLines(id="entry")
        self.lines.mark(words)
        self._terminal_images = TerminalImages(self.lines)
        self._box = DialogBox("Entry", self._keys, classes="reading")

    @property
    def _keys(self) -> str:
        return _KEYS.format(look="r raw" if self._look == DETAILS else "i details")

    def compose(self) -> ComposeResult:
        with self._box:
            yield self.lines

    def on_mount(self) -> None:
        self.lines.focus()
        # While another program had the terminal, it may have dropped the images.
        self.app.app_resume_signal.subscribe(self, lambda app: self._terminal_images.send_again())

    def on_unmount(self) -> None:
        if self._reader is not None:
            self._reader.stop()
        self._terminal_images.clear()

    def _entry_reader(self) -> EntryReader:
        if self._reader is None:
            # Imported here: few dialogs are opened.
            from app.services.entry_reader import EntryReader

            self._reader = EntryReader(self.post_message, self._images, self._blobs, self._setup.prices)
        return self._reader

    def _blobs(self, tree: SessionTree) -> BlobStore | None:
        # Imported here, in the thread of the reader.
        from app.sessions.storage.blobs import blobs_of

        setup, header = self._setup, tree.header
        return blobs_of(header.agent, tree.path, header.cwd, setup.stores, setup.agent_env, setup.home)

    @on(EntryLines.WidthChanged)
    def _read(self) -> None:
        rows = max(1, self.lines.size.height - TEXT_LINES)
        self._entry_reader().read(self._tree, self._spot, self.lines.cells, rows, look=self._look)

    def action_show(self, look: str) -> None:
        """Show the entry in another way; close the dialog if it is the present one."""
        if look == self._look:
            self.dismiss(None)
            return
        self._look = look
        self.set_keys(self._keys)
        self._read()

    @on(EntryRead)
    def _entry_read(self, event: EntryRead) -> None:
        if event.generation != self._entry_reader().generation:
            return
        if not event.more:
            place = self._spot.place if isinstance(self._spot, DamagedLine) else ""
            facts = event.facts.titles(self._setup.now_ms())[0] if event.facts is not None else "Entry"
            title = one_line(f"{place}, no entry") if place else facts
            self._box.border_title = Content(f"{title} · raw" if self._look == RAW else title)
        begin = len(self.lines.lines) if event.more else 0
        self._terminal_images.send([line.drawing for line in event.lines if isinstance(line, ImageLine)])
        self.lines.show_lines(event.lines, more=event.more, parts=event.parts)
        if self._wants_match and self.lines.show_match(begin):
            self._wants_match = False

    @on(ImageDecoded)
    def _image_decoded(self, event: ImageDecoded) -> None:
        if event.generation == self._entry_reader().generation:
            self._terminal_images.send([event.drawing])
            self.lines.show_image(event.drawing)

    def action_copy_text(self) -> None:
        """Copy the text of the entry, or its raw JSON."""
        copy_text(self.app, "Text", main_text(self.lines.parts), self._setup.env)

    def action_copy_code(self) -> None:
        """Copy the first block of code that begins in view or below, then the next one at each press."""
        index = self.lines.next_code()
        if index < 0:
            self.app.notify("Code: there is none here", severity="warning", markup=False)
            return
        blocks = self.lines.codes
        copy_text(self.app, block_title(index, blocks), blocks[index].source, self._setup.env)

    def action_open_in(self, kind: str) -> None:
        """Open the entry in the user's "pager" or "editor"."""
        parts = self.lines.parts
        if parts:
            suffix = file_suffix(parts, raw=self._look == RAW)
            open_in_program(self.app, kind, full_text(parts), suffix, self._setup.env, shown=kind == "pager")


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
