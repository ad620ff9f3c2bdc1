"""On small screens, dialogs keep their keys visible and scroll what does not fit."""

from __future__ import annotations

import re

import pytest
from textual.widget import Widget

from tests.factory import chain, entry, message
from tests.ui.conftest import install, pi_session

FOLDER = "/gone/" + "a folder whose name is far longer than any line of a dialog/" * 3

DIALOGS = {
    "resume": (["enter"], "f fork into another folder and resume there"),
    "folder": (["F"], "Enter select Esc cancel"),
    "help": (["question_mark"], "j k g G scroll"),
    "archive": (["A"], "Esc close"),
    "labels": (["apostrophe"], "Enter go"),
    "settings": (["comma"], "Esc close"),
    "history": (["H"], "Esc close"),
    "problems": (["t", "exclamation_mark"], "Enter go Esc close"),
    "compare": (["t", "C"], "Esc close"),
}
"""Name -> the keys that open the dialog from the list, and keys that it has to show."""


@pytest.fixture
def branched(tmp_path):
    """A session with two branches, many labels and damaged lines, in a folder that is gone."""
    install(tmp_path, "pi")
    lines = chain("fix the login", "read too early", "cache it", "slower", id="branched", cwd=FOLDER)
    lines += [message("e", "00000002", "user", "use redis", 10), message("f", "e", "assistant", "faster", 11)]
    for number in range(15):
        lines.append(entry("label", f"l{number}", "f", 12, targetId="e", label=f"label {number}"))
        lines.append("{ damaged")
    return pi_session(tmp_path, *lines, id="branched")


async def back(ui):
    """Close the dialog, and go to the list."""
    await ui.press("escape")
    assert len(ui.app.screen_stack) == 1
    await ui.press("1")


@pytest.mark.parametrize("size", [(40, 10), (60, 12), (80, 24)], ids=str)
async def test_the_keys_of_a_dialog_are_visible(browser, branched, size):
    async with browser(here=FOLDER, size=size) as ui:
        for name, (opening, keys) in DIALOGS.items():
            await ui.press(*opening)
            await ui.until(lambda: len(ui.app.screen_stack) == 2 and "Reading…" not in ui.text(), name)
            words = " ".join("".join(ui.text().splitlines()).replace("│", " ").split())
            assert keys in words, name
            assert re.search(r"Esc (close|cancel) ─", words), f"the key that closes {name} is whole"
            assert "╰" in words, f"nothing of {name} is cut off below"
            await back(ui)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)], ids=str)
async def test_a_dialog_has_its_final_size_at_once(browser, branched, size, monkeypatch):
    """Dialogs that first say that something is being read are left out."""
    sizes = {}
    real_size_updated = Widget._size_updated

    def note_and_update(widget, size, *arguments, **options):
        if widget.has_class("dialog") or (widget.parent is not None and widget.parent.has_class("body")):
            sizes.setdefault(widget, []).append(size)
        return real_size_updated(widget, size, *arguments, **options)

    monkeypatch.setattr(Widget, "_size_updated", note_and_update)
    async with browser(here=FOLDER, size=size) as ui:
        for name in ("resume", "folder", "help", "labels", "problems"):
            sizes.clear()
            await ui.press(*DIALOGS[name][0])
            assert sizes, name
            assert all(len(set(widget_sizes)) == 1 for widget_sizes in sizes.values()), (name, sizes)
            await back(ui)


async def test_a_long_dialog_scrolls(browser, branched):
    async with browser(here=FOLDER, size=(40, 10)) as ui:
        await ui.press("enter")
        assert "pi --session" not in ui.text()
        await ui.press("end")
        body = ui.screen.query_one(".body")
        await ui.until(lambda: body.scroll_offset.y == body.max_scroll_y > 0, "the end")
