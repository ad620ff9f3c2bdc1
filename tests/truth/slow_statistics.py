"""Statistics computed slowly, from the files alone, to compare with `app.index.statistics`.

Every session is read with `json` and nothing of leafmark. All entries of all sessions are compared with each
other, in the order in which the sessions began, parents before their forks: by id and time, in Claude Code by
the answers, in Codex by the contents behind the same prompts, with the sessions that it was forked from.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from datetime import UTC, datetime
from functools import cache
from typing import Any

from xxhash import xxh3_64_hexdigest

from app.formats import PRICES

LONGEST_GAP = 300_000
_TOKENS = ("input", "output", "cache_read", "cache_write")
_COSTS = ("cost", "cost_abandoned", "estimated", "unpriced")
_SPENT = (*_TOKENS, *_COSTS)
_NOT_SPENT: dict[str, Any] = {"turns": 0, "messages": 0, "active_seconds": 0, "calls": (), "failed": ()}


class Session:
    """A session: its header, and its entries with what each counts."""

    def __init__(self, path: str, agent: str) -> None:
        self.path, self.agent = path, agent
        if agent in ("claude", "codex"):
            with open(path, "rb") as data:
                read = [(json.loads(line.decode("utf-8", "replace")), line) for line in data if line.strip()]
            found = _of_claude(path, read) if agent == "claude" else _of_codex(read)
            self.header, self.entries = found
            self.created = _ms(self.header.get("timestamp")) or 0
            self.parent = self.header.get("parentSession") or ""
            self._read()
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [json.loads(line) for line in file if line.strip()]
        heads = [line for line in lines if line["type"] in ("session", "title") and "parentId" not in line]
        self.header = next(head for head in heads if head["type"] == "session")
        self.entries = [line for line in lines if line not in heads]
        self.created = _ms(self.header.get("timestamp")) or 0
        self.parent = self.header.get("parentSession") or self.header.get("branchedFrom") or ""
        for entry in self.entries:
            self.parent = self.parent or entry.get("parent_session_path", "")
        if not any("id" in entry for entry in self.entries):
            for number, entry in enumerate(self.entries):
                entry["id"] = f"{number:08x}"
                entry["parentId"] = self.entries[number - 1]["id"] if number else None
        self._read()

    def _read(self) -> None:
        path: set[str] = set()
        by_id = {entry["id"]: entry for entry in self.entries}
        at = self.entries[-1]["id"] if self.entries else None
        while at in by_id and at not in path:
            path.add(at)
            at = by_id[at].get("parentId")
        if self.agent in ("agent", "claude", "codex"):
            # The others write no costs, so that none are on an abandoned branch.
            path = set(by_id)
        models = [_model(entry) for entry in self.entries]
        model = next(filter(None, models), "")
        latest: int | None = None
        for entry, answered in zip(self.entries, models, strict=True):
            time = _ms(entry.get("timestamp"))
            if time is None:
                time = self.created if latest is None else latest
            gap = 0
            if entry["type"].endswith(("message", "summary", "compaction")):
                # Labels, names and changes of the model are no part of the conversation.
                gap = 0 if latest is None else min(max(0, time - latest), LONGEST_GAP)
                latest = time if latest is None else max(latest, time)
            model = answered or model
            entry["#"] = _counts(entry, time, model, gap, entry["id"] in path)


def _of_claude(
    path: str, lines: list[tuple[dict[str, Any], bytes]]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The header and the entries of a session of Claude Code, as pi spells them."""
    lines = [each for each in lines if "uuid" in each[0]]
    first = lines[0][0]
    header = {"id": os.path.splitext(os.path.basename(path))[0], "cwd": first.get("cwd", "")}
    header |= {"timestamp": first["timestamp"], "parentSession": first.get("forkedFrom", {}).get("sessionId")}
    entries: list[dict[str, Any]] = []
    tools: dict[str, str] = {}
    spent: dict[str, dict[str, int]] = {}
    for line, _ in lines:
        kind, message = line["type"], line.get("message")
        entry = {"id": line["uuid"], "timestamp": line["timestamp"], "type": "message"}
        if kind == "progress":
            continue
        if line.get("isMeta") and kind == "user":
            entry["type"] = "custom_message"
        elif line.get("isCompactSummary"):
            entry["type"] = "compaction"
        elif kind == "system":
            entry["type"] = "custom"
        elif kind == "assistant":
            blocks = [
                {**block, "type": "toolCall"} if block["type"] == "tool_use" else block
                for block in message["content"]
            ]
            tools |= {block["id"]: block["name"] for block in blocks if block["type"] == "toolCall"}
            usage = {ours: message["usage"][theirs] for theirs, ours in _CLAUDE_AMOUNTS.items()}
            before = spent.get(message["id"], {})
            spent[message["id"]] = usage
            new = {name: amount - before.get(name, 0) for name, amount in usage.items()}
            entry["same"] = ("answer", message["id"], json.dumps(blocks))
            entry["message"] = {
                "role": "assistant",
                "content": blocks,
                "model": message["model"],
                "usage": new,
            }
        elif isinstance(message["content"], list) and message["content"][0]["type"] == "tool_result":
            [result] = message["content"]
            told = {"role": "toolResult", "toolName": tools.get(result["tool_use_id"], "")}
            entry["message"] = told | {"isError": result.get("is_error", False)}
        else:
            entry["message"] = message
        entry.setdefault("same", ("line", line["uuid"]))
        entries.append(entry)
    return header, entries


_CLAUDE_AMOUNTS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_input_tokens": "cacheRead",
    "cache_creation_input_tokens": "cacheWrite",
}


def _of_codex(lines: list[tuple[dict[str, Any], bytes]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The same of a session of Codex."""
    meta = lines[0][0]["payload"]
    header = {"id": meta["id"], "cwd": meta.get("cwd", ""), "timestamp": meta["timestamp"]}
    header["parentSession"] = meta.get("forked_from_id")
    entries: list[dict[str, Any]] = []
    seen: dict[str, int] = defaultdict(int)
    tools: dict[str, str] = {}
    sums = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)
    early: dict[str, Any] = dict(sums)
    begins = True
    model = ""
    prompts: list[str] = []
    for line, data in lines:
        item = line["payload"]
        kind = item.get("type")
        told: dict[str, Any] | None = None
        if line["type"] == "turn_context":
            model = item["model"]
        elif kind == "token_count" and item["info"]:
            usage = item["info"]["total_token_usage"]
            read, written = usage["cached_input_tokens"], usage.get("cache_write_input_tokens", 0)
            now = {"input": usage["input_tokens"] - read - written, "output": usage["output_tokens"]}
            now |= {"cacheRead": read, "cacheWrite": written}
            if not (begins and not any(item["info"].get("last_token_usage", {1: 1}).values())):
                own = entries[-1].setdefault("more", dict.fromkeys(sums, 0)) if entries else early
                own["model"] = f"openai/{model}"
                for name in sums:
                    own[name] += now[name] - sums[name]
            sums, begins = now, False
        elif line["type"] == "compacted":
            told = {"type": "compaction"}
        elif kind in ("turn_aborted", "error") or item.get("role") == "assistant" or kind == "reasoning":
            told = {"message": {"role": "assistant"}}
        elif kind in ("function_call", "custom_tool_call"):
            tools[item["call_id"]] = item["name"]
            call = {"type": "toolCall", "name": item["name"]}
            told = {"message": {"role": "assistant", "content": [call]}}
        elif kind in ("function_call_output", "custom_tool_call_output"):
            failed = re.match(r"Exit code: [1-9]", item["output"]) is not None
            name = tools.get(item["call_id"], "")
            told = {"message": {"role": "toolResult", "toolName": name, "isError": failed}}
        elif kind == "message":
            is_context = item["role"] != "user" or "<environment_context>" in json.dumps(item["content"])
            told = {"type": "custom_message"} if is_context else {"message": {"role": "user"}}
        if told is None:
            continue
        if told.get("message", {}).get("role") == "assistant":
            told["message"] |= {"provider": "openai", "model": model}
        digest = xxh3_64_hexdigest(data.strip())[:12]
        own_id = f"{digest}#{seen[digest]}" if seen[digest] else digest
        seen[digest] += 1
        content = json.dumps(item)
        again = sum(entry["same"][:2] == (tuple(prompts), content) for entry in entries)
        same = (tuple(prompts), content, again)
        entries.append({"type": "message", "id": own_id, "timestamp": line["timestamp"], **told})
        entries[-1]["same"] = same
        if len(entries) == 1:
            entries[0]["more"] = early
        if told.get("message", {}).get("role") == "user":
            prompts.append(content)
    return header, entries


def _ms(stamp: Any) -> int | None:
    if not isinstance(stamp, str):
        return None
    moment = datetime.fromisoformat(stamp)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000


def _model(entry: dict[str, Any]) -> str:
    message = entry.get("message") or {}
    if entry["type"] != "message" or message.get("role") != "assistant" or not message.get("model"):
        return ""
    return f"{message['provider']}/{message['model']}" if message.get("provider") else message["model"]


def _counts(entry: dict[str, Any], time: int, model: str, gap: int, on_path: bool) -> dict[str, Any]:
    message = entry.get("message") if entry["type"] == "message" else None
    role = message["role"] if message else ""
    content = message.get("content") if message else None
    blocks = content if isinstance(content, list) else []
    calls = [block["name"] for block in blocks if block.get("type") in ("toolCall", "tool_call")]
    is_result = role in ("toolResult", "tool_result")
    failed = is_result and (message.get("isError") or message.get("is_error"))
    usage = (message or {}).get("usage") if role == "assistant" or is_result else None
    spender = "tools" if is_result else model
    if entry["type"] in ("usage", "model_usage", "compaction", "branch_summary"):
        usage = entry.get("usage")
        named = "/".join(filter(None, (entry.get("provider"), entry.get("model"))))
        spender = "tools" if entry["type"] in ("compaction", "branch_summary") else named or model
    usage = usage or entry.get("more") or {}
    cost, estimated, unpriced = (usage.get("cost") or {}).get("total"), 0.0, 0
    if cost is None:
        cost, unpriced = _estimate("" if spender == "tools" else usage.get("model", spender), usage)
        estimated = cost
    return {
        "time": time,
        "model": model,
        "spender": spender,
        "calls": calls if role == "assistant" else [],
        "failed": [(message.get("toolName") or message.get("tool_name") or "")] if failed else [],
        "turns": int(role == "user"),
        "messages": int(bool(message)),
        "input": usage.get("input") or 0,
        "output": usage.get("output") or 0,
        "cache_read": usage.get("cacheRead") or usage.get("cache_read") or 0,
        "cache_write": usage.get("cacheWrite") or usage.get("cache_write") or 0,
        "cost": cost,
        "cost_abandoned": 0 if on_path else cost,
        "estimated": estimated,
        "unpriced": unpriced,
        "active_seconds": gap / 1000,
    }


def _estimate(model: str, usage: dict[str, Any]) -> tuple[float, int]:
    """Dollars at list price, and the number of tokens without a price."""
    names = (
        ("input", "input"),
        ("output", "output"),
        ("cacheRead", "cache_read"),
        ("cacheWrite", "cache_write"),
    )
    amounts = [usage.get(one) or usage.get(other) or 0 for one, other in names]
    price = PRICES.get(re.sub(r"-20\d{6}$|-20\d\d-\d\d-\d\d$", "", model.rpartition("/")[2]))
    if price is None:
        return 0.0, sum(amounts)
    return sum(each * dollars for each, dollars in zip(amounts, price, strict=False)) / 1e6, 0


def _order(sessions: list[Session]) -> list[Session]:
    """Parents before their forks, otherwise by the time in the header."""
    waiting = sorted(sessions, key=lambda session: (session.created, session.path))
    named = {session.path: session for session in sessions}
    named |= {session.header["id"]: session for session in sessions}
    done: list[Session] = []
    while waiting:
        ready = [session for session in waiting if named.get(session.parent) not in waiting]
        done.append(ready[0])
        waiting.remove(ready[0])
    return done


def totals(files: list[tuple[str, str]], group_by: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The total of some sessions, and the figures by group, as `leafmark stats --json` prints them.

    :param files: path and agent of each session.
    :param group_by: day, week, project, model, agent, tool or session.
    """
    seen: dict[str, set[Any]] = defaultdict(set)
    spelled: dict[str, list[str]] = defaultdict(list)
    total = _nothing()
    groups: dict[str, dict[str, Any]] = defaultdict(_nothing)
    sessions = _order([Session(path, agent) for path, agent in files])
    for session in sessions:
        total["sessions"] += 1
        own_names = {
            "project": session.header.get("cwd", ""),
            "agent": session.agent,
            "session": session.path,
        }
        names = {own_names[group_by]} if group_by in own_names else set()
        for counts in (entry["#"] for entry in _own(session, sessions, seen)):
            _add(total, counts)
            moment = datetime.fromtimestamp(counts["time"] / 1000)
            if group_by == "tool":
                for tool in counts["calls"]:
                    groups[tool.casefold()]["tool_calls"] += 1
                    spelled[tool.casefold()].append(tool)
                for tool in counts["failed"]:
                    groups[tool.casefold()]["tool_errors"] += 1
                    spelled[tool.casefold()] += []
                names = {*names, *map(str.casefold, counts["calls"] + counts["failed"])}
                continue
            name = {
                "day": f"{moment:%Y-%m-%d}",
                "week": f"{moment:%G-W%V}",
                "project": session.header.get("cwd", ""),
                "model": counts["model"],
                **own_names,
            }[group_by]
            names = {*names, name}
            spends = counts["cost"] or any(counts[each] for each in _TOKENS)
            if group_by == "model" and spends and counts["spender"] != name:
                own = {each: counts[each] for each in _SPENT}
                names.add(counts["spender"])
                _add(groups[counts["spender"]], {**_NOT_SPENT, **own})
                counts = {**counts, **dict.fromkeys(_SPENT, 0)}
            _add(groups[name], counts)
        for name in names:
            groups[name]["sessions"] += 1
    for name, spellings in spelled.items():
        groups[max(sorted(set(spellings)), key=spellings.count, default=name)] = groups.pop(name)
    return _told(total), {name: _told(group) for name, group in groups.items()}


def _told(group: dict[str, Any]) -> dict[str, Any]:
    """A group with the fields about its cost as they are printed."""
    estimated, unpriced = group.pop("estimated"), group.pop("unpriced")
    group |= {"cost_estimated": estimated > 0, "cost_partial": unpriced > 0}
    if unpriced and not group["cost"]:
        group["cost"] = None
    if estimated:
        # The branches of Claude Code, Codex and nickcecere/agent are not read here.
        del group["cost_abandoned"]
    return group


def _own(session: Session, sessions: list[Session], seen: dict[str, set[Any]]) -> list[dict[str, Any]]:
    """The entries that no session before has.

    :param seen: name of a family -> its entries so far; each session of Codex has a family.
    """
    families = [""]
    if session.agent == "codex":
        above: Session | None = session
        families = []
        while above is not None and above.header["id"] not in families:
            families.append(above.header["id"])
            parent = above.parent
            above = next((each for each in sessions if parent and each.header["id"] == parent), None)
            if parent and above is None:
                families.append(parent)
    own: list[dict[str, Any]] = []
    is_copied = False
    kept = set()
    for entry in reversed(session.entries):
        same = entry.get("same") or (entry["id"], _ms(entry.get("timestamp")))
        kept.add(same)
        is_known = any(same in seen[family] for family in families)
        if same[0] == "answer":
            is_copied = is_known
        if not is_known and not is_copied:
            own.append(entry)
    for family in {families[0], families[-1]} if session.agent == "codex" else families:
        named = {each.header["id"] for each in sessions}
        if family == families[0] or family not in named:
            seen[family] |= kept
    return own


def _nothing() -> dict[str, Any]:
    tokens = dict.fromkeys(("input", "output", "cache_read", "cache_write"), 0)
    plain = ("sessions", "turns", "messages", "tool_calls", "tool_errors", *_COSTS)
    return dict.fromkeys(plain, 0) | {"active_seconds": 0.0, "tokens": tokens}


def _add(group: dict[str, Any], counts: dict[str, Any]) -> None:
    for name in ("turns", "messages", *_COSTS, "active_seconds"):
        group[name] += counts[name]
    for name in group["tokens"]:
        group["tokens"][name] += counts[name]
    group["tool_calls"] += len(counts["calls"])
    group["tool_errors"] += len(counts["failed"])


@cache
def can_read(path: str, agent: str) -> bool:
    """Whether `json` can read the session: it cannot if a line is nested very deeply."""
    try:
        Session(path, agent)
    except RecursionError:
        return False
    return True
