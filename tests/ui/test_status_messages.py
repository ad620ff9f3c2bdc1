"""The messages in the status line, and the unexpected errors that they show."""

from __future__ import annotations

import pytest

from app.view.status_messages import message


def status(ui):
    """The status line."""
    return ui.text().splitlines()[-2].strip()


@pytest.mark.parametrize(("size", "selector"), [((60, 20), None), ((120, 40), "")])
async def test_a_message_stands_in_the_status_line_until_a_key(browser, three, size, selector):
    async with browser(size=size, selector=selector) as ui:
        await ui.until(lambda: "other branch" in ui.text(), "the branches in the preview")
        before = ui.text().splitlines()
        await ui.press("ctrl+y")
        assert status(ui) == '✓ Copied the command of "Refactor auth"'
        assert ui.text().splitlines()[:-2] == before[:-2], "nothing is covered"
        await ui.press("f1", "escape")
        assert status(ui) == before[-2].strip()


async def test_a_message_ends_after_its_time_and_lets_the_next_come(browser, three):
    async with browser() as ui:
        before = status(ui)
        ui.app.show_message(message("first", seconds=0.01))
        ui.app.show_message(message("second", seconds=0.01))
        assert ui.toasts() == ["first", "second"]
        await ui.until(lambda: ui.app.messages.current is None, "their end")
        assert status(ui) == before


async def test_a_message_waits_while_a_question_has_the_line(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+d")
        ui.app.show_message(message("later", seconds=600))
        await ui.press("x")
        assert "Trash" in status(ui)
        await ui.press("escape")
        assert status(ui) == "later"


async def test_in_a_dialog_a_message_stands_in_its_lower_frame(browser, three):
    async with browser() as ui:
        await ui.press("f1")
        before = ui.text()
        ui.app.show_message(message("something", seconds=9))
        await ui.until(lambda: "something" in ui.text(), "the message")
        await ui.press("j")
        assert "Esc close" in ui.text()
        assert "something" not in ui.text()
        assert before.splitlines()[-1] == ui.text().splitlines()[-1]


async def test_the_problems_of_the_settings_are_shown_one_by_one(browser, three, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "config.toml").write_text("ascii = 1\nimages = 3\n")
    async with browser(size=(80, 24)) as ui:
        await ui.until(ui.toasts, "the first")
        assert status(ui) == "! config.toml: ascii: must be true or false (problem 1 of 2)"
        await ui.press("down")
        assert status(ui).startswith("! config.toml: images: ")


async def test_ctrl_z_says_why_it_cannot_suspend(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+z")
        assert status(ui).startswith("! Not suspended: ")


@pytest.mark.parametrize(
    ("broken", "keys"),
    [
        ("app.services.list_facts.all_pins", []),
        ("app.services.entry_reader.document", ["t", "i"]),
        ("app.services.places.archived", ["A"]),
    ],
    ids=["of the screen", "of an entry", "of a dialog"],
)
async def test_an_unexpected_error_of_a_service_is_shown(browser, three, monkeypatch, broken, keys):
    def fail(*arguments, **named):
        raise ValueError("broken\n\x1b[31m")

    monkeypatch.setattr(broken, fail)
    async with browser(settle=False) as ui:
        await ui.until(lambda: ui.sessions.row is not None, "the list")
        if keys:
            await ui.settled()
        await ui.press(*keys)
        await ui.until(lambda: ui.toasts(), "the message")
        assert ui.toasts()[0].startswith("ValueError: broken")
        assert "\x1b" not in ui.toasts()[0]
