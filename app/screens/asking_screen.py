"""What a screen asks while it shows through: in a row of a list, and below the panes, where it is in sight
wherever that row is. The bars say the keys that answer, and none that would do nothing now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual import on
from textual.events import DescendantFocus

from app.commands import key_name, key_of
from app.formats.text import one_line
from app.screens.offers import may_offer, offer, withdraw
from app.view.bars import keys_line, question_line
from app.view.cells import shorten
from app.widgets.bar import Bar
from app.widgets.lean_compositor import LeanScreen
from app.widgets.line_input import LineInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.geometry import Region
    from textual.screen import Screen

    from app.screens.questions import RowQuestion
    from app.view.line import Line
    from app.widgets.line_list import LineList

CANCEL = key_name("escape")

LOOK_EVERY, LOOKS = 0.1, 10
"""Seconds, and how often, until what is nowhere is gone: a session whose folder is renamed is away for a
moment, and longer while the files in it are read.
"""


class Asked(NamedTuple):
    """What stands below the panes meanwhile.

    what   the question, for so many cells; inert
    keys   (key, what it does) of the answers
    """

    what: Callable[[int], str]
    keys: Sequence[tuple[str, str]]


class Edited(NamedTuple):
    """A line that is edited in a row.

    text    to begin with
    hint    is shown while there is none
    what    what the text is, for so many cells; inert
    takes   what Enter does with it
    where   the first line of the row, in cells of the screen; None while it is not in sight
    gone    why there is nothing to edit any more, "" while there is
    """

    text: str
    hint: str
    what: Callable[[int], str]
    takes: str
    where: Callable[[], Region | None]
    gone: Callable[[], str]


def _told(text: str) -> Asked:
    """What is said in place of a question."""
    said = one_line(text, 500)
    return Asked(lambda cells: shorten(said, cells), ((key_name("enter"), "go on"),))


class AskingScreen(LeanScreen):
    """Asks one thing at a time."""

    is_reading = False
    """Whether files are being read: what is not among the sessions may be in a moment."""

    asked: Asked | None = None
    _asks: Screen[str | None] | None = None

    def refresh_bars(self) -> None:
        """Paint the bars that say something else now."""
        raise NotImplementedError

    def complain(self, text: str) -> None:
        """Say why something was not done; `text` is raw."""
        self.notify(one_line(text, 500), severity="error", markup=False, timeout=10)

    def say_done(self, said: Callable[[str], str], *, takes_back: bool) -> None:
        """Say what was done, with the key that takes it back where one does that now.

        :param said: gets the key, as people write it, or ""; raw.
        :param takes_back: it has taken back what was done last.
        """
        types = isinstance(self.focused, LineInput)
        key = key_of("change.undo", typing=types) if may_offer(self.app) else ""
        text, plain = one_line(said(key), 500), one_line(said(""), 500)
        if takes_back:
            withdraw(self.app)
        if text != plain:
            offer(self.app, text, key)
        elif text:
            self.notify(text, markup=False)

    @on(DescendantFocus)
    def _may_type(self, event: DescendantFocus) -> None:
        if isinstance(event.widget, LineInput):
            key = key_of("change.undo", typing=True)
            withdraw(self.app, lambda offered: offered == key)

    def on_screen_suspend(self) -> None:
        # the keys belong to the screen above now
        if not may_offer(self.app):
            withdraw(self.app)
        self.refresh_bars()

    def on_screen_resume(self) -> None:
        self.refresh_bars()

    # the bars

    def asking_bar(self, cells: int) -> Line | None:
        """The question, in the bar above the keys; None while nothing is above this screen."""
        if self.asked is not None:
            return question_line(cells, self.asked.what(max(0, cells - 4)))
        return None if self.is_active else question_line(cells, "")

    def asking_keys(self, cells: int) -> Line | None:
        """The keys that answer it, none below a dialog, which says its own; None while nothing is above."""
        if self.asked is not None:
            return keys_line(cells, self.asked.keys)
        return None if self.is_active else keys_line(cells, [])

    def once(self, holds: Callable[[], bool], then: Callable[[], object]) -> None:
        """Do `then` when something holds that does while a session is there, or when that stays away."""
        looks = 0

        def look() -> None:
            nonlocal looks
            looks += not self.is_reading
            if holds() or looks >= LOOKS:
                then()
            else:
                self.set_timer(LOOK_EVERY, look)

        if holds():
            then()
        else:
            self.set_timer(LOOK_EVERY, look)

    # asking

    def ask(
        self, asked: Asked, answers: Mapping[str, str], answered: Callable[[str | None], None]
    ) -> RowQuestion:
        """Wait for a key that answers.

        :param answers: by key.
        :param answered: gets the answer; None: Esc or Ctrl+C, or the question was withdrawn.
        """
        # as the other dialogs, it comes with its first use: imports hold up the first key
        from app.screens.questions import RowQuestion

        question = RowQuestion(answers)

        def done(answer: str | None) -> None:
            self._end(question)
            answered(answer)

        self.asked, self._asks = asked, question
        self.app.push_screen(question, done)
        self.refresh_bars()
        return question

    def _end(self, asks: Screen[str | None]) -> None:
        # told of it later, the next may have been asked
        if self._asks is asks:
            self.asked = self._asks = None
            self.refresh_bars()

    def withdraw(self, question: RowQuestion, why: str) -> None:
        """There is nothing left to ask: say why instead, until the next key.

        :param why: raw.
        """
        self.asked = _told(why)
        question.withdraw()
        self.refresh_bars()

    def edit(self, rows: LineList, edited: Edited, done: Callable[[str], None]) -> None:
        """Edit a line in a row of `rows`. The box stays on its row; where that is not in sight, it is where
        the question stands otherwise. What is typed is never lost without a word.

        :param done: gets the text, where Enter took it.
        """
        from app.screens.questions import RowEditor

        def place() -> Region:
            return edited.where() or self.query_one("#resume", Bar).region

        waits = False

        def follow() -> None:
            nonlocal waits
            if not edited.gone():
                editor.put(place())
            elif not waits:
                waits = True
                self.once(lambda: not edited.gone(), look)

        def look() -> None:
            nonlocal waits
            waits = False
            if rows.when_laid_out is not follow:
                return
            why = edited.gone()
            if why:
                typed = f": “{editor.text}” is not written" if editor.is_changed else ""
                rows.when_laid_out = None
                editor.dismiss(None)
                # what is being typed goes nowhere until that is seen
                self.ask(_told(why + typed), {"enter": "seen"}, lambda seen: None)
            else:
                editor.put(place())

        def closed(text: str | None) -> None:
            if rows.when_laid_out is follow:
                rows.when_laid_out = None
            self._end(editor)
            if text is not None:
                done(text)

        self.asked = Asked(edited.what, ((key_name("enter"), edited.takes), (CANCEL, "leave it")))
        self._asks = editor = RowEditor(edited.text, place(), edited.hint)
        rows.when_laid_out = follow
        self.app.push_screen(editor, closed)
        self.refresh_bars()
