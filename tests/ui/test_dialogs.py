"""On small screens, dialogs keep their keys visible and scroll what does not fit."""

from __future__ import annotations

import asyncio
import re
from typing import ClassVar

import pytest
from textual.app import App
from textual.widget import Widget

from app.actions.resume import Plan
from app.commands import COMMANDS
from app.dialogs.compare import CompareDialog
from app.dialogs.help import HelpDialog
from app.dialogs.labels import LabelsDialog
from app.dialogs.places import ARCHIVE, PlaceDialog
from app.dialogs.questions import (
    FolderDialog,
    ResumeDialog,
    Standing,
    WaitDialog,
)
from app.dialogs.session_facts import ProblemsDialog
from app.setup import Setup
from app.theme import styles_folder, themes
from app.view.problems import TreeProblem
from tests.factory import make_row

LONG = "words that say at length what is the matter, " * 4


def _resume():
    plan = Plan(["pi", "--session", LONG], "/gone/folder", {}, None, None, elsewhere="fork")
    return ResumeDialog(LONG, Standing("/store/s.jsonl", plan, "~/gone/folder", LONG))


def _labels():
    rows = [make_row(f"s{number}", labels=(("e", f"label {number}"),)) for number in range(30)]
    return LabelsDialog(rows, "", 0)


def _archive():
    setup = Setup(env={}, home="/nowhere", here=(), stores=[], cache_folder="/nowhere")
    return PlaceDialog(ARCHIVE, setup)


DIALOGS = {
    "resume": (_resume, "r resume anyway f fork into another folder and resume there"),
    "folder": (lambda: FolderDialog("/work", "/home"), "Enter select Esc cancel"),
    "help": (
        lambda: HelpDialog({"Sessions": LONG}, COMMANDS, lambda command: command.help),
        "j k g G scroll",
    ),
    "wait": (lambda: WaitDialog(LONG), "Esc cancel"),
    "archive": (_archive, "Esc close"),
    "labels": (_labels, "Enter go"),
    "problems": (lambda: ProblemsDialog([TreeProblem(3, 0, LONG, None)] * 30), "Enter go Esc close"),
    "compare": (lambda: CompareDialog(lambda at: asyncio.Event().wait()), "Reading…"),
}


class Around(App):
    """An app that shows only a dialog."""

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
@pytest.mark.parametrize("name", DIALOGS)
async def test_the_keys_of_a_dialog_are_visible(size, name):
    make, keys = DIALOGS[name]
    app = Around(make())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if name == "archive":
            for _ in range(200):
                if "Reading…" not in "".join(app.lines()):
                    break
                await pilot.pause(0.01)
        words = " ".join("".join(app.lines()).replace("│", " ").split())
        assert keys in words
        assert re.search(r"Esc (close|cancel) ─", words), "the key that closes it is whole"
        assert "╰" in words, "nothing is cut off below"


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 45)], ids=str)
@pytest.mark.parametrize("name", sorted(DIALOGS.keys() - {"archive"}))
async def test_a_dialog_has_its_final_size_at_once(size, name, monkeypatch):
    """The archive is left out, because it first says that it is being read."""
    sizes = {}
    real_size_updated = Widget._size_updated

    def note_and_update(widget, size, *arguments, **options):
        if widget.has_class("dialog") or (widget.parent is not None and widget.parent.has_class("body")):
            sizes.setdefault(widget, []).append(size)
        return real_size_updated(widget, size, *arguments, **options)

    monkeypatch.setattr(Widget, "_size_updated", note_and_update)
    make, _ = DIALOGS[name]
    app = Around(make())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert sizes
        assert all(len(set(widget_sizes)) == 1 for widget_sizes in sizes.values()), sizes


async def test_a_long_dialog_scrolls():
    app = Around(_resume())
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        assert "pi --session" not in "\n".join(app.lines())
        await pilot.press("end")
        body = app.screen.query_one(".body")
        for _ in range(100):
            await pilot.pause(0.02)
            if body.scroll_offset.y:
                break
        assert body.scroll_offset.y == body.max_scroll_y > 0


@pytest.mark.parametrize("key", ["", "question_mark"])
async def test_a_wait_that_ends_before_it_has_the_keys_closes_only_its_own_dialog(browser, key):
    async with browser() as ui:
        below, dialog = ui.screen, WaitDialog("a command runs")
        if key:
            ui.app.push_screen(dialog)
            await ui.until(lambda: ui.screen is dialog, "the dialog")
            await ui.press(key)
            await ui.until(lambda: ui.is_in("Help"), "the help")
        dialog.end("the summary")
        if key:
            assert ui.is_in("Help")
            await ui.press("escape")
        else:
            ui.app.push_screen(dialog)
        await ui.until(lambda: ui.app.screen_stack[-1] is below, "the dialog closed")
