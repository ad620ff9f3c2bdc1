"""Words that few sessions have are looked for in all texts at once; counted, not timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.index.search import blanks, documents, rare, spread
from app.index.search.cancellation import Cancelled, CancelToken
from app.index.search.spread import Spread
from app.index.text import mmap_reader

if TYPE_CHECKING:
    from app.index.search.spread import Sought
    from tests.index.search.helpers import World

pytestmark = pytest.mark.skipif(
    mmap_reader.stringzilla is None, reason="needs threads that search side by side"
)


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 2 and 4 sessions; after 6 it shows what is rare; texts lie in stretches of a few."""
    monkeypatch.setattr(documents, "FIRST", 2)
    monkeypatch.setattr(documents, "MOST", 4)
    monkeypatch.setattr(rare, "PROBED", 6)
    monkeypatch.setattr(rare, "MANY", 4)
    monkeypatch.setattr(spread, "STRETCH", 200)


@pytest.fixture
def leaps(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, int]]:
    """What is looked for at once, and from which place on; of phrases, how they may be written."""
    seen: list[tuple[object, int]] = []
    having = Spread.having

    def watched(self: Spread, sought: Sought, pulse: CancelToken, first: int = 0) -> list[int]:
        how = sought if isinstance(sought, bytes) else "any" if sought.is_whole else "loose"
        seen.append((how, first))
        return having(self, sought, pulse, first)

    monkeypatch.setattr(Spread, "having", watched)
    return seen


def twenty(world: World, rare_ones: tuple[int, ...]) -> None:
    for number in range(20):
        world.session(f"s{number:02}", "common words", "seldom" if number in rare_ones else "often")
    world.scan()


def test_after_the_newest_it_is_looked_for_in_all_others_at_once(
    world: World, leaps: list[tuple[object, int]]
) -> None:
    twenty(world, (0, 1, 7, 12, 19))
    assert world.ids("seldom") == ["s19", "s12", "s07", "s01", "s00"]
    assert leaps == [(b"seldom", 6)]


def test_what_most_have_is_looked_for_one_by_one(world: World, leaps: list[tuple[object, int]]) -> None:
    twenty(world, ())
    assert len(world.ids("often")) == 20
    assert leaps == []


def test_so_is_what_only_few_are_asked_for(world: World, leaps: list[tuple[object, int]]) -> None:
    twenty(world, (0, 3))
    assert world.ids("id:s00 seldom") == ["s00"]
    assert leaps == []


def test_each_word_is_judged_by_itself(world: World, leaps: list[tuple[object, int]]) -> None:
    twenty(world, (2, 3))
    assert world.ids("common seldom") == ["s03", "s02"]
    assert len(world.ids("common -seldom")) == 18
    assert leaps == [(b"seldom", 6)] * 2


def test_what_few_have_is_looked_for_first(world: World) -> None:
    twenty(world, (2, 3))
    asked = world.search("common seldom")
    assert [page.total for page in asked][-1] == 2
    # "common" in the first block, before anything is known of either, and where "seldom" is.
    assert asked.looked == 20 + 2 + 2


def test_what_a_session_is_called_is_in_no_text(world: World, leaps: list[tuple[object, int]]) -> None:
    world.session("named", {"type": "session_info", "name": "seldom"}, "common")
    twenty(world, (4,))
    assert world.ids("seldom") == ["s04", "named"]
    assert leaps == [(b"seldom", 6)]


def test_a_text_in_several_pieces_is_found_in_each(world: World, leaps: list[tuple[object, int]]) -> None:
    twenty(world, ())
    world.append("s01", "seldom", at=-500)
    world.append("s02", "nothing", at=-500)
    world.scan()
    world.append("s02", "seldom", at=-499)
    world.scan()
    world.index.close()
    world.index = world.open()
    assert world.ids("seldom") == ["s02", "s01"]
    assert leaps == [(b"seldom", 6)]


def test_a_phrase_that_few_have_is_looked_for_in_one_go(
    world: World, leaps: list[tuple[object, int]]
) -> None:
    for number in range(20):
        gap = {3: "\n", 17: " "}.get(number, " other ")
        world.session(f"s{number:02}", f"some{gap}words")
    world.scan()
    assert world.ids('"some words"') == ["s17", "s03"]
    assert leaps == [("any", 6)]


def test_of_one_that_many_have_so_is_what_is_seldom_between_its_words(
    world: World, leaps: list[tuple[object, int]]
) -> None:
    for number in range(40):
        gap = {3: "\n", 5: "\u2029"}.get(number, (" ", " other ")[number % 2])
        world.session(f"s{number:02}", f"some{gap}words")
    world.scan()
    assert len(world.ids('"some words"')) == 22
    assert [how for how, _ in leaps] == ["loose"]


def test_which_white_space_there_is_is_found_out_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    twenty(world, (3, 17))
    asked: list[int] = []
    monkeypatch.setattr(
        spread,
        "beginnings",
        lambda *where: asked.append(where[1]) or blanks.beginnings(*where),  # type: ignore[func-returns-value]
    )
    assert world.ids("seldom") == ["s17", "s03"]
    assert asked == []
    for text in ('"seldom used"', '"often used"', '"words common"'):
        assert world.ids(text) == []
    assert len(asked) == len(set(asked)) > 1


def test_what_has_changed_is_looked_into_by_itself(world: World, leaps: list[tuple[object, int]]) -> None:
    twenty(world, (5, 6))
    assert world.ids("seldom") == ["s06", "s05"]
    world.append("s08", "seldom", at=-500)
    world.session("s05", "common")
    world.scan()
    world.ids("often")  # or it would be known who lacks it
    assert world.ids("seldom") == ["s08", "s06"]
    assert leaps == [(b"seldom", 6)] * 2


def test_what_was_found_before_is_told_first(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    twenty(world, (1, 18))
    told: list[int] = []
    having = Spread.having
    monkeypatch.setattr(
        Spread,
        "having",
        lambda *asked: told.append(len(pages)) or having(*asked),  # type: ignore[func-returns-value]
    )
    pages: list[list[str]] = []
    pages.extend([hit.row.id for hit in page.hits] for page in world.search("seldom"))
    assert pages == [["s18"], ["s01"]]
    assert told == [1]


def test_who_does_not_wait_any_more_ends_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    twenty(world, ())
    searcher = world.index._own.searcher()
    segments = searcher.segments
    whole = Spread(searcher.sessions.view().blocks, segments)
    looked: list[bytes] = []
    having = spread.Stretch.having
    monkeypatch.setattr(
        spread.Stretch,
        "having",
        lambda self, sought: looked.append(sought) or having(self, sought),  # type: ignore[func-returns-value]
    )
    with pytest.raises(Cancelled):
        whole.having(b"seldom", CancelToken(lambda: False))
    looked.clear()
    assert whole.having(b"seldom", CancelToken(lambda: True)) == []
    assert len(looked) == len(whole._stretches) > 2


def test_texts_are_spread_out_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    twenty(world, (1,))
    made: list[Spread] = []
    init = Spread.__init__

    def counted(self: Spread, *how: object) -> None:
        made.append(self)
        init(self, *how)  # type: ignore[arg-type]

    monkeypatch.setattr(Spread, "__init__", counted)
    for word in ("seldom", "nowhere", "seldom"):
        world.ids(word)
    world.append("s02", "more")
    world.scan()
    world.ids("seldom")
    assert len(made) == 1
