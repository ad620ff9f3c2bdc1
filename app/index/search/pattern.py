"""Looking for a pattern (`query.regex`). RE2 is imported for the first one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.index.search.seeker import Seeker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.query.query import Term
    from app.index.text.mapped import Source

    Range = tuple[int, int]

# In such a pattern a piece on its own is not the same as one among others.
_ALONE = re.compile(r"\\[AzQ]|\(\?[a-zA-Z]*-")


class Pattern(Seeker):
    """A regular expression. RE2 lets other threads run and takes time that grows with the text alone."""

    backwards = False
    by_lines = False

    def __init__(self, term: Term) -> None:
        """:raises BadPattern: see `query.regex`."""
        super().__init__(term)
        from app.index.query.regex import compiled

        self._folded = compiled(term.text, ignore_case=True)
        self._exactly = compiled(term.text, ignore_case=False) if term.exact else None
        # Whole pages of pieces are gone through in one look, which does not copy them. No match that counts
        # is missed: a head is no UTF-8, and to a pattern its line ends are those of a text.
        self._alone = _ALONE.search(term.text) is not None
        self._match: Any = self._folded._regexp.Match
        self._anchor: Any = _unanchored(self._folded)

    @property
    def cost(self) -> tuple[int, int]:
        return (1, 0)

    def first(self, source: Source, start: int, end: int) -> int:
        if self._alone:
            return start if start < end else -1
        found: int = self._match(self._anchor, source.data, start, end)[0][0]
        return found

    def in_folded(self, source: Source, begin: int, end: int) -> bool:
        piece = source.data[begin:end]
        return bool(self._match(self._anchor, piece, 0, len(piece))[0][0] >= 0)

    def found(self, folded: str) -> Iterator[Range]:
        return _spans(self._folded, folded)

    def found_exactly(self, text: str) -> Iterator[Range]:
        return _spans(self._exactly, text)


def _spans(pattern: Any, text: str) -> Iterator[Range]:
    # Lone surrogates cannot be encoded; what stands for them has the same length.
    clean = text if text.isascii() else text.encode("utf-8", "replace").decode()
    for match in pattern.finditer(clean):
        begin, end = match.span()
        if end > begin:
            yield begin, end


def _unanchored(pattern: Any) -> Any:
    import re2

    return re2._Anchor.UNANCHORED
