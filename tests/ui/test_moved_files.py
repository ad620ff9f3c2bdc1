"""While leafmark asks something about a session, its agent renames the folder of the file (formats/README.md,
"oh-my-pi"). The answer still applies to that session, at its new path.
"""

from __future__ import annotations

import json
import shutil
from threading import Event

import pytest

from app.actions import branch_options
from app.sessions.tree import branches
from tests.factory import chain, message
from tests.ui.conftest import EDIT, QUESTION, WAYS, asked, install, pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")


def main_screen(ui):
    """The screen under the question or dialog."""
    return ui.app.screen_stack[0]


async def move(ui, id, to="--moved--"):
    """Rename the folder of a session, wait until the list has the new path, and return it."""
    path = ui.path(id)
    folder = path.parent.rename(path.parent.parent / to)
    moved = folder / path.name
    await ui.until(lambda: main_screen(ui).model.row_at(str(moved)) is not None, "the new path")
    await ui.until(lambda: main_screen(ui).model.row_at(str(path)) is None, "the old path's end")
    return moved


@pytest.fixture
def work(tmp_path):
    """Two branches in an existing folder, with the agent installed."""
    folder = tmp_path / "work"
    folder.mkdir()
    install(tmp_path, "pi")
    lines = [
        *chain("one", "two", "three", "four", id="branchy", cwd=str(folder)),
        message("e", "00000002", "user", "five", 10),
        message("f", "e", "assistant", "six", 11),
    ]
    pi_session(tmp_path, *lines, id="branchy")
    return folder


def entries(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


# questions in a row


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("marks", [0, 2])
async def test_a_session_moved_during_the_question_is_trashed(browser, three, way, marks):
    async with browser(**way) as ui:
        if ui.selects:
            await ui.press("shift+tab")
        await ui.press(*["space"] * marks, "ctrl+d")
        question = asked(ui)[0]
        moved = await move(ui, "branchy")
        assert ui.is_in(QUESTION)
        assert asked(ui) == [question, "Enter trash  Esc keep"]
        assert sum("✗" in line for line in ui.text().splitlines()) == (marks or 1)
        await ui.press("enter")
        await ui.until(lambda: not moved.exists(), "the trash")
        await ui.until(lambda: any("Trashed" in toast for toast in ui.toasts()), "the word")
        assert (moved.parent / "2026_plain.jsonl").exists() == (not marks)


async def test_another_file_with_the_same_id_is_not_trashed_instead(browser, three):
    async with browser(settle=False) as ui:
        path = ui.path("branchy")
        copy = path.with_name("2027_copy.jsonl")
        shutil.copy2(path, copy)
        await ui.settled()
        await ui.until(lambda: ui.sessions.model.row_at(str(copy)) is not None, "the copy")
        ui.sessions.go_to(str(path))
        await ui.settled()
        await ui.press("ctrl+d")
        path.unlink()
        await ui.until(lambda: "is gone: nothing is left to trash" in asked(ui)[0], "the word")
        await ui.press("enter", "enter")
        assert copy.exists()


async def test_a_moved_session_is_renamed(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+r", *"QQQ")
        moved = await move(ui, "branchy")
        await ui.press("enter")
        await ui.until(lambda: "Refactor authQQQ" in moved.read_text(), "the name")


async def test_another_file_with_the_same_id_is_not_renamed_instead(browser, three):
    async with browser(settle=False) as ui:
        path = ui.path("branchy")
        copy = path.with_name("2027_copy.jsonl")
        shutil.copy2(path, copy)
        before = copy.read_bytes()
        await ui.settled()
        await ui.until(lambda: ui.sessions.model.row_at(str(copy)) is not None, "the copy")
        ui.sessions.go_to(str(path))
        await ui.settled()
        await ui.press("ctrl+r", *"QQQ")
        path.unlink()
        await ui.until(lambda: 'is gone: "Refactor authQQQ" is not written' in ui.text(), "the word")
        await ui.press("enter", "enter")
        assert copy.read_bytes() == before


async def test_a_moved_session_is_labelled(browser, three):
    async with browser() as ui:
        await ui.press("tab", "L", *"ab")
        moved = await move(ui, "branchy")
        assert ui.is_in(EDIT)
        await ui.until(lambda: main_screen(ui).query_one("#tree").view.tree.path == str(moved), "its tree")
        assert ui.is_in(EDIT)
        await ui.press("enter")
        await ui.until(lambda: '"label": "ab"' in moved.read_text() or '"ab"' in moved.read_text(), "it")
        assert not any("gone" in toast for toast in ui.toasts())


async def test_a_label_for_a_removed_session_is_not_written(browser, three):
    async with browser() as ui:
        await ui.press("tab", "L", *"ab")
        ui.path("branchy").unlink()
        await ui.until(lambda: 'is gone: "ab" is not written' in ui.text(), "the word")


# dialogs


async def test_the_list_of_labels_finds_a_moved_session(browser, three):
    async with browser() as ui:
        await ui.press("apostrophe")
        assert ui.is_in("Labels")
        moved = await move(ui, "branchy")
        await ui.press("down", "delete")
        await ui.until(lambda: entries(moved)[-1].get("targetId") == "e", "the label's end")
        await ui.until(lambda: any("Removed the label" in toast for toast in ui.toasts()), "the word")


async def test_a_moved_session_can_be_forked_to_another_folder(browser, three, tmp_path):
    (tmp_path / "other").mkdir()
    for pane in ("sessions", "tree"):
        async with browser() as ui:
            if pane == "tree":
                await ui.press("tab")
            await ui.press("F")
            assert ui.is_in("Folder")
            ui.screen.query_one("Input").value = str(tmp_path / "other")
            await move(ui, "branchy", f"--{pane}--")
            await ui.press("enter")
            await ui.until(lambda: any("Forked" in toast for toast in ui.toasts()), "the fork")


async def continue_at_two(ui):
    """Open the dialog "Continue from here"."""
    await ui.go_to_entry("two")
    await ui.press("enter")
    await ui.until(lambda: ui.is_in("Continue from here"), "the dialog")


@pytest.mark.parametrize("is_here", [False, True])
async def test_a_moved_session_can_be_continued(browser, work, is_here):
    async with browser(here=str(work), size=(160, 45)) as ui:
        before = ui.path("branchy").read_bytes()
        await continue_at_two(ui)
        moved = await move(ui, "branchy")
        await ui.press(*(["right"] if is_here else []), "ctrl+s")
        await ui.until(lambda: ui.has_ended, "the end")
        path = ui.app.return_value.argv[-1]
        if is_here:
            assert path == str(moved)
            assert moved.read_bytes() != before
        else:
            assert path.startswith(str(moved.parent))
            assert moved.read_bytes() == before
        assert not any("no such" in toast.lower() for toast in ui.toasts())


async def test_a_reason_against_a_choice_appears_in_the_open_dialog(browser, work):
    program = work.parent / "bin" / "pi"
    async with browser(here=str(work), size=(160, 45)) as ui:
        await continue_at_two(ui)
        program.rename(program.with_name("gone"))
        await move(ui, "branchy")
        await ui.until(lambda: "pi is not installed" in ui.text(), "the word")
        program.with_name("gone").rename(program)
        await move(ui, "branchy", "--again--")
        await ui.until(lambda: "pi is not installed" not in ui.text(), "its end")


async def test_a_session_moved_before_the_question_is_asked_about_at_its_new_path(browser, work, monkeypatch):
    # hold back the answer about the old path until the list has the new path
    find, is_moved = branch_options.find_branch_options, Event()
    monkeypatch.setattr(
        branch_options, "find_branch_options", lambda *about: (find(*about), is_moved.wait())[0]
    )
    async with browser(here=str(work), size=(200, 45)) as ui:
        await ui.go_to_entry("two")
        await ui.press("enter")
        await move(ui, "branchy")
        is_moved.set()
        await ui.until(lambda: ui.is_in("Continue from here"), "the dialog")
        await ui.press("ctrl+y")
        assert "/--moved--/" in ui.app.clipboard


async def test_branches_are_compared_where_the_session_is_by_then(browser, work, monkeypatch):
    compared, find = [], branches.branches_from
    monkeypatch.setattr(
        branches, "branches_from", lambda tree, entry: (compared.append(tree.path), find(tree, entry))[1]
    )
    async with browser(here=str(work), size=(160, 45)) as ui:
        await ui.go_to_entry("two")
        await ui.press("C")
        await ui.until(lambda: "Both follow" in ui.text(), "the comparison")
        moved = await move(ui, "branchy")
        await ui.press("]")
        await ui.until(lambda: compared[1:] == [str(moved)], "the comparison of the next branch")


async def test_a_summary_for_a_removed_session_is_on_the_clipboard(browser, work):
    async with browser(here=str(work), size=(160, 45)) as ui:
        await continue_at_two(ui)
        await ui.press("right")
        ui.screen.query_one("#summary").focus()
        await ui.press("right", "tab")
        ui.path("branchy").unlink()
        await ui.until(lambda: not main_screen(ui).model.rows(), "its end")
        await ui.press(*"what I wrote", "ctrl+s")
        await ui.until(lambda: any('"one" is gone' in toast for toast in ui.toasts()), "the word")
        assert "what I wrote" in ui.app.clipboard


@pytest.fixture
def without_folder(tmp_path):
    """A session whose working folder is missing; its agent is installed."""
    install(tmp_path, "pi")
    return pi_session(tmp_path, *chain("go on", "yes", id="s", cwd="/gone/for/good"), id="s")


@pytest.mark.parametrize("way", WAYS)
async def test_the_dialog_before_resuming_follows_a_moved_session(browser, without_folder, tmp_path, way):
    folder = tmp_path / "other"
    folder.mkdir()
    async with browser(here="/gone/for/good", size=(160, 45), **way) as ui:
        await ui.press("enter")
        assert ui.is_in("Cannot resume", "Resume")
        moved = await move(ui, "s")
        await ui.until(lambda: str(moved) in ui.screen.standing.plan.shell, "the new command")
        await ui.press("c")
        assert str(moved) in ui.app.clipboard
        assert "--moved--" in ui.text()
        await ui.press("f")
        assert ui.is_in("Folder")
        ui.screen.query_one("Input").value = str(folder)
        moved_again = await move(ui, "s", "--moved-again--")
        await ui.press("enter")
        await ui.until(lambda: ui.has_ended, "the end")
        plan = ui.app.return_value
        assert plan.cwd == str(folder)
        assert entries(moved_again)[0]["cwd"] == "/gone/for/good"


async def test_the_dialog_before_resuming_says_that_a_session_is_gone_until_it_returns(
    browser, without_folder
):
    async with browser(size=(160, 45)) as ui:
        await ui.press("enter")
        assert ui.is_in("Cannot resume", "Resume")
        text = without_folder.read_bytes()
        without_folder.unlink()
        await ui.until(lambda: "This session is gone." in ui.text(), "the word")
        await ui.press("c", "f")
        assert ui.is_in("Cannot resume", "Resume")
        assert not ui.app.clipboard
        without_folder.write_bytes(text)
        await ui.until(lambda: "/gone/for/good is gone" in ui.text(), "the reason")
        await ui.press("c")
        assert str(without_folder) in ui.app.clipboard


async def test_resuming_anyway_uses_the_new_path(browser, work):
    lines = chain("refused", id="refused", cwd=str(work))
    path = pi_session(work.parent, *lines, id="refused", project="odd")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    async with browser(here=str(work), size=(160, 45)) as ui:
        ui.sessions.go_to(str(path))
        await ui.settled()
        await ui.press("enter")
        assert ui.is_in("Cannot resume", "Resume")
        moved = await move(ui, "refused")
        await ui.press("r")
        await ui.until(lambda: ui.has_ended, "the end")
        assert ui.app.return_value.argv == ["pi", "--session", str(moved)]


# sessions that are missing for a moment


async def away(ui, id):
    """Remove a session as it looks while its folder is renamed; return its future path and its content."""
    path = ui.path(id)
    text = path.read_bytes()
    path.unlink()
    await ui.until(lambda: main_screen(ui).model.row_at(str(path)) is None, "its end")
    return path.parent.parent / "--moved--" / path.name, text


async def back(ui, moved, text):
    moved.parent.mkdir()
    moved.write_bytes(text)
    await ui.until(lambda: main_screen(ui).model.row_at(str(moved)) is not None, "the new path")


@pytest.mark.parametrize("keys", ["ctrl+d", "ctrl+r", "tab L"])
async def test_no_session_is_called_gone_while_files_are_read(browser, three, keys):
    async with browser() as ui:
        main_screen(ui).feed.is_reading = True
        await ui.press(*keys.split())
        await ui.until(lambda: ui.is_in(QUESTION, EDIT), "the question")
        await ui.pilot.pause(0.1)
        question = asked(ui)
        moved, text = await away(ui, "branchy")
        # a change in another file ends the reading
        main_screen(ui).feed.is_reading = True
        await ui.pilot.pause(0.01)
        assert asked(ui) == question
        await back(ui, moved, text)
        assert asked(ui) == question
        assert ui.is_in(QUESTION if keys == "ctrl+d" else EDIT)


async def test_an_answer_waits_for_a_session_that_is_being_moved(browser, three):
    async with browser() as ui:
        await ui.press("ctrl+d")
        moved, text = await away(ui, "branchy")
        main_screen(ui).feed.is_reading = True
        await ui.press("enter")
        assert not ui.is_in(QUESTION)
        await back(ui, moved, text)
        await ui.until(lambda: not moved.exists(), "the trash")
