"""The meaning of filters."""

from __future__ import annotations

from typing import Any

import pytest
from leafmark import QueryError

from app.index.query import Facts, number_test, parse
from tests.cases import cases
from tests.factory import NOW, make_row
from tests.index.query.helpers import FACTS, passes, read

HOME = "/home/me"


@cases(
    ("text", "fields", "expected"),
    [
        ("agent:pi", {"agent": "pi"}, True),
        ("agent:PI", {"agent": "pi"}, True),
        ("agent:oh-my-pi", {"agent": "omp"}, True),
        ("agent:pi", {"agent": "omp"}, False),
        ("agent:pi,omp", {"agent": "omp"}, True),
        ("agent:pi agent:omp", {"agent": "omp"}, False),
        ("-agent:pi,omp", {"agent": "omp"}, False),
        ("-agent:pi", {"agent": "omp"}, True),
        ("dir:APP", {"cwd": "/work/app"}, True),
        ("dir:app/", {"cwd": "/work/app"}, True),
        ("dir:app/", {"cwd": "/work/app2"}, False),
        ("dir:/work/app", {"cwd": "/work/app2"}, True),
        ('dir:"my work"', {"cwd": "/my work/x"}, True),
        ("dir:~", {"cwd": "/home/me"}, True),
        ("dir:~", {"cwd": "/home/me/work"}, True),
        ("dir:~", {"cwd": "/home/meredith"}, False),
        ("dir:~/work", {"cwd": "/home/me/work/app"}, True),
        ("dir:~/work", {"cwd": "/mnt/work"}, False),
        ("dir:~/work", {"cwd": "/srv/home/me/work"}, False),
        ("dir:~/WORK", {"cwd": "/home/me/work/app"}, True),
        ("dir:~/work,app", {"cwd": "/srv/app"}, True),
        ("dir:~x", {"cwd": "/a/~x"}, True),
        ("dir:/", {"cwd": ""}, False),
        ("-dir:work", {"cwd": ""}, True),
        ("dir:stra\u00dfe", {"cwd": "/STRASSE"}, True),
        ("name:notes", {"name": "Release Notes"}, True),
        ("name:notes", {"name": None}, False),
        ("name:notes", {"title": "notes"}, False),
        ('name:"release notes"', {"name": "my release notes"}, True),
        ("name:a,b", {"name": "b"}, True),
        ('name:"a b"', {"name": "a  b"}, True),
        ('name:"a b"', {"name": "a\nb"}, True),
        ('name:"a b"', {"name": "a\tb"}, True),
        ('name:"a b"', {"name": "a\u00a0b"}, True),
        ('name:"a \u3000 b",x', {"name": "a b"}, True),
        ('name:"a b"', {"name": "ab"}, False),
        ('name:" b"', {"name": "a  b"}, True),
        ('name:" b"', {"name": "ab"}, False),
        ('name:"a "', {"name": "a\nb"}, True),
        ('name:"a "', {"name": "ba"}, False),
        ('-name:"a b"', {"name": "a\r\nb"}, False),
        ('label:"new line"', {"labels": (("e1", "new\nline"),)}, True),
        ('dir:"/w/new line"', {"cwd": "/w/new\nline/x"}, True),
        ('dir:"~/new  line"', {"cwd": "/home/me/new line"}, True),
        ('dir:"new line/"', {"cwd": "/w/new\tline"}, True),
        ('dir:"new line/"', {"cwd": "/w/new\tlines"}, False),
        ('model:"a b"', {"models": ("x/a  b",)}, True),
        ('id:"a b"', {"id": "a\tb c"}, True),
        ("label:todo", {"labels": (("e1", "done"), ("e2", "TODO later"))}, True),
        ("label:todo", {"labels": ()}, False),
        ("-label:todo", {"labels": (("e1", "done"),)}, True),
        ("label:e1", {"labels": (("e1", "done"),)}, False),
        ("model:opus", {"models": ("anthropic/claude-Opus-4",)}, True),
        ("model:anthropic/", {"models": ("openai/gpt", "anthropic/x")}, True),
        ("model:opus", {"models": ()}, False),
        ("id:019A", {"id": "019a2b"}, True),
        ("id:9a2b", {"id": "019a2b"}, False),
        ("has:branch", {"branch_count": 2}, True),
        ("has:branch", {"leaf_count": 2, "branch_count": 1}, False),
        ("has:label", {"labels": (("e", "x"),)}, True),
        ("has:fork", {"parent_session": "/a.jsonl"}, True),
        ("has:fork", {"parent_session": None}, False),
        ("has:error", {"errors": 1}, True),
        ("has:error", {"errors": 0}, False),
        ("has:image", {"images": 3}, True),
        ("has:error,image", {"images": 3}, True),
        ("has:error has:image", {"images": 3}, False),
        ("-has:error,image", {"images": 3}, False),
        ("is:named", {"name": "x"}, True),
        ("is:named", {"name": " \n"}, False),
        ("is:named", {"name": "\u200b\u2800"}, False),
        ("is:named", {"name": None}, False),
        ("is:damaged", {"problems": 1}, True),
        ("is:damaged", {"problems": 0}, False),
        ("is:damaged", {"torn": True, "mtime_ns": NOW * 1_000_000}, False),
        ("is:damaged", {"torn": True, "mtime_ns": 0}, True),
        ("is:damaged", {"refused": "no header"}, True),
        ("is:waiting", {"ending": "waiting"}, True),
        ("is:waiting", {"ending": "done"}, False),
        ("is:failed,aborted", {"ending": "aborted"}, True),
        ("is:failed", {"ending": "failed"}, True),
        ("is:failed", {"ending": "done", "errors": 2}, False),
        ("-is:done", {"ending": ""}, True),
        ("is:interrupted", {"ending": "interrupted"}, True),
        ("is:subagent", {"spawned": True}, True),
        ("is:subagent", {"spawned": False}, False),
        ("is:empty", {"title_source": "", "models": (), "tools": ()}, True),
        ("is:empty", {"title_source": "prompt"}, False),
        ("messages:>50", {"message_count": 51}, True),
        ("messages:>50", {"message_count": 50}, False),
        ("messages:>=50", {"message_count": 50}, True),
        ("messages:<3", {"message_count": 2}, True),
        ("messages:<=3", {"message_count": 4}, False),
        ("messages:=3", {"message_count": 3}, True),
        ("messages:3", {"message_count": 3}, True),
        ("messages:3,5", {"message_count": 5}, True),
        ("messages:10..20", {"message_count": 20}, True),
        ("messages:20..10", {"message_count": 10}, True),
        ("messages:10..20", {"message_count": 21}, False),
        ("messages:10..", {"message_count": 9}, False),
        ("messages:..10", {"message_count": 10}, True),
        ("tokens:>100k", {"tokens": (50_000, 50_001, 0, 0)}, True),
        ("tokens:>100k", {"tokens": (1, 1, 500_000, 500_000)}, False),
        ("tokens:>100k", {"tokens": (100_000, 0, 0, 0)}, False),
        ("tokens:<=1.5M", {"tokens": (0, 0, 0, 1_500_000)}, True),
        ("cost:>1", {"cost": 1.01}, True),
        ("cost:>$1", {"cost": 0.99}, False),
        ("cost:>0", {"cost": 0.0004}, True),
        ("cost:=0.03", {"cost": 0.0312549}, True),
        ("cost:0", {"cost": 0.0}, True),
        ("cost:.5..1", {"cost": 0.75}, True),
        ("-cost:>1", {"cost": 0.5}, True),
    ],
)
def test_which_sessions_pass_a_filter(text: str, fields: dict[str, Any], expected: bool) -> None:
    assert passes(text, home=HOME, **fields) is expected


@cases(
    "value",
    [
        *("", "x", "1x", ">>1", "1,", "1..2..3", "..", "01", "1_000", "-1", "1e3", "k", "1kk", "½", "١"),
        *("1...2", "1...", "...2", "...", "1....2"),
    ],
)
def test_an_invalid_number_is_refused(value: str) -> None:
    assert number_test(value) is None


@cases("field", ["messages", "cost", "tokens"])
def test_three_dots_are_pointed_at(field: str) -> None:
    with pytest.raises(QueryError, match=r"1\.\.\.2. is no ") as failed:
        parse(f"a {field}:1...2 b", 0)
    assert (failed.value.position, failed.value.length) == (3 + len(field), 5)


def test_an_unknown_home_folder_matches_no_folder() -> None:
    assert not passes("dir:~/work", home="", cwd="/home/me/work")
    assert passes("dir:~/work", home="/", cwd="/a/~/work")


def test_live_and_pinned_are_asked_of_the_given_facts() -> None:
    facts = Facts(live=lambda row: row.id == "a", pinned=lambda row: row.id == "b")
    assert passes("is:open", facts, id="a")
    assert passes("is:live", facts, id="a")
    assert not passes("is:open", facts, id="b")
    assert passes("is:pinned", facts, id="b")
    assert passes("is:pinned,open", facts, id="a")
    assert passes("-is:pinned", facts, id="a")
    assert not passes("is:open", id="a")
    assert not passes("is:interrupted", facts, id="a", ending="interrupted"), "its agent is at work"


@cases(
    ("text", "hidden"),
    [
        ("is:subagent", True),
        ("is:waiting,empty x", True),
        ("-is:subagent", False),
        ("is:waiting", False),
        ("empty", False),
    ],
)
def test_a_query_may_ask_for_sessions_that_lists_hide(text: str, hidden: bool) -> None:
    assert read(text).hidden is hidden


def test_all_filters_must_hold() -> None:
    assert passes("agent:pi dir:app -is:named", agent="pi", cwd="/app")
    assert not passes("agent:pi dir:app is:named", agent="pi", cwd="/app")


@cases(
    ("text", "needs_file"),
    [
        ("messages:<5", True),
        ("-messages:>5", True),
        ("-has:label", True),
        ("-is:damaged", True),
        ("-tool:bash", True),
        ("-model:x", True),
        ("cost:0", True),
        ("-has:fork,label", True),
        ("agent:pi", False),
        ("-has:fork", False),
        ("-is:named", False),
        ("-is:open", False),
        ("-is:waiting", True),
        ("-is:subagent", True),
        ("date:>1m", False),
        ("dir:app", False),
    ],
)
def test_a_provisional_row_may_pass_filters_that_need_the_whole_file(text: str, needs_file: bool) -> None:
    row = make_row(modified=NOW - 3_600_000)
    row.provisional = True
    query = read(text)
    assert query.passes(row, FACTS) is not needs_file
    row.provisional = False
    assert query.passes(row, FACTS)


def test_folders_are_tested_separately() -> None:
    query = read("dir:app")
    rows = [make_row(cwd=cwd) for cwd in ("/app", "/other", "/app", "/other")]
    assert [query.passes(row, FACTS) for row in rows] == [True, False, True, False]
