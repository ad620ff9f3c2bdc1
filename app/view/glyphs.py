"""The characters that draw a tree, in Unicode or in ASCII."""

from __future__ import annotations

from typing import NamedTuple


class Glyphs(NamedTuple):
    """One set of characters; all but `leaf` are one cell wide."""

    pointer: str
    active: str
    bar: str
    tee: str
    elbow: str
    branch: str
    open: str
    closed: str
    leaf: str
    ellipsis: str
    deeper: str
    prompt: str
    tool: str
    summary: str
    failed: str
    label: str
    open_turn: str
    hit: str = "/"


UNICODE = Glyphs("❯", "•", "│", "├", "└", "─", "⊟", "⊞", "← leaf", "…", "‹", "›", "·", "≡", "×", "◆", "▾")
ASCII = Glyphs(">", "*", "|", "|", "`", "-", "=", "+", "<- leaf", "~", "<", ">", "-", "=", "x", "#", "v")
