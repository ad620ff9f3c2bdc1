"""The dialog "Continue from here": the prompt, where it goes, a summary, and what that runs and writes."""

from __future__ import annotations

import asyncio
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.reactive import Reactive
from textual.widgets import Input, Static, TextArea

from app.dialogs.questions import folder_at
from app.formats.text import inert, one_line
from app.keys import key_of
from app.view.branch_choices import (
    COMMAND,
    FOLDER,
    NEW,
    NONE,
    WRITE,
    Choice,
    Option,
    agents,
    as_agent,
    first_possible,
    key_label,
    places,
    prompt_note,
    runs,
    summaries,
    writes,
)
from app.view.formatting import tilde
from app.widgets.choice_row import ChoiceRow
from app.widgets.dialog import Dialog, DialogBox
from app.widgets.inputs import LineInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from app.actions.branch_options import BranchOptions

LEAST_ROWS, MOST_ROWS = 3, 10
"""Rows of a text field."""
_LABEL = 9
"""Cells of a label and the blank behind it."""


class InertArea(TextArea):
    """A field for a text of several lines, which replaces what a terminal cannot show in pasted texts."""

    cursor_blink: Reactive[bool] = Reactive(False, init=False)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        result = self.replace(inert(event.text), *self.selection)
        self.move_cursor(result.end_location)


class ContinueDialog(Dialog["Choice | None"]):
    """The result is what the user has chosen; None after Esc. If a text was changed, Esc must be pressed
    twice, so that one key does not lose it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Cancel", priority=True),
        Binding("ctrl+s", "go_on", "Continue", priority=True),
        Binding("ctrl+y", "only_copy", "Only copy", priority=True),
        Binding("enter", "go_on", "Continue"),
    ]

    def __init__(
        self,
        question: BranchOptions,
        *,
        home: str,
        here: str,
        command: Sequence[str] = (),
        asks_summary: bool = True,
        choice: Choice | None = None,
        outline: Callable[[], None] = lambda: None,
        copy: Callable[[str, str], None] = lambda text, what: None,
        losses: Callable[[str], None] = lambda agent: None,
        note: str = "",
        now_ms: int = 0,
    ) -> None:
        """:param home: what `~` stands for; ``here`` the folder that is offered as another one.
        :param command: the setting `summary_command`.
        :param asks_summary: offer a summary of the branch that is left.
        :param choice: what is chosen at first; None for the first possible of each.
        :param outline: makes an outline of that branch; call `set_outline` with it.
        :param copy: copies a text, with its name.
        :param losses: finds out what is lost if that agent continues; call `set_losses` with it.
        :param note: a remark above the fields; raw.
        :param now_ms: the time, in milliseconds since the epoch.
        """
        super().__init__()
        self._asked = question
        self._agent = ChoiceRow("Agent", agents(question), choice.agent if choice else "", id="agent")
        self._find_losses = losses
        self._losses: dict[str, Sequence[str]] = {}
        self._question = question = as_agent(question, self._agent.value)
        self._home = home
        self._here = here
        self._command = command
        self._asks_summary = asks_summary
        self._make_outline = outline
        self._copy = copy
        self._note = note
        self._now_ms = now_ms
        text = inert(question.target.text or "")
        choice = choice or Choice(first_possible(places(question)), here, text)
        self._has_outline = bool(choice.outline)

        def area(text: str, id: str) -> InertArea:
            return InertArea(text, soft_wrap=True, show_line_numbers=False, tab_behavior="focus", id=id)

        self._prompt = area(choice.text, "prompt")
        self._outline = area(choice.outline, "outline")
        self._folder = LineInput(choice.folder or here, id="folder-path", compact=True)
        self._instructions = LineInput(
            choice.instructions, placeholder="Instructions (optional)", id="instructions", compact=True
        )
        self._where = ChoiceRow("Where", places(question), choice.where, id="where")
        self._summary = ChoiceRow("Summary", self._summaries(), choice.summary, id="summary")
        self._before = self._texts()
        # the texts when Esc was pressed
        self._left_at: object = None

    def compose(self) -> ComposeResult:
        with DialogBox("Continue from here"), VerticalScroll(classes="body", can_focus=False):
            yield Static(classes="warning", id="about")
            yield Static(id="prompt-title")
            yield self._prompt
            yield self._where
            yield self._folder
            yield self._agent
            yield self._summary
            yield self._instructions
            yield self._outline
            yield Static(id="runs")
            yield Static(id="losses")
            yield Static(classes="warning", id="wrong")

    def on_mount(self) -> None:
        self._prompt.move_cursor(self._prompt.document.end)
        (self._where if self._question.target.text is None else self._prompt).focus()
        self._show()

    # what is shown

    def set_options(self, question: BranchOptions) -> None:
        """Show other options, because the agent has moved the session."""
        self._asked = question
        self._agent.set_options(agents(question))
        self._changed()

    def set_losses(self, agent: str, lines: Sequence[str]) -> None:
        """Show what is lost if that agent continues."""
        self._losses[agent] = lines
        self._show()

    def set_outline(self, text: str) -> None:
        """Show the outline of the branch that is left, unless the user has written something."""
        if not self._outline.text:
            self._has_outline = True
            self._outline.text = inert(text)
            self._before = (*self._before[:2], self._outline.text, *self._before[3:])
            self._show()

    def _summaries(self) -> list[Option]:
        return summaries(self._question, self._where.value, self._command)

    def _texts(self) -> tuple[str, ...]:
        return self._prompt.text, self._folder.value, self._outline.text, self._instructions.value

    @property
    def _choice(self) -> Choice:
        """The content of the fields."""
        where = self._where.value
        return Choice(
            where,
            self._folder.value.strip() if where == FOLDER else "",
            self._prompt.text,
            self._summary.value if self._asks_summary else NONE,
            self._outline.text,
            self._instructions.value.strip(),
            self._agent.value,
        )

    @on(ChoiceRow.Chosen)
    @on(TextArea.Changed)
    def _changed(self) -> None:
        """Show what follows from the fields."""
        self._question = as_agent(self._asked, self._agent.value)
        self._where.set_options(places(self._question))
        self._summary.set_options(self._summaries())
        if self._choice.summary == WRITE and not self._has_outline:
            self._has_outline = True
            self._make_outline()
        self._show()

    def _show(self) -> None:
        if not self.is_mounted:
            return
        question, choice = self._question, self._choice
        is_other = choice.agent in question.others
        if is_other and choice.agent not in self._losses:
            self._losses[choice.agent] = ["being counted…"]
            self._find_losses(choice.agent)
        cells = max(20, self.query_one("#runs").content_region.width - _LABEL)
        lost = self._losses.get(choice.agent, ()) if is_other else ()
        lines = [part for line in lost for part in wrap(inert(line), cells)]
        indented = f"\n{' ' * _LABEL}".join(lines)
        self._put("#losses", f"Makes    {indented}" if lines else "")
        self._agent.display = bool(question.others)
        self._folder.display = choice.where == FOLDER
        self._summary.display = self._asks_summary
        self._outline.display = choice.summary == WRITE
        self._instructions.display = choice.summary == COMMAND
        for area in (self._prompt, self._outline):
            area.styles.height = min(MOST_ROWS, max(LEAST_ROWS, area.wrapped_document.height))
        about = [self._note] if self._note else []
        if not question.here.problem:
            about += [f"This session: {reason}" for reason in question.here.plan.asks]
        self._put("#about", "\n".join(map(inert, about)))
        self._put("#prompt-title", f"Prompt   {prompt_note(question, self._now_ms)}")
        folder = tilde(question.here.plan.cwd, self._home)
        lines = [
            f"Runs     {runs(question, choice, folder, cells)}",
            f"Writes   {writes(question, choice, key_of('change.undo'))}",
        ]
        self._put("#runs", "\n".join(lines))
        self._show_keys()

    def _put(self, selector: str, text: str) -> None:
        self.query_one(selector).display = bool(text)
        self.set_text(selector, text)

    def _show_keys(self) -> None:
        leaves = "Esc cancel"
        if self._texts() != self._before:
            leaves = "Esc again cancels" if self._left_at == self._texts() else "Esc Esc cancel"
        does = key_label(self._question, self._where.value)
        self.set_keys(f"Ctrl+S {does}  Ctrl+Y only copy  Tab next  {leaves}")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._changed()

    def on_resize(self) -> None:
        self.call_after_refresh(self._show)

    # keys

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        await self.action_go_on()

    async def action_go_on(self) -> None:
        """Answer with what is chosen, if it is possible."""
        self._changed()
        choice = self._choice
        problem = self._where.why_not
        if choice.where == FOLDER and not problem:
            folder = await asyncio.to_thread(folder_at, self._here, choice.folder, self._home)
            if not folder:
                typed = one_line(choice.folder, 200)
                problem = f"No such folder: {typed}" if typed else "Type the path of a folder"
            choice = choice._replace(folder=folder)
        if problem:
            self._put("#wrong", inert(problem))
        else:
            self.dismiss(choice)

    def action_only_copy(self) -> None:
        """Copy the prompt, or the command if there is none, and change nothing."""
        text = self._prompt.text
        if text.strip():
            self._copy(text, "prompt")
        else:
            option = self._question.here if self._where.value != NEW else self._question.elsewhere
            self._copy(option.plan.shell, "command")
        self.dismiss(None)

    def action_leave(self) -> None:
        """Cancel, if no text was changed or Esc was pressed just before."""
        if self._texts() != self._before and self._left_at != self._texts():
            self._left_at = self._texts()
            self._show_keys()
        else:
            self.dismiss(None)
