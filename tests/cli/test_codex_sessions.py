"""Codex's sessions among the others: names, sub-agents, archived ones, and the base of another session."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_codex_context import base_and_fork
from tests.rollouts import ID, meta, said, write_rollout

OTHER = "019c9000-7f3a-7bd2-9d5e-0a1b2c3d4e5f"
OTHER_NAME = f"rollout-2026-02-24T10-00-00-{OTHER}.jsonl"


def test_the_name_beside_a_session_is_its_title_everywhere(leafmark, tmp_path):
    home = tmp_path / "home"
    path = write_rollout(home, meta(), said("user", "the first prompt"), said("assistant", "ok"))
    names = home / ".codex" / "session_index.jsonl"
    names.write_text(json.dumps({"id": ID, "thread_name": "My Codex title"}) + "\n")
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["title"] == "My Codex title"
    assert "My Codex title" in leafmark("tree", path).stdout.splitlines()[0]
    assert json.loads(leafmark("tree", path, "--json").stdout)["session"]["title"] == "My Codex title"
    assert json.loads(leafmark("context", path).stdout)["session"]["title"] == "My Codex title"
    for format in ("html", "md", "json", "jsonl"):
        assert "My Codex title" in leafmark("export", path, "--to", format, "-o", "-").stdout, format
    names.write_text(json.dumps({"id": ID, "thread_name": " "}) + "\n")
    assert "My Codex title" not in leafmark("tree", path).stdout


@pytest.mark.parametrize("prompt", ["hello", "fix the import order", "<environment_context> what is it?"])
def test_the_title_of_an_unnamed_session_is_that_of_the_list(prompt, leafmark, tmp_path):
    texts = said("user", prompt, kinds=["user.text"])
    path = write_rollout(tmp_path / "home", meta(), texts, said("assistant", "ok"))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["title"] == prompt
    assert prompt in leafmark("tree", path).stdout.splitlines()[0]
    assert leafmark("export", path, "--to", "md", "-o", "-").stdout.startswith(
        f"# {prompt[:1]}".replace("<", "\\<")
    )


def test_a_sub_agent_is_told_apart(leafmark, tmp_path):
    home = tmp_path / "home"
    write_rollout(home, meta(), said("user", "delegate it"))
    spawned = meta(OTHER, source={"subagent": {"thread_spawn": {"parent_thread_id": ID, "depth": 1}}})
    write_rollout(home, spawned, said("user", "look around"), name=OTHER_NAME)
    rows = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert {row["title"]: row["subagent"] for row in rows} == {"delegate it": False, "look around": True}
    lines = leafmark("list").stdout.splitlines()
    assert ["sub-agent" in line for line in sorted(lines, key=lambda line: "look around" in line)] == [
        False,
        True,
    ]
    assert leafmark("list", "--format", "{subagent}").stdout.split() == ["sub-agent"]


def test_an_archived_session_is_resumed_as_codex_offers(leafmark, tmp_path):
    path = write_rollout(tmp_path / "home", meta(cwd=str(tmp_path)), said("user", "hi"))
    archive = tmp_path / "home" / ".codex" / "archived_sessions"
    archive.mkdir()
    path.rename(archive / path.name)
    done = leafmark("resume", "--print", ID)
    assert f"codex resume {ID}" in done.stdout
    assert "archive" not in done.stderr


def test_a_base_is_not_trashed_without_a_word(leafmark, tmp_path):
    base, fork = base_and_fork(tmp_path / "home")
    refused = leafmark("trash", base)
    assert refused.returncode == 3
    title = json.loads(leafmark("tree", base, "--json").stdout)["session"]["title"]
    assert f'leafmark: "{title}" (' in refused.stderr
    assert "another session goes on from it" in refused.stderr
    assert "--anyway" in refused.stderr
    third = OTHER.replace("019c9000", "019c9111")
    name = OTHER_NAME.replace(OTHER, third)
    other = write_rollout(tmp_path / "home", meta(third), said("user", "another one"), name=name)
    among = leafmark("trash", base, other).stderr
    assert (title in among, "another one" in among) == (True, False), (
        "the base is named, and no other session"
    )
    assert base.exists()
    done = leafmark("trash", base, "--anyway")
    assert (done.returncode, base.exists()) == (0, False)
    assert "another session goes on from it" in done.stderr
    assert leafmark("undo").returncode == 0
    both = leafmark("trash", base, fork)
    assert (both.returncode, both.stderr) == (0, "")


def test_a_parent_that_its_fork_repeats_is_trashed(leafmark, tmp_path):
    home = tmp_path / "home"
    path = write_rollout(home, meta(), said("user", "hi"))
    fork = (meta(OTHER, forked_from_id=ID), meta(), said("user", "hi"), said("user", "more"))
    write_rollout(home, *fork, name=OTHER_NAME)
    done = leafmark("trash", path)
    assert (done.returncode, done.stderr, path.exists()) == (0, "", False)
