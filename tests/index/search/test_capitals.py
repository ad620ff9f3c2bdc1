"""Words with capitals are found in the texts as they are written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from unicodedata import normalize

from tests.cases import cases

if TYPE_CHECKING:
    from tests.index.search.helpers import World


def nothing() -> None:
    pass


@cases(
    "text",
    [
        "a\nWidget",
        "Widget\nwidget",
        "a\tWidget\t",
        "C:\\newWidget\\x",
        'say "Widget" twice',
        "tWidget/n",
        "one widget, one Widget\u2028",
        "Widget cafe\u0301",
        "日本Widget語",
        "\x01Widget\x01",
        "x" * 300_000 + "Widget",
    ],
)
def test_any_characters_may_surround_a_word(world: World, text: str) -> None:
    world.session("s1", "a widget", "the widget", text, "widget")
    world.session("s2", "a widget", text.replace("Widget", "widget"))
    world.scan()
    assert world.ids("Widget") == ["s1"]


@cases(
    ("word", "other_words"),
    [
        ("Über", ("über", "ÜBER")),
        ("GRÜSSE", ("grüße", "Grüsse")),
        ("naÏve", ("naïve", "Naïve")),
        ("Проверка", ("проверка", "ПРОВЕРКА")),
        ("Йод", ("йод", "Иод")),
        ("Σίσυφος", ("σίσυφος", "ΣΊΣΥΦΟΣ")),
        ("Åre", ("åre", "Are")),
        ("İstanbul", ("Istanbul", "istanbul")),
        ("Kelvin", ("kelvin", "KELVIN")),
        ("日本A", ("日本a",)),
    ],
)
@cases("form", ["NFC", "NFD"])
@cases("escaped", [False, True])
def test_capitals_of_all_scripts(
    world: World, word: str, other_words: tuple[str, ...], form: str, escaped: bool
) -> None:
    for id, texts in (("s1", (*other_words, word)), ("s2", other_words)):
        path = world.session(id, "hello")
        for number, text in enumerate(texts):
            user_message = {"role": "user", "content": f"a {normalize(form, text)}."}  # type: ignore[arg-type]
            line = {"type": "message", "id": str(number), "parentId": None, "message": user_message}
            path.write_text(path.read_text() + json.dumps(line, ensure_ascii=escaped) + "\n")
    world.scan()
    assert world.ids(word) == ["s1"]
    assert world.ids(f"hello -{word}") == ["s2"]


def test_characters_that_are_composed_to_a_word(world: World) -> None:
    world.session("s1", "a \u212aelvin", "an \u212bre")
    world.session("s2", "kelvin and åre", "Cafe\u0301 and cafe")
    world.scan()
    assert world.ids("Kelvin") == world.ids("Åre") == ["s1"]
    assert world.pages("Cafe")[-1].notes
    assert world.ids("Café") == ["s2"]


def test_a_nul_within_a_word_is_ignored(world: World) -> None:
    world.session("s1", "def", "e\0F")
    world.scan()
    assert world.ids("eF") == ["s1"]


def test_no_file_is_read_to_match_capitals(world: World, decoded: list[bytes]) -> None:
    for number in range(5):
        world.session(f"s{number}", *["grüße and проверка"] * 20)
    world.session("s5", "a Widget", "the widget")
    world.scan()
    for word in ("GRÜSSE", "Проверка", "aND", "re:W[A-Z]", '"A Widget"'):
        assert world.pages(word)[-1].notes
    for query in ("Widget", '"a Widget"', "re:W[a-z]+", "Widget -WIDGET"):
        assert world.pages(query)[-1].total == 1
    assert decoded == []


def test_a_hit_of_a_file_that_is_gone_shows_the_text_as_it_was_written(world: World) -> None:
    path = world.session("s1", "the Grand Widget of Straße 5")
    world.scan()
    path.unlink()
    for query in ("Widget", "widget", "strasse", "Straße 5"):
        pages = world.pages(query)
        assert pages[-1].total == 1, query
        hit = pages[0].hits[0]
        hit.look_up()
        assert hit.snippet == "the Grand Widget of Straße 5"


def test_appended_entries_are_searched(world: World) -> None:
    world.session("s1", "a widget", "a gadget")
    world.scan()
    assert world.pages("Widget")[-1].notes
    world.append("s1", "the Widget")
    world.scan()
    assert world.ids("Widget") == ["s1"]
    assert world.pages("Gadget")[-1].notes
