"""A project of five sessions in a folder that exists.

leafmark is started in that folder, shows their rows first, and follows their files while they are written to.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.corpus.chunks import Chunks, Text
from tests.benchmarks.corpus.clock import iso
from tests.benchmarks.corpus.draft import Draft, quote
from tests.benchmarks.corpus.places import pi_folder
from tests.benchmarks.corpus.truth import Truth

if TYPE_CHECKING:
    from tests.terminal import Terminal

LIVE = "leafmark-live-project"
SESSIONS = 5
ENTRIES = 40
_OWNER = "pid.txt"
"""The file in the folder of the sessions with the process id of their run."""


class LiveProject:
    """The project `folder`, below `where`. Its sessions are in the store `pi_root` until `close`."""

    def __init__(self, where: str, pi_root: str) -> None:
        self.folder = os.path.join(where, LIVE)
        self.sessions = os.path.join(pi_root, pi_folder(self.folder))
        _forget_killed_runs(pi_root)
        os.makedirs(self.folder)
        os.makedirs(self.sessions)
        Path(self.sessions, _OWNER).write_text(str(os.getpid()))
        self.began = int(time.time() * 1000)
        self.renew()
        self.files = [os.open(draft.path, os.O_WRONLY | os.O_APPEND) for draft in self.drafts]

    def renew(self) -> None:
        """Restore the first content of the sessions, in the same files: peers have links to them."""
        chunks = Chunks(7, 0.05)
        self.drafts = [self.write(number, chunks) for number in range(SESSIONS)]

    def close(self) -> None:
        for file in self.files:
            os.close(file)
        shutil.rmtree(self.sessions)

    def title(self, number: int) -> str:
        """Return the current title in the session's row."""
        return self.drafts[number].truth.name or _prompt(number)

    def write(self, number: int, chunks: Chunks) -> Draft:
        created = self.began - (number + 1) * 3_600_000
        identity = f"{created:012x}-live-{number}"
        draft = Draft(Truth("pi", identity, self.folder, created), serial=number)
        draft.path = os.path.join(self.sessions, f"{created}_{identity}.jsonl")
        draft.header()
        draft.user(Text(_prompt(number), quote(_prompt(number))))
        while len(draft.truth.ids) < ENTRIES:
            draft.at += 1_000
            draft.assistant(chunks.prose[0], chunks.usages[0])
        with open(draft.path, "wb") as file:
            file.write(draft.content())
        os.utime(draft.path, (draft.at / 1000, draft.at / 1000))
        return draft

    def name(self, number: int, name: str) -> float:
        """Append a name to a session, as pi's /name does; return when it was written (`perf_counter()`)."""
        draft = self.drafts[number]
        draft.at = int(time.time() * 1000)
        draft.name(name)
        return self.append(number)

    def message(self, number: int, text: str) -> float:
        """Append a prompt; return when it was written."""
        draft = self.drafts[number]
        draft.at = int(time.time() * 1000)
        draft.user(Text(text, quote(text)))
        return self.append(number)

    def append(self, number: int) -> float:
        appended = time.perf_counter()
        os.write(self.files[number], self.drafts[number].lines[-1] + b"\n")
        return appended


def rows_shown(live: LiveProject, terminal: Terminal) -> bool:
    """Whether the screen of leafmark or of a peer shows the rows of the project."""
    return all(terminal.shows(live.title(number)) for number in range(3))


def _forget_killed_runs(pi_root: str) -> None:
    """Remove the projects that killed runs left in the corpus, where they would be counted."""
    for owner in Path(pi_root).glob(f"*-{LIVE}--/{_OWNER}"):
        try:
            os.kill(int(owner.read_text()), 0)
        except ProcessLookupError:
            shutil.rmtree(owner.parent)


def _prompt(number: int) -> str:
    return f"Live session {number}"


def entry_line(entry_id: str, parent: str, text: str, at_ms: int) -> bytes:
    """Return one prompt as a line of pi's format."""
    message = {"role": "user", "content": [{"type": "text", "text": text}], "timestamp": at_ms}
    entry = {
        "type": "message",
        "id": entry_id,
        "parentId": parent,
        "timestamp": iso(at_ms),
        "message": message,
    }
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"
