"""Public sessions of Claude Code and Codex, in the folder that LEAFMARK_PUBLIC names.
`tests/public_files.py` fills it.

The expectations are not leafmark's: the files were read with `json` and a few lines for each of the rules in
formats/README.md, and the prompts were looked at. Texts and folders of other people are not repeated here; a
digest of their letters is.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.formats import iso
from app.sessions import SessionTree, open_tree, summarise
from app.sessions.summaries import read_figures
from tests.public_files import SOURCES, path_of

FOLDER = Path(os.environ.get("LEAFMARK_PUBLIC", "/nonexistent"))
pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not FOLDER.is_dir(),
        reason="LEAFMARK_PUBLIC names no folder; `python -m tests.public_files FOLDER [CLONES]` fills one",
    ),
]


class Known(NamedTuple):
    """What reading a file tells.

    title       the digest of the first 20 letters of the title
    prompts     the texts that a person typed for the model; `first` and `last` are the digests of two
    answers     lines of Claude Code with one `message.id` are one; of Codex, each message of the model
    messages    entries of type message: prompts, each line of an answer, results, shell commands, and the
                ends of turns
    tokens      input, output, cache read, cache write
    ends        turns that the user ended
    folder      the digest of the folder
    """

    title: str
    prompts: int
    first: str
    last: str
    answers: int
    messages: int
    tokens: tuple[int, int, int, int]
    created: str
    modified: str
    ends: int
    compactions: int
    folder: str


CLAUDE = {
    # 2.0.71
    "dab5506f": Known(
        "308fb794",
        0,
        "",
        "",
        0,
        0,
        (0, 0, 0, 0),
        "2025-12-17T02:00:12.077Z",
        "2025-12-17T02:00:12.077Z",
        0,
        0,
        "25aad4df",
    ),
    # 2.0.74
    "1b3e6441": Known(
        "37019751",
        1,
        "7ae9e0bd",
        "7ae9e0bd",
        2,
        6,
        (18, 16, 34788, 35030),
        "2026-01-19T03:15:09.400Z",
        "2026-01-19T03:15:25.841Z",
        0,
        0,
        "9beecfae",
    ),
    # 2.1.12
    "25cbbb93": Known(
        "1dd11803",
        7,
        "2c071286",
        "e7d374e4",
        63,
        217,
        (518, 181, 4956533, 449634),
        "2026-01-27T02:30:21.505Z",
        "2026-01-27T03:42:11.891Z",
        0,
        0,
        "f42b49aa",
    ),
    # 2.1.12
    "8b418ea5": Known(
        "6e12add0",
        5,
        "8431c241",
        "c259733b",
        22,
        95,
        (620, 89, 909116, 103404),
        "2026-01-19T02:24:46.503Z",
        "2026-01-19T02:45:25.395Z",
        1,
        0,
        "9beecfae",
    ),
    # 2.1.20
    "907ec809": Known(
        "f6c4c99b",
        12,
        "64d8da19",
        "0b712276",
        107,
        456,
        (906, 283, 10591139, 368848),
        "2026-01-27T23:13:36.582Z",
        "2026-01-29T01:32:51.436Z",
        1,
        1,
        "b49b437f",
    ),
    # 2.1.29
    "1ecba475": Known(
        "3159fbc3",
        3,
        "3159fbc3",
        "1cb3d164",
        8,
        31,
        (68, 18, 336667, 52350),
        "2026-02-03T00:25:07.081Z",
        "2026-02-03T00:28:45.969Z",
        1,
        0,
        "41d597d6",
    ),
    # 2.1.36
    "ba388053": Known(
        "aa270ddb",
        3,
        "fee5f571",
        "d107ea36",
        50,
        216,
        (58, 2413, 4251079, 342346),
        "2026-02-08T05:29:05.461Z",
        "2026-02-08T05:49:26.990Z",
        0,
        1,
        "f0c8ea0c",
    ),
    # 2.1.39
    "8dbf99fc": Known(
        "5aac3eda",
        1,
        "8424689d",
        "8424689d",
        6,
        16,
        (9, 915, 239368, 15396),
        "2026-02-13T00:22:52.978Z",
        "2026-02-13T00:48:42.517Z",
        0,
        0,
        "019eab40",
    ),
    # 2.1.42
    "e895bc3d": Known(
        "f7b3a2e6",
        4,
        "805a6165",
        "f593fb83",
        35,
        117,
        (53, 2572, 1689640, 27763),
        "2026-02-16T15:20:13.637Z",
        "2026-02-16T15:33:41.875Z",
        6,
        0,
        "019eab40",
    ),
    # 2.1.42
    "24c1ea04": Known(
        "05f1aedd",
        7,
        "472e8c80",
        "47d60b3a",
        139,
        472,
        (2726, 18250, 12612262, 188874),
        "2026-02-14T04:23:53.644Z",
        "2026-02-14T05:29:45.068Z",
        1,
        1,
        "019eab40",
    ),
    # 2.1.45
    "85ec650c": Known(
        "4e601209",
        3,
        "9b1241c8",
        "a3f6c499",
        24,
        76,
        (30, 1045, 1009239, 37678),
        "2026-02-19T10:49:18.756Z",
        "2026-02-19T10:56:35.728Z",
        1,
        0,
        "397e8b24",
    ),
    # 2.1.47
    "5875de05": Known(
        "386c37ec",
        8,
        "c312d589",
        "1aa1783b",
        12,
        54,
        (26, 1478, 573299, 31015),
        "2026-02-20T00:24:52.360Z",
        "2026-02-20T00:45:54.947Z",
        2,
        0,
        "019eab40",
    ),
    # 2.1.49
    "d110ba2f": Known(
        "e9341961",
        13,
        "e9341961",
        "e9341961",
        43,
        114,
        (66, 3754, 3439415, 67701),
        "2026-02-21T02:54:11.688Z",
        "2026-02-21T03:36:01.972Z",
        1,
        0,
        "019eab40",
    ),
    # 2.1.100
    "2dcadb17": Known(
        "d37ffb58",
        3,
        "e45f997b",
        "86e8c4e0",
        7,
        15,
        (16, 647, 131208, 40403),
        "2026-04-10T17:46:07.850Z",
        "2026-04-13T20:21:30.087Z",
        0,
        0,
        "f27a15ed",
    ),
    # 2.1.109
    "9d72a1f7": Known(
        "7c70cd4f",
        1,
        "273525fb",
        "273525fb",
        3,
        9,
        (8, 1431, 65748, 34450),
        "2026-04-15T17:48:00.598Z",
        "2026-04-15T17:49:05.663Z",
        0,
        0,
        "f27a15ed",
    ),
    # 2.1.145
    "9a6e9f2f": Known(
        "5042e279",
        3,
        "6e8faf66",
        "2ce9f6c3",
        23,
        105,
        (78886, 9510, 1138560, 0),
        "2026-05-20T02:40:40.743Z",
        "2026-05-20T04:04:43.363Z",
        0,
        0,
        "796452e4",
    ),
    # 2.1.185
    "e31c844c": Known(
        "db7b15d8",
        1,
        "542da944",
        "542da944",
        3,
        8,
        (12300, 436, 70403, 15393),
        "2026-06-22T18:55:03.855Z",
        "2026-06-22T18:56:22.862Z",
        0,
        0,
        "f27a15ed",
    ),
}
CODEX = {
    # 0.39.0
    "019a6743": Known(
        "bf49db03",
        3,
        "d0e4ff40",
        "6cdd5e2e",
        3,
        266,
        (343107, 79654, 3918080, 0),
        "2025-11-09T06:17:59.640Z",
        "2025-11-09T06:35:24.252Z",
        0,
        0,
        "1aa6c77b",
    ),
    # 0.40.0
    "019985ca": Known(
        "18584c73",
        14,
        "d7b7bba3",
        "8f539f88",
        10,
        89,
        (61978, 10409, 278272, 0),
        "2025-09-26T11:31:04.567Z",
        "2025-09-26T14:04:24.515Z",
        4,
        0,
        "d8c0cc53",
    ),
    # 0.41.0
    "01999467": Known(
        "6d8f258f",
        2,
        "882e3569",
        "d263ebd4",
        2,
        6,
        (1511, 128, 3840, 0),
        "2025-09-29T07:37:08.287Z",
        "2025-09-29T07:39:56.631Z",
        0,
        0,
        "3fa84d40",
    ),
    # 0.47.0
    "0199f75d": Known(
        "1188e356",
        2,
        "6181ade6",
        "46c236b7",
        1,
        38,
        (4153, 1134, 51584, 0),
        "2025-10-18T12:48:16.651Z",
        "2025-10-18T15:45:05.837Z",
        1,
        0,
        "cd95bc5e",
    ),
    # 0.53.0
    "019a39d7": Known(
        "baf60a00",
        2,
        "1be0386b",
        "5be0836b",
        1,
        117,
        (44129, 10901, 622976, 0),
        "2025-10-31T10:36:55.312Z",
        "2025-10-31T10:52:43.405Z",
        1,
        0,
        "01e5e72c",
    ),
    # 0.55.0
    "019a5eb7": Known(
        "9a12626b",
        1,
        "e670abb5",
        "e670abb5",
        1,
        96,
        (45174, 11946, 397184, 0),
        "2025-11-07T14:27:23.262Z",
        "2025-11-07T14:32:18.172Z",
        0,
        0,
        "dfb905d2",
    ),
    # 0.63.0
    "019ac3dd": Known(
        "a43db250",
        4,
        "a43db250",
        "1cbb0236",
        4,
        58,
        (93750, 6378, 68224, 0),
        "2025-11-27T05:51:28.993Z",
        "2025-11-27T06:49:15.004Z",
        0,
        0,
        "3acc2c52",
    ),
    # 0.77.0
    "019b5669": Known(
        "38717d39",
        1,
        "0d3a32ab",
        "0d3a32ab",
        1,
        13,
        (32190, 2193, 40448, 0),
        "2025-12-25T16:48:36.776Z",
        "2025-12-25T16:49:20.247Z",
        0,
        0,
        "a5db5b28",
    ),
    # 0.79.0
    "019ba49c": Known(
        "68d80557",
        2,
        "88c56654",
        "cc08b1d5",
        2,
        89,
        (66414, 14039, 759808, 0),
        "2026-01-09T21:14:25.258Z",
        "2026-01-09T21:21:52.839Z",
        0,
        0,
        "0b944972",
    ),
    # 0.93.0
    "019c1b42": Known(
        "e41413fd",
        21,
        "6c7bd8ba",
        "8114cb2e",
        21,
        279,
        (239696, 36782, 3209984, 0),
        "2026-02-01T22:11:13.446Z",
        "2026-02-01T22:59:50.925Z",
        0,
        0,
        "6ddbf125",
    ),
    # 0.98.0
    "019cd9ee": Known(
        "00a04f9a",
        2,
        "bfeb05c4",
        "e36d4a08",
        2,
        14,
        (2892, 265, 46208, 0),
        "2026-03-10T22:47:20.134Z",
        "2026-03-10T22:49:26.870Z",
        0,
        0,
        "74e84501",
    ),
    # 0.104.0
    "019cd51b": Known(
        "006b366e",
        6,
        "9020780f",
        "9e97c5c2",
        25,
        139,
        (164981, 23648, 1500800, 0),
        "2026-03-10T00:18:05.001Z",
        "2026-03-10T00:27:40.441Z",
        0,
        0,
        "de3f8beb",
    ),
    # 0.111.0
    "019cc54a": Known(
        "e77bc954",
        12,
        "13a03807",
        "559aead0",
        26,
        90,
        (55358, 11513, 793216, 0),
        "2026-03-06T22:34:49.666Z",
        "2026-03-06T22:46:35.288Z",
        0,
        0,
        "89ab24ef",
    ),
    # 0.139.0
    "019eb5b5": Known(
        "4858543c",
        3,
        "b7b57197",
        "e596899f",
        0,
        6,
        (0, 0, 0, 0),
        "2026-06-11T08:03:44.991Z",
        "2026-06-11T08:05:06.070Z",
        3,
        0,
        "9164541e",
    ),
    # 0.144.2
    "019f603d": Known(
        "2aa0fb58",
        6,
        "2f85cc12",
        "68a5a236",
        21,
        99,
        (208046, 9818, 1065984, 0),
        "2026-07-14T10:48:20.502Z",
        "2026-07-14T12:26:05.557Z",
        0,
        0,
        "2d17a456",
    ),
    # 0.144.0-alph
    "019f4efb": Known(
        "59ba08f1",
        4,
        "98f88f26",
        "4201fa48",
        12,
        106,
        (468845, 15166, 4668032, 0),
        "2026-07-11T02:22:29.904Z",
        "2026-07-11T02:35:52.625Z",
        0,
        0,
        "2d17a456",
    ),
}
KNOWN = CLAUDE | CODEX
"""The version of the agent stands above each."""


def joined_text(content: Any) -> str:
    """The texts of a content, below each other."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or () if block.get("text"))


def test_each_file_is_expected_and_there_are_ten_of_each_agent() -> None:
    assert KNOWN.keys() == SOURCES.keys()
    for agent, known in (("claude", CLAUDE), ("codex", CODEX)):
        assert len(known) >= 10
        assert {SOURCES[name].agent for name in known} == {agent}


@pytest.fixture(params=SOURCES)
def name(request: pytest.FixtureRequest) -> str:
    path = path_of(request.param, FOLDER)
    assert path.is_file(), f"{path} is missing: run `python -m tests.public_files {FOLDER} [CLONES]`"
    assert sha256(path.read_bytes()).hexdigest() == SOURCES[request.param].digest
    return str(request.param)


def _messages(tree: SessionTree) -> list[dict[str, Any]]:
    bodies = [tree.read(node) for node in tree.entries]
    return [body["message"] for body in bodies if body["type"] == "message"]


def _digest(text: str, letters: int | None = None) -> str:
    """The digest of the first `letters` of the text, white space aside."""
    return sha256("".join(text.split())[:letters].encode()).hexdigest()[:8]


def test_the_row_of_a_public_file(name: str) -> None:
    known = KNOWN[name]
    row = summarise(str(path_of(name, FOLDER)), (SOURCES[name].agent,), 0).summary
    assert row is not None
    assert _digest(row.title, 20) == known.title
    assert (row.message_count, row.tokens) == (known.messages, known.tokens)
    assert (iso(row.created or 0), iso(row.modified)) == (known.created, known.modified)
    assert _digest(row.cwd) == known.folder
    for text in (row.title, row.first_message, row.last_prompt):
        assert "\x1b" not in text
        assert "<command-" not in text


def test_the_tree_of_a_public_file(name: str) -> None:
    known = KNOWN[name]
    tree = open_tree(str(path_of(name, FOLDER)), (SOURCES[name].agent,))
    messages = _messages(tree)
    prompts = [message for message in messages if message["role"] == "user"]
    assert len(prompts) == known.prompts
    assert [_digest(joined_text(prompt["content"])) for prompt in (*prompts[:1], *prompts[-1:])] == (
        [known.first, known.last] if prompts else []
    )
    answers = [message for message in messages if message["role"] == "assistant"]
    assert (
        sum(message["stopReason"] == "aborted" for message in answers if "stopReason" in message)
        == known.ends
    )
    if name in CLAUDE:
        assert len({message["responseId"] for message in answers if "responseId" in message}) == known.answers
    else:
        texts = [joined_text(message["content"]) for message in answers if message["stopReason"] == "stop"]
        assert len(list(filter(None, texts))) == known.answers
    assert sum(node.type == "compaction" for node in tree.entries) == known.compactions
    assert len(tree.roots) == 1


def test_the_figures_of_a_public_file(name: str) -> None:
    known = KNOWN[name]
    figures = read_figures(str(path_of(name, FOLDER)), (SOURCES[name].agent,))
    assert sum(entry.turns for entry in figures) == known.prompts
    amounts = [(entry.input, entry.output, entry.cache_read, entry.cache_write) for entry in figures]
    assert tuple(map(sum, zip(*amounts, strict=True))) == known.tokens
