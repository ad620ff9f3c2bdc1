"""The themes: contrast, and the files of users."""

from __future__ import annotations

import re
import tomllib

import pytest
from textual.theme import BUILTIN_THEMES

from app.theme_files import load_all, load_theme, theme_names
from app.view import STYLES, THEMES, contrast, ground_of
from app.view.themes import BASE, BUNDLED, TEXTUAL, load_bundled, user_theme
from tests.cases import cases
from tests.readme import PAGES

GROUNDS = ("background", "panel", "cursor", "cursor-idle")
TEXTS = ("text", "dim")
LINES = ("border",)
"""Colours of lines, which carry no meaning alone."""


@pytest.fixture(autouse=True)
def registered():
    before = dict(THEMES)
    yield
    THEMES.clear()
    THEMES.update(before)


@pytest.fixture
def env(tmp_path):
    (tmp_path / "themes").mkdir()
    return {"LEAFMARK_CONFIG_DIR": str(tmp_path)}


@cases("name", BUNDLED)
def test_text_and_marks_can_be_read_in_every_theme(name):
    assert load_bundled(name)
    theme = THEMES[name]
    used = {colour for colour, _ in STYLES.values()} - {"background", *LINES}
    low = {
        (colour, ground): round(contrast(theme[colour], theme[ground]), 2)
        for colour in used
        for ground in GROUNDS
        if contrast(theme[colour], theme[ground]) < (4.5 if colour in TEXTS else 3)
    }
    assert low == {}
    assert contrast(theme["yellow"], theme[ground_of("match", "background")]) >= 3
    for ground in ("added-ground", "removed-ground"):
        assert contrast(theme["text"], theme[ground]) >= 4.5


def test_high_contrast_is_higher_than_seven():
    load_bundled("high-contrast")
    theme = THEMES["high-contrast"]
    assert min(contrast(theme[name], theme["background"]) for name in BASE[1:]) >= 7


@cases("name", TEXTUAL)
def test_the_colours_of_a_theme_of_textual_are_its_own(name):
    theme = BUILTIN_THEMES[name]
    own = (
        theme.background,
        theme.foreground,
        theme.primary,
        theme.secondary,
        theme.accent,
        theme.success,
        theme.warning,
        theme.error,
    )
    assert set(TEXTUAL[name].split()) <= {str(colour).lower() for colour in own}


def test_the_themes_of_a_folder_follow_the_bundled_ones(env, tmp_path):
    (tmp_path / "themes" / "mine.toml").write_text('background = "#202020"\ntext = "#F0F0F0"\n')
    (tmp_path / "themes" / "dark.toml").write_text('text = "#000000"\n')
    assert theme_names(env) == [*BUNDLED, "mine"]
    assert load_all(env) == ([*BUNDLED, "mine"], [])
    assert THEMES["mine"]["text"] == "#f0f0f0"
    assert THEMES["mine"].keys() == THEMES["dark"].keys()
    assert THEMES["dark"]["text"] != "#000000"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("text = ", "Invalid value"),
        ('txt = "#ffffff"', "txt is not a colour of a theme"),
        ('text = "white"', "text must be a colour"),
        ("text = 3", "text must be a colour"),
        ("text = " + "9" * 5_000, "a number has too many digits"),
        ('text = "#333333"', "text cannot be read on background"),
        ('cursor = "#dddddd"', "text cannot be read on cursor"),
    ],
)
def test_a_wrong_theme_says_why(env, tmp_path, text, reason):
    path = tmp_path / "themes" / "wrong.toml"
    path.write_text(text)
    problem = load_theme("wrong", env)
    assert problem.startswith(f"{path}: ")
    assert reason in problem
    assert "wrong" not in THEMES
    assert load_all(env) == (list(BUNDLED), [problem])


def test_the_example_of_the_settings_page_is_a_theme():
    [example] = re.findall(r"```toml theme\n(.*?)```", (PAGES / "settings.md").read_text("utf-8"), re.DOTALL)
    table = tomllib.loads(example)
    assert set(table) == set(BASE)
    assert user_theme(table).items() >= table.items()


def test_an_unknown_theme_lists_the_known_ones(env):
    assert load_theme("no\nne", env) == f"there is no theme 'no\\nne'; there are {', '.join(BUNDLED)}"
