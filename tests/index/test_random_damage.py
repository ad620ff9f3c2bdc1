"""200 random damages of a cache: each search is complete, or a sentence says what is missing.

SQLite keeps no checksums: if the damage only changes values in a row of the catalog, the session has another
id or time, or is not listed. Such a search must still find no text that is in no session.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from leafmark import Index

from app.index.row import catalog_in
from tests.factory import NOW
from tests.index.helpers import pi_store
from tests.index.search.helpers import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DAMAGES = 200
GROUP = 20
QUERIES = ("needle", "Needle", "THE", "straße", "Straße", '"and On"', "re:[A-Z]{3}_[0-9]", "-needle", "İ")
TEXTS = (
    "Needle",
    "needle and On",
    "THE the GET_7",
    "Straße",
    "STRASSE ẞ",
    "İstanbul ﬁn",
    "µs ΟΔΟΣ οδος",
    "x",
)

Answer = dict[str, list[tuple[str, str]]]
"""Query -> (session, snippet) of each hit."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    world = World(tmp_path_factory.mktemp("damage"))
    choice = random.Random(0)
    for number in range(12):
        texts = [
            " ".join(choice.choices(TEXTS, k=choice.randint(1, 30))) for _ in range(choice.randint(1, 9))
        ]
        world.session(f"s{number:02}", *texts)
    world.scan()
    # A second segment, and a session with texts in both.
    world.index.close()
    world.index = world.open()
    world.append("s03", "Needle and On")
    world.scan()
    world.index.close()
    return world


def answer(index: Index, queries: Iterable[str] = QUERIES) -> tuple[Answer, list[str]]:
    """What a program sees that scans and searches, and the sentences that it is told."""
    index.scan()
    hits: Answer = {}
    sentences = []
    for query in queries:
        hits[query] = []
        for page in index.query(query, alone=True):
            hits[query] += [(hit.row.id, hit.snippet) for hit in page.hits]
            sentences += [note.message for note in page.notes if page.done]
    if index.note:
        sentences.append(index.note)
    return hits, sentences


def flip_bits(path: Path, choice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(choice.randint(1, 8)):
        data[choice.randrange(len(data))] ^= 1 << choice.randrange(8)
    path.write_bytes(data)


def zero_a_part(path: Path, choice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start = choice.randrange(len(data))
    end = choice.choice([len(data), choice.randint(start, len(data))])
    data[start:end] = bytes(end - start)
    path.write_bytes(data)


def overwrite_a_part(path: Path, choice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    start, other = choice.randrange(len(data)), choice.randrange(len(data))
    length = choice.randint(1, min(len(data) - max(start, other), 4096))
    data[start : start + length] = data[other : other + length]
    path.write_bytes(data)


def truncate(path: Path, choice: random.Random) -> None:
    os.truncate(path, choice.randrange(path.stat().st_size))


def append_garbage(path: Path, choice: random.Random) -> None:
    with open(path, "ab") as file:
        file.write(choice.randbytes(choice.randint(1, 5000)))


def delete(path: Path, choice: random.Random) -> None:
    path.unlink()


def swap_with_another(path: Path, choice: random.Random) -> None:
    other = choice.choice(sorted(path.parent.glob("*.*")))
    first, second = path.read_bytes(), other.read_bytes()
    path.write_bytes(second)
    other.write_bytes(first)


DAMAGE: list[Callable[[Path, random.Random], None]] = [
    flip_bits,
    zero_a_part,
    overwrite_a_part,
    truncate,
    append_garbage,
    delete,
    swap_with_another,
]


# Two groups have damages of each kind; all of them take ten seconds.
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=[pytest.mark.slow] if first >= 2 * GROUP else [])
        for first in range(0, DAMAGES, GROUP)
    ],
)
def test_a_damaged_cache_gives_a_complete_answer_or_a_sentence(
    world: World, tmp_path: Path, first: int
) -> None:
    shutil.copytree(world.cache, tmp_path / "whole")
    index = index_with(world, tmp_path / "whole")
    expected = answer(index)
    index.close()
    for seed in range(first, first + GROUP):
        choice = random.Random(seed)
        cache = tmp_path / str(seed)
        shutil.copytree(world.cache, cache)
        damage = choice.choice(DAMAGE)
        path = choice.choice(sorted(path for path in cache.rglob("*.*") if path.is_file()))
        damage(path, choice)
        described = f"seed {seed}: {damage.__name__} in {path.name}"
        is_unnoticed = changes_values(world.cache, cache)
        index = index_with(world, cache)
        hits, sentences = answer(index)
        index.close()
        is_complete = has_no_other_texts if is_unnoticed else dict.__eq__
        assert is_complete(hits, expected[0]) or set(sentences) - set(expected[1]), described
        # The next program finds a cache that is mended.
        index = index_with(world, cache)
        hits, sentences = answer(index)
        index.close()
        assert is_complete(hits, expected[0]), described
        assert sentences == expected[1], described


def changes_values(whole: Path, damaged: Path) -> bool:
    """Whether SQLite reads all rows of a damaged catalog, but with other values."""
    try:
        return sessions_in(damaged) != sessions_in(whole)
    except (sqlite3.Error, UnicodeDecodeError):
        return False


def sessions_in(cache: Path) -> list[tuple[object, ...]]:
    """What SQLite reads in the catalog's table of sessions, without a change to the file."""
    address = Path(catalog_in(str(cache))).as_uri() + "?immutable=1"
    with closing(sqlite3.connect(address, uri=True)) as connection:
        return connection.execute("SELECT * FROM sessions NOT INDEXED").fetchall()


def has_no_other_texts(hits: Answer, expected: Answer) -> bool:
    return all(
        {snippet for _, snippet in hits[query]} <= {snippet for _, snippet in expected[query]}
        for query in expected
    )


def index_with(world: World, cache: Path) -> Index:
    """The index of the same sessions with another cache."""
    return Index([pi_store(world.root)], str(cache), lambda: NOW)
