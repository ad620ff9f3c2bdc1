"""The screen's first picture equals the first frame that is already on the terminal, so that nothing
flickers. The complete list equals it as well, as far as the catalog was current.
"""

from __future__ import annotations

import pytest
from leafmark import Index
from textual.screen import Screen

from app import paths
from app.index import Catalog
from app.screens.sessions_screen import SessionsScreen
from app.services.index_service import place_of
from app.setup import Setup
from app.startup import first_frame
from app.stores import discover, set_own_pin
from app.view import BROWSER, SELECTOR, THEMES, ListModel, reading_note
from app.view.arrangement import initial
from app.view.frame import frame
from app.view.geometry import TALL_FROM, has_heads, place, place_selector
from tests.factory import header, message
from tests.ui.conftest import HERE, pi_session, strips

SIZES = [(80, 24), (120, 40), (160, 45)]


@pytest.fixture
def begun(monkeypatch):
    """Keep the screen from doing anything after its first picture."""
    monkeypatch.setattr(SessionsScreen, "begin", lambda screen: None)


@pytest.fixture
def pictures(monkeypatch):
    """The painted pictures as lines of text, each different from the one before."""
    cells_on_screen = []
    paint = Screen._compositor_refresh

    def painting(screen):
        paint(screen)
        lines = ["".join(segment.text for segment in strip) for strip in strips(screen)]
        if lines and (not cells_on_screen or cells_on_screen[-1] != lines):
            cells_on_screen.append(lines)

    monkeypatch.setattr(Screen, "_compositor_refresh", painting)
    return cells_on_screen


@pytest.fixture
def first_list(tmp_path):
    """A function that returns the list of a first frame, from a catalog."""
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
        model = first_frame.fill_list(setup, height, arrangement, front)
        front.close()
        return setup, model

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


def drawn(*arguments, **options):
    return ["".join(text for text, _, _ in line) for line in pieces(*arguments, **options)]


def first_picture(first_list, size, query=None, **changed):
    """The first frame, and the list that the screen gets."""
    setup, model = first_list(
        preset_of(query).list_lines(*size),
        initial({}, preset_of(query)).changed(**changed),
    )
    if query:
        model.begin_with(query)
    picture = drawn(setup, model, size, query)
    return picture, model


QUERIES = [None, "", "auth", "login", "re:log", "nowhere"]
CHANGES = [{}, {"named_only": True}, {"roomy": True}, {"paths": True}]


# Each size is tried with each query, and each change with some of them.
@pytest.mark.parametrize(
    ("size", "query", "changed"),
    [
        (size, query, CHANGES[(row + column) % 4])
        for row, size in enumerate(SIZES)
        for column, query in enumerate(QUERIES)
    ],
)
async def test_the_first_picture_of_the_screen_is_the_first_frame(
    browser, begun, three, first_list, size, query, changed
):
    picture, model = first_picture(first_list, size, query, **changed)
    async with browser(size=size, settle=False, model=model, selector=query) as ui:
        await ui.pilot.pause()
        assert ui.text().splitlines() == picture


@pytest.fixture
def many(three):
    """More sessions than fit into this folder's list, and more folders. Some sessions are empty: the newest
    ones of two folders, and the only one of a third.
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


# Each size is tried with each query, and two lines for a session with each of the two.
@pytest.mark.parametrize(
    ("size", "query", "changed"),
    [
        (size, query, [{}, {"roomy": True}][(row + column) % 2])
        for row, size in enumerate(SIZES)
        for column, query in enumerate([None, "", "step"])
    ],
)
async def test_pins_hidden_sessions_and_the_scrollbar_are_the_same(
    browser, begun, pinned, first_list, size, query, changed
):
    picture, model = first_picture(first_list, size, query, **changed)
    assert any("★" in line for line in picture)
    is_tall = size[1] >= TALL_FROM
    assert "hidden (. e)" in picture[-2 if not is_tall else 0 if query is None else -3]
    async with browser(size=size, settle=False, model=model, selector=query) as ui:
        await ui.pilot.pause()
        assert ui.text().splitlines() == picture
        # the scrollbar is drawn with blanks
        assert ui.sessions.show_vertical_scrollbar
        bar = ui.sessions.vertical_scrollbar
        strips = bar.render_lines(bar.size.region)
        thumb = [bool(segment.style.reverse) for line in strips for segment in line]
        frame_lines = pieces(
            first_list(preset_of(query).list_lines(*size), model.arrangement)[0], model, size, query
        )
        places = place(*size) if query is None else place_selector(*size)
        box = places.boxes["sessions"]
        top = places.top + 1 + (query is not None) + has_heads(box.height)
        column = box.width - 1
        grounds = [_background(line, column) for line in frame_lines[top : top + len(thumb)]]
        assert ["border" if is_thumb else "background" for is_thumb in thumb] == grounds


def _background(line, column):
    """The background of the cell in a column."""
    end = 0
    for text, _, background in line:
        end += len(text)
        if end > column:
            return background
    raise AssertionError


def test_without_an_absolute_state_folder_there_are_no_pins(pinned, first_list, monkeypatch):
    setup, model = first_list(35, initial({}))
    assert model.pins == {("pi", "plain"), ("pi", "h3")}
    setup.env["LEAFMARK_STATE_DIR"] = "state"
    monkeypatch.setattr(paths, "current_folder", lambda: None)
    assert first_list(35, initial({}))[1].pins == frozenset()


def preset_of(query):
    return BROWSER if query is None else SELECTOR


def list_part(picture, size, query):
    """The header, and the lines of the list."""
    box = (place(*size) if query is None else place_selector(*size)).boxes["sessions"]
    return [*picture[: box.y], *(line[: box.width] for line in picture[box.y : box.y + box.height])]


# Each size is tried with each list, and both screens with each of the two.
@pytest.mark.parametrize(
    ("size", "query", "sessions"),
    [
        (size, [None, ""][(row + column) % 2], sessions)
        for row, size in enumerate(SIZES)
        for column, sessions in enumerate(["three", "many", "pinned"])
    ],
)
async def test_the_complete_list_equals_the_first_frame(browser, first_list, size, query, sessions, request):
    request.getfixturevalue(sessions)
    picture, model = first_picture(first_list, size, query)
    async with browser(size=size, model=model, selector=query) as ui:
        assert model.is_complete
        assert list_part(ui.text().splitlines(), size, query) == list_part(picture, size, query)
        assert ui.sessions.cursor == model.first_session()


async def test_the_progress_of_reading_is_shown_from_the_first_frame_on(browser, begun, three, first_list):
    setup, model = first_list(35, initial({}))
    model.reading = (3, 243)
    picture = drawn(setup, model, (120, 40), None, note=reading_note(*model.reading))
    assert "reading 3 of 243" in picture[0]
    async with browser(settle=False, model=model) as ui:
        await ui.pilot.pause()
        assert ui.text().splitlines() == picture
        assert ui.screen.bars.activity == "reading 3 of 243"


# Each size is tried with two of the queries.
@pytest.mark.parametrize(
    ("size", "query"),
    [
        (size, query)
        for row, size in enumerate([*SIZES, (40, 15)])
        for column, query in enumerate([None, "", "login"])
        if row % 3 != column
    ],
)
async def test_the_first_frame_without_any_session_says_so(browser, first_list, pictures, size, query):
    setup, model = first_list(preset_of(query).list_lines(*size), initial({}, preset_of(query)))
    assert all(store.is_bare() for store in setup.stores)
    if query:
        model.begin_with(query)
    model.searched = [place_of(store) for store in setup.stores]
    picture = drawn(setup, model, size, query)
    assert "No sessions found" in " ".join(picture)
    assert not any("resume" in line or "trash" in line for line in picture[-2:])
    async with browser(size=size, model=model, selector=query):
        painted_pictures = list(pictures)
    assert painted_pictures[0] == picture
    # with a query there is a second picture, after its answer
    assert query or painted_pictures == [picture]


@pytest.mark.parametrize("size", SIZES)
async def test_the_keys_of_the_first_frame_are_those_of_the_complete_list(
    browser, begun, three, first_list, size
):
    setup, filled = first_list(BROWSER.list_lines(*size), initial({}))
    model = ListModel(setup.here, setup.home, initial({}))
    picture = drawn(setup, model, size, None)
    assert model.searched is None
    assert "F6" not in picture[-1]
    async with browser(size=size, settle=False, model=model) as ui:
        await ui.pilot.pause()
        assert ui.text().splitlines() == picture
    assert drawn(setup, filled, size, None)[-1] == picture[-1]


def cells(picture, theme, bits):
    """The cells of a first frame: character, attributes, colour number. A blank has no colour."""
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


def cells_on_screen(ui):
    """The cells of the screen, in the same form."""
    width, height = ui.app.size
    out = []
    for strip in strips(ui.screen)[:height]:
        row = []
        for text, style, _ in strip:
            names = [name for name in ("bold", "italic", "underline", "reverse") if getattr(style, name)]
            assert style.bgcolor is None or style.bgcolor.is_default
            colour = style.color
            number = None if colour is None or colour.is_default else colour.number
            row += [_cell(sign, names, number) for sign in text]
        out.append(row[:width])
    return out


# Each theme and each query is tried with colours and without.
@pytest.mark.parametrize(
    ("env", "bits", "theme", "query"),
    [
        ({"NO_COLOR": "1"}, 0, "dark", ""),
        ({"NO_COLOR": "1"}, 0, "light", "auth"),
        ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, 0, "dark", None),
        ({"TERM": "linux"}, 4, "dark", "auth"),
        ({"TERM": "linux"}, 4, "light", None),
        ({"TERM": "linux"}, 4, "light", ""),
    ],
)
async def test_few_colours_are_those_of_the_terminal(
    browser, begun, pinned, first_list, monkeypatch, theme, query, env, bits
):
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    size = (120, 40)
    setup, model = first_list(35, initial({}, preset_of(query)))
    if query:
        model.begin_with(query)
    picture = cells(pieces(setup, model, size, query), theme, bits)
    options = {"model": model, "selector": query, "theme": theme, "take_over": lambda: None, "env": env}
    async with browser(size=size, settle=False, **options) as ui:
        await ui.pilot.pause()
        for number, (cell_row, expected) in enumerate(zip(cells_on_screen(ui), picture, strict=True)):
            assert cell_row == expected, number
    marked = {number for row in picture for _, marks, number in row if number is not None}
    assert bool(marked) == (bits == 4)
    assert any(marks[-1 if query is None else -2] for row in picture for _, marks, _ in row)


async def test_an_empty_no_color_variable_keeps_the_colours(browser, three, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "")
    env = {"NO_COLOR": "", "COLORTERM": "truecolor"}
    async with browser(take_over=lambda: None, env=env, theme="dark") as ui:
        colours = {
            segment.style.color.triplet.hex
            for strip in strips(ui.screen)
            for segment in strip
            if segment.style.color is not None and segment.style.color.triplet is not None
        }
        assert THEMES["dark"]["focus"] in colours


def test_a_different_list_gives_a_different_picture(three, first_list):
    setup, model = first_list(35, initial({}))
    before = drawn(setup, model, (120, 40), None)
    model.apply([], [next(row.path for row in model.rows() if row.id == "plain")])
    assert drawn(setup, model, (120, 40), None) != before
