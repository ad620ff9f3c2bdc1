"""Reads and wraps a whole entry in a thread, then decodes its images."""

from __future__ import annotations

import json
from collections import OrderedDict
from hashlib import blake2b
from itertools import count
from time import monotonic, sleep
from typing import TYPE_CHECKING, NamedTuple

from app.formats.entry_parts import Part, entry_parts
from app.formats.errors import Cancelled
from app.formats.images import BLOB_PREFIX, ImageError, format_bytes, png_bytes, rgb_pixels, upright_size
from app.formats.long_lines import shortened
from app.formats.prices import LIST_PRICES
from app.formats.text import one_line
from app.formats.tool_calls import call_blocks
from app.messages import EntryRead, ImageDecoded
from app.services.background import BackgroundService, request
from app.services.tree_reader import reason_of
from app.sessions.errors import Changed
from app.sessions.storage.blobs import image_bytes
from app.sessions.tree.entry_loader import read_beginning
from app.view.document_line import DETAILS, RAW, DocumentLine, own_line
from app.view.entry_details import DETAIL_KINDS, detail_lines, facts_of
from app.view.entry_document import ToolCall, document
from app.view.image_lines import (
    FIRST_NUMBER,
    MOST_CELLS,
    MOST_ROWS,
    NUMBERS,
    Drawing,
    ImageLine,
    fit_size,
    problem_lines,
    transmit,
)
from app.view.palette import THEMES
from app.view.problems import DamagedLine
from app.view.terminal import KITTY
from app.view.transcript import result_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.formats.images import EmbeddedImage
    from app.formats.prices import Prices
    from app.services.background import Post
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.tree.node import Node
    from app.sessions.tree.tree import SessionTree
    from app.view.document_line import CodeBlock
    from app.view.entry_details import EntryFacts

# Least seconds between two messages: the screen cannot draw more often.
POST_SECONDS = 0.05
# Seconds between two batches of lines, in which the screen gets the interpreter.
BATCH_PAUSE = 0.002
# Bytes that are shown of a damaged line, which may have no end.
MOST_BYTES = 256 << 10

LONGEST = 32 << 20
"""Bytes of a line that is shown whole. The largest that an agent writes has a document of this size."""

MOST_IMAGES = 20
"""Images of one entry that are drawn."""
CACHED_IMAGES, CACHED_CHARACTERS = 24, 32 << 20
"""Images in the cache, beside those of the entry that is shown, and characters to be sent for them."""
# Pixels of a cell that are assumed where the terminal draws images. FINER times as many are sent in each
# direction, for screens of a high resolution.
CELL = (10, 20)
FINER = 2
# The terminal keeps the images of all screens under their numbers.
_numbers = count()

Key = tuple[bytes, int, int]

CODE_CELLS = 80
"""The width for which the blocks of code of an entry are looked for."""
MOST_ABOVE = 64
"""Entries above a tool's result in which its call is looked for."""


class _Entry(NamedTuple):
    """An entry that was read.

    :param facts: those in the rule; None for a line that is no entry.
    :param call: the call of which it is the result.
    """

    parts: list[Part]
    facts: EntryFacts | None = None
    call: ToolCall | None = None
    is_prompt: bool = False


def _call_of(tree: SessionTree, node: Node, call_id: str) -> ToolCall | None:
    """The call with an id, in an answer above its result."""
    above = node.parent
    for _ in range(MOST_ABOVE if call_id else 0):
        if above is None:
            break
        for block in call_blocks(tree.read(above, LONGEST)) if above.role == "assistant" else ():
            if block.get("id") == call_id:
                return ToolCall(one_line(str(block.get("name", "")), 60), block.get("arguments"))
        above = above.parent
    return None


def _read_entry(
    tree: SessionTree, position: Node | DamagedLine, look: str, prices: Prices = LIST_PRICES
) -> _Entry:
    try:
        if isinstance(position, DamagedLine):
            return _Entry(damaged_parts(tree.path, position, raw=look == RAW))
        raw = tree.read(position, LONGEST)
        facts = facts_of(raw, prices)
        if look == RAW:
            return _Entry([Part("raw", "", indented(_line_of(tree, position)))], facts)
        call = _call_of(tree, position, result_id(raw))
        return _Entry(entry_parts(raw), facts, call, is_prompt=position.role == "user")
    except (Changed, OSError, MemoryError) as error:
        return _Entry([Part("error", "", reason_of(error))])
    except Exception as error:
        # An entry with unexpected content fails alone.
        return _Entry([Part("error", "", f"cannot be shown: {type(error).__name__}: {error}")])


def read_parts(tree: SessionTree, position: Node | DamagedLine) -> tuple[list[Part], list[CodeBlock]]:
    """The parts of an entry or a damaged line, and the blocks of code in it; for a thread."""
    read = _read_entry(tree, position, DETAILS)
    batches = document(read.parts, CODE_CELLS, call=read.call, is_prompt=read.is_prompt)
    return read.parts, [line.block for batch in batches for line in batch if line.block is not None]


class EntryReader(BackgroundService):
    """Reads and wraps one entry; posts ``EntryRead``, then ``ImageDecoded`` for each image that has to be
    decoded.
    """

    def __init__(
        self,
        post: Post,
        mode: str = "",
        blobs: Callable[[SessionTree], BlobStore | None] = lambda tree: None,
        prices: Prices = LIST_PRICES,
    ) -> None:
        """:param mode: how images are drawn (`image_method`); "" draws none.
        :param blobs: gives the folder in which a session's agent keeps images; called in the thread.
        :param prices: those of tokens without a cost.
        """
        super().__init__(post)
        self._prices = prices
        self._blobs = blobs
        self._images = ImageCache(mode) if mode else None

    @request
    def read(
        self, tree: SessionTree, position: Node | DamagedLine, cells: int, rows: int, *, look: str
    ) -> None:
        """Read an entry or a damaged line, and wrap it to ``cells``.

        :param rows: the most that an image takes; 0 draws none.
        :param look: one of `LOOKS`.
        """
        try:
            read = _read_entry(tree, position, look, self._prices)
            self._show(tree, read, cells, rows, look)
        except Cancelled:
            pass

    def _show(self, tree: SessionTree, read: _Entry, cells: int, rows: int, look: str) -> None:
        generation = self._running
        parts, facts = read.parts, read.facts
        head = detail_lines(parts, cells) if look == DETAILS and facts is not None else []
        # Details are no part of the text below their table.
        shown_parts = [part for part in parts if part.kind not in DETAIL_KINDS] if head else parts
        images = None
        if self._images is not None and rows and any(part.image is not None for part in shown_parts):
            images = self._images.of_entry(lambda: self._blobs(tree), cells, rows, self._is_stale)
        lines: list[DocumentLine] = [*head, DocumentLine([])] if head and shown_parts else head
        posted_at = 0.0
        more = False
        draw = images.lines if images is not None else None
        for batch in document(shown_parts, cells, draw, call=read.call, is_prompt=read.is_prompt):
            if self._is_stale():
                return
            lines += batch
            if lines and monotonic() - posted_at >= POST_SECONDS:
                self._post(EntryRead(generation, lines, more, () if more else parts, facts))
                lines, posted_at, more = [], monotonic(), True
            sleep(BATCH_PAUSE)
        if lines or not more:
            lines = lines or [own_line("(empty)")]
            self._post(EntryRead(generation, lines, more, () if more else parts, facts))
        for drawing in images.drawn() if images is not None else ():
            self._post(ImageDecoded(generation, drawing))


def _line_of(tree: SessionTree, node: Node) -> bytes:
    line = tree.read_line(node)
    return shortened(line) if len(line) > LONGEST else line


def damaged_parts(path: str, damaged: DamagedLine, *, raw: bool) -> list[Part]:
    """The parts of a line that is no entry: the reason, and the line or its beginning.

    :param raw: the line alone.
    :raises Changed: no line begins at its offset any more.
    :raises OSError: the file cannot be read.
    """
    parts = [] if raw else [Part("error", "", f"{damaged.place}: {damaged.reason}")]
    if not damaged.line:
        return parts
    line, is_cut = read_beginning(path, damaged.offset, MOST_BYTES)
    if is_cut:
        parts.append(Part("meta", "", f"the first {MOST_BYTES:,} bytes of the line:"))
    return [*parts, Part("raw", "" if raw else "the line", indented(line))]


def indented(line: bytes) -> str:
    """A line of a session with one JSON value per row, or the line itself if it is no JSON. Only bytes that
    are no UTF-8 are replaced.
    """
    text = line.decode("utf-8", "replace")
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


class ImageCache:
    """Draws images in one mode, and keeps the last ones."""

    def __init__(self, mode: str) -> None:
        """:param mode: `KITTY` or `BLOCKS` of `app.view.terminal`."""
        self.mode = mode
        self.drawings: OrderedDict[Key, Drawing] = OrderedDict()

    def of_entry(
        self, blobs: Callable[[], BlobStore | None], cells: int, rows: int, is_stale: Callable[[], bool]
    ) -> EntryImages:
        """The images of one entry, none larger than ``cells`` by ``rows``.

        :param blobs: gives the folder in which its agent keeps images; called in the thread, if at all.
        """
        self._shrink()
        return EntryImages(self, blobs, cells, max(1, min(rows, MOST_ROWS)), is_stale)

    def _shrink(self) -> None:
        characters = sum(len(drawing.sent) for drawing in self.drawings.values())
        while self.drawings and (len(self.drawings) > CACHED_IMAGES or characters > CACHED_CHARACTERS):
            characters -= len(self.drawings.popitem(last=False)[1].sent)

    def place(self, size: tuple[int, int], caption: str, cells: int, rows: int) -> Drawing:
        """The cells that an image of ``size`` pixels takes, at most ``cells`` by ``rows``."""
        if self.mode == KITTY:
            cells = min(cells, MOST_CELLS)
            width, height = fit_size(*size, cells * CELL[0], rows * CELL[1])
            columns, lines = -(-width // CELL[0]), -(-height // CELL[1])
            pixels = fit_size(*size, width * FINER, height * FINER)
            return Drawing(caption, columns, lines, pixels, FIRST_NUMBER + next(_numbers) % NUMBERS)
        width, height = fit_size(*size, cells, 2 * rows)
        return Drawing(caption, width, -(-height // 2), (width, height))

    def decode(self, drawing: Drawing, data: bytes, is_stale: Callable[[], bool]) -> None:
        """Decode the pixels of `drawing`.

        :raises ImageError: the data cannot be decoded.
        :raises Cancelled: the drawing became stale meanwhile.
        """
        if self.mode == KITTY:
            png = png_bytes(data, drawing.size, is_stale)
            drawing.sent = transmit(drawing.number, png, drawing.cells, drawing.rows)
        else:
            backgrounds = [theme["background"] for theme in THEMES.values()]
            drawing.flat = rgb_pixels(data, drawing.size, backgrounds, is_stale)


class EntryImages:
    """The images of the entry that is shown, in their order."""

    def __init__(
        self,
        cache: ImageCache,
        blobs: Callable[[], BlobStore | None],
        cells: int,
        rows: int,
        is_stale: Callable[[], bool],
    ) -> None:
        self._cache = cache
        self._blobs = blobs
        self._cells = cells
        self._rows = rows
        self._is_stale = is_stale
        self._count = 0
        self._undecoded: list[tuple[Drawing, EmbeddedImage]] = []

    def lines(self, image: EmbeddedImage) -> Iterator[DocumentLine]:
        """The lines of the next image, as many as the drawn image takes, or the reason why it is not drawn.

        :raises Cancelled: the entry is not shown any more.
        """
        self._count += 1
        if self._count > MOST_IMAGES:
            if self._count == MOST_IMAGES + 1:
                yield from problem_lines(f"no more than {MOST_IMAGES} images of an entry are", self._cells)
            return
        try:
            drawing = self._drawing(image)
        except ImageError as error:
            yield from problem_lines(str(error), self._cells)
            return
        if drawing.description:
            yield own_line(drawing.description)
        for row in range(drawing.rows):
            yield ImageLine(drawing, row)

    def _drawing(self, image: EmbeddedImage) -> Drawing:
        if self._is_stale():
            raise Cancelled
        data = self._bytes(image)
        key = (blake2b(data, digest_size=16).digest(), self._cells, self._rows)
        drawings = self._cache.drawings
        drawing = drawings.get(key)
        if drawing is None:
            size = upright_size(data)
            is_blob = image.data is not None and image.data.startswith(BLOB_PREFIX)
            caption = f"{size[0]}×{size[1]}, {format_bytes(len(data))}" if is_blob else ""
            drawing = drawings[key] = self._cache.place(size, caption, self._cells, self._rows)
        drawings.move_to_end(key)
        if drawing.problem:
            raise ImageError(drawing.problem)
        if not drawing.is_done:
            # The bytes are read again later: those of many images would take too much memory.
            self._undecoded.append((drawing, image))
        return drawing

    def _bytes(self, image: EmbeddedImage) -> bytes:
        is_blob = image.data is not None and image.data.startswith(BLOB_PREFIX)
        return image_bytes(image, self._blobs() if is_blob else None)

    def drawn(self) -> Iterator[Drawing]:
        """Decode one image after the other; each is yielded when it can be drawn, or has a `problem`.

        :raises Cancelled: the entry is not shown any more.
        """
        for drawing, image in self._undecoded:
            if not drawing.is_done and not drawing.problem:
                try:
                    self._cache.decode(drawing, self._bytes(image), self._is_stale)
                except ImageError as error:
                    drawing.problem = one_line(str(error))
            yield drawing
