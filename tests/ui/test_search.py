"""The search line above the list searches all texts and the fields of the rows."""

from __future__ import annotations

import pytest
from leafmark import QueryError
from textual import events

from app.index.query import parse
from tests.factory import append, chain, message, write_history, write_session


async def test_a_word_in_a_text_finds_its_session(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"early")
        await ui.until(lambda: ui.listed() == ["branchy"], "the session")
        assert ui.sessions.row.id == "branchy"
        await ui.until(lambda: "1 of 3 · 1 hit ━" in ui.text(), "the count, of all")


def search_note(ui):
    """The note below the search line, as one line."""
    note = ui.screen.query_one("#search-note")
    lines = [line.text.strip() for line in note.render_lines(note.size.region)] if note.display else []
    assert all(line in ui.text() for line in lines)
    return " ".join(lines)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_another_spelling_is_reported(browser, three, size):
    async with browser(size=size) as ui:
        await ui.press("slash", *"worlt redos")
        await ui.until(lambda: 'No "redos"; showing redis' in search_note(ui), "the word")
        await ui.press("ctrl+u", *"redis")
        await ui.until(lambda: not search_note(ui), "the end of it")
        await ui.press("escape")
        assert len(ui.listed()) == 5


@pytest.mark.parametrize(("size", "rows"), [((60, 20), 3), ((80, 24), 5), ((160, 45), 5)])
async def test_the_error_of_a_date_is_shown_completely(browser, three, size, rows):
    with pytest.raises(QueryError) as caught:
        parse("date:2026-13", 0)
    async with browser(size=size) as ui:
        await ui.press("slash", *"date:2026-13 ")
        await ui.until(lambda: search_note(ui) == caught.value.message, "the complaint")
        assert ui.sessions.size.height >= rows


@pytest.mark.parametrize("size", [(80, 12), (120, 40)])
async def test_a_note_without_room_is_cut_with_an_ellipsis(browser, three, size):
    async with browser(size=size) as ui:
        note = ui.screen.query_one("#search-note")
        words = " ".join(f"word{number:03}" for number in range(80))
        note.say(words)
        await ui.until(lambda: search_note(ui).startswith("word000"), "the words")
        assert search_note(ui).endswith("…")
        assert words.startswith(search_note(ui)[:-1])
        assert note.size.height == max(4, size[1] // 3)
        note.say(" ".join(words.split()[:3]))
        await ui.until(lambda: search_note(ui) == "word000 word001 word002", "all of it")


async def test_the_faulty_part_of_a_query_is_underlined(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"redis agent:xx ")
        await ui.until(lambda: "xx" in search_note(ui), "why not")
        box = ui.screen.query_one("#filter")
        ((begin, length),) = box.faults
        assert box.value[begin : begin + length] in ("xx", "agent:xx")
        underlined = "".join(
            piece.text for piece in box.render_line(0) if piece.style is not None and piece.style.underline
        )
        assert underlined == box.value[begin : begin + length]
        await ui.press("backspace", "backspace", "backspace", *"pi")
        await ui.until(lambda: not search_note(ui), "the end of it")
        assert not box.faults


async def test_filters_and_exclusions_keep_matching_sessions(browser, three):
    async with browser() as ui:
        await ui.press("slash")
        for query, ids in (
            ("refactor", ["branchy"]),
            ("site agent:pi", ["site1"]),
            ("refactor -zzzz", ["branchy"]),
            # case counts in a word with a capital, in the fields of rows as well
            ("Dark agent:omp", []),
            ("pi", ["branchy", "plain", "site1"]),
            ("Refactor", ["branchy"]),
            ("pi agent:pi", ["branchy", "plain", "site1"]),
            ("REFACTOR -auth", []),
            ("pi -zzzz", ["branchy", "plain", "site1"]),
            ("Refactor has:branch", ["branchy"]),
        ):
            ui.box.value = query
            await ui.pilot.pause()
            await ui.until(
                lambda: ui.screen.sessions_pane.is_answered and not ui.screen.sessions_pane.is_due,
                "an answer",
            )
            assert sorted(row for row in ui.listed() if not row.startswith("[")) == ids, query


async def test_words_with_capitals_are_searched_in_any_case_if_nothing_matches(browser, three):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash")
        for query, name, instead in (
            ("Dark", "Dark", "dark"),
            ('"Dark Mode"', "Dark Mode", "dark mode"),
            ("re:DARK.mode", "re:DARK.mode", "re:(?i)DARK.mode"),
        ):
            await ui.press("ctrl+u", *query, " ")
            await ui.until(
                lambda: ui.screen.sessions_pane.is_answered and not ui.screen.sessions_pane.is_due,
                "an answer",
            )
            assert search_note(ui) == f'No "{name}"; showing {instead} (1 session)'
            assert ui.listed() == ["site1"]


async def test_an_unknown_filter_is_reported(browser, three):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash")
        for query, note in (
            ("foo:bar", "foo: is not a filter; searched as text (Tab: filters)"),
            ("folder:x done", "folder: is not a filter; searched as text (try dir:)"),
        ):
            await ui.press("ctrl+u", *query, " ")
            await ui.until(lambda note=note: search_note(ui).startswith(note), "the message")
            assert next(iter(ui.box.faults)) == (0, len(query.split()[0]))


async def test_the_selector_names_the_key_that_shows_the_filters(browser, three):
    async with browser(selector="foo:bar", size=(160, 45)) as ui:
        await ui.until(lambda: search_note(ui).endswith("searched as text (F1: filters)"), "the message")


async def test_a_wrong_pattern_is_reported_and_the_rows_stay(browser, three):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *"re:ear")
        await ui.until(lambda: ui.listed() == ["branchy"], "the session")
        await ui.press(*"(")
        await ui.until(lambda: ui.screen.sessions_pane.is_answered, "the answer")
        assert not search_note(ui), "the pattern is still being typed"
        await ui.press("home")
        await ui.until(lambda: "not a regular expression" in ui.text(), "why not")
        assert ui.listed() == ["branchy"]
        await ui.press("end", *"ly)")
        await ui.until(lambda: "not a regular expression" not in ui.text(), "the end of that")
        assert ui.listed() == ["branchy"]


async def test_escape_shows_all_sessions_again(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"slower")
        await ui.until(lambda: ui.listed() == ["branchy"], "the session")
        await ui.press("escape")
        assert len(ui.listed()) == 5
        await ui.pilot.pause(0.2)
        assert len(ui.listed()) == 5


async def test_text_appended_during_a_search_is_found(browser, three):
    async with browser() as ui:
        await ui.press("slash", *"zebra")
        await ui.until(lambda: "No session matches" in ui.text(), "the word")
        append(ui.path("plain"), message("z", "00000002", "user", "a zebra crossing", 30))
        await ui.until(lambda: ui.listed() == ["plain"], "the session")
        await ui.until(lambda: "No session" not in ui.text(), "the end of the word")


async def test_hostile_queries_are_inert(browser, three):
    async with browser(size=(160, 45)) as ui:
        ui.screen.query_one("#filter").value = "\x1b]0;x\x07 re:(\u202e"
        await ui.until(lambda: ui.screen.query_one("#search-note").text, "why not")
        assert "\x1b" not in ui.text()
        assert "\u202e" not in ui.text()


async def test_a_completion_is_offered_in_any_case(browser, three):
    async with browser() as ui:
        await ui.press("slash")
        for typed, shown in (("TOK", "TOK → tokens:"), ("-AGE", "-AGE → -agent:")):
            await ui.press("ctrl+u", *typed)
            await ui.until(lambda shown=shown: shown in ui.text(), "the offer")
            await ui.press("right")
            assert ui.box.value == shown.rpartition(" ")[2]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_prompt_of_the_history_finds_its_session(browser, three, tmp_path, size):
    agent = tmp_path / "home/.omp/agent"
    path = write_session(agent / "sessions/-work-app/o.jsonl", *chain("hello", "there", id="oooo"))
    write_history(agent / "history.db", ("Gargoyle of stone, polish it", "oooo"))
    async with browser(size=size) as ui:
        await ui.press("slash", *"gargoyle")
        await ui.until(lambda: ui.listed() == ["oooo"], "the session")
        assert ui.sessions.row.path == str(path)
        await ui.press("enter")
        await ui.settled()
        assert ui.sessions.row.path == str(path)
        if size[0] >= 120:
            await ui.until(lambda: "in the prompt history: Garg" in ui.text(), "the prompt")


async def test_the_selector_shows_a_prompt_of_the_history(browser, three, tmp_path):
    agent = tmp_path / "home/.omp/agent"
    write_session(agent / "sessions/-work-app/o.jsonl", *chain("hello", "there", id="oooo"))
    write_history(agent / "history.db", ("Gargoyle of stone, polish it", "oooo"))
    async with browser(selector="", size=(160, 45)) as ui:
        await ui.press(*"Gargoyle")
        await ui.until(lambda: ui.listed() == ["oooo"], "the session")
        await ui.until(lambda: "in the prompt history: Gargoyle of stone" in ui.text(), "the prompt")
        assert "there" in ui.text()
        assert ui.sessions.row.id == "oooo"


async def test_a_query_is_not_found_fault_with_while_it_is_typed(browser, three):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *"date:yes")
        await ui.until(lambda: ui.screen.sessions_pane.is_answered, "the answer")
        assert (search_note(ui), list(ui.box.faults)) == ("", [])
        await ui.press("ctrl+u", *"man zzqq")
        await ui.until(lambda: ui.screen.sessions_pane.is_answered and not ui.listed(), "the answer")
        await ui.until(lambda: not ui.screen.sessions_pane.is_due, "all of it")
        assert (search_note(ui), list(ui.box.faults)) == ("", [])
        await ui.press("enter")
        await ui.until(lambda: search_note(ui).startswith("No session has all words"), "the loosened list")
        await ui.press("slash", "ctrl+u", *"date:yes", "enter")
        message = '"yes" is no time; examples: today, yesterday, <2d, 2026-10'
        await ui.until(lambda: search_note(ui) == message, "the message")


async def test_a_query_that_is_too_long_is_refused_at_once(browser, three):
    async with browser(size=(160, 45)) as ui:
        await ui.press("slash", *"man")
        await ui.until(lambda: ui.listed() == ["plain"], "an answer")
        ui.app.post_message(events.Paste(" word" * 2_000))
        message = "a query has at most 4,096 characters, this one has 10,003"
        await ui.until(lambda: search_note(ui) == message, "the message")
        assert ui.listed() == ["plain"], "the rows stay"
