"""Text for a terminal that draws nothing but ASCII, in as many cells as the text itself.

What carries a meaning on leafmark's own screens has a character of its own here, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.view.cells import char_width, graphemes
from app.view.terminal import fits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SIGNS = dict(
    zip(
        "…·─│├└┌┐┘┴┬┤┼╭╮╰╯═║╞╡━┃❯›▸▾→←↑↓↳⊟⊞•●◐◆★✓✗⑂“”‘’–—×▁▂▃▄▅▆▇█▌▐",
        "~.-||`+++++++++++=|||=|>>>v><^v>=+*@o#*vxY\"\"''--x########||",
        strict=True,
    )
)


class _Spelled(dict[str, str]):
    """What stands for each character that is no ASCII, worked out when it is first met."""

    def __missing__(self, char: str) -> str:
        found = self[char] = _spell(char)
        return found


def _spell(char: str) -> str:
    cells = char_width(char)
    if not cells:
        return ""
    # few terminals are spelt for, and all others have their first rows before this is loaded
    import unicodedata

    plain = [part for part in unicodedata.normalize("NFKD", char) if part.isascii()]
    if len(plain) == 1 and cells == 1 and plain[0].isprintable():
        return plain[0]
    return "?" * cells


_spelled: Mapping[str, str] = _Spelled(_SIGNS)


def ascii_text(text: str) -> str:
    """``text`` in ASCII: letters without their accents, "?" for what has no other spelling."""
    if text.isascii():
        return text
    spelled = []
    for piece, cells in graphemes(text):
        plain = "".join(char if char.isascii() else _spelled[char] for char in piece)
        # a symbol that asks for emoji style is wider than its character
        spelled.append(plain if len(plain) == cells else plain[:cells].ljust(cells, "?"))
    return "".join(spelled)


def ascii_lines(text: str) -> str:
    """The same of lines with the colours that leafmark puts into them: both stay."""
    return _apart(text, ascii_text)


def encodable(text: str, encoding: str) -> str:
    """Lines in which what `encoding` lacks, and that alone, is spelt in ASCII."""
    if fits(text, encoding):
        return text

    def spell(part: str) -> str:
        return "".join(piece if fits(piece, encoding) else ascii_text(piece) for piece, _ in graphemes(part))

    return _apart(text, spell)


def _apart(text: str, spell: Callable[[str], str]) -> str:
    """Characters without width would be taken for marks on those before them: each is kept from `spell`."""
    lines = text.split("\n")
    return "\n".join("\x1b".join(map(spell, line.split("\x1b"))) for line in lines)
