"""The entry pane: everything of an entry, readable, inert, and a way out for it."""

from __future__ import annotations

import base64
import json
import stat
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from textual.app import SuspendNotSupported

from app.formats.text import inert
from tests.factory import chain, message
from tests.ui.conftest import pi_session

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
    """A function that opens the browser on one session and gives its entry pane the keys."""

    class Opened:
        def __init__(self, **options):
            self.manager = browser(**options)

        async def __aenter__(self):
            ui = await self.manager.__aenter__()
            await ui.press("tab", "tab")
            assert ui.focus == "entry"
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


def copied(ui):
    return ui.app.clipboard


async def test_prose_is_laid_out(opened):
    async with opened(*answer({"type": "text", "text": MARKDOWN})) as ui:
        found = ui.text()
        for line in ("# Plan", "step │ what", "═════┼═", "one  │ `ls`", "print(2)"):
            assert line in found
        styles = {text: style for line in ui.entry.lines for text, style in line.spans}
        assert styles["*this*"] == "emphasis"
        assert styles["[reading]"] == "link"
        assert styles["ls -la"] == "code"


async def test_everything_an_answer_holds_is_there(opened):
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
        found = "\n".join(line.text for line in ui.entry.lines)
        for line in (
            "─ thinking",
            "hm",
            "─ tool call: edit",
            "path: a.py",
            "    x = 1",
            "  - y = 2",
            "  + y = 3",
            "image/png, 640×480, 1.0 kB (1,000 bytes)",
            "image/webp, kept as",
            "er: [" + '"x"]',
            "responseId: r-1",
            "model: p/m",
            "tokens: 1,200 input, 20 output, 7 cache read",
            "cost: $0.0123 ($0.0100 input)",
        ):
            assert line in found


async def test_a_result_that_is_a_diff_says_so_without_colour(opened):
    lines = answer({"type": "text", "text": "done\n@@ -1 +1 @@\n-old\n+new"}, toolName="bash")
    lines[-1]["message"] |= {"role": "toolResult", "details": {"diff": "-9 a\n+9 b"}}
    async with opened(*lines) as ui:
        styles = {line.text: line.style for line in ui.entry.lines}
        assert [styles[text] for text in ("-old", "+new", "@@ -1 +1 @@", "-9 a", "+9 b")] == [
            "removed",
            "added",
            "hunk",
            "removed",
            "added",
        ]


async def test_hostile_text_stays_text(opened):
    call = {"type": "toolCall", "name": HOSTILE, "arguments": {HOSTILE: HOSTILE, "command": HOSTILE}}
    image = {"type": "image", "mimeType": HOSTILE, "data": HOSTILE}
    other = {"type": HOSTILE, "x": HOSTILE}
    lines = answer({"type": "text", "text": HOSTILE}, call, image, other, model=HOSTILE, more=HOSTILE)
    async with opened(*lines) as ui:
        assert "[/bold] [red]" in ui.text()
        for line in ui.entry.lines:
            assert inert(line.text) == line.text
        for strip in ui.screen._compositor.render_strips():
            assert not any(char in strip.text for char in "\x1b\x07\x9b\r\u202e\u2066")
        await ui.press("c")
        assert copied(ui).startswith("\x1b[31mrm")
        await ui.press("y", "P", "E")
        assert len(ui.toasts()) == 4
        assert all(inert(said) == said for said in ui.toasts())


async def test_the_text_is_copied_as_it_was_written(opened):
    async with opened(
        *answer({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": MARKDOWN})
    ) as ui:
        await ui.press("y")
        assert copied(ui) == MARKDOWN
        assert ui.toasts() == ["Text copied, 18 lines – if the terminal takes it (OSC 52)"]


async def test_a_terminal_that_is_known_is_not_doubted(opened):
    lines = answer({"type": "text", "text": "yes"})
    async with opened(*lines, env={"TERM": "xterm-kitty"}) as ui:
        await ui.press("y")
        assert ui.toasts() == ["Text copied, 3 characters"]


async def test_half_a_character_is_copied_by_its_code(opened):
    lines = answer({"type": "text", "text": "a"})
    lines[-1]["message"]["content"][0]["text"] = "a\ud83db"
    async with opened(*lines[:-1], json.dumps(lines[-1])) as ui:
        await ui.press("y")
        assert copied(ui) == "a\\ud83db"


async def test_each_press_copies_the_next_code_and_says_which(opened):
    async with opened(*answer({"type": "text", "text": MARKDOWN})) as ui:
        found = []
        for _ in range(3):
            await ui.press("c")
            found.append((copied(ui), ui.toasts()[-1].split(" –")[0]))
        assert found == [
            ("ls -la", "Code block 1 of 2 (sh) copied, 6 characters"),
            ("print(1)\nprint(2)", "Code block 2 of 2 (py) copied, 2 lines"),
            ("ls -la", "Code block 1 of 2 (sh) copied, 6 characters"),
        ]


async def test_the_code_in_sight_is_copied_and_what_is_out_of_sight_is_shown(opened):
    far = "\n\n".join(f"```\nblock {at}\n" + "x\n" * 50 + "```" for at in range(5))
    async with opened(*answer({"type": "text", "text": far})) as ui:
        await ui.press("pagedown", "pagedown", "pagedown", "c")
        first = int(copied(ui).split("\n")[0].split()[1])
        assert first > 0
        assert f"block {first}" in ui.text()
        await ui.press("c")
        assert copied(ui).startswith(f"block {(first + 1) % 5}\n")
        assert f"block {(first + 1) % 5}" in ui.text()
        await ui.press("home", "c")
        assert copied(ui).startswith("block 0\n")


async def test_the_content_of_a_file_can_be_copied(opened):
    call = {"type": "toolCall", "name": "write", "arguments": {"path": "a", "content": "one\n\ttwo\n"}}
    async with opened(*answer(call)) as ui:
        await ui.press("c")
        assert copied(ui) == "one\n\ttwo\n"
        assert ui.toasts()[-1].startswith("Code block 1 of 1 (content) copied, 2 lines")


async def test_where_there_is_no_code(opened):
    async with opened(*chain("q", "a", id="s")) as ui:
        await ui.press("c")
        assert ui.toasts() == ["Code: there is none here"]


async def test_the_code_of_another_entry_is_not_copied(opened):
    async with opened(*chain("```\nfirst\n```", "none", "```\nthird\n```", id="s")) as ui:
        await ui.press("c")
        await ui.press("left_square_bracket")
        await ui.until(lambda: ui.entry.lines[0].text == "none", "the entry before")
        await ui.press("c")
        assert copied(ui) == "third"
        assert ui.toasts()[-1] == "Code: there is none here"


async def test_the_key_for_code_is_offered_where_there_is_some(opened):
    def offered():
        return "c copy code" in ui.text().splitlines()[-1]

    # some in a batch of lines that comes later
    late = "line\n\n" * 400 + "```\nlast\n```"
    async with opened(*chain("```\nfirst\n```", "none", late, id="s")) as ui:
        await ui.until(offered, "the key")
        await ui.press("left_square_bracket")
        await ui.until(lambda: ui.entry.lines[0].text == "none", "the entry before")
        await ui.until(lambda: not offered(), "the key to go")
        assert "y copy" in ui.text().splitlines()[-1]
        await ui.press("left_square_bracket")
        await ui.until(lambda: ui.entry.lines[1].text == "first", "the first entry")
        await ui.until(offered, "the key")


# in another program


def make_program(tmp_path, name, does):
    path = tmp_path / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable}\nimport sys\npath = sys.argv[-1]\n{does}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def is_there(path):
    return Path(path).exists()


@pytest.fixture
def suspendable(monkeypatch):
    """The test's terminal can be given away."""
    monkeypatch.setattr("textual.app.App.suspend", lambda self: nullcontext())


SHOW = "import shutil; shutil.copy(path, {to!r}); open({to!r} + '.name', 'w').write(path)"


async def test_the_pager_gets_an_inert_copy_of_all_of_it(opened, tmp_path, suspendable):
    make_program(tmp_path, "pager", SHOW.format(to=str(tmp_path / "shown")))
    lines = answer({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "see\x1b[2J"})
    async with opened(*lines, env={"PAGER": "pager -S"}) as ui:
        await ui.press("P")
        assert (tmp_path / "shown").read_text().startswith("── thinking ──\nhm\n\nsee␛[2J\n\n")
        assert "id: z" in (tmp_path / "shown").read_text()
        assert ui.toasts() == []
        assert not is_there((tmp_path / "shown.name").read_text())


async def test_the_editor_gets_the_text_and_what_it_writes_changes_nothing(opened, tmp_path, suspendable):
    does = SHOW.format(to=str(tmp_path / "shown")) + "; open(path, 'a').write('more')"
    make_program(tmp_path, "editor", does)
    async with opened(*answer({"type": "text", "text": MARKDOWN}), env={"EDITOR": "editor"}) as ui:
        before = ui.path("s").read_bytes()
        await ui.press("E")
        assert (tmp_path / "shown").read_text() == MARKDOWN
        assert (tmp_path / "shown.name").read_text().endswith(".md")
        assert ui.toasts() == ["That was a copy: the session is as it was"]
        assert ui.path("s").read_bytes() == before


async def test_the_raw_entry_goes_out_as_it_is_shown(opened, tmp_path, suspendable):
    make_program(tmp_path, "editor", SHOW.format(to=str(tmp_path / "shown")))
    async with opened(*chain("q", "a", id="s"), env={"VISUAL": "editor"}) as ui:
        await ui.press("r")
        await ui.until(lambda: ui.entry.lines[0].text == "{", "the raw entry")
        await ui.press("E", "y")
        assert (tmp_path / "shown").read_text().startswith('{\n  "type": "message"')
        assert (tmp_path / "shown.name").read_text().endswith(".json")
        assert copied(ui) == (tmp_path / "shown").read_text()


@pytest.mark.parametrize(
    ("env", "does", "says"),
    [
        ({"EDITOR": "[red]gone"}, "", "$EDITOR names a program that is not there: [red]gone"),
        ({"EDITOR": ""}, "", "No editor is there: set $EDITOR or $VISUAL"),
        ({"EDITOR": "editor"}, "sys.exit(4)", "editor ended with 4"),
        ({"EDITOR": "editor"}, "import os; os.kill(os.getpid(), 15)", "editor was ended by signal 15"),
    ],
)
async def test_what_goes_wrong_is_said(opened, tmp_path, suspendable, env, does, says):
    make_program(tmp_path, "editor", does)
    async with opened(*chain("q", "a", id="s"), env=env) as ui:
        await ui.press("E")
        assert ui.toasts() == [says]


async def test_a_program_that_cannot_be_started_is_said_and_the_terminal_is_taken_back(
    opened, tmp_path, monkeypatch
):
    path = tmp_path / "bin/editor"
    path.parent.mkdir()
    path.write_text("#!/no/such/interpreter\n")
    path.chmod(0o700)
    back = []

    class Suspended:
        def __enter__(self):
            pass

        def __exit__(self, kind, *rest):
            back.append(kind)

    monkeypatch.setattr("textual.app.App.suspend", lambda self: Suspended())
    async with opened(*chain("q", "a", id="s"), env={"EDITOR": "editor"}) as ui:
        await ui.press("E")
        assert ui.toasts() == ["editor cannot be run: No such file or directory"]
        assert back == [None]


async def test_a_terminal_that_cannot_be_given_away(opened, tmp_path, monkeypatch):
    def refuse(self):
        raise SuspendNotSupported("no")

    make_program(tmp_path, "editor", "")
    monkeypatch.setattr("textual.app.App.suspend", refuse)
    async with opened(*chain("q", "a", id="s"), env={"EDITOR": "editor"}) as ui:
        await ui.press("E")
        assert ui.toasts() == ["Other programs cannot be shown here"]


async def test_a_text_of_a_megabyte_comes_in_parts_and_is_complete(opened):
    text = "".join(f"- item {at} of *many*\n\n```\ncode {at}\n```\n" for at in range(22_000))
    lines = chain("q", text, "r", id="s")
    shown = []
    async with opened(*lines) as ui:
        real = ui.entry.show_lines

        def show(lines, *, more, **given):
            shown.append((len(lines), more))
            real(lines, more=more, **given)

        ui.entry.show_lines = show
        await ui.press("left_square_bracket")
        await ui.until(lambda: ui.entry.lines[-1].text.startswith("id: "), "all of it")
        assert len(shown) > 2
        assert [more for _, more in shown] == [False] + [True] * (len(shown) - 1)
        await ui.press("c")
        assert ui.toasts()[-1].startswith("Code block 1 of 22,000 copied")


async def test_what_is_copied_is_the_entry_under_the_cursor_however_fast_one_types(opened):
    async with opened(*chain("question", "answer", id="s")) as ui:
        await ui.press("left_square_bracket")
        await ui.until(lambda: ui.entry.lines[0].text == "question", "the entry above")
        await ui.pilot.press("right_square_bracket", "y")
        await ui.until(ui.toasts, "the copy")
        assert copied(ui) == "answer"
        assert len(ui.toasts()) == 1


async def test_an_entry_that_is_not_in_sight_is_copied_all_the_same(browser, tmp_path):
    pi_session(tmp_path, *chain("question", "answer", id="s"), id="s")
    async with browser(size=(80, 24)) as ui:
        await ui.press("tab")
        assert not ui.entry.is_laid_out
        await ui.press("y")
        await ui.until(ui.toasts, "the copy")
        assert copied(ui) == "answer"
        await ui.press("up", "y")
        await ui.until(lambda: len(ui.toasts()) == 2, "the other copy")
        assert copied(ui) == "question"


def at_minute(ui, minute):
    """Have it so many minutes after the first entry, and let the screen's clock strike."""
    start = 1_777_629_600_000  # tests.factory.stamp(0)
    ui.app._setup._clock = lambda: int(start + minute * 60_000) * 1_000_000
    ui.screen._tick()


async def test_the_age_in_the_border_follows_the_clock_and_nothing_else_is_painted(opened):
    async with opened(*chain("one", "two", id="s")) as ui:
        side = ui.screen.query_one("#entry-pane")
        await ui.press("tab")
        assert ui.entry.lines
        at_minute(ui, 2)
        assert side._words[0] == "entry 00000002 · now"
        at_minute(ui, 9)
        await ui.pilot.pause()
        assert "entry 00000002 · 7m" in ui.text()
        painted, drawn = [], ui.entry.drawn
        side._paint_line = painted.append
        at_minute(ui, 9.5)
        assert painted == []
        at_minute(ui, 10)
        assert len(painted) == 1
        assert ui.entry.drawn == drawn


async def test_the_age_is_told_of_the_entry_that_is_shown(opened):
    async with opened(*chain("one", "two", id="s")) as ui:
        side = ui.screen.query_one("#entry-pane")
        at_minute(ui, 9)
        shown = side._words[0]
        side._heading = side._heading._replace(title="entry another")
        at_minute(ui, 9)
        assert side._words[0] == shown


async def test_where_there_is_no_entry_no_age_is_told(browser):
    async with browser() as ui:
        side = ui.screen.query_one("#entry-pane")
        at_minute(ui, 9)
        assert side._words == ("entry", "")
