"""Real sessions of Claude Code and Codex, in the folder that LEAFMARK_REAL names.

They are public, and no part of this repository: `claude/projects` holds test/fixtures/transcripts of
marot/spotter as one project, and `codex/sessions/2026/02/23` the rollouts of madshn/localpush, without texts.
The numbers were found by reading the files with `json` and counting, not with this program.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest
from leafmark import Index, Store

from app.formats import iso
from app.index.query import parse
from app.index.search import SearchEngine
from app.sessions import open_tree
from app.sessions.summaries import problems
from app.stores import named
from tests.search.ground import hits_of

FOLDER = Path(os.environ.get("LEAFMARK_REAL", "/nonexistent"))
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not (FOLDER / "claude").is_dir(), reason="LEAFMARK_REAL names no folder of real sessions"
    ),
]
NOW_MS = 1_795_000_000_000
SPOTTER = "Work on bead spotter-{0}. Run bd show spotter-{0} to see the issue details"


class Known(NamedTuple):
    """What reading the file tells. `tokens` are input, output, cache read and cache write."""

    title: str
    entries: int
    messages: int
    tokens: tuple[int, int, int, int]
    leaf: str
    created: str


CLAUDE = {
    "258c7280": Known(
        "Implement spotter-gqc", 496, 490, (180, 38899, 14771617, 349474), "e48bcdbd", "02-11T20:31:53"
    ),
    "4d5611e5": Known(
        SPOTTER.format("dov"), 414, 407, (177, 28755, 11618567, 479537), "efb6d5df", "02-12T16:02:23"
    ),
    "8463c716": Known(
        SPOTTER.format("fum"), 462, 457, (2481, 40320, 15740561, 260451), "56db2309", "02-11T21:41:40"
    ),
    "ae4a77f8": Known(
        SPOTTER.format("4te"), 662, 654, (242, 49467, 16553628, 237121), "5cafd95d", "02-12T14:11:56"
    ),
    "fa812bfe": Known(
        SPOTTER.format("a0y"), 521, 514, (1502, 36256, 15373675, 260212), "16af1a30", "02-12T15:36:08"
    ),
    "short": Known(
        "mix phx.server doesnt seem to", 11, 9, (3, 13, 11515, 13835), "40003bdd", "02-10T21:11:52"
    ),
    "subagent": Known("create the beads", 49, 47, (1576, 1586, 427286, 25842), "ee1ff9df", "02-10T21:54:15"),
    "tool_heavy": Known(
        "start phoenix in background", 24, 21, (54, 212, 88231, 17696), "29e6224a", "02-10T22:57:51"
    ),
}
CODEX = {
    # id: items that are shown, those that Codex wrote for itself, and the last sums of tokens
    "019c8a4c": (10 + 59 + 43 + 105 + 104, 10, (7204025 - 6836352, 36075, 6836352, 0)),
    "019c8a4d": (3 + 26 + 17 + 118 + 118, 4, (1751428 - 1651968, 14600, 1651968, 0)),
    "019c8a53": (13 + 71 + 52 + 144 + 143, 15, (6740973 - 6337024, 36950, 6337024, 0)),
    "019c8a59": (46 + 199 + 255 + 372 + 365, 45 + 1, (33810485 - 31621504, 133999, 31621504, 0)),
    "019c8a70": (4 + 1 + 1 + 1 + 0, 4, (34469 - 3456, 431, 3456, 0)),
    "019c8bfe": (3 + 6 + 6 + 5 + 5, 4, (298373 - 238848, 1123, 238848, 0)),
}


def _stores() -> list[Store]:
    folders = [("claude", str(FOLDER / "claude" / "projects")), ("codex", str(FOLDER / "codex" / "sessions"))]
    return named(folders, {}, "/nonexistent", "/")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    found = Index(_stores(), str(tmp_path_factory.mktemp("cache")))
    found.scan()
    return found


def test_sessions_of_claude_code(index: Index) -> None:
    rows = {row.id.partition("-")[0]: row for row in index.rows(full=True) if row.agent == "claude"}
    assert rows.keys() == CLAUDE.keys()
    for name, known in CLAUDE.items():
        row = rows[name]
        assert row.title.startswith(known.title)
        assert (row.entry_count, row.message_count, row.tokens) == (
            known.entries,
            known.messages,
            known.tokens,
        )
        assert (row.leaf_id or "").startswith(known.leaf)
        assert iso(row.created or 0)[5:19] == known.created
        assert row.models[0] == "claude-opus-4-6"
        assert problems(row.path, ("claude",)) == []
        tree = open_tree(row.path, ("claude",))
        # Without the order of parallel calls, the first of them would have 19 branches.
        assert (len(tree.roots), row.branch_count) == (1, 1)
        assert len(tree.active_path()) == known.entries


def test_sessions_of_codex(index: Index) -> None:
    rows = {row.id[:8]: row for row in index.rows(full=True) if row.agent == "codex"}
    assert rows.keys() == CODEX.keys()
    for name, (messages, others, tokens) in CODEX.items():
        row = rows[name]
        assert (row.message_count, row.entry_count - row.message_count) == (messages, others)
        assert row.tokens == tokens
        assert row.models == ("openai/gpt-5.3-codex",)
        assert problems(row.path, ("codex",)) == []
        assert len(open_tree(row.path, ("codex",)).active_path()) == row.entry_count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"mix phx.server doesnt seem"', {"short"}),
        ("role:summary spotter-gqc.1", {"258c7280"}),
        ("agent:codex role:assistant len=1281", {"019c8a59"}),
    ],
)
def test_searches(index: Index, text: str, found: set[str]) -> None:
    searcher = SearchEngine(index.catalog, _stores())
    searcher.load()
    hits, _ = hits_of(searcher.search(parse(text, NOW_MS)))
    ids = {row.path: row.id.partition("-")[0] for row in index.rows()}
    assert {ids[hit.path] for hit in hits} == found
