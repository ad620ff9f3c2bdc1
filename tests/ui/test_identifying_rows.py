"""Rows that identify a session: heads, agents in their colours, folders, forks, and marks of what is rare."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from app.view import STYLES, agent_style
from tests.factory import chain, write_history, write_session
from tests.ui.conftest import install, pi_session


def written_at(lines, minutes):
    for number, line in enumerate(lines):
        line["timestamp"] = f"2026-05-01T{minutes // 60:02}:{minutes % 60 + number:02}:00.000Z"
    return lines


@pytest.fixture
def family(tmp_path):
    """A session of pi, two forks of it, and a session of oh-my-pi."""
    parent = written_at(chain("fix the login", "done", "and the logout", "done", id="parent"), 60)
    pi_session(tmp_path, *parent, id="parent")
    for id, own in (("asked", ["use redis instead", "done"]), ("made", [])):
        fork = written_at(chain("fix the login", "done", id=id), 60)
        later = written_at(chain("x", *own, id=id)[1:], 120)[1:]
        fork[0] |= {"parentSession": "parent", "timestamp": "2026-05-01T02:00:00.000Z"}
        for number, line in enumerate(later):
            line["id"], line["parentId"] = f"f{number}", f"f{number - 1}" if number else fork[-1]["id"]
            line["message"]["role"] = ("user", "assistant")[number % 2]
        pi_session(tmp_path, *fork, *later, id=id)
    write_session(
        tmp_path / "home/.omp/agent/sessions/-work-app-/2026_other.jsonl",
        *written_at(chain("add a rate limit", "done", id="other", cwd="/nowhere/app"), 30),
    )
    return tmp_path


def drawn(ui, id):
    return next(line for line in ui.text().split("\n") if id in line)


async def test_a_line_of_heads_names_the_columns_and_marks_the_one_that_is_sorted_by(browser, family):
    async with browser() as ui:
        heads = ui.text().split("\n")[2].split("│")[0]
        assert heads.split() == ["title", "agent", "n", "•age"]
        assert drawn(ui, "add a rate")[heads.index("agent") :].startswith("omp ")
        for order in ("recent", "created"):
            await ui.press("ctrl+s")
            assert ui.sessions.model.arrangement.order == order
        assert "•began" in ui.text().split("\n")[2]
    async with browser(size=(80, 18)) as ui:
        assert "•age" not in ui.text(), "a low pane has no line for it"


async def test_each_agent_has_a_colour_of_its_own(browser, family):
    agents = ("pi", "omp", "claude", "codex", "indusagi", "agent")
    assert len({STYLES[agent_style(agent)] for agent in agents}) == len(agents)
    async with browser() as ui:
        styles = {}
        for index, line in enumerate(ui.sessions.model.lines):
            if line.row is not None:
                spans = ui.sessions.draw(index, 51, selected=False)
                styles[line.row.agent] = next(style for _, style in spans if style.startswith("agent"))
        assert styles == {"pi": "agent-pi", "omp": "agent-omp"}


async def test_a_fork_shows_its_own_first_prompt_and_its_own_age(browser, family):
    async with browser() as ui:
        titles = [line.split("│  ")[0].split("│")[0].strip() for line in ui.text().split("\n")]
        forks = [title.split("  ")[0] for title in titles if title.startswith(("├ ", "└ "))]
        assert forks == ["├ use redis instead", "└ fix the login"]
        made = ui.sessions.model.rows_with_id("made")[0]
        parent = ui.sessions.model.rows_with_id("parent")[0]
        assert made.modified - parent.modified > 50 * 60_000, "the time of the fork"


async def test_the_folder_is_in_a_row_without_a_head(browser, family):
    async with browser(size=(110, 30)) as ui:
        await ui.press("O")
        assert "add a rate limit · app " in drawn(ui, "add a rate")
        await ui.press("slash", *"limit")
        await ui.until(lambda: "app · 1 hit" in ui.text(), "the second line")
        assert "limit · app" not in drawn(ui, "add a rate")


async def test_a_reason_of_all_sessions_of_an_agent_is_in_the_header(browser, family, finds_missing):
    install(family, "pi")
    async with browser() as ui:
        await ui.until(lambda: "not installed: omp" in ui.text(), "the note")
        await ui.press("E")
        assert "   add a rate" in drawn(ui, "add a rate")
        install(family, "omp")
        ui.screen.facts.find_missing()
        await ui.until(lambda: "folder gone: all of omp" in ui.text(), "the other reason")
        assert "   add a rate" in drawn(ui, "add a rate")


def recap(path, session_id, text, at):
    write_history(path, (f"prompt {at}", "other"))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS session_recaps"
            " (session_id TEXT, cwd TEXT, recap TEXT, created_at INTEGER)"
        )
        connection.execute("INSERT INTO session_recaps VALUES (?, '', ?, ?)", (session_id, text, at))


async def test_a_recap_of_the_agent_is_the_second_line_and_is_searched(browser, family):
    history = family / "home/.omp/agent/history.db"
    recap(history, "other", "Counting \x1b[1mwombats\x1b[0m per minute", 1)
    recap(history, "other", "The bucket\nrefills each minute", 2)
    before = history.read_bytes()
    async with browser(size=(120, 40)) as ui:
        await ui.press("D")
        await ui.until(lambda: "≡ The bucket refills each minute" in ui.text(), "the last recap")
        await ui.press("slash", *"wombats")
        await ui.until(lambda: ui.listed() == ["other"], "the session of an older recap")
        assert "\x1b[1m" not in ui.text()
    assert history.read_bytes() == before


@pytest.mark.parametrize("cells", [45, 64, 100])
async def test_folder_agent_and_a_count_of_four_digits_are_in_a_row_of_each_width(browser, family, cells):
    long = chain("a long title of a long session", *["yes"] * 1_233, id="long", cwd="/work/weather-station")
    pi_session(family, *long, id="long")
    async with browser(size=(160, 30)) as ui:
        await ui.press("O", *["ctrl+s"] * 3)
        assert ui.sessions.model.arrangement.order == "cost"
        drawn = {
            line.row.id: "".join(text for text, _ in ui.sessions.draw(index, cells - 1, selected=False))
            for index, line in enumerate(ui.sessions.model.lines)
        }
        assert {len(row) for row in drawn.values()} == {cells - 1}
        assert {"pi", "1234"} <= set(drawn["long"].split())
        assert "wea" in drawn["long"] or "station" in drawn["long"]
        assert "omp" in drawn["other"].split()
        assert "app" in drawn["other"]
