"""Images in the entry pane: drawn, overtaken, and what stands there where there is none."""

from __future__ import annotations

from collections import Counter
from threading import Event

import pytest
from PIL import Image
from textual.screen import ModalScreen

from app.screens import entry_side
from app.services import entry_reader
from app.sessions.storage.blobs import BlobStore
from app.settings import settings_file
from app.view.image_lines import UPPER, ImageLine, delete_command, placeholder_cells
from app.view.palette import DARK, LIGHT
from tests.factory import chain, message, write_session
from tests.pictures import BLUE, GREEN, RED, WHITE, block, image_file, plain, saved
from tests.ui.conftest import pi_session

COLOURS = {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
PLACEHOLDER = "\U0010eeee"
FOUR = image_file([RED, GREEN], [BLUE, WHITE])


def answer(*blocks, id="s"):
    lines = chain("q", id=id)
    last = message("z", "00000001", "assistant", "", 2)
    last["message"]["content"] = list(blocks)
    return [*lines, last]


def said(text):
    return {"type": "text", "text": text}


def pixels_of(ui, line):
    """The cells of a line of the pane that is on the screen: character, its colour, the one behind it."""
    found = []
    for segment in ui.entry.render_line(line - ui.entry.scroll_offset.y):
        style = segment.style
        colours = (style.color.name if style.color else "", style.bgcolor.name)
        found += [(char, *colours) for char in segment.text]
    return found


def image_positions(ui):
    return [at for at, line in enumerate(ui.entry.lines) if isinstance(line, ImageLine)]


def is_drawn(ui):
    lines = [ui.entry.lines[at] for at in image_positions(ui)]
    return bool(lines) and all(line.drawing.is_done for line in lines)


def texts(ui):
    return [line.text for line in ui.entry.lines]


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens the browser on one session, on a terminal of full colour."""

    def open_session(*blocks, env=COLOURS, settings="", size=(120, 60), **options):
        pi_session(tmp_path, *answer(*blocks), id="s")
        if settings:
            path = settings_file({"LEAFMARK_CONFIG_DIR": str(tmp_path / "config")})
            (tmp_path / "config").mkdir()
            with open(path, "w") as file:
                file.write(settings)
        return browser(size=size, env=env, **options)

    return open_session


async def test_an_image_is_drawn_below_what_is_said_about_it(opened):
    async with opened(said("before"), block(FOUR), said("after")) as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        at = texts(ui).index(f"image/png, 2×2, {len(FOUR)} bytes")
        assert image_positions(ui) == [at + 1]
        assert pixels_of(ui, at + 1)[:4] == [
            (" ", DARK["text"], DARK["background"]),
            (UPPER, "#ff0000", "#0000ff"),
            (UPPER, "#00ff00", "#ffffff"),
            (" ", DARK["text"], DARK["background"]),
        ]
        assert texts(ui).index("after") > at
        await ui.press("tab", "tab", "r")
        await ui.until(lambda: not image_positions(ui), "the entry as it stands in the file")


async def test_what_shines_through_follows_the_theme(opened):
    clear = image_file([(0, 0, 0, 0), RED], [(0, 0, 0, 0), RED], mode="RGBA")
    async with opened(block(clear), theme="dark") as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        [at] = image_positions(ui)
        assert pixels_of(ui, at)[1] == (UPPER, DARK["background"], DARK["background"])
        await ui.press("f2")
        assert pixels_of(ui, at)[1] == (UPPER, LIGHT["background"], LIGHT["background"])


@pytest.mark.parametrize(
    ("env", "settings"),
    [
        ({"TERM": "xterm"}, ""),
        ({**COLOURS, "NO_COLOR": "1"}, ""),
        ({**COLOURS, "LC_ALL": "C"}, ""),
        (COLOURS, "ascii = true"),
        (COLOURS, 'images = "off"'),
        (COLOURS, 'images = "blocks"\nascii = true'),
    ],
)
async def test_where_the_terminal_cannot_it_is_described(opened, env, settings):
    async with opened(block(FOUR), env=env, settings=settings) as ui:
        assert f"image/png, 2×2, {len(FOUR)} bytes" in texts(ui)
        assert not image_positions(ui)
        assert not any("not drawn" in text for text in texts(ui))


async def test_no_image_is_higher_than_the_pane_or_wider(opened):
    async with opened(block(plain(3_000, 2_000)), block(plain(30, 3_000)), size=(130, 30)) as ui:
        await ui.until(lambda: is_drawn(ui), "the images")
        drawings = {ui.entry.lines[at].drawing for at in image_positions(ui)}
        assert len(drawings) == 2
        for drawing in drawings:
            assert drawing.rows <= ui.entry.size.height - 2
            assert drawing.cells <= ui.entry.cells
        before = max(drawing.rows for drawing in drawings)
        await ui.pilot.resize_terminal(130, 50)
        await ui.until(
            lambda: (
                is_drawn(ui) and max(ui.entry.lines[at].drawing.rows for at in image_positions(ui)) > before
            ),
            "larger images",
        )


async def test_what_is_wrong_with_an_image_is_said_in_its_place(opened):
    cut = saved(Image.effect_noise((64, 64), 90), "PNG")
    cut = cut[: len(cut) // 2]
    blocks = [
        block("blob:sha256:" + "ab" * 32),
        block("x"),
        block(b"some text", mime="image/png\x1b[31m"),
        block(cut),
        {"type": "image"},
        {"type": "image", "mimeType": 3, "data": {"path": "/etc/passwd"}},
        said("after"),
    ]
    async with opened(*blocks) as ui:
        await ui.until(
            lambda: any("damaged" in text for text in texts(ui)) and not image_positions(ui), "all of it"
        )
        found = [text for text in texts(ui) if text.startswith("not drawn: ")]
        assert found[0] == "not drawn: its agent keeps no blobs"
        assert [sum(what in text for text in found) for what in ("base64", "it is no PNG", "is damaged")] == [
            1,
            1,
            1,
        ]
        assert found.count("not drawn: it is not in the file") == 2
        assert "after" in texts(ui)
        assert "\x1b" not in "".join(texts(ui))
        await ui.press("tab", "up", "down")
        await ui.until(lambda: "after" in texts(ui) and not image_positions(ui), "the same again")
        assert [text for text in texts(ui) if text.startswith("not drawn: ")] == found


async def test_what_is_read_stays_where_it_is_when_an_image_above_turns_out_damaged(opened, monkeypatch):
    cut = saved(Image.effect_noise((64, 64), 90), "PNG")
    gate, of = Event(), entry_reader.rgb_pixels
    monkeypatch.setattr(entry_reader, "rgb_pixels", lambda *given: (gate.wait(20), of(*given))[1])
    story = said("\n".join(f"line {number}" for number in range(200)))
    async with opened(block(cut[: len(cut) // 2]), story) as ui:
        await ui.until(lambda: "line 199" in texts(ui), "the text")
        assert image_positions(ui)
        ui.entry.move_to(120)
        first = texts(ui)[ui.entry.scroll_offset.y]
        gate.set()
        await ui.until(lambda: not image_positions(ui), "the end of the image")
        assert texts(ui)[ui.entry.scroll_offset.y] == first


async def test_an_image_is_decoded_while_the_text_is_there_and_not_at_all_once_the_cursor_left(
    opened, monkeypatch
):
    begun, gate, ended = Event(), Event(), []
    of = entry_reader.rgb_pixels

    def slow(data, size, grounds, overtaken):
        begun.set()
        gate.wait(20)
        ended.append(overtaken())
        return of(data, size, grounds, overtaken)

    monkeypatch.setattr(entry_reader, "rgb_pixels", slow)
    async with opened(said("before"), block(FOUR), said("after")) as ui:
        await ui.until(begun.is_set, "the decoding")
        await ui.until(lambda: "after" in texts(ui), "the text")
        [at] = image_positions(ui)
        assert ui.entry.draw(at, 20, False) == [(" ", "text"), (" " * 19, "text")]
        await ui.press("tab", "up")
        reader = ui.screen.query_one("#entry-pane")._reader
        await ui.until(lambda: reader.generation > 1, "the other entry")
        gate.set()
        await ui.until(lambda: texts(ui)[:1] == ["q"], "the entry above")
        assert ended == [True]
        assert not image_positions(ui)
        # and back, where it is decoded after all
        await ui.press("down")
        await ui.until(lambda: is_drawn(ui), "the image")


async def test_an_image_that_was_drawn_is_not_decoded_again(opened, monkeypatch):
    decoded = []
    of = entry_reader.rgb_pixels
    monkeypatch.setattr(entry_reader, "rgb_pixels", lambda *given: (decoded.append(None), of(*given))[1])
    async with opened(block(FOUR), block(FOUR)) as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        assert len(image_positions(ui)) == 2
        await ui.press("tab", "up")
        await ui.until(lambda: texts(ui)[:1] == ["q"], "the entry above")
        await ui.press("down")
        await ui.until(lambda: is_drawn(ui), "the image")
        assert len(decoded) == 1


async def test_of_very_many_images_the_first_are_drawn(opened):
    async with opened(*[block(FOUR)] * 23, said("after")) as ui:
        await ui.until(lambda: is_drawn(ui), "the images")
        assert len(image_positions(ui)) == 20
        assert [text for text in texts(ui) if "not drawn" in text] == [
            "not drawn: no more than 20 images of an entry are"
        ]


async def test_the_images_of_omp_come_from_its_store(browser, tmp_path):
    agent = tmp_path / "home/.omp/agent"
    blobs = BlobStore(str(agent / "blobs"))
    whole, broken = blobs.put(FOUR), blobs.put(FOUR + b"x")
    (agent / "blobs" / broken.removeprefix("blob:sha256:")).write_bytes(FOUR)
    gone = "blob:sha256:" + "0" * 64
    lines = answer(block(whole), block(broken), block(gone), block("blob:sha256:../../secret"))
    write_session(agent / "sessions/-app/2026_s.jsonl", *lines)
    before = sorted((path, path.stat().st_mtime_ns) for path in agent.rglob("*"))
    async with browser(env=COLOURS) as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        [at] = image_positions(ui)
        assert texts(ui)[at - 1] == f"2×2, {len(FOUR)} bytes"
        assert [text for text in texts(ui) if text.startswith("not drawn")] == [
            "not drawn: the blob cannot be read, or is damaged",
            "not drawn: the blob is gone",
            "not drawn: that is no name of a blob",
        ]
    assert sorted((path, path.stat().st_mtime_ns) for path in agent.rglob("*")) == before


async def test_kitty_is_told_the_image_once_and_draws_it_in_cells_of_its_own(opened, monkeypatch):
    async with opened(block(FOUR), block(plain(400, 200)), settings='images = "kitty"') as ui:
        written = []
        monkeypatch.setattr(ui.app._driver, "write", written.append)
        await ui.press("tab", "up")
        await ui.until(lambda: texts(ui)[:1] == ["q"], "the entry above")
        await ui.press("down")
        await ui.until(lambda: is_drawn(ui), "the images")
        drawing = ui.entry.lines[image_positions(ui)[-1]].drawing
        assert (drawing.cells, drawing.rows) == (40, 10)
        told = [text for text in written if text.startswith("\x1b_G")]
        spans = ui.entry.lines[image_positions(ui)[-1]].spans_over(DARK["background"])
        assert spans == [(placeholder_cells(9, 40), f"color({drawing.number})")]
        # another program had the terminal
        written.clear()
        ui.app.app_resume_signal.publish(ui.app)
        await ui.pilot.pause()
        again = [text for text in written if text.startswith("\x1b_G")]
        assert drawing.sent in again
        assert len(again) == 2
        assert set(told) <= set(again)
        written.clear()
    assert delete_command(drawing.number) in "".join(written)


def placeholders(ui):
    """How many cells of images the screen has by the colour that says of which."""
    found = Counter()
    for strip in ui.app.screen._compositor.render_strips():
        for text, style, _ in strip:
            if PLACEHOLDER in text:
                found[style.color.name] += text.count(PLACEHOLDER)
    return found


async def test_an_image_that_kitty_draws_is_not_lost_behind_a_dialog(opened):
    async with opened(block(plain(400, 200)), settings='images = "kitty"') as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        drawing = ui.entry.lines[image_positions(ui)[-1]].drawing
        colour = f"color({drawing.number})"
        whole = Counter({colour: drawing.cells * drawing.rows})
        assert placeholders(ui) == whole
        # one that is in the tree's row, one that is over a part of the image, and one that is over all
        for keys, is_partly_covered in ((("tab", "L"), True), (("F",), True), (("question_mark",), False)):
            await ui.press(*keys)
            assert isinstance(ui.app.screen, ModalScreen)
            assert set(placeholders(ui)) == ({colour} if is_partly_covered else set())
            await ui.press("escape")
            assert placeholders(ui) == whole


async def test_nor_behind_two_of_which_one_is_over_the_other(opened):
    async with opened(block(plain(400, 200)), settings='images = "kitty"') as ui:
        await ui.until(lambda: is_drawn(ui), "the image")
        await ui.press("tab", "L")
        [(colour, behind_one)] = placeholders(ui).items()
        # over the label's line, and over a part of the image
        for keys in ([], ["escape", "F"]):
            await ui.press(*keys)
            ui.app.action_command_palette()
            await ui.until(lambda: len(ui.app.screen_stack) == 3, "the palette over the dialog")
            await ui.pilot.pause()
            assert 0 < placeholders(ui)[colour] <= behind_one
            await ui.press("escape")


async def test_the_terminal_is_not_left_with_more_and_more_images(opened, monkeypatch):
    monkeypatch.setattr(entry_side, "MOST_IMAGES", 2)
    blocks = [block(plain(10, 10, (0, 0, number))) for number in range(4)]
    async with opened(*blocks, settings='images = "kitty"') as ui:
        await ui.until(lambda: is_drawn(ui), "the images")
        written = []
        monkeypatch.setattr(ui.app._driver, "write", written.append)
        numbers = [ui.entry.lines[at].drawing.number for at in image_positions(ui)]
        sent = ui.screen.query_one("#entry-pane")._terminal_images
        sent.send([ui.entry.lines[image_positions(ui)[0]].drawing])
        assert [text for text in written if text.startswith("\x1b_G")] == [
            ui.entry.lines[image_positions(ui)[0]].drawing.sent,
            delete_command(numbers[2]),
        ]
