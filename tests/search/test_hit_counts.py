"""The hits of a session that the list counts, compared with those of a plain reader of the files."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from leafmark import Index

from app.demo import write_demo
from app.stores import discover
from tests.factory import NOW

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOGETHER = ("redis later", "later redis", "cache redis", "token early", "use redis", "try cache", "the tests")
SAID = ("text", "thinking", "summary")


def said(line: dict[str, Any]) -> Iterator[str]:
    """The texts of the conversation in a line of pi or oh-my-pi."""
    message = line.get("message") or {}
    for value in (line.get("summary"), line.get("content"), message.get("summary"), message.get("content")):
        if isinstance(value, str) and message.get("role") != "toolResult":
            yield value
        for block in value if isinstance(value, list) and message.get("role") != "toolResult" else ():
            yield from (block[name] for name in SAID if isinstance(block.get(name), str))


def places_in(path: str) -> dict[int, str]:
    """The text of the conversation in each line of a session, by its offset."""
    found, offset = {}, 0
    with open(path, "rb") as file:
        for raw in file:
            line = json.loads(raw) if raw.strip().endswith(b"}") else {}
            kind = line.get("type")
            if kind in ("message", "compaction", "branch_summary", "custom_message"):
                found[offset] = "\n".join(said(line)).casefold()
            offset += len(raw)
    return found


def test_the_list_counts_the_lines_with_all_words_or_with_any(tmp_path: Path) -> None:
    write_demo(str(tmp_path), NOW)
    home = str(tmp_path / "home")
    index = Index(discover({"HOME": home}, home, "/"), str(tmp_path / "cache"), home=home)
    index.scan()
    texts: dict[str, dict[int, str]] = {}
    words: set[str] = set()
    for row in index.rows(full=True):
        if row.agent in ("pi", "omp") and not row.labels:
            texts[row.path] = places_in(row.path)
            shown = f"{row.title} {row.first_message} {row.last_prompt}"
            words.update(re.findall(r"[a-z]{3,}", shown.lower()))
    compared = 0
    for query in (*sorted(words)[::3], *TOGETHER):
        for page in index.query(query):
            for hit in page.hits:
                if hit.near or hit.missing or hit.tier in ("tools", "files") or hit.path not in texts:
                    continue
                asked = query.split()
                lines = texts[hit.path].items()
                full = [at for at, text in lines if all(word in text for word in asked)]
                some = [at for at, text in lines if any(word in text for word in asked)]
                assert list(hit.offsets(1000)) == sorted(full or some), (query, hit.row.title)
                assert hit.count(1000) == len(full or some)
                compared += 1
    assert compared > 25
    index.close()
