"""Files that the real agents refuse: leafmark warns of exactly these, and not after the repair."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from leafmark import SessionManager

from app.actions import plan, rename
from app.actions.branch import fork
from app.formats import slot_line
from app.stores import discover, store_holding
from tests.factory import header, message
from tests.interop.programs import Refused

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.programs import Program

BOM = b"\xef\xbb\xbf"
INCOMPLETE = b'{"type":"title","v":1,"title":"T","updatedAt":"2026-05-01T10:00:00.000Z"}\n'
SHORT = INCOMPLETE.replace(b"}", b',"pad":""}')
FULL = slot_line("T", "user", 0)
ENTRY = (
    b'{"type":"custom","customType":"x","id":"a","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z"}\n'
)
LINES = st.sampled_from(
    [
        INCOMPLETE,
        SHORT,
        FULL,
        FULL.replace(b"\n", b"\r\n"),
        FULL.replace(b'"v":1', b'"v":true'),
        ENTRY,
        b"\n",
        b" \t\r\n",
        b"junk\n",
        b'{"half\n',
        b"\0\0\n",
        b"null\n",
        b"false\n",
        b"0\n",
        b'""\n',
        b"5\n",
        b"[]\n",
        b'"text"\n',
        b'{"type":"session","id":7}\n',
    ]
)
PREFIXES = st.builds(
    lambda bom, lines: bom + b"".join(lines), st.sampled_from([b"", BOM]), st.lists(LINES, max_size=3)
)
WHOLE = [
    header("s", "/w"),
    message("00000001", None, "user", "question", 1),
    message("00000002", "00000001", "assistant", "answer", 2),
]


def is_opened(program: Program, path: str) -> bool:
    """Whether the real agent opens the file and finds both messages in it."""
    try:
        theirs = program.make("open", path)
    except Refused:
        return False
    assert [said["role"] for said in theirs.state()["context"]["messages"]] == ["user", "assistant"]
    theirs.forget()
    return True


@pytest.mark.parametrize("agent", ["pi", "omp"])
@settings(max_examples=150)
@example(prefix=b"")
@example(prefix=BOM)
@example(prefix=INCOMPLETE)
@example(prefix=FULL)
@given(prefix=PREFIXES)
def test_a_file_with_a_warning_is_refused_until_it_is_repaired(
    agent: str, request: pytest.FixtureRequest, prefix: bytes
) -> None:
    program: Program = request.getfixturevalue(agent)
    env = {"HOME": str(program.home), "PATH": "/nowhere"}
    folder: Path = program.home / f".{agent}" / "agent/sessions/--w--"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = str(folder / "s.jsonl")
    with open(path, "wb") as file:
        file.write(prefix + b"".join(json.dumps(line).encode() + b"\n" for line in WHOLE))
    store = store_holding(path, discover(env, str(program.home), "/"))
    assert store is not None
    asks = plan(agent, path, "s", "/w", store, env).asks
    assert bool(asks) != is_opened(program, path)
    if asks:
        repaired: str | None = path
        if "`leafmark rename`" in asks[0]:
            rename(path, "T", env, store)
        else:
            assert "`leafmark fork`" in asks[0]
            repaired = fork(path, env, store=store).after
        assert repaired
        assert plan(agent, repaired, "s", "/w", store, env).asks == ()
        assert is_opened(program, repaired)
        # leafmark still reads the original.
        assert SessionManager.open(path, env=env, agents=(agent,), new=False).leaf_id
