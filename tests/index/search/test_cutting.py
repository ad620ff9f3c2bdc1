"""Long lines of which only a part is decoded: the snippet is that of the whole line."""

from __future__ import annotations

from itertools import product

import pytest

from app.index.search import cutting
from tests.index.search.helpers import World, marked

FILL = "Some words, and then some more of them. "
CODE = 'if (name === "x\\\\y") {\n\treturn `C:\\\\dir`; // "quoted"\n}\n'
MIXED = "Grüße aus 日本語 und 🎉, naïve Straße. "


@pytest.mark.parametrize("fill", [FILL, CODE, MIXED, "         \n" * 4, 'He said "no\\". ', "x" * 40])
@pytest.mark.parametrize("before", [0, 1, 700])
@pytest.mark.parametrize("behind", [0, 1, 700])
def test_a_snippet_is_that_of_the_whole_line(
    fill: str, before: int, behind: int, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = fill * before + "here is a Needle, they say. " + fill * behind
    world.session("one", said, {"type": "message", "message": {"role": "user", "content": FILL * 300}})
    world.scan()
    shown = world.one("needle")
    assert marked(shown) == ["Needle"]
    monkeypatch.setattr(cutting, "LONG", 1 << 30)
    whole = world.one("needle")
    assert (shown.snippet, shown.ranges, shown.entry_id) == (whole.snippet, whole.ranges, whole.entry_id)
    assert (shown.role, shown.timestamp) == (whole.role, whole.timestamp)


@pytest.mark.parametrize("fill", [FILL, MIXED])
def test_what_is_far_from_a_match_is_not_decoded(fill: str, world: World, decoded: list[bytes]) -> None:
    world.session("one", fill * 20_000 + "a needle here. " + fill * 20_000)
    world.scan()
    assert world.one("needle").snippet.count("a needle here.") == 1
    assert len(decoded) == 1
    assert len(decoded[0]) < 8_000


def test_of_texts_side_by_side_none_is_cut_across_its_end(world: World) -> None:
    """The joined text of an entry has blocks; what is between them in the line is no text."""
    blocks = [{"type": "text", "text": FILL * 300}] * 3
    blocks[1:1] = [{"type": "text", "text": FILL * 100 + "a needle here. " + FILL * 100}]
    world.session("one", {"type": "message", "message": {"role": "user", "content": blocks}})
    world.scan()
    hit = world.one("needle")
    assert marked(hit) == ["needle"]
    assert (hit.snippet[0], hit.snippet[-1]) == ("…", "…")
    assert "more of them. a needle here. Some words" in hit.snippet


def test_no_phrase_is_made_of_what_is_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for shift, pad in product(range(0, 14, 2), repeat=2):
        said = "-" * shift + "needle x here " * 700 + "-" * pad + " needle\u2028here"
        world.session(f"s-{shift}-{pad}", said)
    world.scan()
    shown = [(hit.snippet, hit.ranges) for hit in world.hits('"needle here"')]
    assert len(shown) == 49
    monkeypatch.setattr(cutting, "LONG", 1 << 30)
    assert shown == [(hit.snippet, hit.ranges) for hit in world.hits('"needle here"')]
