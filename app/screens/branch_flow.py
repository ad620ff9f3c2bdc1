"""Going on from an entry of the tree, question by question: where, with which
text, with which summary of what is left. Nothing is written before the last answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from app.actions import row_actions
from app.dialogs.questions import Choice, ChoiceDialog, FolderDialog, TextDialog, WaitDialog
from app.formats.text import one_line
from app.services.branch_jobs import WHAT
from app.view.selection import StableSelection

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.branch_options import BranchOptions
    from app.index.row import Row
    from app.messages import Outcome, PointsFound, SummaryMade
    from app.screens.picking_screen import PickingScreen
    from app.screens.sessions_screen import SessionsScreen
    from app.services.branch_jobs import BranchJobs

HERE, STAY, ELSEWHERE, OTHER_FOLDER = "here", "stay", "elsewhere", "folder"

_SAFE = {
    "results": "after the results of its tools",
    "before": "after the step before it",
    "prompt": "before its turn, with the prompt to say again",
}


class _Labels(NamedTuple):
    """The labels of the choices: a new file, this session, only the leaf, another folder."""

    file: str
    here: str
    stay: str
    folder: str


_PLAIN = _Labels(
    "Go on in a new session file; this one stays as it is",
    "Go on here, in this session",
    "Put the leaf here, and stay in leafmark",
    "Go on in a new session of another folder",
)
# The labels for an entry with a text name the editing first, since the editor opens next. Each fits 80
# columns.
_EDITING = _Labels(
    "Edit the text and go on in a new session file; this one stays",
    "Edit the text and go on here, in this session",
    "Edit the text, put the leaf here, and stay in leafmark",
    "Edit the text and go on in a new session of another folder",
)


class _Decided(NamedTuple):
    """The action that runs: the session, the question, and its answers."""

    meant: StableSelection
    question: BranchOptions
    way: str
    folder: str | None
    text: str | None
    sends: bool
    summary: str


class GoingOn:
    """Asks on behalf of the browser.

    summary   asks which summary there is to be

    :param screen: asks; its `act` does what was decided.
    :param compare: lays the branch of the entry beside the active path.
    """

    def __init__(self, screen: PickingScreen, going: BranchJobs, compare: Callable[[], None]) -> None:
        self._screen = screen
        self._going = going
        self._compare = compare
        self.summary = Summarising(screen, going, self._act)
        self._meant: StableSelection | None = None
        self._entry_id = ""
        # the first dialog while it is open, and the path of the session for which its choices were found
        self._asks: ChoiceDialog | None = None
        self._asked_at = ""
        self._question: BranchOptions | None = None
        self._way = ""
        self._text: str | None = None
        self._sends = False
        self._folder: str | None = None
        self._decided: _Decided | None = None

    def begin(self, row: Row, entry_id: str) -> None:
        """Find out what can be done at an entry of the session of `row`."""
        self._meant, self._entry_id = StableSelection(self._screen.model, [row]), entry_id
        self._find_out(row)

    def look_again(self) -> None:
        """Sessions have changed: what is asked says where this one is."""
        there = self._meant.row if self._meant is not None and self._asks is not None else None
        if there is not None and there.path != self._asked_at:
            self._find_out(there)

    def _find_out(self, row: Row) -> None:
        self._asked_at = row.path
        self._going.find_points(row, self._entry_id)

    # the destination

    def found(self, event: PointsFound) -> None:
        """Show the choices, unless the user has gone on to something else."""
        screen, question = self._screen, event.question
        if self._meant is None or event.row.path != self._asked_at:
            return
        if self._asks is not None:
            if question is not None:
                self._question = question
                self._asks.tell(*_ways(question))
            return
        if not screen.is_active:
            return
        there = self._meant.row
        if there is not None and there.path != event.row.path:
            # it was moved meanwhile
            self._find_out(there)
            return
        if question is None:
            screen.complain(event.reason)
        elif question.waiting:
            self._offer_safe(self._meant, question)
        elif question.same:
            screen.notify("Already at this point", markup=False)
        else:
            self._offer(question)

    def _offer_safe(self, meant: StableSelection, question: BranchOptions) -> None:
        tools = ", ".join(list(dict.fromkeys(question.waiting))[:3])
        choices = [
            Choice(point.entry_id, str(number), f"{_SAFE[point.kind]}")
            for number, point in enumerate(question.safe[:9], 1)
        ]

        def chosen(entry_id: str | None) -> None:
            if entry_id is not None:
                self._screen.once_there(meant, lambda rows: self.begin(rows[0], entry_id))

        said = [f"There the calls of {tools} would have no result: no provider takes such a conversation."]
        if not choices:
            self._screen.complain(said[0])
            return
        self._screen.app.push_screen(ChoiceDialog("go on", said, choices), chosen)

    def _offer(self, question: BranchOptions) -> None:
        self._question = question
        self._asks = ChoiceDialog("go on from this entry", *_ways(question))
        self._screen.app.push_screen(self._asks, self._chosen)

    def _chosen(self, answer: str | None) -> None:
        self._asks = None
        self._way, self._text, self._sends, self._folder = answer or "", None, False, None
        if answer == "compare":
            self._compare()
        elif answer == OTHER_FOLDER:
            setup = self._screen.setup
            self._screen.app.push_screen(
                FolderDialog("the new session's folder", setup.here[0], setup.home), self._folder_chosen
            )
        elif answer in (HERE, STAY, ELSEWHERE):
            self._ask_text()

    def _folder_chosen(self, folder: str | None) -> None:
        if folder is not None:
            self._folder = folder
            self._ask_text()

    # which text

    def _ask_text(self) -> None:
        question = self._question
        assert question is not None
        if question.target.text is None:
            self._ask_summary()
            return
        does = "puts the leaf here" if self._way == STAY else "goes on"
        takes = f"leaves it in the editor of {question.agent}" if question.takes_draft else "copies it"
        dialog = TextDialog("say it again, in other words", question.target.text, f"{does} and {takes}")
        self._screen.app.push_screen(dialog, self._text_edited)

    def _text_edited(self, text: str | None) -> None:
        question = self._question
        assert question is not None
        if text is None:
            return
        self._text = text
        self._screen.app.copy_to_clipboard(text)
        is_sent_by_hand = question.takes_draft or not question.takes_prompt or self._way == STAY
        if is_sent_by_hand or not text.strip():
            self._ask_summary()
            return
        choices = [
            Choice("no", "k", "Keep it on the clipboard, to be pasted and sent by hand"),
            Choice("send", "s", f"Send it as the first prompt of {question.agent}"),
        ]

        def chosen(answer: str | None) -> None:
            if answer is not None:
                self._sends = answer == "send"
                self._ask_summary()

        self._screen.app.push_screen(ChoiceDialog("the edited text", [], choices), chosen)

    def _ask_summary(self) -> None:
        meant, question = self._meant, self._question
        assert meant is not None
        assert question is not None
        if self._way in (HERE, STAY) and question.left:
            self.summary.ask(question, (meant.row or meant.first).cwd)
        else:
            self._act("")

    # doing it

    def _act(self, summary: str) -> None:
        meant, question, way, folder = self._meant, self._question, self._way, self._folder
        assert meant is not None
        assert question is not None
        # another question may be asked before it is done
        decided = _Decided(meant, question, way, folder, self._text, self._sends, summary)
        self._screen.once_there(
            meant, lambda rows: self._do(decided, rows[0]), otherwise=lambda: self._keep(summary)
        )

    def _do(self, decided: _Decided, row: Row) -> None:
        self._decided = decided
        way, folder, summary = decided.way, decided.folder, decided.summary
        # The choices are about entries; the path of the file may have changed since.
        question = replace(decided.question, path=row.path)
        if way in (HERE, STAY):
            is_draft = question.takes_draft and not (way == HERE and decided.sends)
            draft = (decided.text or "") if is_draft else ""
            self._screen.act(
                WHAT,
                [row],
                lambda *about: row_actions.branch_in_place(
                    *about, question=question, summary=summary, draft=draft
                ),
            )
        else:
            self._screen.act(
                WHAT,
                [row],
                lambda *about: row_actions.branch_to_new_file(*about, question=question, to=folder),
            )

    def done(self, outcome: Outcome) -> None:
        """The leaf has moved, or the new session is there: go on, unless the user wanted to stay."""
        decided, self._decided = self._decided, None
        change = outcome.change
        if decided is None:
            return
        if change is None:
            self._keep(decided.summary)
        if change is None:
            return
        if decided.way == STAY:
            self._leave(decided)
            return
        row, is_here = decided.meant.row or decided.meant.first, decided.way == HERE
        path = row.path if is_here else change.after or ""
        session_id = row.id if is_here else change.after_id or ""
        cwd = decided.folder or row.cwd
        self._screen.go_on(row, path, session_id, cwd, decided.text, sends=decided.sends)

    def _leave(self, decided: _Decided) -> None:
        """The leaf has moved and no agent is started: keep the text for the next resume."""
        if not decided.text:
            return
        if decided.question.takes_draft:
            self._going.leave_draft(decided.meant.row or decided.meant.first, decided.text)
        else:
            self._screen.notify("The text is on the clipboard", markup=False)

    def _keep(self, summary: str) -> None:
        """Nothing was written: what the user wrote must not be lost with it."""
        if summary:
            self._screen.app.copy_to_clipboard(summary)
            self._screen.notify("The summary is on the clipboard", markup=False)


def _ways(question: BranchOptions) -> tuple[list[str], list[Choice]]:
    """The messages above the question how to go on, and its choices."""
    here, elsewhere = question.here, question.elsewhere
    labels = _PLAIN if question.target.text is None else _EDITING
    choices = [
        Choice(ELSEWHERE, "n", labels.file, why_not=elsewhere.problem, command=elsewhere.plan.argv),
        Choice(HERE, "h", labels.here, why_not=here.problem, command=here.plan.argv),
        Choice(STAY, "l", labels.stay, _appended(question), here.problem),
        Choice(OTHER_FOLDER, "f", labels.folder, "asks which", elsewhere.problem),
        Choice("compare", "c", "Compare with the active path", "nothing is written"),
        Choice("cancel", "x", "Cancel", "nothing is written"),
    ]
    said = [here.problem] if here.problem and not elsewhere.problem else []
    if not here.problem:
        said += [f"In this session: {reason}" for reason in here.plan.asks]
    if here.plan.problem:
        # the leaf can be moved and a file be made all the same
        said.append(f"The program cannot be started from here: {here.plan.problem}")
    return said, choices


def _appended(question: BranchOptions) -> str:
    """The effect of moving only the leaf."""
    if question.target.text is None:
        return "one appended entry"
    return "one appended entry; the text " + (
        f"waits in the editor of {question.agent}" if question.takes_draft else "is copied"
    )


class Summarising:
    """Asks on behalf of the browser.

    :param going: is asked for outlines and summaries; the screen hands on what it answers.
    :param decided: gets the summary, "" for none, unless the user gives up.
    """

    def __init__(self, screen: SessionsScreen, going: BranchJobs, decided: Callable[[str], None]) -> None:
        self._screen = screen
        self._going = going
        self._decided = decided
        self._question: BranchOptions | None = None
        self._cwd = ""
        self._waits: WaitDialog | None = None

    def ask(self, question: BranchOptions, cwd: str) -> None:
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

    def _wait(self, question: BranchOptions) -> None:
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
