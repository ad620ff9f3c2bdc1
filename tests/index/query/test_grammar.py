"""The query language: terms, notes and refusals."""

from __future__ import annotations

from leafmark import QueryError

from app.index import Note
from app.index.query import MOST_CHARACTERS, MOST_FILTERS, MOST_TERMS, Query
from app.stores import AGENTS
from tests.cases import cases
from tests.index.query.helpers import fields, messages, read, refused, term, words

NO_AGENT = f"is none of {', '.join(agent.name for agent in AGENTS)}"
TAKES_AGENTS = f"agent: takes {', '.join(agent.name for agent in AGENTS)}"
WANTS_QUOTES = 'a pattern with a blank in it wants quotes: re:"a b"'


def test_words_phrases_and_patterns() -> None:
    query = read('fold "the  whole\ttree" re:fn_\\w+')
    assert [(term.kind, term.text) for term in query.terms] == [
        ("word", "fold"),
        ("phrase", "the whole tree"),
        ("regex", r"fn_\w+"),
    ]
    assert [(term.position, term.length) for term in query.terms] == [(0, 4), (5, 17), (23, 9)]
    assert query.everywhere
    assert query.needs_files
    assert query.notes == ()


@cases("text", ["", "   ", "\n\t", "\u3000"])
def test_an_empty_query_matches_everything(text: str) -> None:
    assert read(text) == Query(text)


@cases(
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
def test_a_capital_makes_a_term_exact(text: str, exact: bool) -> None:
    assert term(text).exact is exact


def test_text_is_composed() -> None:
    assert words('cafe\u0301 "re\u0301sume\u0301 x"') == ["caf\u00e9", "r\u00e9sum\u00e9 x"]


def test_a_dash_excludes() -> None:
    query = read('a -b -"c d" -re:e')
    assert [term.negated for term in query.terms] == [False, True, True, True]
    assert read("-b").terms[0].position == 0


def test_a_repeated_term_counts_once() -> None:
    assert words("a a b a") == ["a", "b"]
    assert words("a -a") == ["a", "a"]
    assert words('a "a"') == ["a", "a"]  # suggestions are made for words only
    assert words("a A") == ["a", "A"]


@cases("text", ["http://x", "std::vector", r"C:\dir", "foo:bar", "12:30", "model::User", ":"])
def test_a_colon_alone_makes_no_filter(text: str) -> None:
    query = read(text)
    assert [term.text for term in query.terms] == [text]
    assert query.filters == ()
    assert query.notes == ()


@cases(
    ("text", "suggested"),
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
        ("tags:x", "tag:"),
        ("host:80", None),
        ("hash:1", None),
        ("data:x", None),
        ("it:x", None),
        ("path://x", None),
        ("agnet::x", None),
    ],
)
def test_a_misspelt_filter_is_a_word_with_a_note(text: str, suggested: str | None) -> None:
    query = read(text)
    assert [term.text for term in query.terms] == [text]
    if suggested is None:
        assert query.notes == ()
        return
    (note,) = query.notes
    assert note.message.endswith(f"{suggested} is one")
    assert (note.position, note.length) == (0, len(text))


@cases(
    ("text", "note"),
    [
        ("-", "nothing stands after the -"),
        ('"', "Missing closing quote; left out"),
        ('"  ', "Missing closing quote; left out"),
        ('-"', "Missing closing quote; left out"),
        ('""', "nothing stands between the quotes"),
        ('-"  "', "nothing stands between the quotes"),
        ("re:", "re: takes a pattern"),
        ('re:""', "re: takes a pattern"),
        ("agent:", TAKES_AGENTS),
        ("-agent:", TAKES_AGENTS),
        ('name:""', "name: takes a part of it"),
        ("agent:,", TAKES_AGENTS),
    ],
)
def test_incomplete_terms_are_ignored_with_a_note(text: str, note: str) -> None:
    query = read(f"a {text}")
    assert [term.text for term in query.terms] == ["a"]
    assert query.filters == ()
    assert [(query_note.message, query_note.position, query_note.length) for query_note in query.notes] == [
        (note, 2, len(text))
    ]


@cases("text", ["cost:>", "date:<=", "tokens:=", "messages:<"])
def test_a_comparison_without_its_number_is_ignored(text: str) -> None:
    assert read(text).filters == ()
    assert len(messages(text)) == 1


def test_an_empty_value_in_a_list_is_ignored() -> None:
    assert fields("agent:pi,") == ["agent"]
    assert messages("agent:pi,") == []


@cases(
    ("text", "plain"),
    [
        ('x "over the', "x over the"),
        ('"token read', "token read"),
        ('token "  read', "token read"),
        ('"man page" "left out', '"man page" left out'),
        ('-"over the', "-over the"),
    ],
)
def test_an_unclosed_quote_is_ignored(text: str, plain: str) -> None:
    """As in pi, the text after an unclosed quote is read as words."""
    assert [(term.kind, term.text, term.negated) for term in read(text).terms] == [
        (term.kind, term.text, term.negated) for term in read(plain).terms
    ]
    assert messages(text) == ["Missing closing quote; searched as words"]


def test_after_an_unclosed_quote_nothing_is_a_filter() -> None:
    query = read('"agent:pi re:x -y')
    assert [(term.kind, term.text, term.negated) for term in query.terms] == [
        ("word", "agent:pi", False),
        ("word", "re:x", False),
        ("word", "-y", False),
    ]
    assert query.filters == ()
    assert [(term.position, term.length) for term in query.terms] == [(0, 9), (10, 4), (15, 2)]


def test_an_unclosed_value_continues_to_the_end() -> None:
    assert messages('name:"over the') == ["Missing closing quote; it goes on to the end"]
    assert len(read('name:"over the').filters) == 1


def test_a_note_says_where_a_pattern_ended() -> None:
    assert words('re:"name":"x"') == ["name", ':"x"']
    assert messages('re:"name":"x"') == [r"the pattern ends at its second quote; \" is a quote in it"]
    assert messages('re:"name" x') == []


@cases(
    ("text", "has_note"),
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
def test_a_word_after_a_pattern_gets_a_note_about_quotes(text: str, has_note: bool) -> None:
    assert [WANTS_QUOTES in message for message in messages(text)] == [True] * has_note


def test_half_a_pattern_gets_the_note_about_quotes() -> None:
    assert refused("a re:(foo bar)", "(").endswith("; " + WANTS_QUOTES)
    for text in ("re:(foo", 're:"(foo" bar'):
        assert WANTS_QUOTES not in refused(text, "(")


def test_an_unknown_value_of_a_filter_is_refused() -> None:
    assert refused("x agent:pie", "pie") == f'"pie" {NO_AGENT}'
    assert refused("has:branch,bra", "bra").endswith("is none of branch, label, fork, error, image")
    assert refused('-is:"a b"', '"a b"').startswith('"a b" is none of waiting, failed, aborted,')
    assert refused("in:tool", "tool").endswith("is none of text, tools, thinking, all")
    assert refused("role:me", "me").startswith('"me" is none of user, assistant,')
    assert refused("date:<2days", "<2days").startswith('"<2days" is no time; examples: today')
    assert refused("cost:1..x", "1..x").startswith('"1..x" is no amount in dollars; examples: >1')


def test_an_error_message_is_one_inert_line() -> None:
    message = refused('agent:"a\n\u202eb"', '"a\n\u202eb"')
    assert message == f'"a \ufffdb" {NO_AGENT}'
    assert len(refused("agent:" + "x" * 4_000, "x" * 4_000)) < 120


def test_messages_are_inert_for_any_content() -> None:
    hostile = "cannot be read: \x1b[2J\u202e\n/" + "x" * 4_096
    for text_with_message in (Note(hostile, 0, 0), QueryError(hostile, 0)):
        assert text_with_message.message == "cannot be read: \u241b[2J\ufffd /" + "x" * 4_096


def test_a_comma_in_a_number_is_pointed_out() -> None:
    assert refused("tokens:>1,000", ">1,000") == "commas stand between values: write 1000 or 1k, not 1,000"
    assert messages("tokens:>1,500") == ["commas stand between values: write 1000 or 1k, not 1,000"]
    assert messages("messages:10,20") == []


@cases("text", ["a\0b", "\x1b[0m", "\x7f", "\x9b31m", '"a\x08"', "re:\x01"])
def test_control_characters_are_refused(text: str) -> None:
    (control,) = (char for char in text if not char.isprintable())
    assert refused(text, control) == f"a query has no control characters (U+{ord(control):04X})"


@cases("blank", ["\t", "\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_other_white_space_separates_words(blank: str) -> None:
    assert words(f"a{blank}b") == ["a", "b"]


def test_surrogates_and_joiners_are_searched_unchanged() -> None:
    assert words("\ud83d x\udc80") == ["\ud83d", "x\udc80"]
    assert words("👩\u200d💻") == ["👩\u200d💻"]


def test_the_length_of_a_query_is_limited() -> None:
    assert words("x" * MOST_CHARACTERS) == ["x" * MOST_CHARACTERS]
    message = refused("x" * 10_000, "x" * (10_000 - MOST_CHARACTERS))
    assert message == "a query has at most 4,096 characters, this one has 10,000"


def test_the_numbers_of_terms_and_filters_are_limited() -> None:
    terms = " ".join(f"t{number}" for number in range(MOST_TERMS))
    filters = " ".join(f"name:n{number}" for number in range(MOST_FILTERS))
    assert len(read(f"{terms} {filters}").terms) == MOST_TERMS
    assert refused(f"{terms} more", "more") == "a query looks for at most 64 things"
    assert refused(f"{filters} -name:more", "-name:more") == "a query has at most 64 filters"
