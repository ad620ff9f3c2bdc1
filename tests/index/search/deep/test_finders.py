"""What is looked for in bytes whatever its case: a part of it first, which finds neither less nor more."""

from __future__ import annotations

import random

import pytest

from app.formats.fold import fold
from app.index.search.grep import finders

pytestmark = pytest.mark.skipif(not finders.knows_case(), reason="there is no such search here")

SIZE = 128 << 10


@pytest.mark.parametrize(
    ("sought", "part"),
    [
        ("trombolith", "omb"),
        ("robnosticat", "rob"),
        ("error", "rro"),
        ("tool_result", "_re"),
        ("config.yaml", "g.y"),
        # All of these might be spelt otherwise: Kelvin's sign, ligatures, a long s.
        ("kitsilaniftk", ""),
        ("für", ""),
        ("foo", ""),
        ("o", ""),
    ],
)
def test_the_part_that_is_met_least_is_looked_for_first(sought: str, part: str) -> None:
    assert finders.part_of(sought) == part


@pytest.mark.parametrize(
    "said",
    [
        "TromboLith",
        "trombolith",
        "xtrombolithx",
        "tromboli\u1e96",
        "\u0130mbo trombol\u0131th",
        "tro mbo lith",
    ],
)
@pytest.mark.parametrize(
    "around", ["mbo", "mboli", "Mbol\u0131th ", "x\u212a\ufb05mbo", "\U0001f389", "tromb"]
)
def test_it_finds_what_is_found_without_a_part(said: str, around: str) -> None:
    chance = random.Random(said + around)
    whole, found = finders._whole("trombolith"), finders.uncased("trombolith")
    for _ in range(60):
        rest = "".join(chance.choices([around, "a", " ", "o", "mb", said[:7]], k=chance.randrange(40)))
        text = ("." * chance.randrange(70) + rest + said + rest).encode()
        data = bytearray(text.ljust(SIZE, b"."))
        place = whole(data, 0, SIZE)
        assert found(data, 0, SIZE) == place
        start = max(0, SIZE - len(text))
        data[start:] = data[: SIZE - start]
        assert found(data, 0, SIZE) == whole(data, 0, SIZE)


def test_what_ends_behind_the_end_is_not_found() -> None:
    data = bytearray(b"." * (SIZE - 5) + b"trombolith")
    assert finders.uncased("trombolith")(data, 0, SIZE) == -1
    assert finders.uncased("trombolith")(data, 0, len(data)) == SIZE - 5


def test_a_part_that_is_everywhere_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[bytes] = []
    find = finders._find_uncased
    assert find is not None

    def counted(data: bytearray, needle: bytes, at: int, end: int) -> int:
        searched.append(needle)
        return int(find(data, needle, at, end))

    monkeypatch.setattr(finders, "_find_uncased", counted)
    found = finders.uncased("trombolith")
    data = bytearray(b"a combo, " * (SIZE // 9))
    for _ in range(40):
        assert found(data, 0, SIZE) == -1
    assert searched[:2] == [b"omb", b"omb"]
    assert searched[-2:] == [b"trombolith", b"trombolith"]
    # Where it is seldom there it is gone on with.
    searched.clear()
    found = finders.uncased("trombolith")
    data = bytearray(b"." * SIZE)
    for _ in range(40):
        assert found(data, 0, SIZE) == -1
    assert set(searched) == {b"omb"}


def test_all_that_folds_to_a_part_are_its_letters_in_either_case() -> None:
    for code in (*range(0x80, 0xD800), *range(0xE000, 0x20000)):
        for char in fold(chr(code)):
            if char.isascii():
                assert finders.part_of(char * 5) == ""
