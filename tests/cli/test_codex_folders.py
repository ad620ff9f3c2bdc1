"""The folder of a session of Codex: the last one in which it was used, if that is there."""

from __future__ import annotations

import json

from tests.rollouts import AT, line, meta, said, write_rollout


def turn(folder):
    return line("turn_context", cwd=str(folder), model="gpt-5.5")


def test_the_folder_is_that_of_the_last_turn_that_exists(leafmark, tmp_path):
    first, second, gone = tmp_path / "first", tmp_path / "second", tmp_path / "gone"
    first.mkdir()
    second.mkdir()
    lines = (meta(cwd=str(first)), turn(first), said("user", "one"), turn(second), said("user", "two"))
    write_rollout(tmp_path / "home", *lines, turn(gone), said("user", "three"))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["cwd"] == str(second)
    printed = leafmark("resume", "--last", "--print", cwd=second, PATH="/usr/bin:/bin")
    assert f"cd {second}" in printed.stdout + printed.stderr
    assert "no session works" in leafmark("resume", "--last", "--print", cwd=first).stderr


def test_without_a_folder_that_exists_it_is_that_of_the_beginning(leafmark, tmp_path):
    lines = (meta(cwd="/gone/first"), turn("/gone/first"), said("user", "one"), turn("/gone/second"))
    write_rollout(tmp_path / "home", *lines, said("user", "two"))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["cwd"] == "/gone/first"


def test_the_folder_of_the_beginning_counts_if_those_of_the_turns_are_gone(leafmark, tmp_path):
    lines = (meta(cwd=str(tmp_path)), said("user", "one"), turn("/gone/second"), said("user", "two"))
    write_rollout(tmp_path / "home", *lines)
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["cwd"] == str(tmp_path)


def test_a_folder_that_is_none_is_left_out(leafmark, tmp_path):
    odd = [5, None, "relative", "", "/a\0b", ["/"], str(tmp_path / ("x" * 3000))]
    turns = [{"timestamp": AT, "type": "turn_context", "payload": {"cwd": cwd}} for cwd in odd]
    write_rollout(tmp_path / "home", meta(cwd=str(tmp_path)), *turns, said("user", "one"))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert (row["cwd"], row["title"]) == (str(tmp_path), "one")
