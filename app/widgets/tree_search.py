"""The line above the tree in which its entries are searched."""

from __future__ import annotations

from app.widgets.search_box import SearchBox


class TreeSearchBox(SearchBox):
    """As the line above the sessions; its arrows step from hit to hit."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, hint="words in this session")
