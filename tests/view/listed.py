"""Session lists in an arrangement, and the lines that they show."""

from __future__ import annotations

from app.view import Arrangement, ListModel
from tests.factory import MINUTE, NOW, make_row

HERE = "/p1"
EMPTY = {"message_count": 0, "title": "(no messages)", "title_source": ""}


def minutes_ago(minutes):
    """The time `minutes` before now."""
    return NOW - minutes * MINUTE


FAMILY = (
    make_row("old", modified=minutes_ago(90), cwd="/p2"),
    make_row("middle", modified=minutes_ago(50), cwd=HERE),
    make_row("fork", modified=minutes_ago(5), cwd=HERE, parent_session="/store/old.jsonl"),
    make_row("new", modified=minutes_ago(20), cwd="/p3"),
)


def listed(*rows, here=HERE, pins=(), live=(), **arrangement):
    """The list of these rows, with every project open."""
    model = ListModel((here,), "/home/me", Arrangement(**arrangement), frozenset(pins))
    model.set_live(live)
    model.load(rows)
    model.open_all(True)
    return model


def shown(model):
    """The lines of a list: ids of sessions, and folders of projects in brackets."""
    return [line.row.id if line.row else f"[{line.group.cwd}]" for line in model.lines]
