"""Letters with marks, and characters of full and half width, are found by their plain forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import pytest

from tests.cases import cases
from tests.index.search.helpers import World

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CASES = [
    # text, queries that find it, queries that do not
    ("her résumé", ["resume", "RESUME".lower(), "résumé", "re:r.sume", "re:résumé"], ["rèsume", "résume"]),
    ("HER RÉSUMÉ", ["resume", "résumé", "RÉSUMÉ"], ["RESUME"]),
    ("her resume", ["resume"], ["résumé", "re:résumé"]),
    ("Łódź Ærø", ["lodz", "łódź", "æro"], ["łodz"]),
    ("İstanbul ıslak", ["istanbul", "i\u0307stanbul", "ıslak"], ["islak"]),
    ("Straße", ["strasse", "straße"], ["strase"]),
    ("Αθήνα, ΟΔΌΣ", ["αθηνα", "αθήνα", "οδος"], ["άθηνα"]),
    ("йод ёлка", ["йод", "елка", "ёлка"], ["иод"]),
    ("ＡＰＩキー、ﾃｽﾄｶﾞｲﾄﾞ", ["api", "ａｐｉ", "テスト", "ガイド", "ｶﾞｲﾄﾞ"], ["カイド"]),
    ("が 각 \u1100\u1161\u11a8", ["が", "각"], ["か", "가"]),
    ("Tiếng Việt", ["tieng viet", "tiếng", "việt"], ["tiêng"]),
]


def in_conversation(world: World, id: str, text: str) -> None:
    world.session(id, "hello", text)


def in_name(world: World, id: str, text: str) -> None:
    world.session(id, "hello", {"type": "session_info", "name": text})


def _calling(text: str) -> dict[str, Any]:
    block = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": text}}
    return {"type": "message", "message": {"role": "assistant", "content": [block]}}


def in_tool(world: World, id: str, text: str) -> None:
    world.session(id, "hello", _calling(text))


def in_words_of_tools(world: World, id: str, text: str) -> None:
    in_tool(world, id, text)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@cases("place", [in_conversation, in_name, in_tool, in_words_of_tools])
@cases("form", ["NFC", "NFD"])
def test_plain_queries_find_marks_and_queries_with_marks_only_these(
    tmp_path: Path, place: Callable[[World, str, str], None], form: Any
) -> None:
    world = World(tmp_path / f"{place.__name__}{form}")
    for number, (text, _, _) in enumerate(CASES):
        place(world, f"s{number}", normalize(form, text))
    world.scan()
    if place is in_words_of_tools:
        assert world.index.tool_words.update(world.index.rows(), least=bool)
    for number, (_, found, missed) in enumerate(CASES):
        for query in (*found, *missed):
            ids = {hit.row.id for hit in world.hits(query) if not hit.near}
            assert (f"s{number}" in ids) == (query in found), query
    world.index.close()


def test_a_word_with_marks_that_is_nowhere_is_tried_without_them(world: World) -> None:
    world.session("s1", "hello", "her resume")
    world.scan()
    hit = world.one("résumé")
    assert (hit.near, hit.snippet[slice(*hit.ranges[0])]) == (True, "resume")


def test_the_hit_is_marked_where_it_is(world: World) -> None:
    world.session("s1", "hello", "Überall café\u0301s: ＡＢＣ, naïve Résumé\nand more")
    world.scan()
    hit = world.one("resume")
    assert [hit.snippet[start:end] for start, end in hit.ranges] == ["Résumé"]
