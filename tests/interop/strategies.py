"""Random answers and tool results: whole, failed and aborted ones, with calls that have a result or none."""

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
"""Thinking that the provider encrypted. Only oh-my-pi keeps it in a block of its own."""


def answer(text: str, calls: list[str], thoughts: list[dict[str, Any]], stop: str | None) -> dict[str, Any]:
    """Return an answer with these thoughts, this text (no block for "") and calls of these ids.

    :param stop: its `stopReason`; None for the usual one.
    """
    message = assistant(text, *calls)
    blocks = message["content"] if text else message["content"][1:]
    return {**message, "content": [*thoughts, *blocks], "stopReason": stop or message["stopReason"]}


def answers(thoughts: st.SearchStrategy[list[dict[str, Any]]]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for answers with up to three calls, of which about two in five failed or were
    aborted.
    """
    return st.builds(
        answer,
        TEXTS,
        st.lists(st.sampled_from(CALLS), max_size=3, unique=True),
        thoughts,
        st.sampled_from([None, None, "error", "aborted", "length"]),
    )


RESULTS = st.builds(tool_result, st.sampled_from([*CALLS, "call-of-no-answer"]), TEXTS)
PIS_TURNS = st.one_of(answers(THOUGHTS), RESULTS)
OMPS_TURNS = st.one_of(answers(st.one_of(THOUGHTS, THOUGHTS, SEALED)), RESULTS)
