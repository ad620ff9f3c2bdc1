"""The new leaf after a user picks an entry of the tree. The caller makes the text of a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.sessions.errors import UnknownEntry
from app.sessions.manager.navigation import Target, target_of
from tests.factory import chain, entry, message
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions import SessionManager
    from tests.sessions.manager.conftest import Home

    Make = Callable[..., SessionManager]

IMAGE = {"type": "image", "mimeType": "image/png", "data": "AAAA"}
TALK = ("one", "two", "three", "four")


def test_a_user_message_moves_the_leaf_to_its_parent_and_offers_its_text(session: Make) -> None:
    assert target_of(session(*chain(*TALK)), "00000003") == Target("00000002", "three")


def test_an_extension_message_moves_the_leaf_to_its_parent_and_offers_its_text(session: Make) -> None:
    extension = entry("custom_message", "c", "00000002", customType="x", content="told", display=True)
    manager = session(*chain("one", "two"), extension, message("d", "c", "assistant", "so be it"))
    assert target_of(manager, "c") == Target("00000002", "told")


def test_an_answer_becomes_the_leaf_and_offers_no_text(session: Make) -> None:
    assert target_of(session(*chain(*TALK)), "00000002") == Target("00000002")


@pytest.mark.parametrize(
    "other",
    [
        entry("custom", "o", "00000002", customType="x", data={"content": "no message"}),
        entry("label", "o", "00000002", targetId="00000001", label="here"),
        entry("branch_summary", "o", "00000002", fromId="00000001", summary="what was left"),
        entry("compaction", "o", "00000002", summary="s", firstKeptEntryId="00000001", tokensBefore=1),
        message("o", "00000002", "toolResult", "output", toolCallId="t", toolName="x"),
        entry("message", "o", "00000002", message="no message"),
    ],
    ids=lambda other: other["type"],
)
def test_any_other_entry_becomes_the_leaf(session: Make, other: dict[str, Any]) -> None:
    manager = session(*chain("one", "two"), other, message("end", "o", "assistant", "end"))
    assert target_of(manager, "o") == Target("o")


def test_the_first_user_message_moves_the_leaf_before_all_entries(session: Make) -> None:
    assert target_of(session(*chain(*TALK)), "00000001") == Target(None, "one")


def test_a_message_with_a_missing_parent_moves_the_leaf_before_all_entries(session: Make) -> None:
    manager = session(*chain("one", "two"), message("o", "gone", "user", "lost"), *chain("x")[1:])
    assert target_of(manager, "o") == Target(None, "lost")


@pytest.mark.parametrize(
    ("written", "text", "images"),
    [
        ("plain", "plain", ()),
        ([{"type": "text", "text": "a"}, IMAGE, {"type": "text", "text": "b"}], "ab", (IMAGE,)),
        ([IMAGE], "", (IMAGE,)),
        ([], "", ()),
        (None, "", ()),
        (["odd", {"type": "text", "text": 7}, {"type": "text", "text": " kept "}], " kept ", ()),
    ],
)
def test_texts_and_images_of_a_message_are_offered(
    session: Make, written: object, text: str, images: tuple[dict[str, str], ...]
) -> None:
    manager = session(
        *chain("one", "two"),
        entry("message", "u", "00000002", message={"role": "user", "content": written}),
        message("v", "u", "assistant", "so"),
    )
    assert target_of(manager, "u") == Target("00000002", text, images)


@pytest.mark.parametrize("talk", [TALK, TALK[:3]], ids=["answer", "question"])
def test_picking_the_leaf_changes_nothing(session: Make, talk: tuple[str, ...]) -> None:
    manager = session(*chain(*talk))
    leaf = manager.leaf_id
    assert leaf is not None
    assert target_of(manager, leaf) == Target(leaf, same=True)


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
