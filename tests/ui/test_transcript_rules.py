"""Rules across a transcript: messages that are not sent to the model any more, and damaged lines."""

from __future__ import annotations

import re

import pytest

from tests.claude_lines import boundary, line, summary, write
from tests.factory import chain, entry, header, message
from tests.rollouts import meta, said, write_rollout
from tests.ui.conftest import pi_session


async def shown(ui, *texts):
    await ui.until(lambda: all(text in ui.text() for text in texts), f"{texts}")


async def read(ui, id):
    """Show the transcript of a session, from its beginning."""
    ui.sessions.go_to(str(ui.path(id)))
    await ui.settled()
    await ui.press("v", "home")


def compacted(first_kept, *more):
    return [
        *chain("one", "two", "three", "four", id="long"),
        entry("compaction", "c", "00000004", 5, summary="So far", firstKeptEntryId=first_kept),
        message("e", "c", "user", "five", 6),
        *more,
    ]


@pytest.mark.parametrize(
    ("first_kept", "more", "rules"),
    [
        ("00000003", (), ["2 of 4 entries above are no longer sent to the model ──"]),
        ("c", (), ["4 entries above are no longer sent to the model ──"]),
        ("00000001", (), []),
        (
            "00000003",
            [
                entry("compaction", "d", "e", 7, summary="Later", firstKeptEntryId="e"),
                message("f", "d", "user", "six", 8),
            ],
            [
                "4 entries above are no longer sent to the model ──",
                "5 of 6 entries above are no longer sent to the model ──",
            ],
        ),
    ],
)
async def test_a_compaction_says_how_many_entries_above_are_not_sent_any_more(
    browser, tmp_path, first_kept, more, rules
):
    pi_session(tmp_path, *compacted(first_kept, *more), id="long")
    async with browser(size=(120, 60)) as ui:
        await read(ui, "long")
        await shown(ui, "≡ Compaction", *rules)
        drawn = re.findall(r"── (\d[^─]*sent to the model)", ui.text())
        assert drawn == [rule.removesuffix(" ──") for rule in rules]
        for rule in rules[:1]:
            assert ui.text().index("▌ three") < ui.text().index(rule) < ui.text().index("≡ Compaction")


async def test_a_reset_of_oh_my_pi_is_a_rule_as_well(browser, tmp_path):
    lines = [*chain("one", "two", id="long"), entry("reset_boundary", "r", "00000002", 3)]
    pi_session(tmp_path, *lines, id="long")
    async with browser() as ui:
        await read(ui, "long")
        await shown(ui, "2 entries above are no longer sent to the model ──")


async def test_what_claude_code_keeps_beside_its_summary_is_still_sent(browser, tmp_path):
    kept = {"preservedMessages": {"anchorUuid": "s", "uuids": ["c", "d"]}}
    write(
        tmp_path / "home",
        line("user", "a", None, "one"),
        line("assistant", "b", "a", "two"),
        line("user", "c", "b", "three"),
        line("assistant", "d", "c", "four"),
        boundary("x", "d", kept),
        summary("s", "x", "So far"),
        line("user", "e", "s", "five"),
        name="long",
    )
    async with browser(size=(120, 50)) as ui:
        await read(ui, "long")
        await shown(ui, "2 of 4 entries above are no longer sent to the model ──")


async def test_a_damaged_line_is_named_on_both_sides_of_the_cut(browser, tmp_path):
    lines = [
        *chain("one", "two", "three", "four", id="torn")[:4],
        '{"type":"message","id":"00000004","par',
        message("e", "00000004", "user", "five", 6),
        message("f", "e", "assistant", "six", 7),
    ]
    pi_session(tmp_path, *lines, id="torn")
    async with browser(size=(120, 50)) as ui:
        await read(ui, "torn")
        await shown(ui, "── the beginning is on another branch (b): line 5 is damaged ──")
        assert "▌ one" not in ui.text()
        await ui.press("b")
        await shown(ui, "▌ one", "line 5 is damaged, it goes on with: five")
        await ui.press("b")
        await shown(ui, "▌ five")
        await ui.press("B", "B")
        await shown(ui, "the beginning is on another branch")


async def test_a_beginning_in_another_file_is_named(browser, tmp_path):
    pi_session(tmp_path, header("part"), message("e", "gone", "user", "five"), id="part")
    async with browser() as ui:
        await read(ui, "part")
        await shown(ui, "── the beginning is not in this file ──", "▌ five")


async def test_a_damaged_line_of_codex_is_named_where_it_was(browser, tmp_path):
    path = write_rollout(tmp_path / "home", meta(cwd="/work/app"), said("user", "one"), said("user", "two"))
    text = path.read_text().splitlines()
    path.write_text("\n".join([*text[:2], '{"timestamp":"2026', text[2], ""]))
    async with browser() as ui:
        ui.sessions.go_to(str(path))
        await ui.settled()
        await ui.press("v", "home")
        await shown(ui, "── line 3 is damaged: ")
        assert ui.text().index("▌ one") < ui.text().index("line 3 is damaged") < ui.text().index("▌ two")
