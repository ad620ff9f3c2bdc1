"""Exporting a session to a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.export.choice import FORMATS, Choice, Order
from app.export.exporter import Surroundings
from app.export.output_file import Target
from app.export.to_file import export_to_file
from app.formats.errors import Cancelled
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


def test_force_replaces_no_session_and_no_device(tmp_path: Path) -> None:
    path = write_session(tmp_path / "store/a.jsonl", *chain("question", "answer"))
    alone = write_session(tmp_path / "alone.jsonl", *chain("question", "answer"))
    (tmp_path / "link").symlink_to(tmp_path / "store")
    os.mkfifo(tmp_path / "pipe")
    before = path.read_bytes()
    surroundings = Surroundings([], {}, str(tmp_path), 0)
    order = Order("jsonl", Choice(entry="00000001"), False)

    def export(name: str) -> None:
        target = Target(str(tmp_path / name), force=True, kept=[str(tmp_path / "store"), str(alone)])
        export_to_file(str(alone), (), order, surroundings, target, None)

    for name in ("store/a.jsonl", "link/a.jsonl", "alone.jsonl"):
        with pytest.raises(OSError, match="a file of an agent"):
            export(name)
    with pytest.raises(OSError, match="not a regular file"):
        export("pipe")
    assert path.read_bytes() == before == alone.read_bytes()
    assert (tmp_path / "pipe").is_fifo()
    export("store/new.jsonl")
    (tmp_path / "other").write_text("old")
    export("other")
    assert (tmp_path / "other").read_bytes() == (tmp_path / "store/new.jsonl").read_bytes()
