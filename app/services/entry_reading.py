"""Reading and wrapping the entry under the cursor, and decoding its images, in a thread.

What reads sessions is imported in the thread: the screen is up before the first entry is wanted.
"""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

from app.formats.pixels import Overtaken
from app.messages.reading import EntryRead, ImageDecoded
from app.services.latest import LatestOnlyWorker
from app.services.reading import REST, reason_of
from app.view.damaged_rows import DamagedLine

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.formats.parts import Part
    from app.services.images import EntryImages, Images
    from app.services.reading import Post
    from app.sessions.storage.blobs import BlobStore
    from app.sessions.tree.tree import Node, SessionTree

# seconds: the screen is told no oftener than it can draw
TELL_EVERY = 0.05
# bytes that are shown of a line that is no entry, which may have no end
MOST = 256 << 10


class EntryReader:
    """Reads and wraps one entry at a time; answers with ``EntryRead``, then with ``ImageDecoded`` for each
    of its images that is not decoded yet.
    """

    def __init__(
        self,
        post: Post,
        failed: Callable[[BaseException], None],
        way: str = "",
        blobs: Callable[[SessionTree], BlobStore | None] = lambda tree: None,
    ) -> None:
        """:param way: in which images are drawn (`way_to_draw`).
        :param blobs: where a session's agent keeps images; called in the thread.
        """
        self._post = post
        self._latest = LatestOnlyWorker("entry", failed)
        self._way = way
        self._blobs = blobs
        self._images: Images | None = None
        self.generation = 0

    def read(self, tree: SessionTree, spot: Node | DamagedLine, cells: int, rows: int, *, raw: bool) -> None:
        """Read the entry, or the line that is none, and wrap it to ``cells``; an image has ``rows`` at most;
        with 0 none is drawn.
        """
        self.generation += 1
        generation = self.generation
        self._latest.ask(lambda overtaken: self._read(generation, overtaken, tree, spot, cells, rows, raw))

    def clear(self) -> None:
        """Answers that are on their way are out of date."""
        self.generation += 1

    def stop(self) -> None:
        """End the thread."""
        self._latest.stop()

    def _read(
        self,
        generation: int,
        overtaken: Callable[[], bool],
        tree: SessionTree,
        spot: Node | DamagedLine,
        cells: int,
        rows: int,
        raw: bool,
    ) -> None:
        try:
            self._show(generation, overtaken, tree, self._parts(tree, spot, raw), cells, rows)
        except Overtaken:
            pass

    def _parts(self, tree: SessionTree, spot: Node | DamagedLine, raw: bool) -> list[Part]:
        from app.formats.parts import Part, parts
        from app.sessions.tree.tree import Changed

        try:
            if isinstance(spot, DamagedLine):
                return damaged_parts(tree.path, spot, raw=raw)
            return [Part("raw", "", indented(tree.read_line(spot)))] if raw else parts(tree.read(spot))
        except (Changed, OSError) as error:
            return [Part("error", "", reason_of(error))]
        except Exception as error:
            # whatever an entry holds, it takes nothing but its own pane along
            return [Part("error", "", f"cannot be shown: {type(error).__name__}: {error}")]

    def _show(
        self,
        generation: int,
        overtaken: Callable[[], bool],
        tree: SessionTree,
        pieces: list[Part],
        cells: int,
        rows: int,
    ) -> None:
        from app.view.document_line import DocumentLine
        from app.view.entry_document import document

        images = None
        if self._way and rows and any(piece.image is not None for piece in pieces):
            images = self._of_entry(lambda: self._blobs(tree), cells, rows, overtaken)
        waiting: list[DocumentLine] = []
        told = 0.0
        more = False
        for batch in document(pieces, cells, images.lines if images is not None else None):
            if overtaken():
                return
            waiting += batch
            if waiting and monotonic() - told >= TELL_EVERY:
                self._post(EntryRead(generation, waiting, more, () if more else pieces))
                waiting, told, more = [], monotonic(), True
            sleep(REST)
        if waiting or not more:
            waiting = waiting or [DocumentLine("(empty)", "dim")]
            self._post(EntryRead(generation, waiting, more, () if more else pieces))
        for drawing in images.drawn() if images is not None else ():
            self._post(ImageDecoded(generation, drawing))

    def _of_entry(
        self,
        blobs: Callable[[], BlobStore | None],
        cells: int,
        rows: int,
        overtaken: Callable[[], bool],
    ) -> EntryImages:
        if self._images is None:
            from app.services.images import Images

            self._images = Images(self._way)
        return self._images.of_entry(blobs, cells, rows, overtaken)


def damaged_parts(path: str, damaged: DamagedLine, *, raw: bool) -> list[Part]:
    """What there is to read of a line that is no entry: why it is none, and the line, or its beginning.

    :param raw: the line alone.
    :raises Changed: no line begins there any more.
    :raises OSError: the file cannot be read.
    """
    from app.formats.parts import Part
    from app.sessions.tree.entry_loader import read_beginning

    said = [] if raw else [Part("error", "", f"{damaged.place}: {damaged.reason}")]
    if not damaged.line:
        return said
    line, is_cut = read_beginning(path, damaged.offset, MOST)
    if is_cut:
        said.append(Part("meta", "", f"the first {MOST:,} bytes of the line:"))
    return [*said, Part("raw", "" if raw else "the line", indented(line))]


def indented(line: bytes) -> str:
    """A line of a session with one value a row; as it stands where it is no JSON. No character of it is
    changed but for bytes that are no UTF-8.
    """
    import json

    text = line.decode("utf-8", "replace")
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text
