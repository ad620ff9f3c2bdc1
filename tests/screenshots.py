"""Draw the pictures in ``screenshots/``, SVG and PNG: ``python -m tests.screenshots``.

They show the example sessions. The clock, the time zone, the folder and the sizes are fixed: the same program
gives the same bytes.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from app.browser import Browser
from app.setup import Setup, setup_from_demo
from app.stores import AGENTS
from tests.svg import as_png, tidy

TARGET = Path(__file__).parent.parent / "screenshots"
NOW_NS = 1_780_000_000_000_000_000
DEMO_FOLDER = Path("/tmp/leafmark-screenshots")
DIFF = ("tab", *["left_square_bracket"] * 3, "down", "space", "1")
"""The keys that unfold the tool calls of the last prompt that changed a file."""
SHOTS = (
    ("browser-dark", (120, 40), "dark", DIFF),
    ("browser-light", (120, 40), "light", DIFF),
    ("browser-wide", (160, 45), "dark", ("t", "up", "up")),
    ("browser-small", (80, 24), "dark", ()),
    ("search", (120, 40), "dark", ("slash", *"token label:redis")),
    ("selector", (120, 40), "dark", ("tab", *"token")),
    ("folder-gone", (120, 40), "dark", ("slash", *"nightly", "enter", "enter")),
    ("help", (120, 40), "dark", ("question_mark",)),
)


def demo(folder: Path) -> Setup:
    """Return a setup with the example sessions at a fixed time, without the user's PATH or theme."""
    setup = setup_from_demo(str(folder), clock=lambda: NOW_NS)
    setup.env = {"HOME": str(folder), "PATH": "", "LEAFMARK_STATE_DIR": str(folder / "state")}
    return setup


def make_resumable(setup: Setup) -> None:
    """Make the example sessions look like the user's own: they can be resumed, with all agents on PATH."""
    setup.demo = False
    programs = DEMO_FOLDER / "bin"
    programs.mkdir()
    for agent in AGENTS:
        (programs / agent.name).touch(mode=0o755)
    setup.env["PATH"] = str(programs)


async def settled(app: Any, pilot: Any) -> None:
    """Wait until the details of the session under the cursor are shown, or a dialog is open."""

    def shown() -> bool:
        if not app.screen.is_mounted:
            return False
        entry = app.screen.query("#entry")
        if entry:
            images = [line.drawing for line in entry.first().lines if hasattr(line, "drawing")]
            return bool(entry.first().lines) and all(drawing.is_done for drawing in images)
        if not app.screen.query("#sessions"):
            return True
        if app.screen.query_one("#sessions-pane").is_searching or not app.screen.model.keeping.setting:
            return False
        row = app.screen.query_one("#sessions").row
        if app.screen.query("#preview"):
            turns = app.screen.query_one("TranscriptLines").turns
            return app.screen.feed.scanned and (
                row is None or (app.screen.resume_controller.planned == row.path and bool(turns))
            )
        tree, transcript = app.screen.query_one("#tree"), app.screen.query_one("#transcript-pane")
        if row is None or tree.view is None or tree.view.tree.path != row.path:
            return False
        if not app.screen.query_one("#tree-pane").knows_branches:
            return False
        is_read = not transcript.display or transcript.knows_outline or transcript.lines.notice
        return is_read and app.screen.resume_controller.planned == row.path

    for _ in range(400):
        await pilot.pause(0.02)
        if shown():
            break
    await pilot.pause(0.15)


async def press(app: Browser, pilot: Any, keys: tuple[str, ...]) -> None:
    """Press the keys, each after the effect of the previous one is shown."""
    await settled(app, pilot)
    for key in keys:
        await pilot.press(key)
        await settled(app, pilot)


async def shoot(name: str, size: tuple[int, int], theme: str, keys: tuple[str, ...]) -> str:
    """Return one picture as SVG."""
    shutil.rmtree(DEMO_FOLDER, ignore_errors=True)
    setup = demo(DEMO_FOLDER)
    if name == "folder-gone":
        make_resumable(setup)
    app = Browser(setup, theme=theme, selector="" if name.startswith("selector") else None)
    async with app.run_test(size=size) as pilot:
        await press(app, pilot, keys)
        return app.export_screenshot(title="leafmark", simplify=True)


def main(names: list[str]) -> None:
    """Draw all pictures, or only the named ones."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    TARGET.mkdir(exist_ok=True)
    for name, size, theme, keys in SHOTS:
        if names and name not in names:
            continue
        svg = tidy(asyncio.run(shoot(name, size, theme, keys)))
        (TARGET / f"{name}.svg").write_text(svg, encoding="utf-8")
        (TARGET / f"{name}.png").write_bytes(as_png(svg))
        print(TARGET / f"{name}.svg", TARGET / f"{name}.png")
    shutil.rmtree(DEMO_FOLDER, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
