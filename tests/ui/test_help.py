"""The help: sections, the filter, keys, narrow screens."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from app.index.query import FILTER_KINDS


def text_of(ui):
    return str(ui.screen.query_one("#help-text").content)


@pytest.mark.parametrize(("keys", "section"), [((), "Sessions"), (("t",), "Tree"), (("slash",), "Sessions")])
async def test_the_help_begins_with_twelve_keys_and_has_the_marks_of_the_pane(browser, three, keys, section):
    async with browser() as ui:
        await ui.press(*keys, "f1")
        assert ui.is_in("Help")
        twelve, copying, *_ = text_of(ui).split("\n\n")
        assert twelve.startswith("Twelve keys\n  Enter  ")
        assert "[ ], Alt+↑ Alt+↓" in twelve
        assert sum(line[2:3] != " " for line in twelve.splitlines()[1:]) == 12
        assert copying.startswith("Copy: y, then\n  y  ")
        marks = " ".join(text_of(ui).split())
        assert f"Marks: {section.lower()}" in marks
        assert ("← leaf" in marks, "★ pinned" in marks) == (section == "Tree", section != "Tree")


async def test_tab_walks_the_sections_and_filters_are_one(browser, three):
    async with browser() as ui:
        await ui.press("question_mark")
        seen = []
        for _ in ui.screen.sections:
            seen.append(ui.screen.section)
            await ui.press("tab")
        assert seen == ["Keys", "All keys", "Filters", "Keys of pi", "Pages"]


async def test_typing_keeps_the_rows_that_contain_it(browser, three):
    async with browser() as ui:
        await ui.press("question_mark", "tab", "slash", *"trash")
        shown = text_of(ui)
        assert "Trash the marked sessions" in shown
        assert "Rename" not in shown
        await ui.press(*"qqqq")
        assert "Nothing here contains" in text_of(ui)
        await ui.press("escape")
        assert ui.is_in("Help")
        assert "Rename" in text_of(ui)
        await ui.press("escape")
        assert not ui.is_in("Help")


async def test_the_name_of_a_section_stays_behind_its_mark(browser, three):
    async with browser(size=(44, 24)) as ui:
        await ui.press("question_mark")
        lines = str(ui.screen.query_one("#help-sections").content).splitlines()
        assert len(lines) > 1
        assert all(line.startswith(("(•) ", "( ) ")) for line in lines)


async def test_letters_scroll(browser, three):
    async with browser(size=(80, 24)) as ui:
        await ui.press("question_mark")
        body = ui.screen.query_one("#keys")
        for key, moved in (("j", lambda: body.scroll_y == 1), ("k", lambda: body.scroll_y == 0)):
            await ui.press(key)
            await ui.until(moved, key)
        await ui.press("G")
        await ui.until(lambda: body.scroll_y == body.max_scroll_y > 0, "the end")
        await ui.press("g")
        await ui.until(lambda: body.scroll_y == 0, "the beginning")


async def test_the_filters_are_explained_with_all_their_values(browser, three):
    async with browser(size=(120, 60)) as ui:
        await ui.press("question_mark")
        while ui.screen.section != "Filters":
            await ui.press("tab")
        text = " ".join(str(ui.screen.text(100)).split())
        for kind in FILTER_KINDS.values():
            assert f"{kind.name}: {kind.meaning.partition(':')[0]}" in text
            assert all(value in text for value in kind.values if kind.fixed)
        assert "Example: -draft -agent:omp" in text


async def test_the_help_opens_over_a_dialog(browser, three):
    async with browser() as ui:
        await ui.press("apostrophe", "f1")
        assert ui.is_in("Help")
        await ui.press("f1")
        await ui.press("f2", "down")
        await ui.until(lambda: ui.app.theme == "leafmark-light", "the preview of a theme")


async def test_the_pages_are_read_by_their_numbers(browser, three):
    async with browser() as ui:
        await ui.press("question_mark", "shift+tab")
        assert "Getting started" in text_of(ui)
        await ui.press("6")
        assert "Is it safe while an agent runs?" in text_of(ui)
        await ui.press("slash", *"byte for byte", "enter")
        assert "Does looking" not in text_of(ui)
        assert "byte for byte" in text_of(ui)
        await ui.press("escape", "escape")
        assert "Troubleshooting" in text_of(ui)
        await ui.press("escape")
        assert not ui.is_in("Help")


async def test_no_line_is_wider_than_its_space_and_a_mark_stays_beside_its_word(browser, three):
    marks = set()
    async with browser(size=(160, 24)) as ui:
        await ui.press("question_mark")
        for columns in (160, 100, 81, 60, 44):
            await ui.pilot.resize_terminal(columns, 24)
            for _ in ui.screen.sections:
                await ui.press("tab")
                space = ui.screen.query_one("#help-text").size.width
                assert max(map(cell_len, text_of(ui).splitlines())) <= space
            if columns < 60:
                continue  # a part alone is wider
            legend = text_of(ui).rpartition("Marks: ")[2].partition("\n")[2]
            marks.add(frozenset(part.strip() for part in legend.replace("\n", "  ").split("  ")))
    assert len(marks) == 1
