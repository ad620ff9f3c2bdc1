"""Phrases against the slow reference: every kind of white space, in all tiers."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.index.query import parse
from tests.factory import chain
from tests.search.ground import TIERS, Ground, compare
from tests.search.random_sessions import Written, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.index.query import Query

many = settings(suppress_health_check=list(HealthCheck), max_examples=10)

WHITE = [char for char in map(chr, range(0x3001)) if char.isspace()]
"""All white space of Python, whose last character is U+3000; a run of it equals one blank in a phrase."""
NO_SPACE = ["", "\u200b", "\u2060", "\ufeff", "\u180e", "_", "\0", "\x08", "\x1b"]
"""Characters that only look like white space, or are left out of texts."""
GAPS = [
    *WHITE,
    *(f" {char}" for char in WHITE),
    *(f"{char} " for char in WHITE),
    "\r\n",
    "\n\n\n",
    " " * 40,
    "\n" * 300,
]

PHRASES = [
    '"one two"', '"one two three"', '"two three"', '"ne two thr"', '"One two"', '"one Two"', '"two one"',
    '"one one"', '"one one one"', '"o t"', '"日本 語彙"', '"naïve café"', '"NAÏVE café"', '"straße ﬁn"',
    '"ạ\u0301 데이터"', '"🎉 one"', '"one two" "two three"', '"one two" three', '-"one two"',
    '-"two three" one', 'role:user "one two"', 'role:thinking "one two"', '-in:thinking "one two three"',
    'in:all "one two"',
]  # fmt: skip


def with_messages(*texts: str) -> Written:
    """Return one session with these texts, by the user and the assistant in turn."""
    return Written("pi", "".join(json.dumps(line) + "\n" for line in chain(*texts, id="s")).encode())


def with_thinking(text: str) -> Written:
    """Return one session with this text as thinking."""
    written = with_messages("", "").content
    return Written(
        "pi",
        written.replace(
            b'"type": "text", "text": ""', b'"type": "thinking", "thinking": ' + json.dumps(text).encode()
        ),
    )


def with_name(name: str) -> Written:
    """Return one session of this name, without messages."""
    info = {"type": "session_info", "id": "a", "parentId": None, "name": name}
    return Written("pi", with_messages().content + json.dumps(info).encode() + b"\n")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    """Index sessions with each kind of white space between the words of a phrase."""
    folder = tmp_path_factory.mktemp("phrases")
    written = [with_messages(f"x one{gap}two y", f"and two{gap}three") for gap in (*GAPS, *NO_SPACE)]
    written += [with_messages(f"One{gap}two{gap}Two{gap}three") for gap in WHITE]
    written += [with_thinking(f"one{gap}two{gap}three") for gap in WHITE]
    written += [with_name(f"one{gap}two") for gap in WHITE]
    written += [
        with_messages(
            f"日本{gap}語彙",
            f"nai\u0308ve{gap}cafe\u0301",
            f"STRASSE{gap}ﬁne",
            f"a\u0301\u0323{gap}\u1103\u1166이터",
            f"🎉{gap}one",
        )
        for gap in WHITE
    ]
    # At the borders of entries, of sessions, and of the parts of an answer.
    written += [
        with_messages("one", "two", "three"),
        with_messages("three one"),
        with_messages("two three"),
        with_messages("one "),
        with_messages(" two"),
        with_messages("one\n"),
        with_messages("two one"),
    ]
    # Texts with several beginnings of the phrase before it.
    written += [
        with_messages("one one\none\ttwo"),
        with_messages("one\n" * 50 + "two"),
        with_messages("one two\nthree one\ntwo three"),
        with_messages("one\u2028one\u00a0one"),
    ]
    ground = Ground(folder, write(folder, written))
    assert len(ground.sessions) == len(written)
    yield ground
    ground.close()


@pytest.mark.parametrize("tier", TIERS)
def test_every_kind_of_white_space(ground: Ground, tier: str) -> None:
    """The store with the words of tools, and the files, are searched for all phrases, the other tiers for a
    third each.
    """
    others = [other for other in TIERS if other not in ("words", "files")]
    phrases = PHRASES[others.index(tier) :: len(others)] if tier in others else PHRASES
    with ground.searcher(tier) as searcher:
        for text in phrases:
            compare(searcher, ground.sessions, parse(text, 0))


texts = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "ab", "ba", "é", "e\u0301", "日"]),
        st.sampled_from([" ", " ", *GAPS, *NO_SPACE]),
    ),
    min_size=1,
    max_size=12,
).map(lambda parts: "".join(word + gap for word, gap in parts))
asked = st.lists(st.sampled_from(["a", "b", "ab", "ba", "é", "日", "A"]), min_size=2, max_size=4).map(
    lambda words: parse('"' + " ".join(words) + '"', 0)
)


@many
@given(
    written=st.lists(
        st.lists(texts, min_size=1, max_size=4).map(lambda each: with_messages(*each)), min_size=1, max_size=8
    ),
    queries=st.lists(asked, min_size=1, max_size=8),
)
def test_random_texts_of_few_words(written: list[Written], queries: list[Query]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(Path(folder), write(Path(folder), written))
        try:
            for tier in TIERS:
                with ground.searcher(tier) as searcher:
                    for query in queries:
                        compare(searcher, ground.sessions, query)
        finally:
            ground.close()
