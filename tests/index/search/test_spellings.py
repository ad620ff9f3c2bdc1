"""A word that is nowhere is looked for in other spellings; one that is only elsewhere is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def said(world: World, query: str) -> tuple[list[str], dict[str, Any], list[str]]:
    """The notes, what was looked for instead, and the sessions found."""
    pages = world.pages(query)
    found = [hit.row.id for page in pages for hit in page.hits]
    return [note.message for note in pages[-1].notes], dict(pages[-1].instead), found


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("role:assistant frobnicate windows", "frobnicate"),
        ("role:assistant frobnicate", "frobnicate"),
        ("role:thinking windows", "windows"),
        ("tool:bash windows", "windows"),
        ("in:tools windows", "windows"),
        ("-role:user frobnicate windows", "frobnicate"),
        ("role:assistant Frobnicate windows", "Frobnicate"),
        # What a session is called is left out, too.
        ("role:user blueprint", "blueprint"),
    ],
)
def test_a_word_that_is_elsewhere_is_not_nowhere(world: World, query: str, word: str) -> None:
    world.session("s1", "Frobnicate it, frobnicate", "it opens windows")
    world.session("s2", "hi", {"type": "session_info", "name": "blueprint"})
    world.scan()
    notes, instead, found = said(world, query)
    assert notes == [f"“{word}” is not where role:, in: or tool: have it looked for, but elsewhere"]
    assert (instead, found) == ({}, [])


def test_a_word_that_is_nowhere_is_looked_for_in_another_spelling_where_it_was_asked_for(
    world: World,
) -> None:
    world.session("s1", "frobnicate it", "it opens windows")
    world.scan()
    notes, instead, found = said(world, "role:user frobnicat")
    assert (notes, instead, found) == ([], {}, ["s1"])
    notes, instead, found = said(world, "role:user frobnicute")
    assert notes == ["“frobnicute” is nowhere; looked for instead: frobnicate"]
    assert (instead, found) == ({"frobnicute": ("frobnicate",)}, ["s1"])
    notes, instead, found = said(world, "role:assistant frobnicute windows")
    assert notes == ["“frobnicute” is nowhere"]
    assert (instead, found) == ({"frobnicute": ()}, [])
