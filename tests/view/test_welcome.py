"""The panel of a screen without any session."""

from __future__ import annotations

from app.stores import AGENTS
from app.view import welcome_panel
from app.view.line import plain_text
from tests.cases import cases

PLACES = [
    ("pi", "/home/me/.pi/agent/sessions", "not there"),
    ("omp", "/home/me/.omp/agent/sessions", "empty"),
    ("agent", "/home/me/.config/agent/sessions", "unreadable (XDG_CONFIG_HOME)"),
]
KEYS = [("F6", "try the examples"), ("F5", "rescan"), ("?", "help"), ("q", "quit")]


def panel(cells, height, places=PLACES):
    return [plain_text(line) for line in welcome_panel(places, "/home/me", cells, height, KEYS)]


def test_the_panel_names_the_stores_and_what_to_do():
    assert [line.rstrip() for line in panel(80, 13)] == [
        "",
        "    ╭─ Welcome to leafmark ────────────────────────────────────────────────╮",
        "    │ No sessions found yet. leafmark looked here:                         │",
        "    │                                                                      │",
        "    │   pi         ~/.pi/agent/sessions       not there                    │",
        "    │   oh-my-pi   ~/.omp/agent/sessions      empty                        │",
        "    │   agent      ~/.config/agent/sessions   unreadable (XDG_CONFIG_HOME) │",
        "    │                                                                      │",
        "    │ Start pi, oh-my-pi or nickcecere/agent, and its session appears here │",
        "    │ at once.                                                             │",
        "    │ Sessions elsewhere? Run leafmark --store pi=FOLDER.                  │",
        "    ╰─ F6 try the examples  F5 rescan  ? help  q quit ─────────────────────╯",
        "",
    ]


@cases(("cells", "height"), [(120, 37), (40, 13), (20, 6), (30, 3), (200, 50)])
def test_the_panel_fits_any_screen(cells, height):
    many = PLACES * 8
    for places in (PLACES, many, [("pi", "/" + "x" * 300 + "\x1b[31m", "not there")]):
        lines = panel(cells, height, places)
        assert [len(line) for line in lines] == [cells] * height
        assert "Welcome" in "".join(lines)
        assert not any("\x1b" in line for line in lines)


@cases("cells", [40, 80])
def test_the_agents_are_named_and_no_name_is_broken(cells):
    places = [(agent.name, "/home/me/x", "not there") for agent in AGENTS]
    lines = [line.strip(" │") for line in panel(cells, 20, places)]
    begin = next(index for index, line in enumerate(lines) if line.startswith("Start pi, oh-my-pi"))
    names = ["pi", "oh-my-pi", "Claude Code", "or Codex"]
    assert "(and two more), and its session appears here" in " ".join(lines[begin:])
    assert [name for name in names if not any(name in line for line in lines[begin:])] == []


def test_stores_without_room_are_counted():
    lines = panel(80, 12, PLACES * 8)
    assert "19 more: leafmark doctor" in "".join(lines)
    assert "--store pi=FOLDER" in "".join(lines)
