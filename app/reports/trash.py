"""``leafmark trash --list``: the sessions that are in the system's trash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.restore import trashed
from app.formats.stamps import iso
from app.formats.text import one_line
from app.reports.listing import short_id
from app.reports.output import columns, complain, write_json, write_text
from app.view.ages import age
from app.view.cells import fill, shorten, width

if TYPE_CHECKING:
    from app.actions.restore import Trashed
    from app.options import Options
    from app.setup import Setup

SCHEMA = 1
TITLE_CELLS = 40
"""What a title keeps to on a terminal."""


def run(options: Options, setup: Setup) -> int:
    """Print them, the last to be trashed first. Exit code 1 where there are none."""
    found = trashed(setup.agent_env, setup.stores, setup.state_folder)
    if options.json:
        write_json({"schema": SCHEMA, "sessions": [_as_json(one) for one in found]})
    else:
        write_text("".join(line + "\n" for line in _table(found, setup.now_ms())))
    if not found:
        complain("no session is in the trash")
        return 1
    return 0


def _as_json(one: Trashed) -> dict[str, object]:
    return {
        "agent": one.agent,
        "id": one.session_id,
        "path": one.path,
        "in_trash": one.in_trash,
        "artifacts": one.artifacts or None,
        "title": one.title,
        "trashed": iso(one.when_ms),
    }


def _table(found: list[Trashed], now_ms: int) -> list[str]:
    """Id, age in the trash, agent, title and where it was, side by side and inert; no path is cut."""
    on_terminal = columns() is not None
    cells = []
    for one in found:
        title = one_line(one.title)
        cells.append(
            [
                one_line(short_id(one.session_id)),
                f"{age(one.when_ms, now_ms):>4}",
                one.agent,
                shorten(title, TITLE_CELLS) if on_terminal else title,
                one_line(one.path, 4_000),
            ]
        )
    widest = [max(map(width, column)) for column in list(zip(*cells, strict=True))[:-1]]
    return ["  ".join([*map(fill, first, widest), last]) for *first, last in cells]
