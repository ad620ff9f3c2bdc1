"""Answers and tool results as random operation lists take them: whole, failed, aborted, answered in part."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.interop.programs import assistant, tool_result

TEXTS = st.sampled_from(["", "fix it", " odd\n"])
CALLS = ["call-1", "call-2", "call-3"]
THOUGHTS: st.SearchStrategy[list[dict[str, Any]]] = st.sampled_from(
    [
        [],
        [],
        [{"type": "thinking", "thinking": "Hm."}],
        [{"type": "thinking", "thinking": "Hm.", "thinkingSignature": "c2ln"}],
        [{"type": "thinking", "thinking": " ", "thinkingSignature": ""}],
    ]
)
SEALED = st.just([{"type": "redactedThinking", "data": "c2VhbGVk"}])
"""Thoughts that the provider encrypted, which only oh-my-pi stores as a block of their own."""


def answer(text: str, calls: list[str], thoughts: list[dict[str, Any]], stop: str | None) -> dict[str, Any]:
    """An answer that thinks, says `text` (no block for "") and calls tools.

    :param stop: why it ended; None for the usual reason.
    """
    message = assistant(text, *calls)
    said = message["content"] if text else message["content"][1:]
    return {**message, "content": [*thoughts, *said], "stopReason": stop or message["stopReason"]}


def answers(thoughts: st.SearchStrategy[list[dict[str, Any]]]) -> st.SearchStrategy[dict[str, Any]]:
    """Answers with up to three calls, of which every third or so failed or was aborted."""
    return st.builds(
        answer,
        TEXTS,
        st.lists(st.sampled_from(CALLS), max_size=3, unique=True),
        thoughts,
        st.sampled_from([None, None, "error", "aborted", "length"]),
    )


RESULTS = st.builds(tool_result, st.sampled_from([*CALLS, "call-nobody-made"]), TEXTS)
PIS_TURNS = st.one_of(answers(THOUGHTS), RESULTS)
OMPS_TURNS = st.one_of(answers(st.one_of(THOUGHTS, THOUGHTS, SEALED)), RESULTS)
