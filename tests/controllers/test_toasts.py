"""The toasts of a screen, with an application and a screen that only record."""

from __future__ import annotations

from types import SimpleNamespace

from app.controllers.toasts import Toasts
from app.keys import key_of
from tests.controllers.fakes import Recorder


class Screen(Recorder):
    """A screen in front, without a focused widget."""

    def __init__(self):
        super().__init__(focused=None)
        self.app = Recorder(screen_stack=[self], NOTIFICATION_TIMEOUT=5, _notifications=[])

    def texts(self):
        """The texts of the toasts without a key, and of those with one."""
        posted = [call[1].notification.message for call in self.app.calls if call[0] == "post_message"]
        return [call[1] for call in self.calls if call[0] == "notify"], posted


def test_what_was_done_has_the_key_that_undoes_it():
    screen = Screen()
    key = key_of("change.undo", typing=False)
    Toasts(screen).show_done(lambda key: f"Trashed – {key}" if key else "Trashed", is_undo=False)
    assert screen.texts() == ([], [f"Trashed – {key}"])


def test_texts_are_inert_and_bounded():
    screen = Screen()
    toasts = Toasts(screen)
    toasts.complain("\x1b[31m" + "x" * 2_000)
    toasts.show_done(lambda key: "", is_undo=False)
    ((text,), offered) = screen.texts()
    assert "\x1b" not in text
    assert len(text) <= 500
    assert offered == []


def test_a_copied_text_is_named():
    screen = Screen()
    toasts = Toasts(screen)
    toasts.copy("a text")
    toasts.copy("an id", "Id")
    assert [call[1] for call in screen.app.calls] == ["a text", "an id"]
    assert screen.texts() == (["Id copied"], [])


def test_a_toast_is_removed_when_its_key_does_something_else():
    screen = Screen()
    toasts = Toasts(screen)
    toasts.show_done(lambda key: f"Trashed – {key}" if key else "Trashed", is_undo=False)
    (toast,) = [call[1].notification for call in screen.app.calls if call[0] == "post_message"]
    screen.app._notifications = [toast, SimpleNamespace(message="another")]
    toasts.covered()
    assert "_unnotify" not in screen.app.names(), "this screen has the keys"
    toasts.focus_moved(True)
    assert ("_unnotify", toast) in screen.app.calls
