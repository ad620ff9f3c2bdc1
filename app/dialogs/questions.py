"""Dialogs that ask before a session is resumed, forked or trashed, and the one that waits for a summary."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual import on
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click
from textual.widgets import Input, Static

from app.actions import resume
from app.formats.text import inert, one_line
from app.stores.live import LIVE
from app.view.cells import shorten
from app.widgets.dialog import Dialog, DialogBox, ItemList
from app.widgets.inputs import LineInput
from app.widgets.line_list import LineList

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.actions.resume import Plan
    from app.stores.live import Verdict
    from app.view.line import Line


_WAYS_ELSEWHERE = {
    resume.RESUME: "r resume in another folder",
    resume.FORK: "f fork into another folder and resume there",
}


class Standing(NamedTuple):
    """The content of a `ResumeDialog`.

    path      the path of the session
    plan      the plan to resume it; resuming is not offered if the plan has a problem
    folder    the folder of the session, as it is shown
    reason    the reason for the question; raw
    has_newer the agent went on with it in another session
    """

    path: str
    plan: Plan
    folder: str
    reason: str
    has_newer: bool = False


class ResumeDialog(Dialog[str | None]):
    """Says why a session cannot simply be resumed, and offers to "resume" it all the same or in another
    folder ("elsewhere"), to "fork" it into another folder and resume it there, to resume the session that
    goes on from it ("newer"), or to "read" it. The result is None if nothing is chosen. The first choice is
    harmless.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss(None)", "Back"),
        Binding("c,y,ctrl+y", "copy", "Copy the command"),
        Binding("r", "go_on", "Resume anyway"),
        Binding("f", "fork", "Another folder"),
        Binding("n", "newer", "The session that goes on"),
        Binding("t", "dismiss('read')", "Read only"),
    ]

    def __init__(self, title: str, standing: Standing) -> None:
        """:param title: of the session; inert."""
        super().__init__()
        self._title = title
        self.standing = standing
        self._is_gone = False

    def compose(self) -> ComposeResult:
        with DialogBox(""):
            with VerticalScroll(classes="body"):
                yield Static(classes="warning", id="reason")
                yield Static(id="folder")
                yield Static(classes="command", id="command")
            yield Static(classes="hint", id="ways-out")

    def on_mount(self) -> None:
        self._show()

    def on_click(self, event: Click) -> None:
        """Press the key of the way that is clicked."""
        line = self.line_clicked("#ways-out", event)
        if line >= 0:
            self._press(str(self.query_one("#ways-out", Static).content).splitlines()[line][:1])

    def show_standing(self, standing: Standing, *, is_gone: bool = False) -> None:
        """Show the new state: the agent has moved the session, or the session is gone or back."""
        if (standing, is_gone) != (self.standing, self._is_gone):
            self.standing, self._is_gone = standing, is_gone
            self._show()

    def _show(self) -> None:
        plan, reason = self.standing.plan, self.standing.reason or "the session can be resumed now"
        ways = ["n resume the session that goes on from it"] if self.standing.has_newer else []
        ways += ["r resume anyway"] if plan.problem is None else []
        if plan.elsewhere:
            ways.append(_WAYS_ELSEWHERE[plan.elsewhere])
        texts = {
            "reason": reason[:1].upper() + reason[1:],
            "folder": f"Folder   {self.standing.folder}",
            "command": plan.shell,
            "ways-out": "\n".join(ways),
        }
        if self._is_gone:
            texts = dict.fromkeys(texts, "") | {"reason": "This session is gone."}
        for name, text in texts.items():
            self.set_text(f"#{name}", inert(text))
        self.query_one("#ways-out").display = bool(texts["ways-out"])
        title = f"{'Cannot resume' if plan.problem else 'Resume'}: {self._title}"
        self.query_one(DialogBox).border_title = Content(title)
        self.set_keys("Esc back" if self._is_gone else "c copy command  t view tree  Esc cancel")

    def action_copy(self) -> None:
        """Copy the command."""
        if not self._is_gone:
            self.app.copy_to_clipboard(self.standing.plan.shell)
            self.app.notify("Copied the command", markup=False)

    def action_go_on(self) -> None:
        """Resume all the same, or in another folder, where that is possible."""
        if self.standing.plan.problem is None and not self._is_gone:
            self.dismiss("resume")
        elif self.standing.plan.elsewhere == resume.RESUME and not self._is_gone:
            self.dismiss("elsewhere")

    def action_newer(self) -> None:
        """Go on in the session in which the agent did, if there is one."""
        if self.standing.has_newer and not self._is_gone:
            self.dismiss("newer")

    def action_fork(self) -> None:
        """Go on in another folder, where that would help."""
        if self.standing.plan.elsewhere == resume.FORK and not self._is_gone:
            self.dismiss("fork")


FORK, OPEN, READ = "fork", "open", "read"
KEEP, OTHERS, TRASH = "keep", "others", "trash"
"""Answers of an `InUseDialog` before a session is resumed, and before sessions are trashed."""


class Way(NamedTuple):
    """A choice of an `InUseDialog`.

    answer   the result of the dialog
    label    a word
    text     what the choice does
    why_not  why it is not possible; raw, "" if it is
    """

    answer: str
    label: str
    text: str
    why_not: str = ""


def ways_to_resume(agent: str, in_use: Verdict, *, forks: bool) -> list[Way]:
    """The choices before a session is resumed that an agent has open for certain, or may have open.

    :param forks: the session can be forked.
    """
    fork = Way(FORK, "Fork", f"start {agent} in a new session from the same leaf")
    read = Way(READ, "Read", "open the transcript, follow it live")
    open_ = Way(OPEN, "Open", f"start {agent} on this file anyway")
    if in_use.state == LIVE:
        open_ = open_._replace(why_not=one_line(in_use.reason, 500))
    if not forks:
        return [read, open_]
    return [fork, read, open_] if in_use.state == LIVE else [fork, open_, read]


def ways_to_trash(number: int, others: int) -> list[Way]:
    """The choices before sessions are trashed that an agent may have open.

    :param number: of these sessions; ``others``: the number of sessions that no agent has open.
    """
    every = number + others
    ways = [Way(KEEP, "Keep", "leave it where it is" if every == 1 else "leave them where they are")]
    if others:
        rest = "the session" if others == 1 else f"the {others:,} sessions"
        ways.append(Way(OTHERS, "Others", f"trash only {rest} that no agent has open"))
    ways.append(Way(TRASH, "Trash", "trash it anyway" if every == 1 else f"trash all {every:,} anyway"))
    return ways


class InUseDialog(Dialog[str | None]):
    """Says who may have sessions open, and asks how to go on. The result is the answer of a `Way`, the first
    of which is harmless; None after Esc.
    """

    AUTO_FOCUS = "#ways"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Cancel"),
        Binding("enter", "choose", "Select"),
    ]

    def __init__(
        self, reason: str, harm: str, ways: Sequence[Way], *, is_sure: bool = False, number: int = 1
    ) -> None:
        """:param reason: who has it open; ``harm`` what may happen then; both raw.
        :param ways: the choices.
        :param is_sure: an agent has it open for certain.
        :param number: of the sessions that are in use.
        """
        super().__init__()
        mark, verb = ("●", "is open") if is_sure else ("◐", "may be open")
        subject = f"This session {verb}" if number == 1 else f"{number:,} sessions may be open"
        consequence = harm[:1].upper() + one_line(harm[1:], 500)
        self._text = f"{mark} {subject}: {one_line(reason, 500)}.\n{consequence}."
        self._title = f"{subject} elsewhere"
        self._ways = ways
        self._list = ItemList[Way](self._draw, id="ways")

    def compose(self) -> ComposeResult:
        box = DialogBox(self._title, "Enter select  Esc cancel")
        with box, VerticalScroll(classes="body", can_focus=False):
            yield Static(Content(self._text), classes="warning")
            yield Static(Content(""))
            yield self._list

    def on_mount(self) -> None:
        self._list.show(self._ways)
        self._list.fit(len(self._ways))

    def _draw(self, way: Way, cells: int) -> Line:
        if way.why_not:
            return [(shorten(f"{way.label:8} {way.why_not}", cells), "dim")]
        return [(f"{way.label:8} ", "strong"), (shorten(way.text, max(0, cells - 9)), "text")]

    @on(LineList.Activated)
    def action_choose(self) -> None:
        """Take the choice under the cursor, if it is possible."""
        way = self._list.picked
        if way is not None and not way.why_not:
            self.dismiss(way.answer)


class FolderDialog(Dialog[str | None]):
    """Asks for an existing folder for a session. The result is its absolute path, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, start: str, home: str, title: str = "Folder of the new session") -> None:
        """:param start: the folder that is offered.
        :param home: what `~` stands for.
        """
        super().__init__()
        self._title = title
        self._start = start
        self._home = home

    def compose(self) -> ComposeResult:
        # A path that is not printable is offered as ".".
        offered = self._start if self._start.isprintable() else os.curdir
        box = DialogBox(self._title, "Enter select  Esc cancel")
        with box, VerticalScroll(classes="body", can_focus=False):
            yield LineInput(offered, id="folder-path", compact=True)
            yield Static(Content(""), classes="warning", id="wrong")

    def on_mount(self) -> None:
        self.query_one(LineInput).focus()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        folder = await asyncio.to_thread(folder_at, self._start, text, self._home)
        if folder:
            self.dismiss(folder)
        else:
            typed = one_line(text, 200)
            self.set_text("#wrong", f"No such folder: {typed}" if typed else "Type the path of a folder")


def folder_at(start: str, text: str, home: str) -> str:
    """The absolute path of a folder that the user has typed, as by `path_at`; "" if it does not exist."""
    folder = path_at(start, text, home)
    return folder if "\0" not in folder and os.path.isdir(folder) else ""


def path_at(start: str, text: str, home: str) -> str:
    """The absolute path of a file that the user has typed, relative to `start`; "" for an empty text.

    :param home: what `~` stands for.
    """
    if text == "~" or text.startswith("~/"):
        text = home + text[1:]
    return os.path.normpath(os.path.join(start, text)) if text else ""


class WaitDialog(Dialog["str | None"]):
    """Is shown while a summary is made, and answers with it; Esc cancels it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss(None)", "Cancel")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._has_ended = False
        self._result: str | None = None

    def compose(self) -> ComposeResult:
        with DialogBox("Summary", "Esc cancel"), VerticalScroll(classes="body"):
            yield Static(Content(inert(self._text)))

    def end(self, result: str | None) -> None:
        """Close the dialog, because the command has ended: at once, or when it gets the keys."""
        self._has_ended, self._result = True, result
        self.on_screen_resume()

    def on_screen_resume(self) -> None:
        # It may not be open yet, or the help may be open over it: then Textual would close another screen.
        if self._has_ended and self.is_mounted and self.is_active:
            self.dismiss(self._result)
