"""The line above the list searches everything that was said, beside what the rows say."""

from __future__ import annotations

import pytest

from app.index.query.grammar import parse
from app.index.query.query import QueryError
from tests.factory import append, message
from tests.ui.conftest import HERE


async def test_a_word_that_was_said_finds_its_session(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"early")
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "branchy"], "the session")
        assert ui.sessions.row.id == "branchy"
        await ui.until(lambda: "1 of 3 ─" in ui.text(), "the count, of all")


async def test_a_branch_that_was_left_is_searched(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"slower")
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "branchy"], "the session")


async def test_filters_and_phrases_and_exclusions(browser, three):
    async with browser() as ui:
        await ui.press("slash", *'done -label:idea "man page"')
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "plain"], "the session")
        await ui.press("escape", "slash", *"dir:site")
        await ui.until(lambda: ui.listed() == ["[/work/site]", "site1"], "that of the folder")
        assert "No session" not in ui.text()


SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 45)])


def said(ui):
    """What is said about the search, without the ends of the lines."""
    note = ui.screen.query_one("#search-note")
    lines = [line.text.strip() for line in note.render_lines(note.size.region)] if note.display else []
    assert all(line in ui.text() for line in lines)
    return " ".join(lines)


@SIZES
async def test_another_spelling_is_said_wherever_there_is_a_screen(browser, three, size):
    async with browser(size=size) as ui:
        await ui.press("slash", *"worlt redos")
        await ui.until(lambda: "“redos” is nowhere; looked for instead: redis" in said(ui), "the word")
        await ui.press("ctrl+u", *"redis")
        await ui.until(lambda: not said(ui), "the end of it")
        await ui.press("escape")
        assert len(ui.listed()) == 5


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (120, 40), (160, 45)])
async def test_all_of_what_is_wrong_with_a_date_is_said(browser, three, size):
    with pytest.raises(QueryError) as caught:
        parse("date:2026-13", 0)
    async with browser(size=size) as ui:
        await ui.press("slash", *"date:2026-13")
        await ui.until(lambda: said(ui) == caught.value.message, "the complaint")
        assert ui.sessions.size.height >= 5


@pytest.mark.parametrize("size", [(80, 12), (80, 24), (120, 40)])
async def test_what_there_is_no_room_for_is_cut_with_a_mark(browser, three, size):
    async with browser(size=size) as ui:
        note = ui.screen.query_one("#search-note")
        words = " ".join(f"word{number:03}" for number in range(80))
        note.say(words)
        await ui.until(lambda: said(ui).startswith("word000"), "the words")
        assert said(ui).endswith("…")
        assert words.startswith(said(ui)[:-1])
        assert note.size.height == max(4, size[1] // 3)
        note.say(" ".join(words.split()[:3]))
        await ui.until(lambda: said(ui) == "word000 word001 word002", "all of it")


@SIZES
async def test_what_is_wrong_is_said_and_marked_wherever_there_is_a_screen(browser, three, size):
    async with browser(size=size) as ui:
        await ui.press("slash", *"redis agent:xx")
        await ui.until(lambda: "xx" in said(ui), "why not")
        box = ui.screen.query_one("#filter")
        ((begin, length),) = box.faults
        assert box.value[begin : begin + length] in ("xx", "agent:xx")
        underlined = "".join(
            piece.text for piece in box.render_line(0) if piece.style is not None and piece.style.underline
        )
        assert underlined == box.value[begin : begin + length]
        await ui.press("backspace", "backspace", *"pi")
        await ui.until(lambda: not said(ui), "the end of it")
        assert not box.faults


@SIZES
async def test_a_query_that_is_too_long_says_so(browser, three, size):
    async with browser(size=size) as ui:
        await ui.press("slash")
        ui.screen.query_one("#filter").value = "x" * 10_000
        await ui.until(lambda: "4,096" in said(ui), "why not")


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("refactor", ["branchy"]),
        ("refactor -zzzz", ["branchy"]),
        ("site agent:pi", ["site1"]),
        ("pi", ["branchy", "plain", "site1"]),
        ("pi agent:pi", ["branchy", "plain", "site1"]),
        ("pi -zzzz", ["branchy", "plain", "site1"]),
        ("Refactor", ["branchy"]),
        ("Refactor has:branch", ["branchy"]),
        # of what has a capital case counts, in what a row says as well
        ("Dark agent:omp", []),
        ("REFACTOR -auth", []),
    ],
)
async def test_what_holds_takes_no_session_away(browser, three, query, ids):
    async with browser() as ui:
        await ui.press("slash", *query)
        await ui.until(lambda: ui.screen.side.is_answered and not ui.screen.side.is_due, "an answer")
        assert sorted(row for row in ui.listed() if not row.startswith("[")) == ids


async def test_of_a_word_with_a_capital_rows_alone_do_not_tell(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"Dark")
        await ui.until(lambda: ui.screen.side.is_answered and not ui.screen.side.is_due, "an answer")
        assert said(ui) == "“Dark” is nowhere; looked for instead: dark"
        assert ui.listed() == ["[/work/site]", "site1"]


@pytest.mark.parametrize(
    ("query", "name", "instead"),
    [('"Dark Mode"', "Dark Mode", "dark mode"), ("re:DARK.mode", "re:DARK.mode", "re:(?i)DARK.mode")],
)
async def test_of_a_phrase_or_pattern_with_a_capital_it_is_said_that_none_was_found_as_it_is(
    browser, three, query, name, instead
):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *query)
        await ui.until(lambda: ui.screen.side.is_answered and not ui.screen.side.is_due, "an answer")
        assert said(ui) == f"“{name}” is nowhere; looked for instead: {instead}"
        assert ui.listed() == ["[/work/site]", "site1"]


async def test_a_wrong_pattern_is_told_of_and_the_rows_stay(browser, three):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *"re:ear")
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "branchy"], "the session")
        await ui.press(*"(")
        await ui.until(lambda: "not a regular expression" in ui.text(), "why not")
        assert ui.listed() == [f"[{HERE}]", "branchy"]
        await ui.press(*"ly)")
        await ui.until(lambda: "not a regular expression" not in ui.text(), "the end of that")
        assert ui.listed() == [f"[{HERE}]", "branchy"]


async def test_what_is_nowhere_is_looked_for_in_another_spelling_and_that_is_said(browser, three):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *"fastre")
        await ui.until(lambda: "looked for instead" in ui.text(), "the word")
        assert "branchy" in ui.listed()


async def test_escape_shows_everything_again(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"slower")
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "branchy"], "the session")
        await ui.press("escape")
        assert len(ui.listed()) == 5
        await ui.pilot.pause(0.2)
        assert len(ui.listed()) == 5


async def test_what_is_written_while_a_search_is_shown_is_found(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"zebra")
        await ui.until(lambda: "No session matches" in ui.text(), "the word")
        append(ui.path("plain"), message("z", "00000002", "user", "a zebra crossing", 30))
        await ui.until(lambda: ui.listed() == [f"[{HERE}]", "plain"], "the session")
        await ui.until(lambda: "No session" not in ui.text(), "the end of the word")


async def test_hostile_queries_are_drawn_inert(browser, three):
    async with browser(size=(160, 45)) as ui:
        ui.screen.query_one("#filter").value = "\x1b]0;x\x07 re:(\u202e"
        await ui.until(lambda: ui.screen.query_one("#search-note").text, "why not")
        assert "\x1b" not in ui.text()
        assert "\u202e" not in ui.text()


@pytest.mark.parametrize(("typed", "shown"), [("TOK", "TOK → tokens:"), ("-AGE", "-AGE → -agent:")])
async def test_a_name_that_is_spelled_otherwise_is_offered_whole(browser, three, typed, shown):
    async with browser() as ui:
        await ui.press("slash", *typed)
        await ui.until(lambda: shown in ui.text(), "the offer")
        await ui.press("right")
        assert ui.box.value == shown.rpartition(" ")[2]
