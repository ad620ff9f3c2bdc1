"""The result of `build_session_context`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.cases import cases
from tests.factory import agents_session, chain, entry, header, message

if TYPE_CHECKING:
    from collections.abc import Callable

    from leafmark import SessionManager

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
            entry("context_edit", "damaged", "f", targetId=["00000001"], replacement=None),
        ],
        ["one", "2"],
    ),
    "after a reset": (
        [*chain("one"), entry("reset_boundary", "r", "00000001"), message("x", "r", "user", "new")],
        ["new"],
    ),
    "a reset before the compaction": (
        [
            *chain("one"),
            entry("reset_boundary", "r", "00000001"),
            message("x", "r", "user", "new"),
            compaction("c", "x", "00000001"),
            message("y", "c", "user", "last"),
        ],
        ["all", "one", "new", "last"],
    ),
    "a reset after the compaction": (
        compacted("00000003", entry("reset_boundary", "r", "late"), message("x", "r", "user", "new")),
        ["new"],
    ),
}


@cases(("lines", "expected"), TEXTS.values(), ids=TEXTS)
def test_the_context_has_the_messages_that_the_agent_keeps(
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


OMP = {**header(), "title": "t"}


def call(id: str, **more: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": id, "name": "read", "arguments": {}, **more}


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def turns(*messages: dict[str, Any], first: dict[str, Any] = OMP) -> list[dict[str, Any]]:
    """A session with these messages in a row."""
    lines = [first]
    for number, body in enumerate(messages, 1):
        parent = f"{number - 1:08x}" if number > 1 else None
        lines.append(entry("message", f"{number:08x}", parent, message=body))
    return lines


def answer(*blocks: dict[str, Any], stop: str = "stop") -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks), "stopReason": stop}


def result(id: Any, text: str = "done") -> dict[str, Any]:
    return {"role": "toolResult", "toolCallId": id, "content": [text_block(text)]}


ASKED = {"role": "user", "content": [text_block("fix it")]}


def test_oh_my_pi_leaves_out_calls_without_a_result(session: Make) -> None:
    both = answer(text_block("on it"), call("a"), call("b"), stop="toolUse")
    manager = session(*turns(ASKED, both, result("a"), answer(call("c"), stop="toolUse")))
    kept = {**both, "content": [text_block("on it"), call("a")]}
    assert manager.build_session_context().messages == [ASKED, kept, result("a")]
    # On the path to the answer itself, its first call has no result either.
    assert manager.build_session_context("00000002").messages == [
        ASKED,
        {**both, "content": [text_block("on it")]},
    ]


def test_an_answer_that_loses_a_call_loses_what_seals_its_thoughts(session: Make) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2ln"}
    sealed = {"type": "redactedThinking", "data": "c2VhbGVk"}
    manager = session(*turns(answer(thought, sealed, call("a")), answer(thought, sealed)))
    assert manager.build_session_context().messages == [
        answer({"type": "thinking", "thinking": "Hm."}),
        answer(thought, sealed),
    ]


def test_oh_my_pi_keeps_a_result_whose_call_is_missing(session: Make) -> None:
    manager = session(*turns(ASKED, result("gone")))
    assert manager.build_session_context().messages == [ASKED, result("gone")]


def test_oh_my_pi_leaves_out_failed_and_aborted_answers_with_their_results(session: Make) -> None:
    manager = session(
        *turns(
            ASKED,
            answer(text_block("half"), call("a"), stop="error"),
            result("a"),
            answer(text_block("hal"), stop="aborted"),
            answer(text_block("whole"), call("a"), stop="toolUse"),
            result("b"),
        )
    )
    # The last answer keeps its call, because the path has a result with that id.
    assert manager.build_session_context().messages == [
        ASKED,
        answer(text_block("whole"), call("a"), stop="toolUse"),
        result("b"),
    ]


def test_an_aborted_answer_stays_with_the_note_about_its_thoughts(session: Make) -> None:
    aborted = answer(text_block("half"), stop="aborted")
    manager = session(
        *turns(ASKED, aborted),
        entry(
            "custom_message", "n", "00000002", customType="interrupted-thinking", content="Hm.", display=False
        ),
    )
    kept = manager.build_session_context().messages
    assert [message["role"] for message in kept] == ["user", "assistant", "custom"]


def test_oh_my_pi_leaves_out_answers_that_it_tried_again(session: Make) -> None:
    manager = session(*turns(ASKED, {**answer(text_block("busy")), "retryRecovery": {"kind": "plain"}}))
    assert manager.build_session_context().messages == [ASKED]


def test_oh_my_pi_leaves_out_empty_failures_and_custom_messages_that_it_does_not_send(session: Make) -> None:
    lines = turns(ASKED, answer(text_block(" "), stop="error"))
    custom = {
        "interrupted-thinking": "after a failed answer with content, this note would keep it",
        "prewalk-plan": "a plan",
        "vibe-mode-context": "a mode",
        "odd": {"text": "neither a text nor a list"},
        "hint": "sent",
    }
    for number, (kind, content) in enumerate(custom.items(), 3):
        fields = {"customType": kind, "content": content, "display": False}
        lines.append(entry("custom_message", f"{number:08x}", f"{number - 1:08x}", **fields))
    messages = session(*lines).build_session_context().messages
    assert [message.get("customType") for message in messages] == [None, "interrupted-thinking", "hint"]
    messages = session(header(), *lines[1:]).build_session_context().messages
    assert [message.get("customType") for message in messages] == [None, None, *custom]


def test_pi_keeps_unanswered_calls_and_failed_answers(session: Make) -> None:
    messages = [ASKED, answer(call("a"), stop="toolUse"), answer(text_block("half"), stop="error")]
    assert session(*turns(*messages, first=header())).build_session_context().messages == messages


def test_odd_answers_of_oh_my_pi_are_no_error(session: Make) -> None:
    odd = [
        {"role": "assistant", "content": "text", "stopReason": "error"},
        {"role": "assistant", "content": [None, 7, {"type": ["x"]}], "stopReason": ["error"]},
        answer({"type": "toolCall", "id": {}}, {"type": {}}),
        result([]),
    ]
    assert session(*turns(*odd)).build_session_context().messages == odd[1:]


NATIVE = {"provider": "anthropic", "content": "so far", "encryptedContent": "c2Vh", "model": "claude"}
HISTORY = {"provider": "openai", "replacementHistory": [{"type": "compaction"}]}


def snapshotted(kept: str, through: str, **preserved: Any) -> list[dict[str, Any]]:
    """A session of oh-my-pi 18.3.4 with a compaction by the provider, written from the source of its package;
    the program was not run.
    """
    _, *lines = compacted(kept)
    lines[4] |= {"providerReplayThroughEntryId": through, "preserveData": preserved, "method": "remote"}
    return [OMP, *lines]


def test_an_anthropic_snapshot_keeps_what_follows_the_entry_it_ends_with(session: Make) -> None:
    manager = session(*snapshotted("", "00000002", anthropicCompaction=NATIVE))
    assert texts(manager) == ["so far", "three", "four", "five"]
    summary = manager.build_session_context().messages[0]
    assert summary["method"] == "remote"
    assert summary["providerPayload"] == {
        "type": "anthropicCompaction",
        "provider": "anthropic",
        "content": "so far",
        "encryptedContent": "c2Vh",
    }


def test_an_anthropic_snapshot_with_a_first_kept_entry_keeps_from_there(session: Make) -> None:
    assert texts(session(*snapshotted("00000004", "00000002", anthropicCompaction=NATIVE))) == [
        "so far",
        "four",
        "five",
    ]


def test_without_a_snapshot_an_empty_first_kept_entry_keeps_nothing(session: Make) -> None:
    assert texts(session(*snapshotted("", "00000002"))) == ["so far", "five"]
    assert texts(session(*snapshotted("", "gone", anthropicCompaction=NATIVE))) == ["so far", "five"]


def test_an_openai_snapshot_replaces_the_kept_entries_up_to_where_it_ends(session: Make) -> None:
    manager = session(*snapshotted("00000001", "00000003", openaiRemoteCompaction=HISTORY))
    assert texts(manager) == ["so far", "four", "five"]
    assert manager.build_session_context().messages[0]["providerPayload"]["items"] == [{"type": "compaction"}]


def test_the_model_of_an_answer_is_the_default_if_none_was_chosen(session: Make) -> None:
    manager = session(
        {**header(), "title": "t"}, message("a", None, "assistant", "x", provider="anthropic", model="claude")
    )
    assert manager.build_session_context().models == {"default": "anthropic/claude"}


def test_a_chosen_default_model_outweighs_later_answers_and_another_role_does_not(session: Make) -> None:
    manager = session(
        {**header(), "title": "t"},
        entry("model_change", "a", None, model="x/small", role="smol"),
        message("b", "a", "assistant", "one", provider="anthropic", model="claude"),
        entry("model_change", "c", "b", model="openai/gpt", role="default"),
        message("d", "c", "assistant", "two", provider="anthropic", model="fallback"),
    )
    context = manager.build_session_context()
    assert context.models == {"smol": "x/small", "default": "openai/gpt"}
    assert context.model == {"provider": "openai", "modelId": "gpt"}
    context = manager.build_session_context("b")
    assert context.models == {"smol": "x/small", "default": "anthropic/claude"}
    assert context.model == {"provider": "anthropic", "modelId": "claude"}


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
