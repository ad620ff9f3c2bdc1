"""A session that tries to run, to load and to break whatever it is exported to."""

from __future__ import annotations

import base64
import io
import json
import struct
import zlib
from typing import TYPE_CHECKING, Any

from tests.factory import entry, header, message, write_session

if TYPE_CHECKING:
    from pathlib import Path

HOST = "evil.example"
KEY = "sk-ant-api03-Zx8vQ2mNbR4tYw7LpKd3FhJs6GcAeUi9-XoWqTnBvMrE5yDk_AA"
ATTACKS = (
    f"<script src=https://{HOST}/x.js></script><script>document.title='ran'</script>",
    f'<img src="https://{HOST}/x.png" onerror="document.title=\'ran\'"><svg onload=alert(1)>',
    f"![a](https://{HOST}/i.png) ![b](data:text/html,<script>1</script>) ![c][r]\n\n[r]: https://{HOST}/r.png",
    "[click](javascript:document.title='ran') <javascript:alert(1)> [d](data:text/html,x) [v](vbscript:x)",
    f"[ok](https://{HOST}/page) <https://{HOST}/auto> [mail](mailto:a@{HOST}) [rel](../../etc/passwd)",
    "</script><!--<script> ]]> --> </style></title></textarea></details></main><base href=//evil.example>",
    f"<iframe src=//{HOST}></iframe><form action=//{HOST}><input name=q></form>",
    f"<meta http-equiv=refresh content='0;url=https://{HOST}'>",
    f"<style>@import url(//{HOST}/s.css)</style><link rel=stylesheet href=//{HOST}/s.css>",
    "| a | b |\n|--:|:-:|\n| <b>x</b> | `<i>` |\n\n```html\n<script>document.title='ran'</script>\n```\n",
    "```\nan open fence with {{ 7*7 }} {% raw %} and <b>",
    "\x1b]0;title\x07\x1b[31mred\x1b[0m \u202egnp.exe\u202c \x00 \udc80",
)


def png() -> bytes:
    """Return a small image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    file = io.BytesIO(b"\x89PNG\r\n\x1a\n")
    file.seek(0, io.SEEK_END)
    file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)))
    file.write(chunk(b"IDAT", zlib.compress(b"\0\xff\0\0\0\xff\0" * 2)) + chunk(b"IEND", b""))
    return file.getvalue()


def attack_lines() -> list[dict[str, Any]]:
    """Return the lines of a session with each attack in each kind of entry, on two branches."""
    lines: list[dict[str, Any]] = [header("hostile", cwd="/home/alice/<b>work</b>")]
    parent: str | None = None

    def add(line: dict[str, Any]) -> None:
        nonlocal parent
        lines.append(line)
        parent = line["id"]

    for number, attack in enumerate(ATTACKS):
        key = f"{number:06x}"
        add(message(f"a0{key}", parent, "user", attack))
        blocks = [
            {"type": "thinking", "thinking": attack},
            {"type": "text", "text": attack},
            {
                "type": "toolCall",
                "id": f"c{key}",
                "name": attack,
                "arguments": {"command": attack, attack: [1]},
            },
        ]
        answer = message(f"a1{key}", parent, "assistant", "", model=attack)
        answer["message"]["content"] = blocks
        add(answer)
        result = message(f"a2{key}", parent, "toolResult", attack, toolCallId=f"c{key}", toolName=attack)
        result["message"]["details"] = {"diff": f"+{attack}\n-old\n@@ 1 @@"}
        add(result)
        add(entry("compaction", f"a3{key}", parent, summary=attack, firstKeptEntryId=parent, tokensBefore=1))
        add(entry("branch_summary", f"a4{key}", parent, summary=attack, fromId="root"))
        add(entry("custom_message", f"a5{key}", parent, customType=attack, content=attack, display=True))
        add(entry("label", f"a6{key}", parent, targetId=f"a0{key}", label=attack))
    image = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(png()).decode()}
    mime = f'image/svg+xml" onerror="x) ![x](https://{HOST}/m.png'
    bad = {"type": "image", "mimeType": mime, "data": "PHN2Zz4="}
    add(message("ffff0001", "a0000000", "user", f"the other branch, with {KEY}"))
    lines[-1]["message"]["content"] += [image, bad]
    add(message("ffff0002", "ffff0001", "assistant", "an answer on **the other branch**"))
    return lines


def write_hostile(path: Path) -> Path:
    """Write the session to `path`."""
    return write_session(path, *(json.dumps(line) for line in attack_lines()))
