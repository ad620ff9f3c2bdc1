"""The cache is damaged before a screen in a terminal opens it, and while it is open: the screen goes on, and
leaves the terminal clean.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.factory import chain, write_session
from tests.prepared import prepared
from tests.pty.machine import leafmark


def catalog(cache: Path) -> Path:
    (path,) = cache.glob("catalog-*.db")
    return path


def truncate_texts(cache: Path) -> None:
    for path in cache.glob("text-*/*.*"):
        os.truncate(path, 10)


def garble_texts(cache: Path) -> None:
    for path in cache.glob("text-*/*.*"):
        path.write_bytes(b"garbage!" * (path.stat().st_size // 8))


def truncate_shared_memory(cache: Path) -> None:
    os.truncate(f"{catalog(cache)}-shm", 0)


def truncate_log(cache: Path) -> None:
    os.truncate(f"{catalog(cache)}-wal", 100)


def garble_catalog(cache: Path) -> None:
    for path in cache.glob("catalog-*.db*"):
        path.write_bytes(b"this is no database " * 2_000)


def truncate_everything(cache: Path) -> None:
    for path in [*cache.glob("catalog-*.db*"), *cache.glob("text-*/*.*")]:
        os.truncate(path, 0)


DAMAGE = [
    truncate_texts,
    garble_texts,
    truncate_shared_memory,
    truncate_log,
    garble_catalog,
    truncate_everything,
]


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="the system truncates no mapped file")
@pytest.mark.parametrize("words", [[], ["resume"]], ids=["browser", "selector"])
def test_a_screen_goes_on_and_ends_cleanly(shell, words):
    folder, work, env = shell
    prepared().run(["index"], env, str(work)).check_returncode()
    store = folder / "home/.pi/agent/sessions/--work--"
    garble_catalog(folder / "cache")
    with leafmark(*words, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login", 30)
        terminal.wait_for_bytes(b"\x1b[?1000h", 30)
        terminal.wait_for_text("The index was damaged: it is made anew", 30)
        if not words:
            terminal.press("/")
        for number, damage in enumerate(DAMAGE):
            damage(folder / "cache")
            id = f"new{number}"
            path = write_session(
                store / f"2027_{id}.jsonl", *chain(f"Title{number}", f"Word{number}", id=id, cwd=str(work))
            )
            terminal.send(f"Word{number}")
            terminal.wait_for(
                lambda it: it.shows(f"Title{number}") and not it.shows("man page"),  # noqa: B023
                30,
            )
            terminal.send("\x15")
            terminal.wait_for_text("man page", 30)
            path.unlink()
        terminal.press("ctrl+q")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []
        assert b"Traceback" not in terminal.output
        assert b"in memory only" not in terminal.output
    done = prepared().run(["search", "early", "--json"], env, str(work))
    assert done.returncode == 0
    assert b"aaaa" in done.stdout
