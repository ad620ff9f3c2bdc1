"""A dialog: a screen over another one, which is seen dimmed behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from textual.screen import ModalScreen

from app.resources import DIALOGS, styles_folder
from app.widgets.styling import with_images

if TYPE_CHECKING:
    from textual.geometry import Region
    from textual.strip import Strip

Answer = TypeVar("Answer")

SHORT_BELOW = 16
"""On a screen of fewer lines nothing is left blank, see the styles."""


class Dialog(ModalScreen[Answer], Generic[Answer]):
    """Its result is the answer."""

    CSS_PATH: ClassVar[Any] = styles_folder() / DIALOGS
    # what has no box of its own leaves the bars below the panes in sight
    DEFAULT_CLASSES = "-box"
    # Textual declares it as no class variable, but as one of instances
    VERTICAL_BREAKPOINTS: list[tuple[int, str]] | None = [(0, "-short"), (SHORT_BELOW, "-high")]

    def render_lines(self, crop: Region) -> list[Strip]:
        """What is behind it, with its images, which one more dialog over this one would take for text."""
        return [with_images(each) for each in super().render_lines(crop)]
