"""A slow reference of the search, which must find exactly this. Files are read with the json module, line by
line, and texts are compared with `in` and `re`. Only the query and the rows, which have tests of their own,
are shared with the search.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import name as name_of
from unicodedata import normalize

from xxhash import xxh3_64_hexdigest

from app.index.query import Query, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from leafmark import Row

USER, ASSISTANT, THINKING, SUMMARY, CUSTOM, CALL, RESULT, SHELL, OTHER = range(1, 10)
NO_TEXT = 0

_NOT_FOR_PEOPLE = frozenset((
    "id", "parentId", "parent_id", "targetId", "fromId", "firstKeptEntryId", "first_kept_entry_id",
    "forkEntryId", "fork_entry_id", "leafId", "toolCallId", "tool_call_id", "responseId", "itemId", "seq",
    "kind", "type", "role", "api", "stopReason", "stop_reason", "timestamp", "thinkingSignature",
    "textSignature", "thoughtSignature", "signature",
))  # fmt: skip
"""Fields with ids, times, signatures and names of types."""


class Piece(NamedTuple):
    """A text of an entry: its kind, the offset of its line, the text, its tool and entry."""

    kind: int
    offset: int
    text: str
    tool: str = ""
    entry: str | None = None


class Place(NamedTuple):
    """A place that can match: "text" (of an entry), "name", "label", "folder", "id" or "program"."""

    where: str
    kind: int
    offset: int
    text: str
    entry: str | None = None


# -- reading --


def pieces(path: str, dialect: str) -> list[Piece]:
    """All texts of the session at `path`, in the order of the file."""
    before = sys.getrecursionlimit()
    # Agents read lines with thousands of nested brackets.
    sys.setrecursionlimit(max(before, 20_000))
    try:
        return _pieces(Path(path).read_bytes(), dialect)
    finally:
        sys.setrecursionlimit(before)


def _pieces(content: bytes, dialect: str) -> list[Piece]:
    found: list[Piece] = []
    offset = 0
    for number, line in enumerate(content.split(b"\n")):
        for entry in _entries(line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line, dialect):
            texts: dict[tuple[int, str], list[str]] = {}
            for kind, text, tool in _texts(entry):
                if text:
                    texts.setdefault((kind, tool), []).append(text)
            for (kind, tool), each in texts.items():
                whole = "\n".join(each).replace("\0", "")
                if whole:
                    whole = re.sub("[\ud800-\udfff]", "\ufffd", whole)
                    found.append(Piece(kind, offset, whole, tool, entry.get("id")))
        offset += len(line) + 1
    return found


def _value_of(text: str) -> Any:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    try:
        return decoder.decode(text)
    except RecursionError:
        # On Python 3.12 and later, the limit of the decoder in C cannot be set.
        decoder.parse_array = json.decoder.JSONArray  # type: ignore[attr-defined]
        decoder.scan_once = json.scanner.py_make_scanner(decoder)  # type: ignore[attr-defined]
        return decoder.decode(text)


def _entries(line: bytes, dialect: str) -> Iterator[dict[str, Any]]:
    """The entries of a line; none if it is no JSON or no entry."""
    try:
        value = _value_of(line.decode("utf-8", "replace"))
    except ValueError:
        return
    if not isinstance(value, dict) or value.get("type") == "title":
        return
    elif dialect == "claude":
        yield from _claude(value)
    elif dialect == "codex":
        yield from _codex(value, line)
    elif dialect == "transcript":
        if value.get("kind") == "entry":
            yield _node(value)
        elif value.get("kind") == "head":
            yield {"type": "session", **_without(value, "schema", "sessionId", "leaf")}
    else:
        yield value


_ENVELOPE = ("type", "uuid", "parentUuid", "sessionId", "timestamp", "cwd", "version", "subtype")


def _claude(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The entries of a line of Claude Code, with the fields of pi."""
    head = {"id": value.get("uuid")}
    if value["type"] == "custom-title":
        yield {"type": "session_info", "name": value["customTitle"]}
    elif value["type"] == "system":
        data = _without(value, *_ENVELOPE)
        yield {"type": "custom", **head, "customType": value["subtype"], "data": data}
    elif value["type"] in ("user", "assistant"):
        message = value.get("message")
        if not isinstance(message, dict):
            yield {"type": "message", **head, "message": message}
            return
        content = message["content"]
        if isinstance(content, list):
            content = [_block_of_claude(block) for block in content]
        if value.get("isCompactSummary"):
            yield {"type": "compaction", **head, "summary": content}
        elif value.get("isMeta"):
            yield {"type": "custom_message", **head, "customType": "meta", "content": content}
        elif isinstance(content, list) and content and content[0]["type"] == "tool_result":
            [result] = content
            told = {"role": "toolResult", "content": result["content"]}
            if isinstance(told["content"], list):
                told["content"] = [_block_of_claude(block) for block in told["content"]]
            if "toolUseResult" in value:
                lines = value["toolUseResult"]["structuredPatch"][0]["lines"]
                told["details"] = {"diff": "\n".join(["@@ -None,None +None,None @@", *lines])}
            yield {"type": "message", **head, "message": told}
        else:
            yield {"type": "message", **head, "message": {**_without(message, "id"), "content": content}}


def _block_of_claude(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "tool_use":
        return {"type": "toolCall", "name": block["name"], "arguments": block["input"]}
    if block["type"] == "image":
        return {"type": "image", "mimeType": block["source"]["media_type"]}
    return _without(block, "signature")


def _codex(value: dict[str, Any], line: bytes) -> Iterator[dict[str, Any]]:
    """The entry of a line of Codex, with the fields of pi."""
    head = {"id": xxh3_64_hexdigest(line.strip())[:12]}
    item = value["payload"]
    kind = item.get("type")
    if value["type"] == "compacted":
        yield {"type": "compaction", **head, "summary": item["message"]}
    elif kind == "thread_name_updated":
        yield {"type": "session_info", "name": item["thread_name"]}
    elif kind == "message":
        content = [_block_of_codex(block) for block in item["content"]]
        if item["role"] == "developer":
            yield {"type": "custom_message", **head, "customType": "developer", "content": content}
        else:
            yield {"type": "message", **head, "message": {"role": item["role"], "content": content}}
    elif kind == "reasoning":
        thoughts = item["summary"][0]["text"]
        if thoughts:
            block = {"type": "thinking", "thinking": thoughts}
            yield {"type": "message", **head, "message": {"role": "assistant", "content": [block]}}
    elif kind == "function_call":
        call = {"type": "toolCall", "name": item["name"], "arguments": json.loads(item["arguments"])}
        yield {"type": "message", **head, "message": {"role": "assistant", "content": [call]}}
    elif kind == "function_call_output":
        output = item["output"]
        content = output if isinstance(output, str) else [_block_of_codex(block) for block in output]
        yield {"type": "message", **head, "message": {"role": "toolResult", "content": content}}
    elif value["type"] == "response_item":
        yield {"type": "custom", **head, "customType": kind, "data": _without(item, "type")}


def _block_of_codex(block: dict[str, Any]) -> dict[str, Any]:
    if block["type"] == "input_image":
        return {"type": "image", "mimeType": "image/png"}
    return {"type": "text", "text": block["text"]}


def _without(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: field for name, field in value.items() if name not in names}


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _node(value: dict[str, Any]) -> dict[str, Any]:
    message = value.get("message")
    if value["role"] == "condense":
        if not isinstance(message, dict):
            message = {"summary": message}
        summary = message.get("summary")
        if summary is None:
            blocks = message["content"]
            summary = blocks if isinstance(blocks, str) else "\n".join(block["text"] for block in blocks)
        return {"type": "compaction", "id": value.get("id"), "summary": summary}
    if isinstance(message, str):
        message = {"role": value["role"], "content": message}
    entry = {"type": "message", "id": value.get("id"), "message": message}
    return entry | {"meta": value["meta"]} if "meta" in value else entry


def _texts(entry: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    """(kind, text, tool) of every text in an entry."""
    used: set[str] = set()
    kind, message = entry.get("type"), entry.get("message")
    if kind == "message" and isinstance(message, dict):
        yield from _message_texts(message)
        used = {"message"}
    elif kind in ("compaction", "branch_summary") and isinstance(entry.get("summary"), str):
        yield SUMMARY, entry["summary"], ""
        used = {"summary"}
    elif kind == "branch":
        field = "branch_summary" if "branch_summary" in entry else "branchSummary"
        if isinstance(entry.get(field), str):
            yield SUMMARY, entry[field], ""
            used = {field}
    elif kind == "session":
        used = {"cwd"}
    elif kind == "custom_message":
        yield from _content(CUSTOM, entry.get("content"), "")
        used = {"content"}
    yield from _rest(entry, used)


def _message_texts(message: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    role = message.get("role")
    used = {"content"}
    kind = {
        "user": USER, "assistant": ASSISTANT, "toolResult": RESULT, "tool_result": RESULT, "tool": RESULT,
        "bashExecution": SHELL, "pythonExecution": SHELL, "custom": CUSTOM, "hookMessage": CUSTOM,
    }.get(str(role), OTHER)  # fmt: skip
    tool = ""
    if kind == RESULT:
        tool = message.get("toolName") or message.get("tool_name") or ""
        used |= {"toolName", "tool_name", "details"}
    yield from _content(kind, message.get("content"), tool)
    if kind == RESULT:
        for text in _strings(message.get("details")):
            yield RESULT, text, tool
        yield RESULT, tool, tool
    for field in ("command", "code", "output") if kind == SHELL else ():
        if isinstance(message.get(field), str):
            yield SHELL, message[field], ""
            used.add(field)
    if role in ("branchSummary", "compactionSummary") and isinstance(message.get("summary"), str):
        yield SUMMARY, message["summary"], ""
        used.add("summary")
    yield from _rest(message, used)


def _content(kind: int, content: Any, tool: str) -> Iterator[tuple[int, str, str]]:
    if isinstance(content, str):
        yield kind, content, tool
    for block in content if isinstance(content, list) else ():
        if not isinstance(block, dict):
            yield from ((OTHER, text, "") for text in _strings(block))
        elif block.get("type") == "text":
            yield kind, block["text"], tool
            yield from _rest(block, {"text"})
        elif block.get("type") == "thinking":
            yield THINKING if kind == ASSISTANT else OTHER, block["thinking"], ""
            yield from _rest(block, {"thinking"})
        elif block.get("type") in ("toolCall", "tool_call"):
            for text in (block["name"], *_strings(block.get("arguments"), arguments=True)):
                yield CALL, text, block["name"]
            yield from _rest(block, {"name", "arguments"})
        else:
            yield from _rest(block, {"data"} if block.get("type") == "image" else set())


def _rest(fields: dict[str, Any], used: set[str]) -> Iterator[tuple[int, str, str]]:
    for name, value in fields.items():
        if name not in _NOT_FOR_PEOPLE and name not in used:
            yield from ((OTHER, text, "") for text in _strings(value))


def _strings(value: Any, *, arguments: bool = False) -> Iterator[str]:
    """Every text in `value`; for arguments also the names of the fields and numbers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each, arguments=arguments)
    elif isinstance(value, dict):
        for name, each in value.items():
            if arguments:
                yield name
            yield from _strings(each, arguments=arguments)
    elif arguments and value is not None:
        yield json.dumps(value)


# -- comparing; the same few texts are compared again for each way of searching --


@lru_cache(20_000)
def folded(text: str) -> str:
    plain = re.sub(
        "[\uff66-\uff9d][\uff9e\uff9f]|.", lambda match: _plain(match[0]), with_marks(text), flags=re.S
    )
    return normalize("NFC", plain)


@lru_cache(20_000)
def with_marks(text: str) -> str:
    return normalize("NFC", normalize("NFC", text).casefold())


@lru_cache(20_000)
def _plain(char: str) -> str:
    """A character of a text with marks without them, in its usual width."""
    if len(char) == 2 and len(normalize("NFKC", char)) == 2:
        return "".join(map(_plain, char))
    if len(char) == 2 or "\uff01" <= char <= "\uff5e" or "\uff61" <= char <= "\uff9d":
        return normalize("NFKC", char)
    if "\u0300" <= char <= "\u036f":
        return ""
    base, *marks = normalize("NFD", char)
    stroked = {"ø": "o", "ł": "l", "đ": "d", "ё": "е"}
    if marks and name_of(base, "").startswith(("LATIN", "GREEK SMALL")) and char < "\u2000":
        return stroked.get(base, base)
    return stroked.get(char, char)


@lru_cache(20_000)
def counts_marks(text: str) -> bool:
    """Whether a word is not found without its marks."""
    return any(_plain(char) != char for char in with_marks(text) if char < "\uff00")


@lru_cache(100_000)
def found_in(term: Term, text: str) -> bool:
    """Whether a text has a term; its negation is ignored."""
    composed = normalize("NFC", text)
    marked = counts_marks(term.text)
    if term.kind == "word":
        here = folded(term.text) in folded(text) if folded(term.text) else term.exact
        if term.exact:
            return here and normalize("NFC", term.text) in composed
        return here and (not marked or with_marks(term.text) in with_marks(text))
    if term.kind == "phrase":
        loose, strict, between = (
            r"\s+".join(map(re.escape, words.split()))
            for words in (folded(term.text), normalize("NFC", term.text), with_marks(term.text))
        )
        if term.exact:
            return bool(re.search(loose, folded(text)) and re.search(strict, composed))
        return bool(re.search(between, with_marks(text)) if marked else re.search(loose, folded(text)))
    # RE2's classes are those of ASCII, its capitals those of Unicode.
    pattern = term.text.replace(r"\w", "[0-9A-Za-z_]").replace(r"\d", "[0-9]")
    # A line may end with CRLF.
    pattern = pattern.replace("$", r"(?:\r?$)")
    if term.exact:
        return bool(re.search(pattern, composed, re.MULTILINE))
    if marked:
        return bool(re.search(pattern, composed, re.MULTILINE | re.IGNORECASE))
    # In folded text, one letter becomes two.
    return bool(re.search(pattern.replace("ß", "ss"), folded(text), re.MULTILINE | re.IGNORECASE))


class Session(NamedTuple):
    """A session as the reference sees it."""

    row: Row
    pieces: list[Piece]

    def places(self, query: Query) -> list[Place]:
        """All places that `query` searches."""
        found = [
            Place("text", piece.kind, piece.offset, piece.text, piece.entry)
            for piece in self.pieces
            if piece.kind in query.kinds
            and (not query.tools or piece.kind not in (CALL, RESULT) or folded(piece.tool) in query.tools)
        ]
        if query.everywhere:
            row = self.row
            found.append(Place("name", NO_TEXT, -1, row.name or ""))
            found += [Place("label", NO_TEXT, -1, label) for _, label in row.labels]
            found += [Place("folder", NO_TEXT, -1, row.cwd), Place("id", NO_TEXT, -1, row.id)]
            found.append(Place("program", NO_TEXT, -1, row.agent))
        return found

    def place_of(self, term: Term, query: Query) -> int:
        """The best place that has a term: 1 name, 2 conversation, 4 tools; 0 for none."""
        found = [place for place in self.places(query) if found_in(term, place.text)]
        title = "" if self.row.name else self.row.title.replace("…", " ")
        if query.everywhere and USER in query.kinds and title and found_in(term, title):
            return 1
        if any(place.where in ("name", "label") for place in found):
            return 1
        return min((4 if place.kind >= CALL else 2 for place in found), default=0)

    def matches(self, query: Query) -> bool:
        """Whether it has every term and no negated one. Filters are ignored."""
        places = self.places(query)
        return all(
            any(found_in(term, place.text) for place in places) != term.negated for term in query.terms
        )

    def hits(self, query: Query) -> list[Place]:
        """The places with any wanted term."""
        wanted = [term for term in query.terms if not term.negated]
        return [place for place in self.places(query) if any(found_in(term, place.text) for term in wanted)]


def read(rows: Iterable[Row]) -> list[Session]:
    """The sessions of these rows."""
    return [Session(row, pieces(row.path, row.dialect)) for row in rows]


def best_first(sessions: list[Session], query: Query) -> list[str]:
    """The paths of the sessions that match, the best first, as `app.index.search.ranking` defines it.

    :param sessions: those that pass the filters.
    """
    terms = [term for term in query.terms if not term.negated]
    places = {each.row.path: [each.place_of(term, query) for term in terms] for each in sessions}
    rarity = []
    for number in range(len(terms)):
        having = sum(0 < found[number] < 4 for found in places.values())
        rarity.append(math.log(len(sessions) / having) if having else 0.0)

    def key(session: Session) -> tuple[int, float, int, str]:
        found = places[session.row.path]
        tier = max(found, default=0)
        better = math.fsum(rarity[number] for number, place in enumerate(found) if place < tier)
        return tier, -better, -session.row.modified, session.row.path

    return [each.row.path for each in sorted(sessions, key=key) if each.matches(query)]


def loosened(sessions: list[Session], query: Query) -> dict[str, list[str]]:
    """The sessions of the loosened list in their order, each with the words that it lacks."""
    terms = query.terms
    has = {each.row.path: [each.place_of(term, query) > 0 for term in terms] for each in sessions}
    counts = [sum(found[number] for found in has.values()) for number in range(len(terms))]
    rarity = [math.log(len(sessions) / count) if count else 0.0 for count in counts]
    sums = {path: math.fsum(itertools.compress(rarity, found)) for path, found in has.items()}
    some = [each.row for each in sessions if any(has[each.row.path])]
    best = max((sums[row.path] for row in some), default=0.0)
    some = [row for row in some if sums[row.path] >= best / 2]
    some.sort(key=lambda row: (-sums[row.path], -row.modified, row.path))
    return {
        row.path: [term.text for term, there in zip(terms, has[row.path], strict=True) if not there]
        for row in some
    }


def is_nowhere(sessions: list[Session], query: Query) -> bool:
    """Whether a word or an exact term of the query is in no session, so that other spellings are tried."""
    return any(
        not _is_there(sessions, term, query)
        for term in query.terms
        if (term.kind == "word" or term.exact) and not term.negated
    )


def instead_of(sessions: list[Session], query: Query) -> Query | None:
    """The query that is searched instead if `is_nowhere`; None if that depends on similar words."""
    terms = []
    for term in query.terms:
        plain = term.text if term.kind == "regex" else folded(term.text)
        without = Term(term.kind, plain, False, term.negated, term.position, term.length)
        if term.negated or _is_there(sessions, term, query):
            terms.append(term)
        elif _is_narrow(query) and _is_there(sessions, term, Query()):
            terms.append(term)  # It is in other texts.
        elif (term.exact or counts_marks(term.text)) and _is_there(sessions, without, query):
            terms.append(without)
        elif term.kind == "word":
            return None
        else:
            terms.append(term)
    return Query(
        query.text, tuple(terms), query.filters, query.kinds, query.tools, query.everywhere, query.notes
    )


def _is_there(sessions: list[Session], term: Term, query: Query) -> bool:
    """Whether any session has it in the texts that `query` searches."""
    return any(found_in(term, place.text) for session in sessions for place in session.places(query))


def _is_narrow(query: Query) -> bool:
    return not query.everywhere or not query.kinds >= set(range(USER, OTHER + 1))
