"""Stores of small sessions, and a listener that waits for messages of an index."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING

from leafmark import Index, Store

from app.index import FIELDS
from app.stores import agent_named
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from leafmark import Row

    from app.index import Delta

FIRST_MESSAGE, GREW_MS, REFUSED = map(FIELDS.index, ("first_message", "grew_ms", "refused"))


def pi_store(root: Path | str) -> Store:
    return Store(agent_named("pi"), str(root), "default")


def header(session_id: str = "s1", cwd: str = "/work/app") -> str:
    return line(type="session", version=3, id=session_id, timestamp="2026-01-02T03:04:05.000Z", cwd=cwd)


def message(entry_id: str, parent: str | None, text: str, timestamp: int = 1_767_323_045_000) -> str:
    return line(
        type="message",
        id=entry_id,
        parentId=parent,
        timestamp="2026-01-02T03:04:05.000Z",
        message={"role": "user", "content": text, "timestamp": timestamp},
    )


def line(**fields: object) -> str:
    return json.dumps(fields) + "\n"


def session(text: str = "hello", session_id: str = "s1", cwd: str = "/work/app", messages: int = 1) -> str:
    """A pi session: a chain of user messages. The first one has the text `text`."""
    lines = [header(session_id, cwd)]
    for number in range(messages):
        parent = f"e{number - 1}" if number else None
        lines.append(message(f"e{number}", parent, text if not number else f"message {number}"))
    return "".join(lines)


def write(path: Path, content: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def append(path: Path, content: str) -> None:
    with open(path, "a", encoding="utf-8") as file:
        file.write(content)


def fill(root: Path, count: int, folders: int = 10) -> list[Path]:
    """Write `count` sessions in `folders` folders, each with a newer time than the one before."""
    paths = []
    for number in range(count):
        path = root / f"--project-{number % folders}--" / f"session-{number}.jsonl"
        write(path, session(f"prompt {number}", f"id-{number}", f"/work/p{number % folders}"))
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
        paths.append(path)
    return paths


def fresh(store: Store, folder: Path) -> list[tuple[object, ...]]:
    """Scan with an empty catalog, and return the facts of the rows and problem files. `grew_ms` is left out,
    because only a running index knows it.
    """
    index = Index([store], str(folder))
    index.scan()
    return facts(index.rows(full=True)) + facts(index.problem_files())


def facts(rows: list[Row]) -> list[tuple[object, ...]]:
    """The values of the rows, without `grew_ms`, sorted by path."""
    comparable = []
    for row in rows:
        row.grew_ms = None
        comparable.append(row.values())
    return sorted(comparable, key=lambda values: str(values[0]))


class Listener:
    """Follows an index in its own thread and keeps the rows as a screen does."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.rows = {row.path: row for row in index.rows()}
        self.deltas: list[Delta] = []
        self.error: BaseException | None = None
        self.stop = threading.Event()
        self.told = threading.Condition()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self) -> Listener:
        self.thread.start()
        # Index.watch scans, starts the watch and walks. After the walk no earlier change can be missed.
        self.until(lambda: self.index.counts.walks >= 2)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        if self.error:
            raise self.error

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds. AssertionError if it does not hold in time."""
        with self.told:
            for _ in range(int(PATIENCE * 100)):
                if self.error:
                    raise self.error
                if condition():
                    return
                self.told.wait(0.01)
        raise AssertionError("it did not happen")

    def titles(self) -> dict[str, str]:
        """File name -> title."""
        return {os.path.basename(path): row.title for path, row in self.rows.copy().items()}

    def run(self) -> None:
        try:
            self.index.watch(self.changed, self.stop)
        except BaseException as error:
            self.error = error

    def changed(self, delta: Delta) -> None:
        with self.told:
            self.deltas.append(delta)
            for path in delta.removed:
                self.rows.pop(path, None)
            for row in delta.changed:
                self.rows[row.path] = row
            self.told.notify_all()


def titles(facts_of_rows: list[tuple[object, ...]]) -> list[tuple[str, tuple[object, ...]]]:
    """Path -> all values of listed rows but the first message, which deltas do not carry."""
    return [
        (str(values[0]), (*values[:FIRST_MESSAGE], *values[FIRST_MESSAGE + 1 :]))
        for values in facts_of_rows
        if values[REFUSED] is None
    ]


def shown(listener: Listener) -> dict[str, tuple[object, ...]]:
    rows = []
    for row in listener.rows.copy().values():
        values = list(row.values())
        values[GREW_MS] = None
        rows.append(tuple(values))
    return dict(titles(rows))
