"""The summary of the branch that is left behind: none, one that the user writes, or one of the user's
command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.text import one_line
from app.screens.choices import Choice, ChoiceDialog, TextDialog, WaitDialog

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.go_on import Question
    from app.messages.acting import SummaryMade
    from app.screens.sessions_screen import SessionsScreen
    from app.services.branch_jobs import BranchJobs


class Summarising:
    """Asks on behalf of the browser.

    :param going: is asked for outlines and summaries; the screen hands on what it answers.
    :param decided: gets the summary, "" for none, unless the user gives up.
    """

    def __init__(self, screen: SessionsScreen, going: BranchJobs, decided: Callable[[str], None]) -> None:
        self._screen = screen
        self._going = going
        self._decided = decided
        self._question: Question | None = None
        self._cwd = ""
        self._waits: WaitDialog | None = None

    def ask(self, question: Question, cwd: str) -> None:
        """Ask which summary there is to be of what `question` would leave.

        :param cwd: the session's working folder, in which the command runs.
        """
        self._question, self._cwd = question, cwd
        command = self._screen.settings.summary_command
        choices = [
            Choice("none", "n", "No summary of the branch that is left"),
            Choice("write", "w", "Write one; an outline is prepared"),
            Choice(
                "command",
                "c",
                "Have one made by your command",
                why_not="" if command else "no summary_command is set in config.toml",
                command=command,
            ),
        ]

        def chosen(answer: str | None) -> None:
            if answer == "none":
                self._decided("")
            elif answer == "write":
                self._going.outline(question)
            elif answer == "command":
                self._wait(question)

        self._screen.app.push_screen(ChoiceDialog("what is left behind", [], choices), chosen)

    def outlined(self, text: str) -> None:
        """The outline is there: let the user make a summary of it."""
        self._edit(text)

    def _wait(self, question: Question) -> None:
        command = self._screen.settings.summary_command
        self._going.summarise(question, command, self._cwd)
        self._waits = WaitDialog("summary", f"{one_line(' '.join(command), 200)} writes the summary…")

        def given_up(_: None) -> None:
            if self._waits is not None:
                self._waits = None
                self._going.cancel()

        self._screen.app.push_screen(self._waits, given_up)

    def made(self, event: SummaryMade) -> None:
        """The command is done."""
        waits, self._waits = self._waits, None
        if waits is None:
            return
        waits.dismiss(None)
        if event.reason:
            assert self._question is not None
            self._screen.complain(event.reason)
            self.ask(self._question, self._cwd)
        else:
            self._edit(event.text)

    def _edit(self, text: str) -> None:
        def edited(summary: str | None) -> None:
            if summary is not None:
                self._decided(summary)

        self._screen.app.push_screen(
            TextDialog("summary of the branch that is left", text, "goes on"), edited
        )
