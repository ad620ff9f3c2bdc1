"""Exporting a session to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.export import FORMATS, Choice, Order, Surroundings, Target, export_to_file
from app.formats import Cancelled
from tests.cases import cases
from tests.factory import chain, write_session

if TYPE_CHECKING:
    from pathlib import Path


@cases("format", FORMATS)
def test_an_export_that_is_stopped_leaves_no_file(tmp_path: Path, format: str) -> None:
    path = write_session(tmp_path / "a.jsonl", *chain("question", "answer"))
    surroundings = Surroundings([], {}, str(tmp_path), 0)
    out = tmp_path / "out"
    out.mkdir()
    order, target = Order(format, Choice(), False), Target(str(out / "a"), force=False)
    with pytest.raises(Cancelled):
        export_to_file(str(path), (), order, surroundings, target, None, lambda: False)
    assert list(out.iterdir()) == []
    assert export_to_file(str(path), (), order, surroundings, target, None).path == str(out / "a")
