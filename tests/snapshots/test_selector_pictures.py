"""Pictures of the selector over the example sessions. ``--snapshot-update`` draws them anew; look at them
before.
"""

from __future__ import annotations

import pytest

from app.browser import Browser
from tests.screenshots import demo, press
from tests.snapshots.test_pictures import SIZES

WAYS = {
    "plain": ("tab",),
    "searching": ("tab", *"token"),
    "question": ("tab", "down", "ctrl+d"),
    "marked": ("tab", "space", "down", "space"),
    "roomy": ("tab", "shift+tab", "D", "down"),
}


@pytest.fixture
def picture(tmp_path, snap_compare, monkeypatch):
    """Compare the selector after some keys with the stored picture."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")

    def compare(size, theme, *keys):
        app = Browser(demo(tmp_path), theme=theme, selector="")
        return snap_compare(app, run_before=lambda pilot: press(app, pilot, keys), terminal_size=size)

    return compare


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_selector(picture, size, way):
    assert picture(size, "dark", *WAYS[way])


@pytest.mark.parametrize("way", ["searching", "question"])
def test_selector_with_the_light_theme(picture, way):
    assert picture((120, 40), "light", *WAYS[way])
