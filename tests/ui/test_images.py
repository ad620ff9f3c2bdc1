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


def pixels_of(it, line):
    """The cells of a line of the pane that is on the screen: character, its colour, the one behind it."""
    found = []
    for segment in it.entry.render_line(line - it.entry.scroll_offset.y):
        style = segment.style
        colours = (style.color.name if style.color else "", style.bgcolor.name)
        found += [(char, *colours) for char in segment.text]
    return found


def image_positions(it):
    return [at for at, line in enumerate(it.entry.lines) if isinstance(line, ImageLine)]


def is_drawn(it):
    lines = [it.entry.lines[at] for at in image_positions(it)]
    return bool(lines) and all(line.drawing.is_done for line in lines)


def texts(it):
    return [line.text for line in it.entry.lines]


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
    async with opened(said("before"), block(FOUR), said("after")) as it:
        await it.until(lambda: is_drawn(it), "the image")
        at = texts(it).index(f"image/png, 2×2, {len(FOUR)} bytes")
        assert image_positions(it) == [at + 1]
        assert pixels_of(it, at + 1)[:4] == [
            (" ", DARK["text"], DARK["background"]),
            (UPPER, "#ff0000", "#0000ff"),
            (UPPER, "#00ff00", "#ffffff"),
            (" ", DARK["text"], DARK["background"]),
        ]
        assert texts(it).index("after") > at
        await it.press("tab", "tab", "r")
        await it.until(lambda: not image_positions(it), "the entry as it stands in the file")


async def test_what_shines_through_follows_the_theme(opened):
    clear = image_file([(0, 0, 0, 0), RED], [(0, 0, 0, 0), RED], mode="RGBA")
    async with opened(block(clear), theme="dark") as it:
        await it.until(lambda: is_drawn(it), "the image")
        [at] = image_positions(it)
        assert pixels_of(it, at)[1] == (UPPER, DARK["background"], DARK["background"])
        await it.press("f2")
        assert pixels_of(it, at)[1] == (UPPER, LIGHT["background"], LIGHT["background"])


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
    async with opened(block(FOUR), env=env, settings=settings) as it:
        assert f"image/png, 2×2, {len(FOUR)} bytes" in texts(it)
        assert not image_positions(it)
        assert not any("not drawn" in text for text in texts(it))


async def test_no_image_is_higher_than_the_pane_or_wider(opened):
    async with opened(block(plain(3_000, 2_000)), block(plain(30, 3_000)), size=(130, 30)) as it:
        await it.until(lambda: is_drawn(it), "the images")
        drawings = {it.entry.lines[at].drawing for at in image_positions(it)}
        assert len(drawings) == 2
        for drawing in drawings:
            assert drawing.rows <= it.entry.size.height - 2
            assert drawing.cells <= it.entry.cells
        before = max(drawing.rows for drawing in drawings)
        await it.pilot.resize_terminal(130, 50)
        await it.until(
            lambda: (
                is_drawn(it) and max(it.entry.lines[at].drawing.rows for at in image_positions(it)) > before
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
    async with opened(*blocks) as it:
        await it.until(
            lambda: any("damaged" in text for text in texts(it)) and not image_positions(it), "all of it"
        )
        found = [text for text in texts(it) if text.startswith("not drawn: ")]
        assert found[0] == "not drawn: its agent keeps no blobs"
        assert [sum(what in text for text in found) for what in ("base64", "it is no PNG", "is damaged")] == [
            1,
            1,
            1,
        ]
        assert found.count("not drawn: it is not in the file") == 2
        assert "after" in texts(it)
        assert "\x1b" not in "".join(texts(it))
        await it.press("tab", "up", "down")
        await it.until(lambda: "after" in texts(it) and not image_positions(it), "the same again")
        assert [text for text in texts(it) if text.startswith("not drawn: ")] == found


async def test_what_is_read_stays_where_it_is_when_an_image_above_turns_out_damaged(opened, monkeypatch):
    cut = saved(Image.effect_noise((64, 64), 90), "PNG")
    gate, of = Event(), entry_reader.rgb_pixels
    monkeypatch.setattr(entry_reader, "rgb_pixels", lambda *given: (gate.wait(20), of(*given))[1])
    story = said("\n".join(f"line {number}" for number in range(200)))
    async with opened(block(cut[: len(cut) // 2]), story) as it:
        await it.until(lambda: "line 199" in texts(it), "the text")
        assert image_positions(it)
        it.entry.move_to(120)
        first = texts(it)[it.entry.scroll_offset.y]
        gate.set()
        await it.until(lambda: not image_positions(it), "the end of the image")
        assert texts(it)[it.entry.scroll_offset.y] == first


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
    async with opened(said("before"), block(FOUR), said("after")) as it:
        await it.until(begun.is_set, "the decoding")
        await it.until(lambda: "after" in texts(it), "the text")
        [at] = image_positions(it)
        assert it.entry.draw(at, 20, False) == [(" ", "text"), (" " * 19, "text")]
        await it.press("tab", "up")
        reader = it.screen.query_one("#entry-pane")._reader
        await it.until(lambda: reader.generation > 1, "the other entry")
        gate.set()
        await it.until(lambda: texts(it)[:1] == ["q"], "the entry above")
        assert ended == [True]
        assert not image_positions(it)
        # and back, where it is decoded after all
        await it.press("down")
        await it.until(lambda: is_drawn(it), "the image")


async def test_an_image_that_was_drawn_is_not_decoded_again(opened, monkeypatch):
    decoded = []
    of = entry_reader.rgb_pixels
    monkeypatch.setattr(entry_reader, "rgb_pixels", lambda *given: (decoded.append(None), of(*given))[1])
    async with opened(block(FOUR), block(FOUR)) as it:
        await it.until(lambda: is_drawn(it), "the image")
        assert len(image_positions(it)) == 2
        await it.press("tab", "up")
        await it.until(lambda: texts(it)[:1] == ["q"], "the entry above")
        await it.press("down")
        await it.until(lambda: is_drawn(it), "the image")
        assert len(decoded) == 1


async def test_of_very_many_images_the_first_are_drawn(opened):
    async with opened(*[block(FOUR)] * 23, said("after")) as it:
        await it.until(lambda: is_drawn(it), "the images")
        assert len(image_positions(it)) == 20
        assert [text for text in texts(it) if "not drawn" in text] == [
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
    async with browser(env=COLOURS) as it:
        await it.until(lambda: is_drawn(it), "the image")
        [at] = image_positions(it)
        assert texts(it)[at - 1] == f"2×2, {len(FOUR)} bytes"
        assert [text for text in texts(it) if text.startswith("not drawn")] == [
            "not drawn: the blob cannot be read, or is damaged",
            "not drawn: the blob is gone",
            "not drawn: that is no name of a blob",
        ]
    assert sorted((path, path.stat().st_mtime_ns) for path in agent.rglob("*")) == before


async def test_kitty_is_told_the_image_once_and_draws_it_in_cells_of_its_own(opened, monkeypatch):
    async with opened(block(FOUR), block(plain(400, 200)), settings='images = "kitty"') as it:
        written = []
        monkeypatch.setattr(it.app._driver, "write", written.append)
        await it.press("tab", "up")
        await it.until(lambda: texts(it)[:1] == ["q"], "the entry above")
        await it.press("down")
        await it.until(lambda: is_drawn(it), "the images")
        drawing = it.entry.lines[image_positions(it)[-1]].drawing
        assert (drawing.cells, drawing.rows) == (40, 10)
        told = [text for text in written if text.startswith("\x1b_G")]
        spans = it.entry.lines[image_positions(it)[-1]].spans_over(DARK["background"])
        assert spans == [(placeholder_cells(9, 40), f"color({drawing.number})")]
        # another program had the terminal
        written.clear()
        it.app.app_resume_signal.publish(it.app)
        await it.pilot.pause()
        again = [text for text in written if text.startswith("\x1b_G")]
        assert drawing.sent in again
        assert len(again) == 2
        assert set(told) <= set(again)
        written.clear()
    assert delete_command(drawing.number) in "".join(written)


def placeholders(it):
    """How many cells of images the screen has by the colour that says of which."""
    found = Counter()
    for strip in it.app.screen._compositor.render_strips():
        for text, style, _ in strip:
            if PLACEHOLDER in text:
                found[style.color.name] += text.count(PLACEHOLDER)
    return found


async def test_an_image_that_kitty_draws_is_not_lost_behind_a_dialog(opened):
    async with opened(block(plain(400, 200)), settings='images = "kitty"') as it:
        await it.until(lambda: is_drawn(it), "the image")
        drawing = it.entry.lines[image_positions(it)[-1]].drawing
        colour = f"color({drawing.number})"
        whole = Counter({colour: drawing.cells * drawing.rows})
        assert placeholders(it) == whole
        # one that is in the tree's row, one that is over a part of the image, and one that is over all
        for keys, is_partly_covered in ((("tab", "L"), True), (("F",), True), (("question_mark",), False)):
            await it.press(*keys)
            assert isinstance(it.app.screen, ModalScreen)
            assert set(placeholders(it)) == ({colour} if is_partly_covered else set())
            await it.press("escape")
            assert placeholders(it) == whole


async def test_nor_behind_two_of_which_one_is_over_the_other(opened):
    async with opened(block(plain(400, 200)), settings='images = "kitty"') as it:
        await it.until(lambda: is_drawn(it), "the image")
        await it.press("tab", "L")
        [(colour, behind_one)] = placeholders(it).items()
        # over the label's line, and over a part of the image
        for keys in ([], ["escape", "F"]):
            await it.press(*keys)
            it.app.action_command_palette()
            await it.until(lambda: len(it.app.screen_stack) == 3, "the palette over the dialog")
            await it.pilot.pause()
            assert 0 < placeholders(it)[colour] <= behind_one
            await it.press("escape")


async def test_the_terminal_is_not_left_with_more_and_more_images(opened, monkeypatch):
    monkeypatch.setattr(entry_side, "MOST_IMAGES", 2)
    blocks = [block(plain(10, 10, (0, 0, number))) for number in range(4)]
    async with opened(*blocks, settings='images = "kitty"') as it:
        await it.until(lambda: is_drawn(it), "the images")
        written = []
        monkeypatch.setattr(it.app._driver, "write", written.append)
        numbers = [it.entry.lines[at].drawing.number for at in image_positions(it)]
        sent = it.screen.query_one("#entry-pane")._terminal_images
        sent.send([it.entry.lines[image_positions(it)[0]].drawing])
        assert [text for text in written if text.startswith("\x1b_G")] == [
            it.entry.lines[image_positions(it)[0]].drawing.sent,
            delete_command(numbers[2]),
        ]
