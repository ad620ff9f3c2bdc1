"""Folders are found by their full path and as they are shown, with `~` for the home folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.view.formatting import tilde
from tests.cases import cases
from tests.index.search.helpers import World, marked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOME = "/home/Me"
FOLDERS = {
    "s1": HOME,
    "s2": f"{HOME}/work",
    "s3": f"{HOME}/work/App",
    "s4": "/home/Mean/work",
    "s5": "/srv/home/Me/work",
    "s6": "",
    "s7": f"{HOME}/ÄRGER",
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path, HOME)
    for id, cwd in FOLDERS.items():
        world.session(id, "said", "and answered", cwd=cwd)
    world.scan()
    yield world
    world.index.close()


@cases("more", ["", "agent:pi ", "said ", "date:>2000 ", '"and answered" ', "re:s.id "])
@cases(
    ("word", "ids"),
    [
        ("~/work", ["s3", "s2"]),
        ("~", ["s7", "s3", "s2", "s1"]),
        ("~/work/App", ["s3"]),
        ('"~/work"', ["s3", "s2"]),
        ("re:^~/work$", ["s2"]),
        ("~/work home", ["s3", "s2"]),
        ("~/ärger", ["s7"]),
        ("dir:~/work", ["s3", "s2"]),
        ("dir:~", ["s7", "s3", "s2", "s1"]),
        ("/home/Me/work", ["s5", "s3", "s2"]),
    ],
)
def test_a_word_finds_the_folder_as_it_is_shown(world: World, more: str, word: str, ids: list[str]) -> None:
    assert world.ids(more + word) == ids


@pytest.mark.parametrize("scope", ["", " in:all"])
def test_a_negated_word_excludes_the_folder_as_it_is_shown(world: World, scope: str) -> None:
    assert world.ids("agent:pi -~/work" + scope) == ["s7", "s6", "s5", "s4", "s1"]


def test_folders_are_not_searched_if_only_texts_are(world: World) -> None:
    assert world.ids("role:user ~/work") == []


@pytest.mark.parametrize("scope", ["", " in:all"])
def test_the_short_form_is_shown_if_it_matched(world: World, scope: str) -> None:
    hit = world.hits("~/work" + scope)[0]
    assert (hit.where, hit.snippet, marked(hit)) == ("folder", "~/work/App", ["~/work"])
    assert hit.snippet == tilde(hit.row.cwd, HOME)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("work", "/home/Me/work"),
        ("~/work", "~/work"),
        ("~/work work", "~/work"),
        ("me work", "/home/Me/work"),
    ],
)
def test_a_folder_is_one_hit(world: World, words: str, shown: str) -> None:
    hits = [hit for hit in world.hits(words, every=True) if hit.row.id == "s2"]
    assert [(hit.where, hit.snippet) for hit in hits] == [("folder", shown)]


def test_without_a_home_there_is_no_short_form(tmp_path: Path) -> None:
    world = World(tmp_path / "other")
    world.session("s1", "said", cwd=f"{HOME}/work")
    world.scan()
    assert world.ids("agent:pi ~/work") == []
    world.index.close()


def test_case_counts_in_a_query_with_capitals(world: World) -> None:
    assert all(hit.near for hit in world.hits("~/WORK"))
    assert world.ids("~/work/app") == world.ids("~/work/App") == ["s3"]


def test_a_changed_session_keeps_the_short_form(world: World) -> None:
    assert not world.ids("-said ~/work")
    world.append("s2", "Said once more")
    world.scan()
    assert world.ids("~/work Said") == ["s2"]


def test_the_short_form_is_not_counted_twice_for_suggestions(world: World) -> None:
    world.session("s8", "a widgeb", cwd=f"{HOME}/widgez")
    world.scan()
    (note,) = world.pages("widgex")[-1].notes
    assert note.message == 'No "widgex"; searched for widgeb, widgez'


@cases("word", ["~/work", "dir:~/work", "re:^~/work$", "~/work -said", "~/work in:all"])
def test_a_home_folder_that_is_a_link_is_found_by_both_paths(tmp_path: Path, word: str) -> None:
    real, link = tmp_path.resolve() / "disk", tmp_path / "home"
    real.mkdir()
    link.symlink_to(real)
    world = World(tmp_path, str(link))
    for id, cwd in {"s1": f"{real}/work", "s2": f"{link}/work", "s3": f"{real}ly/work"}.items():
        world.session(id, "asked", "and answered", cwd=cwd)
    world.scan()
    assert world.ids(word) == ["s2", "s1"]
    world.index.close()


def test_a_home_folder_that_is_a_link_is_shown_as_tilde_for_both_paths(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to("disk")
    home = str(tmp_path / "home")
    assert tilde(f"{home}/work", home) == tilde(f"{tmp_path.resolve()}/disk/work", home) == "~/work"
