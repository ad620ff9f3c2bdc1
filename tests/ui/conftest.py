"""A browser over a test's own session files, driven by key presses."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import threading
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from time import monotonic

import pytest
from leafmark import Index
from textual import events
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.widgets import Input

from app import paths
from app.browser import Browser
from app.controllers import facts_feed
from app.controllers.facts_feed import FactsFeed
from app.index import Catalog
from app.settings import read_settings
from app.setup import Setup
from app.startup import first_frame
from app.startup.key_order import KeyOrder
from app.stores import discover
from app.view import SELECTOR
from app.view.arrangement import initial
from tests.factory import chain, entry, message, write_session

HERE = "/work/app"


QUESTION, EDIT = "a question", "an edit"
"""Names for `Driver.is_in` of the dialogs without a frame: a question in the bars, and a line over a row."""

WAYS = [{"selector": ""}, {}]
"""Options of `browser` that open the selector, and those that open the browser."""


def asked(ui):
    """The question in the status line, and the keys that answer it: behind it, or in the line below."""
    status, keys = [line.strip() for line in ui.text().splitlines()[-2:]]
    question, *answers = status.split("   ")
    return [question, "  ".join(answers) or keys]


def strips(screen):
    """The lines of a screen as they are drawn, with their styles."""
    return screen._compositor.render_strips()


def forward(ui, event):
    """Give an event of the mouse to the screen."""
    ui.screen._forward_event(event)


async def wheel(ui, id, times, kind=events.MouseScrollDown):
    """Turn the wheel over a widget."""
    region = ui.screen.query_one(f"#{id}").content_region
    x, y = region.x + 5, region.y + 5
    for _ in range(times):
        forward(
            ui,
            kind(
                None,
                x=x,
                y=y,
                delta_x=0,
                delta_y=1,
                button=0,
                shift=False,
                meta=False,
                ctrl=False,
                screen_x=x,
                screen_y=y,
            ),
        )
    await ui.pilot.pause()


def snapshot(folder):
    """The files in a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def install(tmp_path, *names):
    """Put programs that do nothing on the PATH of the browser."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


def pack(tmp_path, name, *lines, end=None):
    """Write a session to the archive of oh-my-pi; with `end`, only its compressed bytes up to there."""
    path = tmp_path / "home/.omp/agent/archive/sessions/-work-app" / f"{name}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode())
    path.write_bytes(data[:end])
    return path


def draw(app):
    """Draw what has changed on the screen, also where `few_frames` leaves frames out."""
    with visible_frames():
        app.screen._compositor_refresh()


_is_drawn = False


@contextmanager
def visible_frames():
    """Frames are drawn meanwhile."""
    global _is_drawn
    before, _is_drawn = _is_drawn, True
    try:
        yield
    finally:
        _is_drawn = before


@pytest.fixture
def every_frame():
    """Draw every frame, as in a terminal."""
    with visible_frames():
        yield


@pytest.fixture(autouse=True)
def few_frames(monkeypatch):
    """Leave out the frames that no test looks at: only those at the end of `Driver.press` are drawn, and the
    text that a test asks for. Drawing all of them would be a third of the time of these tests.
    """
    render_update = Compositor.render_update

    def render_some(self, full=False, screen_stack=None, simplify=False):
        return render_update(self, full, screen_stack, simplify) if full or _is_drawn else None

    monkeypatch.setattr(Compositor, "render_update", render_some)


class Driver:
    """The running browser and its panes."""

    def __init__(self, app, pilot, folder):
        self.app = app
        self.pilot = pilot
        self.folder = folder

    @property
    def screen(self):
        return self.app.screen

    @property
    def selects(self):
        """Whether the screen is the selector."""
        return bool(self.screen.query("#preview"))

    @property
    def box(self):
        return self.screen.query_one("#filter")

    def toasts(self):
        """The messages that were shown or wait to be shown, oldest first."""
        return list(self.app.messages.log)

    @property
    def sessions(self):
        return self.screen.query_one("#sessions")

    @property
    def tree(self):
        return self.screen.query_one("#tree")

    @property
    def entry(self):
        """The lines of the dialog with an entry."""
        return self.screen.query_one("#entry")

    @property
    def transcript(self):
        return self.screen.query_one("#transcript")

    @property
    def conversation(self):
        """The lines of the transcript that are read."""
        return "\n".join(line.text for line in self.transcript.lines)

    @property
    def focus(self):
        return self.app.focused.id if self.app.focused else None

    def is_in(self, *titles):
        """Whether the dialog in front has one of these titles, or begins with it."""
        if not self.screen.is_modal:
            return False
        frames = self.screen.query(".dialog")
        if frames:
            return str(frames.first().border_title).startswith(titles)
        if self.screen.has_class("-box"):
            return False  # its frame is not there yet
        return (EDIT if self.screen.query(Input) else QUESTION) in titles

    @property
    def has_ended(self):
        """Whether the program ends."""
        return self.app._exit

    async def press(self, *keys):
        await self.pilot.press(*keys)
        # The pilot has waited until the process is idle; this lays the screen out.
        await self.pilot.pause(0)
        draw(self.app)

    async def until(self, condition, what="it"):
        """Wait until the condition holds. Threads may need some time for it.

        It does not hold while a file or folder that it reads is missing, as between the steps of a move.
        """
        deadline = monotonic() + 60
        while (before := monotonic()) < deadline:
            with suppress(FileNotFoundError):
                if condition():
                    await self.pilot.pause()
                    return
            # The condition may draw the whole screen: leave the program most of the time.
            await asyncio.sleep(max(0.01, 3 * (monotonic() - before)))
        raise AssertionError(f"{what} did not come about:\n{self.text()}")

    async def settled(self):
        """Wait until list, tree and transcript of the session under the cursor are shown."""

        def shown():
            row = self.sessions.row
            if self.selects:
                return self.screen.feed.scanned and (
                    row is None or self.screen.resume_controller.planned == row.path
                )
            view = self.tree.view
            if row is None:
                return view is None and self.screen.feed.scanned
            if not self.screen.feed.scanned or self.screen.resume_controller.planned != row.path:
                return False
            read = self.transcript
            return bool(self.tree.message) or (
                view is not None
                and view.tree.path == row.path
                and (bool(read.lines or read.notice) or not read.is_laid_out)
            )

        await self.until(shown, "list, tree and transcript")

    async def go_to_entry(self, text):
        """From the list, put the tree's cursor on the entry with this text, and return its id."""
        await self.press("t", "plus")
        view = self.tree.view
        await self.until(lambda: all(view.row(row).node.row_text for row in range(view.count)), "the rows")
        for row in range(self.tree.view.count):
            node = self.tree.view.node(row)
            if node.row_text is not None and node.row_text.text == text:
                self.tree.move_to(row)
                await self.pilot.pause()
                return node.id
        raise AssertionError(f"no row {text!r}")

    def text(self):
        """The lines of the screen; they are empty while a new screen is not laid out."""
        width, height = self.app.size
        # A transparent screen draws those behind it.
        visible_screen_stack.set(self.app._background_screens)
        lines = ["".join(segment.text for segment in strip) for strip in strips(self.screen)[:height]]
        lines += [" "] * (height - len(lines))
        return "\n".join(lines)[: (width + 1) * height]

    def listed(self):
        return [line.row.id if line.row else f"[{line.group.cwd}]" for line in self.sessions.model.lines]

    def path(self, id):
        """The session's file, in a store or in the trash."""
        # In contrast to `rglob`, `walk` ignores folders that vanish meanwhile.
        for folder, _, names in os.walk(self.folder):
            for name in names:
                if name.endswith(f"{id}.jsonl"):
                    return Path(folder, name)
        raise FileNotFoundError(f"{id}.jsonl")


@pytest.fixture
def finds_missing():
    """The list marks the sessions that cannot be resumed, which are all that most tests have."""


@pytest.fixture(autouse=True)
def _finds_nothing_missing(monkeypatch, request):
    if "finds_missing" not in request.fixturenames:
        monkeypatch.setattr(FactsFeed, "find_missing", lambda *arguments: None)


@pytest.fixture
def tells_changes():
    """The first use of a changed key is followed by a message, which would cover others in most tests."""


@pytest.fixture(autouse=True)
def _tells_no_changes(monkeypatch, request):
    if "tells_changes" not in request.fixturenames:
        monkeypatch.setattr(facts_feed, "CHANGED_KEYS", {})


@pytest.fixture
def browser(tmp_path):
    """A function that opens the browser over the sessions of ``tmp_path/home``."""

    @asynccontextmanager
    async def run(size=(120, 40), here=HERE, settle=True, env=None, notifications=False, **options):
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        surroundings = {
            "HOME": str(home),
            "PATH": str(tmp_path / "bin"),
            "LEAFMARK_STATE_DIR": str(tmp_path / "state"),
            "LEAFMARK_CONFIG_DIR": str(tmp_path / "config"),
            "XDG_DATA_HOME": str(tmp_path / "data"),
        }
        surroundings |= env or {}
        searched_before(tmp_path / "state")
        setup = Setup(
            env=surroundings,
            home=str(home),
            here=(here,),
            stores=discover(surroundings, str(home), here),
            cache_folder=str(tmp_path / "cache"),
        )
        options.setdefault("settings", read_settings(surroundings))
        app = Browser(setup, **options)
        async with app.run_test(size=size, notifications=notifications) as pilot:
            driver = Driver(app, pilot, tmp_path)
            if settle:
                await driver.settled()
            yield driver

    return run


@pytest.fixture
def tree_shown(tmp_path):
    """The tree is shown from the start, as the last run left it."""
    paths.write_screen(
        {"LEAFMARK_STATE_DIR": str(tmp_path / "state")}, {"panes-closed": "", "query-0": "earlier"}
    )


def searched_before(state: Path) -> None:
    """Write a query of an earlier run, so that the screen does not show the first steps."""
    if not state.exists():
        state.mkdir()
        (state / "screen").write_text("query-0=earlier\n")


def pi_session(tmp_path: Path, *lines, id: str, project: str = "app") -> Path:
    """A session file in pi's default store."""
    return write_session(
        tmp_path / "home/.pi/agent/sessions" / f"--work-{project}--" / f"2026_{id}.jsonl", *lines
    )


@pytest.fixture
def three(tmp_path):
    """Two sessions of this folder (one branched, with a label), and one of another folder."""
    branched = [
        *chain("fix the login", "the token is read too early", "cache it", "slower", id="branchy"),
        message("e", "00000002", "user", "use redis", 10),
        message("f", "e", "assistant", "faster", 11),
        entry("label", "g", "f", 12, targetId="e", label="redis idea"),
        entry("session_info", "h", "g", 13, name="Refactor auth"),
    ]
    pi_session(tmp_path, *branched, id="branchy")
    pi_session(tmp_path, *chain("write a man page", "done", id="plain"), id="plain")
    pi_session(
        tmp_path, *chain("dark mode", "done", id="site1", cwd="/work/site"), id="site1", project="site"
    )
    return tmp_path


@pytest.fixture
def typed_before(monkeypatch):
    """A function that has these keys typed while the screen is being built."""
    real_init = KeyOrder.__init__

    def before(*keys):
        def make_with_keys(order, *arguments):
            real_init(order, *arguments)
            order._early.extend(events.Key(key, key if len(key) == 1 else None) for key in keys)

        monkeypatch.setattr(KeyOrder, "__init__", make_with_keys)

    return before


@pytest.fixture
def slow(monkeypatch):
    """The index is read only after this is set."""
    go = threading.Event()
    rows = Index.rows

    def rows_later(self):
        go.wait()
        return rows(self)

    monkeypatch.setattr(Index, "rows", rows_later)
    yield go
    go.set()


@pytest.fixture
def begun(three, tmp_path):
    """The list of the selector's first frame, from a catalog."""
    home = tmp_path / "home"
    stores = discover({"HOME": str(home)}, str(home), HERE)
    setup = Setup(env={}, home=str(home), here=(HERE,), stores=stores, cache_folder=str(tmp_path / "cache"))
    Index(stores, setup.cache_folder).scan()
    front = Catalog(setup.cache_folder, stores)
    model = first_frame.fill_list(setup, 30, initial({}, SELECTOR), front)
    front.close()
    return model
