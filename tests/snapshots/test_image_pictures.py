"""A picture of the dialog with an entry that has images, which are drawn in half blocks.

``--snapshot-update`` draws it anew; look at it before.
"""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from app.browser import Browser
from app.settings import Settings
from app.setup import Setup
from app.stores import discover
from tests.factory import chain, message, write_session
from tests.pictures import block, saved
from tests.screenshots import NOW_NS, settled


def chart() -> bytes:
    """Return a chart: bars on a dark ground, in flat colours, half as large as a pane."""
    image = Image.new("RGB", (52, 20), "#20242c")
    draw = ImageDraw.Draw(image)
    for at, colour in enumerate(("#ef4444", "#f59e0b", "#10b981", "#06b6d4")):
        draw.rectangle((3, 3 + 4 * at, 3 + 11 * (at + 1), 4 + 4 * at), fill=colour)
    return saved(image)


def ring() -> bytes:
    """Return a ring that is transparent inside and outside."""
    image = Image.new("RGBA", (16, 16), (0, 0, 0, 0))
    ImageDraw.Draw(image).ellipse((0, 0, 15, 15), outline=(189, 120, 246, 255), width=4)
    return saved(image)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_an_entry_with_images(tmp_path, snap_compare, theme):
    lines = chain("what does the chart look like now?", id="s", cwd="/gone/app")
    last = message("z", "00000001", "toolResult", "", 2, toolName="screenshot", isError=False)
    last["message"]["content"] = [block(chart()), block(ring()), block("blob:sha256:" + "ab" * 32)]
    write_session(tmp_path / ".pi/agent/sessions/--gone-app--/2026_s.jsonl", *lines, last)
    env = {"HOME": str(tmp_path), "LEAFMARK_STATE_DIR": str(tmp_path / "state"), "PATH": ""}
    setup = Setup(
        env={**env, "COLORTERM": "truecolor"},
        home=str(tmp_path),
        here=("/gone/app",),
        stores=discover(env, str(tmp_path), "/gone/app"),
        cache_folder=str(tmp_path / "cache"),
        clock=lambda: NOW_NS,
    )
    app = Browser(setup, theme=theme, settings=Settings())

    async def prepare(pilot):
        await settled(app, pilot)
        await pilot.press("t", "i")
        await settled(app, pilot)

    assert snap_compare(app, run_before=prepare, terminal_size=(120, 70))
