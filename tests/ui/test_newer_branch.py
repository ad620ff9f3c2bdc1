"""A leaf that was left behind: the last message in the file is on another branch, and nobody set the leaf."""

from __future__ import annotations

import pytest

from app.actions.branch import set_leaf
from app.sessions import SessionManager
from tests.cases import cases
from tests.factory import chain, entry, message, write_session
from tests.ui.conftest import pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")

EXIT = entry("custom", "x", "00000002", 20, customType="session_exit", data={"reason": "signal"})


def two_writers(*last):
    """The answer 00000002, two more messages below it, and the lines that another process wrote last."""
    return [
        *chain("fix it", "done", id="left"),
        message("n1", "00000002", "user", "and the logout", 12),
        message("n2", "n1", "assistant", "logout done", 14),
        *last,
    ]


def row_of(ui, text):
    return next(line.split("│", 1)[-1] for line in ui.text().split("\n") if text in line)


async def test_a_killed_agent_that_left_newer_messages_has_a_grey_mark(browser, tmp_path):
    write_session(tmp_path / "home/.omp/agent/sessions/-work-app-/2026_left.jsonl", *two_writers(EXIT))
    async with browser(size=(159, 45)) as ui:
        assert ui.sessions.row.is_behind
        spans = ui.sessions.draw(ui.sessions.cursor, 63, selected=False)
        assert ("↑", "dim") in spans
        assert "newer messages on another branch (12 min later) ← leaf" in row_of(ui, "← leaf")
        assert "newer than the leaf (12 min later)" in row_of(ui, "and the logout")
        assert ui.sessions.row.problems == 0, "it is no damage"
        await ui.press("tab")
        while "and the logout" not in (ui.tree.node.row_text.text if ui.tree.node.row_text else ""):
            await ui.press("down")
        await ui.press("enter")
        await ui.until(lambda: "Continue from here" in ui.text(), "the dialog of every row")


@pytest.fixture
def two_pis(tmp_path):
    late = [message("o1", "00000002", "user", "and this?", 16), entry("label", "o2", "n2", 17, targetId="n1")]
    return pi_session(tmp_path, *two_writers(*late), id="left")


async def test_two_pis_in_one_file_have_the_mark_until_the_leaf_is_set(browser, two_pis):
    async with browser(size=(159, 45)) as ui:
        assert ui.sessions.row.is_behind
        manager = SessionManager.open(str(two_pis))
        set_leaf(manager, "00000002")
        await ui.until(lambda: not ui.sessions.row.is_behind, "the mark goes: the leaf was set on purpose")
        await ui.until(lambda: "newer messages" not in ui.text(), "the remark goes")


@cases(
    ("last", "is_behind"),
    [
        ((), False),
        ((EXIT | {"parentId": "n2"},), False),
        ((EXIT, EXIT | {"id": "y", "parentId": "x"}), True),
        ((EXIT | {"customType": "leafmark.branch"},), False),
        ((EXIT | {"customType": "leafmark.branch"}, EXIT | {"id": "y", "parentId": "x"}), False),
        ((EXIT | {"customType": 5},), True),
        ((EXIT, message("z", "n2", "user", "again", 30)), False),
        ((entry("branch_summary", "s", "00000002", 20, summary="tried it", fromId="n2"),), False),
    ],
)
def test_which_leaves_are_left_behind(last, is_behind, tmp_path):
    from app.sessions import summarise

    path = write_session(tmp_path / f"{len(last)}.jsonl", *two_writers(*last))
    assert summarise(str(path), ("pi",), 0).summary.is_behind is is_behind
