"""The transcript pane alone: its content, its position, and how little it reads."""

from __future__ import annotations

import json
import os
import threading
from contextlib import asynccontextmanager
from unittest.mock import patch

from textual import on
from textual.app import App

from app.messages import ServiceFailed
from app.panes import transcript_pane
from app.panes.transcript_pane import TranscriptPane
from app.services.transcript_reader import TranscriptReader
from app.sessions.tree import path_reader
from app.setup import Setup
from app.view import HitPlace
from app.widgets import line_list
from tests.factory import chain, entry, header, make_row, message, write_session
from tests.ui.conftest import strips

SETUP = Setup(env={}, home="/home/me", here=("/work/app",), stores=[], cache_folder="")


class Driver:
    def __init__(self, app, pilot):
        self.app = app
        self.pilot = pilot
        self.pane = app.pane
        self.lines = app.pane.lines
        self.reader = app.reader
        self.errors = app.errors

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, condition, what="it"):
        for _ in range(3000):
            await self.pilot.pause()
            if condition():
                await self.pilot.pause()
                return
            await self.pilot.pause(0.02)
        raise AssertionError(f"{what} did not come about:\n{self.text()}")

    async def settle(self):
        await self.until(lambda: not self.pane.is_reading, "the transcript")

    async def show(self, row, **options):
        self.pane.show_session(row, **options)
        await self.until(lambda: not self.pane.is_reading and bool(self.lines.lines or self.lines.notice))

    async def hit(self, row, entry_id, *words, place="", offset=None):
        if offset is None:
            offset = offset_of(row.path, entry_id)
        self.pane.show_hit(HitPlace(row.path, " ".join(words), entry_id, offset, words, place))
        await self.settle()

    def text(self):
        drawn = strips(self.app.screen)
        return "\n".join("".join(segment.text for segment in strip) for strip in drawn)

    def rows(self):
        """The visible lines, without border, cursor, band and scrollbar."""
        cells = self.lines.cells
        return [line[2 : 2 + cells].lstrip("▌ ").rstrip() for line in self.text().splitlines()[1:-1]]

    @property
    def title(self):
        return self.pane.words[1]

    @property
    def block(self):
        """The text of the first line of the block with the cursor."""
        placed = self.lines.transcript.placed
        return self.lines.lines[placed.begin].whole_text.strip("▌ ")

    def texts(self):
        return [line.text.strip("▌ ") for line in self.lines.lines]


@asynccontextmanager
async def pane(size=(60, 20)):
    class Alone(App):
        CSS = ".pane { border: round white; } LineList { overflow-x: hidden; overflow-y: scroll; }"
        errors: list = []

        def compose(self):
            with patch.object(transcript_pane, "TranscriptReader", self.make_reader):
                self.pane = TranscriptPane(SETUP, id="preview")
            yield self.pane

        def make_reader(self, post):
            self.reader = TranscriptReader(post)
            return self.reader

        @on(ServiceFailed)
        def service_failed(self, event):
            self.errors.append(event.reason)

    app = Alone()
    async with app.run_test(size=size) as pilot:
        app.pane.lines.focus()
        await pilot.pause()
        ui = Driver(app, pilot)
        yield ui
        assert not ui.errors


def session(tmp_path, *lines, name="s", **fields):
    file = write_session(tmp_path / f"{name}.jsonl", *lines)
    return row_of(file, **fields)


def row_of(file, **fields):
    entries = len(file.read_bytes().splitlines()) - 1
    return make_row(
        file.stem, **{"path": str(file), "entry_count": entries, "size": os.path.getsize(file), **fields}
    )


def offset_of(path, entry_id):
    offset = 0
    with open(path, "rb") as file:
        for line in file:
            if json.loads(line).get("id") == entry_id:
                return offset
            offset += len(line)
    raise AssertionError(entry_id)


def append(row, *lines):
    with open(row.path, "a", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")


def long_chain(count):
    return chain(*(f"text {number}" for number in range(count)))


BRANCHED = [
    header(),
    message("a", None, "user", "fix the login"),
    message("b", "a", "assistant", "the token is read too early"),
    message("c", "b", "user", "cache it"),
    message("d", "c", "assistant", "slower than before"),
    message("e", "b", "user", "use redis"),
    message("f", "e", "assistant", "much faster"),
]


async def test_it_shows_the_end_of_the_active_branch(tmp_path):
    async with pane() as ui:
        await ui.show(session(tmp_path, *BRANCHED, linear=False))
        text = ui.text()
        assert "use redis" in text
        assert "much faster" in text
        assert "cache it" not in text
        await ui.until(lambda: ui.title == "prompt 2 of 2", "the position")


async def test_earlier_entries_are_read_while_scrolling(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(300))
        await ui.show(row)
        assert "text 299" in ui.rows()[-1]
        await ui.until(lambda: ui.title == "prompt 150 of 150", "the position")
        assert ui.reader.entries_read < 60
        while "text 0" not in ui.texts():
            ui.lines.scroll_lines(0)
            await ui.pilot.pause()
            await ui.settle()
        await ui.press("home")
        await ui.until(lambda: ui.title == "prompt 1 of 150", "the position")
        shown = [line for line in ui.texts() if line.startswith("text")]
        assert shown == [f"text {number}" for number in range(300)]


async def test_home_and_end(tmp_path):
    async with pane() as ui:
        await ui.show(session(tmp_path, *long_chain(300)))
        await ui.press("home")
        await ui.until(lambda: ui.title == "prompt 1 of 150", "the beginning")
        await ui.settle()
        assert "text 0" in ui.text()
        assert ui.lines.top == 0
        await ui.press("end")
        await ui.until(lambda: ui.title == "prompt 150 of 150", "the end")
        await ui.settle()
        assert "text 299" in ui.rows()[-1]


async def test_the_visible_lines_stay_when_more_come_above(tmp_path):
    async with pane() as ui:
        await ui.show(session(tmp_path, *long_chain(300)))
        at = next(number for number, line in enumerate(ui.lines.lines) if number > 4 and "text" in line.text)
        ui.lines.scroll_lines(at)
        first, rows = ui.lines.lines[at], len(ui.lines.lines)
        await ui.until(lambda: len(ui.lines.lines) > rows, "more")
        assert ui.lines.lines[ui.lines.top] is first
        assert ui.rows()[0].startswith(first.text.strip("▌ "))


async def test_it_opens_at_a_hit_with_highlights_and_its_branch(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *BRANCHED, linear=False)
        await ui.show(row)
        await ui.hit(row, "d", "slower", place="branch 1 of 2, not on the active path")
        text = ui.text()
        assert "cache it" in text
        assert "slower than before" in text
        assert "use redis" not in text
        await ui.until(lambda: ui.title == "prompt 2 of 2 · branch 1 of 2, not on the active path", "it")
        index = next(n for n, line in enumerate(ui.lines.lines) if "slower" in line.text)
        assert ("slower", "match") in ui.lines.draw(index, 50, False)


async def test_a_distant_hit_is_shown_between_its_neighbours(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(300))
        ui.pane.show_session(row, waits=True)
        await ui.hit(row, f"{101:08x}", "text", "100")
        rows = ui.rows()
        for number in (99, 100, 101):
            assert any(line.startswith(f"text {number}") for line in rows)
        await ui.until(lambda: ui.title == "prompt 51 of 150", "the position")
        assert ui.reader.entries_read < 60


async def test_the_place_of_a_hit_found_later_does_not_scroll(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(300))
        await ui.show(row)
        await ui.hit(row, f"{101:08x}", "text")
        await ui.press("pagedown", "pagedown")
        await ui.settle()
        before = ui.rows()
        offset = offset_of(row.path, f"{101:08x}")
        ui.pane.show_hit(
            HitPlace(row.path, "text", f"{101:08x}", offset, ("text",), "on the active path", again=True)
        )
        await ui.pilot.pause()
        assert ui.rows() == before
        assert ui.title.endswith("on the active path")


async def test_a_hit_in_tool_output_is_visible(tmp_path):
    output = "\n".join(f"line {number}" for number in range(1000)) + "\nthe needle\nafter it"
    call = {"type": "toolCall", "id": "1", "name": "bash", "arguments": {"command": "make"}}
    lines = [
        header(),
        message("a", None, "user", "run it"),
        message("b", "a", "assistant", ""),
        message("c", "b", "toolResult", output, toolName="bash", toolCallId="1"),
        message("d", "c", "assistant", "done"),
    ]
    lines[2]["message"]["content"] = [call]
    async with pane() as ui:
        row = session(tmp_path, *lines)
        await ui.show(row)
        assert "▸ bash  make" in ui.text()
        assert "1,002 lines" in ui.text()
        assert "line 0" not in ui.text()
        await ui.hit(row, "c", "needle")
        assert "the needle" in ui.text()
        assert "after it" in ui.text()


async def test_a_hit_without_an_entry_opens_at_the_end(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(50))
        ui.pane.show_session(row, waits=True)
        await ui.hit(row, None, "name", offset=-1)
        await ui.until(lambda: ui.title == "prompt 25 of 25", "the position")


async def test_waiting_for_a_hit_that_does_not_come_ends(tmp_path):
    async with pane() as ui:
        await ui.show(session(tmp_path, *long_chain(50)), waits=True)
        await ui.until(lambda: ui.title == "prompt 25 of 25", "the position")


async def test_at_the_end_new_entries_are_followed(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(100))
        await ui.show(row)
        append(row, message("new", f"{100:08x}", "user", "one thing more"))
        ui.pane.follow(row)
        await ui.until(lambda: "one thing more" in ui.text(), "what came")
        assert ui.rows()[-1].startswith("one thing more")
        await ui.until(lambda: ui.title == "prompt 51 of 51", "the position")


async def test_further_up_the_position_stays(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(100))
        await ui.show(row)
        await ui.press("pageup")
        await ui.settle()
        before = ui.rows()
        append(row, message("new", f"{100:08x}", "user", "one thing more"))
        ui.pane.follow(row)
        await ui.until(lambda: "1 new entry below" in ui.title, "what came")
        assert ui.rows() == before
        append(row, message("other", f"{50:08x}", "user", "gone back"))
        ui.pane.follow(row)
        await ui.settle()
        assert ui.rows() == before


async def test_at_the_end_another_branch_is_followed(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(100))
        await ui.show(row)
        append(row, message("other", f"{50:08x}", "user", "gone back"))
        ui.pane.follow(row)
        await ui.until(lambda: "gone back" in ui.text(), "the branch")
        assert "text 49" in ui.text()
        assert "text 99" not in ui.text()
        await ui.until(lambda: ui.title == "prompt 26 of 26", "the position")


async def test_another_width_and_back_keeps_the_block_on_its_row(tmp_path):
    texts = [f"text {number} " + "word " * (number % 7 * 12) for number in range(300)]
    async with pane(size=(120, 40)) as ui:
        await ui.show(session(tmp_path, *chain(*texts)))
        await ui.press("[", "[", "[")
        await ui.settle()
        shown, before, block = ui.text(), ui.rows(), ui.block
        row = next(number for number, line in enumerate(shown.splitlines()) if "❯" in line)
        for size in ((160, 40), (50, 40), (120, 40)):
            await ui.pilot.resize_terminal(*size)
            await ui.settle()
            assert ui.block[:8] == block[:8]
            assert "❯" in ui.text().splitlines()[row], size
        assert ui.rows() == before


async def test_a_key_pressed_while_lines_are_wrapped_anew_is_not_lost(tmp_path, monkeypatch):
    gate, open_path = threading.Event(), path_reader.open_path

    def open_later(*arguments, **options):
        gate.wait(30)
        return open_path(*arguments, **options)

    async with pane(size=(120, 40)) as ui:
        await ui.show(session(tmp_path, *long_chain(300)))
        await ui.press("[", "[", "[")
        await ui.settle()
        monkeypatch.setattr(path_reader, "open_path", open_later)
        await ui.pilot.resize_terminal(100, 40)
        await ui.press("[")
        block, is_reading = ui.block, ui.pane.is_reading
        gate.set()
        await ui.settle()
        assert is_reading
        assert ui.block == block


async def test_the_end_is_followed_only_with_the_cursor_on_the_last_block(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(100))
        await ui.show(row)
        await ui.press("up")
        before, block = ui.rows(), ui.block
        append(row, message("n1", f"{100:08x}", "user", "one thing more"))
        ui.pane.follow(row)
        await ui.until(lambda: "1 new entry below (G)" in ui.title, "what came")
        assert (ui.rows(), ui.block) == (before, block)
        await ui.press("G")
        append(row, message("n2", "n1", "assistant", "another one"))
        ui.pane.follow(row)
        await ui.until(lambda: "another one" in ui.text(), "the end")
        assert "new entry" not in ui.title


async def test_a_rewritten_file_keeps_the_position(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(100))
        await ui.show(row)
        await ui.press(*["pageup"] * 4)
        await ui.settle()
        before = ui.rows()
        lines = long_chain(100)
        lines[0]["title"] = "a longer header moves every entry"
        new_file = write_session(tmp_path / "other.jsonl", *lines)
        os.replace(new_file, row.path)
        generation = ui.reader.path
        ui.pane.follow(row)
        await ui.settle()
        assert ui.reader.path is not generation
        assert ui.rows() == before


async def test_a_missing_file_is_reported_and_can_be_tried_again(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *chain("hello", "world"))
        os.rename(row.path, row.path + ".away")
        await ui.show(row)
        assert "cannot be read" in ui.text()
        os.rename(row.path + ".away", row.path)
        ui.pane.retry()
        await ui.until(lambda: "world" in ui.text(), "the session")


async def test_no_session_and_an_empty_one(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *chain("hello", "world"))
        await ui.show(row)
        ui.pane.show_session(None)
        await ui.pilot.pause()
        assert "hello" not in ui.text()
        assert ui.title == ""
        await ui.show(session(tmp_path, header(), name="empty", message_count=0))
        assert "nothing was said yet" in ui.text()


async def test_another_width_keeps_the_entry_in_view(tmp_path):
    async with pane(size=(80, 20)) as ui:
        row = session(tmp_path, *chain(*(f"text {number} " + "word " * 30 for number in range(100))))
        await ui.show(row)
        await ui.hit(row, f"{51:08x}", "50")
        await ui.pilot.resize_terminal(50, 20)
        await ui.settle()
        assert all(len(line.text) <= ui.lines.cells for line in ui.lines.lines)
        assert "text 50 word" in ui.text()


async def test_another_height_keeps_the_end_in_view(tmp_path):
    async with pane() as ui:
        await ui.show(session(tmp_path, *long_chain(100)))
        for height in (10, 60, 20):
            await ui.pilot.resize_terminal(60, height)
            await ui.settle()
            assert ui.rows()[-1] == "text 99"
            assert len(ui.lines.lines) >= ui.lines.size.height


async def test_a_hidden_pane_reads_nothing(tmp_path):
    async with pane() as ui:
        ui.pane.display = False
        await ui.pilot.pause()
        ui.pane.show_session(session(tmp_path, *chain("hello", "world")))
        await ui.pilot.pause()
        assert ui.reader.entries_read == 0
        ui.pane.display = True
        await ui.until(lambda: "world" in ui.text(), "the session")


async def test_a_hidden_pane_that_is_shown_without_a_resize_reads_its_session(tmp_path):
    async with pane() as ui:
        ui.pane.display = False
        await ui.until(lambda: not ui.lines.is_laid_out, "the hidden pane")
        ui.pane.show_session(session(tmp_path, *chain("hello", "world")))
        ui.pane.display = True
        # If another widget has scrolled, Textual places all widgets anew when it is asked for a size.
        ui.app.screen._compositor._full_map_invalidated = True
        assert ui.lines.is_laid_out
        await ui.until(lambda: "world" in ui.text(), "the session")


async def test_only_the_session_where_the_cursor_rests_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(line_list, "BURST_SECONDS", 60)
    async with pane() as ui:
        rows = [session(tmp_path, *chain(f"session {n}", "x"), name=f"s{n}") for n in range(20)]
        for row in rows:
            ui.pane.show_session(row)
        await ui.until(lambda: "session 19" in ui.text(), "the last session")
        assert ui.reader.entries_read <= 6


async def test_hostile_text_is_inert(tmp_path):
    evil = "\x1b[31mred\x1b]0;t\x07 \u202egnp.exe [/foo] \x9b2J"
    call = {"type": "toolCall", "id": "1", "name": evil, "arguments": {evil: evil}}
    lines = [
        header(),
        message("a", None, "user", evil),
        message("b", "a", "assistant", evil, errorMessage=evil, stopReason=evil),
        message("c", "b", "toolResult", evil, toolName=evil),
        entry("custom_message", "d", "c", customType=evil, content=evil),
        entry("compaction", "e", "d", summary=evil, tokensBefore=1e300),
        entry("branch_summary", "f", "e", summary=evil),
        message("g", "f", evil, evil),
        message("h", "g", "bashExecution", "", command=evil, output=evil),
    ]
    lines[2]["message"]["content"].append(call)
    async with pane(size=(80, 60)) as ui:
        row = session(tmp_path, *lines)
        await ui.show(row)
        for bad in ("\x1b", "\x07", "\u202e", "\x9b"):
            assert bad not in ui.text()
        assert "[/foo]" in ui.text()
        await ui.hit(row, "c", "gnp")
        assert "\u202e" not in ui.text()


async def test_the_end_of_80_000_entries_is_shown_after_reading_a_few(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(80_000))
        await ui.show(row)
        path = ui.reader.path
        assert "text 79999" in ui.rows()[-1]
        assert not path.tree.is_whole
        assert ui.reader.entries_read <= 40


async def test_a_distant_text_of_10_megabytes_is_not_read(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *chain("hello", "a word " * 1_500_000, *(f"text {n}" for n in range(100))))
        await ui.show(row)
        path = ui.reader.path
        assert "text 99" in ui.rows()[-1]
        assert not path.tree.is_whole


async def test_a_text_of_10_megabytes_is_not_wrapped_completely(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *chain("hello", "a word " * 1_500_000, "short", "also short"))
        await ui.show(row)
        assert "also short" in ui.rows()[-1]
        assert len(ui.lines.lines) < 3_000
        assert sum(len(line.text) for line in ui.lines.lines) < 100_000
        assert any("characters more" in line.text for line in ui.lines.lines)


async def test_distant_lines_are_dropped(tmp_path, monkeypatch):
    monkeypatch.setattr(transcript_pane, "MOST_LINES", 300)
    async with pane() as ui:
        await ui.show(session(tmp_path, *long_chain(200)))
        for way, last in (("pageup", "text 0"), ("pagedown", "text 199")):
            for _ in range(60):
                await ui.press(way)
                await ui.settle()
                assert len(ui.lines.lines) <= 300
                assert any(row.startswith("text") for row in ui.rows())
                if any(row.split("  ")[0] == last for row in ui.rows()):
                    break
            assert any(row.startswith(last) for row in ui.rows())
        assert "text 199" in ui.rows()[-1]


# blocks


def answer(id, parent, *content):
    raw = message(id, parent, "assistant", "")
    raw["message"]["content"] = list(content)
    return raw


def call(name, id="1", **arguments):
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def tools(lines):
    """A conversation with one tool call of `lines` lines of output."""
    return [
        header(),
        message("a", None, "user", "run it"),
        answer("b", "a", call("bash", command="make")),
        message("c", "b", "toolResult", "\n".join(map(str, range(lines))), toolName="bash", toolCallId="1"),
        answer("d", "c", {"type": "text", "text": "done\n```sh\nls\n```\n```\npwd\n```"}),
    ]


async def test_the_cursor_goes_from_block_to_block_and_scrolls_inside_a_long_one(tmp_path):
    async with pane() as ui:
        long = "\n".join(f"row {number}" for number in range(50))
        await ui.show(session(tmp_path, *chain("first", long, "second", "third")))
        assert ui.block.startswith("10:0")
        await ui.press("up")
        assert ui.block.startswith("second")
        await ui.press("up")
        assert "row 49" in ui.text()
        assert "row 0" not in ui.text()
        await ui.press("up")
        assert "row 49" not in ui.text(), "a long block is scrolled line by line"
        assert "row 48" in ui.text()
        for _ in range(60):
            if ui.block.startswith("first"):
                break
            await ui.press("up")
        assert ui.block.startswith("first")
        assert "❯▌ first" in ui.text()
        await ui.press("right_square_bracket")
        assert ui.block.startswith("second")
        await ui.press("left_square_bracket")
        assert ui.block.startswith("first")


async def test_space_unfolds_a_call_and_its_whole_output_and_folds_it(tmp_path):
    async with pane(size=(80, 60)) as ui:
        await ui.show(session(tmp_path, *tools(30)))
        await ui.press("up")
        assert ui.block == "▸ bash  make  30 lines"
        await ui.press("space")
        assert "│ 11" in ui.text()
        assert "│ 12" not in ui.text()
        assert "… 18 more lines (Space)" in ui.text()
        await ui.press("space")
        await ui.until(lambda: "│ 29" in ui.text(), "all of the output")
        await ui.press("space")
        assert "│ 0" not in ui.text()
        await ui.press("ctrl+t")
        assert "│ 11" in ui.text()
        await ui.press("ctrl+t")
        assert "│ 11" not in ui.text()


async def test_plus_and_minus_unfold_and_fold_all_calls(tmp_path):
    async with pane(size=(80, 60)) as ui:
        await ui.show(session(tmp_path, *tools(3)))
        await ui.press("minus")
        assert "│ 0" not in ui.text()
        await ui.press("plus", "plus")
        assert "│ 2" in ui.text()
        await ui.press("minus")
        assert "│ 2" not in ui.text()


async def test_backspace_goes_to_the_parent(tmp_path):
    async with pane() as ui:
        await ui.show(session(tmp_path, *tools(3)))
        await ui.press("backspace")
        assert ui.block.startswith("▸ bash")
        await ui.press("backspace")
        assert ui.block.startswith("run it")
        await ui.press("backspace")
        assert ui.block.startswith("run it"), "it has no parent"


async def test_a_block_and_its_code_are_copied(tmp_path):
    async with pane() as ui:
        await ui.show(session(tmp_path, *tools(3)))
        for keys, copied in (("Y", "ls"), ("Y", "pwd"), ("Y", "ls"), ("ctrl+x", "done\n```sh")):
            ui.app.copy_to_clipboard("")
            await ui.press(keys)
            await ui.until(lambda copied=copied: ui.app.clipboard.startswith(copied), copied)
        await ui.press("up", "ctrl+x")
        await ui.until(lambda: ui.app.clipboard == "make\n0\n1\n2", "input and output")


async def test_a_result_that_comes_later_joins_its_call(tmp_path):
    async with pane() as ui:
        lines = tools(5)
        row = session(tmp_path, *lines[:3])
        await ui.show(row)
        assert "▸ bash  make" in ui.text()
        await ui.press("space")
        append(row, *lines[3:])
        ui.pane.follow(row)
        await ui.until(lambda: "done" in ui.text(), "the answer")
        assert "│ 4" in ui.text(), "what was unfolded stays so"
        assert ui.text().count("bash") == 1


async def test_results_are_joined_with_calls_that_are_read_after_them(tmp_path):
    lines = [header(), message("u", None, "user", "go")]
    for number in range(200):
        last = lines[-1]["id"]
        lines.append(answer(f"a{number}", last, call("bash", id=str(number), command=f"run {number}")))
        lines.append(
            message(f"r{number}", f"a{number}", "toolResult", "ok", toolName="bash", toolCallId=str(number))
        )
    async with pane() as ui:
        await ui.show(session(tmp_path, *lines))
        await ui.press("ctrl+t", *["pageup"] * 3)
        await ui.settle()
        shown = [line.whole_text for line in ui.lines.lines if "▾ bash" in line.text]
        assert len(shown) > 40
        assert all("run" in line and "1 line" in line for line in shown)


async def test_new_entries_are_counted_while_the_view_is_above_the_end(tmp_path):
    async with pane() as ui:
        row = session(tmp_path, *long_chain(100))
        await ui.show(row)
        await ui.press("pageup")
        await ui.settle()
        append(row, message("n1", f"{100:08x}", "user", "one"), message("n2", "n1", "assistant", "two"))
        ui.pane.follow(row)
        await ui.until(lambda: "2 new entries below (G)" in ui.title, "the count")
        await ui.press("G")
        await ui.until(lambda: "two" in ui.text(), "the end")
        assert "new entries" not in ui.title


async def test_a_session_with_hostile_markdown_is_shown(tmp_path):
    evil = (
        "| a |\n|---|\n| \x1b[31m&#x202e; |\n\n"
        + "[" * 3_000
        + "\n\n"
        + "> " * 3_000
        + "\n\n```\x1b\n\x1b]0;x\x07"
    )
    async with pane() as ui:
        await ui.show(session(tmp_path, *chain("hello", evil, "日本語 " * 100, "👩‍👩‍👧 " * 100)))
        for bad in ("\x1b", "\x07", "\u202e"):
            assert bad not in ui.text()
        await ui.press(*["up"] * 20)
        assert all(bad not in ui.text() for bad in ("\x1b", "\x07", "\u202e"))


# branches and searching


async def test_a_branch_point_names_the_other_branch_and_b_goes_there_and_back(tmp_path):
    async with pane(size=(80, 30)) as ui:
        await ui.show(session(tmp_path, *BRANCHED, linear=False))
        await ui.until(lambda: "Ψ 1 other branch starts here: cache it" in ui.text(), "the branch point")
        await ui.press("home", "b")
        assert ui.block.startswith("the token is read too early"), "the block with the branch point"
        await ui.press("b")
        await ui.until(lambda: "slower than before" in ui.text(), "the other branch")
        assert ui.block.startswith("cache it")
        assert "much faster" not in ui.text()
        await ui.until(lambda: "branch 1 of 2" in ui.title, "its number")
        await ui.until(lambda: "other branch starts here: use redis" in ui.text(), "the way back")
        await ui.pilot.resize_terminal(70, 30)
        await ui.settle()
        assert "slower than before" in ui.text(), "another width keeps the branch"
        await ui.press("B")
        await ui.until(lambda: "much faster" in ui.text(), "the branch before")


async def test_a_search_goes_from_hit_to_hit_also_on_other_branches(tmp_path):
    cache = message("h", "d", "user", "a faster cache")
    lines = [*BRANCHED, cache, message("g", "f", "user", "is redis faster")]
    async with pane(size=(80, 30)) as ui:
        await ui.show(session(tmp_path, *lines, linear=False))
        await ui.press("home")
        ui.pane.finder.open()
        await ui.press(*"faster")
        await ui.until(lambda: "hit 1 of 3 · " in ui.title, "the first hit")
        assert ui.title.endswith(" · 1 hit on other branches")
        assert ui.block.startswith("much faster")
        await ui.press("enter")
        assert ui.app.focused is ui.lines
        await ui.press("n")
        await ui.until(lambda: "hit 2 of 3" in ui.title and ui.block.startswith("is redis"), "the next")
        await ui.press("n")
        await ui.until(lambda: "hit 3 of 3" in ui.title and "slower" in ui.text(), "the one elsewhere")
        await ui.press("n")
        await ui.until(lambda: "hit 1 of 3" in ui.title and "much faster" in ui.text(), "the first again")
        await ui.press("N")
        await ui.until(lambda: "hit 3 of 3" in ui.title, "backwards")
        assert ui.pane.finder.drop()
        await ui.until(lambda: "hit" not in ui.title, "the end of the search")


async def test_a_search_finds_what_is_not_read_yet_and_in_output_that_is_folded(tmp_path):
    lines = [*tools(500)]
    for number in range(200):
        lines.append(message(f"x{number}", lines[-1]["id"], "user", f"text {number}"))
    async with pane() as ui:
        await ui.show(session(tmp_path, *lines))
        ui.pane.finder.open()
        await ui.press(*"499", "enter")
        await ui.until(lambda: "hit 1 of 1" in ui.title and "│ 499" in ui.text(), "the hit")


async def test_labels_and_prompts_are_gone_to_also_where_nothing_is_read(tmp_path):
    lines = long_chain(300)
    labels = (("00000002", "near the start"), ("00000061", "in the middle"))
    for number, (target, text) in enumerate(labels):
        lines.append(entry("label", f"l{number}", lines[-1]["id"], targetId=target, label=text))
    async with pane() as ui:
        await ui.show(session(tmp_path, *lines, labels=labels))
        await ui.until(lambda: "prompt 150 of 150" in ui.title, "the outline")
        await ui.press("M")
        await ui.until(lambda: ui.block.startswith("text 96"), "a label that was not read")
        assert "◆ in the middle" in ui.text()
        await ui.press("M")
        await ui.until(
            lambda: "◆ near the start" in ui.text() and ui.block.startswith("10:02"), "a label above"
        )
        assert "text 1" in ui.rows()
        await ui.press("M")
        await ui.pilot.pause()
        assert "◆ near the start" in ui.text(), "there is none above"
        await ui.press("m")
        await ui.until(lambda: ui.block.startswith("text 96"), "the label below")
        ui.pane.show_entry(ui.pane._row, None, -1)
        await ui.settle()
        await ui.until(lambda: "of 150" in ui.title, "the outline")
        ui.lines.put_cursor(len(ui.lines.transcript.blocks) - 1)
        shown = ui.block
        await ui.press("right_square_bracket")
        await ui.until(lambda: ui.block != shown and ui.block.startswith("text "), "a prompt below")


async def test_code_scrolls_sideways_and_a_search_marks_no_words_of_leafmark(tmp_path):
    code = "```text\n" + "x" * 80 + "needle\n```\nno needle"
    call_lines = tools(3)
    call_lines[-1]["message"] |= {"content": [{"type": "text", "text": code}], "model": "needle-3"}
    async with pane() as ui:
        await ui.show(session(tmp_path, *call_lines))
        assert "xneedle" not in ui.text()
        await ui.press("right", "right", "right")
        assert "xneedle" in ui.text()
        assert "│ …x" in ui.text(), "the bar stays"
        await ui.press("left", "left", "left")
        assert "│ xxx" in ui.text()
        for word, where in (("user", "no hits"), ("bash", "hit 1"), ("needle", "hit 1 of 1")):
            ui.pane.finder.open()
            await ui.press(*word, "enter")
            await ui.until(lambda where=where: where in ui.title, word)
            marked = [
                piece
                for number in range(len(ui.lines.lines))
                for piece, style in ui.lines.draw(number, 58, False)
                if style == "match"
            ]
            if word == "needle":
                assert marked == ["needle", "needle"], "the code and the text, not the model"
            ui.pane.finder.drop()


async def test_a_wide_pane_has_the_text_in_its_middle(tmp_path):
    async with pane(size=(200, 20)) as ui:
        await ui.show(session(tmp_path, *chain("first", "answer")))
        wide = [line for line in ui.text().splitlines() if "▌ first" in line or "10:01" in line]
        assert wide[0].index("▌") > 40
        assert wide[0].rstrip("│ ").endswith("10:01"), "the time ends the line of text"
        assert len(wide[0].rstrip("│ ")) < 160


async def test_the_calls_of_a_prompt_are_one_line_that_space_unfolds(tmp_path):
    lines = [header(), message("u", None, "user", "go")]
    for number in range(3):
        lines.append(
            answer(f"a{number}", lines[-1]["id"], call("bash", id=str(number), command=f"run {number}"))
        )
    lines.append(message("z", "a2", "assistant", "all done"))
    async with pane() as ui:
        row = session(tmp_path, *lines)
        await ui.show(row)
        assert "▸ 3 tools:  bash (3)" in ui.rows()
        await ui.press("k", "space")
        assert [line.split()[:4] for line in ui.rows() if "bash" in line] == [
            ["▾", "3", "tools:", "bash"],
            *(["▸", "bash", "run", str(number)] for number in range(3)),
        ]
        await ui.press("space")
        assert "▸ 3 tools:  bash (3)" in ui.rows()
        await ui.press("ctrl+x")
        await ui.until(lambda: bool(ui.app.clipboard), "the copy")
        assert ui.app.clipboard == "run 0\n\nrun 1\n\nrun 2", "the calls that the line stands for"
        await ui.hit(row, "a1", "run", "1")
        assert "▸ bash  run 1" in ui.rows(), "a hit"
        assert ui.block.startswith("▸ bash  run 1")
