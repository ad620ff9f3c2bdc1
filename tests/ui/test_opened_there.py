"""The browser opens with the query, or at the session, of the command line."""

from __future__ import annotations


async def test_it_opens_with_a_query_and_the_list_has_the_keys(browser, three):
    async with browser(typed="done") as ui:
        await ui.until(
            lambda: {"plain", "site1"} <= {*ui.listed()} and "branchy" not in ui.listed(), "what was said"
        )
        assert ui.box.value == "done"
        assert ui.focus == "sessions"
        await ui.press("slash", "escape")
        await ui.until(lambda: "branchy" in ui.listed(), "all sessions without the query")


async def test_it_opens_at_a_session(browser, three, tmp_path):
    path = str(next(tmp_path.rglob("*plain.jsonl")))
    for _ in range(2):
        # Without a catalog the session comes with the files; with one, at once.
        async with browser(begin_at=path) as ui:
            await ui.until(
                lambda: ui.sessions.row is not None and ui.sessions.row.id == "plain", "the session"
            )
            assert ui.focus == "sessions"
