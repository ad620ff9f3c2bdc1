"""One session searched in its file: as little is decoded as decides it, and files may do as they like."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from app.formats import kinds
from app.formats.encode import encode
from app.index.query.query import REGEX, WORD, Query, Term
from app.index.search.grep import glance, reverse_reader
from app.index.search.grep.session import Deep
from app.index.search.grep.verdict import Verdict
from app.index.search.terms import Plan

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b'{"type":"session","version":3,"id":"one","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}\n'


def said(role: str, text: str, **more: Any) -> bytes:
    message = {"role": role, "content": [{"type": "text", "text": text}], **more}
    return encode({"type": "message", "id": "a", "parentId": None, "message": message}) + b"\n"


def called(tool: str, call: str, **arguments: Any) -> bytes:
    block = {"type": "toolCall", "id": call, "name": tool, "arguments": arguments}
    message = {"role": "assistant", "content": [block]}
    return encode({"type": "message", "id": "b", "parentId": None, "message": message}) + b"\n"


def query(*words: str, found_in: frozenset[int] = kinds.ALL, tools: frozenset[str] = frozenset()) -> Query:
    terms = tuple(Term(WORD, word.removeprefix("-"), negated=word.startswith("-")) for word in words)
    return Query(terms=terms, kinds=found_in, tools=tools)


def deep(*words: str, **more: Any) -> Deep:
    return Deep(Plan(query(*words, **more)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def look(searched: Deep, path: Path, **more: Any) -> Verdict:
    return searched.session(str(path), "pi", **more)


def test_a_file_without_the_word_is_read_once_and_nothing_of_it_decoded(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "nothing here") * 1000)
    searched = deep("needle", "here")
    assert not look(searched, path).matches
    assert searched.decoded == 0
    # But for a line that was cut.
    assert 0 <= searched.read - path.stat().st_size < 2 * len(said("user", "nothing here"))


def test_a_common_word_is_decided_by_the_last_line_that_has_it(path: Path) -> None:
    path.write_bytes(HEAD + said("assistant", "a needle") * 1000 + said("user", "nothing"))
    searched = deep("needle")
    assert look(searched, path, best=False).matches
    # Once to see that there is something, and once to look at it.
    assert (searched.decoded, searched.read) == (1, 2 * 64 << 10)


def test_a_last_line_that_fills_what_is_read_first_is_looked_through(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "one") + said("user", "x" * (70 << 10) + " needle"))
    assert look(deep("needle"), path).matches
    assert not look(deep("needles"), path).matches


def test_the_best_place_is_what_the_user_said_last(path: Path) -> None:
    begin = HEAD + said("user", "the needle") * 2
    path.write_bytes(begin + said("user", "nothing") * 5 + said("assistant", "needle") * 5000)
    searched = deep("needle")
    best = look(searched, path).best
    assert best is not None
    assert (best.kind, best.offset) == (kinds.USER, len(HEAD + said("user", "the needle")))
    # One to see that there is one at all, then the last one, then the user's.
    assert searched.decoded == 3


def test_more_terms_in_one_piece_are_better(path: Path) -> None:
    begin = HEAD + said("user", "one")
    path.write_bytes(begin + said("assistant", "one two") + said("user", "two") + said("assistant", "one"))
    best = look(deep("one", "two"), path).best
    assert best is not None
    assert (best.kind, best.offset, best.mask) == (kinds.ASSISTANT, len(begin), 3)


def test_words_of_the_format_are_no_text(path: Path) -> None:
    path.write_bytes(HEAD + said("assistant", "hello") + called("bash", "toolu_9", command="ls"))
    for word in ("assistant", "toolcall", "parentid", "toolu_9", "session", "/x"):
        assert not look(deep(word), path).matches
    assert look(deep("command"), path).matches


def test_unwanted_words_count_where_one_looks(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "one") + called("bash", "c", command="two"))
    assert not look(deep("one", "-two"), path).matches
    assert look(deep("one", "-two", found_in=kinds.CONVERSATION), path).matches
    assert look(deep("-three"), path).matches


def test_a_mask_that_is_not_full_says_that_something_is_lacking(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "one") * 2 + said("user", "three") * 2000)
    plan = Plan(query("one", "-three"))
    assert Deep(plan).session(str(path), "pi") == Verdict(False, plan.all)
    assert look(deep("two"), path).mask == 0


def test_what_is_known_already_need_not_be_in_the_file(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "one"))
    assert not look(deep("one", "two"), path).matches
    plan = Plan(query("one", "two"))
    two = 1 << [seeker.term.text for seeker in plan.wanted].index("two")
    verdict = Deep(plan).session(str(path), "pi", known=two)
    assert verdict.matches
    assert verdict.mask == plan.all


def test_a_result_is_of_the_tool_that_was_called_last_under_its_id(path: Path) -> None:
    result = said("toolResult", "needle", toolCallId="0")
    path.write_bytes(HEAD + called("read", "0") + called("bash", "0") + result + called("edit", "0"))
    assert look(deep("needle", tools=frozenset(("bash",))), path).matches
    assert not look(deep("needle", tools=frozenset(("read",))), path).matches
    assert not look(deep("needle", tools=frozenset(("edit",))), path).matches


def test_the_tool_a_result_names_goes_before_its_id(path: Path) -> None:
    path.write_bytes(
        HEAD + called("read", "0") + said("toolResult", "needle", toolCallId="0", toolName="Grep")
    )
    assert look(deep("needle", tools=frozenset(("grep",))), path).matches
    assert not look(deep("needle", tools=frozenset(("read",))), path).matches


def test_what_was_glanced_at_in_vain_is_not_looked_through_again(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "a needle") + said("assistant", "nothing here") * 20_000)
    size = path.stat().st_size
    searched = deep("needle")
    found = look(searched, path)
    assert found.best is not None
    assert size < searched.read < 1.5 * size
    assert look(searched, path, end=4096 + len(HEAD)) == found
    assert searched.read < 1.75 * size
    # What is behind it may have the other word, or what is not wanted.
    for words in (("needle", "nothing"), ("needle", "-nothing")):
        assert look(deep(*words), path).matches == (words[1] == "nothing")


def test_an_unfinished_last_line_counts_when_it_is_complete(path: Path) -> None:
    line = said("user", "needle").rstrip(b"\n")
    path.write_bytes(HEAD + line)
    assert look(deep("needle"), path).matches
    path.write_bytes(HEAD + line[:-1])
    assert not look(deep("needle"), path).matches


def test_a_pattern_is_looked_for_in_the_lines_that_have_what_it_needs(path: Path) -> None:
    path.write_bytes(
        HEAD + said("user", "nothing") * 50 + said("user", "port 8080 taken") + said("user", "x")
    )
    searched = Deep(Plan(Query(terms=(Term(REGEX, r"port\s+\d+\b"),), kinds=kinds.ALL)))
    assert look(searched, path, best=False).matches
    assert searched.decoded == 1


def test_a_file_longer_than_what_is_read_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.search.grep.session.READ", 4096)
    long = "x" * 20_000
    begin = HEAD + said("user", "first") + called("bash", "0", command=long)
    lines = [*[said("user", f"word{number}") for number in range(200)], said("user", long + "last")]
    path.write_bytes(begin + b"".join(lines) + said("toolResult", "end", toolCallId="0"))
    for word in ("first", "word0", "word77", "word199", "last", "end"):
        searched = deep(word)
        assert look(searched, path).best is not None
    assert look(deep("first", "word77", "last", "end"), path).matches
    assert not look(deep("first", "word77", "last", "nowhere"), path).matches
    assert look(deep("end", tools=frozenset(("bash",))), path).matches
    spots = look(deep("word1"), path, every=True).spots
    assert len(spots) == 1 + 10 + 100
    assert [spot.offset for spot in spots] == sorted(spot.offset for spot in spots)


def test_a_file_that_became_shorter_ends_where_it_ends(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "needle") + said("user", "gone") * 9)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        lines = reverse_reader.ReverseReader()
        lines.open(descriptor)
        os.truncate(path, len(HEAD + said("user", "needle")))
        found = b"".join(bytes(each.data[each.start : each.end]) for each in lines.slices())
        assert found.rstrip(b"\n") + b"\n" == path.read_bytes()
    finally:
        os.close(descriptor)


def test_what_is_added_meanwhile_is_not_read(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "needle"))
    searched = deep("needle", "later")

    def append() -> None:
        with path.open("ab") as file:
            file.write(said("user", "later"))

    assert not look(searched, path, beat=append).matches


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"not json needle\n", b"\0" * 100, b'"needle"\n', b'{"a":"needle"']
)
def test_what_is_no_session_has_nothing(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert not look(deep("needle"), path).matches


def test_a_file_that_is_gone_is_an_error(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        look(deep("needle"), path)


def test_somebody_may_end_it(path: Path) -> None:
    path.write_bytes(HEAD + said("user", "needle") * 1000)

    class Enough(Exception):
        pass

    def enough() -> None:
        raise Enough

    searched = deep("needle")
    with pytest.raises(Enough):
        look(searched, path, beat=enough)
    assert look(searched, path).matches


def test_who_meets_a_word_seldom_reads_more_of_the_next_file_at_once(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    read_into = glance.read_into

    def counted(descriptor: int, view: memoryview, offset: int) -> int:
        looks.append(offset)
        return read_into(descriptor, view, offset)

    monkeypatch.setattr(glance, "read_into", counted)
    path.write_bytes(HEAD + said("user", "nothing here") * 1500)
    searched = deep("needle")
    for _ in range(12):
        assert not look(searched, path).matches
    assert looks[:2] != [0, 0]
    assert looks[-2:] == [0, 0]
    path.write_bytes(HEAD + said("user", "nothing here") * 1500 + said("user", "a needle"))
    assert look(searched, path).matches
    assert look(searched, path).matches
    assert looks[-1] > 0, "and the last lines first again once it has been there"


def test_a_file_that_does_not_name_the_tool_is_not_decoded(path: Path) -> None:
    path.write_bytes(HEAD + called("bash", "1", command="needle") * 100 + said("user", "read needle") * 100)
    tools = kinds.NAMES["tool"]
    searched = deep("needle", found_in=tools, tools=frozenset(("read",)))
    assert not look(searched, path).matches
    assert searched.decoded == 0
    for name in ("read", "READ", r"r\u0065ad"):
        path.write_bytes(HEAD + called("read", "1", command="needle").replace(b"read", name.encode()))
        assert look(searched, path).matches
    # What the user said is of no tool.
    both = deep("needle", found_in=tools | kinds.NAMES["user"], tools=frozenset(("read",)))
    path.write_bytes(HEAD + said("user", "needle"))
    assert look(both, path).matches


@pytest.mark.parametrize("tool", ["läs", 'say "it"', "back\\slash", "a/b", "K", "日本"])
def test_tools_by_any_name(path: Path, tool: str) -> None:
    path.write_bytes(HEAD + called("other", "1", word="needle") + said("toolResult", "needle", toolName=tool))
    searched = deep("needle", found_in=kinds.NAMES["tool"], tools=frozenset((tool.casefold(),)))
    assert look(searched, path, every=True).spots[0].tool == tool
    assert not look(deep("needle", found_in=kinds.NAMES["tool"], tools=frozenset(("none",))), path).matches
