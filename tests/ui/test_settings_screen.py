"""The settings screen: values, choices, edits, and what it writes."""

from __future__ import annotations

import tomllib

import pytest

from app.settings import SETTINGS, Settings, default_file
from tests.ui.conftest import QUESTION


@pytest.fixture
def config(tmp_path):
    folder = tmp_path / "config"
    folder.mkdir(exist_ok=True)
    return folder / "config.toml"


def said(ui):
    return str(ui.screen.query_one("#settings-said").content)


async def go_to(ui, name):
    await ui.until(
        lambda: ui.screen.query("#settings") and ui.screen.query_one("#settings").items, "the settings"
    )
    names = [row.name for row in ui.screen.query_one("#settings").items]
    await ui.press("home", *["down"] * names.index(name))


async def test_a_choice_is_written_and_counts_at_once(browser, three, config):
    config.write_text('# mine\nimages = "off"  # slow terminal\n[keys]\n"app.quit" = "ctrl+q"\n')
    async with browser() as ui:
        await ui.press("comma")
        assert ui.is_in("Settings")
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
        await ui.press("escape")
        assert not ui.is_in("Settings")
        await ui.press("ctrl+d")
        await ui.until(lambda: len(list(three.glob("home/**/*.jsonl"))) == 2, "the trash without a question")
        await ui.press("comma")
        await go_to(ui, "ask_before_trash")
        await ui.press("delete")
        await ui.until(lambda: "ask_before_trash" not in config.read_text(), "the default")
        await ui.press("escape", "ctrl+d")
        assert ui.is_in(QUESTION)


async def test_the_first_view_is_a_setting(browser, three, config):
    for view, is_shown in (("tree", True), ("transcript", False)):
        config.write_text(f'view = "{view}"\n')
        async with browser() as ui:
            assert (ui.tree.is_on_screen, ui.transcript.is_on_screen) == (is_shown, True)
            await ui.press(*([] if is_shown else ["t"]), "comma")
            await go_to(ui, "scope")
            assert " scope               as it was left " in ui.text()


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
    config.write_text('[keys]\n"a.b" = "c"\n')
    settings = Settings(problems=("keys: p stays the key of session.pin",))
    async with browser(settings=settings) as ui:
        await ui.press("comma")
        await go_to(ui, "keys")
        assert said(ui) == "keys: p stays the key of session.pin"
        assert "1 changed" in ui.text()


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


async def test_a_row_shows_any_value(browser, three, config):
    shown = {
        "2026-01-01": "2026-01-01",
        "2026-01-01T12:00:00Z": "2026-01-01 12:0…",
        "[12:00:00]": '["12:00:00"]',
        "nan": "NaN",
        "0x" + "f" * 5_000: "a number of too…",
    }
    async with browser() as ui:
        for written, text in shown.items():
            config.write_text(f"ascii = {written}\n")
            await ui.press("comma")
            await ui.until(lambda text=text: f" {text} " in ui.text(), text)
            await ui.press("escape")


async def test_twenty_thousand_wrong_settings_are_counted(browser, three, config):
    config.write_text("[keys]\n" + "".join(f"x{number} = 1\n" for number in range(20_000)))
    async with browser() as ui:
        assert len(ui.toasts()) == 6
        await ui.press("comma")
        await go_to(ui, "keys")
        assert said(ui).endswith("; and 19,995 more")


async def test_the_theme_is_chosen_among_the_settings_and_shown_while_it_is(browser, three):
    async with browser() as ui:
        await ui.press("comma", "home")
        await ui.until(lambda: said(ui).startswith("The colours."), "the theme")
        await ui.press("enter")
        await ui.until(lambda: ui.is_in("Theme"), "the themes")
        before = ui.app.theme
        await ui.press("down")
        assert ui.app.theme != before
        await ui.press("enter")
        name = ui.app.theme.removeprefix("leafmark-")
        await ui.until(lambda: ui.is_in("Settings") and f" theme               {name} " in ui.text(), "it")


async def test_arguments_of_an_agent_are_typed_in_its_row(browser, three, tmp_path):
    async with browser() as ui:
        await ui.press("comma")
        await go_to(ui, "arguments.pi")
        await ui.press("enter", *"--model opus", "enter")
        config = tmp_path / "config/config.toml"
        await ui.until(lambda: 'pi = "--model opus"' in config.read_text(), "the file")


async def test_the_clock_can_have_twelve_hours(browser, three, tmp_path):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text('clock = "12h"\n')
    for clock in ("10:05am", "10:05 "):
        async with browser() as ui:
            ui.sessions.go_to(str(ui.path("branchy")))
            await ui.settled()
            await ui.press("v", "home")
            await ui.until(lambda: "▌ fix the login" in ui.text(), "the transcript")
            line = next(line for line in ui.text().splitlines() if "▌ fix the login" in line)
            assert ("10:01am" in line) == (clock == "10:05am")
        (tmp_path / "config/config.toml").write_text("")
