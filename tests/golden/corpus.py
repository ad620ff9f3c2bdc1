"""A small home folder with sessions of all four agents, the same to the byte each time.

It is written with the standard library alone and holds each thing that the formats know: old versions, branches,
labels, names, tool calls, images, compactions, damage, and text that a terminal would act on.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

START_MS = 1_777_636_800_000
"""2026-05-01 12:00:00 UTC in milliseconds: a day before the frozen clock."""

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP4z8DA8J+BgYHhPwMDAwMAHxgE/6ndUzYAAAAASUVORK5CYII="

Line = dict[str, Any]


def stamp(minutes: float) -> str:
    """The ISO time so many minutes after `START_MS`."""
    seconds = START_MS // 1000 + int(minutes * 60)
    days, rest = divmod(seconds - 1_777_593_600, 86_400)  # since 2026-05-01 00:00:00
    return f"2026-05-{1 + days:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}.000Z"


def header(session_id: str, cwd: str, minutes: float, **more: Any) -> Line:
    return {
        "type": "session",
        "version": 3,
        "id": session_id,
        "timestamp": stamp(minutes),
        "cwd": cwd,
        **more,
    }


def entry(kind: str, entry_id: str, parent: str | None, minutes: float, **more: Any) -> Line:
    return {"type": kind, "id": entry_id, "parentId": parent, "timestamp": stamp(minutes), **more}


def message(entry_id: str, parent: str | None, minutes: float, role: str, content: Any, **more: Any) -> Line:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    body = {"role": role, "content": blocks, "timestamp": START_MS + int(minutes * 60_000), **more}
    return entry("message", entry_id, parent, minutes, message=body)


def usage(tokens: int) -> Line:
    return {
        "provider": "anthropic",
        "model": "claude-sonnet-4",
        "stopReason": "stop",
        "usage": {
            "input": tokens,
            "output": tokens // 4,
            "cacheRead": tokens * 3,
            "cacheWrite": tokens // 2,
            "totalTokens": tokens * 5,
            "cost": {
                "input": 0.01,
                "output": 0.02,
                "cacheRead": 0.001,
                "cacheWrite": 0.002,
                "total": tokens / 1e5,
            },
        },
    }


def call(call_id: str, name: str, **arguments: Any) -> Line:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def result(
    entry_id: str, parent: str, minutes: float, call_id: str, name: str, text: str, failed: bool = False
) -> Line:
    more = {"toolCallId": call_id, "toolName": name, "isError": failed}
    return message(entry_id, parent, minutes, "toolResult", text, **more)


def branched(cwd: str) -> list[Line]:
    """A session with three branches, labels, a name, tool calls and a compaction."""
    answer = usage(1200)
    return [
        header("0195a000-0000-7000-8000-000000000001", cwd, 0),
        entry("model_change", "b0000001", None, 0, provider="anthropic", modelId="claude-sonnet-4"),
        entry("thinking_level_change", "b0000002", "b0000001", 0, thinkingLevel="medium"),
        message("b0000003", "b0000002", 1, "user", "Why does the login fail after the token is renewed?"),
        message(
            "b0000004",
            "b0000003",
            2,
            "assistant",
            [
                {"type": "thinking", "thinking": "The cookie may be older than the token."},
                {
                    "type": "text",
                    "text": "I look at **session.py** first.\n\n```python\ndef renew(token):\n    return token\n```",
                },
                call("call_1", "read", path="src/session.py", limit=80),
            ],
            **(answer | {"stopReason": "toolUse"}),
        ),
        result("b0000005", "b0000004", 3, "call_1", "read", "def renew(token):\n    return token\n" * 6),
        message("b0000006", "b0000005", 4, "assistant", "The token is read before it is renewed.", **answer),
        message("b0000007", "b0000006", 5, "user", "Cache it in memory."),
        message(
            "b0000008",
            "b0000007",
            6,
            "assistant",
            [
                call(
                    "call_2",
                    "edit",
                    path="src/session.py",
                    oldText="return token",
                    newText="return cache(token)",
                )
            ],
            **(answer | {"stopReason": "toolUse"}),
        ),
        result("b0000009", "b0000008", 7, "call_2", "edit", "Edited src/session.py"),
        message(
            "b000000a", "b0000009", 8, "assistant", "Done. The cache holds it for five minutes.", **answer
        ),
        message("b000000b", "b0000006", 9, "user", "Use redis instead."),
        message(
            "b000000c",
            "b000000b",
            10,
            "assistant",
            [call("call_3", "bash", command="pip install redis && pytest -q")],
            **(answer | {"stopReason": "toolUse"}),
        ),
        result(
            "b000000d",
            "b000000c",
            11,
            "call_3",
            "bash",
            "ERROR: 2 failed, 14 passed\nexit status 1",
            failed=True,
        ),
        message(
            "b000000e", "b000000d", 12, "assistant", "Two tests fail because redis is not running.", **answer
        ),
        entry("label", "b000000f", "b000000e", 12.5, targetId="b0000006", label="cause"),
        entry("label", "b0000010", "b000000f", 12.6, targetId="b000000a", label="works"),
        entry("session_info", "b0000011", "b0000010", 12.7, name="Login token"),
        message("b0000012", "b0000011", 13, "user", "Start redis in the fixture."),
        entry(
            "compaction",
            "b0000013",
            "b0000012",
            14,
            summary="The login failed because the token was read too early. Redis is tried.",
            firstKeptEntryId="b000000e",
            tokensBefore=5400,
        ),
        message(
            "b0000014",
            "b0000013",
            15,
            "assistant",
            "The fixture starts redis now, and 16 tests pass.",
            **answer,
        ),
        entry(
            "branch_summary",
            "b0000015",
            "b0000003",
            16,
            fromId="b0000014",
            summary="Redis was tried and works.",
        ),
        message(
            "b0000016", "b0000015", 17, "user", "Explain the cookie once more: Größe, naïve, 日本語, 🦊."
        ),
        message(
            "b0000017",
            "b0000016",
            18,
            "assistant",
            "- it is set once\n- it is read twice\n\n| a | b |\n|---|---|\n| 1 | 2 |",
            **answer,
        ),
    ]


def plain(
    session_id: str, cwd: str, minutes: float, *texts: str, prefix: str = "c", **more: Any
) -> list[Line]:
    """A straight conversation, the user first."""
    lines = [header(session_id, cwd, minutes, **more)]
    parent: str | None = None
    for number, text in enumerate(texts):
        entry_id = f"{prefix}{number:07x}"
        if number % 2:
            lines.append(
                message(entry_id, parent, minutes + number, "assistant", text, **usage(300 + number))
            )
        else:
            lines.append(message(entry_id, parent, minutes + number, "user", text))
        parent = entry_id
    return lines


def title_slot(title: str) -> bytes:
    """oh-my-pi's first line, which always has 256 bytes."""
    fields = {"type": "title", "v": 1, "title": title, "source": "user", "updatedAt": stamp(0), "pad": ""}
    short = json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()
    fields["pad"] = " " * (255 - len(short))
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def encoded(lines: list[Line]) -> bytes:
    return b"".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in lines
    )


def dashed(path: str) -> str:
    return "--" + path.strip("/").replace("/", "-") + "--"


def put(path: Path, data: bytes, minutes: float) -> None:
    """Write a file whose modification time lies so many minutes after the start."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    at_ns = (START_MS + int(minutes * 60_000)) * 1_000_000
    os.utime(path, ns=(at_ns, at_ns))


def write(root: Path) -> None:
    """Write `root`/home with the sessions and `root`/work with their projects."""
    home, work = root / "home", root / "work"
    shop, site = str(work / "shop"), str(work / "site")
    for folder in (home, Path(shop), Path(site), root / "bin"):
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("pi", "omp", "indusagi", "agent"):
        program = root / "bin" / name
        program.write_text('#!/bin/sh\necho "$0 $*" in "$PWD"\n')
        program.chmod(0o755)
    _write_pi(home / ".pi/agent/sessions", shop, site)
    _write_omp(home / ".omp/agent/sessions", shop)
    _write_others(home, shop)


def _write_pi(store: Path, shop: str, site: str) -> None:
    put(
        store / dashed(shop) / "2026-05-01T12-00-00-000Z_0195a000-0000-7000-8000-000000000001.jsonl",
        encoded(branched(shop)),
        18,
    )
    fork = plain(
        "0195a000-0000-7000-8000-000000000002", shop, 10, "Use redis instead.", "It runs.", prefix="d"
    )
    fork[0]["parentSession"] = str(
        store / dashed(shop) / "2026-05-01T12-00-00-000Z_0195a000-0000-7000-8000-000000000001.jsonl"
    )
    put(
        store / dashed(shop) / "2026-05-01T12-10-00-000Z_0195a000-0000-7000-8000-000000000002.jsonl",
        encoded(fork),
        11,
    )
    image = plain(
        "0195a000-0000-7000-8000-000000000003",
        site,
        -160,
        "What is in this picture?",
        "Two squares.",
        prefix="e",
    )
    image[1]["message"]["content"].append({"type": "image", "data": PIXEL, "mimeType": "image/png"})
    put(
        store / dashed(site) / "2026-05-01T12-40-00-000Z_0195a000-0000-7000-8000-000000000003.jsonl",
        encoded(image),
        -159,
    )
    hostile = plain(
        "0195a000-0000-7000-8000-000000000004",
        site,
        -150,
        "\x1b[31mred\x1b[0m \u202egnp.exe\u202c [bold]markup[/bold] tab\there",
        "The text is harmless.\x07",
        prefix="f",
    )
    put(
        store / dashed(site) / "2026-05-01T12-50-00-000Z_0195a000-0000-7000-8000-000000000004.jsonl",
        encoded(hostile),
        -149,
    )
    damaged = encoded(
        plain("0195a000-0000-7000-8000-000000000005", site, -140, "Half of this is lost", "Yes.", prefix="a")
    )
    lines = damaged.splitlines(keepends=True)
    torn = (
        lines[0]
        + lines[1]
        + b'{"type":"message","id":\n'
        + lines[2]
        + b'{"type":"message","id":"a00000ff","par'
    )
    put(
        store / dashed(site) / "2026-05-01T13-00-00-000Z_0195a000-0000-7000-8000-000000000005.jsonl",
        torn,
        -139,
    )
    first: list[Line] = [
        {
            "type": "session",
            "id": "0195a000-0000-7000-8000-000000000006",
            "timestamp": stamp(-130),
            "cwd": shop,
        },
        *(
            {
                "type": "message",
                "timestamp": stamp(-129 + at),
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }
            for at, (role, text) in enumerate(
                (("user", "A session of version 1"), ("assistant", "It has no ids."))
            )
        ),
    ]
    put(
        store / dashed(shop) / "2026-05-01T13-10-00-000Z_0195a000-0000-7000-8000-000000000006.jsonl",
        encoded(first),
        -128,
    )
    put(
        store / dashed(shop) / "2026-05-01T13-20-00-000Z_not-a-session.jsonl",
        b"these are no sessions\n",
        -120,
    )
    put(store / dashed(shop) / "2026-05-01T13-30-00-000Z_empty.jsonl", b"", -119)
    gone = plain(
        "0195a000-0000-7000-8000-000000000007",
        "/nowhere/gone",
        -110,
        "Its folder is gone",
        "It is.",
        prefix="9",
    )
    put(
        store / "--nowhere-gone--" / "2026-05-01T13-40-00-000Z_0195a000-0000-7000-8000-000000000007.jsonl",
        encoded(gone),
        -109,
    )


def _write_omp(store: Path, shop: str) -> None:
    folder = store / dashed(shop)
    tool = plain(
        "0195b000-0000-7000-8000-000000000001",
        shop,
        -100,
        "Read the long log",
        "artifact://0 has it.",
        prefix="1",
    )
    stem = "2026-05-01T13-40-00-000Z_0195b000-0000-7000-8000-000000000001"
    put(folder / f"{stem}.jsonl", title_slot("Long log") + encoded(tool), -99)
    put(folder / stem / "0.bash.log", b"line of a long log\n" * 40, -99)
    agent = plain(
        "0195b000-0000-7000-8000-0000000000a1", shop, -100, "Find the error", "It is in line 7.", prefix="2"
    )
    put(folder / stem / "Finder.jsonl", encoded(agent), -99)
    bare = plain(
        "0195b000-0000-7000-8000-000000000002",
        shop,
        -90,
        "A session without a title line",
        "So it is.",
        prefix="3",
    )
    put(folder / "2026-05-01T13-50-00-000Z_0195b000-0000-7000-8000-000000000002.jsonl", encoded(bare), -89)


def _write_others(home: Path, shop: str) -> None:
    indusagi = plain(
        "0195c000-0000-7000-8000-000000000001", shop, -80, "A question to indusagi", "An answer.", prefix="4"
    )
    put(
        home
        / ".indusagi/agent/sessions"
        / dashed(shop)
        / "2026-05-01T14-00-00-000Z_0195c000-0000-7000-8000-000000000001.jsonl",
        encoded(indusagi),
        -79,
    )
    common = {"schema": "indus/transcript@1", "kind": "entry", "at": START_MS - 4_200_000}
    transcript: list[Line] = [
        {"schema": "indus/transcript@1", "kind": "head", "sessionId": "t-000001", "leaf": "n2"},
        {
            **common,
            "id": "n1",
            "prev": None,
            "role": "user",
            "message": {"role": "user", "content": "A transcript"},
        },
        {
            **common,
            "id": "n2",
            "prev": "n1",
            "role": "assistant",
            "message": {"role": "assistant", "content": "It has a head."},
        },
    ]
    put(home / ".pindusagi/sessions" / "--work-shop--" / "t-000001.ndjson", encoded(transcript), -69)
    linear: list[Line] = [
        {
            "type": "session",
            "id": "11112222-0000-4000-8000-000000000001",
            "version": 1,
            "timestamp": stamp(-60),
            "cwd": shop,
        },
        {
            "type": "message",
            "id": "aa000001",
            "timestamp": stamp(-59),
            "message": {"role": "user", "content": [{"type": "text", "text": "A linear session"}]},
        },
        {
            "type": "message",
            "id": "aa000002",
            "parent_id": "aa000001",
            "timestamp": stamp(-58),
            "message": {
                "role": "assistant",
                "content": [{"type": "text", "text": "One line after the other."}],
            },
        },
    ]
    put(home / ".config/agent/sessions" / "20260501-142000-11112222.jsonl", encoded(linear), -58)
