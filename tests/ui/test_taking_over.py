"""The first picture of the screen is the first frame that it finds on the terminal: nothing flickers. What is
there when all is read is the same list, as far as the catalog has known it.
"""

from __future__ import annotations

import pytest
from textual.screen import Screen

from app import paths
from app.index.catalog.catalog import Catalog
from app.index.index import Index
from app.screens.sessions_screen import SessionsScreen
from app.services.index_service import place_of
from app.setup import Setup
from app.startup import first_frame
from app.stores import discover
from app.stores.pins import set_own_pin
from app.view.arrangement import initial
from app.view.bars import reading_note
from app.view.frame import frame
from app.view.geometry import place, place_selector
from app.view.palette import THEMES
from app.view.session_list import SessionList
from tests.factory import header, message
from tests.ui.conftest import HERE, pi_session

SIZES = [(80, 24), (120, 40), (160, 45)]


@pytest.fixture
def begun(monkeypatch):
    """What follows the first picture of the screen stays away."""
    monkeypatch.setattr(SessionsScreen, "begin", lambda screen: None)


@pytest.fixture
def pictures(monkeypatch):
    """What has been painted, as lines of text, from the first picture with rows of panes on."""
    painted = []
    paint = Screen._compositor_refresh

    def painting(screen):
        paint(screen)
        lines = ["".join(segment.text for segment in strip) for strip in screen._compositor.render_strips()]
        if lines and (not painted or painted[-1] != lines):
            painted.append(lines)

    monkeypatch.setattr(Screen, "_compositor_refresh", painting)
    return painted


@pytest.fixture
def known(tmp_path):
    """A function that gives the list of a first frame, from a catalog."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    env = {"HOME": str(home), "LEAFMARK_STATE_DIR": str(tmp_path / "state")}
    stores = discover(env, str(home), HERE)
    setup = Setup(env=env, home=str(home), here=(HERE,), stores=stores, cache_folder=str(tmp_path / "cache"))

    def listed(height, arrangement):
        index = Index(stores, setup.cache_folder)
        index.scan()
        index.close()
        front = Catalog(setup.cache_folder, stores)
        model, counts = first_frame.fill_list(setup, height, arrangement, front)
        front.close()
        return setup, model, counts

    return listed


def pieces(setup, model, size, query, note=""):
    return frame(
        model,
        *size,
        now_ms=setup.now_ms(),
        here=HERE,
        home=setup.home,
        note=note,
        query=query,
        keys=first_frame._keys(model, query),
    )


def drawn(*of, **how):
    return ["".join(text for text, _, _ in line) for line in pieces(*of, **how)]


def first(known, size, query=None, **changed):
    """The first frame, and the list that the screen is given then."""
    setup, model, counts = known(size[1] - 5, initial({}, selects=query is not None).changed(**changed))
    if query:
        model.begin_with(query)
    picture = drawn(setup, model, size, query)
    model.preview(counts, ())
    return picture, model


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("query", [None, "", "auth", "login", "re:log", "nowhere"])
@pytest.mark.parametrize("changed", [{}, {"named_only": True}, {"roomy": True}, {"paths": True}])
async def test_the_first_picture_of_the_screen_is_the_first_frame(
    browser, begun, three, known, size, query, changed
):
    picture, model = first(known, size, query, **changed)
    async with browser(size=size, settle=False, model=model, selector=query) as ui:
        await ui.pilot.pause()
        assert ui.text().splitlines() == picture


@pytest.fixture
def many(three):
    """Many sessions: more than fit the screen in this folder and more folders than do; some are empty, the
    newest of two folders and all of a third.
    """

    def write(id, folder, *lines):
        project = folder.rpartition("/")[2]
        pi_session(three, header(id, folder), *lines, id=id, project=project)

    for number in range(60):
        write(f"o{number}", f"/work/p{number}", message("m", None, "user", f"task {number}", number))
        write(f"h{number}", HERE, message("m", None, "user", f"step {number}", 100 + number))
    write("void1", "/work/p7")
    write("void2", "/work/void")
    write("void3", HERE)
    return three


@pytest.fixture
def pinned(many):
    set_own_pin(str(many / "state"), "pi", "plain", True)
    set_own_pin(str(many / "state"), "pi", "h3", True)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("query", [None, "", "step"])
@pytest.mark.parametrize("changed", [{}, {"roomy": True}])
async def test_it_is_with_pins_hidden_sessions_and_a_scrollbar(
    browser, begun, pinned, known, size, query, changed
):
    picture, model = first(known, size, query, **changed)
    assert any("★" in line for line in picture)
    assert "hidden" in " ".join(picture)
    async with browser(size=size, settle=False, model=model, selector=query) as ui:
        await ui.pilot.pause()
        assert ui.text().splitlines() == picture
        # what is drawn with blanks
        assert ui.sessions.show_vertical_scrollbar
        bar = ui.sessions.vertical_scrollbar
        strips = bar.render_lines(bar.size.region)
        thumb = [bool(segment.style.reverse) for line in strips for segment in line]
        of = pieces(known(size[1] - 5, model.arrangement)[0], model, size, query)
        top = 2 + (query is not None)
        column = (place(*size) if query is None else place_selector(*size))["sessions"].width - 2
        grounds = [_ground(line, column) for line in of[top : top + len(thumb)]]
        assert ["border" if there else "background" for there in thumb] == grounds


def _ground(line, column):
    """The background of a cell."""
    at = 0
    for text, _, ground in line:
        at += len(text)
        if at > column:
            return ground
    raise AssertionError


def test_where_our_own_folder_is_nowhere_no_pin_is_known(pinned, known, monkeypatch):
    setup, model, _ = known(35, initial({}))
    assert model.pins == {("pi", "plain"), ("pi", "h3")}
    setup.env["LEAFMARK_STATE_DIR"] = "state"
    monkeypatch.setattr(paths, "current_folder", lambda: None)
    assert known(35, initial({}))[1].pins == frozenset()


def pane(picture, size, query):
    """The list, and what is said of it above."""
    box = (place(*size) if query is None else place_selector(*size))["sessions"]
    return [picture[0], *(line[: box.width] for line in picture[box.y : box.y + box.height])]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("query", [None, ""])
@pytest.mark.parametrize("sessions", ["three", "many", "pinned"])
async def test_what_is_there_when_all_is_read_is_what_was_there_first(
    browser, known, size, query, sessions, request
):
    request.getfixturevalue(sessions)
    picture, model = first(known, size, query)
    async with browser(size=size, model=model, selector=query) as ui:
        assert model.is_complete
        assert pane(ui.text().splitlines(), size, query) == pane(picture, size, query)
        assert ui.sessions.cursor == model.first_session()


async def test_a_screen_that_comes_while_files_are_being_read_goes_on_saying_so(browser, begun, three, known):
    setup, model, counts = known(35, initial({}))
    model.preview(counts, ())
    model.reading = (3, 243)
    picture = drawn(setup, model, (120, 40), None, note=reading_note(*model.reading))
    assert "reading 3 of 243" in picture[0]
    async with browser(settle=False, model=model) as ui:
        await ui.pilot.pause()
        assert ui.text().splitlines() == picture
        assert ui.screen.doing == "reading 3 of 243"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("query", [None, "", "login"])
async def test_where_there_is_nothing_at_all_the_first_frame_says_so(browser, known, pictures, size, query):
    setup, model, _ = known(size[1] - 5, initial({}, selects=query is not None))
    assert all(store.is_bare() for store in setup.stores)
    if query:
        model.begin_with(query)
    model.searched = [place_of(store) for store in setup.stores]
    picture = drawn(setup, model, size, query)
    assert "No sessions found." in " ".join(picture)
    assert not any("resume" in line or "trash" in line for line in picture[-2:])
    async with browser(size=size, model=model, selector=query):
        seen = list(pictures)
    assert seen[0] == picture
    # what is asked for in the line is answered
    assert query or seen == [picture]


@pytest.mark.parametrize("size", SIZES)
async def test_before_anything_is_looked_for_the_keys_are_those_of_the_picture_that_follows(
    browser, begun, three, known, size
):
    setup, filled, _ = known(size[1] - 5, initial({}))
    model = SessionList(setup.here, setup.home, initial({}))
    picture = drawn(setup, model, size, None)
    assert model.searched is None
    assert "F6" not in picture[-1]
    async with browser(size=size, settle=False, model=model) as ui:
        await ui.pilot.pause()
        assert ui.text().splitlines() == picture
    assert drawn(setup, filled, size, None)[-1] == picture[-1]


def cells(picture, theme, bits):
    """What each cell of a first frame is: its character, attributes and colour; a blank has no colour but
    behind it.
    """
    out = []
    for line in picture:
        row = []
        for text, style, ground in line:
            attributes, colour, behind = first_frame._look(style, ground, THEMES[theme], bits)
            assert behind == ""
            number = int(colour) - 30 if colour not in ("", "39") else None
            row += [_cell(sign, attributes.split(), number) for sign in text]
        out.append(row)
    return out


def _cell(sign, on, number):
    marks = tuple(name in on for name in ("bold", "italic", "underline", "reverse"))
    if sign == " ":
        return sign, marks[2:], None
    return sign, marks, number


def painted(ui):
    """The same of the screen."""
    width, height = ui.app.size
    out = []
    for strip in ui.screen._compositor.render_strips()[:height]:
        row = []
        for text, style, _ in strip:
            names = [name for name in ("bold", "italic", "underline", "reverse") if getattr(style, name)]
            assert style.bgcolor is None or style.bgcolor.is_default
            colour = style.color
            number = None if colour is None or colour.is_default else colour.number
            row += [_cell(sign, names, number) for sign in text]
        out.append(row[:width])
    return out


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("query", [None, "", "auth"])
@pytest.mark.parametrize(
    ("env", "bits"),
    [({"NO_COLOR": "1"}, 0), ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, 0), ({"TERM": "linux"}, 4)],
)
async def test_with_few_colours_or_none_it_has_the_terminals_own(
    browser, begun, pinned, known, monkeypatch, theme, query, env, bits
):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    size = (120, 40)
    setup, model, counts = known(35, initial({}, selects=query is not None))
    if query:
        model.begin_with(query)
    picture = cells(pieces(setup, model, size, query), theme, bits)
    model.preview(counts, ())
    how = {"model": model, "selector": query, "theme": theme, "take_over": lambda: None, "env": env}
    async with browser(size=size, settle=False, **how) as ui:
        await ui.pilot.pause()
        for number, (now, was) in enumerate(zip(painted(ui), picture, strict=True)):
            assert now == was, number
    marked = {number for row in picture for _, marks, number in row if number is not None}
    assert bool(marked) == (bits == 4)
    assert any(marks[-1 if query is None else -2] for row in picture for _, marks, _ in row)


async def test_a_terminal_of_many_colours_has_them_where_no_color_is_empty(browser, three, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "")
    env = {"NO_COLOR": "", "COLORTERM": "truecolor"}
    async with browser(take_over=lambda: None, env=env, theme="dark") as ui:
        colours = {
            segment.style.color.triplet.hex
            for strip in ui.screen._compositor.render_strips()
            for segment in strip
            if segment.style.color is not None and segment.style.color.triplet is not None
        }
        assert THEMES["dark"]["focus"] in colours


def test_two_pictures_that_differ_would_be_seen(three, known):
    setup, model, _ = known(35, initial({}))
    before = drawn(setup, model, (120, 40), None)
    model.apply([], [next(row.path for row in model.rows() if row.id == "plain")])
    assert drawn(setup, model, (120, 40), None) != before
