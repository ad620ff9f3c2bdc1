"""What of an entry goes to the clipboard or into another program, and what is said about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.entry_document import heading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.formats.parts import Part
    from app.view.document_line import CodeBlock

SURE = 74_994
"""Bytes of base64 that every terminal with OSC 52 takes; xterm drops what is longer."""
_SIDE = ("details", "meta")


def said(parts: Sequence[Part]) -> str:
    """What an entry says, as it was written: its prose; of one without prose what it asked or gave back; of
    one without either whatever it holds.
    """
    for kinds in (
        {"text"},
        {"tool_call", "tool_result", "diff", "error", "raw"},
        {"thinking", "image"},
        {"details", "meta"},
    ):
        found = [part.text for part in parts if part.kind in kinds and part.text]
        if found:
            return "\n\n".join(found)
    return ""


def whole(parts: Sequence[Part]) -> str:
    """All of an entry: its one text as it was written, or every part below its heading."""
    told = [part for part in parts if part.kind not in _SIDE]
    if len(told) == 1 and told[0].kind in ("text", "raw"):
        return told[0].text
    found = []
    for part in parts:
        title = heading(part)
        found.append(f"── {title} ──\n{part.text}" if title else part.text)
    return "\n\n".join(found) + "\n"


def suffix_of(parts: Sequence[Part], *, raw: bool) -> str:
    """How the name of a file with `whole` ends: other programs tell its kind by that."""
    if raw:
        return ".json"
    return ".md" if any(part.kind == "text" for part in parts) else ".txt"


def size_of(text: str) -> str:
    """How much a text is, for people."""
    lines = text.count("\n") + (not text.endswith("\n"))
    return f"{lines:,} lines" if lines > 1 else f"{len(text):,} character{'s' if len(text) != 1 else ''}"


def block_named(at: int, blocks: Sequence[CodeBlock]) -> str:
    """Which block of code it is; not inert."""
    name = f" ({blocks[at].name})" if blocks[at].name else ""
    return f"Code block {at + 1:,} of {len(blocks):,}{name}"


def doubt(text: str, env: Mapping[str, str]) -> str:
    """Why a text may not have reached the clipboard; "" where the terminal is known to take it.

    A program can ask the terminal to take a text (OSC 52) and hears nothing back.
    """
    terminal = env.get("TERM_PROGRAM", "")
    if terminal == "Apple_Terminal":
        return "this terminal takes no copies"
    if "TMUX" in env or terminal == "tmux":
        return "if tmux passes it on: set -g set-clipboard on"
    if "STY" in env:
        return "if screen passes it on"
    if len(text.encode("utf-8", "replace")) * 4 // 3 > SURE:
        return "if the terminal takes so long a text"
    known = (
        terminal in ("iTerm.app", "WezTerm", "ghostty", "vscode", "rio")
        or env.get("TERM", "").startswith(("xterm-kitty", "alacritty", "foot", "xterm-ghostty"))
        or "WT_SESSION" in env
    )
    return "" if known else "if the terminal takes it (OSC 52)"
