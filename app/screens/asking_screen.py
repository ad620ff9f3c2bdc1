"""Prompts that leave the screen in view: a question in a row or below the panes, and a line that is edited in
a row. The bars show the keys that answer, and none that would do nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding
from textual.events import DescendantFocus, Key
from textual.notifications import Notification, Notify
from textual.screen import ModalScreen, Screen

from app.formats.text import one_line
from app.keys import key_name, key_of
from app.startup.key_order import leads_to_picture
from app.view.bars import keys_line, question_line
from app.view.cells import shorten
from app.widgets.dialog import Dialog
from app.widgets.inputs import LineInput
from app.widgets.panes import Bar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import App, ComposeResult
    from textual.binding import BindingType
    from textual.geometry import Region, Size
    from textual.widgets import Input

    from app.view.line import Line
    from app.widgets.line_list import LineList

CANCEL = key_name("escape")

LOOK_EVERY, LOOKS = 0.1, 10
"""Seconds between two looks for a session that vanished, and the number of looks. A session vanishes for a
moment when its folder is renamed, and longer while the files in it are read.
"""


class Prompt(NamedTuple):
    """The content of the bars below the panes.

    text   gives the question for a width in cells; inert
    keys   (key, what it does) of the answers
    """

    text: Callable[[int], str]
    keys: Sequence[tuple[str, str]]


class RowEdit(NamedTuple):
    """A line that is edited in a row.

    text       the text to begin with
    hint       the hint in an empty line
    question   gives the meaning of the text for a width in cells; inert
    accepts    what Enter does with the text
    region     gives the screen region of the row's first line; None while it is not in view
    missing    gives the reason why there is nothing to edit any more, "" while there is
    """

    text: str
    hint: str
    question: Callable[[int], str]
    accepts: str
    region: Callable[[], Region | None]
    missing: Callable[[], str]


def _message(text: str) -> Prompt:
    """A message in place of a question."""
    line = one_line(text, 500)
    return Prompt(lambda cells: shorten(line, cells), ((key_name("enter"), "go on"),))


class AskingScreen(Screen[None]):
    """Shows one prompt at a time.

    is_reading   whether files are being read: a session that is missing may appear in a moment
    prompt       the prompt; None for none
    """

    is_reading = False
    prompt: Prompt | None = None
    _prompt_screen: Screen[str | None] | None = None

    def refresh_bars(self) -> None:
        """Paint the bars that have changed."""
        raise NotImplementedError

    # the first picture

    def _screen_resized(self, size: Size) -> None:
        # Textual 8.2.8 reports the first size three times; two layouts less shorten the launch.
        if size != self._compositor.size:
            super()._screen_resized(size)

    def _compositor_refresh(self) -> None:
        # The terminal shows the first frame, and keys that were typed before lead to the first picture.
        if not leads_to_picture(self.app):
            super()._compositor_refresh()

    def _on_timer_update(self) -> None:
        if leads_to_picture(self.app):
            self._update_timer.pause()
        else:
            super()._on_timer_update()

    # toasts

    def complain(self, text: str) -> None:
        """Show why something was not done.

        :param text: raw.
        """
        self.notify(one_line(text, 500), severity="error", markup=False, timeout=10)

    def say_done(self, message: Callable[[str], str], *, takes_back: bool) -> None:
        """Show what was done, with the key that undoes it if that key works here.

        :param message: gets the name of the key, or "", and gives the text; raw.
        :param takes_back: an undo was done.
        """
        types = isinstance(self.focused, LineInput)
        key = key_of("change.undo", typing=types) if may_offer(self.app) else ""
        text, plain = one_line(message(key), 500), one_line(message(""), 500)
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
        # The screen above gets the keys now.
        if not may_offer(self.app):
            withdraw(self.app)
        self.refresh_bars()

    def on_screen_resume(self) -> None:
        self.refresh_bars()

    # the bars

    def asking_bar(self, cells: int) -> Line | None:
        """The question, for the bar above the keys; None while no prompt or dialog is open."""
        if self.prompt is not None:
            return question_line(cells, self.prompt.text(max(0, cells - 4)))
        return None if self.is_active else question_line(cells, "")

    def asking_keys(self, cells: int) -> Line | None:
        """The keys that answer, none below a dialog, which shows its own; None while no prompt or dialog is
        open.
        """
        if self.prompt is not None:
            return keys_line(cells, self.prompt.keys)
        return None if self.is_active else keys_line(cells, [])

    # prompts

    def once(self, holds: Callable[[], bool], then: Callable[[], object]) -> None:
        """Call `then` as soon as `holds` is true, or when a missing session has not appeared in time."""
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

    def ask(
        self, prompt: Prompt, answers: Mapping[str, str], answered: Callable[[str | None], None]
    ) -> RowQuestion:
        """Wait for a key that answers.

        :param answers: by key.
        :param answered: gets the answer; None after Esc or Ctrl+C, or if the question was withdrawn.
        """
        question = RowQuestion(answers)

        def done(answer: str | None) -> None:
            self._end(question)
            answered(answer)

        self.prompt, self._prompt_screen = prompt, question
        self.app.push_screen(question, done)
        self.refresh_bars()
        return question

    def _end(self, prompt_screen: Screen[str | None]) -> None:
        # The next prompt may be open by now.
        if self._prompt_screen is prompt_screen:
            self.prompt = self._prompt_screen = None
            self.refresh_bars()

    def withdraw(self, question: RowQuestion, reason: str) -> None:
        """Replace a question that has lost its subject by a message, until the next key.

        :param reason: raw.
        """
        self.prompt = _message(reason)
        question.withdraw()
        self.refresh_bars()

    def edit(self, rows: LineList, edit: RowEdit, done: Callable[[str], None]) -> None:
        """Edit a line in a row of `rows`. The box follows its row; while that is not in view, it is in the
        question bar. If the session vanishes, a message shows the typed text.

        :param done: gets the text after Enter.
        """

        def region() -> Region:
            return edit.region() or self.query_one("#resume", Bar).region

        is_waiting = False

        def follow() -> None:
            nonlocal is_waiting
            if not edit.missing():
                editor.put(region())
            elif not is_waiting:
                is_waiting = True
                self.once(lambda: not edit.missing(), look)

        def look() -> None:
            nonlocal is_waiting
            is_waiting = False
            if rows.when_laid_out is not follow:
                return
            reason = edit.missing()
            if reason:
                typed = f": “{editor.text}” is not written" if editor.is_changed else ""
                rows.when_laid_out = None
                editor.dismiss(None)
                # The message takes the keys that are being typed.
                self.ask(_message(reason + typed), {"enter": "seen"}, lambda seen: None)
            else:
                editor.put(region())

        def closed(text: str | None) -> None:
            if rows.when_laid_out is follow:
                rows.when_laid_out = None
            self._end(editor)
            if text is not None:
                done(text)

        self.prompt = Prompt(edit.question, ((key_name("enter"), edit.accepts), (CANCEL, "leave it")))
        self._prompt_screen = editor = RowEditor(edit.text, region(), edit.hint)
        rows.when_laid_out = follow
        self.app.push_screen(editor, closed)
        self.refresh_bars()


class RowQuestion(Dialog[str | None]):
    """Waits for the answer to a question that a list shows. Keys that are no answer do nothing
    (formats/README.md, "Behaviour of SessionManager"). The result is None after Esc or Ctrl+C.
    """

    DEFAULT_CLASSES = ""

    def __init__(self, answers: Mapping[str, str]) -> None:
        """:param answers: by key."""
        super().__init__()
        self._answers = answers
        self._is_withdrawn = False

    def withdraw(self) -> None:
        """End the question. The keys that would have answered do nothing, since they may have been pressed
        already; any other key closes the question and then has its usual effect.
        """
        self._is_withdrawn = True

    def on_click(self) -> None:
        if self._is_withdrawn:
            self.action_cancel()

    def on_key(self, event: Key) -> None:
        event.stop()
        event.prevent_default()
        if self._is_withdrawn:
            self.action_cancel()
            if event.key not in self._answers and event.key != "escape":
                self.app.post_message(Key(event.key, event.character))
        elif event.key in self._answers:
            self.dismiss(self._answers[event.key])
        elif event.key == "escape":
            self.action_cancel()

    def action_cancel(self) -> None:
        """Answer no."""
        self.dismiss(None)


class RowEditor(Dialog[str | None]):
    """A one-line input over a row. The result is None after Esc or Ctrl+C."""

    DEFAULT_CLASSES = ""
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Back")]

    def __init__(self, text: str, region: Region, hint: str) -> None:
        """:param region: the screen region of the row.
        :param hint: the hint in an empty line.
        """
        super().__init__()
        self._region = region
        self._before = text
        self._input = LineInput(text, placeholder=hint, compact=True, select_on_focus=False)
        self._input.cursor_blink = False

    def compose(self) -> ComposeResult:
        yield self._input

    def on_mount(self) -> None:
        self.put(self._region)
        self._input.cursor_position = len(self._input.value)

    def put(self, region: Region) -> None:
        """Move the input to another region: its row has moved."""
        styles = self._input.styles
        styles.offset = (region.x, region.y)
        styles.width = max(8, region.width)

    @property
    def text(self) -> str:
        """The text so far."""
        return self._input.value

    @property
    def is_changed(self) -> bool:
        """Whether the text was changed."""
        return self.text != self._before

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(event.value)

    def action_cancel(self) -> None:
        """Close the input and keep the old text."""
        self.dismiss(None)


# Toasts with the key that undoes what was done. Such a toast is removed as soon as the key would do something
# else: after an undo, after another action, and while a dialog or a line has the keys.


class _Offer(Notification):
    """A toast with the name of the `key` that undoes."""

    key = ""


def may_offer(app: App[Any]) -> bool:
    """Whether the undo key works: dialogs have their own keys."""
    screens = app.screen_stack
    return not (screens and isinstance(screens[-1], ModalScreen))


def offer(app: App[Any], text: str, key: str) -> None:
    """Show a toast about what was done, and remove the one before.

    :param text: inert.
    :param key: the name of the key that undoes it.
    """
    withdraw(app)
    toast = _Offer(text, timeout=app.NOTIFICATION_TIMEOUT)
    toast.key = key
    app.post_message(Notify(toast))


def withdraw(app: App[Any], holds: Callable[[str], bool] = lambda key: False) -> None:
    """Remove the toasts whose key does not undo any more.

    :param holds: whether a key still does.
    """

    def remove() -> None:
        for toast in list(app._notifications):
            if isinstance(toast, _Offer) and not holds(toast.key):
                app._unnotify(toast)

    # At once, or the next screen would show it first; and again for a toast that was posted but not shown.
    remove()
    app.call_later(remove)
