"""Pictures of the screens and the dialogs. ``--snapshot-update`` draws them anew; look at them before.

Each screen and each dialog has one picture at 80x24. Browser, selector and help have one for each layout; the
browser and one dialog have one for each kind of terminal.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import pytest

from app import paths
from app.browser import Browser
from app.settings import Settings
from app.setup import Setup
from app.stores import discover
from app.view.menus import CHANGED_KEYS
from tests.screenshots import NOW_NS, press
from tests.snapshots.sessions import write_needing, write_sessions

FOLDER = Path("/tmp/leafmark-pictures")
LAYOUTS = ((40, 15), (80, 24), (120, 40), (200, 50))
LOOKS = ("light", "no-colour", "ascii")


class Picture(NamedTuple):
    """How a picture is made.

    keys   pressed one after the other; `selector`: in the selector
    size   columns and lines of the terminal
    look   "dark", "light", "no-colour" or "ascii"
    empty  there are no sessions
    """

    keys: tuple[str, ...] = ()
    selector: bool = False
    size: tuple[int, int] = (80, 24)
    look: str = "dark"
    empty: bool = False


TREE = ("t", "plus", "home")
PICTURES = {
    "first run": Picture(empty=True),
    "project": Picture(("home",)),
    "completion": Picture(("slash", *"has:")),
    "marks": Picture(("space", "space")),
    "tree": Picture(("t", "end", "left", "left")),
    "entry details": Picture(("t", "i")),
    "raw entry": Picture(("v", "r"), size=(120, 40)),
    "transcript, light": Picture(("v",), look="light"),
    "rename": Picture(("ctrl+r",)),
    "label": Picture(("t", "L")),
    "trash question": Picture(("ctrl+d",)),
    "continue": Picture((*TREE, "enter")),
    "labels": Picture(("apostrophe",)),
    "compare": Picture(("t", "end", "C")),
    "history": Picture(("p", "H")),
    "trash": Picture(("X",)),
    "archive": Picture(("A",)),
    "tags": Picture(("number_sign",)),
    "session details": Picture(("i",)),
    "export": Picture(("x",)),
    "statistics": Picture(("S",)),
    "settings": Picture(("comma",)),
    "themes": Picture(("f2",)),
    "help page": Picture(("question_mark", "shift+tab", "shift+tab", "1")),
    "palette": Picture(("ctrl+k", *"tra")),
    "selector, search": Picture(tuple("pool"), selector=True),
    "selector, two lines": Picture(("shift+tab", "D"), selector=True),
}
for columns, lines in LAYOUTS:
    name = f"{columns}x{lines}"
    PICTURES[f"browser {name}"] = Picture(size=(columns, lines))
    PICTURES[f"selector {name}"] = Picture(selector=True, size=(columns, lines))
    PICTURES[f"help {name}"] = Picture(("question_mark",), size=(columns, lines))
    if columns > 40:
        PICTURES[f"tree and transcript {name}"] = Picture(("t", "up"), size=(columns, lines))
        PICTURES[f"transcript {name}"] = Picture(("v",), size=(columns, lines))
        PICTURES[f"needs you {name}"] = Picture(("w",), size=(columns, lines))
        PICTURES[f"search {name}"] = Picture(("slash", *"pool"), size=(columns, lines))
for menu, key in (("copy", "y"), ("go to", "g"), ("view", "full_stop")):
    for columns, lines in ((80, 24), (120, 40), (200, 50)):
        PICTURES[f"{menu} menu {columns}x{lines}"] = Picture((key,), size=(columns, lines))
PICTURES["view menu, light"] = Picture(("full_stop",), look="light")
for look in LOOKS:
    PICTURES[f"browser, {look}"] = Picture(("t",), look=look, size=(120, 40))
    PICTURES[f"continue, {look}"] = Picture((*TREE, "enter"), look=look)


@pytest.fixture
def folder(request):
    """Use the same folder on every machine, because pictures show paths."""
    made = FOLDER / f"{crc32(request.node.name.encode()):08x}"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.mark.parametrize("name", PICTURES)
def test_picture(name, folder, snap_compare, monkeypatch):
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    picture = PICTURES[name]
    if picture.look == "no-colour":
        monkeypatch.setenv("NO_COLOR", "1")
    work, home, programs = folder / "work", folder / "home", folder / "bin"
    for made in (work, home, programs):
        made.mkdir()
    (programs / "pi").write_text("#!/bin/sh\n")
    (programs / "pi").chmod(0o755)
    if not picture.empty:
        write_sessions(home, str(work))
    if name.startswith("needs you"):
        write_needing(home, str(work))
    env = {"HOME": str(home), "PATH": str(programs), "LEAFMARK_STATE_DIR": str(folder / "state")}
    # The tree's mark of the leaf is explained once, for a few seconds that a picture may hit or miss.
    paths.write_screen(env, {"told-keys": " ".join(CHANGED_KEYS)})
    setup = Setup(
        env=env,
        home=str(folder),
        here=(str(work),),
        stores=discover(env, str(home), str(work)),
        cache_folder=str(folder / "cache"),
        clock=lambda: NOW_NS,
    )
    app = Browser(
        setup,
        theme="light" if picture.look == "light" else "dark",
        settings=Settings(ascii=picture.look == "ascii"),
        selector="" if picture.selector else None,
    )
    keys = picture.keys
    assert snap_compare(app, run_before=lambda pilot: press(app, pilot, keys), terminal_size=picture.size)
