"""Disk space in words: the parts of all that is used, and the space of projects and sessions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from app.formats.text import one_line
from app.index.disk import SESSION, DiskUsage, Usage
from app.view.cells import pad, shorten, stable_width
from app.view.charts import bar
from app.view.formatting import counted, size, tilde

if TYPE_CHECKING:
    from app.index.row import Row
    from app.view.line import Line

PART = "part"
"""The grouping by what takes the space; `app.index.disk.GROUPS` has the others."""
_SIZE_CELLS, _BAR_CELLS, _PART_CELLS = 7, 12, 11


class Share(NamedTuple):
    """Some disk space.

    :param number: of bytes.
    :param name: of what takes it; raw.
    :param text: more about it; raw.
    :param paths: of the sessions that it belongs to.
    :param is_part: it is a part of the whole, and its name is short.
    """

    number: int
    name: str
    text: str
    paths: frozenset[str] = frozenset()
    is_part: bool = False


def parts_of(usage: Usage, rest: Mapping[str, int]) -> list[Share]:
    """The parts of the disk space of sessions, without the paths of the sessions.

    :param rest: what belongs to no session, as `DiskUsage.rest_of_all` has it; none to leave it out.
    """
    repeated = f", {size(usage.repeated)} of them repeat a parent" if usage.repeated else ""
    saved = f", {size(usage.saved)} less than the files" if usage.saved else ""
    parts = [
        Share(usage.files, "files", f"of {counted(usage.sessions, 'session')}{repeated}"),
        Share(usage.artifacts, "artifacts", "of these sessions"),
        Share(usage.subagents, "sub-agents", "of these sessions"),
        Share(usage.kept, "kept", f"in leafmark's copies of them{saved}"),
    ]
    texts = {
        "blobs": "images that agents keep outside of the sessions",
        "rest": "all else in the folders of sessions",
        "kept_rest": "earlier copies, copies of other sessions, and folders",
        "index": "leafmark's index, which it can make anew",
    }
    return [
        *parts,
        *(Share(number, name.replace("_", " "), texts[name]) for name, number in rest.items()),
    ]


def shares_of(usage: DiskUsage, rows: Sequence[Row], group_by: str, home: str) -> list[Share]:
    """The rows of the page.

    :param group_by: `PART`, or one of `app.index.disk.GROUPS`.
    """
    if group_by == PART:
        parts = parts_of(usage.of(rows), usage.rest_of_all)
        repeats = Share(usage.of(rows).repeated, "repeated", "of the files: forks repeat their parents")
        fields = {"sub-agents": "subagents"}
        return [
            part._replace(
                is_part=True,
                paths=frozenset(
                    row.path
                    for row in rows
                    if getattr(usage.sessions[row.path], fields.get(part.name, part.name), 0)
                ),
            )
            for part in (parts[0], repeats, *parts[1:])
        ]
    return [
        Share(
            used.total,
            of_it[0].title if group_by == SESSION else tilde(name, home) or "(no folder)",
            tilde(of_it[0].cwd, home) if group_by == SESSION else counted(len(of_it), "session"),
            frozenset(row.path for row in of_it),
        )
        for name, of_it, used in usage.groups(rows, group_by)
    ]


def share_line(share: Share, part: float, cells: int, *, ascii_only: bool = False) -> Line:
    """A row of the page.

    :param part: of the longest bar, from 0 to 1; more for one that is cut.
    """
    room = max(0, cells - _SIZE_CELLS - _BAR_CELLS - 4)
    name_cells = min(_PART_CELLS if share.is_part else room * 2 // 3, room)
    name = shorten(stable_width(one_line(share.name, 500)), name_cells)
    text = shorten(stable_width(one_line(share.text, 500)), max(0, room - name_cells - 2))
    return [
        (f"{size(share.number):>{_SIZE_CELLS}}  ", "count"),
        (pad(bar(part, _BAR_CELLS, ascii_only=ascii_only), _BAR_CELLS), "key"),
        (f"  {pad(name, name_cells)}", "text"),
        (f"  {text}", "dim"),
    ]
