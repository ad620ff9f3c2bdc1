"""The frame of a screen: panes below rules, the column between them, one-line bars, and notes."""

from __future__ import annotations

import re
from dataclasses import KW_ONLY, dataclass
from itertools import islice
from typing import TYPE_CHECKING

from textual.containers import Container
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget

from app.keys import key_named
from app.view.cells import ELLIPSIS, cut, width
from app.view.line import wrap
from app.view.rules import divider_char, rule_line
from app.widgets.styling import strip, theme_name
from app.widgets.textual_internals import DragHandle

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.geometry import Size
    from textual.strip import Strip

    from app.view.line import Line

MOST_LINES = 4
"""Lines of a note on any screen; on a tall one a third of its lines. The rows below are worth more than the
rest of a long message.
"""


_WORDS = re.compile(r"(?:(?! {2})[^·━─┬┴+])+")
"""Words of a line, up to a dot, a plus, a rule or two blanks."""


@dataclass(eq=False, repr=False)
class WordClicked(Message):
    """Words of the header, or of the rule of a pane, were clicked.

    owner  the header or the pane
    text   the words between two dots; "" for none
    """

    owner: Widget
    text: str


def _words_at(line: Line, x: int) -> str:
    text = "".join(part for part, _ in line)
    place = len(cut(text, x))
    found = (words for words in _WORDS.finditer(text) if words.start() <= place < words.end())
    return next((words[0].strip() for words in found), "")


class Pane(Container, DragHandle):
    """A part of the screen below a rule with words, which is heavy while the pane has the focus.

    Without a rule (class `bare`) it has no words.

    words    the title and the figures of the rule; set them with `say`
    zoomed   whether the pane has the whole screen, as its title then says
    closing  the figures for the rule below the pane
    """

    @dataclass(eq=False, repr=False)
    class Dragged(Message):
        """The rule of a pane was dragged with the mouse.

        pane  the pane
        y     the line of the screen to which it was dragged
        done  whether the button was released
        """

        pane: Pane
        y: int
        _: KW_ONLY
        done: bool

    class Closing(Message):
        """The figures for the rule below the panes have changed."""

    def __init__(self, title: str, shorter: tuple[str, ...] = (), *, id: str) -> None:
        """:param title: inert text.
        :param shorter: texts with the meaning of ``title``, each shorter than the one before.
        """
        super().__init__(id=id, classes="pane")
        self.words = (title, "")
        self.closing = ""
        self.zoomed = False
        self._shorter = shorter
        self._suffix = ""
        self._instead: tuple[str, ...] = ()

    def say(
        self,
        subtitle: str,
        title: str | None = None,
        shorter: tuple[str, ...] = (),
        *,
        suffix: str = "",
        instead: tuple[str, ...] = (),
        closing: str = "",
    ) -> None:
        """Set the words of the rule. Only a rule whose words change is painted.

        :param subtitle: the figures, joined by " · "; inert.
        :param title: inert text; None keeps the old one.
        :param shorter: texts with the meaning of ``title``, each shorter than the one before, for narrow
            panes.
        :param suffix: stands behind the title and is not cut.
        :param instead: other selections of the figures, the longest first, to be shown in their place.
        :param closing: the figures for the rule below the pane.
        """
        before = self.words, self._shorter, self._suffix, self._instead
        self.words = (self.words[0] if title is None else title, subtitle)
        if title is not None:
            self._shorter, self._suffix = shorter, suffix
        self._instead = instead
        if before != (self.words, self._shorter, self._suffix, self._instead):
            self.refresh(Region(0, 0, self.outer_size.width, 1).translate(-self.content_offset))
        if closing != self.closing:
            self.closing = closing
            self.post_message(self.Closing())

    def render_lines(self, crop: Region) -> list[Strip]:
        strips = super().render_lines(crop)
        if strips and not crop.y and not self.has_class("bare"):
            strips[0] = self._rule().crop(crop.x, crop.right)
        return strips

    def _rule_line(self) -> Line:
        title, facts = self.words
        zoomed = " · zoomed" if self.zoomed else ""
        focused = self.screen.focused
        return rule_line(
            self.outer_size.width,
            (title, *self._shorter),
            self._instead or (facts,),
            suffix=self._suffix + zoomed,
            focused=focused is not None and self in focused.ancestors_with_self,
        )

    def _rule(self) -> Strip:
        drawn = strip(self._rule_line(), theme_name(self))
        # Textual filters what a widget draws inside of its border.
        for line_filter in self.get_line_filters():
            drawn = drawn.apply_filter(line_filter, self.background_colors[1])
        return drawn

    # the rule as a handle

    def is_handle(self, screen_x: int, screen_y: int) -> bool:
        return screen_y == self.region.y

    def on_click(self, event: events.Click) -> None:
        """Say which words of the rule are clicked."""
        if self.is_handle(event.screen_x, event.screen_y):
            words = _words_at(self._rule_line(), event.screen_x - self.region.x)
            self.post_message(WordClicked(self, words))

    def dragged_to(self, screen_x: int, screen_y: int, *, done: bool) -> None:
        self.post_message(self.Dragged(self, screen_y, done=done))


class Divider(DragHandle):
    """The column between two panes. It can be dragged.

    middle   the line of the rule that begins at the column; -1 for none
    """

    @dataclass(eq=False, repr=False)
    class Dragged(Message):
        """A column was dragged.

        divider  the column
        x     the column of the screen to which it was dragged
        done  whether the button was released
        """

        divider: Divider
        x: int
        _: KW_ONLY
        done: bool

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.middle = -1

    def set_middle(self, y: int) -> None:
        """Set the line of the rule that begins at the column."""
        if y != self.middle:
            self.middle = y
            self.refresh()

    def render_line(self, y: int) -> Strip:
        return strip([(divider_char(y, self.middle), "border")], theme_name(self))

    def is_handle(self, screen_x: int, screen_y: int) -> bool:
        return True

    def dragged_to(self, screen_x: int, screen_y: int, *, done: bool) -> None:
        self.post_message(self.Dragged(self, screen_x, done=done))


class Bar(Widget):
    """One line outside the panes, drawn by a function for the width of the screen."""

    def __init__(self, draw: Callable[[int], Line], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._drawn: Line = []

    def renew(self) -> None:
        """Paint the line if the function draws another one now."""
        if self._draw(self.size.width) != self._drawn:
            self.refresh()

    def render_line(self, y: int) -> Strip:
        self._drawn = self._draw(self.size.width)
        return strip(self._drawn, theme_name(self))


class HeaderBar(Bar):
    """The line above the panes."""

    def on_click(self, event: events.Click) -> None:
        """Say which words are clicked."""
        self.post_message(WordClicked(self, _words_at(self._drawn, event.x)))


class KeysBar(Bar):
    """The line of keys. A click on a hint presses its key."""

    def on_click(self, event: events.Click) -> None:
        end = 0
        name = ""
        for text, style in self._drawn:
            if style == "key":
                # The hint of two keys has a blank between them; a click behind both presses the first.
                words = text.split()
                is_second = end + len(words[0]) < event.x < end + width(text)
                name = words[-1] if is_second else words[0]
            elif not text.strip():
                name = ""
            end += width(text)
            if event.x < end:
                break
        key = key_named(name) if name else None
        if key is not None:
            self.app.simulate_key(key)


class Note(Widget):
    """A message in as many lines as there is room for, with "…" in place of the rest. An empty message takes
    no line.

    text   the message
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.text = ""
        self._style = "warning"

    def say(self, text: str, style: str = "warning") -> None:
        """Set the message.

        :param text: one inert line, "" for none.
        :param style: the name of one of the styles of `app.view.palette`.
        """
        before, self._style = self._style, style
        if text != self.text:
            self.text = text
            self.set_class(bool(text), "shown")
            self.refresh(layout=True)
        elif style != before and text:
            self.refresh()

    def _lines(self, cells: int, most: int) -> list[str]:
        cells = max(4, cells - 2)
        lines = list(islice(wrap(self.text, cells), most + 1))
        if len(lines) > most > 0:
            lines[most - 1 :] = [cut(lines[most - 1], cells - 1).rstrip(" ") + ELLIPSIS]
        return lines

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width, max(MOST_LINES, viewport.height // 3)))

    def render_line(self, y: int) -> Strip:
        cells, most = self.size
        lines = self._lines(cells, most)
        text = f" {lines[y]}" if y < len(lines) else ""
        return strip([(text, self._style)], theme_name(self), cells=cells)
