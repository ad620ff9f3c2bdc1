"""The help: the twelve keys, the menus and the marks of the pane with the focus; all keys; the filters of a
query; the keys of pi; or the help pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.widgets import Static

from app.commands import MAIN_KEYS, MENUS, PI_KEYS
from app.help.pages import TOPICS, read_page, read_title
from app.index.query.filter_table import CASE, screen_table
from app.keys import key_name, keys_of
from app.view.cells import width
from app.view.line import wrap
from app.view.markdown import markdown_lines
from app.widgets.dialog import Dialog, DialogBox
from app.widgets.inputs import LineInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Size
    from textual.widgets import Input

    from app.commands import Command

MAIN, ALL, FILTERS, PI, PAGES = "Keys", "All keys", "Filters", "Keys of pi", "Pages"
SECTIONS: dict[str, tuple[str, ...]] = {
    "Sessions": ("sessions", "side", "filter", "project"),
    "Tree": ("tree", "right"),
    "Transcript": ("transcript", "right"),
}
"""The pane that the help is opened in -> the panes of the table of commands that have its keys."""
PANE_TITLES = {
    "sessions": "Sessions",
    "side": "Sessions and search",
    "filter": "Search line",
    "project": "Project",
    "tree": "Tree",
    "right": "Tree and transcript",
    "transcript": "Transcript",
    "list": "In every pane",
    "app": "Everywhere",
}
_COLUMN = 25
"""Cells of the keys."""
_NARROW = 60
"""Cells below which the text of a key stands under it."""

_NUMBERS = range(1, len(TOPICS) + 1)
"""The numbers of the pages; the digit of the tenth is 0."""
_STYLES = {"heading": "bold $accent", "strong": "bold", "code": "$primary", "border": "$text-muted"}

Rows = list[tuple[str, str]]
"""(key or filter, description)."""


class HelpDialog(Dialog[None]):
    """Shows one section at a time. Typing after `/` keeps the rows that contain the text."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Close"),
        Binding("q,question_mark,f1,enter", "dismiss(None)", "Close"),
        Binding("slash", "filter", "Filter"),
        *(Binding(str(number % 10), f"page({number})", f"Page {number}") for number in _NUMBERS),
        Binding("tab", "section(1)", "Next section", priority=True),
        Binding("shift+tab", "section(-1)", "Previous section", priority=True),
        Binding("down,j", "scroll(1)", "Down"),
        Binding("up,k", "scroll(-1)", "Up"),
        Binding("pagedown,space", "scroll(0, 1)", "Page down"),
        Binding("pageup", "scroll(0, -1)", "Page up"),
        Binding("home,g", "scroll_top", "Top"),
        Binding("end,G", "scroll_bottom", "Bottom"),
    ]

    def __init__(
        self,
        legends: Mapping[str, str],
        commands: Sequence[Command],
        describe: Callable[[Command], str],
        pane: str = "",
    ) -> None:
        """:param legends: name of a section -> the meaning of the marks in its pane.
        :param commands: those of the screen.
        :param describe: the description of a command on the screen.
        :param pane: a name of `SECTIONS`, whose marks are shown and whose keys come first; "" for none.
        """
        super().__init__()
        self._legends = legends
        self._commands = commands
        self._describe = describe
        self._pane = pane
        self.sections = [MAIN, ALL, FILTERS, PI, PAGES]
        self.section = MAIN
        self.topic = ""
        """The page that is shown; "" for the list of the pages."""

    def compose(self) -> ComposeResult:
        with DialogBox(self._title(), self._key_hints()):
            yield _LaidOut(self._names, id="help-sections")
            line = LineInput(placeholder="Filter", id="help-filter", compact=True)
            line.display = False
            yield line
            with VerticalScroll(id="keys", classes="body"):
                yield _LaidOut(self.text, id="help-text")

    def on_mount(self) -> None:
        self._body.focus()

    @property
    def _body(self) -> VerticalScroll:
        return self.query_one("#keys", VerticalScroll)

    @property
    def _line(self) -> LineInput:
        return self.query_one("#help-filter", LineInput)

    def _show(self) -> None:
        self.query_one(DialogBox).border_title = Content(self._title())
        self.set_keys(self._key_hints())
        for part in self.query(_LaidOut):
            part.show()

    def _title(self) -> str:
        page = read_title(self.topic) if self.topic else ""
        return f"Help: {page or self.section.lower()}"

    def _key_hints(self) -> str:
        first = "0-9 page" if self.section == PAGES else "j k g G scroll"
        return f"{first}  / filter  Tab section  Esc {'back' if self.topic else 'close'}"

    def _names(self, cells: int) -> Content:
        """The names of the sections in lines of `cells`, each behind its mark."""
        pieces: list[tuple[str, str]] = []
        column = 0
        for name in self.sections:
            is_shown = name == self.section
            text = f"({'•' if is_shown else ' '}) {name}"
            if column and column + len(text) > cells:
                pieces.append(("\n", ""))
                column = 0
            pieces += [(text, "bold" if is_shown else ""), ("  ", "")]
            column += len(text) + 2
        return Content.assemble(*pieces)

    def text(self, cells: int) -> Content:
        """The section in lines of `cells`."""
        if self.topic:
            return _page_text(self.topic, cells, self._line.value)
        return help_text(self._blocks(), cells, self._line.value)

    def _rows(self, pane: str, *, of_pi: bool) -> Rows:
        return [
            (keys_of(command), self._describe(command))
            for command in self._commands
            if command.pane == pane and keys_of(command) and (command.id in PI_KEYS) == of_pi
        ]

    def _main_blocks(self) -> Iterator[tuple[str, Rows]]:
        """The twelve keys and the menus."""
        offered = {command.id: command for command in self._commands}
        twelve = []
        for ids, text in MAIN_KEYS:
            keys = [offered[id].keys[:2] for id in ids.split() if id in offered and offered[id].keys]
            # the first key of each command, and then the second one
            ways = [" ".join(key_name(own[number]) for own in keys if number < len(own)) for number in (0, 1)]
            twelve += [(", ".join(filter(None, ways)), text)] if keys else []
        yield "Twelve keys", twelve
        for menu, (title, choices) in MENUS.items():
            rows = []
            for key, ids in choices.items():
                commands = [offered[id] for id in ids.split() if id in offered]
                rows += [(key_name(key), self._describe(command)) for command in commands[:1]]
            yield f"{title}: {keys_of(offered[f'menu.{menu}'])}, then", rows

    def _blocks(self) -> Iterator[tuple[str, Rows]]:
        """The headings of the section, each with its rows."""
        if self.section == PAGES:
            rows = [(str(number % 10), read_title(TOPICS[number - 1])) for number in _NUMBERS]
            yield "Pages (press the number)", rows
            return
        if self.section == MAIN:
            yield from self._main_blocks()
            # Tree and entry have the same marks.
            shown: dict[str, str] = {}
            for name in [self._pane] if self._pane else self._legends:
                shown.setdefault(self._legends[name], name)
            for legend, name in shown.items():
                yield f"Marks: {name.lower()}", [("", legend)]
        elif self.section in (ALL, PI):
            first = SECTIONS.get(self._pane, ())
            others = dict.fromkeys([*first, *(pane for own in SECTIONS.values() for pane in own)])
            for pane in (*others, "list", "app"):
                yield PANE_TITLES[pane], self._rows(pane, of_pi=self.section == PI)
        else:
            yield (
                "Filters of a query",
                [
                    *((word, f"{text}. Example: {example}") for word, text, example in screen_table()),
                    ("", CASE),
                ],
            )

    # keys

    def action_scroll(self, lines: int, pages: int = 0) -> None:
        """Scroll by a number of lines and of pages."""
        page = max(1, self._body.size.height - 1)
        self._body.scroll_relative(y=lines + pages * page, animate=False)

    def action_scroll_top(self) -> None:
        """Scroll to the beginning."""
        self._body.scroll_home(animate=False)

    def action_scroll_bottom(self) -> None:
        """Scroll to the end."""
        self._body.scroll_end(animate=False)

    def action_section(self, step: int) -> None:
        """Show the next section."""
        number = self.sections.index(self.section) + step
        self._open(self.sections[number % len(self.sections)])

    def on_click(self, event: Click) -> None:
        """Show the section whose name is clicked."""
        names = self.query_one("#help-sections")
        line = self.line_clicked("#help-sections", event)
        if line >= 0:
            *above, last = str(self._names(names.size.width)).split("\n")[: line + 1]
            marks = "".join([*above, last[: event.screen_x - names.region.x + 1]]).count("(")
            self._open(self.sections[max(0, marks - 1)])

    def action_page(self, number: int) -> None:
        """Show a page, by its number."""
        self._open(PAGES, TOPICS[number - 1])

    def _open(self, section: str, topic: str = "") -> None:
        self.section, self.topic = section, topic
        self._show()
        self._body.scroll_home(animate=False)

    def action_filter(self) -> None:
        """Open the filter line."""
        self._line.display = True
        self._line.focus()

    def action_back(self) -> None:
        """Close the filter line, else the page, else the help."""
        if self._line.display:
            self._line.value = ""
            self._line.display = False
            self._body.focus()
        elif self.topic:
            self._open(PAGES)
        else:
            self.dismiss(None)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._show()

    @on(LineInput.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._body.focus()


class _LaidOut(Static):
    """A part of a help dialog, laid out anew for another width."""

    def __init__(self, lay_out: Callable[[int], Content], *, id: str) -> None:
        """:param lay_out: gives the text in lines of a number of cells."""
        super().__init__(id=id)
        self._lay_out = lay_out
        self._cells = 0

    def show(self) -> None:
        """Show the text anew."""
        self.update(self._lay_out(self._cells))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # The text is set during the layout: a second layout would show that the box grows.
        if width != self._cells:
            self._cells = width
            self.update(self._lay_out(width), layout=False)
        return super().get_content_height(container, viewport, width)


def help_text(blocks: Iterator[tuple[str, Rows]], cells: int, typed: str = "") -> Content:
    """Headings with their rows, in lines of `cells`. Long descriptions continue below their beginning.

    :param typed: only rows that contain this text are shown; headings without rows are left out.
    """
    wanted = typed.strip().casefold()
    is_narrow = cells < _NARROW
    pieces: list[Content | tuple[str, str] | str] = []
    for title, rows in blocks:
        shown = [row for row in rows if wanted in f"{row[0]} {row[1]}".casefold()]
        if not shown:
            continue
        pieces.append((f"{title}\n", "bold $accent"))
        for key, description in shown:
            column = 4 if is_narrow or not key else _COLUMN
            names = "\n  ".join(wrap(key, cells - 2)) if is_narrow and key else f"{key:<{_COLUMN - 2}}"
            pieces.append((f"  {names}" if key else "  ", "$primary"))
            if key and (is_narrow or len(key) > _COLUMN - 4):
                pieces.append("\n" + " " * column)
            elif not key:
                pieces.append("  ")
            lines = _broken(description, max(cells - column, 8))
            pieces.append(f"\n{' ' * column}".join(lines) + "\n")
        pieces.append("\n")
    return Content.assemble(*pieces) if pieces else Content(f"Nothing here contains {typed.strip()!r}.")


def _broken(text: str, cells: int) -> Iterator[str]:
    """A text broken at spaces into lines. The parts of a legend, with two blanks between them, stay whole as
    far as they fit.
    """
    line = ""
    for part in text.split("  "):
        if line and width(line) + 2 + width(part) <= cells:
            line += f"  {part}"
            continue
        if line:
            yield from wrap(line, cells)
        line = part
    yield from wrap(line, cells)


def _page_text(topic: str, cells: int, typed: str) -> Content:
    """A page in lines of `cells`.

    :param typed: only lines that contain this text are shown.
    """
    wanted = typed.strip().casefold()
    lines = [line.spans for line in markdown_lines(read_page(topic), cells)]
    if wanted:
        lines = [line for line in lines if wanted in "".join(text for text, _ in line).casefold()]
    if not lines:
        return Content(f"Nothing here contains {typed.strip()!r}.")
    pieces = [(text, _STYLES.get(style, "")) for line in lines for text, style in [*line, ("\n", "")]]
    return Content.assemble(*pieces)
