"""The lines of a block, taken into a session's sums all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.brief import ANSWERS, SPEAKING, Prompt
from app.formats.kinds import ASSISTANT, THINKING, USER
from app.formats.spoken import Call, SnakeCall, Text, Thought, texts_of
from app.formats.stamps import LAST_MS
from app.formats.text import one_line
from app.sessions.extract_text import Heard, hear
from app.sessions.passages import HEADS
from app.sessions.summary import FIRST_MESSAGE_LIMIT, LAST_PROMPT_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.brief import Brief
    from app.formats.skim import Usage
    from app.sessions.tally.state import State
    from app.sessions.tally.tally import SummaryBuilder

USAGE_TYPES = frozenset(("usage", "model_usage", "compaction", "branch_summary"))
SAYING_TYPES = frozenset(("compaction", "branch_summary", "branch", "custom_message"))
RARE_TYPES = USAGE_TYPES | SAYING_TYPES | {"label", "session_info"}
"""The types of entries, but for messages and heads, of which more counts than where they hang."""

_USER, _ASSISTANT, _THINKING = HEADS[USER], HEADS[ASSISTANT], HEADS[THINKING]


def take(tally: SummaryBuilder, entries: list[Brief], starts: Sequence[int]) -> bytes:
    """Take in the next lines; what is said in them, see `sessions.pieces`.

    :param starts: where each begins in the file.
    :raises NeedsReread: as `Leaves.entry`.
    """
    # The loop that every line of every session goes through. What is rare is moved out of it, what is not is
    # here and not called, and classes are compared by `is`: all else takes longer than reading the fields.
    sums = tally.sums
    camel, snake = ANSWERS
    newest = sums.newest
    heads = others = errors = 0
    among = False
    heard = Heard()
    headed, offsets, texts = heard.heads, heard.offsets, heard.texts
    called: list[str] = []
    used: list[Usage] = []
    prompts: list[Prompt] = []
    provider = model = None
    for entry, at in zip(entries, starts, strict=True):
        if entry.type == "message":
            message: Any = entry.message
            said = type(message)
            if said is camel or said is snake:
                content = message.content
                if type(content) is list:
                    text = thought = None
                    for block in content:
                        kind = type(block)
                        if kind is Call or kind is SnakeCall:
                            called.append(block.name)
                        elif kind is Text and text is None:
                            text = block.text
                        elif kind is Thought and thought is None:
                            thought = block.thinking
                        elif kind is Text or kind is Thought:
                            hear(entry, at, heard, called)
                            break
                    else:
                        if thought is not None:
                            headed.append(_THINKING)
                            offsets.append(at)
                            texts.append(thought)
                        if text is not None:
                            headed.append(_ASSISTANT)
                            offsets.append(at)
                            texts.append(text)
                elif content:
                    hear(entry, at, heard, called)
                if message.stop_reason == "error" or message.error_message:
                    errors += 1
                usage = message.usage
                if usage is not None:
                    used.append(usage)
                if message.model != model or message.provider != provider:
                    provider, model = message.provider, message.model
                    if model:
                        tally.models[provider, model] = None
            elif said is Prompt:
                content = message.content
                if type(content) is list and len(content) == 1 and type(content[0]) is Text:
                    headed.append(_USER)
                    offsets.append(at)
                    texts.append(content[0].text)
                else:
                    hear(entry, at, heard, called)
                prompts.append(message)
            elif message is None:
                tally.fault("a message entry without a message")
                continue
            else:
                if said in SPEAKING:
                    hear(entry, at, heard, called)
                continue
            if newest < message.timestamp <= LAST_MS:
                newest = message.timestamp
        elif is_head(entry):
            # It does not matter how many entries precede it, only whether any does.
            among = among or entries[heads] is not entry
            preceded = int(among or sums.entries > 0)
            heads += 1
            reason = sums.heads.fault(entry.type, entry.id, preceded)
            if reason:
                tally.fault(reason)
        else:
            others += 1
            if entry.type in USAGE_TYPES:
                if entry.usage is not None:
                    used.append(entry.usage)
            elif entry.type in RARE_TYPES:
                tally.rare(entry)
            if entry.type in SAYING_TYPES:
                hear(entry, at, heard, called)
    if among:
        entries = [entry for entry in entries if not is_head(entry)]
    elif heads:
        entries = entries[heads:]
    if prompts:
        prompted(sums, prompts)
    if used:
        tally.use(used)
    if called:
        sums.tools.update(dict.fromkeys(filter(None, called)))
    sums.entries += len(entries)
    sums.messages += len(entries) - others
    sums.newest = newest
    sums.errors += errors
    if entries and tally.has_ids:
        ids, parents = [entry.id for entry in entries], [entry.parent_id for entry in entries]
        tally.leaves.entries(ids, parents, entries)
        sums.leaf_id = entries[-1].id
    return heard.packed()


def prompted(sums: State, prompts: Sequence[Prompt]) -> None:
    """Take in what the next prompts say: the first and the last that say anything count."""
    if not sums.first_message:
        sums.first_message = next(filter(None, map(_said, prompts)), "")
    sums.last_prompt = next(
        (said for prompt in reversed(prompts) if (said := one_line(_said(prompt), LAST_PROMPT_LIMIT))),
        sums.last_prompt,
    )


def _said(prompt: Prompt) -> str:
    return " ".join(texts_of(prompt.content))[:FIRST_MESSAGE_LIMIT]


def is_head(entry: Brief) -> bool:
    """Whether it is a header or a title slot, and no entry."""
    return entry.type == "session" or (entry.type == "title" and entry.id is None)
