"""Where it is said what was done."""

from __future__ import annotations

import pytest
from textual.widgets._toast import Toast, ToastRack


def bars(it):
    """The line that says how the session is resumed, and the keys."""
    return it.text().splitlines()[-2:]


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40), (160, 45)])
@pytest.mark.parametrize("selector", [None, ""])
async def test_a_toast_covers_neither_the_command_nor_the_keys(browser, three, size, selector):
    async with browser(size=size, notifications=True, selector=selector) as it:
        before = bars(it)
        await it.press("ctrl+y")
        await it.until(lambda: it.screen.query(Toast), "a toast")
        await it.press("z" if selector is None else "ctrl+z")
        await it.until(lambda: len(it.screen.query(Toast)) > 1, "another")
        assert "Command copied" in it.text()
        assert bars(it) == before
        assert max(toast.region.bottom for toast in it.screen.query(Toast)) == size[1] - 2


async def test_more_toasts_than_there_is_room_for(browser, three):
    async with browser(size=(80, 12), notifications=True) as it:
        before = bars(it)
        for number in range(9):
            it.screen.notify(f"toast {number}", markup=False)
        await it.until(lambda: len(it.screen.query(Toast)) == 9, "the toasts")
        assert "toast 8" in it.text()
        assert bars(it) == before


@pytest.mark.parametrize("selector", [None, ""])
async def test_all_that_is_wrong_in_the_settings_can_be_read(browser, three, tmp_path, selector):
    (tmp_path / "config").mkdir()
    wrong = ["ascii = 1", "ask_before_trash = 2", "images = 3", "summary_command = 4", "a = 5", "b = 6"]
    keys = ['"session.pin" = 7', '"session.new" = 8']
    (tmp_path / "config" / "config.toml").write_text("\n".join([*wrong, "[keys]", *keys]))
    async with browser(size=(80, 24), notifications=True, selector=selector) as it:
        before = bars(it)
        await it.until(lambda: it.screen.query(Toast), "a toast")
        [toast] = it.screen.query(Toast)
        assert toast.region.y >= 0
        lines = [line[toast.region.x : toast.region.right] for line in it.text().splitlines()]
        # what stands in the toast; the path of the file may break it anywhere
        said = " ".join("".join(lines[toast.region.y : toast.region.bottom]).replace("▌", " ").split())
        named = [line.split(" ")[0].strip('"') for line in wrong + keys]
        assert [name for name in named if f"{name}: " not in said] == []
        assert "config.tomlhas8faults" in "".join(said.split())
        assert bars(it) == before


@pytest.mark.parametrize("size", [(60, 14), (80, 24), (120, 40)])
@pytest.mark.parametrize("count", [1, 9])
async def test_toasts_do_not_cover_the_help(browser, three, size, count):
    async with browser(size=size, notifications=True) as it:
        await it.press("question_mark")
        for number in range(count):
            it.screen.notify(f"toast {number}", markup=False)
        await it.until(lambda: f"toast {count - 1}" in it.text(), "the toasts")
        box = it.screen.query_one(".dialog").region
        assert box.y >= 0
        assert box.height >= size[1] // 2
        assert "Sessions" in it.text()
        assert "Esc back" in it.text()
        assert box.bottom <= it.screen.query_one(ToastRack).region.y
        [at] = [at for at, line in enumerate(it.text().splitlines()) if f"toast {count - 1}" in line]
        assert at > box.bottom


async def test_while_a_row_is_asked_about_toasts_leave_the_keys_in_sight(browser, three):
    async with browser(size=(80, 24), notifications=True) as it:
        await it.press("ctrl+d")
        before = bars(it)
        it.screen.notify("toast", markup=False)
        await it.until(lambda: it.screen.query(Toast), "the toast")
        assert bars(it) == before
