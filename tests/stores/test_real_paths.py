"""Real paths of many folders, each looked up once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores import RealPaths

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_real_paths_equal_those_of_the_system_and_each_folder_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    for name in ("one", "two", "two/three"):
        (work / name).mkdir(parents=True)
    (tmp_path / "way").symlink_to("work")
    (work / "link").symlink_to("two")
    (work / "loop").symlink_to("loop")
    (work / "nowhere").symlink_to("/gone/away")
    (work / "up").symlink_to("../..")
    (work / "file").touch()
    names = [
        "one",
        "two",
        "link",
        "link/three",
        "loop",
        "loop/x",
        "nowhere",
        "nowhere/x",
        "up",
        "up/x",
        "file/x",
    ]
    names += ["gone", "gone/x", "", "one/", "one/../two", "link/..", "./one", "/one", "one//x", "a\0b"]
    paths = [f"{base}/{name}" for base in (work, tmp_path / "way", "/", "relative") for name in names]
    paths += ["", "/", "//", ".", "..", "//double/x"]
    real = RealPaths()
    for path in paths:
        try:
            expected = os.path.realpath(path)
        except ValueError:
            expected = path
        assert real(path) == expected, path
    looks: list[str] = []
    really = os.lstat
    monkeypatch.setattr(os, "lstat", lambda path, **how: (looks.append(path), really(path, **how))[1])
    real = RealPaths()
    for number in range(1_000):
        assert real(f"{work}/project-{number}") == f"{work}/project-{number}"
    assert len(looks) < 1_000 + 50
