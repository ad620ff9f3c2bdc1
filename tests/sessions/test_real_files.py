"""Real files of real agents, where their folder lies beside the repository.

The numbers were found by reading the files with `json` and a few lines of counting, and those of contexts
by running the agents, not with this program.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from leafmark import SessionManager

from app.formats import BadLine, decode, text_pieces
from app.formats.entry_parts import entry_parts
from app.formats.text_kinds import CONVERSATION
from app.formats.utf8_text import fold, to_utf8
from app.reports.tree import draw
from app.sessions import open_tree, summarise
from app.sessions.passages import unpack
from app.sessions.summaries import problems
from app.sessions.tree.row_loader import UNREADABLE_ROW

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "real"
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="the folder of real files is not beside the repository"
)


class Known(NamedTuple):
    file: str
    agent: str
    version: int
    entries: int
    messages: int
    leaves: int
    leaf: str | None
    leaf_line: int
    roots: list[str]
    active: int
    created: int
    modified: int
    tokens: tuple[int, int, int, int]
    cost: float
    models: tuple[str, ...]
    first_length: int
    title_length: int
    bad_lines: list[int]
    pieces: int
    errors: int


KNOWN = [
    Known(
        file="pi-v1-large.jsonl",
        agent="pi",
        version=1,
        entries=1018,
        messages=914,
        leaves=1,
        leaf=None,
        leaf_line=1019,
        roots=["00000000"],
        active=1018,
        created=1_763_681_630_805,
        modified=1_763_691_237_236,
        tokens=(1049, 83156, 43229469, 4296232),
        cost=30.3301977,
        models=("openai/gpt-5.1-codex", "anthropic/claude-sonnet-4-5"),
        first_length=5,
        title_length=221,
        bad_lines=[],
        pieces=333,
        errors=22,
    ),
    Known(
        file="pi-v3-branched.jsonl",
        agent="pi",
        version=3,
        entries=585,
        messages=536,
        leaves=2,
        leaf="3d486d24",
        leaf_line=587,
        # The parent of the second one is on the line that does not parse.
        roots=["34ca64ad", "04939082"],
        active=556,
        created=1_783_954_038_506,
        modified=1_784_031_202_524,
        tokens=(1389949, 193601, 54076160, 0),
        cost=0.0,
        models=("zai/glm-5.2",),
        first_length=2,
        title_length=15,
        bad_lines=[31],
        pieces=399,
        errors=0,
    ),
    Known(
        file="pi-v3-small.jsonl",
        agent="pi",
        version=3,
        entries=12,
        messages=8,
        leaves=1,
        leaf="5ab06e20",
        leaf_line=13,
        roots=["ac535f38"],
        active=12,
        created=1_783_845_053_415,
        modified=1_783_845_483_973,
        tokens=(1890, 46, 3072, 0),
        cost=0.012366,
        models=("anthropic/claude-opus-4-7", "openai-codex/gpt-5.5"),
        first_length=4,
        title_length=4,
        bad_lines=[],
        pieces=7,
        errors=1,
    ),
    Known(
        file="omp-short-title-line.jsonl",
        agent="omp",
        version=3,
        entries=12,
        messages=6,
        leaves=1,
        leaf="ee4a017a",
        leaf_line=14,
        roots=["8b8f6238"],
        active=12,
        created=1_787_318_974_583,
        modified=1_787_318_981_041,
        tokens=(8265, 160, 40192, 0),
        cost=0.066221,
        models=("openai-codex/gpt-5.6-sol",),
        first_length=76,
        title_length=76,
        bad_lines=[1],
        pieces=4,
        errors=0,
    ),
]


@pytest.fixture(params=KNOWN, ids=lambda known: known.file)
def known(request: pytest.FixtureRequest) -> Known:
    assert isinstance(request.param, Known)
    return request.param


def test_the_row_of_a_real_file(known: Known) -> None:
    row = summarise(str(FOLDER / known.file), (known.agent,), 0).summary
    assert row is not None
    assert (row.agent, row.name, row.labels, row.torn) == (known.agent, None, (), False)
    assert (row.entry_count, row.message_count, row.leaf_count) == (
        known.entries,
        known.messages,
        known.leaves,
    )
    assert (row.leaf_id, row.created, row.modified) == (known.leaf, known.created, known.modified)
    assert (row.tokens, row.models) == (known.tokens, known.models)
    assert row.cost == pytest.approx(known.cost, abs=1e-9)
    assert len(row.first_message) == known.first_length
    assert (len(row.title), row.title_source, row.ending) == (known.title_length, "prompt", "done")
    assert row.problems == len(known.bad_lines)


def test_the_tree_of_a_real_file(known: Known) -> None:
    tree = open_tree(str(FOLDER / known.file))
    assert (tree.header.agent, tree.header.version) == (known.agent, known.version)
    assert len(tree.entries) == known.entries
    assert [node.id for node in tree.roots] == known.roots
    assert [node.id for node in tree.roots if node.orphan] == known.roots[1:]
    assert tree.leaf is not None
    assert (tree.leaf.line, known.leaf or tree.leaf.id) == (known.leaf_line, tree.leaf.id)
    assert len(tree.active_path()) == known.active
    assert tree.labels == {}
    assert tree.name is None
    assert [problem.line for problem in tree.problems] == known.bad_lines


def test_every_entry_has_a_row_and_a_body(known: Known) -> None:
    tree = open_tree(str(FOLDER / known.file))
    tree.read_rows(tree.entries)
    for node in tree.entries:
        row = node.row_text
        assert row is not None
        assert row != UNREADABLE_ROW
        assert row.prefix or row.text
        body = tree.read(node)
        assert body["id"] == node.id
        assert entry_parts(body)


def test_the_text_of_a_real_file(known: Known) -> None:
    path = FOLDER / known.file
    outcome = summarise(str(path), (known.agent,), 0)
    heard = [*unpack(outcome.text.folded)]
    said = []
    offset = 0
    for line in path.read_bytes().split(b"\n"):
        try:
            entry = decode(line)
        except BadLine:
            entry = {}
        for kind, text, _ in text_pieces(entry):
            if kind in CONVERSATION:
                said.append((kind, offset, to_utf8(fold(text))))
        offset += len(line) + 1
    assert sorted(heard) == sorted(said)
    assert (len(heard), outcome.summary and outcome.summary.errors) == (known.pieces, known.errors)


@pytest.mark.parametrize(
    ("file", "pi_count", "omp_count"),
    [
        ("pi-v1-large.jsonl", 914, 892),
        ("pi-v3-small.jsonl", 8, 7),
        ("omp-short-title-line.jsonl", 6, 6),
    ],
)
def test_each_agent_builds_a_context_of_its_own(
    tmp_path: Path, file: str, pi_count: int, omp_count: int
) -> None:
    """The real pi 0.87.1 and oh-my-pi 18.2.3 gave the numbers of two files. Neither opens the third."""
    counts = []
    for home in (".pi", ".omp"):
        path = tmp_path / home / "agent" / "sessions" / "-work" / file
        path.parent.mkdir(parents=True)
        shutil.copyfile(FOLDER / file, path)
        manager = SessionManager.open(str(path), env={"HOME": str(tmp_path)})
        counts.append(len(manager.build_session_context().messages))
    assert counts == [pi_count, omp_count]


def test_the_problems_of_a_real_file(known: Known) -> None:
    assert [problem.line for problem in problems(str(FOLDER / known.file))] == known.bad_lines


def test_the_title_line_of_72_bytes_is_read_and_must_not_be_overwritten() -> None:
    header = open_tree(str(FOLDER / "omp-short-title-line.jsonl"), ("omp",)).header
    assert (header.title_slot, header.slot_writable, header.line, header.offset) == (True, False, 2, 73)
    assert header.name is None


def test_the_image_is_shown_by_its_size() -> None:
    tree = open_tree(str(FOLDER / "pi-v3-branched.jsonl"))
    images = [part for node in tree.entries for part in entry_parts(tree.read(node)) if part.kind == "image"]
    assert len(images) == 1
    assert images[0].text.startswith("image/")
    assert len(images[0].text) < 100


def test_every_root_after_the_first_is_announced() -> None:
    tree = open_tree(str(FOLDER / "pi-v3-branched.jsonl"))
    _, *rows = draw(tree, "/home/me", 120, ascii_only=True)
    # The parent of the first is on the line that does not parse. The second is hidden, as is the message of
    # an extension below it: the first prompt says it.
    begin = [row for row in rows if row[12:16] in ("= - ", "= > ")]
    assert [row.endswith("! its parent is not in the file") for row in begin] == [True, False]
    assert begin[1][10:].startswith("  = > ")
    assert begin[1].endswith(" (another root)")
