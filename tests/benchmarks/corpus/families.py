"""Sessions whose figures depend on each other: copies with new ids and times, counters that begin with those
of another session, and sub-agents. The record of each has `counted`, what statistics count for it.
"""

from __future__ import annotations

import copy
import json
import os
from typing import TYPE_CHECKING

from xxhash import xxh3_64_hexdigest

from tests.benchmarks.corpus.clock import iso
from tests.benchmarks.corpus.codex import CodexDraft
from tests.benchmarks.corpus.needles import Plan
from tests.benchmarks.corpus.truth import hidden
from tests.benchmarks.corpus.variants import claude, codex

if TYPE_CHECKING:
    from tests.benchmarks.corpus.draft import Draft
    from tests.benchmarks.corpus.maker import Maker
    from tests.benchmarks.corpus.needles import Needle
    from tests.benchmarks.corpus.truth import Truth

_ENTRIES = 8
_HOUR_MS = 3_600_000


class _NoNeedles(Plan):
    """Plants nothing: a copy would have it too."""

    def choose(self, draft: Draft) -> list[Needle]:
        return []


def add_families(maker: Maker) -> None:
    """Write one of each kind."""
    maker.plan = _NoNeedles(0)
    for kind in ("claude", "codex"):
        parent = claude(maker, _ENTRIES) if kind == "claude" else codex(maker, _ENTRIES)
        maker.finish(parent, f"{kind} with copies")
        first = _copied(maker, parent)
        maker.talk(first, _ENTRIES)
        _finish(maker, first, f"{kind} copy", without=parent.truth)
        second = _copied(maker, first)
        maker.talk(second, _ENTRIES)
        _finish(maker, second, f"{kind} copy of a copy", without=first.truth)
    _baseline(maker)
    _early_counter(maker)
    _sub_agents(maker)


def _finish(maker: Maker, draft: Draft, kind: str, *, without: Truth | None = None) -> None:
    """Write the file.

    :param without: the truth of the session that it repeats.
    """
    maker.finish(draft, kind)
    tokens = draft.truth.tokens
    if without is not None:
        tokens = [own - copied for own, copied in zip(tokens, without.tokens, strict=True)]
    maker.records[-1]["counted"] = tokens


def _copied(maker: Maker, parent: Draft) -> Draft:
    """A draft that begins with all entries of `parent`, with other ids and times."""
    start = maker.start(parent.store, created=parent.at + _HOUR_MS, cwd=parent.truth.cwd)
    draft = copy.deepcopy(parent)
    truth = draft.truth
    old_id, truth.id, truth.parent_session = truth.id, start.truth.id, parent.truth.id
    draft.path, draft.at = start.path, parent.at + _HOUR_MS
    ids: dict[str, str] = {}
    if isinstance(draft, CodexDraft):
        truth.created = draft.at
        meta = {"id": truth.id, "timestamp": iso(draft.at), "cwd": truth.cwd, "forked_from_id": old_id}
        first = {"timestamp": iso(draft.at), "type": "session_meta", "payload": meta}
        draft.lines = [json.dumps(first, separators=(",", ":")).encode()]
        for line in parent.lines:
            value = json.loads(line)
            stamp = f'"timestamp":"{value["timestamp"]}"'.encode()
            draft.lines.append(line.replace(stamp, f'"timestamp":"{iso(draft.at)}"'.encode(), 1))
            ids.setdefault(_id(line), _id(draft.lines[-1]))
        seen: list[str] = []
        for number, entry_id in enumerate(truth.ids):
            new = ids[str(entry_id).partition("#")[0]]
            ids[str(entry_id)] = f"{new}#1" if new in seen else new
            seen.append(ids[str(entry_id)])
            truth.ids[number] = seen[-1]
        truth.newest = draft.at
    else:
        ids = {str(entry_id): draft.new_id() for entry_id in truth.ids}
        truth.ids = list(ids.values())
        forked = f',"forkedFrom":{{"sessionId":"{old_id}"}}}}'.encode()
        for number, line in enumerate(draft.lines):
            for old, new in ids.items():
                line = line.replace(old.encode(), new.encode())
            line = line.replace(old_id.encode(), truth.id.encode())
            draft.lines[number] = line[:-1] + forked if b'"uuid"' in line else line
    truth.parents = {ids.get(each, each) for each in truth.parents}
    truth.leaf_id = draft.leaf = ids.get(str(draft.leaf), draft.leaf)
    return draft


def _id(line: bytes) -> str:
    return xxh3_64_hexdigest(line)[:12]


def _counter(draft: CodexDraft, total: list[int], last: list[int]) -> bytes:
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")
    sums = [
        dict(zip(names, (sent + read + written, received, read, written), strict=True))
        for sent, received, read, written in (total, last)
    ]
    info = {"total_token_usage": sums[0], "last_token_usage": sums[1]}
    payload = {"type": "token_count", "info": info}
    return json.dumps({"timestamp": iso(draft.at), "type": "event_msg", "payload": payload}).encode()


def _baseline(maker: Maker) -> None:
    """A sub-agent whose first counter is that of the session that started it."""
    parent = codex(maker, _ENTRIES)
    maker.finish(parent, "codex with a sub-agent")
    draft = maker.start("codex", entries=_ENTRIES, parent=parent.truth.id)
    assert isinstance(draft, CodexDraft)
    draft.header()
    draft.lines[0] = draft.lines[0].replace(b'"originator"', b'"thread_source":"subagent","originator"')
    draft.sums = list(parent.truth.tokens)
    draft.lines.insert(1, _counter(draft, draft.sums, [0, 0, 0, 0]))
    maker.talk(draft, _ENTRIES)
    _finish(maker, draft, "codex sub-agent")


def _early_counter(maker: Maker) -> None:
    """Tokens are counted before the first entry."""
    draft = maker.start("codex", entries=_ENTRIES)
    assert isinstance(draft, CodexDraft)
    draft.header()
    usage = maker.rng.choice(maker.chunks.usages)
    draft.sums = list(usage.tokens)
    draft.truth.usage(usage._replace(cost=None))
    draft.lines.insert(1, _counter(draft, draft.sums, draft.sums))
    maker.talk(draft, _ENTRIES)
    _finish(maker, draft, "codex early counter")


def _sub_agents(maker: Maker) -> None:
    """Sub-agents of Claude Code, in the folder of their session and beside it."""
    parent = claude(maker, _ENTRIES)
    maker.finish(parent, "claude with sub-agents")
    record = maker.records[-1]
    counted = list(parent.truth.tokens)
    folder = os.path.dirname(parent.path)
    inside = os.path.join(parent.path.removesuffix(".jsonl"), "subagents")
    for path in (os.path.join(inside, "agent-a1.jsonl"), os.path.join(folder, "agent-b2.jsonl")):
        draft = claude(maker, _ENTRIES)
        content = draft.content().replace(draft.truth.id.encode(), parent.truth.id.encode())
        maker.put(path, content)
        maker.records.append(hidden("claude", path, "sub-agent"))
        counted = [one + other for one, other in zip(counted, draft.truth.tokens, strict=True)]
    record["counted"] = counted
