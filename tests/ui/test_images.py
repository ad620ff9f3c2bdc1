"""Images in the dialog with an entry: drawn, cancelled, or replaced by a reason."""

from __future__ import annotations

from collections import Counter
from contextlib import asynccontextmanager
from threading import Event

import pytest
from PIL import Image
from textual.screen import ModalScreen

from app.dialogs import entry as entry_dialog
from app.services import entry_reader
from app.sessions import BlobStore
from app.settings import settings_file
from app.view import DARK, LIGHT
from app.view.image_lines import UPPER, ImageLine, delete_command, placeholder_cells
from tests.factory import chain, message, write_session
from tests.pictures import BLUE, GREEN, RED, WHITE, block, image_file, plain, saved
from tests.ui.conftest import pi_session, strips

COLOURS = {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
PLACEHOLDER = "\U0010eeee"
FOUR = image_file([RED, GREEN], [BLUE, WHITE])


def answer(*blocks, id="s"):
    lines = chain("q", id=id)
    last = message("z", "00000001", "assistant", "", 2)
    last["message"]["content"] = list(blocks)
    return [*lines, last]


def text_block(text):
    return {"type": "text", "text": text}


def pixels_of(ui, line):
    """The cells of a line of the pane on the screen: character, colour, background."""
    cells = []
    for segment in ui.entry.render_line(line - ui.entry.scroll_offset.y):
        style = segment.style
        colours = (style.color.name if style.color else "", style.bgcolor.name)
        cells += [(char, *colours) for char in segment.text]
    return cells


def image_positions(ui):
    return [number for number, line in enumerate(ui.entry.lines) if isinstance(line, ImageLine)]


def is_drawn(ui):
    lines = [ui.entry.lines[number] for number in image_positions(ui)]
    return bool(lines) and all(line.drawing.is_done for line in lines)


def texts(ui):
    return [line.text for line in ui.entry.lines]


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens the browser on one session, in a terminal with full colour."""

    def open_session(*blocks, env=COLOURS, settings="", size=(120, 60), **options):
        pi_session(tmp_path, *answer(*blocks), id="s")
        if settings:
            path = settings_file({"LEAFMARK_CONFIG_DIR": str(tmp_path / "config")})
            (tmp_path / "config").mkdir()
            with open(path, "w") as file:
                file.write(settings)
        return shown(browser, size=size, env=env, **options)

    return open_session


@asynccontextmanager
async def shown(browser, **options):
    """Open the browser, and the dialog with the last entry of the first session."""
    async with browser(**options) as ui:
        await ui.press("t", "i")
        await ui.until(lambda: ui.focus == "entry" and ui.entry.lines, "the entry")
        yield ui


async def test_an_image_is_drawn_below_its_description(opened):
    async with opened(text_block("before"), block(FOUR), text_block("after")) as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        number = texts(ui).index(f"image/png, 2×2, {len(FOUR)} bytes")
        assert image_positions(ui) == [number + 1]
        assert pixels_of(ui, number + 1)[:4] == [
            (" ", DARK["text"], DARK["background"]),
            (UPPER, "#ff0000", "#0000ff"),
            (UPPER, "#00ff00", "#ffffff"),
            (" ", DARK["text"], DARK["background"]),
        ]
        assert texts(ui).index("after") > number
        await ui.press("r")
        await ui.until(lambda: not image_positions(ui), "the entry as it stands in the file")


async def test_transparent_pixels_follow_the_theme(opened):
    clear = image_file([(0, 0, 0, 0), RED], [(0, 0, 0, 0), RED], mode="RGBA")
    async with opened(block(clear), theme="dark") as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        [number] = image_positions(ui)
        assert pixels_of(ui, number)[1] == (UPPER, DARK["background"], DARK["background"])
        await ui.press("f2", "down", "enter")
        await ui.until(lambda: ui.app.theme == "leafmark-light", "the other theme")
        assert pixels_of(ui, number)[1] == (UPPER, LIGHT["background"], LIGHT["background"])


@pytest.mark.parametrize(
    ("env", "settings"),
    [
        ({**COLOURS, "NO_COLOR": "1"}, ""),
        (COLOURS, "ascii = true"),
        (COLOURS, 'images = "off"'),
    ],
)
async def test_without_image_support_only_the_description_is_shown(opened, env, settings):
    async with opened(block(FOUR), env=env, settings=settings) as ui:
        assert f"image/png, 2×2, {len(FOUR)} bytes" in texts(ui)
        assert not image_positions(ui)
        assert not any("not drawn" in text for text in texts(ui))


async def test_no_image_is_larger_than_the_pane(opened):
    async with opened(block(plain(3_000, 2_000)), block(plain(30, 3_000)), size=(130, 30)) as ui:
        await ui.until(lambda: is_drawn(ui), "the images")
        drawings = {ui.entry.lines[number].drawing for number in image_positions(ui)}
        assert len(drawings) == 2
        for drawing in drawings:
            assert drawing.rows <= ui.entry.size.height - 2
            assert drawing.cells <= ui.entry.cells
        before = max(drawing.rows for drawing in drawings)
        await ui.pilot.resize_terminal(130, 50)
        await ui.until(
            lambda: (
                is_drawn(ui)
                and max(ui.entry.lines[number].drawing.rows for number in image_positions(ui)) > before
            ),
            "larger images",
        )


async def test_the_reason_for_an_undrawn_image_is_in_its_place(opened):
    cut = saved(Image.effect_noise((64, 64), 90), "PNG")
    cut = cut[: len(cut) // 2]
    blocks = [
        block("blob:sha256:" + "ab" * 32),
        block("x"),
        block(b"some text", mime="image/png\x1b[31m"),
        block(cut),
        {"type": "image"},
        {"type": "image", "mimeType": 3, "data": {"path": "/etc/passwd"}},
        text_block("after"),
    ]
    async with opened(*blocks) as ui:
        await ui.until(
            lambda: any("damaged" in text for text in texts(ui)) and not image_positions(ui), "all of it"
        )
        reasons = [text for text in texts(ui) if text.startswith("not drawn: ")]
        assert reasons[0] == "not drawn: its agent keeps no blobs"
        assert [
            sum(part in text for text in reasons) for part in ("base64", "it is no PNG", "file is damaged")
        ] == [
            1,
            1,
            1,
        ]
        assert reasons.count("not drawn: it is not in the file") == 2
        assert "after" in texts(ui)
        assert "\x1b" not in "".join(texts(ui))
        await ui.press("r", "i")
        await ui.until(
            lambda: [text for text in texts(ui) if text.startswith("not drawn: ")] == reasons,
            "the same again",
        )


async def test_the_visible_lines_stay_when_an_image_above_is_damaged(opened, monkeypatch):
    cut = saved(Image.effect_noise((64, 64), 90), "PNG")
    gate, real_pixels = Event(), entry_reader.rgb_pixels
    monkeypatch.setattr(
        entry_reader, "rgb_pixels", lambda *arguments: (gate.wait(20), real_pixels(*arguments))[1]
    )
    story = text_block("\n".join(f"line {number}" for number in range(200)))
    async with opened(block(cut[: len(cut) // 2]), story) as ui:
        await ui.until(lambda: "line 199" in texts(ui), "the text")
        assert image_positions(ui)
        ui.entry.move_to(120)
        first = texts(ui)[ui.entry.scroll_offset.y]
        gate.set()
        await ui.until(lambda: not image_positions(ui), "the end of the image")
        assert texts(ui)[ui.entry.scroll_offset.y] == first


async def test_an_image_is_decoded_after_the_text_and_not_if_another_look_is_wanted(opened, monkeypatch):
    begun, gate, was_overtaken = Event(), Event(), []
    real_pixels = entry_reader.rgb_pixels

    def slow(data, size, grounds, overtaken):
        begun.set()
        gate.wait(20)
        was_overtaken.append(overtaken())
        return real_pixels(data, size, grounds, overtaken)

    monkeypatch.setattr(entry_reader, "rgb_pixels", slow)
    async with opened(text_block("before"), block(FOUR), text_block("after")) as ui:
        await ui.until(begun.is_set, "the decoding")
        await ui.until(lambda: "after" in texts(ui), "the text")
        [number] = image_positions(ui)
        assert ui.entry.draw(number, 20, False) == [(" ", "text"), (" " * 19, "text")]
        await ui.press("r")
        gate.set()
        await ui.until(lambda: texts(ui)[:1] == ["{"], "the raw entry")
        assert was_overtaken == [True]
        assert not image_positions(ui)
        # back at the text, it is decoded
        await ui.press("i")
        await ui.until(lambda: is_drawn(ui), "the image")


async def test_a_drawn_image_is_not_decoded_again(opened, monkeypatch):
    decoded = []
    real_pixels = entry_reader.rgb_pixels
    monkeypatch.setattr(
        entry_reader, "rgb_pixels", lambda *arguments: (decoded.append(None), real_pixels(*arguments))[1]
    )
    async with opened(block(FOUR), block(FOUR)) as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        assert len(image_positions(ui)) == 2
        await ui.press("r")
        await ui.until(lambda: texts(ui)[:1] == ["{"], "the raw entry")
        await ui.press("i")
        await ui.until(lambda: is_drawn(ui), "the image")
        assert len(decoded) == 1


async def test_only_the_first_of_very_many_images_are_drawn(opened):
    async with opened(*[block(FOUR)] * 23, text_block("after")) as ui:
        await ui.until(lambda: is_drawn(ui), "the images")
        assert len(image_positions(ui)) == 20
        assert [text for text in texts(ui) if "not drawn" in text] == [
            "not drawn: no more than 20 images of an entry are"
        ]


async def test_the_images_of_omp_come_from_its_blob_store(browser, tmp_path):
    agent = tmp_path / "home/.omp/agent"
    blobs = BlobStore(str(agent / "blobs"))
    intact, broken = blobs.put(FOUR), blobs.put(FOUR + b"x")
    (agent / "blobs" / broken.removeprefix("blob:sha256:")).write_bytes(FOUR)
    missing = "blob:sha256:" + "0" * 64
    lines = answer(block(intact), block(broken), block(missing), block("blob:sha256:../../secret"))
    write_session(agent / "sessions/-app/2026_s.jsonl", *lines)
    before = sorted((path, path.stat().st_mtime_ns) for path in agent.rglob("*"))
    async with shown(browser, env=COLOURS) as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        [number] = image_positions(ui)
        assert texts(ui)[number - 1] == f"2×2, {len(FOUR)} bytes"
        assert [text for text in texts(ui) if text.startswith("not drawn")] == [
            "not drawn: the blob cannot be read, or is damaged",
            "not drawn: the blob is gone",
            "not drawn: that is no name of a blob",
        ]
    assert sorted((path, path.stat().st_mtime_ns) for path in agent.rglob("*")) == before


async def test_kitty_gets_the_image_once_and_draws_it_in_placeholder_cells(opened, monkeypatch):
    async with opened(block(FOUR), block(plain(400, 200)), settings='images = "kitty"') as ui:
        written = []
        monkeypatch.setattr(ui.app._driver, "write", written.append)
        await ui.press("escape", "i")
        await ui.until(lambda: ui.focus == "entry" and is_drawn(ui), "the images")
        drawing = ui.entry.lines[image_positions(ui)[-1]].drawing
        assert (drawing.cells, drawing.rows) == (40, 10)
        sent = [text for text in written if text.startswith("\x1b_Ga=T")]
        spans = ui.entry.lines[image_positions(ui)[-1]].spans_over(DARK["background"])
        assert spans == [(placeholder_cells(9, 40), f"color({drawing.number})")]
        # another program used the terminal
        written.clear()
        ui.app.app_resume_signal.publish(ui.app)
        await ui.pilot.pause()
        sent_again = [text for text in written if text.startswith("\x1b_G")]
        assert drawing.sent in sent_again
        assert len(sent_again) == 2
        assert set(sent) <= set(sent_again)
        written.clear()
    assert delete_command(drawing.number) in "".join(written)


def placeholders(ui):
    """The number of placeholder cells on the screen by colour, which identifies the image."""
    counts = Counter()
    for strip in strips(ui.app.screen):
        for text, style, _ in strip:
            if PLACEHOLDER in text:
                counts[style.color.name] += text.count(PLACEHOLDER)
    return counts


async def test_a_kitty_image_is_covered_by_a_dialog_and_returns(opened):
    async with opened(block(plain(400, 200)), settings='images = "kitty"') as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        drawing = ui.entry.lines[image_positions(ui)[-1]].drawing
        colour = f"color({drawing.number})"
        all_cells = Counter({colour: drawing.cells * drawing.rows})
        assert placeholders(ui) == all_cells
        # a dialog over a part of the image, and one over all of it
        for key, left in (("f2", {colour}), ("question_mark", set())):
            await ui.press(key)
            assert isinstance(ui.app.screen, ModalScreen)
            assert set(placeholders(ui)) == left
            await ui.press("escape")
            assert placeholders(ui) == all_cells


async def test_old_kitty_images_are_deleted(opened, monkeypatch):
    monkeypatch.setattr(entry_dialog, "MOST_IMAGES", 2)
    blocks = [block(plain(10, 10, (0, 0, number))) for number in range(4)]
    async with opened(*blocks, settings='images = "kitty"') as ui:
        await ui.until(lambda: is_drawn(ui), "the images")
        written = []
        monkeypatch.setattr(ui.app._driver, "write", written.append)
        numbers = [ui.entry.lines[number].drawing.number for number in image_positions(ui)]
        sent = ui.screen._terminal_images
        sent.send([ui.entry.lines[image_positions(ui)[0]].drawing])
        assert [text for text in written if text.startswith("\x1b_G")] == [
            ui.entry.lines[image_positions(ui)[0]].drawing.sent,
            delete_command(numbers[2]),
        ]
