"""A store of a few sessions, its index, and searches in it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from app.index.index import Index
from tests.factory import NOW, header, message, stamp
from tests.index.helpers import pi_store

if TYPE_CHECKING:
    from pathlib import Path

    from app.index.search.engine import SearchEngine
    from app.index.search.results import Hit, Page
    from app.index.search.search_run import SearchRun


class World:
    """Sessions in a store, and their index. `s1` is older than `s2`, and so on."""

    def __init__(self, folder: Path, home: str = "") -> None:
        self.home = home
        self.root = folder / "store"
        self.cache = folder / "cache"
        self.root.mkdir(parents=True)
        self._count = 0
        self.index = self.open()

    def open(self) -> Index:
        return Index([pi_store(self.root)], str(self.cache), lambda: NOW, home=self.home)

    def session(self, id: str, *texts: str | dict[str, Any], cwd: str = "/work/app") -> Path:
        """Write a session. Texts are said by the user and the assistant in turn; dicts are entries."""
        lines: list[dict[str, Any]] = [header(id, cwd)]
        self._count += 1
        for at, text in enumerate(texts):
            parent = f"{id}-{at - 1}" if at else None
            if isinstance(text, dict):
                lines.append({"id": f"{id}-{at}", "parentId": parent, "timestamp": stamp(at), **text})
            else:
                role = "assistant" if at % 2 else "user"
                lines.append(message(f"{id}-{at}", parent, role, text, self._count * 10 + at))
        path = self.path(id)
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
        return path

    def append(self, id: str, text: str, at: float = 500) -> None:
        """Append a prompt."""
        line = message(f"{id}-more-{text[:3]}", f"{id}-0", "user", text, at)
        with open(self.path(id), "a") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def path(self, id: str) -> Path:
        return self.root / f"{id}.jsonl"

    def scan(self) -> None:
        self.index.scan(lambda delta: None)

    def search(self, text: str, **how: Any) -> SearchRun:
        return self.index.query(text, **how)

    def pages(self, text: str, **how: Any) -> list[Page]:
        pages = list(self.search(text, **how))
        assert pages[-1].done
        assert not any(page.done for page in pages[:-1])
        return pages

    def hits(self, text: str, **how: Any) -> list[Hit]:
        return [hit for page in self.pages(text, **how) for hit in page.hits]

    def ids(self, text: str, **how: Any) -> list[str]:
        """The ids of the sessions that are found, in order."""
        return [hit.row.id for hit in self.hits(text, **how)]

    def one(self, text: str, **how: Any) -> Hit:
        (hit,) = self.hits(text, **how)
        return hit

    def segments(self) -> list[str]:
        folder = self.index.catalog.text_folder
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".seg")]


def marked(hit: Hit) -> list[str]:
    """The marked parts of the snippet."""
    return [hit.snippet[start:end] for start, end in hit.ranges]


def looked(world: World, text: str) -> int:
    """How often the texts of a session are searched for a term."""
    asked = world.search(text)
    list(asked)
    return asked.texts_searched


def searcher(index: Index) -> SearchEngine:
    """The search engine of an index."""
    return index._engine
