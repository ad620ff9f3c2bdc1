"""An odd value in a field ends no command, and hides no session."""

from __future__ import annotations

import json

import pytest

from tests.rollouts import ID, item, meta, said, write_rollout

HEAD = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-07-12T08:30:53.000Z", "cwd": "/w"}


def pi_session(home, **changes):
    def entry(number, role, text, **fields):
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        parent = f"0000000{number - 1}" if number > 1 else None
        shared = {"id": f"0000000{number}", "parentId": parent, "timestamp": HEAD["timestamp"]}
        return {"type": "message", **shared, "message": message} | fields

    folder = home / ".pi" / "agent" / "sessions" / "--w--"
    folder.mkdir(parents=True)
    odd = entry(2, "assistant", "the odd answer")
    odd["message"] |= changes.pop("message", {})
    lines = (HEAD, entry(1, "user", "fix it"), odd | changes, entry(3, "assistant", "done"))
    (folder / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder / "s.jsonl"


def all_commands(leafmark, path, out):
    for words in (("list",), ("tree", path), ("context", path), ("search", "fix"), ("stats",), ("doctor",)):
        assert leafmark(*words).returncode == 0, words
    for number, format in enumerate(("html", "md", "json", "jsonl")):
        done = leafmark("export", path, "--to", format, "-o", out / f"{number}")
        assert done.returncode == 0, done.stderr
        assert "done" in (out / f"{number}").read_text()
    assert "fix it" in leafmark("list").stdout


@pytest.mark.parametrize("changes", [{"message": {"role": ["x"]}}, {"type": ["x"]}, {"type": {}, "id": []}])
def test_an_odd_word_of_pi_ends_no_command(changes, leafmark, tmp_path):
    all_commands(leafmark, pi_session(tmp_path / "home", **changes), tmp_path)


@pytest.mark.parametrize("content", [5, True, {"a": 1}, "text", [5], [[]]])
def test_an_odd_content_of_codex_ends_no_command(content, leafmark, tmp_path):
    odd = item("message", role="user", content=content)
    path = write_rollout(tmp_path / "home", meta(ID), said("user", "fix it"), odd, said("assistant", "done"))
    all_commands(leafmark, path, tmp_path)
