"""A store of a few sessions, its index, and searches in it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from leafmark import Index

from tests.factory import NOW, header, message, stamp
from tests.index.helpers import pi_store

if TYPE_CHECKING:
    from pathlib import Path

    from leafmark import Hit

    from app.index import Page
    from app.index.search import SearchEngine, SearchRun


class World:
    """Sessions in a store, and their index. `s1` is older than `s2`, and so on."""

    def __init__(self, folder: Path, home: str = "") -> None:
        self.home = home
        self.root = folder / "store"
        self.cache = folder / "cache"
        self.root.mkdir(parents=True)
        self.count = 0
        self.index = self.open()

    def open(self) -> Index:
        return Index([pi_store(self.root)], str(self.cache), lambda: NOW, home=self.home)

    def session(self, id: str, *texts: str | dict[str, Any], cwd: str = "/work/app") -> Path:
        """Write a session. The texts are messages of user and assistant in turn; dicts are entries."""
        lines: list[dict[str, Any]] = [header(id, cwd)]
        self.count += 1
        for position, text in enumerate(texts):
            parent = f"{id}-{position - 1}" if position else None
            if isinstance(text, dict):
                lines.append(
                    {"id": f"{id}-{position}", "parentId": parent, "timestamp": stamp(position), **text}
                )
            else:
                role = "assistant" if position % 2 else "user"
                lines.append(message(f"{id}-{position}", parent, role, text, self.count * 10 + position))
        path = self.path(id)
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        return path

    def append(self, id: str, text: str, seconds: float = 500) -> None:
        """Append a prompt."""
        line = message(f"{id}-more-{text[:3]}", f"{id}-0", "user", text, seconds)
        with open(self.path(id), "a") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def path(self, id: str) -> Path:
        return self.root / f"{id}.jsonl"

    def scan(self) -> None:
        self.index.scan()

    def search(self, text: str, **options: Any) -> SearchRun:
        return self.index.query(text, **options)

    def pages(self, text: str, **options: Any) -> list[Page]:
        pages = list(self.search(text, **options))
        assert pages[-1].done
        assert not any(page.done for page in pages[:-1])
        return pages

    def hits(self, text: str, **options: Any) -> list[Hit]:
        return [hit for page in self.pages(text, **options) for hit in page.hits]

    def ids(self, text: str, **options: Any) -> list[str]:
        """The ids of the sessions with a hit, in order."""
        return [hit.row.id for hit in self.hits(text, **options)]

    def one(self, text: str, **options: Any) -> Hit:
        (hit,) = self.hits(text, **options)
        return hit

    def segments(self) -> list[str]:
        folder = self.index.catalog.text_folder
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".folded")]


def marked(hit: Hit) -> list[str]:
    """The marked parts of the snippet."""
    return [hit.snippet[start:end] for start, end in hit.ranges]


def texts_searched(world: World, text: str) -> int:
    """The number of session texts that a search looks at."""
    search = world.search(text)
    list(search)
    return search.texts_searched


def searcher(index: Index) -> SearchEngine:
    """The search engine of an index."""
    return index._engine
