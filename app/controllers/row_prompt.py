"""Prompts that leave the screen in view: a question in a row or below the panes, and a line that is edited in
a row. The bars show the keys that answer, and none that would do nothing.

A prompt follows its sessions: agents rename their folders, also while a question is open.
"""

from __future__ import annotations

import asyncio
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, NamedTuple

from app.dialogs.row_dialogs import RowEditor, RowQuestion
from app.formats.text import one_line
from app.keys import key_name
from app.view.bars import keys_line
from app.view.cells import shorten
from app.view.line import fit_line
from app.view.prompts import quoted_title
from app.view.status_line import fits_answers, question_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.geometry import Region

    from app.controllers.dialog_host import DialogHost
    from app.controllers.status_messages import StatusMessages
    from app.index.row import Row
    from app.view.line import Line
    from app.view.selection import StableSelection
    from app.widgets.line_list import LineList
    from app.widgets.session_list import SessionListView

CANCEL = key_name("escape")

LOOK_EVERY, LOOKS = 0.1, 10
"""Seconds between two looks for a session that vanished, and the number of looks. A session vanishes for a
moment when its folder is renamed, and longer while the files in it are read.
"""


class Question(NamedTuple):
    """A question, for the bar above the keys.

    text     gives the question for a width in cells; inert
    keys     (key, label) of the answers, by Textual's names of keys
    cancel   the label of Esc; "" if it is not shown
    """

    text: Callable[[int], str]
    keys: Sequence[tuple[str, str]]
    cancel: str = "cancel"


class RowEdit(NamedTuple):
    """A line that is edited in a row.

    text       the text to begin with
    hint       the hint in an empty line
    question   gives the meaning of the text for a width in cells; inert
    accepts    the label of Enter
    region     gives the screen region of the row's first line; None while it is not in view
    label      the name of what is edited, in the row
    limit      most characters, 0 for any number
    recent     texts that the arrow keys put into the line, the latest first
    recently   what they are, for the question
    """

    text: str
    hint: str
    question: Callable[[int], str]
    accepts: str
    region: Callable[[], Region | None]
    label: str = ""
    limit: int = 0
    recent: Sequence[str] = ()
    recently: str = ""


@dataclass(eq=False, repr=False)
class RowPrompt:
    """Shows one prompt at a time.

    question   the question that the bars show; None for none

    :param is_reading: whether files are being read: a missing session may appear in a moment.
    :param bar_region: gives the screen region of the bar above the keys.
    :param changed: paints the bars.
    """

    _host: DialogHost
    _messages: StatusMessages
    _sessions: SessionListView
    _: KW_ONLY
    is_reading: Callable[[], bool]
    bar_region: Callable[[], Region]
    changed: Callable[[], None]

    def __post_init__(self) -> None:
        self._dialog: RowQuestion | RowEditor | None = None
        # the line that is edited is over the question, because its row is not in view
        self._covers_bar = False
        self.question: Question | None = None

    # the bars

    def bar(self, cells: int) -> Line | None:
        """The question, for the bar above the keys; None while no prompt or dialog is open."""
        question = self.question
        if question is not None:
            return question_line(cells, question.text, _answers(question))
        return None if self._host.is_active else fit_line([], cells)

    def keys(self, cells: int) -> Line | None:
        """The keys that answer if they have no room behind the question, none below a dialog, which shows its
        own; None while no prompt or dialog is open.
        """
        question = self.question
        if question is None:
            return None if self._host.is_active else keys_line(cells, [])
        answers = _answers(question)
        is_seen = fits_answers(cells, answers) and not self._covers_bar
        return keys_line(cells, [] if is_seen else answers)

    # the sessions of a prompt

    async def rows_of(self, selection: StableSelection, *, lost: str = "") -> list[Row]:
        """Find the sessions of a selection, wherever they are by now: their agent may have moved their files
        since it was made. Sessions that are being moved are waited for.

        :param lost: is added to the message if all are gone; raw.
        :return: the sessions; if all are gone, an empty list, and a message has said it.
        """
        await self._wait_until(lambda: selection.are_all_there)
        rows = selection.rows()
        if not rows:
            self._messages.complain(f"{quoted_title(selection.first)} is gone{lost}")
        return rows

    async def _wait_until(self, holds: Callable[[], bool]) -> None:
        """Wait until `holds` is true, or until a missing session has not appeared in time."""
        looks = 0
        while not holds() and looks < LOOKS:
            await asyncio.sleep(LOOK_EVERY)
            looks += not self.is_reading()

    def _follow(
        self,
        rows: LineList,
        is_there: Callable[[], bool],
        moved: Callable[[], None],
        lost: Callable[[], None],
    ) -> Callable[[], None]:
        """Call `moved` after each layout of `rows` while the session of a prompt is there, and `lost` once if
        it is gone for good.

        :return: a function that ends this.
        """
        is_waiting = False

        def laid_out() -> None:
            nonlocal is_waiting
            if is_there():
                moved()
            elif not is_waiting:
                is_waiting = True
                self._host.start(wait())

        async def wait() -> None:
            nonlocal is_waiting
            await self._wait_until(is_there)
            is_waiting = False
            if rows.when_laid_out is not laid_out:
                return
            if is_there():
                moved()
            else:
                rows.when_laid_out = None
                lost()

        def end() -> None:
            if rows.when_laid_out is laid_out:
                rows.when_laid_out = None

        rows.when_laid_out = laid_out
        return end

    # questions

    def renew(self) -> None:
        """Show the question in its present words."""
        self.changed()

    async def confirm(self, question: Question, about: StableSelection | None = None) -> bool:
        """Ask a question with one answer.

        :param about: the sessions that the question is about; they are highlighted in the list. If they
            vanish, a message replaces the question until the next key.
        :return: whether the answer was given; False after Esc or Ctrl+C.
        """
        if about is None:
            return await self.ask(question) is not None
        sessions, selection = self._sessions, about
        dialog = RowQuestion([key for key, _ in question.keys])
        rows = selection.rows() or [selection.first]
        if len(selection) == 1 and sessions.row is not None and sessions.row.path == rows[0].path:
            # the wheel may have left the row
            sessions.show_cursor()

        def moved() -> None:
            sessions.set_question(frozenset(row.path for row in selection.rows()))
            self.changed()

        def lost() -> None:
            number = len(selection)
            subject = f"{quoted_title(rows[0])} is" if number == 1 else f"the {number:,} sessions are"
            self.question = _message(f"{subject} gone: nothing is left to {question.keys[0][1]}")
            dialog.withdraw()
            self.changed()

        sessions.set_question(frozenset(row.path for row in rows))
        end = self._follow(sessions, lambda: bool(selection.rows()), moved, lost)
        answer = await self._show(question, dialog)
        end()
        sessions.clear_question()
        return answer is not None

    async def ask(self, question: Question) -> str | None:
        """Ask a question.

        :return: the key of the answer; None after Esc or Ctrl+C.
        """
        return await self._show(question, RowQuestion([key for key, _ in question.keys]))

    async def _show(self, question: Question, dialog: RowQuestion | RowEditor) -> str | None:
        self.question, self._dialog = question, dialog
        self.changed()
        answer = await self._host.open(dialog)
        # The next prompt may be open by now.
        if self._dialog is dialog:
            self.question = self._dialog = None
            self.changed()
        return answer

    # editing

    async def edit(self, edit: RowEdit, rows: LineList, selection: StableSelection) -> str | None:
        """Edit a line in a row of `rows`. The input follows its row; while that is not in view, it is in the
        question bar. If the session vanishes, a message shows the typed text.

        :param selection: the session of the row.
        :return: the text; None after Esc or Ctrl+C, or if the session is gone.
        """

        def region() -> Region:
            row_region = edit.region()
            covers, self._covers_bar = self._covers_bar, row_region is None
            if covers != self._covers_bar and self.question is not None:
                self.changed()
            return row_region or self.bar_region()

        def lost() -> None:
            typed = f': "{editor.text}" is not written' if editor.is_changed else ""
            editor.dismiss(None)
            # The message takes the keys that are being typed.
            self._host.start(self._show_message(f"{quoted_title(selection.first)} is gone{typed}"))

        editor = RowEditor(edit.text, region(), edit.hint, edit.label, edit.limit, edit.recent)
        end = self._follow(rows, lambda: selection.row is not None, lambda: editor.put(region()), lost)
        keys = [("down", edit.recently)] if edit.recent else []
        text = await self._show(Question(edit.question, (*keys, ("enter", edit.accepts))), editor)
        self._covers_bar = False
        end()
        return text

    async def _show_message(self, text: str) -> None:
        await self.ask(_message(text))


def _answers(question: Question) -> list[tuple[str, str]]:
    pairs = [(key_name(key), label) for key, label in question.keys]
    return [*pairs, (CANCEL, question.cancel)] if question.cancel else pairs


def _message(text: str) -> Question:
    line = one_line(text, 500)
    return Question(lambda cells: shorten(line, cells), (("enter", "continue"),), cancel="")
