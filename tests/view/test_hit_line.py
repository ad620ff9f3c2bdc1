"""The second line of a row during a search."""

from __future__ import annotations

from app.view import HitExcerpt
from app.view.cells import max_width
from app.view.hit_line import MOST_HITS, hit_line
from app.view.line import plain_text
from tests.cases import cases

LONG = "many words that come before it, and then the token is read before the cookie is set, and more"
AT = LONG.index("token")


def text(found, cells=60, indent=4):
    return plain_text(hit_line(found, cells, indent))


def test_the_excerpt_slides_so_that_the_hit_shows():
    found = HitExcerpt("token", "text", LONG, ((AT, AT + 5),), "branch 3 of 4", 13)
    line = hit_line(found, 60, 4)
    assert text(found).endswith("  branch 3 of 4 · 13 hits ")
    assert [piece for piece, style in line if style == "match"] == ["token"]
    assert text(found, 40).endswith("  branch 3 of 4 "), "the number gives way first"
    assert "token" in text(found, 24)


@cases(
    ("where", "shown"),
    [
        ("id", "matches its id: 019a-context"),
        ("folder", "matches its folder"),
        ("name", "matches its name"),
        ("program", "matches its agent"),
        ("label", "◆ 019a-context"),
        ("history", "in the prompt history: 019a-context"),
        ("text", "019a-context"),
    ],
)
def test_a_hit_outside_of_the_text_says_where_it_is(where, shown):
    assert text(HitExcerpt("context", where, "019a-context", ((5, 12),))).strip() == shown


@cases(("count", "shown"), [(1, "1 hit"), (2, "2 hits"), (MOST_HITS + 1, "999+ hits")])
def test_hits_are_counted(count, shown):
    assert text(HitExcerpt("x", "text", "x", ((0, 1),), "", count)).rstrip().endswith(f"  {shown}")


@cases("cells", range(0, 60, 7))
@cases("written", ["", "语言 a token 语言语言语言语言", "👩‍👩‍👧 token", LONG])
def test_the_line_has_exactly_the_cells_that_there_are(cells, written):
    at = max(written.find("token"), 0)
    for where in ("text", "id", "label"):
        found = HitExcerpt("x", where, written, ((at, at + 5),) if written else (), "branch 1 of 2", 2)
        assert max_width(text(found, cells)) == cells
    assert text(None, cells) == " " * cells
