"""The settings screen: values, choices, edits, and what it writes."""

from __future__ import annotations

import tomllib

import pytest

from app.dialogs.setting_rows import setting_line, setting_rows
from app.dialogs.settings import SettingsDialog
from app.settings import SETTINGS, Settings, default_file
from app.settings_writer import read_values
from app.stores import AGENTS
from app.view.line import line_width

NAMES = [agent.name for agent in AGENTS]


@pytest.fixture
def config(tmp_path):
    folder = tmp_path / "config"
    folder.mkdir(exist_ok=True)
    return folder / "config.toml"


def said(ui):
    return str(ui.screen.query_one("#settings-said").content)


async def go_to(ui, name):
    await ui.until(lambda: ui.screen._list.items, "the settings")
    names = [row.name for row in ui.screen._list.items]
    await ui.press("home", *["down"] * names.index(name))


async def test_a_choice_is_written_and_counts_at_once(browser, three, config):
    config.write_text('# mine\nimages = "off"  # slow terminal\n[keys]\n"app.quit" = "ctrl+q"\n')
    async with browser() as ui:
        await ui.press("comma")
        assert isinstance(ui.screen, SettingsDialog)
        await go_to(ui, "ask_before_trash")
        assert "Undo restores it in any case." in said(ui)
        await ui.press("enter")
        await ui.until(lambda: "false" in config.read_text(), "the change")
        text = config.read_text()
        assert tomllib.loads(text) == {
            "images": "off",
            "ask_before_trash": False,
            "keys": {"app.quit": "ctrl+q"},
        }
        assert text.startswith('# mine\nimages = "off"  # slow terminal\n')
        await ui.until(lambda: not ui.app._settings.ask_before_trash, "the change on the screen")
        await ui.press("delete")
        await ui.until(lambda: "ask_before_trash" not in config.read_text(), "the default")
        await ui.until(lambda: ui.app._settings.ask_before_trash, "the default on the screen")
        await ui.press("escape")
        assert not isinstance(ui.screen, SettingsDialog)


async def test_folders_of_an_agent_are_edited_in_the_line(browser, three, config):
    async with browser() as ui:
        await ui.press("comma")
        await go_to(ui, "stores.pi")
        await ui.press("enter", *"more", "enter")
        assert ui.toasts() == ['stores.pi: must be folders that begin with / or ~: ["~/more/sessions"]']
        await ui.press(*["backspace"] * 4, *"~/a, /b", "enter")
        await ui.until(config.exists, "the file")
        assert tomllib.loads(config.read_text()) == {"stores": {"pi": ["~/a", "/b"]}}
        assert "It counts from the next start on." in said(ui)
        await ui.until(lambda: "~/a, /b" in ui.text(), "the row")


async def test_a_wrong_value_is_explained_and_repaired(browser, three, config):
    config.write_text('images = "big"\n')
    async with browser() as ui:
        await ui.press("comma")
        await go_to(ui, "images")
        assert said(ui).startswith("images: must be")
        await ui.press("enter")
        await ui.until(lambda: "big" not in config.read_text(), "the change")
        await ui.until(lambda: said(ui).startswith("How images are drawn"), "the explanation")


async def test_clashes_of_keys_are_shown(browser, three, config):
    settings = Settings(keys={"a": "b"}, problems=("keys: p stays the key of session.pin",))
    async with browser() as ui:
        ui.app.push_screen(SettingsDialog(ui.app._setup, settings))
        await go_to(ui, "keys")
        assert said(ui) == "keys: p stays the key of session.pin"


async def test_a_file_that_is_not_toml_stays_as_it_is(browser, three, config):
    config.write_text("images = \n")
    async with browser() as ui:
        await ui.press("comma")
        await go_to(ui, "ascii")
        await ui.press("enter")
        await ui.until(lambda: any("cannot be changed" in toast for toast in ui.toasts()), "the reason")
        assert config.read_text() == "images = \n"


def test_the_default_file_sets_nothing_and_its_lines_are_settings():
    text = default_file()
    assert tomllib.loads(text) == {}
    lines = [line.removeprefix("# ") for line in text.splitlines() if " = " in line]
    values = tomllib.loads("\n".join(lines))
    assert list(values) == [setting.name for setting in SETTINGS]
    problems = []
    for setting in SETTINGS:
        setting.read(values[setting.name], problems.append)
    assert problems == []


def test_every_choice_is_a_value_of_its_setting():
    for setting in SETTINGS:
        for choice in filter(None, setting.choices):
            setting.read(tomllib.loads(f"it = {choice}")["it"], pytest.fail)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01T12:00:00Z", "2026-01-01 12:00:00+00:00"),
        ("[12:00:00]", '["12:00:00"]'),
        ("nan", "NaN"),
        ("0x" + "f" * 5_000, "a number of too many digits"),
    ],
)
def test_a_row_shows_any_value(tmp_path, written, shown):
    (tmp_path / "config.toml").write_text(f"ascii = {written}\n")
    rows = setting_rows(read_values({"LEAFMARK_CONFIG_DIR": str(tmp_path)}), NAMES)
    assert [row.shown for row in rows if row.name == "ascii"] == [shown]


async def test_twenty_thousand_wrong_settings_are_counted(browser, three, config):
    config.write_text("[keys]\n" + "".join(f"x{number} = 1\n" for number in range(20_000)))
    async with browser() as ui:
        assert len(ui.toasts()) == 6
        await ui.press("comma")
        await go_to(ui, "keys")
        assert said(ui).endswith("; and 19,995 more")


@pytest.mark.parametrize("cells", [20, 40, 72])
def test_a_row_fits(cells):
    values = {
        "summary_command": ["语言" * 40],
        "stores": {"pi": ["/" + "x" * 300]},
        "keys": {"a": {"b": "c"}},
    }
    rows = setting_rows(values, NAMES)
    assert [row.shown for row in rows if row.name == "keys"] == ["1 changed"]
    assert all(line_width(setting_line(row, cells, False)) <= cells for row in rows)
