"""The first picture of the screen is the first frame that it finds on the terminal: nothing flickers."""

from __future__ import annotations

import pytest

from app import first_frame
from app.index.front import Front
from app.index.index import Index
from app.screens.sessions_screen import SessionsScreen
from app.setup import Setup
from app.stores import discover
from app.view.arrangement import initial
from app.view.frame import frame
from app.view.hints import line_keys
from tests.ui.conftest import HERE

SIZES = [(80, 24), (120, 40), (160, 45)]


@pytest.fixture
def known(three, monkeypatch):
    """A function that gives the list of a first frame, from a catalog; what follows the first picture of the
    screen stays away.
    """
    monkeypatch.setattr(SessionsScreen, "begin", lambda screen: None)
    home = three / "home"
    stores = discover({"HOME": str(home)}, str(home), HERE)
    Index(stores, str(three / "cache")).scan()

    def listed(height, arrangement):
        setup = Setup(
            env={"HOME": str(home)},
            home=str(home),
            here=(HERE,),
            stores=stores,
            cache_folder=str(three / "cache"),
        )
        front = Front(setup.cache_folder, stores)
        model, counts = first_frame.fill_list(setup, height, arrangement, front)
        model.preview(counts, ())
        front.close()
        return setup, model

    return listed


def drawn(setup, model, size, query):
    keys = None
    if query is not None:
        has_row = any(line.row is not None for line in model.lines)
        keys = line_keys(selects=True, here=True, typed=bool(query), has_row=has_row)
    picture = frame(model, *size, now_ms=setup.now_ms(), here=HERE, home=setup.home, query=query, keys=keys)
    return ["".join(text for text, _, _ in line) for line in picture]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("query", [None, "", "login", "re:log", "nowhere"])
@pytest.mark.parametrize("changed", [{}, {"named_only": True}, {"roomy": True}])
async def test_the_first_picture_of_the_screen_is_the_first_frame(browser, known, size, query, changed):
    arrangement = initial({}, selects=query is not None)
    for name, value in changed.items():
        setattr(arrangement, name, value)
    setup, model = known(size[1], arrangement)
    if query:
        model.begin_with(query)
    first = drawn(setup, model, size, query)
    async with browser(size=size, settle=False, model=model, selector=query) as it:
        await it.pilot.pause()
        assert it.text().splitlines() == first
