"""The result of `build_session_context`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.cases import cases
from tests.factory import agents_session, chain, entry, header, message

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.sessions import SessionManager

    Make = Callable[..., SessionManager]


def texts(manager: SessionManager, leaf: str | None = None) -> list[str]:
    """Return the text of each message of the context."""
    messages = []
    for fields in manager.build_session_context(leaf).messages:
        content = fields.get("summary", fields.get("content"))
        messages.append(content if isinstance(content, str) else "".join(block["text"] for block in content))
    return messages


def test_a_session_without_entries_has_an_empty_context(session: Make) -> None:
    context = session(header()).build_session_context()
    assert (context.messages, context.thinking_level, context.model) == ([], "off", None)


def test_messages_are_the_dicts_of_the_file(session: Make) -> None:
    line = message("a", None, "user", "hi", odd={"nested": [1, None]}, timestamp=7)
    assert session(header(), line).build_session_context().messages == [line["message"]]


def test_the_last_thinking_level_and_model_of_the_path_win(session: Make) -> None:
    manager = session(
        header(),
        entry("thinking_level_change", "a", None, thinkingLevel="low"),
        entry("model_change", "b", "a", provider="openai", modelId="gpt"),
        entry("thinking_level_change", "c", "b", thinkingLevel="high"),
        message("d", "c", "assistant", "x", provider="anthropic", model="claude"),
    )
    context = manager.build_session_context()
    assert context.thinking_level == "high"
    assert context.model == {"provider": "anthropic", "modelId": "claude"}
    assert manager.build_session_context("c").model == {"provider": "openai", "modelId": "gpt"}


def compacted(kept: str, *after: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        *chain("one", "two", "three", "four"),
        entry("compaction", "c1", "00000004", summary="so far", firstKeptEntryId=kept, tokensBefore=9),
        message("late", "c1", "user", "five"),
        *after,
    ]


def compaction(entry_id: str, parent: str, kept: str) -> dict[str, Any]:
    return entry("compaction", entry_id, parent, summary="all", firstKeptEntryId=kept, tokensBefore=9)


TEXTS: dict[str, tuple[list[dict[str, Any]], list[str]]] = {
    "in order": (chain("one", "two", "three"), ["one", "two", "three"]),
    "summary, kept and later ones": (compacted("00000003"), ["so far", "three", "four", "five"]),
    "all kept": (compacted("00000001"), ["so far", "one", "two", "three", "four", "five"]),
    "none kept": (compacted("c1"), ["so far", "five"]),
    "the latest compaction": (compacted("00000001", compaction("c2", "late", "late")), ["all", "five"]),
    "an older compaction is not kept": (
        compacted("00000001", compaction("c2", "late", "00000004")),
        ["all", "four", "five"],
    ),
    "an empty summary": (
        [*chain("one"), entry("branch_summary", "s", "00000001", fromId="root", summary="")],
        ["one"],
    ),
    "an orphan": ([*chain("one"), message("x", "gone", "user", "lost")], ["lost"]),
    "a loop": (
        [header(), message("a", "b", "user", "one"), message("b", "a", "assistant", "two")],
        ["one", "two"],
    ),
    "labels, names and custom entries": (
        [
            *chain("one"),
            entry("label", "l", "00000001", targetId="00000001", label="x"),
            entry("session_info", "n", "l", name="N"),
            entry("custom", "c", "n", customType="mine", data={"text": "secret"}),
            entry("session_init", "i", "c", systemPrompt="secret"),
        ],
        ["one"],
    ),
    "edited and removed": (
        [
            *chain("one", "two", "three"),
            entry("context_edit", "e", "00000003", targetId="00000002", replacement={"content": "2"}),
            entry("context_edit", "f", "e", targetId="00000003", replacement=None),
        ],
        ["one", "2"],
    ),
    "after a reset": (
        [*chain("one"), entry("reset_boundary", "r", "00000001"), message("x", "r", "user", "new")],
        ["new"],
    ),
}


@cases(("lines", "expected"), TEXTS.values(), ids=TEXTS)
def test_the_context_has_the_messages_that_the_agent_would_send(
    session: Make, lines: list[dict[str, Any]], expected: list[str]
) -> None:
    assert texts(session(*lines)) == expected


def test_system_messages_before_a_compaction_are_not_sent(session: Make) -> None:
    manager = session(
        header(),
        message("s1", None, "system", "old rules"),
        message("u1", "s1", "user", "one"),
        message("s2", "u1", "system", "newer rules"),
        message("u2", "s2", "user", "two"),
        entry("compaction", "c", "u2", summary="so far", firstKeptEntryId="s1", tokensBefore=9),
        message("s3", "c", "system", "rules"),
        message("u3", "s3", "user", "three"),
    )
    assert texts(manager) == ["so far", "one", "two", "rules", "three"]
    assert texts(manager, "u2") == ["old rules", "one", "newer rules", "two"]


def test_the_summary_has_the_agents_shape(session: Make) -> None:
    summary = session(*compacted("c1")).build_session_context().messages[0]
    assert summary["role"] == "compactionSummary"
    assert summary["tokensBefore"] == 9
    assert isinstance(summary["timestamp"], int)


def test_a_branch_summary_on_the_path_appears(session: Make) -> None:
    manager = session(
        *chain("one", "two"), entry("branch_summary", "s", "00000001", fromId="00000002", summary="left")
    )
    assert texts(manager) == ["one", "left"]
    assert manager.build_session_context().messages[1]["role"] == "branchSummary"


def test_entries_of_sibling_branches_are_left_out(session: Make) -> None:
    manager = session(*chain("one", "two"), message("x", "00000001", "assistant", "other"))
    assert texts(manager) == ["one", "other"]
    assert texts(manager, "00000002") == ["one", "two"]


def test_an_unknown_leaf_falls_back_to_the_last_entry(session: Make) -> None:
    assert texts(session(*chain("one", "two")), "nowhere") == ["one", "two"]


def test_a_custom_message_is_included(session: Make) -> None:
    manager = session(
        header(), entry("custom_message", "c", None, customType="t", content="hey", display=True)
    )
    custom = manager.build_session_context().messages[0]
    assert (custom["role"], custom["content"], custom["display"]) == ("custom", "hey", True)


def test_a_message_without_content_has_an_empty_list(session: Make) -> None:
    manager = session(header(), entry("message", "a", None, message={"role": "user", "content": None}))
    assert manager.build_session_context().messages == [{"role": "user", "content": []}]


def test_oh_my_pi_has_models_by_role_mode_and_rules(session: Make) -> None:
    manager = session(
        {**header(), "title": "t"},
        entry("model_change", "a", None, model="openai/gpt-4o", role="default"),
        entry("model_change", "b", "a", model="x/small", role="smol"),
        entry("mode_change", "c", "b", mode="plan", data={"planFile": "/p"}),
        entry("ttsr_injection", "d", "c", injectedRules=["r1", "r2"]),
        entry("ttsr_injection", "e", "d", injectedRules=["r2", "r3"]),
    )
    context = manager.build_session_context()
    assert context.models == {"default": "openai/gpt-4o", "smol": "x/small"}
    assert context.model == {"provider": "openai", "modelId": "gpt-4o"}
    assert (context.mode, context.mode_data) == ("plan", {"planFile": "/p"})
    assert context.injected_rules == ["r1", "r2", "r3"]


def test_the_model_of_an_answer_is_the_default_if_none_was_chosen(session: Make) -> None:
    manager = session(
        {**header(), "title": "t"}, message("a", None, "assistant", "x", provider="anthropic", model="claude")
    )
    assert manager.build_session_context().models == {"default": "anthropic/claude"}


def test_the_linear_agents_summary_is_a_user_message(session: Make) -> None:
    head, first = agents_session()
    prompt = first["message"]
    manager = session(
        head,
        first,
        {"type": "message", "id": "m2", "parent_id": "m1", "role": "user", "message": prompt},
        {
            "type": "compaction",
            "id": "c",
            "parent_id": "m2",
            "summary": "## Goal",
            "first_kept_entry_id": "m2",
            "tokens_before": 4,
        },
    )
    assert manager.build_session_context().messages == [
        {"role": "user", "content": [{"type": "text", "text": "## Goal"}]},
        prompt,
    ]


def test_a_long_path_has_all_its_messages(session: Make) -> None:
    manager = session(*chain(*map(str, range(3_000))))
    assert len(texts(manager)) == 3_000
