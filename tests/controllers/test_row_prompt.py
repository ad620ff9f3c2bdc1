"""Questions and edits in a row, without a screen."""

from __future__ import annotations

import pytest
from textual.geometry import Region

from app.controllers import row_prompt
from app.controllers.row_prompt import Question, RowEdit, RowPrompt
from app.view.selection import StableSelection
from tests.controllers.fakes import FakeHost, FakeList, FakeStatusMessages
from tests.factory import make_row
from tests.view.listed import listed

QUESTION = Question(lambda cells: "Trash it?", (("enter", "trash"),), "keep")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    """Look for a missing session without a pause between the looks."""
    monkeypatch.setattr(row_prompt, "LOOK_EVERY", 0)


class Shown:
    """A prompt over a list of two sessions."""

    def __init__(self, *answers):
        self.row = make_row("a", ino=1)
        self.model = listed(self.row, make_row("b", ino=2))
        self.sessions = FakeList(self.model)
        self.host, self.messages = FakeHost(*answers), FakeStatusMessages()
        self.bars, self.keys_shown = [], []
        self.prompt = RowPrompt(
            self.host,
            self.messages,
            self.sessions,
            is_reading=lambda: False,
            bar_region=lambda: Region(0, 30, 80, 1),
            changed=self._changed,
        )
        self.selection = StableSelection(self.model, [self.row])

    def _changed(self):
        self.bars.append(self.text())
        self.keys_shown.append("".join(piece for piece, _ in self.prompt.keys(80) or ()))

    def text(self):
        """The text of the bar."""
        line = self.prompt.bar(80)
        return "".join(piece for piece, _ in line).strip() if line is not None else ""

    def move(self):
        moved = make_row("a", ino=1, path="/moved/a.jsonl")
        self.model.apply([moved], [self.row.path])
        self.sessions.when_laid_out()
        return moved

    def remove(self):
        self.model.apply([], [self.row.path])
        self.sessions.when_laid_out()

    def questions(self):
        return [call[1:] for call in self.sessions.calls if call[0] == "set_question"]


@pytest.mark.parametrize(("answer", "confirmed"), [("enter", True), (None, False)])
async def test_a_question_is_in_the_bar_and_in_the_row_until_it_is_answered(answer, confirmed):
    shown = Shown(answer)
    assert await shown.prompt.confirm(QUESTION, shown.selection) is confirmed
    assert ["Trash it?" in bar for bar in shown.bars] == [True, False]
    assert shown.questions() == [(frozenset({shown.row.path}),)]
    assert shown.sessions.calls[-1] == ("clear_question",)
    assert shown.sessions.when_laid_out is None


async def test_a_question_follows_its_session():
    shown = Shown(lambda dialog: shown.move() and "enter")
    assert await shown.prompt.confirm(QUESTION, shown.selection)
    assert [paths for (paths,) in shown.questions()] == [{shown.row.path}, {"/moved/a.jsonl"}]
    assert [row.path for row in await shown.prompt.rows_of(shown.selection)] == ["/moved/a.jsonl"]


async def test_a_question_about_a_removed_session_becomes_a_message():
    async def remove(dialog):
        shown.remove()
        await shown.host.finish()
        assert "gone: nothing is left to trash" in shown.text()

    shown = Shown(remove)
    assert not await shown.prompt.confirm(QUESTION, shown.selection)
    assert not shown.text()
    assert await shown.prompt.rows_of(shown.selection, lost=": nothing is written") == []
    assert shown.messages.errors == ['"a session" is gone: nothing is written']


async def test_the_input_is_in_the_bar_while_its_row_is_not_in_view():
    shown = Shown("new name")
    edit = RowEdit("old name", "", lambda cells: "Name of it", "name it", lambda: None)
    assert await shown.prompt.edit(edit, shown.sessions, shown.selection) == "new name"
    assert shown.host.dialogs[0].row_region == Region(0, 30, 80, 1)
    assert "Name of it" in shown.bars[0]
    assert "name it" in shown.keys_shown[0], "the line is over the answers"


async def test_an_answer_is_its_key():
    shown = Shown("j", None)
    question = Question(lambda cells: "Append?", (("j", "append"), ("a", "trash them")))
    assert await shown.prompt.ask(question) == "j"
    assert await shown.prompt.ask(question) is None


def test_below_a_dialog_the_bars_are_empty():
    shown = Shown()
    assert shown.prompt.bar(80) is shown.prompt.keys(80) is None
    shown.host.is_active = False
    assert not shown.text()
    assert shown.prompt.keys(80) is not None
