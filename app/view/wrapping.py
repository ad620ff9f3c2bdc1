"""Breaking a line of text to a width."""

from __future__ import annotations

from app.view.cells import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def wrap(text: str, cells: int) -> Iterator[str]:
    """A line broken at spaces into pieces of at most ``cells``; a word that is longer is cut."""
    if len(text) * 2 <= cells or (text.isascii() and len(text) <= cells):
        yield text
        return
    while text:
        piece = cut(text, cells) or text[0]
        if len(piece) < len(text) and text[len(piece)] != " ":
            space = piece.rfind(" ")
            if space > 0 and piece[:space].strip():
                piece = piece[: space + 1]
        rest = text[len(piece) :]
        yield piece.rstrip(" ") if rest else piece
        text = rest.lstrip(" ") if piece.strip() else rest
