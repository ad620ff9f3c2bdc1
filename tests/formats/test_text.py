"""The one place where hostile text is made inert."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from app.formats import inert, is_invisible, one_line, visible_line
from tests.cases import cases

FAMILY = "👩‍👩‍👧‍👦"
HEART = "❤️"

UNSTEADY = "\u115f\u1160\u3164\uffa0\u4dc0\u2630\u302e\u3248"

ANYTHING = st.text(alphabet=st.characters(blacklist_categories=()), max_size=400)


def is_safe(text: str) -> bool:
    """No character that a terminal acts on, that reorders the line, or that cannot be encoded."""
    for char in text:
        code = ord(char)
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp"):
            return False
        if 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x206F or code in (0x200E, 0x200F, 0x061C, 0xFEFF):
            return False
        if unicodedata.category(char) == "Cn" or char in UNSTEADY:
            return False
        if 0xE0000 <= code <= 0xE007F or 0xFFF9 <= code <= 0xFFFB or code & 0xFFFE == 0xFFFE:
            return False
    return True


@cases(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("nul\0 del\x7f bell\x07", "nul␀ del␡ bell␇"),
        ("\x9b31m csi \x85 next line", "\ufffd31m csi \ufffd next line"),
        ("a\u202egnp.exe\u202c", "a\ufffdgnp.exe\ufffd"),
        ("\u2066isolated\u2069 \u200e\u200f\u061c", "\ufffdisolated\ufffd \ufffd\ufffd\ufffd"),
        ("one\u2028two\u2029three", "one\ntwo\nthree"),
        ("tag\U000e0041\U000e007f", "tag\ufffd\ufffd"),
        ("lone \ud83d and \udc00", "lone \ufffd and \ufffd"),
        ("\ufeffbom", "\ufffdbom"),
        ("non\ufffe\uffff\U0010ffff\ufdd0", "non\ufffd\ufffd\ufffd\ufffd"),
        ("tab\there", "tab    here"),
        ("\u115fa\u1160b\u3164c\uffa0", "\ufffda\ufffdb\ufffdc\ufffd"),
        ("\u4dc0 \u4dff \u2630 \u268a \U0001d300", "\ufffd \ufffd \ufffd \ufffd \ufffd"),
        ("\u3248 \u302e \u302f", "\ufffd \ufffd \ufffd"),
        ("unassigned \u1f1e\u0378", "unassigned \ufffd\ufffd"),
        ("later \U0001fae9 \U0001fae8 \U0001f6dc", "later \ufffd \ufffd \ufffd"),
        ("dos\r\nunix\nmac\r", "dos\nunix\nmac␍"),
        ("pass\u200bword soft\u00adly \u180e \u2060", "pass\ufffdword soft\ufffdly \ufffd \ufffd"),
        ("f\u2061x\u2062y\u2063z\u2064", "f\ufffdx\ufffdy\ufffdz\ufffd"),
        (
            "a\u034fb \u17b4\u17b5 \U0001d173\U0001d17a \U0001bca0\U0001bca3",
            "a\ufffdb \ufffd\ufffd \ufffd\ufffd \ufffd\ufffd",
        ),
        ("\ufe0fselector \ufe0e \U000e0100 \u180b", "\ufffdselector \ufffd \ufffd \ufffd"),
        ("a\ufe0f\ufe00\U000e0100", "a\ufe0f\ufffd\ufffd"),
        ("line\n\ufe0f", "line\n\ufffd"),
    ],
)
def test_hostile_characters_become_visible(hostile: str, shown: str) -> None:
    assert inert(hostile) == shown


@cases(
    "harmless",
    [
        "",
        "plain",
        "two\nlines",
        FAMILY,
        HEART,
        "日本語",
        "e\u0301",
        "한국어 \u1112\u1161\u11ab ﾊﾝｶｸ",
        "हिन्दी ไทย தமிழ்",
        "🫠 🤖 ⚡ ✅ 👍🏽 🇫🇷",
        "\ue0b0 ├─ ⑂",
        "a\u00a0b",
        "[bold]markup[/bold]",
        "مرحبا",
        "1️⃣ 👁️‍🗨️ 🏳️‍🌈 ☺︎",
        "葛\U000e0100飾",
        "ᠠ\u180b",
        "می\u200cخواهم क्\u200dष ශ්\u200dරී",
    ],
)
def test_harmless_text_stays(harmless: str) -> None:
    assert inert(harmless) == harmless


@given(ANYTHING)
def test_nothing_hostile_is_left(text: str) -> None:
    shown = inert(text)
    assert is_safe(shown)
    shown.encode()
    assert inert(shown) == shown


@given(st.text(alphabet="ab \u200d\n\u00a0é日", max_size=40), st.integers(1, 45))
def test_a_line_is_folded_and_cut_whether_or_not_it_has_to_be(text: str, limit: int) -> None:
    folded = " ".join(text.split())
    cut = folded[: limit - 1].rstrip(" \u200d") + "…"
    assert one_line(text, limit) == (folded if len(folded) <= limit else cut)


@given(ANYTHING, st.integers(0, 80))
def test_one_line_is_one_short_safe_line(text: str, limit: int) -> None:
    shown = one_line(text, limit)
    assert is_safe(shown)
    assert "\n" not in shown
    assert len(shown) <= limit
    assert shown == shown.strip()
    assert "  " not in shown


def test_white_space_folds_and_ends_are_stripped() -> None:
    assert one_line("  a\n\n\tb \u2028 c\u00a0d  ") == "a b c d"


def test_a_cut_line_says_so() -> None:
    assert one_line("x" * 300, 300) == "x" * 300
    assert one_line("x" * 301, 300) == "x" * 299 + "…"
    assert one_line("word " * 100, 10) == "word word…"


def test_a_cut_leaves_no_joiner_behind() -> None:
    assert one_line(FAMILY * 3, 3) == "👩…"


def test_a_joined_emoji_survives_in_a_line() -> None:
    assert one_line(f"look {FAMILY} {HEART}\n!") == f"look {FAMILY} {HEART} !"


@cases(
    "unseen",
    [
        "",
        " \n\t",
        "\u200b\u200d\ufeff",
        "\u2800",
        "\u3164 \u115f",
        "\u00ad\u2060\ufe0f\U000e0041",
        "\u202e\u200f",
        "\u200b" * 5_000,
    ],
)
def test_what_shows_nothing_is_unseen(unseen: str) -> None:
    assert is_invisible(unseen)
    assert visible_line(unseen) == ""


@cases("seen", ["a", " a", "\u200b日", "\x1b", "\u200d⑂\u200d", "\u0301", FAMILY, HEART])
def test_what_shows_anything_is_not(seen: str) -> None:
    assert not is_invisible(seen)
    assert visible_line(seen, 9) == one_line(seen, 9) != ""


def test_a_terminal_of_unicode_14_and_one_of_17_draw_all_but_new_marks_alike() -> None:
    differing = [
        f"{code:x}"
        for code in range(0xA0, 0x20000)
        if not unicodedata.category(chr(code)).startswith("M")
        and cell_len(inert(chr(code)), "14.0.0") != cell_len(inert(chr(code)), "17.0.0")
    ]
    assert differing == []


def test_of_what_terminals_ignore_only_joiners_and_selectors_of_something_are_left() -> None:
    # Default_Ignorable_Code_Point of Unicode 16, as far as characters are assigned.
    ignorable = [
        *(0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFEFF, 0xFFA0),
        *range(0x180B, 0x1810),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xFE00, 0xFE10),
        *range(0x1BCA0, 0x1BCA4),
        *range(0x1D173, 0x1D17B),
        *range(0xE0000, 0xE1000),
    ]
    joiners = {0x200C, 0x200D}
    assert {code for code in ignorable if inert(chr(code)) != "\ufffd"} == joiners
    assert all(cell_len(inert(f"{chr(code)}|")) == 2 for code in ignorable if code not in joiners)


class Watched(str):
    """A text that tells how much of it was asked for."""

    asked = 0

    def __getitem__(self, key: object) -> str:
        piece = str.__getitem__(self, key)  # type: ignore[index]
        Watched.asked = max(Watched.asked, len(piece))
        return piece

    def _forbidden(self, *_: object) -> str:
        raise AssertionError("the whole text was scanned")

    split = strip = replace = translate = isprintable = __iter__ = _forbidden  # type: ignore[assignment]


def test_a_long_text_is_not_scanned() -> None:
    text = Watched("word \x1b " * 1_500_000)
    assert len(one_line(text, 200)) <= 200
    assert Watched.asked < 2_000


def test_a_long_blank_beginning_shows_as_cut() -> None:
    assert one_line("\n" * 100_000 + "text") == "…"
