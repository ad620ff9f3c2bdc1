"""The agent and the dialect that the documents add as an example (CONTRIBUTING.md, "Example: add an agent";
formats/README.md, "Example: a dialect").
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import app.formats.dialects
from app.sessions import open_tree, summarise
from app.stores import refusals
from tests.factory import chain, entry, message, write_session

ROOT = Path(__file__).parent.parent
GUIDES = ROOT / "CONTRIBUTING.md", ROOT / "app" / "formats" / "README.md"


@pytest.fixture
def classes() -> list[Any]:
    """The agent and its dialect."""
    found = []
    for guide in GUIDES:
        (block,) = re.findall(r"```python\n(.*?) *```", guide.read_text(encoding="utf-8"), re.DOTALL)
        names: dict[str, Any] = {}
        exec("from __future__ import annotations\n" + dedent(block), names)
        found.append(names["Nimbus"])
    return found


def test_the_agent_has_a_default_folder_and_one_of_its_variable(classes: list[Any]) -> None:
    agent = classes[0]()
    for folder, roots in (("~/n", ["/h/.nimbus/sessions", "/h/n/sessions"]), ("\0", ["/h/.nimbus/sessions"])):
        env = {"NIMBUS_HOME": folder}
        assert [store.root for store in agent.stores(env, "/h", "/")] == roots
        assert len(refusals(env, agent.variables)) == 2 - len(roots)
    assert agent.resume_arguments("/s.jsonl", "s", agent.stores({}, "/h", "/")[0]) == ["resume", "/s.jsonl"]


def test_its_sessions_are_read_as_those_of_pi(
    classes: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.formats.dialects._DIALECTS, "nimbus", classes[1]())
    lines = chain("a question", "an answer", "another question")
    last = str(lines[-1]["id"])
    lines += [
        message("side", str(lines[1]["id"]), "assistant", "another answer", 9),
        entry("label", "mark", "side", 10, targetId=last, label="todo"),
    ]
    for odd in ([], [message("odd", "mark", "user", "damaged", 11) | {"id": ["odd"]}]):
        pi = read(write_session(tmp_path / "pi.jsonl", *lines, *odd), "pi")
        respelled = [
            {("parent" if key == "parentId" else key): value for key, value in line.items()}
            for line in (*lines, *odd)
        ]
        assert read(write_session(tmp_path / "nimbus.jsonl", *respelled), "nimbus") == pi


def read(path: Path, agent: str) -> dict[str, Any]:
    """What the row and the tree of a session tell."""
    summary = summarise(str(path), (agent,), 0).summary
    tree = open_tree(str(path), (agent,))
    assert summary is not None
    assert summary.agent == summary.dialect == agent
    return {
        "nodes": [(node.id, node.parent_id, node.type, node.role, node.label) for node in tree.entries],
        "leaf": (tree.leaf and tree.leaf.id, summary.leaf_id),
        "row": (summary.title, summary.message_count, summary.labels, summary.leaf_count, summary.problems),
    }
