"""Draw the animated tour ``screenshots/tour.gif``: ``python -m tests.tour``.

It shows the five commonest tasks on the example sessions. The title of the window names the task and the key.
The clock, the folder and the size are fixed, as in `tests.screenshots`.
"""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import time
from typing import NamedTuple

from PIL import Image

from app.browser import Browser
from tests.screenshots import DEMO_FOLDER, TARGET, demo, make_resumable, settled
from tests.svg import as_png, tidy

SIZE = (100, 30)
"""Columns and lines of the terminal."""
WIDTH = 900
"""Pixels."""
LONG, SHORT = 1_800, 160
"""Milliseconds for which a frame is shown: after a key, and after a letter of a text."""


class Task(NamedTuple):
    """What a user does, and the keys for it; a key of several letters is a name."""

    title: str
    keys: tuple[str, ...]


TASKS = (
    Task("Find a session by a word", ("slash", *"redis", "enter")),
    Task("Read the conversation", ("v", "left_square_bracket", "down", "space", "v")),
    Task("Label an entry", ("escape", "t", "up", "L", *"good idea", "enter")),
    Task("Continue from an old prompt", ("left_square_bracket", "left_square_bracket", "enter", "escape")),
    Task("Trash a session, and undo", ("1", "ctrl+d", "enter", "z")),
)


class Frame(NamedTuple):
    """A picture and the milliseconds for which it is shown."""

    image: Image.Image
    duration: int


async def frames() -> list[Frame]:
    """Run the tasks one after the other, with a frame after each key."""
    shutil.rmtree(DEMO_FOLDER, ignore_errors=True)
    setup = demo(DEMO_FOLDER)
    make_resumable(setup)
    app = Browser(setup, theme="dark")
    drawn: list[Frame] = []
    async with app.run_test(size=SIZE) as pilot:
        await settled(app, pilot)
        drawn.append(frame(app, "leafmark", LONG))
        for task in TASKS:
            for key, following in zip(task.keys, (*task.keys[1:], "enter"), strict=True):
                await pilot.press(key)
                # What a thread does to the list begins after the key.
                await pilot.pause(0.3)
                await settled(app, pilot)
                is_text = len(key) == 1 and len(following) == 1
                drawn.append(frame(app, f"{task.title}: {shown_key(key)}", SHORT if is_text else LONG))
    return drawn


def shown_key(key: str) -> str:
    """The name of a key as the footer shows it."""
    names = {"slash": "/", "left_square_bracket": "[", "right_square_bracket": "]", "escape": "Esc"}
    return names.get(key) or "+".join(part if len(part) == 1 else part.title() for part in key.split("+"))


def frame(app: Browser, title: str, duration: int) -> Frame:
    """Draw the screen as it is now."""
    image = Image.open(io.BytesIO(as_png(tidy(app.export_screenshot(title=title, simplify=True)))))
    height = image.height * WIDTH // image.width
    scaled = image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    return Frame(scaled, duration)


def sampled(images: list[Image.Image]) -> Image.Image:
    """Some images beside each other, whose colours stand for those of all."""
    chosen = images[:: max(1, len(images) // 8)]
    sheet = Image.new("RGB", (WIDTH * len(chosen), chosen[0].height))
    for number, image in enumerate(chosen):
        sheet.paste(image, (WIDTH * number, 0))
    return sheet


def main() -> None:
    """Draw the tour."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    drawn = asyncio.run(frames())
    # One palette for all frames: colours do not flicker, and only what changes is stored.
    palette = sampled([shown.image for shown in drawn]).quantize(
        192, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )
    images = [shown.image.quantize(palette=palette, dither=Image.Dither.NONE) for shown in drawn]
    target = TARGET / "tour.gif"
    durations = [shown.duration for shown in drawn]
    images[0].save(target, save_all=True, append_images=images[1:], duration=durations, loop=0, optimize=True)
    shutil.rmtree(DEMO_FOLDER, ignore_errors=True)
    print(target)


if __name__ == "__main__":
    main()
