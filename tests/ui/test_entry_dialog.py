"""The dialog with an entry: readable and inert, with its details or raw; and its ways out."""

from __future__ import annotations

import base64
import json
import stat
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from textual.app import SuspendNotSupported

from app.formats import inert
from app.widgets.entry_lines import EntryLines
from tests.factory import chain, message
from tests.ui.conftest import pi_session, strips

MARKDOWN = """# Plan

Use *this* **way** of [reading](https://a.b/c):

| step | what |
|------|------|
| one  | `ls` |

```sh
ls -la
```

and

```py
print(1)
print(2)
```
"""
EDIT = {"path": "a.py", "oldText": "x = 1\ny = 2", "newText": "x = 1\ny = 3"}
PICTURE = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + bytes(976)
)
HOSTILE = "a\x1b]0;owned\x07\x9b2J\u202eb [/bold] [red]\n```\n\x1b[31mrm\n```\n"
HOSTILE += "| \x1b | [x] |\n|-|-|\n| \u2066 | \r |"


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens the browser on one session, and the dialog with its last entry."""

    class Opened:
        def __init__(self, **options):
            self.manager = browser(**options)

        async def __aenter__(self):
            ui = await self.manager.__aenter__()
            await ui.press("t", "i")
            await ui.until(lambda: ui.focus == "entry" and ui.entry.lines, "the entry")
            return ui

        async def __aexit__(self, *failure):
            return await self.manager.__aexit__(*failure)

    def open_session(*lines, **options):
        pi_session(tmp_path, *lines, id="s")
        return Opened(size=(120, 60), **options)

    return open_session


def answer(*blocks, **more):
    lines = chain("q", id="s")
    last = message("z", "00000001", "assistant", "", 2, **more)
    last["message"]["content"] = list(blocks)
    return [*lines, last]


def clipboard(ui):
    return ui.app.clipboard


async def test_prose_is_formatted(opened):
    async with opened(*answer({"type": "text", "text": MARKDOWN})) as ui:
        shown = ui.text()
        for line in ("Plan", "step │ what", "─────┼─", "one  │ ls", "│ print(2)"):
            assert line in shown
        styles = {text: style for line in ui.entry.lines for text, style in line.spans}
        assert styles["this"] == "emphasis"
        assert styles["reading"] == "link"
        assert styles["print"] == "syntax-keyword"


async def test_every_part_of_an_answer_is_shown(opened):
    usage = {"input": 1200, "output": 20, "cacheRead": 7, "cost": {"input": 0.01, "total": 0.0123}}
    lines = answer(
        {"type": "thinking", "thinking": "hm"},
        {"type": "toolCall", "id": "c", "name": "edit", "arguments": EDIT},
        {"type": "image", "mimeType": "image/png", "data": base64.b64encode(PICTURE).decode()},
        {"type": "image", "mimeType": "image/webp", "data": "blob:sha256:" + "ab" * 32},
        {"type": "newThing", "deep": {"er": ["x"]}},
        usage=usage,
        provider="p",
        model="m",
        responseId="r-1",
    )
    async with opened(*lines) as ui:
        text = "\n".join(line.text for line in ui.entry.lines)
        for line in (
            "─ thinking",
            "hm",
            "─ tool call: edit",
            "path: a.py",
            "  x = 1",
            "− y = 2",
            "+ y = 3",
            "image/png, 640×480, 1.0 kB (1,000 bytes)",
            "image/webp, kept as",
            "er: [" + '"x"]',
        ):
            assert line in text
        for line in (
            "responseId  r-1",
            "model       p/m",
            "tokens      1,200 input, 20 output, 7 cache read",
        ):
            assert line in text
        assert "╭─ Answer · m · " in ui.text()
        await ui.press("r")
        await ui.until(lambda: ui.entry.lines[0].text == "{", "the raw entry")
        assert " · raw ─" in ui.text()
        await ui.press("i")
        await ui.until(lambda: ui.entry.lines[0].text.startswith("responseId"), "the details")
        await ui.press("i")
        assert not ui.screen.is_modal


@pytest.mark.parametrize("keys", [["v"], ["v", "slash", *"one", "enter"]], ids=["", "search"])
async def test_the_dialogs_keep_the_transcript_its_place_and_its_search(browser, tmp_path, keys):
    pi_session(tmp_path, *chain(*["one\n\ntwo", "three\n\nfour"] * 30, id="s"), id="s")
    async with browser() as ui:
        await ui.press(*keys, "home", "pagedown")
        await ui.until(lambda: " of 30" in ui.text(), "the place")
        before, cursor = ui.text(), ui.transcript.transcript.ref()
        for key in ("i", "r"):
            await ui.press(key)
            await ui.until(lambda: ui.is_in("Prompt", "Answer"), "the dialog")
            await ui.press("escape")
            await ui.until(lambda: ui.text() == before, "the same picture")
            assert (ui.transcript.transcript.ref(), ui.focus) == (cursor, "transcript")


async def test_a_diff_in_a_tool_result_has_signs_and_styles(opened):
    lines = answer({"type": "text", "text": "done\n@@ -1 +1 @@\n-old\n+new"}, toolName="bash")
    lines[-1]["message"] |= {"role": "toolResult", "details": {"diff": "-9 a\n+9 b"}}
    async with opened(*lines) as ui:
        styles = {line.text: line.spans[-1][1] for line in ui.entry.lines if line.spans}
        assert {
            "   1 − old": "removed",
            "   1 + new": "added",
            "@@ -1 +1 @@": "hunk",
            "   9 − a": "removed",
            "   9 + b": "added",
        }.items() <= styles.items()


async def test_hostile_text_is_inert(opened):
    call = {"type": "toolCall", "name": HOSTILE, "arguments": {HOSTILE: HOSTILE, "command": HOSTILE}}
    image = {"type": "image", "mimeType": HOSTILE, "data": HOSTILE}
    unknown_block = {"type": HOSTILE, "x": HOSTILE}
    lines = answer({"type": "text", "text": HOSTILE}, call, image, unknown_block, model=HOSTILE, more=HOSTILE)
    async with opened(*lines) as ui:
        assert "[/bold] [red]" in ui.text()
        for line in ui.entry.lines:
            assert inert(line.text) == line.text
        for strip in strips(ui.screen):
            assert not any(char in strip.text for char in "\x1b\x07\x9b\r\u202e\u2066")
        await ui.press("Y")
        assert clipboard(ui).startswith("\x1b[31mrm")
        await ui.press("y", "vertical_line", "e")
        assert len(ui.toasts()) == 4
        assert all(inert(toast) == toast for toast in ui.toasts())


async def test_a_text_is_copied_as_it_was_written(opened):
    async with opened(
        *answer({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": MARKDOWN})
    ) as ui:
        await ui.press("y")
        assert clipboard(ui) == MARKDOWN
        assert ui.toasts() == ["Copied the text (18 lines) – if the terminal takes it (OSC 52)"]


async def test_a_lone_surrogate_is_copied_by_its_code(opened):
    lines = answer({"type": "text", "text": "a"})
    lines[-1]["message"]["content"][0]["text"] = "a\ud83db"
    async with opened(*lines[:-1], json.dumps(lines[-1])) as ui:
        await ui.press("y")
        assert clipboard(ui) == "a\\ud83db"


async def test_each_press_copies_the_next_code_block_and_names_it(opened):
    async with opened(*answer({"type": "text", "text": MARKDOWN})) as ui:
        copies = []
        for _ in range(3):
            await ui.press("Y")
            copies.append((clipboard(ui), ui.toasts()[-1].split(" –")[0]))
        assert copies == [
            ("ls -la", "Copied code block 1 of 2 (sh) (6 characters)"),
            ("print(1)\nprint(2)", "Copied code block 2 of 2 (py) (2 lines)"),
            ("ls -la", "Copied code block 1 of 2 (sh) (6 characters)"),
        ]


async def test_the_visible_code_block_is_copied_first(opened):
    text = "\n\n".join(f"```\nblock {number}\n" + "x\n" * 50 + "```" for number in range(5))
    async with opened(*answer({"type": "text", "text": text})) as ui:
        await ui.press("pagedown", "pagedown", "pagedown", "Y")
        first = int(clipboard(ui).split("\n")[0].split()[1])
        assert first > 0
        assert f"block {first}" in ui.text()
        await ui.press("Y")
        assert clipboard(ui).startswith(f"block {(first + 1) % 5}\n")
        assert f"block {(first + 1) % 5}" in ui.text()
        await ui.press("home", "Y")
        assert clipboard(ui).startswith("block 0\n")


async def test_the_content_of_a_written_file_can_be_copied(opened):
    call = {"type": "toolCall", "name": "write", "arguments": {"path": "a", "content": "one\n\ttwo\n"}}
    async with opened(*answer(call)) as ui:
        await ui.press("Y")
        assert clipboard(ui) == "one\n\ttwo\n"
        assert ui.toasts()[-1].startswith("Copied code block 1 of 1 (content) (2 lines)")


async def test_without_code_none_is_copied(opened):
    async with opened(*chain("```\nfirst\n```", "none", id="s")) as ui:
        await ui.press("Y")
        assert ui.toasts()[-1] == "Code: there is none here"


# pager and editor


def make_program(tmp_path, name, code):
    path = tmp_path / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport sys\npath = sys.argv[-1]\n{code}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def file_exists(path):
    return Path(path).exists()


@pytest.fixture
def suspendable(monkeypatch):
    """Let the app suspend without a real terminal."""
    monkeypatch.setattr("textual.app.App.suspend", lambda self: nullcontext())


SHOW = "import shutil; shutil.copy(path, {to!r}); open({to!r} + '.name', 'w').write(path)"


async def test_the_pager_gets_an_inert_copy_of_the_whole_entry(opened, tmp_path, suspendable):
    make_program(tmp_path, "pager", SHOW.format(to=str(tmp_path / "shown")))
    lines = answer({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "see\x1b[2J"})
    async with opened(*lines, env={"PAGER": "pager -S"}) as ui:
        await ui.press("vertical_line")
        assert (tmp_path / "shown").read_text().startswith("── thinking ──\nhm\n\nsee␛[2J\n\n")
        assert "id: z" in (tmp_path / "shown").read_text()
        assert ui.toasts() == []
        assert not file_exists((tmp_path / "shown.name").read_text())


async def test_the_editor_gets_a_copy_whose_changes_are_dropped(opened, tmp_path, suspendable):
    code = SHOW.format(to=str(tmp_path / "shown")) + "; open(path, 'a').write('more')"
    make_program(tmp_path, "editor", code)
    async with opened(*answer({"type": "text", "text": MARKDOWN}), env={"EDITOR": "editor"}) as ui:
        before = ui.path("s").read_bytes()
        await ui.press("e")
        assert (tmp_path / "shown").read_text() == MARKDOWN
        assert (tmp_path / "shown.name").read_text().endswith(".md")
        assert ui.toasts() == ["Changes to this copy are not saved to the session"]
        assert ui.path("s").read_bytes() == before


async def test_the_raw_entry_is_copied_and_edited_as_shown(opened, tmp_path, suspendable):
    make_program(tmp_path, "editor", SHOW.format(to=str(tmp_path / "shown")))
    async with opened(*chain("q", "a", id="s"), env={"VISUAL": "editor"}) as ui:
        await ui.press("r")
        await ui.until(lambda: ui.entry.lines[0].text == "{", "the raw entry")
        await ui.press("e", "y")
        assert (tmp_path / "shown").read_text().startswith('{\n  "type": "message"')
        assert (tmp_path / "shown.name").read_text().endswith(".json")
        assert clipboard(ui) == (tmp_path / "shown").read_text()


@pytest.mark.parametrize(
    ("env", "code", "toast"),
    [
        ({"EDITOR": "[red]gone"}, "", "$EDITOR names a program that is not there: [red]gone"),
        ({"EDITOR": "editor"}, "sys.exit(4)", "editor ended with 4"),
        ({"EDITOR": "editor"}, "import os; os.kill(os.getpid(), 15)", "editor was ended by signal 15"),
    ],
)
async def test_a_failing_editor_is_reported(opened, tmp_path, suspendable, env, code, toast):
    make_program(tmp_path, "editor", code)
    async with opened(*chain("q", "a", id="s"), env=env) as ui:
        await ui.press("e")
        assert ui.toasts() == [toast]


async def test_a_program_that_cannot_start_is_reported_and_the_screen_returns(opened, tmp_path, monkeypatch):
    path = tmp_path / "bin/editor"
    path.parent.mkdir()
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o700)
    ends = []

    class Suspended:
        def __enter__(self):
            pass

        def __exit__(self, kind, *error):
            ends.append(kind)

    monkeypatch.setattr("textual.app.App.suspend", lambda self: Suspended())
    async with opened(*chain("q", "a", id="s"), env={"EDITOR": "editor"}) as ui:
        await ui.press("e")
        assert ui.toasts() == ["editor cannot be run: No such file or directory"]
        assert ends == [None]


async def test_a_terminal_that_cannot_be_suspended_is_reported(opened, tmp_path, monkeypatch):
    def refuse(self):
        raise SuspendNotSupported("no")

    make_program(tmp_path, "editor", "")
    monkeypatch.setattr("textual.app.App.suspend", refuse)
    async with opened(*chain("q", "a", id="s"), env={"EDITOR": "editor"}) as ui:
        await ui.press("e")
        assert ui.toasts() == ["Other programs cannot run here"]


async def test_a_very_long_text_comes_in_batches_and_is_complete(browser, tmp_path, monkeypatch):
    text = "".join(f"- item {number} of *many*\n\n```\ncode {number}\n```\n" for number in range(8_000))
    pi_session(tmp_path, *chain("q", text, id="s"), id="s")
    shown = []
    real_show_lines = EntryLines.show_lines

    def show(self, lines, *, more, **options):
        shown.append((len(lines), more))
        real_show_lines(self, lines, more=more, **options)

    monkeypatch.setattr(EntryLines, "show_lines", show)
    async with browser(size=(120, 60)) as ui:
        await ui.press("t", "i")
        await ui.until(
            lambda: shown and "│ code 7999" in [line.text for line in ui.entry.lines[-4:]], "all of it"
        )
        assert len(shown) > 2
        assert [more for _, more in shown] == [False] + [True] * (len(shown) - 1)
        await ui.press("Y")
        assert ui.toasts()[-1].startswith("Copied code block 1 of 8,000")


async def test_only_visible_lines_of_a_megabyte_are_drawn(browser, tmp_path):
    pi_session(tmp_path, *chain("x" * 600_000 + "\n" + "y\n" * 200_000, id="s"), id="s")
    async with browser() as ui:
        await ui.press("t", "i")
        await ui.until(lambda: len(ui.entry.lines) > 200_000, "all lines")
        # a few screens of lines, which are drawn again as batches arrive
        assert ui.entry.drawn < 10_000


async def test_another_width_wraps_the_entry_again(opened):
    async with opened(*chain("word " * 100, id="s")) as ui:
        before = len(ui.entry.lines)
        await ui.pilot.resize_terminal(60, 40)
        await ui.until(lambda: len(ui.entry.lines) > before, "narrower lines")
        assert all(len(line.text) <= ui.entry.cells for line in ui.entry.lines)


# from the tree, without the dialog


async def test_the_entry_under_the_cursor_is_copied_after_fast_moves(browser, tmp_path):
    pi_session(tmp_path, *chain("question", "answer", "again", id="s"), id="s")
    async with browser() as ui:
        await ui.press("t", "plus")
        await ui.pilot.press("up", "y", "y")
        await ui.until(ui.toasts, "the copy")
        assert clipboard(ui) == "answer"
        assert ui.toasts() == ["Copied the text (6 characters) – if the terminal takes it (OSC 52)"]


async def test_the_code_of_the_tree_is_copied_block_by_block_and_entry_by_entry(browser, tmp_path):
    pi_session(tmp_path, *chain("```\nfirst\n```\n\n```\nsecond\n```", "none", "more", id="s"), id="s")
    async with browser(size=(80, 24)) as ui:
        await ui.press("t", "plus", "home")
        for copied in ("first", "second", "first"):
            ui.app.copy_to_clipboard("")
            await ui.press("Y")
            await ui.until(lambda: clipboard(ui), "the copy")
            assert clipboard(ui) == copied
        await ui.press("down", "Y")
        await ui.until(lambda: ui.toasts()[-1] == "Code: there is none here", "the message")
        assert clipboard(ui) == "first"
