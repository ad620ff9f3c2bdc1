"""The query language: terms, notes and refusals."""

from __future__ import annotations

import pytest

from app.index.query.grammar import MOST_CHARACTERS, MOST_FILTERS, MOST_TERMS
from app.index.query.query import Note, Query, QueryError
from tests.index.query.helpers import messages, read, refused, term, words

WANTS_QUOTES = 'a pattern with a blank in it wants quotes: re:"a b"'


def test_words_phrases_and_patterns() -> None:
    query = read('fold "the  whole\ttree" re:fn_\\w+')
    assert [(each.kind, each.text) for each in query.terms] == [
        ("word", "fold"),
        ("phrase", "the whole tree"),
        ("regex", r"fn_\w+"),
    ]
    assert [(each.position, each.length) for each in query.terms] == [(0, 4), (5, 17), (23, 9)]
    assert query.everywhere
    assert not query.is_deep
    assert query.notes == ()


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u3000"])
def test_an_empty_query_asks_for_everything(text: str) -> None:
    assert read(text) == Query(text)


def test_queries_are_equal_when_all_of_them_is() -> None:
    assert read("a b") == read("a b")
    assert read("a b") != read("a  b")
    assert read("a").terms[0] != read("-a").terms[0]
    assert len({*read("a").terms, *read("a").terms}) == 1
    assert "'word'" in repr(read("a"))


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("word", False),
        ("Word", True),
        ("émile", False),
        ("Émile", True),
        ('"one Two"', True),
        ("日本", False),
    ],
)
def test_a_capital_makes_case_count(text: str, exact: bool) -> None:
    assert term(text).exact is exact


def test_text_is_composed() -> None:
    assert words('cafe\u0301 "re\u0301sume\u0301 x"') == ["caf\u00e9", "r\u00e9sum\u00e9 x"]


def test_a_dash_excludes() -> None:
    query = read('a -b -"c d" -re:e')
    assert [each.negated for each in query.terms] == [False, True, True, True]
    assert read("-b").terms[0].position == 0


def test_a_term_counts_once() -> None:
    assert words("a a b a") == ["a", "b"]
    assert words("a -a") == ["a", "a"]
    assert words('a "a"') == ["a", "a"]  # only for a word are near spellings looked for
    assert words("a A") == ["a", "A"]


@pytest.mark.parametrize(
    "text", ["http://x", "std::vector", r"C:\dir", "foo:bar", "12:30", "model::User", ":"]
)
def test_a_colon_alone_makes_no_filter(text: str) -> None:
    query = read(text)
    assert [each.text for each in query.terms] == [text]
    assert query.filters == ()
    assert query.notes == ()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("agnet:pi", "agent:"),
        ("agents:pi", "agent:"),
        ("lable:x", "label:"),
        ("modl:x", None),
        ("modell:x", "model:"),
        ("token:>5", "tokens:"),
        ("dtae:<2d", "date:"),
        ("Folder:x", "dir:"),
        ("cwd:x", "dir:"),
        ("title:x", "name:"),
        ("tag:x", "label:"),
        ("host:80", None),
        ("hash:1", None),
        ("data:x", None),
        ("it:x", None),
        ("path://x", None),
        ("agnet::x", None),
    ],
)
def test_a_slip_for_a_filter_is_a_word_with_a_note(text: str, meant: str | None) -> None:
    query = read(text)
    assert [each.text for each in query.terms] == [text]
    if meant is None:
        assert query.notes == ()
        return
    (note,) = query.notes
    assert note.message.endswith(f"{meant} is one")
    assert (note.position, note.length) == (0, len(text))


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("-", "nothing stands after the -"),
        ('"', "the quote is not closed: it is left out"),
        ('"  ', "the quote is not closed: it is left out"),
        ('-"', "the quote is not closed: it is left out"),
        ('""', "nothing stands between the quotes"),
        ('-"  "', "nothing stands between the quotes"),
        ("re:", "re: takes a pattern"),
        ('re:""', "re: takes a pattern"),
        ("agent:", "agent: takes pi, omp, indusagi, agent"),
        ("-agent:", "agent: takes pi, omp, indusagi, agent"),
        ('name:""', "name: takes a part of it"),
        ("agent:,", "agent: takes pi, omp, indusagi, agent"),
    ],
)
def test_what_is_still_being_typed_asks_nothing(text: str, note: str) -> None:
    query = read(f"a {text}")
    assert [each.text for each in query.terms] == ["a"]
    assert query.filters == ()
    assert [(each.message, each.position, each.length) for each in query.notes] == [(note, 2, len(text))]


@pytest.mark.parametrize("text", ["cost:>", "date:<=", "tokens:=", "messages:<"])
def test_a_sign_without_its_number_asks_nothing_yet(text: str) -> None:
    assert read(text).filters == ()
    assert len(messages(text)) == 1


def test_a_value_that_is_still_empty_is_left_out() -> None:
    (found,) = read("agent:pi,").filters
    assert (found.field, found.position, found.length) == ("agent", 0, 9)
    assert messages("agent:pi,") == []


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('x "over the', "x over the"),
        ('"token read', "token read"),
        ('token "  read', "token read"),
        ('"man page" "left out', '"man page" left out'),
        ('-"over the', "-over the"),
    ],
)
def test_a_quote_that_is_not_closed_is_left_out(text: str, plain: str) -> None:
    """As in pi, an unbalanced quote is treated as words."""
    assert [(each.kind, each.text, each.negated) for each in read(text).terms] == [
        (each.kind, each.text, each.negated) for each in read(plain).terms
    ]
    assert messages(text) == ["the quote is not closed: what follows are words"]


def test_behind_a_quote_that_is_not_closed_nothing_is_a_filter() -> None:
    query = read('"agent:pi re:x -y')
    assert [(each.kind, each.text, each.negated) for each in query.terms] == [
        ("word", "agent:pi", False),
        ("word", "re:x", False),
        ("word", "-y", False),
    ]
    assert query.filters == ()
    assert [(each.position, each.length) for each in query.terms] == [(0, 9), (10, 4), (15, 2)]


def test_an_open_value_goes_on_to_the_end() -> None:
    assert messages('name:"over the') == ["the quote is not closed: it goes on to the end"]
    assert len(read('name:"over the').filters) == 1


def test_a_note_says_where_a_pattern_ended() -> None:
    assert words('re:"name":"x"') == ["name", ':"x"']
    assert messages('re:"name":"x"') == [r"the pattern ends at its second quote; \" is a quote in it"]
    assert messages('re:"name" x') == []


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("re:x y", True),
        ("-re:x y", True),
        ("re:x", False),
        ('re:"x y" z', False),
        ("y re:x", False),
        ("re:x dir:/a", False),
        ("re:x -y", False),
        ('re:x "y z"', False),
        ("re:x re:y", False),
    ],
)
def test_a_word_behind_a_pattern_may_be_meant_to_be_part_of_it(text: str, is_told: bool) -> None:
    assert [WANTS_QUOTES in message for message in messages(text)] == [True] * is_told


def test_half_a_pattern_says_that_blanks_want_quotes() -> None:
    assert refused("a re:(foo bar)", "(").endswith("; " + WANTS_QUOTES)
    for text in ("re:(foo", 're:"(foo" bar'):
        assert WANTS_QUOTES not in refused(text, "(")


def test_a_filter_takes_no_value_it_does_not_know() -> None:
    assert refused("x agent:pie", "pie") == "agent: takes pi, omp, indusagi, agent, not pie"
    assert refused("has:branch,bra", "bra").startswith("has: takes branch, label, fork, error, image")
    assert refused('-is:"a b"', '"a b"') == "is: takes live, named, pinned, damaged, not a b"
    assert refused("in:tool", "tool").startswith("in: takes tools, thinking, all")
    assert refused("role:me", "me").startswith("role: takes user, assistant,")
    assert refused("date:<2days", "<2days").startswith("date: takes an age")
    assert refused("cost:1..x", "1..x").startswith("cost: takes dollars")


def test_a_complaint_is_one_inert_line() -> None:
    message = refused('agent:"a\n\u202eb"', '"a\n\u202eb"')
    assert message == "agent: takes pi, omp, indusagi, agent, not a \ufffdb"
    assert len(refused("agent:" + "x" * 4_000, "x" * 4_000)) < 120


def test_a_message_is_inert_whatever_it_names() -> None:
    hostile = "cannot be read: \x1b[2J\u202e\n/" + "x" * 4_096
    for told in (Note(hostile, 0, 0), QueryError(hostile, 0)):
        assert told.message == "cannot be read: \u241b[2J\ufffd /" + "x" * 4_096


def test_a_thousand_has_no_comma() -> None:
    assert refused("tokens:>1,000", ">1,000") == "commas stand between values: write 1000 or 1k, not 1,000"
    assert messages("tokens:>1,500") == ["commas stand between values: write 1000 or 1k, not 1,000"]
    assert messages("messages:10,20") == []


@pytest.mark.parametrize("text", ["a\0b", "\x1b[0m", "\x7f", "\x9b31m", '"a\x08"', "re:\x01"])
def test_control_characters_are_refused(text: str) -> None:
    (control,) = (each for each in text if not each.isprintable())
    assert refused(text, control) == f"a query has no control characters (U+{ord(control):04X})"


@pytest.mark.parametrize("blank", ["\t", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_other_white_space_is_between_words(blank: str) -> None:
    assert words(f"a{blank}b") == ["a", "b"]


def test_half_characters_and_joiners_are_looked_for_as_they_are() -> None:
    assert words("\ud83d x\udc80") == ["\ud83d", "x\udc80"]
    assert words("👩\u200d💻") == ["👩\u200d💻"]


def test_a_query_may_be_so_long_and_no_longer() -> None:
    assert words("x" * MOST_CHARACTERS) == ["x" * MOST_CHARACTERS]
    message = refused("x" * 10_000, "x" * (10_000 - MOST_CHARACTERS))
    assert message == "a query has at most 4,096 characters, this one has 10,000"


def test_a_query_may_have_so_many_terms_and_filters_and_no_more() -> None:
    terms = " ".join(f"t{number}" for number in range(MOST_TERMS))
    filters = " ".join(f"name:n{number}" for number in range(MOST_FILTERS))
    assert len(read(f"{terms} {filters}").terms) == MOST_TERMS
    assert refused(f"{terms} more", "more") == "a query looks for at most 64 things"
    assert refused(f"{filters} -name:more", "-name:more") == "a query has at most 64 filters"
