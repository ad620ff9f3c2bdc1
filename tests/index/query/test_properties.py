"""Properties of the query language for any text."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from leafmark import QueryError

from app.formats import one_line
from app.formats.utf8_text import to_nfc
from app.index import complete, vocabulary
from app.index.query import FILTER_KINDS, MOST_CHARACTERS, MOST_TERMS, Facts, as_value, parse, quote
from app.index.query.tokens import tokens
from tests.factory import NOW, make_row
from tests.index.query.helpers import fields

FACTS = Facts(live=lambda row: row.id == "live", pinned=lambda row: row.id == "pinned")

PARTS = [
    *(f"{name}:" for name in FILTER_KINDS),
    *(value for kind in FILTER_KINDS.values() for value in kind.values),
    "re:", "agnet:", "-", "--", ":", "::", ",", '"', "\\", '\\"', " ", "\t", "\n", "..", "<", ">=", "~", "/",
    "2026-10", "<2d", "1w", "10", "0", "1,000", "k", "(", "[", "*", "\\C", "(?i)", "x", "Foo", "é", "e\u0301",
    "日本", "👩\u200d💻", "\u202e", "\u3000", "\ud83d", "\0", "\x1b", "\u2028",
]  # fmt: skip
ANYTHING = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
QUERIES = st.one_of(ANYTHING, st.lists(st.one_of(st.sampled_from(PARTS), ANYTHING), max_size=12).map("".join))
TYPABLE = st.text(
    st.one_of(st.sampled_from('",\\ -:.~<>=aAé'), st.characters(exclude_categories=("Cc", "Cs"))), max_size=30
)


@given(QUERIES, st.sampled_from(["", "/", "/home/me"]))
@example("x" * 10_000, "")
@example('"' * MOST_CHARACTERS, "")
@example("\\" * 4_095 + '"', "")
@example("agent:" * 600, "")
@example("date:" + "9" * 4_000 + "y", "")
@example("cost:>" + "9" * 4_000, "")
@example("re:" + "(" * 4_000, "")
def test_any_text_is_read_or_refused_with_a_position_in_it(text: str, home: str) -> None:
    try:
        query = parse(text, NOW, home=home)
    except QueryError as error:
        messages = [(error.message, error.position, error.length)]
    else:
        messages = [(note.message, note.position, note.length) for note in query.notes]
        for term in query.terms:
            assert term.length > 0
            assert 0 <= term.position <= len(text) - term.length
        assert all(0 <= row_filter.position < len(text) for row_filter in query.filters)
        assert len(query.terms) <= MOST_TERMS
        assert query.kinds
        assert all(term.text.strip() for term in query.terms)
        assert query.passes(make_row(), FACTS) in (True, False)
    for message, position, length in messages:
        assert one_line(message, 1_000) == message
        assert length > 0
        assert 0 <= position <= len(text) - length


@given(QUERIES)
def test_tokens_do_not_overlap_and_only_blanks_are_between_them(text: str) -> None:
    offset = 0
    for token in tokens(text):
        assert not text[offset : token.start].strip()
        assert offset <= token.start < token.end <= len(text)
        inside = token.start
        for item in token.items:
            assert inside <= item.start <= item.end <= token.end
            inside = item.end
        offset = token.end
    assert not text[offset:].strip()


@given(TYPABLE)
def test_a_quoted_phrase_is_read_unchanged(text: str) -> None:
    query = parse(quote(text), NOW)
    words = " ".join(to_nfc(text).split())
    assert [(term.kind, term.text) for term in query.terms] == ([("phrase", words)] if words else [])
    assert query.filters == ()


@given(TYPABLE.filter(str.strip), st.sampled_from(["name", "label", "model", "tool", "id", "dir"]))
def test_a_quoted_value_finds_the_session_with_that_value(text: str, field: str) -> None:
    row = make_row(
        text if field == "id" else "s1",
        name=text,
        labels=(("e", text),),
        models=(text,),
        tools=(text,),
        cwd=text,
    )
    query = parse(f"{field}:{as_value(text)}", NOW)
    assert query.terms == ()
    assert query.passes(row, FACTS)
    assert not parse(f"-{field}:{as_value(text)}", NOW).passes(row, FACTS)


@given(st.text(st.characters(exclude_categories=("Z", "C")), min_size=1, max_size=30))
def test_a_word_is_read_unchanged(word: str) -> None:
    assume(not word.startswith(('"', "-", ">")) and ":" not in word)
    (term,) = parse(word, NOW).terms
    assert (term.kind, term.text, term.negated) == ("word", to_nfc(word), False)
    (term,) = parse(f"-{word}", NOW).terms
    assert (term.text, term.negated) == (to_nfc(word), True)


@given(
    st.lists(st.sampled_from(["word", '"a b"', "re:x", "agent:pi", "is:live", "-cost:>1"]), unique=True),
    st.lists(st.sampled_from([" ", "\n", "\u3000", "  "]), min_size=6, max_size=6),
)
def test_the_order_of_tokens_and_the_blanks_between_do_not_matter(
    parts: list[str], blanks: list[str]
) -> None:
    text = " ".join(parts)
    other_text = "".join(map("".join, zip(reversed(parts), blanks, strict=False)))
    query, reordered = parse(text, NOW), parse(other_text, NOW)
    assert {(term.kind, term.text) for term in query.terms} == {
        (term.kind, term.text) for term in reordered.terms
    }
    assert set(fields(text)) == set(fields(other_text))


VALUES = {
    "agent": ["pi", "omp"],
    "dir": ["work", "~/a", "/"],
    "name": ["a", "Re"],
    "label": ["a", "do"],
    "model": ["gpt", "o"],
    "tool": ["bash", "read"],
    "id": ["1", "a"],
    "date": ["<2d", ">1w", "2026", "today", "1y..2d"],
    "cost": [">1", "0", "0.5..2"],
    "tokens": [">10", "<=1k"],
    "messages": [">3", "=5", "..4"],
    "has": ["branch", "label", "fork", "error", "image"],
    "is": ["waiting", "failed", "open", "subagent", "named", "pinned", "damaged"],
}
ROWS = st.builds(
    make_row,
    st.sampled_from(["1", "a2", "live", "pinned"]),
    agent=st.sampled_from(["pi", "omp"]),
    cwd=st.sampled_from(["", "/work/app", "/home/me/a", "/x"]),
    name=st.sampled_from([None, "", "a", "Release"]),
    labels=st.sampled_from([(), (("e", "a"),), (("e", "to do"), ("f", "x"))]),
    models=st.sampled_from([(), ("openai/gpt",), ("x/y",)]),
    tools=st.sampled_from([(), ("Bash",), ("read", "x")]),
    modified=st.integers(NOW - 10**11, NOW + 10**8),
    cost=st.sampled_from([0.0, 0.004, 0.5, 2.0, 3.0]),
    tokens=st.tuples(*[st.integers(0, 600)] * 4),
    message_count=st.integers(0, 6),
    branch_count=st.integers(0, 2),
    parent_session=st.sampled_from([None, "/p"]),
    errors=st.integers(0, 1),
    images=st.integers(0, 1),
    problems=st.integers(0, 1),
)


@given(
    st.sampled_from(list(VALUES)).flatmap(
        lambda f: st.tuples(st.just(f), st.lists(st.sampled_from(VALUES[f]), min_size=1, max_size=3))
    ),
    ROWS,
)
def test_commas_mean_any_blanks_mean_all_and_a_dash_negates(
    chosen: tuple[str, list[str]], row: object
) -> None:
    def passes(text: str) -> bool:
        return parse(text, NOW, home="/home/me").passes(row, FACTS)  # type: ignore[arg-type]

    field, values = chosen
    results = [passes(f"{field}:{value}") for value in values]
    assert passes(f"{field}:{','.join(values)}") is any(results)
    assert passes(f"-{field}:{','.join(values)}") is not any(results)
    assert passes(" ".join(f"{field}:{value}" for value in values)) is all(results)


@pytest.mark.parametrize("field", ["date", "cost", "messages", "tokens"])
@given(data=st.data())
def test_less_equal_and_more_leave_no_gap(field: str, data: st.DataObject) -> None:
    if field == "date":
        day = data.draw(st.dates().map(str))
        value = data.draw(st.sampled_from([day, day[:7], day[:4], "today", "yesterday"]))
    else:
        value = str(data.draw(st.integers(0, 7)))
    row = data.draw(ROWS)
    assume(field != "cost" or row.cost == round(row.cost, 2))

    def passes(sign: str) -> bool:
        return parse(f"{field}:{sign}{value}", NOW).passes(row, FACTS)

    assert [passes("<"), passes("="), passes(">")].count(True) == 1
    assert passes("<=") is not passes(">")
    assert passes(">=") is not passes("<")


KNOWN = vocabulary(
    [
        make_row("1", cwd="/home/me/my work", name='say "hi", now', labels=(("e", "a,b"), ("f", "to do"))),
        make_row("2", cwd="/srv/x", name="\\", models=("openai/gpt",), tools=("bash", 'a"b')),
    ],
    "/home/me",
)


@given(QUERIES, st.integers(-2, 100))
@example("name:", 5)
@example("label:x,", 8)
def test_a_completion_replaces_text_at_the_cursor(text: str, position: int) -> None:
    candidates = complete(text, position, KNOWN)
    assert len(candidates) <= 50
    inside = min(max(position, 0), len(text))
    for candidate in candidates:
        assert 0 <= candidate.start <= candidate.end <= len(text)
        assert candidate.start <= inside
        assert candidate.applied(text) != text
        token = tokens(text[: candidate.start] + candidate.text)[-1]
        assert token.shape in ("filter", "regex")
        assert token.items[-1].closed


@given(QUERIES, st.integers(0, 100))
@example("all", 1)
@example("->", 1)
@example("-31", 1)
@example("tool:x", 1)
@example('-" ag', 1)
@example("mod::User", 2)
@example("\u200b", 1)
def test_a_completed_name_replaces_the_whole_word(text: str, position: int) -> None:
    inside = min(position, len(text))
    for candidate in complete(text, inside):
        typed = text[candidate.start : candidate.end]
        if not candidate.text.endswith(":") or (candidate.end <= inside and typed.endswith(":")):
            continue  # a value, or a replacement of a name that already has a value
        assert candidate.text.startswith(text[candidate.start : inside].lower())
        assert candidate.text.startswith(typed.lower())
        behind = text[candidate.end : candidate.end + 1]
        assert not behind.strip() or (typed.endswith(":") and behind != ":")


@given(st.sampled_from(["dir", "name", "label", "model", "tool"]), st.data())
def test_a_completed_value_finds_its_session(field: str, data: st.DataObject) -> None:
    value = data.draw(TYPABLE.filter(str.strip))
    row = make_row(name=value, labels=(("e", value),), models=(value,), tools=(value,), cwd=value)
    text = f"{field}:"
    for candidate in complete(text, len(text), vocabulary([row], "/home/me")):
        assert parse(candidate.applied(text), NOW, home="/home/me").passes(row, FACTS)
