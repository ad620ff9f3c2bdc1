"""Whatever is done to the files, in whatever order: what we follow is what a fresh scan finds."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from app.index.index import Index
from tests.index.helpers import Listener, append, facts, fresh, header, message, pi_store, session, write

if TYPE_CHECKING:
    from pathlib import Path


class Mischief:
    """Does one random thing after the other to a store."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.dice = random.Random(seed)
        self.number = 0
        self.actions = [
            self.create,
            self.create,
            self.append,
            self.append,
            self.append,
            self.append_half,
            self.rewrite,
            self.rewrite_same_size,
            self.truncate,
            self.replace,
            self.delete,
            self.rename_file,
            self.rename_folder,
            self.delete_folder,
            self.artifacts,
            self.empty,
            self.touch,
        ]

    def step(self) -> None:
        self.number += 1
        self.root.mkdir(exist_ok=True)
        self.dice.choice(self.actions)()

    def path(self) -> Path | None:
        paths = sorted(path for path in self.root.rglob("*.jsonl") if path.is_file())
        return self.dice.choice(paths) if paths else None

    def folder(self) -> Path:
        return self.root / f"--f{self.dice.randrange(4)}--"

    def text(self) -> str:
        return f"text {self.number}"

    def create(self) -> None:
        place = self.root if self.dice.random() < 0.2 else self.folder()
        write(place / f"{self.number}.jsonl", session(self.text(), f"id{self.number}"))

    def append(self) -> None:
        if path := self.path():
            append(path, message(f"m{self.number}", None, self.text()))

    def append_half(self) -> None:
        if path := self.path():
            append(path, message(f"h{self.number}", None, self.text())[: self.dice.randrange(1, 80)])

    def rewrite(self) -> None:
        if path := self.path():
            path.write_text(session(self.text(), messages=self.dice.randrange(6)))

    def rewrite_same_size(self) -> None:
        if path := self.path():
            data = path.read_bytes()
            with open(path, "r+b") as file:
                file.write(data.replace(b"text", self.dice.choice([b"TEXT", b"tEXT", b"teXT"])))

    def truncate(self) -> None:
        if path := self.path():
            os.truncate(path, self.dice.randrange(path.stat().st_size + 1))

    def replace(self) -> None:
        if path := self.path():
            new = write(path.with_suffix(".new"), header() + message("r", None, self.text()))
            os.replace(new, path)

    def delete(self) -> None:
        if path := self.path():
            path.unlink()

    def rename_file(self) -> None:
        if path := self.path():
            target = self.folder() / f"moved-{self.number}.jsonl"
            target.parent.mkdir(exist_ok=True)
            path.rename(target)

    def rename_folder(self) -> None:
        folder = self.folder()
        target = self.root / f"--f{self.dice.randrange(8)}--"
        if folder.exists() and not target.exists():
            folder.rename(target)

    def delete_folder(self) -> None:
        if self.dice.random() < 0.15:
            shutil.rmtree(self.root)
        else:
            shutil.rmtree(self.folder(), ignore_errors=True)

    def artifacts(self) -> None:
        if path := self.path():
            write(path.with_suffix("") / "0-scout.jsonl", session(self.text()))

    def empty(self) -> None:
        if path := self.path():
            path.write_bytes(b"")

    def touch(self) -> None:
        if path := self.path():
            os.utime(path, (self.number, self.number))


@pytest.mark.parametrize("seed", range(6))
def test_scans_between_random_changes(tmp_path: Path, seed: int) -> None:
    store = pi_store(tmp_path / "store")
    mischief = Mischief(tmp_path / "store", seed)
    index = Index([store], str(tmp_path / "cache"))
    for number in range(60):
        for _ in range(mischief.dice.randrange(1, 4)):
            mischief.step()
        index.scan()
        if number % 12 == 11:
            found = facts(index.rows(full=True)) + facts(index.problem_files())
            assert found == fresh(store, tmp_path / f"fresh-{number}")
    assert index.counts.tails > 0
    assert index.catalog.generation == 0


@pytest.mark.parametrize("poll", [False, True], ids=["native", "polling"])
@pytest.mark.parametrize("seed", range(3))
def test_following_random_changes(tmp_path: Path, seed: int, poll: bool) -> None:
    store = pi_store(tmp_path / "store")
    mischief = Mischief(tmp_path / "store", 100 + seed)
    index = Index([store], str(tmp_path / "cache"), poll=poll)
    with Listener(index) as listener:
        for _ in range(4):
            for _ in range(40):
                mischief.step()
            last = write(tmp_path / "store" / "last.jsonl", session(f"last {mischief.number}"))
            expected = dict(_titles(fresh(store, tmp_path / f"fresh-{mischief.number}")))
            listener.until(lambda expected=expected: _shown(listener) == expected)
            assert str(last) in expected
    assert facts(Index([store], str(tmp_path / "cache")).rows(full=True)) == [
        values for values in fresh(store, tmp_path / "fresh-at-last") if values[-2] is None
    ]


def _titles(found: list[tuple[object, ...]]) -> list[tuple[str, tuple[object, ...]]]:
    """Path -> everything but the first message, which deltas do not carry."""
    return [(str(values[0]), (*values[:8], *values[9:])) for values in found if values[-2] is None]


def _shown(listener: Listener) -> dict[str, tuple[object, ...]]:
    rows = []
    for row in listener.rows.copy().values():
        values = list(row.values())
        values[-3] = None
        rows.append(tuple(values))
    return dict(_titles(rows))
