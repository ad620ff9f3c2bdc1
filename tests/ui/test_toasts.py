"""Toasts: their place on the screen, and the unexpected errors that they show."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast, ToastRack


def bars(ui):
    """The resume bar and the footer."""
    return ui.text().splitlines()[-2:]


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (160, 45)])
@pytest.mark.parametrize("selector", [None, ""])
async def test_a_toast_covers_neither_the_command_nor_the_keys(browser, three, size, selector):
    async with browser(size=size, notifications=True, selector=selector) as ui:
        before = bars(ui)
        await ui.press("ctrl+y")
        await ui.until(lambda: ui.screen.query(Toast), "a toast")
        await ui.press("z" if selector is None else "ctrl+underscore")
        await ui.until(lambda: len(ui.screen.query(Toast)) > 1, "another")
        assert "Command copied" in ui.text()
        assert bars(ui) == before
        assert max(toast.region.bottom for toast in ui.screen.query(Toast)) == size[1] - 2


async def test_more_toasts_than_fit(browser, three):
    async with browser(size=(80, 12), notifications=True) as ui:
        before = bars(ui)
        for number in range(9):
            ui.screen.notify(f"toast {number}", markup=False)
        await ui.until(lambda: len(ui.screen.query(Toast)) == 9, "the toasts")
        assert "toast 8" in ui.text()
        assert bars(ui) == before


@pytest.mark.parametrize("selector", [None, ""])
async def test_all_problems_of_the_settings_are_readable(browser, three, tmp_path, selector):
    (tmp_path / "config").mkdir()
    wrong = ["ascii = 1", "ask_before_trash = 2", "images = 3", "summary_command = 4", "a = 5", "b = 6"]
    keys = ['"session.pin" = 7', '"session.new" = 8']
    (tmp_path / "config" / "config.toml").write_text("\n".join([*wrong, "[keys]", *keys]))
    async with browser(size=(80, 24), notifications=True, selector=selector) as ui:
        before = bars(ui)
        await ui.until(lambda: ui.screen.query(Toast), "a toast")
        [toast] = ui.screen.query(Toast)
        assert toast.region.y >= 0
        lines = [line[toast.region.x : toast.region.right] for line in ui.text().splitlines()]
        # the text of the toast; the path of the file may be wrapped anywhere
        text = " ".join("".join(lines[toast.region.y : toast.region.bottom]).replace("▌", " ").split())
        named = [line.split(" ")[0].strip('"') for line in wrong + keys]
        assert [name for name in named if f"{name}: " not in text] == []
        assert "config.tomlhas8problems" in "".join(text.split())
        assert bars(ui) == before


@pytest.mark.parametrize("size", [(60, 14), (80, 24), (120, 40)])
@pytest.mark.parametrize("count", [1, 9])
async def test_toasts_do_not_cover_the_help(browser, three, size, count):
    async with browser(size=size, notifications=True) as ui:
        await ui.press("question_mark")
        for number in range(count):
            ui.screen.notify(f"toast {number}", markup=False)
        await ui.until(lambda: f"toast {count - 1}" in ui.text(), "the toasts")
        box = ui.screen.query_one(".dialog").region
        assert box.y >= 0
        assert box.height >= size[1] // 2
        assert "Sessions" in ui.text()
        assert "Esc close" in ui.text()
        assert box.bottom <= ui.screen.query_one(ToastRack).region.y
        [number_of_line] = [
            number_of_line
            for number_of_line, line in enumerate(ui.text().splitlines())
            if f"toast {count - 1}" in line
        ]
        assert number_of_line > box.bottom


async def test_during_a_question_toasts_leave_the_keys_visible(browser, three):
    async with browser(size=(80, 24), notifications=True) as ui:
        await ui.press("ctrl+d")
        before = bars(ui)
        ui.screen.notify("toast", markup=False)
        await ui.until(lambda: ui.screen.query(Toast), "the toast")
        assert bars(ui) == before


@pytest.mark.parametrize(
    ("broken", "keys"),
    [
        ("app.services.list_facts.all_pins", []),
        ("app.services.entry_reader.document", ["down"]),
        ("app.services.list_facts.archived", ["A"]),
    ],
    ids=["of the screen", "of a pane", "of a dialog"],
)
async def test_an_unexpected_error_of_a_service_is_shown(browser, three, monkeypatch, broken, keys):
    def fail(*arguments):
        raise ValueError("broken\n\x1b[31m")

    monkeypatch.setattr(broken, fail)
    async with browser(settle=False) as ui:
        await ui.until(lambda: ui.sessions.row is not None, "the list")
        await ui.press(*keys)
        await ui.until(lambda: ui.toasts(), "the toast")
        assert ui.toasts()[0].startswith("ValueError: broken")
        assert "\x1b" not in ui.toasts()[0]
