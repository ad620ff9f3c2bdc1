"""Tags and notes on screen."""

from __future__ import annotations

import pytest

from app.stores import Tagging, read_taggings
from tests.ui.conftest import WAYS


def tagging(folder, id):
    return read_taggings(str(folder / "state")).get(("pi", id), Tagging())


async def open_tags(ui, id=""):
    if id:
        ui.sessions.go_to(str(ui.path(id)))
    await ui.press("number_sign")
    await ui.until(lambda: ui.is_in("Tags"), "the dialog")


@pytest.mark.parametrize("way", WAYS)
async def test_tags_and_a_note_are_edited_shown_found_and_undone(browser, three, way):
    async with browser(size=(160, 40), **way) as ui:
        await ui.press(*(["shift+tab"] if way else []))
        await open_tags(ui, "plain")
        ui.app.focused.value = "#client-x urgent"
        await ui.press("tab", *"ask Ada", "enter")
        await ui.until(lambda: "#client-x #urgent" in ui.text(), "the tags in the row")
        await ui.until(lambda: tagging(three, "plain") == Tagging(("client-x", "urgent"), "ask Ada"), "both")
        await open_tags(ui)
        assert "ask Ada" in ui.text()
        await ui.press("escape")
        # the note is found, and the tag completed
        await ui.press("slash", *"ask ada")
        await ui.until(lambda: ui.listed()[-1:] == ["plain"] and "branchy" not in ui.listed(), "the note")
        await ui.press("escape")
        if not ui.box.has_focus:
            await ui.press("slash")
        await ui.press(*"tag:cl")
        await ui.until(lambda: ui.listed()[-1:] == ["plain"] and "branchy" not in ui.listed(), "the tag")
        await ui.until(lambda: ui.screen.sessions_pane.completion.state, "the completion")
        await ui.press("tab")
        assert ui.box.value.startswith("tag:client-x")
        while ui.box.value:
            await ui.press("escape")
        await ui.until(lambda: "branchy" in ui.listed(), "all sessions")
        undo = "ctrl+underscore" if ui.box.has_focus else "z"
        await ui.press(undo)
        await ui.until(lambda: tagging(three, "plain").note == "", "the undo of the note")
        await ui.press(undo)
        await ui.until(lambda: "#client-x" not in ui.text(), "the undo of the tags")
        assert tagging(three, "plain") == Tagging()


async def test_marked_sessions_are_tagged_together_and_keep_their_own_tags(browser, three):
    async with browser(size=(160, 40)) as ui:
        await open_tags(ui, "plain")
        await ui.press(*"own", "enter")
        await ui.until(lambda: tagging(three, "plain").tags == ("own",), "its tag")
        await ui.press("asterisk")
        await open_tags(ui)
        assert "note" not in ui.text().lower()
        await ui.press(*"both", "enter")
        await ui.until(lambda: tagging(three, "branchy").tags == ("both",), "the tag")
        await ui.until(lambda: tagging(three, "plain").tags == ("own", "both"), "the tag")
        await ui.until(lambda: any("Tagged 3 sessions" in toast for toast in ui.toasts()), "the word")
        await ui.press("z")
        await ui.until(lambda: tagging(three, "plain").tags == ("own",), "the undo")
        assert tagging(three, "branchy").tags == ()


async def test_a_text_that_is_no_tag_is_explained_and_nothing_is_lost(browser, three):
    async with browser() as ui:
        await open_tags(ui, "plain")
        await ui.press(*"a:b", "enter")
        assert "a:b: a tag has letters, digits and - _ . / only, not ':'" in ui.text()
        assert ui.is_in("Tags")
        await ui.press("backspace", "backspace", "enter")
        await ui.until(lambda: tagging(three, "plain").tags == ("a",), "the tag")


async def test_tags_that_cannot_be_written_are_one_message_and_stay_as_they_were(browser, three):
    async with browser() as ui:
        await open_tags(ui, "plain")
        await ui.press(*"kept", "enter")
        await ui.until(lambda: tagging(three, "plain").tags == ("kept",), "the tag")
        await ui.until(ui.toasts, "the word")
        shown = len(ui.toasts())
        (three / "state/tags.json.lock").unlink(missing_ok=True)
        (three / "state/tags.json.lock").mkdir()
        await open_tags(ui)
        await ui.press(*"other", "enter")
        await ui.until(lambda: len(ui.toasts()) > shown, "why not")
        (toast,) = ui.toasts()[shown:]
        assert toast.startswith("Not tagged: ")
        assert "\n" not in toast
        assert tagging(three, "plain").tags == ("kept",)


@pytest.mark.parametrize("size", [(40, 15), (20, 5)])
async def test_the_dialog_on_small_screens_and_after_a_paste(browser, three, size):
    from textual.events import Paste

    async with browser(size=size) as ui:
        await open_tags(ui, "plain")
        ui.app.focused.post_message(Paste("one\ntwo\x1b[31m\n"))
        await ui.press("enter")
        assert ui.is_in("Tags"), "an escape character is in no tag"
        await ui.pilot.resize_terminal(80, 24)
        await ui.press("escape")
        assert tagging(three, "plain") == Tagging()
