"""Files in the stores that are not sessions: each must be refused with a reason, or ignored."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.benchmarks.corpus.truth import hidden, refused
from tests.benchmarks.corpus.variants import omp, pi

if TYPE_CHECKING:
    from tests.benchmarks.corpus.maker import Maker

_TIMES = b'"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n'
_REFUSED: dict[str, tuple[str, bytes]] = {
    "empty": ("empty", b""),
    "only newlines": ("no header", b"\n\n\n"),
    "no header": ("no header", b'{"type":"message","id":"a1b2c3d4","message":{"role":"user"}}\n'),
    "another program": ("no header", b'{"sessionId":"x","uuid":"y","type":"user","cwd":"/x"}\n' * 3),
    "binary": ("no header", bytes(range(256)) * 40),
    "text": ("no header", b"These are my notes.\nNothing else.\n"),
    "id is a number": ("bad id", b'{"type":"session","version":3,"id":7,' + _TIMES),
    "no id": ("bad id", b'{"type":"session","version":3,' + _TIMES),
    "torn header": ("no header", b'{"type":"session","version":3,"id":"0198'),
}


def add_strays(maker: Maker, number: int) -> None:
    """Write one of each kind; `number` distinguishes the folders of several rounds."""
    pi_root = maker.places["pi"].root
    folder = os.path.join(pi_root, f"--home-dev-work-strays-{number}--")
    for kind, (reason, content) in _REFUSED.items():
        path = os.path.join(folder, f"2026-01-01T00-00-00-000Z_{kind.replace(' ', '-')}.jsonl")
        maker.put(path, content)
        maker.records.append(refused("pi", path, kind, reason))
    directory = os.path.join(folder, "folder.jsonl")
    os.makedirs(directory, exist_ok=True)
    maker.records.append(refused("pi", directory, "folder", "folder"))
    dangling = os.path.join(folder, "dangling.jsonl")
    if not os.path.lexists(dangling):
        os.symlink(os.path.join(folder, "nowhere"), dangling)
    maker.records.append(refused("pi", dangling, "dangling link", "missing"))
    for name in ("notes.txt", "old.jsonl.bak", ".2026.jsonl.tmp"):
        path = os.path.join(folder, name)
        maker.put(path, b'{"type":"session","version":3,"id":"x",' + _TIMES)
        maker.records.append(hidden("pi", path, "other file"))
    _sub_agents(maker)
    _twins(maker)
    if number == 0:
        loop = os.path.join(pi_root, "loop")
        if not os.path.lexists(loop):
            os.symlink(pi_root, loop)
        maker.records.append(refused("pi", loop, "link that loops", "listed already"))


def _sub_agents(maker: Maker) -> None:
    """Write an omp session with artifacts: the sub-agents' files in the folder named after it are not
    listed.
    """
    draft = omp(maker, 12)
    maker.finish(draft, "with artifacts")
    record = maker.records[-1]
    record["counted"] = list(draft.truth.tokens)
    folder = draft.path.removesuffix(".jsonl")
    for path in ("0-scout.jsonl", "__advisor.jsonl", "0-scout/1-deeper.jsonl"):
        child = omp(maker, 4)
        child.path = os.path.join(folder, path)
        maker.put(child.path, child.content())
        maker.records.append(hidden("omp", child.path, "sub-agent"))
        if path != "__advisor.jsonl":
            both = zip(record["counted"], child.truth.tokens, strict=True)
            record["counted"] = [one + other for one, other in both]
    maker.put(os.path.join(folder, "1.bash.log"), b"ok\n")


def _twins(maker: Maker) -> None:
    """Write two files with the same id: a copy in another folder has entries of its own."""
    first = pi(maker, 12)
    maker.finish(first, "one id in two files")
    second = pi(maker, 16)
    old = second.truth.id
    second.truth.id = first.truth.id
    second.lines[0] = second.lines[0].replace(old.encode(), first.truth.id.encode())
    maker.finish(second, "one id in two files")
