"""The texts of the entry under the tree's cursor: they are copied, opened in other programs, or shown in a
dialog with all of the entry.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING

from app.controllers.dialog_host import started
from app.services.background import in_background
from app.view.clipboard import block_title, file_suffix, full_text, main_text
from app.widgets.other_program import copy_text, open_in_program

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.controllers.dialog_host import DialogHost
    from app.controllers.entry_actions import EntryActions
    from app.controllers.status_messages import StatusMessages
    from app.formats.entry_parts import Part
    from app.setup import Setup
    from app.view.document_line import CodeBlock
    from app.widgets.entry_tree import EntryTree


@dataclass(eq=False, repr=False)
class EntryTexts:
    """Reads the entry under the tree's cursor when its text is wanted.

    :param entries: says whether the cursor is on an entry of the session that is shown.
    :param images: how images are drawn (`app.view.terminal.image_method`).
    """

    _host: DialogHost
    _messages: StatusMessages
    _entries: EntryActions
    _tree: EntryTree
    _setup: Setup
    _: KW_ONLY
    images: str

    def __post_init__(self) -> None:
        # the entry whose code was copied last, and which of its codes
        self._copied: tuple[object, int] = (None, -1)

    def copy(self) -> None:
        """Copy the text of the entry."""
        self._with_entry(lambda parts, codes: self._copy("Text", main_text(parts)))

    def copy_code(self) -> None:
        """Copy the first block of code of the entry, then the next one at each call."""
        self._with_entry(lambda parts, codes: self._copy_next(codes))

    def _copy_next(self, codes: Sequence[CodeBlock]) -> None:
        last, number = self._copied
        number = (number + 1) % len(codes) if codes and last == self._tree.spot else 0
        self._copied = (self._tree.spot, number)
        self._copy(block_title(number, codes) if codes else "Code", codes[number].source if codes else "")

    def _copy(self, what: str, text: str) -> None:
        if text:
            copy_text(self._host.app, what, text, self._setup.env)
        else:
            self._messages.complain(f"{what}: there is none here")

    def open_in(self, kind: str) -> None:
        """Open the entry in the user's "pager" or "editor"."""

        def show(parts: Sequence[Part], codes: Sequence[CodeBlock]) -> None:
            suffix, is_shown = file_suffix(parts, raw=False), kind == "pager"
            open_in_program(self._host.app, kind, full_text(parts), suffix, self._setup.env, shown=is_shown)

        self._with_entry(show)

    @started
    async def _with_entry(self, act: Callable[[Sequence[Part], Sequence[CodeBlock]], None]) -> None:
        """Read the entry, and do something with its parts and its blocks of code."""
        # Imported here: the first key would wait for it.
        from app.services.entry_reader import read_parts

        if self._entries.shown_row() is None:
            return
        spot, view = self._tree.spot, self._tree.view
        if spot is not None and view is not None:
            act(*await in_background(partial(read_parts, view.tree, spot)))

    def show(self, look: str, words: Sequence[str]) -> None:
        """Show the entry in a dialog, in one of `LOOKS`.

        :param words: to highlight, folded.
        """
        from app.dialogs.entry import EntryDialog

        if self._entries.shown_row() is None:
            return
        spot, view = self._tree.spot, self._tree.view
        if spot is not None and view is not None:
            dialog = EntryDialog(self._setup, view.tree, spot, look, words=tuple(words), images=self.images)
            self._host.show(dialog)
