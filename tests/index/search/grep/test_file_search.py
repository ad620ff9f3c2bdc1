"""Search of one session file: few lines are decoded, and files may change or be damaged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from app.formats import encode, text_kinds
from app.formats.utf8_text import fold
from app.index.query import REGEX, WORD, Query, Term
from app.index.search import FileResult, FileSearcher, QueryPlan
from app.index.search.grep import reverse_reader
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

HEAD = b'{"type":"session","version":3,"id":"one","timestamp":"2026-01-01T00:00:00Z","cwd":"/x"}\n'


def message_line(role: str, text: str, **more: Any) -> bytes:
    message = {"role": role, "content": [{"type": "text", "text": text}], **more}
    return encode({"type": "message", "id": "a", "parentId": None, "message": message}) + b"\n"


def call_line(tool: str, call: str, **arguments: Any) -> bytes:
    block = {"type": "toolCall", "id": call, "name": tool, "arguments": arguments}
    message = {"role": "assistant", "content": [block]}
    return encode({"type": "message", "id": "b", "parentId": None, "message": message}) + b"\n"


def query(
    *words: str, found_in: frozenset[int] = text_kinds.ALL, tools: frozenset[str] = frozenset()
) -> Query:
    terms = tuple(Term(WORD, word.removeprefix("-"), negated=word.startswith("-")) for word in words)
    return Query(terms=terms, kinds=found_in, tools=tools)


def deep(*words: str, **more: Any) -> FileSearcher:
    return FileSearcher(QueryPlan(query(*words, **more)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def look(searched: FileSearcher, path: Path, **more: Any) -> FileResult:
    return searched.search(str(path), "pi", **more)


def test_a_file_without_the_word_is_read_once_and_not_decoded(path: Path) -> None:
    path.write_bytes(HEAD + message_line("user", "nothing here") * 1000)
    searched = deep("needle", "here")
    assert not look(searched, path).matches
    assert searched.decoded == 0
    # A line that a slice cuts is read twice.
    assert 0 <= searched.read - path.stat().st_size < 2 * len(message_line("user", "nothing here"))


def test_a_common_word_is_decided_by_the_last_line_that_has_it(path: Path) -> None:
    path.write_bytes(HEAD + message_line("assistant", "a needle") * 5000 + message_line("user", "nothing"))
    searched = deep("needle")
    assert look(searched, path, best=False).matches
    assert (searched.decoded, searched.read) == (1, 512 << 10)


def test_a_last_line_that_is_longer_than_the_first_slice_is_searched(path: Path) -> None:
    path.write_bytes(HEAD + message_line("user", "one") + message_line("user", "x" * (600 << 10) + " needle"))
    assert look(deep("needle"), path).matches
    assert not look(deep("needles"), path).matches


def test_the_best_passage_is_the_last_prompt(path: Path) -> None:
    begin = HEAD + message_line("user", "the needle") * 2
    path.write_bytes(begin + message_line("user", "nothing") * 5 + message_line("assistant", "needle") * 5000)
    searched = deep("needle")
    best = look(searched, path).best
    assert best is not None
    assert (best.kind, best.offset) == (text_kinds.USER, len(HEAD + message_line("user", "the needle")))
    # One decides the match; then the last one and the prompt are compared.
    assert searched.decoded == 3


def test_a_passage_with_more_terms_is_better(path: Path) -> None:
    begin = HEAD + message_line("user", "one")
    path.write_bytes(
        begin
        + message_line("assistant", "one two")
        + message_line("user", "two")
        + message_line("assistant", "one")
    )
    best = look(deep("one", "two"), path).best
    assert best is not None
    assert (best.kind, best.offset, best.mask) == (text_kinds.ASSISTANT, len(begin), 3)


def test_words_of_the_format_are_no_text(path: Path) -> None:
    path.write_bytes(HEAD + message_line("assistant", "hello") + call_line("bash", "toolu_9", command="ls"))
    for word in ("assistant", "toolcall", "parentid", "toolu_9", "session", "/x"):
        assert not look(deep(word), path).matches
    assert look(deep("command"), path).matches


def test_unwanted_words_count_in_the_texts_that_are_searched(path: Path) -> None:
    path.write_bytes(HEAD + message_line("user", "one") + call_line("bash", "c", command="two"))
    assert not look(deep("one", "-two"), path).matches
    assert look(deep("one", "-two", found_in=text_kinds.CONVERSATION), path).matches
    assert look(deep("-three"), path).matches


def test_the_mask_lacks_the_missing_terms(path: Path) -> None:
    path.write_bytes(HEAD + message_line("user", "one") * 2 + message_line("user", "three") * 2000)
    plan = QueryPlan(query("one", "-three"))
    assert FileSearcher(plan).search(str(path), "pi") == FileResult(False, plan.all_terms)
    assert look(deep("two"), path).mask == 0


def test_known_terms_need_not_be_in_the_file(path: Path) -> None:
    path.write_bytes(HEAD + message_line("user", "one"))
    assert not look(deep("one", "two"), path).matches
    plan = QueryPlan(query("one", "two"))
    two = 1 << [matcher.term.text for matcher in plan.wanted].index("two")
    verdict = FileSearcher(plan).search(str(path), "pi", known=two)
    assert verdict.matches
    assert verdict.mask == plan.all_terms


def test_a_result_belongs_to_the_last_call_with_its_id(path: Path) -> None:
    result = message_line("toolResult", "needle", toolCallId="0")
    path.write_bytes(HEAD + call_line("read", "0") + call_line("bash", "0") + result + call_line("edit", "0"))
    assert look(deep("needle", tools=frozenset(("bash",))), path).matches
    assert not look(deep("needle", tools=frozenset(("read",))), path).matches
    assert not look(deep("needle", tools=frozenset(("edit",))), path).matches


def test_the_tool_that_a_result_names_counts_more_than_its_id(path: Path) -> None:
    path.write_bytes(
        HEAD + call_line("read", "0") + message_line("toolResult", "needle", toolCallId="0", toolName="Grep")
    )
    assert look(deep("needle", tools=frozenset(("grep",))), path).matches
    assert not look(deep("needle", tools=frozenset(("read",))), path).matches


def test_an_unfinished_last_line_counts_when_it_is_complete(path: Path) -> None:
    line = message_line("user", "needle").rstrip(b"\n")
    path.write_bytes(HEAD + line)
    assert look(deep("needle"), path).matches
    path.write_bytes(HEAD + line[:-1])
    assert not look(deep("needle"), path).matches


def test_only_lines_with_the_literals_of_a_pattern_are_decoded(path: Path) -> None:
    path.write_bytes(
        HEAD
        + message_line("user", "nothing") * 50
        + message_line("user", "port 8080 taken")
        + message_line("user", "x")
    )
    searched = FileSearcher(QueryPlan(Query(terms=(Term(REGEX, r"port\s+\d+\b"),), kinds=text_kinds.ALL)))
    assert look(searched, path, best=False).matches
    assert searched.decoded == 1


def test_a_file_longer_than_the_buffer(path: Path) -> None:
    long = "x" * 20_000
    begin = HEAD + message_line("user", "first") + call_line("bash", "0", command=long)
    lines = [
        *[message_line("user", f"word{number}") for number in range(200)],
        message_line("user", long + "last"),
    ]
    path.write_bytes(begin + b"".join(lines) + message_line("toolResult", "end", toolCallId="0"))

    def deep(*words: str, **more: Any) -> FileSearcher:
        return FileSearcher(QueryPlan(query(*words, **more)), slice_bytes=4096)

    for word in ("first", "word0", "word77", "word199", "last", "end"):
        assert look(deep(word), path).best is not None
    assert look(deep("first", "word77", "last", "end"), path).matches
    assert not look(deep("first", "word77", "last", "nowhere"), path).matches
    assert look(deep("end", tools=frozenset(("bash",))), path).matches
    spots = look(deep("word1"), path, every=True).passages
    assert len(spots) == 1 + 10 + 100
    assert [spot.offset for spot in spots] == sorted(spot.offset for spot in spots)


def test_a_file_that_became_shorter_ends_where_it_ends(path: Path) -> None:
    path.write_bytes(HEAD + message_line("user", "needle") + message_line("user", "gone") * 9)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        lines = reverse_reader.ReverseReader()
        lines.open(descriptor)
        os.truncate(path, len(HEAD + message_line("user", "needle")))
        content = b"".join(bytes(piece.data[piece.start : piece.end]) for piece in lines.slices())
        assert content.rstrip(b"\n") + b"\n" == path.read_bytes()
    finally:
        os.close(descriptor)


def test_lines_that_are_appended_during_the_search_are_not_read(path: Path) -> None:
    path.write_bytes(HEAD + message_line("user", "needle"))
    searched = deep("needle", "later")

    def append() -> None:
        with path.open("ab") as file:
            file.write(message_line("user", "later"))

    assert not look(searched, path, beat=append).matches


@cases("content", [b"", b"\n\n", b"not json needle\n", b"\0" * 100, b'"needle"\n', b'{"a":"needle"'])
def test_a_file_that_is_no_session_matches_nothing(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert not look(deep("needle"), path).matches


def test_a_missing_file_is_an_error(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        look(deep("needle"), path)


def test_an_exception_of_beat_ends_the_search(path: Path) -> None:
    path.write_bytes(HEAD + message_line("user", "needle") * 1000)

    class Enough(Exception):
        pass

    def enough() -> None:
        raise Enough

    searched = deep("needle")
    with pytest.raises(Enough):
        look(searched, path, beat=enough)
    assert look(searched, path).matches


def test_a_file_that_does_not_name_the_tool_is_not_decoded(path: Path) -> None:
    path.write_bytes(
        HEAD + call_line("bash", "1", command="needle") * 100 + message_line("user", "read needle") * 100
    )
    tools = text_kinds.NAMES["tool"]
    searched = deep("needle", found_in=tools, tools=frozenset(("read",)))
    assert not look(searched, path).matches
    assert searched.decoded == 0
    for name in ("read", "READ", r"r\u0065ad"):
        path.write_bytes(HEAD + call_line("read", "1", command="needle").replace(b"read", name.encode()))
        assert look(searched, path).matches
    # A prompt belongs to no tool.
    tools_and_prompts = deep("needle", found_in=tools | text_kinds.NAMES["user"], tools=frozenset(("read",)))
    path.write_bytes(HEAD + message_line("user", "needle"))
    assert look(tools_and_prompts, path).matches


@cases("tool", ["läs", 'say "it"', "back\\slash", "a/b", "K", "日本"])
def test_tools_of_any_name(path: Path, tool: str) -> None:
    path.write_bytes(
        HEAD + call_line("other", "1", word="needle") + message_line("toolResult", "needle", toolName=tool)
    )
    searched = deep("needle", found_in=text_kinds.NAMES["tool"], tools=frozenset((fold(tool),)))
    assert look(searched, path).matches
    assert not look(
        deep("needle", found_in=text_kinds.NAMES["tool"], tools=frozenset(("none",))), path
    ).matches
