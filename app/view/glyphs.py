"""The characters that draw a tree, in Unicode or in ASCII."""

from __future__ import annotations


class Glyphs:
    """One set of characters; all but `leaf` and `failed` are one cell wide."""

    __slots__ = (
        "active",
        "bar",
        "branch",
        "closed",
        "deeper",
        "elbow",
        "ellipsis",
        "failed",
        "hit",
        "label",
        "leaf",
        "open",
        "pointer",
        "prompt",
        "summary",
        "tee",
        "tool",
    )

    def __init__(self, ascii_only: bool) -> None:
        self.pointer = ">" if ascii_only else "❯"
        self.active = "*" if ascii_only else "•"
        self.bar = "|" if ascii_only else "│"
        self.tee = "|" if ascii_only else "├"
        self.elbow = "`" if ascii_only else "└"
        self.branch = "-" if ascii_only else "─"
        self.open = "=" if ascii_only else "⊟"
        self.closed = "+" if ascii_only else "⊞"
        self.hit = "/"
        self.leaf = "<- leaf" if ascii_only else "← leaf"
        self.ellipsis = "~" if ascii_only else "…"
        self.deeper = "<" if ascii_only else "‹"
        self.prompt = ">" if ascii_only else "›"
        self.tool = "-" if ascii_only else "·"
        self.summary = "=" if ascii_only else "≡"
        self.failed = "x" if ascii_only else "×"
        self.label = "#" if ascii_only else "◆"


UNICODE = Glyphs(ascii_only=False)
ASCII = Glyphs(ascii_only=True)
