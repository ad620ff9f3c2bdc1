"""The text of an entry for the clipboard or another program, and the notes about the copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from app.view.document_line import CodeBlock, heading
from app.view.entry_details import DETAIL_KINDS
from app.view.formatting import counted

if TYPE_CHECKING:
    from app.formats.entry_parts import Part

SURE = 74_994
"""Bytes of base64 that every terminal with OSC 52 accepts; xterm drops longer texts."""


def main_text(parts: Sequence[Part]) -> str:
    """The main text of an entry as it was written: its prose; without prose, its tool calls and output; else
    all of its text.
    """
    for kinds in (
        {"text"},
        {"tool_call", "tool_result", "diff", "error", "raw"},
        {"thinking", "image"},
        DETAIL_KINDS,
    ):
        texts = [part.text for part in parts if part.kind in kinds and part.text]
        if texts:
            return "\n\n".join(texts)
    return ""


def full_text(parts: Sequence[Part]) -> str:
    """The whole entry: its only text as it was written, or every part below its heading."""
    main = [part for part in parts if part.kind not in DETAIL_KINDS]
    if len(main) == 1 and main[0].kind in ("text", "raw"):
        return main[0].text
    texts = []
    for part in parts:
        title = heading(part)
        texts.append(f"── {title} ──\n{part.text}" if title else part.text)
    return "\n\n".join(texts) + "\n"


def file_suffix(parts: Sequence[Part], *, raw: bool) -> str:
    """The suffix of a file with the `full_text`, by which other programs recognise its type."""
    if raw:
        return ".json"
    return ".md" if any(part.kind == "text" for part in parts) else ".txt"


def text_size(text: str) -> str:
    """The size of a text in words: lines or characters."""
    lines = text.count("\n") + (not text.endswith("\n"))
    return f"{lines:,} lines" if lines > 1 else counted(len(text), "character")


def block_title(index: int, blocks: Sequence[CodeBlock]) -> str:
    """The number and the name of a code block. The text is not inert.

    :param index: the index of the block in `blocks`.
    """
    name = f" ({blocks[index].name})" if blocks[index].name else ""
    return f"Code block {index + 1:,} of {len(blocks):,}{name}"


def copy_warning(text: str, env: Mapping[str, str]) -> str:
    """Why a text may not have reached the clipboard; "" if the terminal is known to accept it.

    A program can ask the terminal to copy a text (OSC 52) and gets no answer.
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
