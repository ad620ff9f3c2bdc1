"""Random changes to a store, as a class and as a process: `python -m tests.index.mischief --help`."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import time
from pathlib import Path

from tests.index.helpers import append, header, message, session, write

BUSY = 50
"""Number of sessions that grow all the time."""

CALM = 4
"""Number of sessions that are only appended to."""

_TICKS = 50  # per second


class Mischief:
    """Makes random changes to a store, one per step."""

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


class Busy:
    """Agents that append to sessions in `root` and `calm`, and a `Mischief` that changes `root`."""

    def __init__(self, root: Path, calm: Path, seed: int) -> None:
        self.mischief = Mischief(root, seed)
        self.dice = random.Random(seed + 1)
        self.entries = 0
        self.needles = 0
        self.busy = [root / f"--f{number % 4}--" / f"busy-{number}.jsonl" for number in range(BUSY)]
        self.calm = [
            write(calm / "--calm--" / f"{number}.jsonl", header(f"calm-{number}")) for number in range(CALM)
        ]

    def write(self, entries: int) -> None:
        """Append this many entries to the busy sessions in turn; a deleted session is written again."""
        for _ in range(entries):
            self.entries += 1
            path = self.busy[self.entries % BUSY]
            line = message(f"b{self.entries}", None, f"busy word{self.entries % 997} text {self.entries}")
            if path.exists():
                append(path, line)
            else:
                write(path, header(path.stem) + line)

    def needle(self) -> tuple[Path, str]:
        """Append a message with a new unique word; return the session's path and the word."""
        self.needles += 1
        path = self.calm[self.needles % CALM]
        word = f"needle{self.needles}x{self.dice.randrange(1 << 40):x}"
        append(path, message(f"n{self.needles}", None, f"here is {word} for you"))
        return path, word

    def run(self, seconds: float, rate: int, acts: float) -> None:
        """Append `rate` entries and make `acts` random changes per second.

        All of them are made, even if a slow machine needs more than `seconds`. Each needle is printed when it
        is written: its path, then the word.
        """
        began = time.monotonic()
        for tick in range(int(seconds * _TICKS)):
            time.sleep(max(0.0, began + tick / _TICKS - time.monotonic()))
            self.write((tick + 1) * rate // _TICKS - self.entries)
            while self.mischief.number < (tick + 1) * acts / _TICKS:
                self.mischief.step()
            if tick % 15 == 0:
                path, word = self.needle()
                print(path, word, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.index.mischief", description=__doc__)
    parser.add_argument("root", type=Path, help="the folder of the store that is changed")
    parser.add_argument("calm", type=Path, help="the folder of a store that is only written to")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=int, default=1000, help="entries a second")
    parser.add_argument("--acts", type=float, default=15, help="other changes a second")
    options = parser.parse_args()
    Busy(options.root, options.calm, options.seed).run(options.seconds, options.rate, options.acts)


if __name__ == "__main__":
    main()
