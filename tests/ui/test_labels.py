"""Labels, set in the tree and in the list of labels."""

from __future__ import annotations

import json

import pytest

from app.services.tree_reader import TreeReader
from tests.factory import chain, entry, header, message
from tests.ui.conftest import EDIT, pi_session

pytestmark = pytest.mark.usefixtures("tree_shown")


def last_entry(path):
    return json.loads(path.read_text().splitlines()[-1])


async def test_shift_l_labels_the_entry_and_z_undoes_it(browser, three):
    async with browser() as ui:
        path = ui.path("plain")
        times = path.stat().st_mtime_ns
        await ui.press("down")
        await ui.settled()
        await ui.press("tab", "L")
        assert ui.is_in(EDIT)
        await ui.press(*"good point", "enter")
        await ui.until(lambda: "good point" in ui.text(), "the label")
        assert last_entry(path)["label"] == "good point"
        assert path.stat().st_mtime_ns == times
        await ui.press("z")
        await ui.until(lambda: "good point" not in ui.text(), "its end")


async def test_a_label_for_a_removed_entry_is_not_put_on_another(browser, tmp_path):
    path = pi_session(
        tmp_path, header("s"), message("a", None, "user", "one"), message("b", "a", "user", "two"), id="s"
    )
    async with browser() as ui:
        await ui.press("tab", "end", "L")
        # the new entry's id begins with the removed entry's id
        lines = [header("s"), message("a", None, "user", "one"), message("bc", "a", "user", "anew")]
        pi_session(tmp_path, *lines, id="s")
        before = path.read_bytes()
        await ui.press(*"lost", "enter")
        await ui.until(lambda: any("'b' has gone" in toast for toast in ui.toasts()), "what happened")
        assert path.read_bytes() == before


async def test_an_empty_label_clears_it(browser, three):
    async with browser() as ui:
        path = ui.path("branchy")
        await ui.press("tab")
        ui.tree.open_at("e", -1)
        await ui.pilot.pause()
        await ui.press("L", "ctrl+u", "enter")
        await ui.until(lambda: not ui.sessions.row.labels, "its end")
        assert not last_entry(path).get("label")


def labelled_elsewhere(tmp_path):
    """A session of another folder, with a label."""
    lines = chain("x", "y", id="other", cwd="/work/site")
    lines.append(entry("label", "l1", "00000002", 20, targetId="00000001", label="elsewhere"))
    pi_session(tmp_path, *lines, id="other", project="site")


async def go_elsewhere(ui):
    """Select the label "elsewhere" in the list of all labels."""
    await ui.press("apostrophe")
    if "(•) All" not in ui.text():
        await ui.press("tab")
    await ui.press(*"elsew", "enter")
    await ui.until(lambda: ui.tree.node is not None and ui.tree.node.id == "00000001", "its entry")


async def test_the_list_has_all_labels_and_leads_to_the_entry(browser, three, tmp_path):
    labelled_elsewhere(tmp_path)
    async with browser() as ui:
        await ui.press("apostrophe")
        assert ui.is_in("Labels")
        assert "redis idea" in ui.text()
        assert "elsewhere" not in ui.text()
        await ui.press("tab")
        assert "elsewhere" in ui.text()
        await ui.press("escape")
        await go_elsewhere(ui)
        await ui.until(lambda: ui.sessions.row.id == "other", "its session")
        assert ui.focus == "tree"


async def test_the_list_leads_to_hidden_sessions(browser, three, tmp_path):
    labelled_elsewhere(tmp_path)
    async with browser() as ui:
        side = ui.screen.sessions_pane
        side.show_arrangement(side.model.arrangement.changed(scope="here", named_only=True))
        await ui.settled()
        await go_elsewhere(ui)
        assert ui.sessions.row.id == "other"
        assert any("More sessions are listed" in toast for toast in ui.toasts())


async def test_the_list_leads_to_sessions_outside_of_a_search(browser, three, tmp_path):
    labelled_elsewhere(tmp_path)
    async with browser() as ui:
        await ui.press("slash", *"redis", "enter")
        await ui.until(lambda: "other" not in ui.listed(), "what the search leaves")
        await go_elsewhere(ui)
        await ui.settled()
        assert ui.sessions.row.id == "other"
        assert not ui.toasts()


async def test_o_goes_to_the_other_end_of_a_fork(browser, three, tmp_path):
    fork = chain("fork of it", "yes", id="forked")
    fork[0]["parentSession"] = str(next(tmp_path.rglob("*branchy.jsonl")))
    pi_session(tmp_path, *fork, id="forked")
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("forked")))
        await ui.settled()
        await ui.press("tab", "o")
        await ui.until(lambda: ui.sessions.row.id == "branchy", "the session it is a fork of")
        await ui.settled()
        await ui.press("shift+tab", "o")
        await ui.until(lambda: ui.sessions.row.id == "forked", "the fork")


async def test_the_tree_of_another_session_does_nothing(browser, three, monkeypatch):
    async with browser() as ui:
        ui.sessions.go_to(str(ui.path("branchy")))
        await ui.settled()
        await ui.press("tab")
        monkeypatch.setattr(TreeReader, "open", lambda *arguments, **options: None)
        ui.sessions.go_to(str(ui.path("plain")))
        before = ui.path("plain").read_bytes(), ui.path("branchy").read_bytes()
        for key in ("L", "enter", "f", "F", "C", "ctrl+x"):
            await ui.press(key)
            assert len(ui.app.screen_stack) == 1
        assert ui.toasts().count("the session is still being read") == 6
        assert before == (ui.path("plain").read_bytes(), ui.path("branchy").read_bytes())


async def test_an_empty_list_says_so_and_how_to_add_a_label(browser, tmp_path):
    pi_session(tmp_path, *chain("x", "y", id="s"), id="s")
    async with browser(size=(80, 24)) as ui:
        await ui.press("apostrophe")
        assert "No labels yet; L in the tree makes one" in ui.text()
        assert "Tab this session  Esc close" in ui.text()
        await ui.press("tab")
        assert "No labels here; L in the tree makes one" in ui.text()


async def test_each_label_has_the_text_of_its_entry_and_the_height_follows(browser, three, tmp_path):
    labelled_elsewhere(tmp_path)
    async with browser(size=(160, 40)) as ui:
        await ui.press("apostrophe")
        await ui.until(lambda: "Prompt on branch 2 of 2, active: use redis" in ui.text(), "the text")
        (row,) = [line for line in ui.text().splitlines() if "❯ redis idea" in line]
        assert "use redis" in row
        assert ui.screen.query_one("#labels").size.height == 1
        await ui.press("tab", *"redis")
        assert "elsewhere" not in ui.text()
        await ui.press("down", "L")
        await ui.until(lambda: ui.is_in(EDIT), "the edit")


async def test_the_text_of_a_labelled_entry_fits_one_line_in_each_size(browser, tmp_path):
    lines = [header("s"), message("a", None, "user", "a long prompt " * 20)]
    pi_session(tmp_path, *lines, entry("label", "l", "a", targetId="a", label="x"), id="s")
    async with browser(size=(40, 15)) as ui:
        await ui.press("apostrophe")
        await ui.until(lambda: "Prompt: a long" in ui.text(), "the entry")
        for size in ((80, 24), (40, 15), (120, 40)):
            await ui.pilot.resize_terminal(*size)
            for _ in range(3):
                await ui.pilot.pause()
            shown = ui.screen.query_one("#labels-entry")
            assert shown.size.height == 1, size
            assert str(shown.content).endswith("…")
