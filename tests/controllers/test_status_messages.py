"""The messages of a screen, with an application and a screen that only record."""

from __future__ import annotations

from app.controllers.status_messages import StatusMessages
from app.keys import key_of
from app.view.status_messages import MessageQueue
from tests.controllers.fakes import Recorder


class App(Recorder):
    """An application that shows messages."""

    def __init__(self, screen):
        super().__init__(screen_stack=[screen], messages=MessageQueue())

    def show_message(self, shown):
        self.messages.add(shown)


class Screen(Recorder):
    """A screen in front, without a focused widget."""

    def __init__(self):
        super().__init__(focused=None)
        self.app = App(self)

    def text(self):
        """The message that is shown, as a line."""
        line = StatusMessages(self).line(60)
        return None if line is None else "".join(text for text, _ in line).strip()


def test_what_was_done_has_the_key_that_undoes_it():
    screen = Screen()
    key = key_of("change.undo", typing=False)
    StatusMessages(screen).show_done(lambda key: f"Trashed ({key})" if key else "Trashed", is_undo=False)
    assert screen.text() == f"✓ Trashed ({key})"


def test_texts_are_inert_and_bounded():
    screen = Screen()
    StatusMessages(screen).complain("\x1b[31m" + "x" * 2_000)
    StatusMessages(screen).show_done(lambda key: "", is_undo=False)
    (text,) = screen.app.messages.log
    assert "\x1b" not in text
    assert len(text) <= 500


def test_a_copied_text_is_named():
    screen = Screen()
    messages = StatusMessages(screen)
    messages.copy("a text")
    messages.copy("an id", "id")
    assert [call[1] for call in screen.app.calls if call[0] == "copy_to_clipboard"] == ["a text", "an id"]
    assert screen.text() == "✓ Copied the id"


def test_a_message_is_removed_when_its_key_does_something_else():
    screen = Screen()
    messages = StatusMessages(screen)
    messages.show_done(lambda key: f"Trashed ({key})" if key else "Trashed", is_undo=False)
    messages.show("another")
    messages.covered()
    assert "Trashed" in screen.text(), "this screen has the keys"
    messages.focus_moved(True)
    assert screen.text() == "another"
