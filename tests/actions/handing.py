"""Hand sessions over in a home folder of their own, and compare what came of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from leafmark import SessionManager

from app.actions import Handed, Request, hand_over
from tests.factory import NOW

if TYPE_CHECKING:
    from pathlib import Path

MARKER = "leafmark.handoff"


def environment(home: Path) -> dict[str, str]:
    """The environment in which agents find their sessions below `home`."""
    return {"HOME": str(home), "TMPDIR": str(home / "tmp")}


def handed(path: str | Path, to: str, home: Path, **more: Any) -> Handed:
    """Hand the session at `path` over to an agent."""
    dry = {"dry_run": more.pop("dry_run", False), "state_folder": str(home / "state")}
    return hand_over(str(path), Request(to, **more), environment(home), now_ms=NOW, **dry)


def opened(path: str | Path | None, agent: str, home: Path) -> SessionManager:
    """Open a session to read it."""
    return SessionManager.open(path or "", env=environment(home), agents=(agent,), new=False)


def lines(path: str | Path | None) -> list[dict[str, Any]]:
    """The entries in the file of a session, leafmark's own one first."""
    assert path is not None
    with open(path, encoding="utf-8", newline="\n") as file:
        found = [json.loads(line) for line in file]
    return [line for line in found if line["type"] not in ("session", "title")]


def without_marker(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The entries without leafmark's own one, which has to be the first."""
    marker, *rest = entries
    assert (marker["type"], marker["customType"], marker["parentId"]) == ("custom", MARKER, None)
    return [{**each, "parentId": None} if each["parentId"] == marker["id"] else each for each in rest]
