"""The transcript beside the list: how little is read for it, what the next run begins with, and odd sessions
and sizes in every view.
"""

from __future__ import annotations

import pytest

from app import paths
from app.services.transcript_reader import TranscriptReader
from app.services.tree_reader import TreeReader
from app.view.arrangement import Place, last_place
from app.widgets import line_list
from tests.factory import append, chain, message
from tests.ui.conftest import HERE, pi_session

VIEWS = {
    "list": [],
    "transcript": ["tab"],
    "whole screen": ["v"],
    "tree": ["t"],
    "tree, then whole screen": ["t", "up", "v"],
}
EVERY_VIEW = pytest.mark.parametrize("keys", list(VIEWS.values()), ids=list(VIEWS))
SIZES = [
    (160, 45),
    (80, 24),
    (20, 5),
    (109, 30),
    (110, 30),
    (50, 18),
    (49, 17),
    (20, 8),
    (200, 50),
    (120, 40),
]


def pane_of(ui):
    return ui.screen.beside.transcript_pane


def pointed(ui):
    """The id of the entry that the transcript has its cursor on."""
    ref = ui.transcript.transcript.ref()
    return ref.anchor.entry_id if ref is not None else None


async def read(ui):
    await ui.until(lambda: not pane_of(ui).is_reading and ui.transcript.lines, "the transcript")


async def test_it_opens_at_the_last_prompt_or_at_the_end_that_shows_it(browser, tmp_path):
    long = "\n\n".join(f"line {number}" for number in range(200))
    pi_session(tmp_path, *chain("first", long, "last prompt", long, id="long"), id="long")
    pi_session(tmp_path, *chain("first", long, "last prompt", "short", id="short"), id="short")
    async with browser() as ui:
        for id in ("long", "short"):
            ui.sessions.go_to(str(ui.path(id)))
            await ui.settled()
            await read(ui)
            await ui.until(lambda: "▌ last prompt" in ui.text(), "the prompt")
        assert "short" in ui.text()
        ui.sessions.go_to(str(ui.path("long")))
        await ui.until(lambda: "line 3" in ui.text(), "the beginning of its answer")
        assert pointed(ui) == "00000003"
        assert "line 199" not in ui.text()


async def test_only_the_end_of_a_long_session_is_read(browser, tmp_path, monkeypatch):
    readers = set()
    real_open = TranscriptReader.open

    def noted(self, *arguments):
        readers.add(self)
        return real_open(self, *arguments)

    monkeypatch.setattr(TranscriptReader, "open", noted)
    words = [f"{'asked' if number % 2 == 0 else 'answer'} {number}" for number in range(20_000)]
    pi_session(tmp_path, *chain(*words, id="long"), id="long")
    async with browser() as ui:
        await read(ui)
        await ui.until(lambda: "of 10,000" in ui.text(), "the outline")
        assert "answer 19999" in ui.text()
        assert sum(reader.entries_read for reader in readers) < 10 * ui.transcript.size.height


async def test_a_held_key_reads_the_session_alone_on_which_it_rests(browser, tmp_path, monkeypatch):
    for number in range(60):
        pi_session(
            tmp_path, *chain(f"asked {number}", f"answer {number}", id=f"s{number:02}"), id=f"s{number:02}"
        )
    opened = []
    for kind, at in ((TranscriptReader, 0), (TreeReader, None)):
        real_open = kind.open

        def noted(self, request, *arguments, real_open=real_open, at=at, **options):
            opened.append(request[at] if at is not None else request)
            return real_open(self, request, *arguments, **options)

        monkeypatch.setattr(kind, "open", noted)
    async with browser() as ui:
        await read(ui)
        # The keys of a pilot are slower than those of a keyboard.
        monkeypatch.setattr(line_list, "BURST_SECONDS", 3_600.0)
        monkeypatch.setattr(line_list, "REST_SECONDS", 1.0)
        opened.clear()
        await ui.pilot.press(*["down"] * 40)
        row = ui.sessions.row
        await ui.until(lambda: opened.count(row.path) == 2 and f"▌ {row.title}" in ui.text(), "the last one")
        # The first two steps are no burst yet.
        assert len(opened) <= 6


async def test_a_held_key_in_the_tree_reads_the_entry_alone_on_which_it_rests(browser, tmp_path, monkeypatch):
    words = [f"text {number}" for number in range(400)]
    pi_session(tmp_path, *chain(*words, id="long"), id="long")
    opened = []
    real_open = TranscriptReader.open

    def noted(self, request, start):
        opened.append(start)
        return real_open(self, request, start)

    monkeypatch.setattr(TranscriptReader, "open", noted)
    async with browser() as ui:
        await read(ui)
        await ui.press("t")
        # The keys of a pilot are slower than those of a keyboard.
        monkeypatch.setattr(line_list, "BURST_SECONDS", 3_600.0)
        monkeypatch.setattr(line_list, "REST_SECONDS", 1.0)
        opened.clear()
        await ui.pilot.press(*["up"] * 60)
        await ui.until(lambda: pointed(ui) == ui.tree.node.id, "the entry")
        assert len(opened) <= 3


async def test_what_was_shown_is_remembered(browser, three):
    async with browser() as ui:
        before = ui.sessions.model.arrangement
        await ui.press("full_stop", "s", "ctrl+s", "O", "greater_than_sign", "t", "1")
        left = ui.sessions.model.arrangement
        assert [getattr(left, name) != getattr(before, name) for name in ("scope", "order", "grouped")] == [
            True
        ] * 3
        await ui.press("slash", *"done", "enter")
        await ui.until(lambda: ui.listed() == ["plain"], "the matches")
        path, env = ui.sessions.row.path, ui.screen.setup.env
        await ui.press("q")
    assert last_place(paths.read_screen(env), HERE) == Place(path, "done")
    assert last_place(paths.read_screen(env), "/elsewhere") == Place()
    async with browser() as ui:
        assert ui.sessions.model.arrangement == left
        assert ui.tree.is_on_screen


@EVERY_VIEW
async def test_every_size_of_the_screen_keeps_the_place_in_every_view(browser, three, keys):
    async with browser() as ui:
        await ui.press("down", "up", *keys)
        await read(ui)
        focus, row, entry = ui.focus, ui.sessions.row, pointed(ui)
        node = ui.tree.node
        for size in SIZES:
            await ui.pilot.resize_terminal(*size)
            await ui.pilot.pause()
            if size[1] < 8:
                assert "Too small" in ui.text()
                continue
            assert ui.focus == focus
            assert ui.app.focused.is_on_screen
        await read(ui)
        assert (ui.sessions.row, ui.tree.node) == (row, node)
        assert pointed(ui) == entry


@EVERY_VIEW
async def test_a_session_that_grows_shrinks_and_vanishes_in_every_view(browser, three, keys):
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("branchy")))
        await ui.settled()
        await ui.press(*keys)
        await read(ui)
        path, focus = ui.path("branchy"), ui.focus
        append(path, message("n1", "h", "user", "one more", 30), message("n2", "n1", "assistant", "yes", 31))
        await ui.until(lambda: ui.tree.view.tree.by_id.get("n2") is not None, "the new entries")
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:3]))
        await ui.until(lambda: ui.tree.view and len(ui.tree.view.tree.entries) == 2, "the shorter session")
        await ui.until(lambda: "one more" not in ui.text(), "the shorter transcript")
        assert (ui.focus, ui.sessions.row.id) == (focus, "branchy")
        path.unlink()
        await ui.until(lambda: ui.sessions.model.row_at(str(path)) is None, "one session less")
        await ui.settled()
        assert ui.sessions.row.id != "branchy"
        await ui.press("escape", "escape")
        assert ui.focus == "sessions"


@EVERY_VIEW
@pytest.mark.parametrize(
    "words", [["one"], ["x" * (1 << 20)], ["word\n\n" * 100_000]], ids=["", "1 MB", "lines"]
)
async def test_one_entry_of_any_size_in_every_view(browser, tmp_path, keys, words):
    pi_session(tmp_path, *chain(*words, id="s"), id="s")
    async with browser(size=(80, 24)) as ui:
        await ui.press(*keys)
        for key in ("home", "pagedown", "pageup", "J", "K", "left_square_bracket", "end", "t", "v"):
            await ui.press(key)
        await read(ui)
        assert pointed(ui) == ui.tree.view.leaf.id == "00000001"


@pytest.mark.parametrize("at_once", [False, True])
async def test_a_session_that_moves_keeps_its_place(browser, tmp_path, at_once):
    pi_session(tmp_path, *chain(*[f"text {number}" for number in range(60)], id="long"), id="long")
    async with browser() as ui:
        await ui.press("v", "home")
        await ui.until(lambda: pointed(ui) == "00000001", "the beginning")
        folder = ui.path("long").parent
        name = ui.path("long").name
        moved = folder.rename(folder.parent / "--moved--") / name
        if not at_once:
            await ui.until(lambda: ui.sessions.row.path == str(moved), "the new path")
        append(moved, message("n", "0000003c", "user", "one more", 90))
        await ui.until(lambda: ui.tree.view and ui.tree.view.tree.by_id.get("n"), "the new entry")
        await ui.until(lambda: "1 new entr" in ui.text() or at_once, "that it is followed")
        assert pointed(ui) == "00000001"


async def test_new_entries_stay_counted_when_the_width_changes(browser, tmp_path):
    pi_session(tmp_path, *chain(*[f"text {number}" for number in range(60)], id="long"), id="long")
    async with browser() as ui:
        await ui.press("v", "home")
        await ui.until(lambda: pointed(ui) == "00000001", "the beginning")
        append(ui.path("long"), message("n", "0000003c", "user", "one more", 90))
        await ui.until(lambda: "1 new entry below" in ui.text(), "the count")
        await ui.pilot.resize_terminal(90, 30)
        await read(ui)
        assert "1 new entry below" in ui.text()
        assert pointed(ui) == "00000001"


@pytest.mark.slow
@EVERY_VIEW
async def test_a_session_of_100_000_entries_in_every_view(browser, tmp_path, keys):
    pi_session(tmp_path, *chain(*map(str, range(100_000)), id="s"), id="s")
    async with browser() as ui:
        await ui.press(*keys)
        await read(ui)
        for key in ("home", "end", "left_square_bracket", "t", "v"):
            await ui.press(key)
        await read(ui)
        assert not ui.has_ended
