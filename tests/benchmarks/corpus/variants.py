"""The healthy sessions: every agent, version and variant, with its share of a corpus."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.benchmarks.corpus.chunks import Text
from tests.benchmarks.corpus.claude import ClaudeDraft
from tests.benchmarks.corpus.clock import DAY_MS, FAR_FUTURE_MS
from tests.benchmarks.corpus.draft import quote
from tests.benchmarks.corpus.spellings import AgentDraft, OmpDraft, TranscriptDraft

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.corpus.draft import Draft
    from tests.benchmarks.corpus.maker import Maker

HOSTILE = "evil \x1b[31m\x1b]0;owned\x07 \u202egnp.exe [/b] [@click=app.bell] 🎉👩‍👩‍👧 \u0085end"


def pi(maker: Maker, entries: int, *, store: str = "pi", version: int | None = 3, events: float = 0.03,
       parent: str | None = None) -> Draft:  # fmt: skip
    draft = maker.start(store, version=version, entries=entries, parent=parent)
    draft.header()
    draft.use_model(draft.provider, draft.model)
    maker.talk(draft, entries - 1, events)
    return draft


def branchy(maker: Maker, entries: int) -> Draft:
    return pi(maker, entries, events=0.4)


def fork(maker: Maker, entries: int) -> Draft:
    return pi(maker, entries, parent=maker.older("pi").path)


def fork_of_nothing(maker: Maker, entries: int) -> Draft:
    return pi(maker, entries, parent="/home/dev/.pi/agent/sessions/--gone--/2020_gone.jsonl")


def branched_from(maker: Maker, entries: int) -> Draft:
    """A very old file, which names its parent in another field."""
    parent = maker.older("pi").path
    draft = maker.start(version=1, entries=entries)
    draft.header(version=None, branchedFrom=parent, provider="anthropic", modelId="claude-sonnet-4-5")
    draft.truth.parent_session = parent
    maker.talk(draft, entries)
    return draft


def version_1(maker: Maker, entries: int) -> Draft:
    """A file without a version and ids, in which a compaction names an index."""
    draft = maker.start(version=1, entries=entries)
    draft.header(version=None, provider="anthropic", modelId="claude-sonnet-4-5", thinkingLevel="off")
    maker.talk(draft, entries // 2)
    draft.compaction(maker.rng.choice(maker.chunks.prose), None)
    maker.talk(draft, entries // 2)
    return draft


def version_2(maker: Maker, entries: int) -> Draft:
    draft = maker.start(version=2, entries=entries)
    draft.header()
    talk = maker.talk(draft, entries // 2)
    draft.hook_message(maker.rng.choice(maker.chunks.prose))
    talk.talk(entries // 2)
    return draft


def spaced(maker: Maker, entries: int) -> Draft:
    """Written by a tool that puts blanks after colons and escapes everything beyond ASCII."""
    draft = pi(maker, entries)
    draft.lines = [json.dumps(json.loads(line)).encode() for line in draft.lines]
    return draft


def shuffled(maker: Maker, entries: int) -> Draft:
    """Keys in another order: `type` and `id` come last."""
    draft = pi(maker, entries)
    draft.lines = [json.dumps(dict(reversed(json.loads(line).items()))).encode() for line in draft.lines]
    return draft


def header_only(maker: Maker, entries: int) -> Draft:
    draft = maker.start()
    draft.header()
    return draft


def named(maker: Maker, entries: int) -> Draft:
    """A name that is changed on another branch to one with a newline."""
    draft = pi(maker, entries // 2)
    talk = maker.talk(draft, 4)
    draft.name("First name")
    talk.event("branch")
    draft.name("Second name\nin two lines")
    maker.talk(draft, 4)
    return draft


def name_cleared(maker: Maker, entries: int) -> Draft:
    draft = pi(maker, entries)
    draft.name("Soon gone")
    draft.name("")
    return draft


def labelled(maker: Maker, entries: int) -> Draft:
    """Labels set, changed, cleared in both ways, and set again."""
    draft = pi(maker, entries, events=0.0)
    first, *others = [entry for entry in draft.truth.ids if entry]
    draft.label(first, "start")
    draft.label(others[0], "here")
    draft.label(others[1], "there")
    draft.label(others[0], "here again")
    draft.label(others[1], None)
    draft.label(first, "")
    draft.label(others[2], "last, but not least")
    return draft


def hostile(maker: Maker, entries: int) -> Draft:
    """Escape sequences, direction overrides, markup and emoji in all texts of a user."""
    draft = maker.start(entries=entries)
    draft.header()
    draft.user(Text(HOSTILE, quote(HOSTILE)))
    maker.talk(draft, entries)
    draft.label(str(draft.leaf), HOSTILE)
    draft.name(HOSTILE)
    # A reader may keep these texts as they were typed, or make them inert.
    draft.truth.open |= {"name", "title", "first_message", "labels"}
    return draft


def long_prompt(maker: Maker, entries: int) -> Draft:
    """A first message of 120,000 characters."""
    text = "".join(chunk.plain for chunk in maker.chunks.output * 40)[:120_000]
    draft = maker.start(entries=entries)
    draft.header()
    draft.user(Text(text, quote(text)))
    maker.talk(draft, entries)
    return draft


def two_blocks(maker: Maker, entries: int) -> Draft:
    """The first prompt has no text, the second has it in two blocks: pi joins them with a blank."""
    draft = maker.start(entries=entries)
    draft.header()
    for form in ("silent", "two"):
        draft.user(maker.rng.choice(maker.chunks.prompts), form=form)
    maker.talk(draft, entries)
    return draft


def untyped_prompts(maker: Maker, entries: int) -> Draft:
    """A command, a greeting and a block of context come before the first prompt that says anything."""
    draft = maker.start(entries=entries)
    draft.header()
    for text in (
        "/model sonnet",
        "Hello there!",
        "<environment_context>\n<cwd>/w</cwd>\n</environment_context>",
    ):
        draft.user(Text(text, quote(text)))
    typed = maker.rng.choice(maker.chunks.prompts)
    draft.truth.title = typed.plain
    draft.user(typed)
    maker.talk(draft, entries)
    return draft


def without_prompts(maker: Maker, entries: int) -> Draft:
    """Answers alone: the first of them is the title."""
    draft = maker.start(entries=entries)
    draft.header()
    for _ in range(entries):
        draft.assistant(maker.rng.choice(maker.chunks.prose), maker.rng.choice(maker.chunks.usages))
    return draft


def without_text(maker: Maker, entries: int) -> Draft:
    """Answers that only call tools."""
    draft = maker.start(entries=entries)
    draft.header()
    for number in range(entries // 2):
        call = maker.rng.choice(maker.chunks.calls)
        draft.assistant(None, maker.rng.choice(maker.chunks.usages), calls=[(f"call_{number}", call)])
        draft.tool_result(f"call_{number}", call.name, maker.rng.choice(maker.chunks.output).json)
    return draft


def future(maker: Maker, entries: int) -> Draft:
    """A session of a machine whose clock was years ahead, which counts as a problem of the session."""
    draft = maker.start(entries=entries, created=FAR_FUTURE_MS - 5 * DAY_MS)
    draft.truth.problems += 1
    draft.header()
    maker.talk(draft, entries)
    return draft


def omp(maker: Maker, entries: int) -> Draft:
    draft = _omp(maker, entries)
    draft.slot(maker.rng.choice((*maker.rng.sample(maker.chunks.short, 2), "")))
    draft.header()
    maker.talk(draft, entries)
    return draft


def omp_exited(maker: Maker, entries: int) -> Draft:
    draft = omp(maker, entries)
    draft.custom("session_exit")
    return draft


def omp_without_slot(maker: Maker, entries: int) -> Draft:
    """An older file: the title is in the header."""
    draft = _omp(maker, entries)
    title = maker.rng.choice(maker.chunks.short)
    draft.header(title=title, titleSource="auto")
    draft.truth.name = title
    maker.talk(draft, entries)
    return draft


def omp_short_slot(maker: Maker, entries: int) -> Draft:
    """A title line that is not 256 bytes long: omp refuses it, a reader should not."""
    draft = _omp(maker, entries)
    draft.slot("A short line", padded=False)
    draft.truth.problems += 1
    draft.header()
    maker.talk(draft, entries)
    return draft


def omp_empty_slot(maker: Maker, entries: int) -> Draft:
    """The slot alone decides, so an empty one hides the header's title."""
    draft = _omp(maker, entries)
    draft.slot("")
    draft.header(title="An old title")
    maker.talk(draft, entries)
    return draft


def omp_fork(maker: Maker, entries: int) -> Draft:
    """A fork that names its parent by id."""
    draft = _omp(maker, entries, parent=maker.older("omp").id)
    draft.slot("A fork")
    draft.header()
    maker.talk(draft, entries)
    return draft


def _omp(maker: Maker, entries: int, parent: str | None = None) -> OmpDraft:
    draft = maker.start("omp", entries=entries, parent=parent)
    assert isinstance(draft, OmpDraft)
    return draft


def agent(maker: Maker, entries: int, *, parent: bool = False) -> Draft:
    draft = maker.start("agent", entries=entries)
    assert isinstance(draft, AgentDraft)
    draft.header()
    if parent:
        draft.forked_from(maker.older("agent").path, "f6a7b8c9", "Was looking at the login.")
    maker.talk(draft, entries)
    return draft


def claude(maker: Maker, entries: int) -> Draft:
    draft = maker.start("claude", entries=entries)
    draft.header()
    maker.talk(draft, entries, 0.1)
    return draft


def claude_together(maker: Maker, entries: int) -> Draft:
    """Calls that were made together, whose results hang beside each other."""
    draft = _claude(maker, entries)
    for number in range(3):
        calls = [(f"together_{number}_{call}", maker.rng.choice(maker.chunks.calls)) for call in range(3)]
        draft.at += 10_000
        draft.together(
            maker.rng.choice(maker.chunks.usages), calls, maker.rng.choice(maker.chunks.output).json
        )
    maker.talk(draft, entries)
    return draft


def claude_titled(maker: Maker, entries: int) -> Draft:
    """A summary of another session, one of this session, a title of the agent, one of the user, and another
    of the agent, which does not count any more.
    """
    draft = _claude(maker, entries)
    draft.title("summary", "Of another session", "gone")
    draft.title("summary", "A summary", draft.leaf)
    draft.title("ai-title", "A title of the agent")
    draft.name("A title of the user")
    draft.title("ai-title", "Another title of the agent")
    return draft


def claude_summarised(maker: Maker, entries: int) -> Draft:
    """The summary of an entry stands before it."""
    draft = _claude(maker, entries)
    draft.title("summary", "What was done", draft.leaf)
    draft.lines.insert(0, draft.lines.pop())
    # The user's title comes before a summary.
    draft.truth.name = draft.truth.name or "What was done"
    return draft


def claude_fork(maker: Maker, entries: int) -> Draft:
    """A fork, which names its parent in each line."""
    draft = _claude(maker, entries)
    draft.truth.parent_session = parent = maker.older("claude").id
    forked = f',"forkedFrom":{{"sessionId":"{parent}","messageUuid":"x"}}}}'.encode()
    draft.lines = [line[:-1] + forked if b'"uuid"' in line else line for line in draft.lines]
    return draft


def codex(maker: Maker, entries: int, *, parent: bool = False) -> Draft:
    draft = maker.start("codex", entries=entries, parent=maker.older("codex").id if parent else None)
    draft.header()
    maker.talk(draft, entries, 0.1)
    return draft


def hostile_of(kind: str) -> Callable[[Maker, int], Draft]:
    """The same texts in a session of another agent."""

    def write(maker: Maker, entries: int) -> Draft:
        draft = maker.start(kind, entries=entries)
        draft.header()
        draft.user(Text(HOSTILE, quote(HOSTILE)))
        maker.talk(draft, entries)
        draft.name(HOSTILE)
        draft.truth.open |= {"name", "title", "first_message"}
        return draft

    return write


def _claude(maker: Maker, entries: int) -> ClaudeDraft:
    draft = claude(maker, entries)
    assert isinstance(draft, ClaudeDraft)
    return draft


def transcript(maker: Maker, entries: int, *, heads: str = "last") -> Draft:
    """The head is at the end ("last"), in front ("first"), at an earlier entry ("back") or names no leaf."""
    draft = maker.start("indus", entries=entries)
    assert isinstance(draft, TranscriptDraft)
    draft.head(None)
    talk = maker.talk(draft, entries - 1)
    if heads == "none":
        draft.truth.open.add("leaf_id")
    elif heads == "first":
        draft.head(draft.leaf)
        draft.lines[0] = draft.lines.pop()
    elif heads == "back":
        draft.head(draft.leaf)
        draft.head(talk.prompts[0])
        draft.truth.leaf_id = talk.prompts[0]
    else:
        draft.condense(maker.rng.choice(maker.chunks.prose))
        draft.head(draft.leaf)
    return draft


def unfinished_line(maker: Maker, entries: int) -> Draft:
    """The last line is complete except for its newline, and counts."""
    draft = pi(maker, entries)
    draft.tail = draft.lines.pop()
    return draft


VARIANTS: tuple[tuple[str, float, Callable[[Maker, int], Draft]], ...] = (
    ("pi", 62, pi),
    ("pi branches and events", 9, branchy),
    ("omp", 8, omp),
    ("indusagi", 3, lambda maker, entries: pi(maker, entries, store="indusagi", events=0.1)),
    ("agent", 3, agent),
    ("transcript", 1, transcript),
    ("pi flat folder", 2, lambda maker, entries: pi(maker, entries, store="flat")),
    ("pi fork", 4, fork),
    ("pi fork of nothing", 0.7, fork_of_nothing),
    ("pi branched from", 0.3, branched_from),
    ("pi version 1", 1.5, version_1),
    ("pi version 2", 1.5, version_2),
    ("pi version 9", 0.2, lambda maker, entries: pi(maker, entries, version=9)),
    ("pi spaced", 0.3, spaced),
    ("pi shuffled", 0.3, shuffled),
    ("pi header only", 0.2, header_only),
    ("pi named", 1, named),
    ("pi name cleared", 0.3, name_cleared),
    ("pi labelled", 1, labelled),
    ("pi hostile", 0.2, hostile),
    ("pi long prompt", 0.1, long_prompt),
    ("pi two blocks", 0.2, two_blocks),
    ("pi untyped prompts", 0.2, untyped_prompts),
    ("pi without prompts", 0.1, without_prompts),
    ("pi without text", 0.1, without_text),
    ("pi future", 0.2, future),
    ("pi unfinished line", 0.4, unfinished_line),
    ("omp exited", 1, omp_exited),
    ("omp without slot", 1, omp_without_slot),
    ("omp short slot", 0.3, omp_short_slot),
    ("omp empty slot", 0.3, omp_empty_slot),
    ("omp fork", 0.6, omp_fork),
    ("claude", 6, claude),
    ("claude together", 0.5, claude_together),
    ("claude titled", 0.5, claude_titled),
    ("claude summarised", 0.3, claude_summarised),
    ("claude fork", 0.3, claude_fork),
    ("codex", 5, codex),
    ("claude hostile", 0.2, hostile_of("claude")),
    ("codex hostile", 0.2, hostile_of("codex")),
    ("codex fork", 0.4, lambda maker, entries: codex(maker, entries, parent=True)),
    ("agent fork", 0.4, lambda maker, entries: agent(maker, entries, parent=True)),
    ("transcript rewritten", 0.4, lambda maker, entries: transcript(maker, entries, heads="first")),
    ("transcript branched", 0.4, lambda maker, entries: transcript(maker, entries, heads="back")),
    ("transcript without a leaf", 0.2, lambda maker, entries: transcript(maker, entries, heads="none")),
)
