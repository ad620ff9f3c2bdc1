"""Random sessions and queries for hypothesis: every dialect, branches, texts that are hard to compare."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from app.formats import text_kinds
from app.index.query import Filter, Query, Term

if TYPE_CHECKING:
    from pathlib import Path

DIALECTS = ("pi", "pi 1", "omp", "agent", "transcript", "claude", "codex")

WORDS = (
    "alpha", "Alpha", "ALPHA", "beta", "gamma_ray", "reFrobnosticatorHandle", "42", "3.14", "x" * 70,
    "naive", "ｶﾞｲﾄﾞ ガイド", "ＡＢＣ，abc", "Ёлка ели й и", "Łódź lodz", "Αθήνα αθηνα", "x\u0302y İi\u0307",
    "naïve", "nai\u0308ve", "NAÏVE", "a\u0301\u0323", "ạ\u0301", "Straße", "STRASSE", "Σίσυφος", "ΣΊΣΥΦΟΣ",
    "ﬁne", "İstanbul", "istanbul", "\u2126", "\u212b", "Ǆ", "ſharp",
    "日本語", "語彙日本", "데이터", "\u1103\u1166",
    "🎉", "👩🏽\u200d🚀", 'say="hi"', "C:\\new\\tab", "\\u0041b", "<b>&amp;", "foo.bar(x)", "foo_bar",
    "\x1b[31mred", "nul\0byte", "half\ud83d", "{}[]()", "^a$",
)  # fmt: skip
"""Short words, which several sessions have, in several spellings, forms and cases."""
GAPS = (" ", " ", " ", "\n", "\t", "  ", " \n\t", "\r\n", "\u00a0", "\u3000", "\u2028", "", "_", ".", "/")
TOOLS = ("bash", "read", "Edit")
NOT_BY_LINES = ("transcript", "claude", "codex")
"""Dialects in which a line is not one entry."""
TREES = ("pi", "omp", "transcript", "claude")
"""Dialects whose entries may have several children."""

words = st.sampled_from(WORDS) | st.text(min_size=1, max_size=4)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A few words with any characters between them."""
    found = [draw(words) for _ in range(draw(st.integers(1, 5)))]
    return "".join(word + draw(st.sampled_from(GAPS)) for word in found)


contents = st.one_of(
    texts(),
    st.lists(
        st.one_of(
            st.builds(lambda text: {"type": "text", "text": text}, texts()),
            st.just({"type": "image", "data": "iVBORw0KGgoAAAA=", "mimeType": "image/png"}),
        ),
        max_size=3,
    ),
)
arguments = st.dictionaries(st.sampled_from(("path", "command", "gamma")), st.one_of(
    texts(), st.integers(0, 99), st.booleans(), st.lists(texts(), max_size=2), st.none(),
), max_size=2)  # fmt: skip
answers = st.lists(
    st.one_of(
        st.builds(lambda text: {"type": "text", "text": text}, texts()),
        st.builds(
            lambda text: {"type": "thinking", "thinking": text, "thinkingSignature": "YWxwaGE="}, texts()
        ),
        st.builds(
            lambda tool, given: {"type": "toolCall", "id": "call_1", "name": tool, "arguments": given},
            st.sampled_from(TOOLS),
            arguments,
        ),
    ),
    max_size=3,
)


def _message(**fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": fields}


entries = st.one_of(
    st.builds(lambda content: _message(role="user", content=content), contents),
    st.builds(lambda content: _message(role="assistant", content=content, model="beta-1"), answers),
    st.builds(
        lambda tool, content, details: _message(
            role="toolResult",
            toolCallId="call_1",
            toolName=tool,
            content=content,
            details=details,
            isError=False,
        ),
        st.sampled_from(TOOLS),
        contents,
        st.none() | st.builds(lambda word: {"diff": f"delta {word} delta"}, st.sampled_from(WORDS[:4])),
    ),
    st.builds(
        lambda command, output: _message(role="bashExecution", command=command, output=output, exitCode=0),
        texts(),
        texts(),
    ),
    st.builds(lambda text: {"type": "compaction", "summary": text, "tokensBefore": 4}, texts()),
    st.builds(lambda text: {"type": "branch_summary", "summary": text, "fromId": "root"}, texts()),
    st.builds(
        lambda content: {"type": "custom_message", "customType": "plan", "content": content, "display": True},
        contents,
    ),
    st.builds(lambda text: {"type": "custom", "customType": "notes", "data": {"note": text}}, texts()),
    st.builds(lambda text: {"type": "session_info", "name": text}, texts()),
    st.builds(lambda text: {"type": "label", "label": text}, texts()),
    st.builds(lambda text: _message(role="system", content=text), texts()),
)


class Written(NamedTuple):
    """A file to be written: its dialect, and its bytes."""

    dialect: str
    content: bytes


@st.composite
def sessions(draw: st.DrawFn, dialects: tuple[str, ...] = DIALECTS) -> Written:
    """One session. Its last line may have no newline, and a line in the middle may be no JSON."""
    dialect = draw(st.sampled_from(dialects))
    spelling = {
        "ensure_ascii": draw(st.booleans()),
        "separators": draw(st.sampled_from(((",", ":"), (", ", ": ")))),
    }
    name = f"s{draw(st.integers(0, 10**9))}"
    lines = _head(dialect, name)
    ids: list[str] = []
    for number, entry in enumerate(draw(st.lists(entries, max_size=7))):
        parent = ids[-1] if ids else None
        if ids and dialect in TREES and draw(st.integers(0, 3)) == 0:
            parent = draw(st.sampled_from(ids))
        ids.append(f"{number:08x}")
        lines += _spelt(dialect, entry, ids[-1], parent, number)
        if draw(st.integers(0, 30)) == 0:
            lines.append("alpha {broken")
    data = "\n".join(line if isinstance(line, str) else json.dumps(line, **spelling) for line in lines)  # type: ignore[arg-type]
    newline = "\n" if draw(st.integers(0, 9)) else ""
    return Written(dialect.split()[0], (data + newline).encode("utf-8", "replace"))


def _head(dialect: str, name: str) -> list[Any]:
    stamp = "2026-08-01T10:00:00.000Z"
    header: dict[str, Any] = {
        "type": "session",
        "version": 3,
        "id": name,
        "timestamp": stamp,
        "cwd": "/w/gamma",
    }
    if dialect == "pi 1":
        del header["version"]
    elif dialect == "agent":
        header["version"] = 1
    elif dialect == "omp":
        slot = {"type": "title", "v": 1, "title": "alpha and beta", "updatedAt": stamp, "pad": ""}
        slot["pad"] = " " * (255 - len(json.dumps(slot)))
        return [slot, header]
    elif dialect == "transcript":
        return [{"schema": "indus/transcript@1", "kind": "head", "sessionId": name, "leaf": None}]
    elif dialect == "claude":
        return [{"type": "mode"}, _of_claude("system", "first", None, stamp) | {"subtype": "start"}]
    elif dialect == "codex":
        return [_of_codex("session_meta", stamp, id=name, cwd="/w/gamma")]
    return [header]


def _spelt(dialect: str, entry: dict[str, Any], own: str, parent: str | None, number: int) -> list[Any]:
    """The lines of `entry` in a dialect; none if it has no such entry."""
    at = f"2026-08-01T10:00:{number:02d}.000Z"
    kind, message = entry["type"], entry.get("message", {})
    if kind == "label":
        entry = entry | {"targetId": parent or own}
    if dialect == "transcript":
        if kind == "compaction":
            said: Any = entry["summary"]
            message = [
                {"role": "compactionSummary", "summary": said},
                {"role": "condense", "content": said},
                {"role": "condense", "content": [{"type": "text", "text": said}]},
            ][number % 3]
        elif kind != "message":
            return []
        role = "condense" if kind == "compaction" else message["role"].replace("toolResult", "tool")
        node = {"schema": "indus/transcript@1", "kind": "entry", "id": own, "prev": parent, "role": role}
        return [{**node, "message": message, "at": at}]
    if dialect == "claude":
        return _claude(entry, own, parent, at)
    if dialect == "codex":
        return _codex(entry, at)
    if dialect == "agent":
        if kind not in ("message", "compaction"):
            return []
        return [_snake({**entry, "id": own, "parentId": parent, "timestamp": at})]
    if dialect == "pi 1":
        return [{**entry, "timestamp": at}]
    return [{"type": kind, "id": own, "parentId": parent, "timestamp": at, **entry}]


def _of_claude(kind: str, own: str, parent: str | None, at: str) -> dict[str, Any]:
    ids = {"uuid": own, "parentUuid": parent, "sessionId": "s", "timestamp": at}
    return {"type": kind, **ids, "cwd": "/w/gamma", "version": "2"}


def _claude(entry: dict[str, Any], own: str, parent: str | None, at: str) -> list[Any]:
    kind, message = entry["type"], entry.get("message", {})
    role, content = message.get("role"), message.get("content", entry.get("content"))
    if kind == "session_info":
        return [{"type": "custom-title", "customTitle": entry["name"]}]
    if kind == "custom":
        return [_of_claude("system", own, parent, at) | {"subtype": entry["customType"], **entry["data"]}]
    line = _of_claude("assistant" if role == "assistant" else "user", own, parent, at)
    if isinstance(content, list):
        content = [_block_of_claude(block) for block in content]
    if kind == "compaction":
        return [{**line, "isCompactSummary": True, "message": {"role": "user", "content": entry["summary"]}}]
    if kind == "custom_message":
        return [{**line, "isMeta": True, "message": {"role": "user", "content": content}}]
    if role == "toolResult":
        # The id of no call: the names of tools are looked for by them.
        result = {"type": "tool_result", "tool_use_id": "call_9", "content": content}
        diff = (message.get("details") or {}).get("diff")
        beside = {"toolUseResult": {"structuredPatch": [{"lines": [diff]}]}} if diff else {}
        return [{**line, **beside, "message": {"role": "user", "content": [result]}}]
    if role == "assistant":
        return [{**line, "message": {"role": role, "id": own, "model": "beta-1", "content": content}}]
    return [{**line, "message": {"role": role, "content": content}}] if role == "user" else []


def _block_of_claude(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "toolCall":
        return {"type": "tool_use", "id": "call_1", "name": block["name"], "input": block["arguments"]}
    if block["type"] == "thinking":
        return {"type": "thinking", "thinking": block["thinking"], "signature": "YWxwaGE="}
    if block["type"] == "image":
        source = {"type": "base64", "media_type": block["mimeType"], "data": block["data"]}
        return {"type": "image", "source": source}
    return block


def _of_codex(kind: str, at: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": at, "type": kind, "payload": payload}


def _codex(entry: dict[str, Any], at: str) -> list[Any]:
    kind, message = entry["type"], entry.get("message", {})
    role, content = message.get("role"), message.get("content", entry.get("content"))
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if kind == "session_info":
        return [_of_codex("event_msg", at, type="thread_name_updated", thread_name=entry["name"])]
    if kind == "compaction":
        return [_of_codex("compacted", at, message=entry["summary"])]
    if kind == "custom":
        return [_of_codex("response_item", at, type=entry["customType"], **entry["data"])]
    if role == "toolResult":
        output = content if isinstance(content, str) else [_block_of_codex(block) for block in blocks]
        told = {"type": "function_call_output", "call_id": "call_9", "output": output}
        return [_of_codex("response_item", at, **told)]
    if role == "assistant":
        return [_of_codex("response_item", at, **_item_of_codex(block)) for block in blocks]
    if role == "user" or kind == "custom_message":
        told = {"role": role or "developer", "content": [_block_of_codex(block) for block in blocks]}
        return [_of_codex("response_item", at, type="message", **told)]
    return []


def _item_of_codex(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "toolCall":
        given = json.dumps(block["arguments"])
        return {"type": "function_call", "name": block["name"], "arguments": given, "call_id": "call_1"}
    if block["type"] == "thinking":
        summary = [{"type": "summary_text", "text": block["thinking"]}]
        return {"type": "reasoning", "summary": summary, "encrypted_content": "YWxwaGE="}
    content = [{"type": "output_text", "text": block["text"]}]
    return {"type": "message", "role": "assistant", "content": content}


def _block_of_codex(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "image":
        return {"type": "input_image", "image_url": f"data:{block['mimeType']};base64,{block['data']}"}
    return {"type": "input_text", "text": block["text"]}


def _snake(value: Any) -> Any:
    """The entry with the keys and words of nickcecere/agent; arguments and details stay as they are."""
    renamed = {
        "parentId": "parent_id", "toolCallId": "tool_call_id", "toolName": "tool_name", "isError": "is_error",
        "tokensBefore": "tokens_before", "toolResult": "tool_result", "toolCall": "tool_call",
    }  # fmt: skip
    if isinstance(value, list):
        return [_snake(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        renamed.get(key, key): (
            renamed.get(each, each)
            if key in ("type", "role")
            else each
            if key in ("arguments", "details")
            else _snake(each)
        )
        for key, each in value.items()
    }


STORES = {"pi": "pi", "omp": "omp", "agent": "agent", "transcript": "indusagi"} | {
    name: name for name in ("claude", "codex")
}
"""Dialect -> the agent whose store has such files."""


def write(folder: Path, written: list[Written]) -> list[tuple[str, str]]:
    """Write sessions to stores below `folder`; (agent, folder) of each store."""
    stores = {agent: folder / agent / "sessions" for agent in STORES.values()}
    for number, session in enumerate(written):
        name = f"{number}.ndjson" if session.dialect == "transcript" else f"{number}.jsonl"
        path = stores[STORES[session.dialect]] / ("" if session.dialect == "agent" else "--w-gamma--") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(session.content)
    for place in stores.values():
        place.mkdir(parents=True, exist_ok=True)
    return [(agent, str(place)) for agent, place in stores.items()]


# -- queries --


def _has_capital(text: str) -> bool:
    return any(char.isupper() for char in text)


@st.composite
def terms(draw: st.DrawFn) -> Term:
    """A part of a word, a phrase, or a pattern."""
    kind = draw(st.sampled_from(("word", "word", "word", "phrase", "regex")))
    negated = draw(st.integers(0, 4)) == 0
    if kind == "regex":
        pattern, exact = draw(st.sampled_from(PATTERNS))
        return Term("regex", pattern, exact, negated)
    if kind == "phrase":
        found = [_without_controls(draw(words)) for _ in range(draw(st.integers(1, 3)))]
        text = " ".join(" ".join(found).split())
    else:
        word = _without_controls(draw(words))
        begin = draw(st.integers(0, max(0, len(word) - 1)))
        text = "".join(word[begin : begin + draw(st.integers(1, 12))].split())
    text = normalized(text) or "alpha"
    return Term(kind, text, _has_capital(text), negated)  # type: ignore[arg-type]


def _without_controls(text: str) -> str:
    """The text without control characters and lone surrogates, which no query may have."""
    return "".join(char for char in text if char.isprintable() or char.isspace())


def normalized(text: str) -> str:
    from unicodedata import normalize

    return normalize("NFC", text)


PATTERNS = (
    ("alph[a-c]", False), ("^alpha", False), ("beta$", False), (r"\w+_ray", False), (r"\d+\.\d", False),
    ("(alpha|beta) ", False), ("frob.{3}ticator", False), ("Frob", True), ("日.語", False), ("語$", False),
    ("nai?ïve|naïve", False), ("^A", True), ("stra(ß|ss)e", False), ("σ", False), (r"foo[._]bar\(?", False),
    ("[A-Z]{3,}", True), ("A[a-z]+|nu", True), ("[A-Za-z]s?h", False), (r"\w\.[a-z]", False),
    ("i[a-z]+e", False),
)  # fmt: skip

KINDS = (
    text_kinds.CONVERSATION,
    text_kinds.CONVERSATION,
    text_kinds.ALL,
    text_kinds.TOOLS,
    frozenset((text_kinds.USER,)),
    frozenset((text_kinds.THINKING,)),
    frozenset((text_kinds.CALL, text_kinds.RESULT)),
    frozenset((text_kinds.OTHER,)),
    frozenset((text_kinds.ASSISTANT, text_kinds.SHELL)),
)
AGENTS = {"is pi": lambda row, _: row.agent == "pi", "is not pi": lambda row, _: row.agent != "pi"}


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """A query as the parser may make it."""
    found = tuple(draw(st.lists(terms(), max_size=3)))
    where = draw(st.sampled_from(KINDS))
    tools = frozenset(draw(st.sampled_from(((), (), ("bash",), ("edit", "read")))))
    chosen = draw(st.sampled_from((None, None, None, *AGENTS)))
    filters = (Filter(AGENTS[chosen], 0),) if chosen else ()
    everywhere = draw(st.booleans()) and not tools
    return Query("at random", found, filters, where, tools, everywhere)
