"""Pictures of the browser over the example sessions. ``--snapshot-update`` draws them anew; look at them
before.
"""

from __future__ import annotations

import pytest

from app.browser import Browser
from app.setup import setup_from_demo
from tests.screenshots import NOW_NS, press

SIZES = [(80, 24), (120, 40), (160, 45)]


@pytest.fixture
def picture(tmp_path, snap_compare, monkeypatch):
    """Compare the browser after some keys with the stored picture."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")

    def compare(size, theme, *keys):
        setup = setup_from_demo(str(tmp_path), clock=lambda: NOW_NS)
        setup.env = {"HOME": str(tmp_path), "PATH": "", "LEAFMARK_STATE_DIR": str(tmp_path / "state")}
        app = Browser(setup, theme=theme)
        return snap_compare(app, run_before=lambda pilot: press(app, pilot, keys), terminal_size=size)

    return compare


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_browser(picture, size, theme):
    assert picture(size, theme)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_tree_with_the_keys(picture, size):
    assert picture(size, "dark", "tab", "up", "ctrl+o")


def test_entry_on_a_small_screen(picture):
    assert picture((60, 20), "dark", "tab", "tab")


def test_filter(picture):
    assert picture((120, 40), "dark", "slash", *"omp")


def test_help(picture):
    assert picture((120, 40), "dark", "question_mark")
