"""A project of ten thousand small sessions, some of them forks of others: the largest group of the list."""

from __future__ import annotations

import os
import shutil
import time

from tests.benchmarks.corpus.chunks import Chunks, Text
from tests.benchmarks.corpus.draft import Draft, quote
from tests.benchmarks.corpus.places import pi_folder
from tests.benchmarks.corpus.truth import Truth
from tests.benchmarks.live import entry_line

CROWD = "leafmark-crowded-project"
SESSIONS = 10_000
FORK_EVERY = 8
GROWING = 5
"""The number of sessions in the middle of the list that are appended to."""


class Crowd:
    """The project `folder`, below `where`. Its sessions are in the store `pi_root` until `close`."""

    def __init__(self, where: str, pi_root: str, sessions: int = SESSIONS) -> None:
        self.folder = os.path.join(where, CROWD)
        self.sessions = os.path.join(pi_root, pi_folder(self.folder))
        os.makedirs(self.folder)
        os.makedirs(self.sessions)
        chunks = Chunks(7, 0.05)
        newest = int(time.time() * 1000) - 3_600_000
        self.paths: list[str] = []
        leaves: list[str | None] = []
        for number in range(sessions):
            draft = self.write(number, newest - number * 60_000, chunks)
            self.paths.append(draft.path)
            leaves.append(draft.leaf)
        growing = slice(sessions // 2, sessions // 2 + GROWING)
        self.growing = [os.open(path, os.O_WRONLY | os.O_APPEND) for path in self.paths[growing]]
        self._leaves = leaves[growing]
        self.appended = 0

    def close(self) -> None:
        for file in self.growing:
            os.close(file)
        shutil.rmtree(self.sessions)
        shutil.rmtree(self.folder)

    def write(self, number: int, created: int, chunks: Chunks) -> Draft:
        identity = f"{created:012x}-crowd-{number}"
        truth = Truth("pi", identity, self.folder, created)
        if number % FORK_EVERY == FORK_EVERY - 1:
            truth.parent_session = self.paths[number - FORK_EVERY // 2]
        draft = Draft(truth, serial=number)
        draft.path = os.path.join(self.sessions, f"{created}_{identity}.jsonl")
        draft.header()
        draft.user(Text(title(number), quote(title(number))))
        draft.at += 1_000
        draft.assistant(chunks.prose[number % len(chunks.prose)], chunks.usages[0])
        with open(draft.path, "wb") as file:
            file.write(draft.content())
        os.utime(draft.path, (draft.at / 1000, draft.at / 1000))
        return draft

    def append(self, text: str) -> float:
        """Append a prompt to the next growing session; return when it was written (`perf_counter()`)."""
        turn = self.appended % GROWING
        self.appended += 1
        identity = f"{self.appended:08x}"
        line = entry_line(identity, self._leaves[turn] or "", text, int(time.time() * 1000))
        self._leaves[turn] = identity
        appended = time.perf_counter()
        os.write(self.growing[turn], line)
        return appended


def title(number: int) -> str:
    """Return the title in the row of a session."""
    return f"Crowded session {number}"
