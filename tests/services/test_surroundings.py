"""What is known of the sessions besides their files."""

from __future__ import annotations

from queue import Queue
from typing import TYPE_CHECKING

from app.messages.sessions import HereFound
from app.services.list_facts import ListFacts
from app.setup import Setup

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_that_cannot_be_named_here_is_not_this_one(tmp_path: Path) -> None:
    here, link = tmp_path / "work", tmp_path / "link"
    here.mkdir()
    link.symlink_to(here)
    setup = Setup(env={}, home=str(tmp_path), here=(str(here),), stores=[], cache_folder=str(tmp_path))
    told: Queue[object] = Queue()
    surroundings = ListFacts(setup, told.put, told.put)
    try:
        # no locale has the first; the second is no name on any system
        surroundings.find_here([str(tmp_path / "half \ud83d"), str(tmp_path / "nul\0"), str(link)])
        answer = told.get(timeout=10)
    finally:
        surroundings.stop()
    assert isinstance(answer, HereFound), answer
    assert answer.folders == [str(link)]
