"""Any order of writes, by us and by others: the file stays whole and says what we say."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sessions import SessionManager
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
    """One write, by us or by somebody who knows nothing of us."""
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
            # Long ago: an unfinished line that is new would be waited for.
            os.utime(path, (1, 1))


@pytest.mark.parametrize("agent", ["pi", "omp"])
@given(steps=STEPS)
def test_whatever_is_written_the_file_is_whole(agent: str, steps: Sequence[tuple[str, int, str]]) -> None:
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
        assert [found.id for found in again.get_entries()] == [found.id for found in manager.get_entries()]
        seen: set[str | None] = {None}
        for found in again.get_entries():
            assert found.id not in seen
            assert found.parent_id in seen
            seen.add(found.id)
        targets = [found.id for found in again.get_entries()]
        assert [again.get_label(it) for it in targets] == [readable(manager.get_label(it)) for it in targets]
        assert again.session_name == readable(manager.session_name)
        if path.read_bytes().startswith(b'{"type":"title"'):
            assert path.read_bytes().index(b"\n") == 255


def readable(text: str | None) -> str | None:
    """A text as it is read: half a character is none."""
    return None if text is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
