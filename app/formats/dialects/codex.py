"""Codex: rollouts, whose lines are what the model was sent and what it sent, between notes for the screen
(formats/README.md, "Codex"). Each line goes on from the one before it, unless turns were rolled back.
"""

from __future__ import annotations

import os
import re
from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from xxhash import xxh3_64_hexdigest

from app.formats.dialects.base import BASE_WITHIN, Base, Dialect, FirstLines, MetadataRecord
from app.formats.dialects.calls import codex_call
from app.formats.dialects.codex_messages import (
    EXIT_CODE,
    TypedMarks,
    answer,
    content_of,
    history_of,
    message_entries,
)
from app.formats.dialects.content_blocks import ToolNames, joined_text
from app.formats.dialects.copies import CodexCopies
from app.formats.json_codec import BadLine, decode
from app.formats.long_lines import shortened
from app.formats.partial_entry import CamelUsage, PartialEntry, partial_entry_of
from app.formats.text import replace_surrogates, valid_string_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.formats.dialects.base import LineReader

_LINES = frozenset(("session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"))
"""Types of the lines of newer rollouts. Lines of the first ones are items without an envelope."""
_FOLDER = re.compile(r"<cwd>([^<]*)</cwd>|Current working directory: ([^\n]*)")
_EXIT_CODE_WITHIN = 400
_NO_ENTRIES = frozenset(("ghost_snapshot",))
_FIRST = 100
"""Lines in which the folder of an old rollout is looked for."""


class Codex(Dialect):
    """Codex."""

    name = "codex"
    one_entry_a_line = False
    lines_are_entries = False
    migrates = False
    writing = None
    is_dated_by_file = True
    knows_prompts = True
    name_marker = b"thread_name"
    copies_stay_in_family = True
    answers: ClassVar[dict[str, str]] = {"api": "openai-codex-responses", "provider": "openai-codex"}

    def copies(self) -> CodexCopies:
        """By the contents of lines."""
        return CodexCopies()

    def reader(self) -> LineReader:
        """A reader that knows the model, the tools and the tokens so far."""
        return _Reader()

    def first_lines(self, path: str, lines: Iterator[bytes]) -> FirstLines | None:
        """The facts of the first `session_meta`, or of the first line of an old rollout."""
        old: FirstLines | None = None
        for number, line in enumerate(lines, 1):
            try:
                value = decode(line)
            except BadLine:
                continue
            meta = value.get("payload")
            if value.get("type") == "session_meta" and isinstance(meta, dict):
                if isinstance(meta.get("id"), str):
                    created = meta.get("timestamp") or value.get("timestamp")
                    own = _own_id(meta["id"], path)
                    return FirstLines(own, meta.get("cwd"), created, _parent(meta), number, _is_spawned(meta))
            elif old is None:
                is_old = "type" not in value and isinstance(value.get("id"), str) and "instructions" in value
                if is_old:
                    old = FirstLines(value["id"], None, value.get("timestamp"), None, number)
            elif (folder := _FOLDER.search(joined_text(value.get("content")))) is not None:
                return old._replace(cwd=(folder[1] or folder[2]).strip(), line=number)
            if old is not None and number >= _FIRST:
                break
        return old

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The entries of the line as it stands for itself, or the fact in it."""
        value = decode(line)
        found: list[PartialEntry] = [partial_entry_of(entry, wrong) for entry in _entries(value, line)]
        return found or _facts(value)

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """The entries of the line; none for a note to the screen and for what describes the session."""
        return _entries(decode(line), line)

    def entry(self, line: bytes, part: int = 0) -> dict[str, Any]:
        """An entry of the line as it stands for itself, or, behind these, as other lines say it is to be
        read.
        """
        value = decode(line)
        entries = _entries(value, line)
        if part >= len(entries):
            entries += _entries(value, line, typed=not _is_prompt(entries))
        if part >= len(entries):
            raise BadLine("the line has no such entry")
        return entries[part]

    def folders(self, cwd: str, used: Sequence[str]) -> tuple[str, ...]:
        """The folders of the turns, the last one first, then that of the beginning."""
        return (*reversed(used), cwd) if used and list(used) != [cwd] else ()

    def base(self, data: bytes) -> Base | None:
        """The rollout that `history_base` of the first line names."""
        for line in data[:BASE_WITHIN].split(b"\n")[:_FIRST]:
            try:
                kind, item = _item(decode(line))
            except BadLine:
                continue
            if kind == "session_meta":
                session_id, base = _base(item), item.get("history_base")
                if session_id is None or not isinstance(base, dict):
                    return None
                ends = (base.get("end_ordinal_exclusive"), base.get("end_byte_offset"))
                return Base(session_id, *(end if type(end) is int and end >= 0 else None for end in ends))
        return None

    def base_lines(self, data: bytes, base: Base) -> bytes:
        """The lines before that ordinal; in a file without ordinals, those before that byte."""
        if base.ordinal is not None:
            end = 0
            while end < len(data):
                stop = data.find(b"\n", end) + 1 or len(data)
                try:
                    ordinal = decode(data[end:stop]).get("ordinal")
                except BadLine:
                    ordinal = None
                if type(ordinal) is int and ordinal >= base.ordinal:
                    return data[:end]
                if ordinal is None and not end:
                    break
                end = stop
            else:
                return data
        return data if base.size is None else data[: data.rfind(b"\n", 0, base.size) + 1]

    def history(self, line: bytes) -> list[dict[str, Any]] | None:
        """The messages of `replacement_history`: the prompts that Codex keeps, and the summary."""
        kind, item = _item(decode(line))
        items = item.get("replacement_history")
        if kind != "compacted" or not isinstance(items, list):
            return None
        return history_of(items, item.get("message"))

    def call_for_pi(self, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """A call of Codex, as pi spells it."""
        return codex_call(name, arguments)

    def partial_entry(self, line: bytes, part: int = 0) -> PartialEntry:
        """The fields of what `entry` gives."""
        return partial_entry_of(self.entry(line, part))

    def metadata_entries(self, line: bytes) -> list[dict[str, Any]]:
        """The name of the session."""
        facts = _facts(decode(line))
        return [{"type": "session_info", "name": fact.name} for fact in facts if fact.type == "session_info"]


def _is_folder(path: str) -> bool:
    return os.path.isabs(path) and "\0" not in path


def _own_id(thread_id: str, path: str) -> str:
    """The id of the rollout at `path`: that of its thread, or that of the rollout alone if the thread has
    several.
    """
    stem = os.path.basename(path).partition(".")[0]
    before, _, own = stem.rpartition("_")
    return own if own and before.endswith(f"-{thread_id}") else thread_id


def _base(meta: dict[str, Any]) -> str | None:
    """The id of the rollout that this one goes on from without repeating it."""
    base = meta.get("history_base")
    thread_id = base.get("thread_id") if isinstance(base, dict) else None
    return thread_id if isinstance(thread_id, str) and thread_id else None


def _is_spawned(meta: dict[str, Any]) -> bool:
    source = meta.get("source")
    return meta.get("thread_source") == "subagent" or (isinstance(source, dict) and "subagent" in source)


def _parent(meta: dict[str, Any]) -> object:
    """The session that this one goes on from, was forked from, or that started it as a sub-agent."""
    if (base := _base(meta)) is not None:
        return base
    source = meta.get("source")
    spawned = source.get("subagent") if isinstance(source, dict) else None
    spawned = spawned.get("thread_spawn") if isinstance(spawned, dict) else None
    started = spawned.get("parent_thread_id") if isinstance(spawned, dict) else None
    return meta.get("forked_from_id") or meta.get("parent_thread_id") or started


def _item(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The type of a line and what it carries; an item of an old rollout is the line.

    :raises BadLine: it is no line of Codex.
    """
    kind = value.get("type")
    if not isinstance(kind, str):
        if isinstance(value.get("record_type"), str) or isinstance(value.get("id"), str):
            return "session_meta", {}
        raise BadLine("a line without a type")
    payload = value.get("payload")
    if "payload" in value or kind in _LINES:
        return kind, payload if isinstance(payload, dict) else {}
    return "response_item", value


def _entries(value: dict[str, Any], line: bytes, *, typed: bool | None = None) -> list[dict[str, Any]]:
    """The entries of a line.

    :param typed: whether other lines say that a person typed the texts in the user's role; None if none does.
    """
    kind, item = _item(value)
    if kind == "compacted":
        entries: list[dict[str, Any]] = [{"type": "compaction", "summary": item.get("message")}]
    elif kind == "response_item":
        entries = _response(item, typed)
    elif kind == "event_msg":
        entries = _event(item)
    elif kind == "session_meta" and (base := _base(item)) is not None:
        lines = item["history_base"].get("end_ordinal_exclusive")
        count = f", after its first {lines:,} lines" if type(lines) is int and lines >= 0 else ""
        fields = {"customType": "history_base", "content": f"Goes on from {base}{count}"}
        entries = [{"type": "custom_message", **fields}]
    else:
        return []
    # Lines have no ids. That of the text of the line is the same whenever it is read.
    entry_id = xxh3_64_hexdigest(shortened(line).strip())[:12]
    head = {"id": entry_id, "parentId": None, "timestamp": value.get("timestamp")}
    return [{"type": entry.pop("type"), **head, **entry} for entry in entries]


def _is_prompt(entries: Sequence[dict[str, Any]]) -> bool:
    return any(entry["type"] == "message" and entry["message"]["role"] == "user" for entry in entries)


def _response(item: dict[str, Any], typed: bool | None) -> list[dict[str, Any]]:
    """The entries of an item of the conversation with the model; `typed` as for `_entries`."""
    kind = item.get("type")
    if not isinstance(kind, str) or kind in _NO_ENTRIES:
        return []
    if kind == "message":
        return message_entries(item, typed)
    if kind == "reasoning":
        parts = (joined_text(item.get("summary")), joined_text(item.get("content")))
        thoughts = "\n\n".join(filter(None, parts))
        return [answer([{"type": "thinking", "thinking": thoughts}])] if thoughts else []
    if kind == "agent_message":
        return [{"type": "custom_message", "customType": kind, "content": content_of(item.get("content"))}]
    if kind == "image_generation_call":
        image = {"type": "image", "data": item.get("result"), "mimeType": "image/png"}
        return [answer([image, {"type": "text", "text": item.get("revised_prompt") or ""}])]
    if kind.endswith("_call"):
        return [answer([_call(kind, item)], "toolUse")]
    if kind.endswith("_output"):
        return [{"type": "message", "message": _result(item)}]
    return [{"type": "custom", "customType": kind, "data": _without_secrets(item)}]


def _without_secrets(item: dict[str, Any]) -> dict[str, Any]:
    return {key: field for key, field in item.items() if key not in ("type", "encrypted_content")}


def _call(kind: str, item: dict[str, Any]) -> dict[str, Any]:
    name = item.get("name") or kind.removesuffix("_call")
    given = next((item[key] for key in ("arguments", "input", "action") if key in item), None)
    if isinstance(given, str):
        parsed = _parsed(given)
        given = {"input": given} if parsed is None else parsed
    return {"type": "toolCall", "id": item.get("call_id") or item.get("id"), "name": name, "arguments": given}


def _parsed(text: str) -> dict[str, Any] | None:
    """The object that a text is; None if it is none."""
    try:
        return decode(text.encode("utf-8", "surrogatepass"))
    except BadLine:
        return None


def _result(item: dict[str, Any]) -> dict[str, Any]:
    output = item.get("output", item.get("tools"))
    failed = False
    if isinstance(output, str) and output.startswith('{"output"'):
        # As the first versions wrote it.
        parsed = _parsed(output) or {}
        output = parsed["output"] if "metadata" in parsed else output
        facts = parsed.get("metadata")
        code = facts.get("exit_code") if isinstance(facts, dict) else None
        failed = isinstance(code, int) and code != 0
    elif isinstance(output, dict):
        failed = output.get("success") is False
        output = next((output[key] for key in ("content", "text") if key in output), [output])
    if isinstance(output, str):
        exit_code = EXIT_CODE.search(output[:_EXIT_CODE_WITHIN])
        failed = failed or (exit_code is not None and int(exit_code[1]) != 0)
    message = {"role": "toolResult", "toolCallId": item.get("call_id"), "content": content_of(output)}
    return message | {"isError": failed}


def _event(item: dict[str, Any]) -> list[dict[str, Any]]:
    """A note for the screen: nearly all of them repeat an item of the conversation."""
    kind = item.get("type")
    if kind == "turn_aborted":
        return [answer([], "aborted")]
    if kind == "error":
        return [_failure(item.get("message"))]
    if kind == "task_complete" and (error := item.get("error")):
        return [_failure(error.get("message") if isinstance(error, dict) else error)]
    return []


def _failure(reason: object) -> dict[str, Any]:
    failed = answer([], "error")
    failed["message"]["errorMessage"] = reason if isinstance(reason, str) and reason else "error"
    return failed


def _facts(value: dict[str, Any]) -> list[PartialEntry]:
    """The facts about the session in a line that is not an entry: its name, or tokens."""
    kind, item = _item(value)
    if kind != "event_msg":
        return []
    name = item.get("thread_name")
    if item.get("type") == "thread_name_updated" and isinstance(name, str):
        return [MetadataRecord(type="session_info", name=replace_surrogates(name))]
    if item.get("type") == "token_count" and (tokens := _tokens(item, "last_token_usage")) is not None:
        return [_usage_of(tokens)]
    return []


def _tokens(item: dict[str, Any], field: str) -> tuple[int, ...] | None:
    """Tokens that were sent, received, read from the cache and written to it."""
    info = item.get("info")
    counts = info.get(field) if isinstance(info, dict) else None
    if not isinstance(counts, dict):
        return None
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_input_tokens")
    if counts.keys().isdisjoint(names):
        return None
    amounts = (counts.get(name) for name in names)
    whole = (int(amount) if type(amount) is float and isfinite(amount) else amount for amount in amounts)
    sent, received, read, written = map(_count, whole)
    # The input includes the cached tokens.
    return max(0, sent - read - written), received, read, written


def _usage_of(tokens: tuple[int, ...]) -> MetadataRecord:
    sent, received, read, written = tokens
    usage = CamelUsage(input=sent, output=received, cache_read=read, cache_write=written)
    return MetadataRecord(type="usage", usage=usage)


def _count(value: object) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value < 1 << 53 else 0  # type: ignore[operator,return-value]


class _Reader:
    """The lines of one file. It knows what was read before:

    - The parent of each entry is the one before it. A line that is equal to an earlier one gets another id.
    - Turns that were rolled back are a branch: the entry before them is the leaf, and the next line's parent.
    - An answer is by the model of the latest turn.
    - A result has the name of the tool that was called.
    - Token counts are sums and are repeated: each adds only the difference to the one before. The first sum
      of a session with a parent has the tokens of the parent as well, and only its last request is new.
    - A second `session_meta` is that of the session that this one was forked from.
    - Which texts in the user's role a person typed. A note for the screen repeats each of them. In a file
      without such notes, the beginning of a text decides. Newer versions note it in the line itself.
    """

    def __init__(self) -> None:
        self._last: str | None = None
        self._before_turns: list[str | None] = []
        self._ids: dict[str, int] = {}
        self._tools = ToolNames()
        self._provider: str | None = None
        self._model: str | None = None
        self._sums: tuple[int, ...] | None = None
        self._id = ""
        self._parent: object = None
        self._continues = False
        self._marks = TypedMarks()
        self._has_failed = False

    def foresee(self, lines: bytes) -> None:
        """Remember the prompts that notes for the screen in the next lines repeat."""
        self._marks.add(lines)

    def again(self) -> LineReader | None:
        """None: no line takes the place of another."""
        return None

    def partial_entries(self, line: bytes, wrong: list[str] | None = None) -> Sequence[PartialEntry]:
        """The entry of the line in its place, then the leaf; or the fact in the line."""
        value = decode(line)
        kind, item = _item(value)
        if kind == "turn_context":
            if isinstance(item.get("model"), str):
                self._model = replace_surrogates(item["model"])
            folder = valid_string_of(item.get("cwd"))
            return (MetadataRecord(type="folder", name=folder),) if _is_folder(folder) else ()
        if kind == "session_meta":
            if isinstance(item.get("model_provider"), str):
                self._provider = self._provider or replace_surrogates(item["model_provider"])
            if copied := self._meta(item):
                return (MetadataRecord(type="parent", name=copied),)
        elif kind == "event_msg" and item.get("type") == "token_count":
            return self._with_model(self._count_tokens(item), item)
        elif kind == "event_msg" and item.get("type") == "thread_rolled_back":
            return self._roll_back(_count(item.get("num_turns")))
        if kind == "session_meta" and self._last is not None:
            # The entries of the rollout that it names were read before it.
            return ()
        entries = _entries(value, line)
        if not entries:
            return _facts(value)
        if self._has_failed and item.get("type") == "task_complete":
            # The end of a turn repeats the error in it.
            return ()
        self._has_failed = kind == "event_msg" and item.get("type") == "error"
        found: list[PartialEntry] = []
        typed = self._marks.is_typed(item) if kind == "response_item" else None
        if typed is not None and typed is not _is_prompt(entries):
            # `Codex.entry` has the other reading behind that of the line alone.
            found += [MetadataRecord(type="skip") for _ in entries]
            entries = _entries(value, line, typed=typed)
        for entry in entries:
            partial = partial_entry_of(entry, wrong)
            self._place(partial)
            self._complete(entry, partial)
            found += [partial, MetadataRecord(type="leaf", target_id=partial.id)]
        return found

    def _meta(self, item: dict[str, Any]) -> str | None:
        """The id of the session that this one repeats, if the line is the first that tells it."""
        own, had_parent = valid_string_of(item.get("id")), self._parent is not None
        self._parent = self._parent or _parent(item)
        self._continues = self._continues or _base(item) is not None
        if not self._id:
            self._id = own
        elif own and own != self._id and not had_parent:
            self._parent = own
            return own
        return None

    def _place(self, partial: PartialEntry) -> None:
        entry_id = partial.id or ""
        again = self._ids.get(entry_id, 0)
        self._ids[entry_id] = again + 1
        partial.id = f"{entry_id}#{again}" if again else entry_id
        if partial.message is not None and partial.message.role == "user":
            self._before_turns.append(self._last)
        partial.parent_id, self._last = self._last, partial.id

    def _roll_back(self, turns: int) -> Sequence[PartialEntry]:
        """Go back to the entry before the last turns; each begins with a prompt."""
        if turns == 0 or not self._before_turns:
            return ()
        first = max(0, len(self._before_turns) - turns)
        self._last = self._before_turns[first]
        del self._before_turns[first:]
        return (MetadataRecord(type="leaf", target_id=self._last),)

    def _complete(self, entry: dict[str, Any], partial: PartialEntry) -> None:
        self._tools.complete(entry, partial)
        if partial.message is not None and partial.message.role == "assistant":
            partial.message.model = self._model
            partial.message.provider = self._provider if self._model else None

    def _with_model(self, records: Sequence[PartialEntry], item: dict[str, Any]) -> Sequence[PartialEntry]:
        """The records of a count, with the model that was asked and the size of its request."""
        last = _tokens(item, "last_token_usage")
        for record in records:
            record.model, record.provider = self._model, self._provider if self._model else None
            if last is not None and record.usage is not None:
                record.usage.prompt = last[0] + last[2] + last[3]
        return records

    def _count_tokens(self, item: dict[str, Any]) -> Sequence[PartialEntry]:
        tokens = _tokens(item, "total_token_usage")
        if tokens is None:
            return _facts({"type": "event_msg", "payload": item})
        before, self._sums = self._sums, tokens
        if before is None:
            last = _tokens(item, "last_token_usage")
            if last is None and self._continues:
                last = (0, 0, 0, 0)
            if last is not None and (not any(last) or (self._parent is not None and sum(last) < sum(tokens))):
                return [_usage_of(last)]
        if before is None or sum(tokens) < sum(before):
            # The sums begin.
            before = (0, 0, 0, 0)
        return [_usage_of(tuple(max(0, now - then) for now, then in zip(tokens, before, strict=True)))]
