"""Any order of writes by leafmark and by other processes leaves a whole file with the entries in memory."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from leafmark import SessionManager

from tests.factory import chain, write_session
from tests.sessions.manager.conftest import ANSWER, USER

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT = st.text(st.characters(codec=None), max_size=12) | st.sampled_from(
    ["", " ", "a\r\nb", "\ud83d", "\u2028"]
)
THEIRS = ("foreign", "torn", "open", "nul", "blank")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ("message", "label", "name", "branch", "reset", "move", "summary", "custom", *THEIRS)
        ),
        st.integers(0, 30),
        TEXT,
    ),
    max_size=14,
)


def step(manager: SessionManager, path: Path, what: str, at: int, text: str) -> None:
    """Make one write, by leafmark or by another process."""
    entries = manager.get_entries()
    target = entries[at % len(entries)].id
    foreign = {"type": "custom", "id": f"f{len(path.read_bytes()):07x}", "parentId": entries[-1].id}
    line = json.dumps(foreign | {"customType": text}).encode()
    match what:
        case "message":
            manager.append_message({**(ANSWER if at % 2 else USER), "text": text})
        case "label":
            manager.append_label_change(target, text)
        case "name":
            manager.append_session_info(text)
        case "branch":
            manager.branch(target)
        case "reset":
            manager.reset_leaf()
        case "move":
            manager.move_leaf(target if at % 5 else None, "mark", text)
        case "summary":
            manager.branch_with_summary(target if at % 5 else None, text)
        case "custom":
            manager.append_custom_entry("t", {"value": text, "number": 10**at})
        case _:
            start = b"" if path.read_bytes().endswith(b"\n") else b"\n"
            written = {
                "foreign": start + line + b"\n",
                "open": start + line,
                "torn": start + line[: at % len(line)],
                "nul": b"\0" * (at + 1),
                "blank": start + b" \r\n",
            }
            with path.open("ab") as file:
                file.write(written[what])
            # The file is old, because a write waits for the end of a new unfinished line.
            os.utime(path, (1, 1))


@pytest.mark.parametrize("agent", ["pi", "omp"])
@given(steps=STEPS)
def test_any_order_of_writes_leaves_a_whole_file(agent: str, steps: Sequence[tuple[str, int, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        env = {"HOME": name}
        path = write_session(Path(name) / "s.jsonl", *chain("one", "two"))
        manager = SessionManager.open(str(path), env=env, agents=(agent,))
        for what, at, text in steps:
            before = path.read_bytes()
            step(manager, path, what, at, text)
            if agent == "pi":
                assert path.read_bytes().startswith(before)
        manager.refresh()
        again = SessionManager.open(str(path), env=env, agents=(agent,))
        assert [entry.id for entry in again.get_entries()] == [entry.id for entry in manager.get_entries()]
        seen: set[str | None] = {None}
        for entry in again.get_entries():
            assert entry.id not in seen
            assert entry.parent_id in seen
            seen.add(entry.id)
        targets = [entry.id for entry in again.get_entries()]
        assert [again.get_label(target) for target in targets] == [
            readable(manager.get_label(target)) for target in targets
        ]
        assert again.session_name == readable(manager.session_name)
        if path.read_bytes().startswith(b'{"type":"title"'):
            assert path.read_bytes().index(b"\n") == 255


def readable(text: str | None) -> str | None:
    """Return `text` as it is read again: half a character becomes U+FFFD."""
    return None if text is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
