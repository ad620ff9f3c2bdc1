"""Objects that controllers get in place of a screen, its panes and its services."""

from __future__ import annotations

import asyncio
from collections import deque
from types import SimpleNamespace

from textual.geometry import Region

from app.actions.resume import Plan
from app.setup import Setup
from app.view.preset import BROWSER
from tests.factory import NOW


def make_setup(**fields):
    """A setup without stores."""
    values = {"env": {}, "home": "/home/me", "here": ("/p1",), "stores": [], "cache_folder": "/cache"}
    return Setup(**values | {"clock": lambda: NOW * 1_000_000} | fields)


def make_plan(row, problem=None, **fields):
    """A plan that resumes the session of `row`."""
    argv = [row.agent, "--session", row.path]
    return Plan(argv, row.cwd, {}, f"/bin/{row.agent}", problem, **fields)


class FakeHost:
    """Answers dialogs with `answers`, in their order; an answer that is a function gets the dialog.

    dialogs   the dialogs that were opened
    plan      the plan with which leafmark ended
    """

    width = 120
    is_mounted = True

    def __init__(self, *answers):
        self.answers = deque(answers)
        self.dialogs = []
        self.timers = []
        self.plan = None
        self.is_active = True
        self._tasks = deque()

    def start(self, coroutine):
        self._tasks.append(asyncio.ensure_future(coroutine))

    async def open(self, dialog):
        self.dialogs.append(dialog)
        answer = self.answers.popleft()
        result = answer(dialog) if callable(answer) else answer
        return await result if asyncio.iscoroutine(result) else result

    def show(self, dialog, closed=None):
        self.dialogs.append(dialog)

    def set_timer(self, seconds, call):
        self.timers.append(call)
        return SimpleNamespace(stop=lambda: None)

    def exit(self, plan):
        self.plan = plan

    async def finish(self):
        """Wait until all coroutines have ended."""
        while self._tasks:
            await self._tasks.popleft()


class FakeStatusMessages:
    """Keeps the texts."""

    def __init__(self):
        self.shown, self.warnings, self.errors, self.copies = [], [], [], []

    def show(self, text):
        self.shown.append(text)

    def warn(self, text, seconds=0):
        self.warnings.append(text)

    def complain(self, text):
        self.errors.append(text)

    def copy(self, text, what="", title=""):
        self.copies.append(text)

    def show_done(self, message, *, is_undo):
        if message("z"):
            self.shown.append(message("z"))


class FakePrompt:
    """Answers questions with `answers`, and finds the sessions of a selection where they are.

    asked   the texts of the questions
    """

    def __init__(self, *answers):
        self.answers = deque(answers)
        self.asked = []
        self.renewed = asyncio.Event()

    def renew(self):
        self.renewed.set()

    async def confirm(self, question, about=None):
        self.asked.append(question.text(80))
        return self.answers.popleft()

    async def ask(self, question):
        self.asked.append(question.text(80))
        return self.answers.popleft()

    async def edit(self, edit, rows, selection):
        self.asked.append(edit.question(80))
        return self.answers.popleft()

    async def rows_of(self, selection, *, lost=""):
        return selection.rows()

    def bar(self, cells):
        return None


class FakeList:
    """The list of a pane: the cursor is on the first session of its model, or on the head of `project`.

    calls   the methods that were called, with their arguments
    """

    def __init__(self, model):
        self.model = model
        self.states = {}
        self.notice = []
        self.when_laid_out = None
        self.scrollable_content_region = Region(0, 0, 100, 20)
        self.group = self.project = None
        self.calls = []

    @property
    def row(self):
        rows = self.model.rows()
        return rows[0] if rows and self.project is None else None

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments))

    def apply(self, changed, removed):
        self.model.apply(changed, removed)

    def set_states(self, states):
        self.states = dict(states)

    def toggle_mark(self, path):
        self.model.toggle_mark(path)

    def row_region(self, path):
        return Region(0, 1, 100, 1)


class FakePane:
    """The sessions' pane: its search has always answered."""

    preset = BROWSER
    is_alone = False
    marked = ()
    is_answered = scanned = True

    def __init__(self, model):
        self.model = model
        self.list = FakeList(model)
        self.box = SimpleNamespace(value="", has_focus=False)
        self.completion = SimpleNamespace(state="")
        self.calls = []
        self._waiting = None

    def once_known(self, action, is_ready=lambda row: True):
        self._waiting = action, is_ready
        self.run_waiting()

    def run_waiting(self):
        if self._waiting is not None:
            action, is_ready = self._waiting
            if is_ready(self.list.row):
                self._waiting = None
                action()

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append((name, *arguments))


class Recorder:
    """A service or a controller that only records its calls.

    calls   the methods that were called, with their arguments
    """

    def __init__(self, **attributes):
        self.calls = []
        vars(self).update(attributes)

    def __getattr__(self, name):
        def record(*arguments, **options):
            self.calls.append((name, *arguments, *options.items()))
            return True

        return record

    def names(self):
        return [call[0] for call in self.calls]
