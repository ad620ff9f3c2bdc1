"""What is nowhere is looked for in other spellings or without its capitals; what is only elsewhere is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.index.query.grammar import parse
from app.index.search.terms import name_of
from tests.factory import NOW

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


@pytest.mark.parametrize(
    ("query", "name", "instead"),
    [
        ('"Read the File"', "Read the File", "read the file"),
        ('"READ  THE"', "READ THE", "read the"),
        ('"Reading"', "Reading", "reading"),
        ("re:READ.*FILE", "re:READ.*FILE", "re:(?i)READ.*FILE"),
        ('re:"Read the F"', 're:"Read the F"', 're:"(?i)Read the F"'),
        ("re:[D-F]irst$", "re:[D-F]irst$", "re:(?i)[D-F]irst$"),
        ('role:assistant "Read the File"', "Read the File", "read the file"),
        ('in:all "Read the File"', "Read the File", "read the file"),
        ("in:all re:READ.*FILE", "re:READ.*FILE", "re:(?i)READ.*FILE"),
        ('"Read the File" -zzz', "Read the File", "read the file"),
    ],
)
@pytest.mark.parametrize("order", ["recent", "relevance"])
def test_a_phrase_or_pattern_whose_capitals_are_nowhere_is_looked_for_without(
    world: World, query: str, name: str, instead: str, order: str
) -> None:
    world.session("s1", "hi", "I will read the file first", "go on", "reading it")
    world.session("s2", "hi", "nothing")
    world.scan()
    notes, looked_for, found = said(world, query)
    assert notes == [f"“{name}” is nowhere; looked for instead: {instead}"]
    assert (looked_for, found) == ({name: (instead,)}, ["s1"])
    (hit,) = world.hits(query, order=order)
    assert hit.near
    assert [hit.snippet[start:end].lower() for start, end in hit.ranges]


@pytest.mark.parametrize("query", ['"Read the File"', "re:Read.*File"])
def test_of_what_is_there_with_its_capitals_nothing_else_is_found(world: World, query: str) -> None:
    world.session("s1", "hi", "Read the File", "go on", "reading it")
    world.session("s2", "hi", "I will read the file first")
    world.scan()
    assert said(world, query) == ([], {}, ["s1"])
    # it is there, and only not with the other
    assert said(world, f"{query} first") == ([], {}, [])
    assert said(world, f"{query} dir:elsewhere") == ([], {}, [])
    name = query.strip('"')
    notes = [f"“{name}” is not where role:, in: or tool: have it looked for, but elsewhere"]
    assert said(world, f"role:user {query}") == (notes, {}, [])


def test_what_is_there_in_no_case_is_only_said_to_be_nowhere(world: World) -> None:
    world.session("s1", "hi", "I will read the file first")
    world.scan()
    for query, name in (('"Write the File"', "Write the File"), ("re:WRITE.*FILE", "re:WRITE.*FILE")):
        assert said(world, query) == ([], {name: ()}, [])
        assert said(world, f"read {query}") == ([f"“{name}” is nowhere"], {name: ()}, [])
        assert said(world, f"read -{query}") == ([], {}, ["s1"])


def test_several_that_are_nowhere_are_all_looked_for_otherwise(world: World) -> None:
    world.session("s1", "hi", "I will read the file first")
    world.session("s2", "hi", "I will read the file")
    world.scan()
    notes, instead, found = said(world, '"The File" re:I.WILL First -Hello')
    assert instead == {"The File": ("the file",), "re:I.WILL": ("re:(?i)I.WILL",), "First": ("first",)}
    assert len(notes) == 3
    assert found == ["s1"]


def test_what_says_that_case_counts_is_not_taken_otherwise(world: World) -> None:
    world.session("s1", "hi", "I will read the file first")
    world.scan()
    assert said(world, "re:(?-i:READ)")[2] == []
    # what has no capital is found in any case at once
    assert said(world, "re:(?i)READ")[:2] == ([], {})


def test_what_is_left_out_is_left_out_as_it_is_written(world: World) -> None:
    world.session("s1", "hi", "I will read the file first")
    world.scan()
    for term in ("Read", '"Read the"', "re:Read"):
        assert said(world, f"{term} -{term}")[2] == ["s1"]


@pytest.mark.parametrize(
    "typed",
    ["re:a", "re:A.B", r're:"a \"b C"', 're:a"b', r're:"a \" b"', r're:"A b\\"', "re:(?s)A.b", 're:"A'],
)
def test_a_pattern_is_named_as_it_is_typed(typed: str) -> None:
    (term,) = parse(typed, NOW).terms
    for flag, exact in (("", term.exact), ("(?i)", False)):
        (named,) = parse(name_of(term, flag), NOW).terms
        assert (named.kind, named.text, named.exact) == (term.kind, flag + term.text, exact)
