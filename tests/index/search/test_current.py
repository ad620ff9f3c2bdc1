"""What a search looks at: as little as is enough, and always what is there now. Counted, not timed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.formats.kinds import USER
from app.index.search import blocks, search
from app.index.search.originals import Originals
from tests.denied import deny
from tests.factory import NOW
from tests.index.search.helpers import marked

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.index.index import Index
    from tests.index.search.helpers import World


def searcher(index: Index):
    return index._own.searcher()


def looked(world: World, text: str) -> int:
    """How often a session is looked through for a term."""
    asked = world.search(text)
    list(asked)
    return asked.looked


def test_who_types_on_looks_only_where_something_was_found(world: World) -> None:
    for number in range(20):
        world.session(f"s{number:02}", "fox" if number % 4 else "foxglove")
    world.scan()
    assert looked(world, "fo") == 20
    assert looked(world, "foxg") == 20
    assert looked(world, "foxgl") == 5
    # The first word is known to be where it was found.
    assert looked(world, "foxgl o") == 5
    assert looked(world, "foxgl ov") == 5
    assert looked(world, "fox") == 20


def test_filters_may_change_meanwhile(world: World) -> None:
    world.session("s1", "foxglove", cwd="/a")
    world.session("s2", "foxglove", cwd="/b")
    world.scan()
    assert world.ids("fox dir:/a") == ["s1"]
    assert world.ids("foxg") == ["s2", "s1"]
    assert world.ids("-foxg") == []
    assert world.ids("-foxglovex") == ["s2", "s1"]


def test_an_appended_entry_is_found_without_asking_about_other_sessions(world: World) -> None:
    for number in range(20):
        world.session(f"s{number:02}", "hello")
    world.scan()
    assert world.ids("needle") == []
    sessions = searcher(world.index).sessions
    asked = sessions.asked
    world.append("s03", "a needle")
    world.scan()
    assert world.ids("need") == ["s03"]
    assert sessions.asked == asked + 1
    assert looked(world, "needle") == 1
    # It is the newest now.
    assert world.ids("hello")[0] == "s03"


def test_what_is_gone_is_not_remembered(world: World) -> None:
    for number in range(5):
        world.session(f"s{number}", "hello")
    world.scan()
    for number in range(5):
        world.append("s3", f"{number} more", at=500 + number)
        world.scan()
        assert world.ids("more") == ["s3"]
    memory, view = searcher(world.index)._memory, searcher(world.index).sessions.view()
    assert memory.left
    assert {*memory.having, *memory.left} <= set(view.all_blocks())


def test_sessions_come_go_and_change_while_an_index_is_open(world: World) -> None:
    world.session("s1", "needle one")
    world.session("s2", "needle two")
    world.scan()
    assert world.ids("needle") == ["s2", "s1"]
    world.session("s3", "needle three")
    world.path("s1").unlink()
    world.scan()
    assert world.ids("needle") == ["s3", "s2"]
    world.session("s2", "nothing")
    world.scan()
    assert world.ids("needle") == ["s3"]


def test_what_is_told_before_anybody_searches_is_found(world: World) -> None:
    told: list[str] = []
    world.session("s1", "needle")
    world.index.scan(lambda delta: told.extend(row.id for row in delta.changed))
    assert told == ["s1"]
    assert world.ids("needle") == ["s1"]


def test_many_changes_are_laid_out_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.index.search.sessions.MOST_FRESH", 2)
    for number in range(8):
        world.session(f"s{number}", "needle")
    world.scan()
    assert len(world.ids("needle")) == 8
    for number in (1, 4, 6):
        world.append(f"s{number}", "more", 500 + number)
    world.scan()
    assert world.ids("needle") == ["s6", "s4", "s1", "s7", "s5", "s3", "s2", "s0"]
    view = searcher(world.index).sessions.view()
    assert view.fresh is None
    assert not view.stale


def test_hits_of_changed_sessions_are_put_where_they_belong(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "FIRST", 2)
    for number in range(9):
        world.session(f"s{number}", "needle")
    world.scan()
    assert world.ids("needle") == [f"s{number}" for number in range(8, -1, -1)]
    world.append("s2", "more", 55)  # newer than s4, older than s5
    world.scan()
    assert world.ids("needle") == ["s8", "s7", "s6", "s5", "s2", "s4", "s3", "s1", "s0"]


def test_a_session_whose_text_is_gone_is_read_from_its_file(world: World) -> None:
    world.session("s1", "hello", "needle")
    world.session("s2", "hello")
    world.scan()
    other = world.open()
    for segment in world.segments():
        os.unlink(segment)
    asked = other.query("needle")
    assert [hit.row.id for page in asked for hit in page.hits] == ["s1"]
    assert asked.read == 2
    assert [hit.entry_id for page in other.query("needle") for hit in page.hits] == ["s1-1"]
    other.close()


def test_a_text_that_was_moved_is_found_where_it_is_now(world: World) -> None:
    world.session("s1", "needle")
    world.scan()
    index = searcher(world.index)
    assert world.ids("nothing") == []
    (session,) = index.sessions.view().blocks[0].sessions
    ((_, start, length),) = session.spans or ()
    # As it would be known to somebody for whom it was moved since.
    session.spans = (("0" * 16, start, length),)
    index.sessions._lay_out()
    asked = world.search("needle")
    assert [hit.row.id for page in asked for hit in page.hits] == ["s1"]
    assert asked.read == 0


def test_a_shortened_segment_counts_as_no_text(world: World) -> None:
    world.session("s1", "needle")
    world.scan()
    (segment,) = world.segments()
    os.truncate(segment, 5)
    asked = world.search("needle")
    assert [hit.row.id for page in asked for hit in page.hits] == ["s1"]
    assert asked.read == 1


def cut(path: str) -> None:
    os.truncate(path, 0)


def garbage_over_it(path: str) -> None:
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.write(b"garbage!" * (size // 8) + b"!" * (size % 8))
    os.utime(path, (1_700_000_000, 1_700_000_000))


def garbage_of_more_bytes(path: str) -> None:
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.write(b"garbage!" * size)


def another_in_its_place(path: str) -> None:
    with open(path + ".new", "wb") as file:
        file.write(b"garbage!" * os.path.getsize(path))
    os.replace(path + ".new", path)


@pytest.mark.parametrize(
    "harm", [os.unlink, cut, garbage_over_it, garbage_of_more_bytes, another_in_its_place]
)
def test_a_segment_that_is_spoilt_while_it_is_mapped(world: World, harm: Callable[[str], None]) -> None:
    """To touch what was cut off would end the process."""
    for number in range(search.PAGE + 5):
        world.session(f"s{number:02}", f"needle {number}", "ant")
    world.scan()
    before = world.hits("needle")
    each = world.hits("ant", every=True)
    (segment,) = world.segments()
    harm(segment)
    assert len(world.ids("needle")) == search.PAGE + 5
    # These were found, and are looked up only now.
    assert before[-1].snippet == "needle 0"
    assert each[-1].snippet == "ant"
    world.append("s03", "and on")
    world.scan()
    assert world.ids('"needle 7"') == ["s07"]
    assert world.ids('"and on"') == ["s03"]
    assert world.index.note is None


def test_a_file_that_cannot_be_read_is_told_of(world: World) -> None:
    world.session("s1", "needle")
    world.session("s2", "needle")
    world.scan()
    for segment in world.segments():
        os.unlink(segment)
    world.path("s1").unlink()
    page = world.pages("needle")[-1]
    assert page.total == 1
    assert [str(world.path("s1")) in note.message for note in page.notes] == [True]


def test_what_is_said_of_a_file_is_one_inert_line_whatever_its_name(world: World) -> None:
    path = world.session("s\x1b[2J\u202e\nevil", "needle")
    world.scan()
    for segment in world.segments():
        os.unlink(segment)
    path.unlink()
    (note,) = world.pages("needle")[-1].notes
    assert note.message.isprintable()
    assert "s\u241b[2J\ufffd evil" in note.message


def test_a_page_is_spelt_shortly(world: World) -> None:
    for number in range(3):
        world.session(f"s{number}", "needle")
    world.scan()
    page = world.pages("needle")[-1]
    assert repr(page) == "Page(3 hits, total=3, 3/3, done=True)"
    assert not any(hit.is_filled for hit in page.hits)
    assert repr(world.pages("needle id:s1")[-1]) == "Page(1 hit, total=1, 3/3, done=True)"


def test_what_is_out_of_reach_is_searched_as_it_was_and_said_to_be_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    world.scan()
    world.append("s1", "unread")
    denied = deny(monkeypatch, paths[1])
    world.scan()
    for index in (world.index, world.open()):
        page = list(index.query("needle"))[-1]
        assert page.total == 3
        assert [note.message for note in page.notes] == [
            f"cannot be read any more, and searched as before: {paths[1]}"
        ]
        assert [hit.row.is_out_of_reach for hit in page.hits] == [False, True, False]
        assert [hit.row.id for hit in page.hits if hit.snippet == "needle"] == ["s2", "s1", "s0"]
        assert [hit.row.id for each in index.query("is:damaged") for hit in each.hits] == ["s1"]
    assert [note.position for note in world.pages("unread")[-1].notes] == [0], (
        "it may be where nobody can look"
    )
    world.append("s2", "more")
    denied.append(paths[2])
    world.scan()
    (note,) = world.pages("needle")[-1].notes
    assert (
        note.message == f"cannot be read any more, and searched as before: 2 sessions, {paths[1]} among them"
    )
    monkeypatch.undo()
    world.scan()
    page = world.pages("unread")[-1]
    assert (page.total, page.notes) == (1, ())


@pytest.mark.parametrize("scanned", [True, False])
def test_of_what_is_out_of_reach_what_was_kept_is_searched_where_tools_are_asked_for(
    world: World, monkeypatch: pytest.MonkeyPatch, scanned: bool
) -> None:
    result = {"type": "message", "message": {"role": "toolResult", "toolName": "read", "content": "a gadget"}}
    paths = [str(world.session(f"s{number}", "needle", result, "the Thimble")) for number in range(3)]
    world.scan()
    really = os.open

    def deny(name: str, flags: int, mode: int = 0o777) -> int:
        if name == paths[1]:
            raise PermissionError(13, "Permission denied")
        return really(name, flags, mode)

    monkeypatch.setattr(os, "open", deny)
    if scanned:
        # As when rights are taken away.
        os.utime(paths[1])
        world.scan()
    said = f"cannot be read any more, and searched as before, but not what tools said: {paths[1]}"
    for index in (world.index, world.open()):
        for text, ids in (
            ("needle in:all", ["s2", "s1", "s0"]),
            ("thimble in:tools role:user", ["s2", "s1", "s0"]),
            ("needle thimble in:all", ["s2", "s1", "s0"]),
            ("gadget in:all", ["s2", "s0"]),
            # Nobody can say that a tool did not.
            ("needle -nowhere in:all", ["s2", "s0"]),
        ):
            *_, page = pages = list(index.query(text))
            assert [hit.row.id for each in pages for hit in each.hits] == ids
            assert (page.total, [note.message for note in page.notes]) == (len(ids), [said]), text
            assert (page.as_kept, page.unread) == ([paths[1]], [])
        (hit,) = [hit for each in index.query("needle in:all") for hit in each.hits if hit.row.id == "s1"]
        assert (hit.where, hit.kind, hit.snippet, marked(hit)) == ("text", USER, "needle", ["needle"])
        every = [hit for each in index.query("e in:all", every=True) for hit in each.hits]
        assert [hit.snippet for hit in every if hit.row.id == "s1"] == ["the thimble", "needle"]
        # What is kept is nothing of what was asked for.
        page = list(index.query("gadget in:tools"))[-1]
        assert [note.message for note in page.notes] == [f"cannot be read: {paths[1]}: Permission denied"]
        assert (page.total, page.as_kept, page.unread) == (2, [], [paths[1]])


def test_of_each_that_is_out_of_reach_one_thing_is_said(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    world.scan()
    really = os.open

    def deny(name: str, flags: int, mode: int = 0o777) -> int:
        if name in paths[1:]:
            raise PermissionError(13, "Permission denied")
        return really(name, flags, mode)

    monkeypatch.setattr(os, "open", deny)
    for path in paths[1:]:
        os.utime(path)
    world.scan()
    for text in ("needle", "Needle", "needle in:all", "Needle in:all", "needle in:tools", '"Needle x"'):
        page = world.pages(text)[-1]
        said = [note.message for note in page.notes if "cannot be read" in note.message]
        together = f"2 sessions, {paths[1]} among them"
        nothing = f"cannot be read: 2 files, {paths[1]} among them: Permission denied"
        assert [message for message in said if message.endswith(together)] or said == [nothing]
        assert len(said) == 1
        assert sorted([*page.as_kept, *page.unread]) == paths[1:]


def test_a_file_that_could_never_be_read_is_told_of(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is looked for, by who has just scanned and by who follows; one that is no session is not."""
    paths = [str(world.session(f"s{number}", "needle")) for number in range(3)]
    (world.path("s0").parent / "notes.jsonl").write_text("no session\n")
    denied = deny(monkeypatch, paths[1])
    world.scan()
    said = f"cannot be read: {paths[1]}: Permission denied"
    for text, total in (
        ("needle", 2),
        ("Needle", 2),
        ("needle in:all", 2),
        ("is:damaged", 0),
        ("x in:tools", 0),
    ):
        page = world.pages(text)[-1]
        assert (page.total, page.unread, page.as_kept) == (total, [paths[1]], []), text
        assert said in [note.message for note in page.notes], text
    for _ in range(2):
        # Nothing has changed, and it is tried again.
        later = world.open()
        later.scan()
        assert list(later.query("needle"))[-1].unread == [paths[1]]
    denied.append(paths[2])
    os.utime(paths[2])
    world.scan()
    page = world.pages("needle")[-1]
    assert (page.as_kept, page.unread) == ([paths[2]], [paths[1]])
    denied.clear()
    world.scan()
    page = world.pages("needle")[-1]
    assert (page.total, page.unread, page.as_kept, page.notes) == (3, [], [], ())
    denied.append(paths[0])
    os.utime(paths[0])
    world.path("s0").unlink()
    world.scan()
    assert world.pages("needle")[-1].unread == []


def test_of_files_that_cannot_be_read_the_last_page_tells(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then there are more of them with each, and something else would be said each time."""
    paths = [str(world.session(f"s{number:02}", "needle")) for number in range(30)]
    world.scan()
    really = os.open

    def deny(name: str, flags: int, mode: int = 0o777) -> int:
        if name in paths:
            raise PermissionError(13, "Permission denied")
        return really(name, flags, mode)

    monkeypatch.setattr(os, "open", deny)
    monkeypatch.setattr("app.index.search.search._PAUSE_SECONDS", 0.0)
    for text, how in (
        (
            "needle in:all",
            "cannot be read any more, and searched as before, but not what tools said: 30 sessions",
        ),
        ("needle in:tools", "cannot be read: 30 files"),
    ):
        *before, last = world.pages(text)
        assert not any(page.notes for page in before)
        said = [note.message for note in last.notes if note.message.startswith("cannot")]
        assert len(said) == 1
        assert said[0].startswith(f"{how}, {paths[0]} among them")


def test_a_word_that_only_a_kept_text_has_is_not_looked_for_otherwise(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.session("s1", "a thimble")
    path = str(world.session("s2", "a thimbles"))
    world.scan()
    really = os.open

    def deny(name: str, flags: int, mode: int = 0o777) -> int:
        if name == path:
            raise PermissionError(13, "Permission denied")
        return really(name, flags, mode)

    monkeypatch.setattr(os, "open", deny)
    os.utime(path)
    world.scan()
    page = world.pages("thimbles in:all")[-1]
    assert (page.total, page.instead, [hit.row.id for hit in page.hits]) == (1, {}, ["s2"])


def test_a_line_that_changed_since_leaves_what_the_store_knows(world: World) -> None:
    path = world.session("s1", "hello", "a Needle in the HAY")
    world.scan()
    path.write_text(path.read_text().replace("Needle", "Noodle"))
    hit = world.one("needle")
    assert (hit.entry_id, hit.role, hit.snippet, hit.ranges) == (
        None, "assistant", "a needle in the hay", ((2, 8),),
    )  # fmt: skip
    path.unlink()
    assert world.one("needle").snippet == "a needle in the hay"


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Needle", ["needle"]),
        ('"Needle in"', ["needle in"]),
        (r"re:Need\w+", ["needle"]),
        ("Needle -Pin", ["needle"]),
        ("Needle HAY", ["needle", "hay"]),
    ],
)
def test_so_does_one_of_which_the_case_counted(
    world: World, text: str, found: list[str], gone: bool, every: bool
) -> None:
    path = world.session("s1", "hello", "a Needle in the HAY")
    world.scan()
    (hit,) = world.hits(text, every=every)
    if gone:
        path.unlink()
    else:
        path.write_text(path.read_text().replace("Needle", "Noodle").replace("HAY", "BAY"))
    assert (hit.where, hit.entry_id, hit.role) == ("text", None, "assistant")
    assert (hit.snippet, marked(hit)) == ("a needle in the hay", found)


def test_one_that_only_the_folder_has_is_shown_there(world: World) -> None:
    path = world.session("s1", "about work", cwd="/Work")
    world.scan()
    hit = world.one("Work")
    path.unlink()
    assert (hit.where, hit.snippet) == ("folder", "/Work")


def test_a_hit_is_looked_up_when_it_is_asked_for(world: World) -> None:
    for number in range(search.PAGE + 30):
        world.session(f"s{number:03}", "needle")
    world.scan()
    hits = world.hits("needle")
    assert [hit.path for hit in hits if hit.is_filled] == []
    hit = hits[-1]
    assert hit.snippet == "needle"
    assert hit.is_filled
    assert (hit.entry_id, hit.role) == ("s000-0", "user")


def test_the_first_page_comes_before_the_rest_is_looked_at(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "needle")
    world.scan()
    asked = world.search("needle")
    page = next(iter(asked))
    assert not page.done
    assert search.PAGE <= len(page.hits) == page.total == page.searched < page.of == 300


def test_what_is_written_otherwise_everywhere_is_seen_at_a_glance(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.session("s1", *["def and left"] * 50)
    world.session("s2", *["def and left"] * 50, "eF")
    world.session("s3", *["def and left"] * 50, {"type": "session_info", "name": "eF"})
    world.session("s4", *["def \x1b and left"] * 50)
    world.scan()
    read: set[tuple[str, int]] = set()
    line = Originals._line

    def counted(self: Originals, offset: int, size: int = 0) -> bytes | None:
        read.add((self._path, offset))
        return line(self, offset, size)

    monkeypatch.setattr(Originals, "_line", counted)
    assert [page.total for page in world.search("eF")][-1] == 2
    # To the end where it is, by any name, and where something is escaped; else two lines are enough.
    assert len(read) == 2 + 51 + 50 + 50
    assert world.ids("eF") == ["s3", "s2"]


def test_where_a_glance_was_of_use_the_next_file_is_glanced_at_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        world.session(f"s{number}", *["def and left"] * 50)
    world.scan()
    read: list[int] = []
    line = Originals._line

    def counted(self: Originals, offset: int, size: int = 0) -> bytes | None:
        read.append(offset)
        return line(self, offset, size)

    monkeypatch.setattr(Originals, "_line", counted)
    (note,) = list(world.search("eF"))[-1].notes
    assert note.message == "“eF” is nowhere; looked for instead: ef"
    assert len(read) == 2


def test_a_newer_query_ends_the_older_one(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "needle")
    world.scan()
    older = world.search("need")
    pages = iter(older)
    assert not next(pages).done
    newer = world.search("needle")
    assert older.is_cancelled
    assert newer.generation > older.generation
    assert not any(page.done for page in pages)
    assert [page.total for page in newer if page.done] == [300]


def test_a_search_that_was_given_up_tells_nothing_wrong_to_the_next(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "needle" if number % 2 else "needles")
    world.scan()
    next(iter(world.search("need")))
    assert len(world.ids("needles")) == 150


def test_somebody_is_asked_whether_to_go_on(world: World) -> None:
    for number in range(300):
        world.session(f"s{number:03}", "needle")
    world.scan()
    asked = []

    def keep_going() -> bool:
        asked.append(1)
        return False

    from app.index.query.grammar import parse

    found = searcher(world.index).search(parse("needle", NOW), keep_going=keep_going)
    assert list(found) == []
    assert len(asked) == 1


def test_a_scan_that_tells_nobody_else_tells_the_search(world: World) -> None:
    world.session("s1", "hello")
    world.index.scan()
    assert world.ids("needle") == []
    world.append("s1", "a needle")
    world.session("s2", "needle two")
    world.index.scan()
    assert sorted(world.ids("needle")) == ["s1", "s2"]
    world.path("s2").unlink()
    world.index.scan()
    assert world.ids("needle") == ["s1"]


def test_of_a_file_that_is_gone_nothing_is_claimed_that_only_it_could_tell(world: World) -> None:
    world.session("s1", "Needle here")
    world.session("s2", "Needle there")
    world.scan()
    world.path("s1").unlink()
    page = world.pages("Needle")[-1]
    assert world.ids("Needle") == ["s2"]
    assert [note.message for note in page.notes] == [
        f"cannot be read: {world.path('s1')}: No such file or directory"
    ]
    page = world.pages("-Needle")[-1]
    assert (page.total, len(page.notes)) == (0, 1)
    assert world.ids("needle") == ["s2", "s1"]


def test_spellings_of_sessions_that_are_gone_are_not_offered(world: World) -> None:
    world.session("s1", "gonewordxyz")
    world.session("s2", "goneword")
    world.scan()
    assert world.ids("gonewordxyz") == ["s1"]
    world.path("s1").unlink()
    world.scan()
    page = world.pages("gonewordxyz")[-1]
    assert (page.total, page.notes) == (0, ())
