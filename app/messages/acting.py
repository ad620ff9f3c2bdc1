"""What the background tells of what is done: to sessions, to entries, and on the way into a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.actions.compare import Comparison
    from app.actions.earlier import Earlier
    from app.actions.go_on import Question
    from app.actions.resume import Plan
    from app.index.row import Row
    from app.sessions.manager.change import Change
    from app.view.progress import Course


class Outcome(NamedTuple):
    """What became of one session (None: of what is none yet). `change` is None where `error` says why nothing
    was done. `undone` is the change that was, or was to be, undone.
    """

    row: Row | None
    change: Change | None
    error: Exception | None = None
    undone: Change | None = None


class ActionsDone(Message):
    """What became of the sessions that something was done to.

    what       as it was asked for; "undo" for what was taken back, without outcomes when there was nothing
    notes      what the user should know besides; raw
    of         to so many it was to be done, where it was stopped before its end; else 0
    """

    def __init__(self, what: str, outcomes: Sequence[Outcome], notes: Sequence[str], *, of: int = 0) -> None:
        self.what = what
        self.outcomes = outcomes
        self.notes = notes
        self.of = of
        super().__init__()


class ActionsWentOn(Message):
    """Something that is done to many sessions has come further; None: it has ended."""

    def __init__(self, course: Course | None) -> None:
        self.course = course
        super().__init__()


class EarlierFound(Message):
    """Nothing is left of what was done in this run that could be taken back; this was done last before."""

    def __init__(self, earlier: Earlier) -> None:
        self.earlier = earlier
        super().__init__()


class PlanMade(Message):
    """How a session would be resumed."""

    def __init__(self, generation: int, path: str, plan: Plan) -> None:
        self.generation = generation
        self.path = path
        self.plan = plan
        super().__init__()


class PlanReady(Message):
    """What a user has asked for can be gone to: a session that was just made, or a new one. `note` is what to
    know first; raw.
    """

    def __init__(self, plan: Plan, note: str = "") -> None:
        self.plan = plan
        self.note = note
        super().__init__()


class PointsFound(Message):
    """What can be done at an entry of the session of `row`; `reason` where nothing can, raw."""

    def __init__(self, row: Row, question: Question | None, reason: str) -> None:
        self.row = row
        self.question = question
        self.reason = reason
        super().__init__()


class OutlineMade(Message):
    """What is left behind, to write a summary from."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class DraftLeft(Message):
    """A text was left for an agent's editor; ``reason`` says why it was not."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__()


class SummaryMade(Message):
    """What the user's command has written; `reason` where it has not, raw."""

    def __init__(self, text: str, reason: str) -> None:
        self.text = text
        self.reason = reason
        super().__init__()


class BranchesCompared(Message):
    """Two branches since their common entry; the other one is number `at` of `of`. `reason` where there are
    not two, raw.
    """

    def __init__(self, row: Row, comparison: Comparison | None, at: int, of: int, reason: str) -> None:
        self.row = row
        self.comparison = comparison
        self.at = at
        self.of = of
        self.reason = reason
        super().__init__()
