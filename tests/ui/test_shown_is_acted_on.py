"""Every command acts on the block or row that the screen shows with the cursor, after every movement."""

from __future__ import annotations

import json
import re

import pytest
from textual.events import MouseScrollUp

from app.actions import branch_options
from app.controllers import dialog_host, entry_texts
from app.panes import transcript_pane
from tests.factory import append, chain, entry, header, message
from tests.ui.conftest import asked, pi_session, wheel

CYCLES = 250
"""Turns of the session. Each has four blocks: a prompt, an answer, a tool call, and another answer."""
FORKED = range(4, CYCLES, 5)
"""The turns behind which another branch starts."""
TOKEN = re.compile(r"\b[uakzx]\d{4}\b")
"""The words that tell blocks apart. Each stands in the first line of its block, and in many of the others."""

SHARES = pytest.mark.parametrize("share", [2, pytest.param(100, marks=pytest.mark.slow)])
"""Two commands after each movement, and all of them in the slow tests."""


def answer(id, parent, *content):
    raw = message(id, parent, "assistant", "", model=id)
    raw["message"]["content"] = list(content)
    return raw


def said(token, lines):
    text = "\n".join([f"{token} says {number}" for number in range(lines)])
    return {"type": "text", "text": f"{text}\n```\nrun {token}\n```\n{token} ends"}


def turn(number, parent):
    """The entries of a turn. Some of their blocks are longer than the screen."""
    n = f"{number:04}"
    long = 60 if number % 10 == 7 else number % 4 + 1
    arguments = {"command": f"echo k{n}"}
    call = {"type": "toolCall", "id": n, "name": "bash", "arguments": arguments}
    prompt = "\n".join(f"u{n} asks {line}" for line in range(long if number % 20 == 7 else number % 3 + 1))
    output = "\n".join(f"k{n} prints {line}" for line in range(number % 9 + 1))
    needle = " needle" if number % 7 == 0 else ""
    return [
        message(f"u{n}", parent, "user", prompt + needle),
        answer(f"a{n}", f"u{n}", said(f"a{n}", long), call),
        message(f"r{n}", f"a{n}", "toolResult", output + needle, toolName="bash", toolCallId=n),
        answer(f"z{n}", f"r{n}", said(f"z{n}", number % 5 + 1)),
    ]


def long_session(tmp_path):
    """A session of 1,000 blocks, with branches and labels."""
    lines = [header("long")]
    for number in range(CYCLES):
        lines += turn(number, f"z{number - 1:04}" if number else None)
    # The last entry is the leaf; of equal branches, the last in the file is compared.
    last = lines.pop()
    lines += [
        message(f"x{at:04}", f"z{at:04}", "user", f"elsewhere x{at:04}") for at in reversed(FORKED[:-1])
    ]
    for number in (20, 120, 220):
        lines.append(
            entry("label", f"l{number}", lines[-1]["id"], targetId=f"z{number:04}", label=f"at {number}")
        )
    return pi_session(tmp_path, *lines, last, id="long")


def pointed(ui, pane):
    """The word of the block or row with the cursor, as the screen shows it."""
    region = ui.screen.query_one(f"#{pane}").region
    rows = [line[region.x : region.right] for line in ui.text().splitlines()[region.y : region.bottom]]
    marked = [number for number, row in enumerate(rows) if row.strip().startswith("❯")]
    assert len(marked) == 1, f"{len(marked)} cursors on the screen\n{ui.text()}"
    # A line may be blank, or not be read yet.
    found = TOKEN.search("\n".join(rows[marked[0] :]))
    return found[0] if found else ""


class Walk:
    """All movements with all commands of one pane.

    share    how many commands follow each movement: with fewer than all of them, they take turns
    opened   the texts that were opened in the editor
    points   the entries from which a continuation was asked for
    """

    def __init__(self, ui, pane, monkeypatch, share):
        self.ui, self.pane, self.share = ui, pane, share
        self.turns = 0
        self.opened, self.points = [], []
        self.failures = []
        self.labels = 0

        def open_text(app, kind, text, *arguments, **options):
            self.opened.append(text)

        find = branch_options.find_branch_options

        def note_point(*arguments):
            question = find(*arguments)
            self.points.append(question.target)
            return question

        monkeypatch.setattr(entry_texts, "open_in_program", open_text)
        monkeypatch.setattr(dialog_host, "open_in_program", open_text)
        monkeypatch.setattr(branch_options, "find_branch_options", note_point)

    async def settle(self):
        """Wait until what the last key asked for is shown."""
        if self.ui.focus == "sessions":
            await self.ui.settled()
        elif self.ui.focus == "transcript":
            await self.ui.until(
                lambda: not self.ui.screen.beside.transcript_pane.is_reading, "the transcript"
            )
        elif self.ui.focus == "tree":
            await self.ui.until(lambda: pointed(self.ui, "tree"), "the text of the row")

    async def all(self, movements, commands, *, moves):
        """Do every movement, and after it every command, or those whose turn it is.

        :param moves: whether the movements put the cursor on another block, or keep it on its block.
        """
        for movement in movements:
            name = getattr(movement, "__name__", movement)
            before = pointed(self.ui, self.pane)
            await (self.press(movement) if isinstance(movement, str) else movement())
            await self.settle()
            if (pointed(self.ui, self.pane) != before) != moves:
                self.failures.append(f"{name}: {before} to {pointed(self.ui, self.pane)}")
            for _ in range(min(self.share, len(commands))):
                command = commands[self.turns % len(commands)]
                self.turns += 1
                shown = pointed(self.ui, self.pane)
                acted, expected = await command(shown)
                if acted != expected:
                    self.failures.append(f"{name}, {command.__name__}: {acted} instead of {expected}")

    def check(self):
        assert not self.failures, "\n".join(self.failures)

    async def press(self, *keys):
        """Press keys without drawing the screen, which takes most of the time."""
        await self.ui.pilot.press(*keys)
        await self.ui.pilot.pause(0)

    # movements

    async def wheel_down(self):
        await wheel(self.ui, self.pane, 20)

    async def wheel_up(self):
        await wheel(self.ui, self.pane, 20, MouseScrollUp)

    async def next_hit(self):
        await self.search("n")

    async def previous_hit(self):
        await self.search("N")

    async def search(self, key):
        """Search, which ends when the transcript is left, and go to another hit."""
        await self.press("slash", *"needle", "enter")
        await self.ui.until(lambda: "hit " in self.ui.text(), "the hits")
        await self.press(key)

    async def next_branch(self):
        await self.press("home")
        await self.settle()
        await self.ui.until(lambda: "prompt 1 " in self.ui.text(), "the outline")
        await self.press("b", "b")

    async def wider(self):
        await self.ui.pilot.resize_terminal(140, 34)

    async def narrower(self):
        await self.ui.pilot.resize_terminal(110, 24)

    # commands: each returns what was acted on, and what the screen showed

    async def copy(self, shown):
        self.ui.app.copy_to_clipboard("")
        await self.press("y", "y")
        await self.ui.until(lambda: self.ui.app.clipboard, "the copy")
        return TOKEN.search(self.ui.app.clipboard)[0], shown

    async def copy_code(self, shown):
        if shown[0] in "ux" or (shown[0] == "k" and self.pane == "tree"):
            return "no code", "no code"
        self.ui.app.copy_to_clipboard("")
        await self.press("Y")
        await self.ui.until(lambda: self.ui.app.clipboard, "the copy")
        return TOKEN.search(self.ui.app.clipboard)[0], shown

    def entry_of(self, shown):
        """The id of the entry of a block, or of a row of the tree, which has one for each result."""
        return shown.replace("k", "r" if self.pane == "tree" else "a")

    async def label(self, shown):
        path = self.ui.path("long")
        self.labels += 1
        key = "abcdefghijklmnopqrstuvwxyz"[self.labels % 26]
        size = path.stat().st_size
        await self.press("L", key, "enter")
        await self.ui.until(lambda: path.stat().st_size > size, "the label")
        written = path.read_text().splitlines()
        await self.ui.until(lambda: self.ui.focus == self.pane, "the pane")
        return json.loads(written[-1])["targetId"], self.entry_of(shown)

    async def go_on(self, shown):
        self.points.clear()
        await self.press("enter")
        await self.ui.until(lambda: len(self.ui.app.screen_stack) > 1, "the dialog")
        await self.press("escape")
        await self.ui.until(lambda: self.ui.focus == self.pane, "the pane")
        if not self.points:
            return self.ui.tree.view.leaf.id, shown  # The tree resumes at its leaf.
        target = self.points[0]
        picked = TOKEN.search(target.text)[0] if target.text else target.leaf_id
        return picked, self.entry_of(shown)

    async def compare(self, shown):
        await self.press("C")
        await self.ui.until(lambda: "Both follow: " in self.ui.text(), "the comparison")
        followed = re.search(r"Both follow: .*?(z\d{4})", self.ui.text())[1]
        await self.press("escape")
        await self.ui.until(lambda: self.ui.focus == self.pane, "the pane")
        # The next branch that starts at the entry or below it; above it if there is none below.
        number = int(shown[1:])
        return followed, f"z{next((at for at in FORKED[:-1] if at >= number), FORKED[-2]):04}"

    async def edit(self, shown):
        self.opened.clear()
        await self.press("e")
        await self.ui.until(lambda: self.opened, "the editor")
        return TOKEN.search(self.opened[0])[0], shown.replace("k", "a" if self.pane == "transcript" else "k")

    async def go_to_tree(self, shown):
        await self.press("t")
        await self.ui.until(lambda: self.ui.focus == "tree", "the tree")
        await self.settle()
        row = pointed(self.ui, "tree")
        await self.press("v")
        await self.ui.until(lambda: self.ui.focus == self.pane, "the transcript")
        await self.settle()
        return row, self.entry_of(shown)

    async def read(self, shown):
        await self.press("v")
        await self.ui.until(lambda: self.ui.focus == "transcript", "the transcript")
        await self.settle()
        block = pointed(self.ui, "transcript")
        await self.press("t")
        await self.ui.until(lambda: self.ui.focus == "tree", "the tree")
        await self.settle()
        return block, shown.replace("k", "a")

    async def follow(self, shown):
        """The transcript below the tree has its cursor on the same entry."""
        pane = self.ui.screen.beside.transcript_pane
        if not pane.display:
            return shown, shown
        wanted = shown.replace("k", "a")

        def has_followed():
            return not pane.is_reading and pane.entry is not None and pane.entry.entry_id == wanted

        await self.ui.until(has_followed, f"{wanted} in the transcript")
        return pane.entry.entry_id, wanted

    # commands of the list

    async def copied_by(self, *keys):
        self.ui.app.copy_to_clipboard("")
        await self.press(*keys)
        await self.ui.until(lambda: self.ui.app.clipboard, "the copy")
        return re.search(r"\bu\d{4}\b|(?<=_)u\d{4}", self.ui.app.clipboard)[0]

    async def copy_id(self, shown):
        return await self.copied_by("y", "y"), shown

    async def copy_path(self, shown):
        return await self.copied_by("Y"), shown

    async def copy_command(self, shown):
        return await self.copied_by("ctrl+y"), shown

    async def resume(self, shown):
        await self.press("enter")
        await self.ui.until(lambda: len(self.ui.app.screen_stack) > 1, "the question")
        copied = await self.copied_by("c")
        await self.press("escape")
        await self.ui.until(lambda: self.ui.focus == self.pane, "the list")
        return copied, shown

    async def trash(self, shown):
        await self.press("ctrl+d")
        question = asked(self.ui)[0]
        await self.press("escape")
        await self.ui.until(lambda: self.ui.focus == self.pane, "the list")
        return TOKEN.search(question)[0], shown

    async def show_tree(self, shown):
        await self.press("t")
        await self.ui.until(lambda: self.ui.focus == "tree", "the tree")
        await self.settle()
        row = pointed(self.ui, "tree")
        await self.press("1")
        return row, shown.replace("u", "a")


@SHARES
async def test_commands_of_the_transcript_act_on_the_block_with_the_cursor(
    browser, tmp_path, monkeypatch, share
):
    monkeypatch.setattr(transcript_pane, "OUTLINE_SECONDS", 0.01)
    path = long_session(tmp_path)
    added = iter(range(CYCLES, 10 * CYCLES))

    async def grow():
        number = next(added)
        append(path, *turn(number, f"z{number - 1:04}"))

    async with browser(size=(110, 24)) as ui:
        walk = Walk(ui, "transcript", monkeypatch, share)
        await ui.until(lambda: ui.tree.view.tree.is_whole, "the tree")
        await ui.press("v")
        await ui.until(lambda: ui.focus == "transcript" and "z0249" in ui.text(), "the transcript")
        commands = [
            walk.copy,
            walk.copy_code,
            walk.label,
            walk.go_on,
            walk.compare,
            walk.edit,
            walk.go_to_tree,
        ]
        down = ["home", "pagedown", walk.wheel_down, walk.next_hit, "right_square_bracket"]
        await walk.all(down, commands, moves=True)
        await walk.all(["3", walk.wider, "ctrl+s", grow], commands, moves=False)
        up = ["G", "pageup", walk.wheel_up, walk.previous_hit, "left_square_bracket"]
        await walk.all(up, commands, moves=True)
        await walk.all(["3", "<", walk.narrower, ">"], commands, moves=False)
        await walk.all([walk.next_branch], commands, moves=True)
        walk.check()


@SHARES
@pytest.mark.usefixtures("tree_shown")
async def test_commands_of_the_tree_act_on_the_row_with_the_cursor(browser, tmp_path, monkeypatch, share):
    path = long_session(tmp_path)
    added = iter(range(CYCLES, 10 * CYCLES))

    async def grow():
        number = next(added)
        append(path, *turn(number, f"z{number - 1:04}"))
        await ui.until(lambda: ui.tree.view.tree.find(f"z{number:04}", -1), "the new entries")

    async with browser(size=(110, 24)) as ui:
        walk = Walk(ui, "tree", monkeypatch, share)
        await ui.until(lambda: ui.tree.view.tree.is_whole, "the tree")
        await ui.press("tab")
        commands = [
            walk.copy,
            walk.copy_code,
            walk.label,
            walk.go_on,
            walk.compare,
            walk.edit,
            walk.read,
            walk.follow,
        ]
        down = ["home", "pagedown", walk.wheel_down, walk.next_hit, "right_square_bracket", "b"]
        await walk.all(down, commands, moves=True)
        await walk.all(["2", walk.wider, grow], commands, moves=False)
        up = ["G", "pageup", walk.wheel_up, "left_square_bracket"]
        await walk.all(up, commands, moves=True)
        await walk.all(["2", "<"], commands, moves=False)
        walk.check()


@SHARES
async def test_commands_of_the_list_act_on_the_row_with_the_cursor(browser, tmp_path, monkeypatch, share):
    paths = [
        pi_session(
            tmp_path, *chain(f"u{number:04} asks", f"a{number:04}", id=f"u{number:04}"), id=f"u{number:04}"
        )
        for number in range(200)
    ]

    async def grow():
        append(paths[-1], message("more", "00000002", "user", f"a{len(paths) - 1:04} again"))
        await ui.until(lambda: ui.sessions.model.row_at(str(paths[-1])).message_count == 3, "the new entry")

    async with browser(size=(110, 24)) as ui:
        walk = Walk(ui, "sessions", monkeypatch, share)
        commands = [
            walk.copy_id,
            walk.copy_path,
            walk.copy_command,
            walk.edit,
            walk.resume,
            walk.trash,
            walk.show_tree,
        ]
        await ui.press("O")
        await walk.all(["G", "pageup", walk.wheel_up, "up"], commands, moves=True)
        await walk.all([walk.wider, "<", "D", grow], commands, moves=False)
        await walk.all(["home", "pagedown", walk.wheel_down, "down"], commands, moves=True)
        await walk.all([walk.narrower, ">", "D"], commands, moves=False)
        walk.check()
