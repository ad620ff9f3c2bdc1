"""On a small screen the dialogs keep their keys in sight, and what has no room is scrolled."""

from __future__ import annotations

from typing import ClassVar

import pytest
from textual.app import App
from textual.widget import Widget

from app.actions.resume import Plan
from app.commands import COMMANDS
from app.screens.compare_dialog import CompareDialog
from app.screens.dialogs import (
    Choice,
    ChoiceDialog,
    FolderDialog,
    HelpDialog,
    ResumeDialog,
    Standing,
    TextDialog,
    WaitDialog,
)
from app.screens.list_dialogs import ArchiveDialog, LabelsDialog, ProblemsDialog
from app.setup import Setup
from app.theme import styles_folder, themes
from app.view.problems import TreeProblem
from tests.factory import make_row

LONG = "words that say at length what is the matter, " * 4
CHOICES = [
    Choice("new", "n", "Go on in a new session file", command=("pi", "--session", "x")),
    Choice("here", "h", "Go on here", detail="in this session"),
    Choice("there", "f", "Go on in another folder", why_not="there is none"),
]


def _resume():
    plan = Plan([], "/gone/folder", {}, None, None, "pi --session " + LONG, folder_gone=True)
    return ResumeDialog("pi: " + LONG, Standing("/store/s.jsonl", plan, "~/gone/folder", LONG))


def _labels():
    rows = [make_row(f"s{at}", labels=(("e", f"label {at}"),)) for at in range(30)]
    return LabelsDialog(rows, "", 0)


def _archive():
    setup = Setup(env={}, home="/nowhere", here=(), stores=[], cache_folder="/nowhere")
    return ArchiveDialog(setup, print)


DIALOGS = {
    "resume": (_resume, "r resume all the same f fork into another folder, and go on there c copy"),
    "folder": (lambda: FolderDialog("folder", "/work", "/home"), "Enter takes it Esc back"),
    "help": (lambda: HelpDialog(LONG, COMMANDS, lambda command: command.help), "↑ ↓ scroll Esc back"),
    "choice": (lambda: ChoiceDialog("go on", [LONG], CHOICES), "Enter takes it Esc back"),
    "text": (lambda: TextDialog("text", LONG, "takes it"), "Ctrl+S takes it Esc cancels"),
    "wait": (lambda: WaitDialog("wait", LONG), "Esc gives it up, nothing is changed"),
    "archive": (_archive, "Esc back"),
    "labels": (_labels, "Enter goes there L changes it Del takes it off Tab this session Esc back"),
    "problems": (lambda: ProblemsDialog([TreeProblem(3, 0, LONG, None)] * 30), "Enter goes there Esc back"),
    "compare": (lambda: CompareDialog(lambda at: None), "reading…"),
}


class Around(App):
    """Shows a dialog and nothing else."""

    CSS_PATH: ClassVar = [styles_folder() / "app.tcss", styles_folder() / "dialogs.tcss"]

    def __init__(self, dialog):
        super().__init__()
        self.dialog = dialog
        for theme in themes():
            self.register_theme(theme)
        self.theme = "leafmark-dark"

    def on_mount(self):
        self.push_screen(self.dialog)

    def lines(self):
        strips = self.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in strips]


@pytest.mark.parametrize("size", [(40, 10), (60, 12), (80, 24)], ids=str)
@pytest.mark.parametrize("which", DIALOGS)
async def test_the_keys_of_a_dialog_are_in_sight(size, which):
    make, keys = DIALOGS[which]
    app = Around(make())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if which == "archive":
            for _ in range(200):
                if "looking…" not in "".join(app.lines()):
                    break
                await pilot.pause(0.01)
        said = " ".join("".join(app.lines()).replace("│", " ").split())
        assert keys in said
        assert "╰" in said, "nothing is cut off below"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 45)], ids=str)
@pytest.mark.parametrize("which", sorted(DIALOGS.keys() - {"archive"}))
async def test_a_dialog_comes_whole(size, which, monkeypatch):
    """The archive tells first that it is looked through."""
    sizes = {}
    really = Widget._size_updated

    def noted(widget, size, *more, **named):
        if widget.has_class("dialog") or (widget.parent is not None and widget.parent.has_class("body")):
            sizes.setdefault(widget, []).append(size)
        return really(widget, size, *more, **named)

    monkeypatch.setattr(Widget, "_size_updated", noted)
    make, _ = DIALOGS[which]
    app = Around(make())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert sizes
        assert all(len(set(seen)) == 1 for seen in sizes.values()), sizes


async def test_the_answer_under_the_cursor_is_scrolled_into_sight():
    app = Around(ChoiceDialog("go on", [LONG], CHOICES))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert "words that say" in app.lines()[1]
        await pilot.press("down", "down")
        await pilot.pause()
        text = "\n".join(app.lines())
        assert "❯ f  Go on in another folder" in text
        assert "there is none" in text


async def test_what_a_dialog_has_no_room_for_is_scrolled():
    app = Around(_resume())
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert "pi --session" not in "\n".join(app.lines())
        await pilot.press("end")
        await pilot.pause()
        body = app.screen.query_one(".body")
        assert body.scroll_offset.y == body.max_scroll_y > 0
