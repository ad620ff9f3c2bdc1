"""The output of `leafmark search` for pages of hits, and for a query with an error."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import pytest
from leafmark import Hit

from app.cli_options import parse
from app.formats import text_kinds
from app.index import Note, Page
from app.reports import search
from app.reports.listing import table
from app.reports.output import caret_lines
from app.reports.search import wants_colour
from app.setup import Setup
from app.view.cells import width
from tests.cases import cases
from tests.factory import NOW, make_row

NOTHING_ODD = {"corrections": {}, "loosened": False, "searched_in_index": [], "unread": []}


class Where(NamedTuple):
    on_active_path: bool | None = True
    branch: int = 1
    branches: int = 1


def hit(row, snippet="the needle lies here", *, ranges=((4, 10),), **fields):
    values = {
        "where": "text",
        "kind": text_kinds.USER,
        "entry_id": "e1",
        "role": "user",
        "timestamp": NOW,
        **fields,
    }
    return Hit(row, snippet=snippet, ranges=ranges, **values)


@pytest.fixture
def report(capsys, monkeypatch):
    """Print pages: (pages, words, place of a hit, columns, colour) -> (code, out, err)."""

    def report(pages, *words, place=lambda hit: Where(), cells=None, colour=False):
        monkeypatch.setattr(search, "columns", lambda: cells)
        monkeypatch.setattr(search, "wants_colour", lambda env: colour)
        options = parse(["search", *words, "needle"])
        assert options is not None
        setup = Setup(
            env={}, home="/home/me", here=(), stores=[], cache_folder="", clock=lambda: NOW * 1_000_000
        )
        capsys.readouterr()
        return search.report(pages, place, options, setup, lambda: "no session matches"), *capsys.readouterr()

    return report


ONE, TWO = make_row("one", name="Auth"), make_row("two", cwd="/home/me/doc")


def test_without_a_terminal_each_hit_is_one_complete_line(report):
    pages = [
        Page([hit(ONE), hit(ONE, "a " * 300 + "needle", ranges=((600, 606),), role="toolResult")], 1),
        Page([hit(TWO, entry_id=None)], 2, done=True),
    ]
    code, out, err = report(pages, "--every")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "one\t2026-05-28T20:21:40.000Z\tpi\tAuth\te1\tuser\t\tthe needle lies here",
        "one\t2026-05-28T20:21:40.000Z\tpi\tAuth\te1\ttoolResult\t\t" + "a " * 300 + "needle",
        "two\t2026-05-28T20:21:40.000Z\tpi\ta session\t\tuser\t\tthe needle lies here",
    ]


def test_on_a_terminal_hits_stand_below_their_session_and_fit(report):
    long = hit(ONE, "x" * 200 + " needle " + "y" * 200, ranges=((201, 207),), entry_id="e2")
    _, out, _ = report([Page([hit(ONE), long, hit(TWO)], 2, done=True)], "--every", cells=60)
    lines = out.splitlines()
    assert [line.lstrip().partition(" ")[0] for line in lines] == ["age", "5m", "user", "user", "5m", "user"]
    assert all(width(line) <= 60 for line in lines)
    assert "needle" in lines[3]
    assert "\x1b" not in out


@cases("cells", [1, 2, 7, 8, 20, 30, 40, 50, 59, 60, 70, 80, 200])
@cases("colour", [False, True])
def test_no_line_is_wider_than_the_terminal(report, cells, colour):
    row = make_row(
        "0197c0de-0000-7000-8000-00000000abcd", title="日本語の題 " * 9, cwd="/home/me/" + "x" * 40
    )
    text = "x" * 200 + " needle 日本" + "y" * 200
    hits = [
        hit(row, text, ranges=((201, 207),), role="assistant", entry_id="12345678", near=True),
        hit(row, where="row", snippet="", role="", entry_id=None),
        hit(ONE, "needle", ranges=((0, 6),), role="u" * 300),
    ]
    pages = [Page(hits, 2, done=True)]
    _, out, _ = report(pages, "--every", place=lambda hit: Where(False, 1, 2), cells=cells, colour=colour)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert max(width(line) for line in plain.splitlines()) <= cells
    if cells >= 20:
        assert plain.count("needle") == 2
    if cells >= 40:
        assert plain.count("branch 1 of 2") == plain.count("not on the active path") == 3
        assert "(other spell" in plain


@cases(
    ("place", "words"),
    [
        (Where(True, 2, 2), "user e1: "),
        (Where(False, 1, 2), "user e1, branch 1 of 2, not on the active path: "),
        # an entry without a message ends no branch, and may be on none
        (Where(False, 1, 1), "user e1, not on the active path: "),
        (Where(False, 0, 2), "user e1, not on the active path: "),
    ],
)
def test_a_hit_has_only_branch_numbers_that_the_tree_has(report, place, words):
    _, out, _ = report([Page([hit(ONE)], 1, done=True)], "--every", place=lambda hit: place, cells=100)
    assert words in out


@cases(("cells", "count"), [(80, 5), (76, 4), (70, 3), (60, 2), (50, 1), (40, 1)])
def test_a_narrow_terminal_has_fewer_columns(cells, count):
    row = make_row("0197c0de-0000-7000-8000-00000000abcd", agent="omp", branch_count=4, message_count=77)
    row.title, row.cwd = "the title of it", "/"
    (line,) = table([row], {}, "/home/me", NOW, cells)
    assert sum(fact in line for fact in ("5m", "0197c0de-0000", "Ψ4", "omp", "77")) == count
    assert "the title of it" in line


@cases("usual_count", [1, 3])
def test_one_long_id_does_not_shorten_all_titles(usual_count):
    usual = [make_row(f"0197c0de-0000-7000-8000-{number:012}") for number in range(usual_count)]
    long = make_row("20261121-211000-deadbeef", agent="agent")
    for row in (*usual, long):
        row.title, row.cwd = "a title of twenty ce", "/work/app"
    lines = table([*usual, long], {}, "/home/me", NOW, 80)
    assert len({line.index("a title of twenty ce") for line in lines}) == 1
    assert all(line.endswith("  /work/app") for line in lines)
    assert " 20261121-211000-deadbeef  a title" in lines[-1]
    # with its own title shortened if there are no blanks to drop
    usual[0].branch_count = long.branch_count = 4
    first, *_, last = table([*usual, long], {}, "/home/me", NOW, 80)
    assert "Ψ4" in last
    assert " 20261121-211000-deadbeef  a title" in last
    assert "a title of twenty ce" in first
    assert max(width(line) for line in (first, last)) <= 80


def test_many_long_ids_get_a_column():
    rows = [make_row(f"20261121-21100{number}-deadbeef", agent="agent") for number in range(3)]
    for row in rows:
        row.title, row.cwd = "a title of its own", "/work/app"
    lines = table([*rows, make_row("s1", title="a title")], {}, "/home/me", NOW, 80)
    assert len({line.index("a title") for line in lines}) == 1
    assert all("-deadbeef  a title of its own" in line for line in lines[:3])


def test_matches_are_coloured(report):
    _, out, _ = report([Page([hit(ONE)], 1, done=True)], cells=80, colour=True)
    assert out.splitlines()[2] == " " * 7 + "user e1: the \x1b[1;4;33mneedle\x1b[0m lies here"


def test_the_place_of_a_hit_is_named(report):
    hits = [
        hit(ONE, "first"),
        hit(ONE, "second", near=True),
        hit(ONE, "Auth needle", where="name", role="name", entry_id=None),
        hit(ONE, "/work/needle", where="folder", role="", entry_id=None),
        hit(ONE, "", where="row", role="", entry_id=None),
    ]
    places = {"first": Where(False, 2, 3), "second": Where(True, 1, 3)}
    pages = [Page(hits, 1, done=True)]
    _, out, _ = report(pages, "--every", place=lambda hit: places.get(hit.snippet, Where(None)), cells=100)
    assert [line.strip() for line in out.splitlines()[2:]] == [
        "user e1, branch 2 of 3, not on the active path: first",
        "user e1 (other spelling): second",
        "name: Auth needle",
        "folder: /work/needle",
    ]


@pytest.mark.parametrize("cells", [None, 80])
def test_ids_and_roles_are_inert(report, cells):
    hostile = hit(make_row("\x1b[2J", title="t"), role="\u202euser\n", entry_id="\x9b1m\x07")
    _, out, _ = report([Page([hostile], 1, done=True)], cells=cells)
    assert out.replace("\n", "").replace("\t", "").isprintable()
    assert len(out.splitlines()) == (1 if cells is None else 3)


def test_json_has_the_documented_fields(report):
    hits = [
        hit(ONE),
        hit(TWO, "日", where="id", role="", entry_id=None, timestamp=None),
        hit(TWO, "", where="row", role="", entry_id=None, timestamp=None),
    ]
    places = {"one": Where(False, 2, 2), "two": Where(None)}
    code, out, _ = report([Page(hits, 7, done=True)], "--json", place=lambda hit: places[hit.row.id])
    assert code == 0
    assert out.isascii()
    first, second, third = json.loads(out)["hits"]
    assert json.loads(out) == {"schema": 3, "total": 7, **NOTHING_ODD, "hits": [first, second, third]}
    assert first == {
        "agent": "pi",
        "session_id": "one",
        "path": "/store/one.jsonl",
        "title": "Auth",
        "deleted": False,
        "entry_id": "e1",
        "role": "user",
        "snippet": "the needle lies here",
        "tier": "",
        "missing": [],
        "on_active_path": False,
        "timestamp": "2026-05-28T20:26:40.000Z",
    }
    assert (second["entry_id"], second["role"], second["timestamp"]) == (None, "id", None)
    assert second["on_active_path"] is None
    assert third["role"] is None


@cases(("limit", "shown"), [(0, 0), (1, 1), (2, 2), (5, 3)])
def test_a_limit_applies_across_pages(report, limit, shown):
    pages = [Page([hit(ONE), hit(TWO)], 2), Page([hit(make_row("three"))], 3, done=True)]
    code, out, err = report(pages, "--limit", str(limit))
    assert code == 0
    assert len(out.splitlines()) == shown
    assert err == ("" if shown == 3 else f"leafmark: {shown} of 3 sessions; --limit 3 shows all\n")
    document = json.loads(report(pages, "--limit", str(limit), "--json")[1])
    assert (document["total"], len(document["hits"])) == (3, shown)


def test_only_printed_hits_are_looked_up_in_trees(report):
    ids = []
    pages = [Page([hit(ONE), hit(TWO)], 2, done=True)]
    report(pages, "--limit", "1", place=lambda hit: ids.append(hit.row.id) or Where())
    assert ids == ["one"]


def test_without_hits_the_exit_code_is_1_and_notes_are_printed_once(report):
    note = Note("neadle is nowhere; needle was looked for\x1b[2J", 0, 6)
    code, out, err = report([Page(notes=(note,)), Page(done=True, notes=(note,))])
    assert (code, out) == (1, "")
    assert err.splitlines() == [
        "leafmark: neadle is nowhere; needle was looked for␛[2J",
        "leafmark: no session matches",
    ]
    code, out, _ = report([Page(done=True)], "--json")
    assert (code, json.loads(out)) == (1, {"schema": 3, "total": 0, **NOTHING_ODD, "hits": []})


def test_json_has_the_facts_of_the_last_page(report):
    first = Page([hit(ONE)], 1, instead={"neadle": ("needle",)})
    last = Page(total=1, done=True, instead={"neadle": ("needle",)}, as_kept=["/a"], unread=["/b", "/c"])
    document = json.loads(report([first, last], "--json")[1])
    assert document["corrections"] == {"neadle": ["needle"]}
    assert (document["searched_in_index"], document["unread"]) == (["/a"], ["/b", "/c"])


@cases(
    ("query", "position", "length", "lines"),
    [
        ("", 0, 0, ("", "^")),
        ("日本 x:y", 3, 1, ("日本 x:y", "     ^")),
        ("a\tb\n\x1b", 4, 1, ("a b ␛", "    ^")),
        ("a" * 100 + "!" + "b" * 100, 100, 1, ("…" + "a" * 30 + "!" + "b" * 30 + "…", " " * 31 + "^")),
        ("a" * 10_000, 4_096, 5_904, ("…" + "a" * 120 + "…", " " * 31 + "^" * 60)),
        ("e\u0301\u202e:", 2, 1, ("e\u0301\ufffd:", " ^")),
    ],
)
def test_only_the_faulty_part_of_a_long_query_is_shown(query, position, length, lines):
    assert caret_lines(query, position, length) == lines
    assert not re.search("[\x00-\x1f\x7f-\x9f\u202a-\u202e]", "".join(lines))


@cases(
    ("terminal", "env", "wanted"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_colours_depend_on_the_terminal_and_its_environment(monkeypatch, terminal, env, wanted):
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal, raising=False)
    assert wants_colour(env) is wanted
