"""The meaning of terms, and the hits that they give."""

from __future__ import annotations

import os

import pytest
from leafmark import QueryError

from app.formats import text_kinds
from tests.cases import cases
from tests.factory import header, message, write_session
from tests.index.search.helpers import World, marked


def test_words_match_inside_identifiers_and_all_of_them_somewhere_in_the_session(world: World) -> None:
    world.session("s1", "what does reFrobnosticatorHandle do", "it opens a window")
    world.session("s2", "a frobnosticator", "and a door")
    world.scan()
    assert world.ids("robnosticat") == ["s2", "s1"]
    assert world.ids("robnosticat window") == ["s1"]
    assert world.ids("robnosticat -window") == ["s2"]


def test_no_word_matches_across_passages_or_heads(world: World) -> None:
    world.session("s1", "alpha", "beta", "gamma")
    world.scan()
    assert world.ids("alphabeta") == []
    assert world.ids('"alpha beta"') == []
    assert world.ids(r"re:alpha\s+beta") == []
    assert world.ids(r"re:alpha\W+beta") == []
    assert world.ids(r"re:alpha\s") == []
    assert world.ids(r"re:^beta$") == ["s1"]


@cases("pattern", [r"\Abeta\z", r"\Abe", r"ta\z", r"(?-m)^beta$", r"\bbeta\b", r"(?s)be.a"])
def test_a_pattern_matches_within_one_passage(world: World, pattern: str) -> None:
    world.session("s1", "alpha", "beta", "gamma")
    world.session("s2", "alphabetagamma", "nothing")
    world.scan()
    assert "s1" in world.ids("re:" + pattern)


@pytest.mark.parametrize("scope", ["", " in:all"])
def test_a_line_may_end_with_crlf(world: World, scope: str) -> None:
    world.session("s1", "alpha\r\nBeta\r\ngamma")
    world.session("s2", "alpha x\r\nbetas\r\n")
    world.scan()
    assert world.ids("re:^alpha$" + scope) == world.ids("re:a$" + scope) == ["s1"]
    assert world.ids("re:Beta$" + scope) == world.ids(r"re:beta\s$" + scope) == ["s1"]
    assert marked(world.one("re:^alpha$" + scope)) == ["alpha"]


def test_capitals_make_a_term_exact_in_the_passage_itself(world: World) -> None:
    world.session("s1", "the Widget is here")
    world.session("s2", "the widget is here")
    world.session("s3", "widget", {"type": "custom", "customType": "Widget", "data": "Widget"})
    world.session("s4", "a widget of Widgets, said \u2028 twice")
    world.scan()
    assert world.ids("Widget in:text") == ["s4", "s1"]
    assert world.ids("Widget in:all") == ["s4", "s1", "s3"]
    assert world.ids("widget") == ["s4", "s3", "s2", "s1"]
    assert world.ids("re:W[i]dget in:text") == ["s4", "s1"]
    assert world.ids('"the Widget"') == ["s1"]
    assert world.ids("widget -Widget in:text") == ["s3", "s2"]
    assert world.ids("widget -Widget in:all") == ["s2"]


def test_capitals_that_are_escaped_in_the_line_are_found(world: World) -> None:
    line = '{"type":"message","id":"e","message":{"role":"user","content":"the \\u0057idget"}}\n'
    path = world.session("s1", "nothing")
    path.write_text(path.read_text() + line)
    world.scan()
    assert world.ids("Widget") == ["s1"]


def test_white_space_of_a_phrase_is_folded(world: World) -> None:
    world.session("s1", "one\n\t two\u00a0three")
    world.session("s2", "one two-three")
    world.session("s3", "three one, two")
    world.scan()
    assert world.ids('"one two three"') == ["s1"]
    assert world.ids('"one two"') == ["s2", "s1"]


def test_case_and_composition_are_folded_on_both_sides(world: World) -> None:
    world.session("s1", "die STRASSE in cafe\u0301")
    world.session("s2", "die Straße in Café")
    world.session("s3", "日本語 👍🏽")
    world.scan()
    assert world.ids("straße") == ["s2", "s1"]
    assert world.ids("café") == ["s2", "s1"]
    assert world.ids("cafe\u0301") == ["s2", "s1"]
    assert world.ids("本") == ["s3"]
    assert world.ids("👍🏽") == ["s3"]


def test_metadata_is_searched_unless_the_query_names_a_role(world: World) -> None:
    world.session(
        "s1",
        "hello",
        {"type": "session_info", "name": "The Lighthouse"},
        {"type": "label", "targetId": "s1-0", "label": "keep me"},
        cwd="/work/harbour",
    )
    world.scan()
    name, label, folder, id = map(world.one, ("lighthouse", "keep", "harbour", "s1"))
    assert (name.where, name.role, name.snippet, marked(name)) == (
        "name", "name", "The Lighthouse", ["Lighthouse"],
    )  # fmt: skip
    assert (label.where, label.role, label.entry_id) == ("label", "label", "s1-0")
    assert (folder.where, folder.role, folder.entry_id) == ("folder", "", None)
    assert id.where == "id"
    assert world.one("Lighthouse harbour hello").where == "name"
    assert world.ids("lighthouse role:user") == []
    assert world.ids("hello role:user") == ["s1"]
    assert world.ids("hello role:assistant") == []


def test_without_terms_every_session_that_passes_the_filters_is_a_hit(world: World) -> None:
    world.session("s1", "one", cwd="/work/a")
    world.session("s2", "two", cwd="/work/b")
    world.scan()
    assert world.ids("") == ["s2", "s1"]
    hit = world.one("dir:work/a")
    assert (hit.where, hit.row.id, hit.snippet, hit.ranges) == ("row", "s1", "", ())
    assert world.ids("-two") == ["s1"]


def test_the_best_hit_has_most_terms_then_is_a_prompt_then_the_last(world: World) -> None:
    world.session("s1", "apple", "apple pear", "apple", "pear apple pear", "plum", "apple")
    world.scan()
    assert world.one("apple").entry_id == "s1-2"
    assert world.one("apple pear").entry_id == "s1-3"
    assert world.one("pear").entry_id == "s1-3"
    assert world.one("re:appl. re:p.ar").entry_id == "s1-3"
    assert world.one("apple plum").entry_id == "s1-4"
    assert world.one("apple role:assistant").entry_id == "s1-5"


def test_the_text_of_an_answer_comes_before_its_thinking(world: World) -> None:
    blocks = [{"type": "thinking", "thinking": "apple, I think"}, {"type": "text", "text": "an apple"}]
    answer = {"type": "message", "message": {"role": "assistant", "content": blocks}}
    world.session("s1", "hello", answer)
    world.scan()
    hit = world.one("apple")
    assert (hit.kind, hit.snippet) == (text_kinds.ASSISTANT, "an apple")
    assert world.one("apple in:thinking").kind == text_kinds.THINKING


def test_every_passage_is_a_hit_on_request(world: World) -> None:
    world.session("s1", "apple", "pear", "apple pear", {"type": "session_info", "name": "Apples"})
    world.session("s2", "nothing", cwd="/work/apple")
    world.session("apple3", "an apple", cwd="/work/apple")
    world.scan()
    pages = world.pages("apple", every=True)
    hits = [hit for page in pages for hit in page.hits]
    assert [(hit.row.id, hit.where, hit.entry_id) for hit in hits] == [
        ("apple3", "text", "apple3-0"),
        ("apple3", "folder", None),
        ("apple3", "id", None),
        ("s1", "name", None),
        ("s1", "text", "s1-2"),
        ("s1", "text", "s1-0"),
        ("s2", "folder", None),
    ]
    assert pages[-1].total == 3
    assert [hit.where for hit in world.hits("apple3 pi", every=True)] == ["id", "program"]


@pytest.mark.parametrize(
    "content", [("thinking", "text"), ("text", "thinking"), ("text", "toolCall", "thinking")]
)
def test_hits_in_one_entry_have_one_order_in_store_and_file(world: World, content: tuple[str, ...]) -> None:
    blocks = {
        "thinking": {"type": "thinking", "thinking": "apple, I think"},
        "text": {"type": "text", "text": "an apple"},
        "toolCall": {"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "apple.py"}},
    }
    chosen = [blocks[kind] for kind in content]
    answer = {"type": "message", "message": {"role": "assistant", "content": chosen}}
    world.session("s1", "an apple?", answer, {**answer}, "apple")
    world.scan()

    def places() -> list[tuple[str | None, int]]:
        return [(hit.entry_id, hit.kind) for hit in world.hits("apple in:text", every=True)]

    stored = places()
    middle = [(number, kind) for number in (2, 1) for kind in (text_kinds.ASSISTANT, text_kinds.THINKING)]
    first, last = ("s1-0", text_kinds.USER), ("s1-3", text_kinds.ASSISTANT)
    assert stored == [last, *[(f"s1-{number}", kind) for number, kind in middle], first]
    deep = [(hit.entry_id, hit.kind) for hit in world.hits("apple in:all", every=True)]
    assert [place for place in deep if place[1] != text_kinds.CALL] == stored
    for segment in world.segments():
        os.unlink(segment)
    assert places() == stored


def test_the_name_is_shown_unless_a_label_has_more_terms(world: World) -> None:
    labels = [
        {"type": "label", "targetId": "s1-0", "label": "apple one"},
        {"type": "label", "targetId": "s1-1", "label": "apple pear"},
    ]
    world.session("s1", "hello", "there", *labels, {"type": "session_info", "name": "apples"})
    world.scan()
    assert world.one("apple").role == "name"
    assert world.one("one").snippet == world.one("apple one").snippet == "apple one"
    assert world.one("apple pear").snippet == "apple pear"


def test_a_hit_has_the_fields_of_its_entry(world: World) -> None:
    world.session("s1", "hello", "say \x1b[31mapple\x1b[0m\tand\n\nAPPLE pie\u202e")
    world.scan()
    hit = world.one("apple")
    assert (hit.entry_id, hit.role, hit.kind) == ("s1-1", "assistant", text_kinds.ASSISTANT)
    assert hit.snippet == "say ␛[31mapple␛[0m and APPLE pie\ufffd"
    assert marked(hit) == ["apple", "APPLE"]
    assert hit.timestamp is not None
    line = world.path("s1").read_bytes()[hit.offset :].split(b"\n")[0]
    assert b"s1-1" in line


def test_a_bad_pattern_is_an_error_at_once_and_the_search_before_goes_on(world: World) -> None:
    world.session("s1", "hello")
    world.scan()
    before = world.search("hello")
    with pytest.raises(QueryError):
        world.search("re:(")
    assert [page.total for page in before if page.done] == [1]


def test_a_word_that_nothing_matches_is_searched_in_a_similar_spelling(world: World) -> None:
    world.session("s1", "the widget", "a gadget")
    world.session("s2", "wdiget wizard")
    world.scan()
    (page,) = [page for page in world.pages("wigdet") if page.hits]
    assert [(hit.row.id, hit.near, marked(hit)) for hit in page.hits] == [("s1", True, ["widget"])]
    assert "widget" in page.notes[0].message
    assert (page.notes[0].position, page.notes[0].length) == (0, 6)
    assert not world.one("gadget").near
    # A session outside the filter has it.
    assert world.pages("wdiget dir:elsewhere")[-1].notes == ()
    assert world.ids("wigdet role:assistant") == []


def test_entries_without_ids_and_of_old_versions_have_a_role_and_no_id(world: World) -> None:
    old, head = message("x", None, "hookMessage", "apple"), header("v1")
    del old["id"], old["parentId"], head["version"]
    write_session(world.path("v1"), head, old)
    world.scan()
    hit = world.one("apple")
    assert (hit.entry_id, hit.role, hit.kind) == (None, "custom", text_kinds.CUSTOM)


def test_tools_are_found_if_the_query_names_them(world: World) -> None:
    result = {"type": "message", "message": {"role": "toolResult", "toolName": "bash", "content": "apple"}}
    world.session("s1", "hello", result)
    world.scan()
    assert world.ids("apple in:text") == []
    hit = world.one("in:tools apple")
    assert (hit.role, hit.kind, hit.entry_id, marked(hit)) == (
        "toolResult",
        text_kinds.RESULT,
        "s1-1",
        ["apple"],
    )
    assert world.one("apple").entry_id == "s1-1"
