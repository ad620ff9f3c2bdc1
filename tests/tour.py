"""Draw the animated tour ``screenshots/tour.gif``: ``python -m tests.tour``.

It shows on the example sessions how one finds a session by a word, reads it and goes on, in about 15 seconds.
A caption below the terminal names the step. The clock, the folder and the size are fixed, as in
`tests.screenshots`.
"""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import time
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

from app.browser import Browser
from tests.screenshots import DEMO_FOLDER, TARGET, demo, make_resumable, settled
from tests.svg import as_png, tidy

SIZE = (100, 30)
"""Columns and lines of the terminal."""
WIDTH = 900
"""Pixels."""
LONG, SHORT = 1_700, 140
"""Milliseconds for which a frame is shown: after a key, and after a letter of a text."""
CAPTION = 56
"""Pixels of the caption's height; ``TEXT`` of its letters."""
TEXT = 28


class Step(NamedTuple):
    """What a user does, and the keys for it; a key of several letters is a name."""

    caption: str
    keys: tuple[str, ...]


STEPS = (
    Step("/  and a word: every session that has it, best first", ("slash", *"login_order")),
    Step("Enter: to the hit", ("enter",)),
    Step("v: read the conversation, Space: unfold its tools", ("v", "space")),
    Step("[ : an earlier prompt", ("left_square_bracket",)),
    Step("Enter: continue from there", ("enter",)),
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
        drawn.append(frame(app, "Every session of your coding agents", LONG))
        for step in STEPS:
            for key, following in zip(step.keys, (*step.keys[1:], "enter"), strict=True):
                await pilot.press(key)
                # What a thread does to the list begins after the key.
                await pilot.pause(0.3)
                await settled(app, pilot)
                is_text = len(key) == 1 and len(following) == 1
                drawn.append(frame(app, step.caption, SHORT if is_text else LONG))
    return drawn


def frame(app: Browser, caption: str, duration: int) -> Frame:
    """Draw the screen as it is now, above its caption."""
    image = Image.open(io.BytesIO(as_png(tidy(app.export_screenshot(title="leafmark", simplify=True)))))
    height = image.height * WIDTH // image.width
    whole = Image.new("RGB", (WIDTH, height + CAPTION), "#1a1b26")
    whole.paste(image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS))
    font = ImageFont.load_default(TEXT)
    ImageDraw.Draw(whole).text(
        (WIDTH // 2, height + CAPTION // 2), caption, fill="#ffffff", font=font, anchor="mm"
    )
    return Frame(whole, duration)


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
