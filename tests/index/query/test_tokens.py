"""Splitting a query into tokens."""

from __future__ import annotations

from app.index.query import as_value, quote
from app.index.query.tokens import tokens
from tests.cases import cases


def shapes(text: str) -> list[tuple[str, list[str]]]:
    return [(token.field or token.shape, [item.text for item in token.items]) for token in tokens(text)]


@cases(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n", []),
        ("two words", [("word", ["two"]), ("word", ["words"])]),
        ("wide\u3000blank", [("word", ["wide"]), ("word", ["blank"])]),
        ('"a  b" c', [("phrase", ["a  b"]), ("word", ["c"])]),
        ('"one""two"three', [("phrase", ["one"]), ("phrase", ["two"]), ("word", ["three"])]),
        ('5" disk', [("word", ['5"']), ("word", ["disk"])]),
        (r'"say \"hi\" \\"', [("phrase", ['say "hi" \\'])]),
        (r'"C:\dir\\server"', [("phrase", [r"C:\dir\\server"])]),
        ("re:a b", [("regex", ["a"]), ("word", ["b"])]),
        ('RE:"a b" c', [("regex", ["a b"]), ("word", ["c"])]),
        (r're:"a\"b\\" c', [("regex", [r"a\"b\\"]), ("word", ["c"])]),
        ('re:a"b', [("regex", ['a"b'])]),
        ("agent:pi,omp", [("agent", ["pi", "omp"])]),
        ("Agent:", [("agent", [""])]),
        ("program:omp -Program:", [("agent", ["omp"]), ("agent", [""])]),
        ('label:"to do",done,"a,b"', [("label", ["to do", "done", "a,b"])]),
        ('label:"to do"s', [("label", ["to dos"])]),
        ("label:a,", [("label", ["a", ""])]),
        ("http://x", [("word", ["http://x"])]),
        (
            "model::User re::Regex in::x",
            [("word", ["model::User"]), ("word", ["re::Regex"]), ("word", ["in::x"])],
        ),
        (r"C:\dir", [("word", [r"C:\dir"])]),
        ("foo:bar :x", [("word", ["foo:bar"]), ("word", [":x"])]),
    ],
)
def test_a_query_is_split(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert shapes(text) == expected


@cases("text", ['" ', 're:"to the end', 'label:"to the end', 'label:x,"to the end'])
def test_an_unclosed_value_or_pattern_continues_to_the_end(text: str) -> None:
    (token,) = tokens(text)
    assert token.items[-1].text in ("to the end", " ")
    assert not token.items[-1].closed
    assert token.end == len(text)


def test_after_an_unclosed_quote_there_are_words() -> None:
    split = tokens(r'x -"to  label:x \"end')
    assert [(token.shape, token.items[0].text, token.negated) for token in split] == [
        ("word", "x", False),
        ("word", "to", True),
        ("word", "label:x", False),
        ("word", '"end', False),
    ]
    assert [(token.start, token.end) for token in split] == [(0, 1), (2, 6), (8, 15), (16, 21)]
    assert [token.items[0].closed for token in split] == [True, False, True, True]


@cases("text", ["-word", '-"a phrase"', "-re:x", "-agent:pi", "-"])
def test_a_dash_belongs_to_the_token_after_it(text: str) -> None:
    (token,) = tokens(text)
    assert token.negated
    assert (token.start, token.end) == (0, len(text))
    assert token.items[0].start > 0


@cases("text", ["--flag", "--", "->", "->name", "---"])
def test_two_dashes_and_an_arrow_begin_a_word(text: str) -> None:
    (token,) = tokens(text)
    assert not token.negated
    assert token.items[0].text == text


def test_every_token_has_its_offsets() -> None:
    text = '  -"a b"  agent:pi,"x y" re:"q" end'
    assert [text[token.start : token.end] for token in tokens(text)] == [
        '-"a b"',
        'agent:pi,"x y"',
        're:"q"',
        "end",
    ]
    values = tokens(text)[1].items
    assert [text[item.start : item.end] for item in values] == ["pi", '"x y"']


@cases("text", ["", '"', "\\", '\\"', 'a\\\\"b\\', '""', "a b", "C:\\", '\\\\"'])
def test_a_quoted_text_is_read_unchanged(text: str) -> None:
    assert shapes(quote(text)) == [("phrase", [text])]
    assert shapes("name:" + quote(text)) == [("name", [text])]


def test_a_value_is_quoted_only_if_needed() -> None:
    assert as_value("~/work") == "~/work"
    assert as_value('5"') == '5"'
    assert as_value("a b") == '"a b"'
    assert as_value("a,b") == '"a,b"'
    assert as_value(":a") == '":a"'  # `name::a` is a word
    assert as_value("") == '""'
    assert as_value('"') == r'"\""'
