"""Sessions that Claude Code may delete: the warning, the marks, and keeping and restoring them with keys."""

from __future__ import annotations

import gzip
import os
import time

import pytest

from tests.claude_lines import line, write
from tests.claude_sweep import DAY, sweep
from tests.ui.conftest import install

LIST_CELLS = 60
WARNING = "2 sessions of Claude Code may be deleted in 4 days (B)"


def session(home, name, age, cwd="/work/app"):
    """A session of that age in days."""
    path = write(
        home,
        line("user", f"{name}-u", None, f"prompt of {name}", cwd=str(cwd)),
        line("assistant", f"{name}-a", f"{name}-u", "an answer", cwd=str(cwd), stop_reason="end_turn"),
        name=name,
    )
    at = time.time() - age * DAY
    os.utime(path, (at, at))
    return path


@pytest.fixture
def aging(tmp_path):
    """The home folder, with two sessions that may go in seven days, and a new one."""
    home = tmp_path / "home"
    for name, age in (("old", 26.5), ("older", 25), ("new", 1)):
        session(home, name, age)
    return home


def copies(ui):
    """The names of the copies."""
    return {path.name.partition(".")[0] for path in (ui.folder / "state/kept").rglob("*.jsonl.gz")}


def settings(ui):
    """The text of the settings file; "" without one."""
    file = ui.folder / "config/config.toml"
    return file.read_text() if file.exists() else ""


def mark_of(ui, name):
    """The mark before the title of a session."""
    rows = [row[:LIST_CELLS] for row in ui.text().splitlines()]
    [shown] = [row for row in rows if f"prompt of {name} " in row]
    return shown[shown.index("prompt") - 2]


async def open_question(ui):
    await ui.until(lambda: WARNING in ui.text(), "the warning")
    await ui.press("B")
    await ui.until(lambda: ui.is_in("2 sessions of Claude Code may be deleted in 4 days"), "the question")


async def test_the_sessions_that_may_go_are_kept_by_one_answer_and_undone(browser, aging):
    async with browser(size=(160, 40)) as ui:
        await open_question(ui)
        await ui.press("n")
        await ui.until(lambda: copies(ui) == {"old", "older"}, "the copies")
        await ui.until(lambda: any("Kept 2 sessions (z to undo)" in text for text in ui.toasts()), "the word")
        await ui.until(lambda: "may be deleted" not in ui.text(), "no warning")
        assert settings(ui) == ""
        await ui.press("z")
        await ui.until(lambda: copies(ui) == set(), "the undo")
        await ui.until(lambda: WARNING in ui.text(), "the warning again")
        await ui.press("Z")
        await ui.until(lambda: copies(ui) == {"old", "older"}, "the redo")


async def test_always_and_never_are_the_setting(browser, aging):
    async with browser(size=(160, 40)) as ui:
        await open_question(ui)
        await ui.press("a")
        await ui.until(lambda: copies(ui) == {"old", "older"}, "the copies")
        assert 'keep = "expiring"' in settings(ui)
        await ui.until(lambda: "may be deleted" not in ui.text(), "no warning")


async def test_never_silences_header_and_marks(browser, aging):
    async with browser(size=(160, 40)) as ui:
        await open_question(ui)
        assert mark_of(ui, "old") == "⌫"
        await ui.press("x")
        await ui.until(lambda: 'keep = "never"' in settings(ui), "the setting")
        await ui.until(lambda: "may be deleted" not in ui.text(), "no warning")
        assert (mark_of(ui, "old"), copies(ui)) == (" ", set())
        await ui.press("B")
        await ui.until(lambda: len(copies(ui)) == 1, "no question any more")


async def test_marked_sessions_are_kept_without_a_question(browser, aging):
    async with browser(size=(160, 40)) as ui:
        await ui.until(lambda: WARNING in ui.text(), "the warning")
        ui.sessions.go_to(str(ui.path("new")))
        await ui.press("space", "B")
        await ui.until(lambda: copies(ui) == {"new"}, "its copy")
        await ui.until(lambda: [mark_of(ui, name) for name in ("new", "old")] == ["■", "⌫"], "the marks")
        assert WARNING in ui.text()


@pytest.mark.parametrize(
    ("env", "setting", "marks"), [({}, "", "†⌫■"), ({"NO_COLOR": "1"}, "ascii = true\n", "gdk")]
)
async def test_rows_have_marks_that_the_legend_explains(browser, aging, tmp_path, env, setting, marks):
    (tmp_path / "config").mkdir()
    (tmp_path / "config/config.toml").write_text(setting)
    async with browser(size=(160, 60), env=env) as ui:
        await ui.until(lambda: WARNING in ui.text(), "the warning")
        for name in ("old", "new"):
            ui.sessions.go_to(str(ui.path(name)))
            await ui.press("space")
        await ui.press("B")
        await ui.until(lambda: copies(ui) == {"old", "new"}, "the copies")
        ui.path("old").unlink()
        names = ("old", "older", "new")
        await ui.until(lambda: "".join(mark_of(ui, name) for name in names) == marks, "the marks")
        await ui.press("question_mark", "slash", *"and its file")
        await ui.until(lambda: f"{marks[0]} kept, and its file" in ui.text(), "the legend")


async def test_a_gone_session_is_restored_by_a_key_and_by_enter(browser, tmp_path):
    home, work = tmp_path / "home", tmp_path / "work"
    work.mkdir()
    install(tmp_path, "claude")
    path = session(home, "one", 40, work)
    before = path.read_bytes()
    async with browser(size=(160, 40)) as ui:
        await ui.until(lambda: "may be deleted now (B)" in ui.text(), "the warning")
        await ui.press("B", "n")
        await ui.until(lambda: copies(ui) == {"one"}, "the copy")
        sweep(home / ".claude/projects")
        await ui.until(lambda: ui.sessions.row is not None and ui.sessions.row.is_gone, "the gone session")
        assert mark_of(ui, "one") == "†"
        await ui.press("R")
        await ui.until(path.exists, "the file")
        assert path.read_bytes() == before
        await ui.until(lambda: ui.sessions.row is not None and not ui.sessions.row.is_gone, "the session")
        await ui.press("z")
        await ui.until(lambda: not path.exists(), "the undo of the restore")
        await ui.until(lambda: ui.sessions.row is not None and ui.sessions.row.is_gone, "the gone session")
        await ui.press("enter")
        await ui.until(lambda: "Its file is gone. Restore and resume" in ui.text(), "the question")
        await ui.press("enter")
        await ui.until(lambda: ui.has_ended, "the end")
        plan = ui.app.return_value
        assert plan.argv == ["claude", "--resume", "one"]
        plan.restore()
        assert path.read_bytes() == before
    [copy] = (tmp_path / "state/kept").rglob("one.jsonl.gz")
    assert gzip.decompress(copy.read_bytes()) == before


async def test_the_examples_have_a_session_that_may_be_deleted_and_no_other_warning(browser):
    async with browser(size=(160, 45)) as ui:
        await ui.press("f6")
        await ui.until(lambda: "1 session of Claude Code may be deleted in 5 days (B)" in ui.text(), "it")
        assert ui.toasts() == []
        await ui.press("B", "x")
        await ui.until(lambda: "may be deleted" not in ui.text(), "no warning")
        assert settings(ui) == "", "examples do not change the user's settings"
