"""The list counts the hits of a session that its tree finds, for many queries on the example sessions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leafmark import Index

from app.demo import write_demo
from app.sessions import TreeText, open_tree
from app.stores import discover
from tests.factory import NOW

if TYPE_CHECKING:
    from pathlib import Path

TOGETHER = ("redis later", "later redis", "cache redis", "token early", "use redis", "try cache", "the tests")


def found_in(texts: TreeText, words: list[str]) -> set[int]:
    """The entries with all of the words; if there is none, those with one of them."""

    def with_all(some: list[str]) -> set[int]:
        return {node.index for number in texts.blocks() for node in texts.find(number, some, lambda: True)}

    return with_all(words) or set().union(*(with_all([word]) for word in words))


def test_the_list_counts_the_hits_that_the_tree_finds(tmp_path: Path) -> None:
    write_demo(str(tmp_path), NOW)
    home = str(tmp_path / "home")
    index = Index(discover({"HOME": home}, home, "/"), str(tmp_path / "cache"), home=home)
    index.scan()
    texts: dict[str, TreeText] = {}
    words: set[str] = set()
    labels: set[str] = set()
    for row in index.rows(full=True):
        tree = open_tree(row.path, (row.agent,))
        texts[row.path] = TreeText(tree, roles=False, tools=False)
        words.update(re.findall(r"[a-z]{3,}", f"{row.title} {row.first_message} {row.last_prompt}".lower()))
        labels.update(word for _, label in row.labels for word in label.lower().split())
    compared = in_labels = 0
    for query in (*sorted(words)[::3], *sorted(labels), *TOGETHER):
        for page in index.query(query):
            for hit in page.hits:
                if hit.near or hit.missing or hit.tier == "tools":
                    continue
                expected = len(found_in(texts[hit.path], query.split()))
                assert hit.count(1000) == expected, (query, hit.row.title)
                compared += 1
                in_labels += hit.where == "label"
    assert compared > 100
    assert in_labels > 5
    index.close()
