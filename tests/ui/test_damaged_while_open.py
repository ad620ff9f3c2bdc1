"""100 random damages of a cache that a screen has open: list and search stay complete, or the screen says
what is missing. `tests/pty/test_damaged_cache.py` looks at the terminal.
"""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from leafmark import Index

from app.index.catalog.database import DAMAGED, OTHER_VERSION
from app.stores import discover
from tests.factory import append, chain, message
from tests.index.test_random_damage import DAMAGE, zero_a_part
from tests.ui.conftest import HERE, WAYS, pi_session

DAMAGES = 100
GROUP = 10
IDS = [f"s{number:02}" for number in range(12)]

SAID = {f"{words[0].upper()}{words[1:]}" for words in (DAMAGED, OTHER_VERSION)}
"""The only warnings that a damaged cache may cause."""


def search_note(ui):
    """The note below the search line, as one line."""
    note = ui.screen.query_one("#search-note")
    lines = [line.text.strip() for line in note.render_lines(note.size.region)] if note.display else []
    return " ".join(lines)


async def answers(ui, query, expected):
    """Search, and wait until the list has exactly these sessions, or until a note says that the cache was
    changed during the search.
    """
    ui.box.value = query
    await ui.until(
        lambda: sorted(ui.listed()) == [*expected] or "search again" in search_note(ui),
        f"{expected} for {query!r}, and not {ui.listed()} and {search_note(ui)!r},",
    )
    ui.box.value = ""


@pytest.mark.parametrize("way", WAYS, ids=["selector", "browser"])
@pytest.mark.parametrize("while_open", [False, True], ids=["before", "while open"])
async def test_the_screen_says_once_that_the_index_is_made_anew(browser, three, tmp_path, way, while_open):
    with Index(discover({"HOME": str(tmp_path / "home")}, "", HERE), str(tmp_path / "cache")) as index:
        index.scan()
    path = Path(index.catalog.path)
    if not while_open:
        zero_a_part(path, random.Random(0))
    async with browser(**way) as ui:
        if while_open:
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("UPDATE sessions SET row = x'00'")
                connection.commit()
            append(ui.path("plain"), message("more", "00000002", "user", "zebra", 60))
        await ui.until(ui.toasts, "the word")
        await ui.until(lambda: ui.sessions.model.known == 3 and ui.screen.feed.index.note is None, "the rows")
        assert ui.toasts() == [f"{DAMAGED[0].upper()}{DAMAGED[1:]}"]
        assert "in memory" not in ui.text()
    async with browser(**way) as ui:
        await ui.until(lambda: ui.sessions.model.known == 3, "the rows")
        assert ui.toasts() == []


# Two groups have damages of each kind; all of them take half a minute.
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=[pytest.mark.slow] if first >= 2 * GROUP else [])
        for first in range(0, DAMAGES, GROUP)
    ],
)
async def test_a_screen_survives_damage_to_its_cache(browser, tmp_path, first):
    cache = tmp_path / "cache"
    paths = {
        id: pi_session(tmp_path, *chain(f"needle of {id}", "THE and On " * 20, id=id), id=id) for id in IDS
    }
    stores = discover({"HOME": str(tmp_path / "home")}, str(tmp_path / "home"), HERE)
    with Index(stores, str(cache)) as index:
        index.scan()
    async with browser() as ui:
        model = ui.sessions.model
        await ui.press("slash")
        for seed in range(first, first + GROUP):
            choice = random.Random(seed)
            damage = choice.choice(DAMAGE)
            file = choice.choice(sorted(path for path in cache.rglob("*.*") if path.stat().st_size))
            print(f"seed {seed}: {damage.__name__} in {file.name}")
            damage(file, choice)
            id = choice.choice(IDS)
            append(paths[id], message(f"new{seed}", "00000002", "user", f"Grown{seed}", 50 + seed))
            path, size = str(paths[id]), paths[id].stat().st_size
            if choice.random() < 0.5:
                await ui.press("f5")
            await ui.until(lambda: model.row_at(path).size == size, "the new entry")  # noqa: B023
            await answers(ui, f"Grown{seed}", [id])
            await answers(ui, "needle", IDS)
            assert {row.id for row in model.rows()} == set(IDS)
        warnings = {toast for toast in ui.toasts() if not toast.startswith("Rescanned")}
    assert warnings <= SAID
    with Index(stores, str(cache)) as index:
        index.scan()
        assert {row.id for row in index.rows()} == set(IDS)
        assert {hit.row.id for hit in index.search("needle")} == set(IDS)
        assert index.note is None
