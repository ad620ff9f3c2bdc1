"""The new leaf after a user picks an entry of the tree. The caller makes the text of a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.sessions import Target, UnknownEntry, target_of
from tests.cases import cases
from tests.factory import chain, entry, message
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import SessionManager

    from tests.sessions.manager.conftest import Home

    Make = Callable[..., SessionManager]

IMAGE = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
TALK = ("one", "two", "three", "four")


EXTENSION = entry("custom_message", "p", "00000002", customType="x", content="told", display=True)
OTHERS = (
    entry("custom", "p", "00000002", customType="x", data={"content": "no message"}),
    entry("label", "p", "00000002", targetId="00000001", label="here"),
    entry("branch_summary", "p", "00000002", fromId="00000001", summary="what was left"),
    entry("compaction", "p", "00000002", summary="s", firstKeptEntryId="00000001", tokensBefore=1),
    message("p", "00000002", "toolResult", "output", toolCallId="t", toolName="x"),
    entry("message", "p", "00000002", message="no message"),
    message("p", "00000002", "assistant", "an answer"),
)


def user(content: object, parent: str | None = "00000002") -> dict[str, Any]:
    return entry("message", "p", parent, message={"role": "user", "content": content})


@cases(
    ("picked", "target"),
    [
        # A message that can be sent again: the leaf goes to its parent.
        (user("plain"), Target("00000002", "plain")),
        (EXTENSION, Target("00000002", "told")),
        (user("first", None), Target(None, "first")),
        (user("lost", "gone"), Target(None, "lost")),
        (
            user([{"type": "text", "text": "a"}, IMAGE, {"type": "text", "text": "b"}]),
            Target("00000002", "ab", (IMAGE,)),
        ),
        (user([IMAGE]), Target("00000002", "", (IMAGE,))),
        (user([]), Target("00000002", "")),
        (user(None), Target("00000002", "")),
        (
            user(["odd", {"type": "text", "text": 7}, {"type": "text", "text": " kept "}]),
            Target("00000002", " kept "),
        ),
        # Any other entry becomes the leaf.
        *((other, Target("p")) for other in OTHERS),
    ],
)
def test_a_picked_entry_gives_the_new_leaf(session: Make, picked: dict[str, Any], target: Target) -> None:
    manager = session(*chain("one", "two"), picked, message("end", "p", "assistant", "end"))
    assert target_of(manager, "p") == target


@cases("last", [user("a question"), OTHERS[-1]])
def test_picking_the_leaf_changes_nothing(session: Make, last: dict[str, Any]) -> None:
    assert target_of(session(*chain("one", "two"), last), "p") == Target("p", same=True)


@pytest.mark.parametrize("named", ["gone", "", "root"])
def test_an_unknown_entry_raises(session: Make, named: str) -> None:
    manager = session(*chain("one", "two"))
    with pytest.raises(UnknownEntry, match=repr(named)):
        target_of(manager, named)
    assert manager.leaf_id == "00000002"


def test_finding_targets_changes_nothing(session: Make) -> None:
    manager = session(*chain(*TALK))
    before = content(manager.session_file)
    for picked in manager.get_entries():
        target_of(manager, picked.id)
    assert content(manager.session_file) == before
    assert manager.leaf_id == "00000004"
    assert manager.last_change is None
    added = manager.get_entry(manager.append_message(USER))
    assert added is not None
    assert added.parent_id == "00000004"


@pytest.mark.parametrize(
    ("picked", "parent"), [("00000001", None), ("00000002", "00000002"), ("00000003", "00000002")]
)
def test_the_parent_of_a_summary_is_the_new_leaf(session: Make, picked: str, parent: str | None) -> None:
    manager = session(*chain(*TALK))
    manager.branch_with_summary(target_of(manager, picked).leaf_id, "what was left")
    summary = manager.leaf_entry
    assert summary is not None
    assert (summary.type, summary.parent_id) == ("branch_summary", parent)


def test_branching_writes_no_summary_by_itself(home: Home) -> None:
    manager = home.answered()
    manager.append_message(USER)
    answer_id = manager.append_message(ANSWER)
    target = target_of(manager, manager.get_branch()[2].id)
    assert target.leaf_id is not None
    manager.branch(target.leaf_id)
    added = manager.append_message({**USER, "content": f"{target.text}, in other words"})
    entries = home.open(manager.session_file or "").get_entries()
    assert [entry.type for entry in entries] == ["message"] * 5
    assert [entry.id for entry in entries[-2:]] == [answer_id, added]
    assert entries[-1].parent_id == target.leaf_id
