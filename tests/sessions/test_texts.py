"""A search for words in all entries of a tree."""

from __future__ import annotations

import json

import pytest

from app.formats import Cancelled
from app.formats.utf8_text import fold
from app.sessions import Changed, TreeText, open_tree
from app.sessions.tree import tree_text as texts_module
from tests.factory import entry, header, message, write_session


def keep_going():
    return True


def found(texts, *words, around=0):
    every = [
        texts.find(number, [fold(word) for word in words], keep_going) for number in texts.blocks(around)
    ]
    return sorted(node.id for block in every for node in block)


def opened(tmp_path, *lines, room=texts_module.CACHED_BYTES):
    return TreeText(open_tree(str(write_session(tmp_path / "s.jsonl", header(), *lines))), room)


def calling(id, parent, *calls):
    blocks = [
        {"type": "toolCall", "id": of, "name": name, "arguments": arguments} for of, name, arguments in calls
    ]
    return entry("message", id, parent, message={"role": "assistant", "content": blocks})


def answer(id, parent, of, text, **more):
    body = {"role": "toolResult", "toolCallId": of, "content": [{"type": "text", "text": text}], **more}
    return entry("message", id, parent, message=body)


def test_all_words_must_be_in_one_entry_whatever_their_case(tmp_path):
    texts = opened(
        tmp_path,
        message("a", None, "user", "The Straße is long"),
        message("b", "a", "assistant", "the street"),
    )
    assert found(texts, "STRASSE") == ["a"]
    assert found(texts, "the") == ["a", "b"]
    assert found(texts, "the", "str", "assistant") == ["b"]
    assert found(texts, "user", "street") == []


def test_a_result_matches_the_arguments_of_its_own_call(tmp_path):
    texts = opened(
        tmp_path,
        calling("a", None, ("1", "bash", {"command": 'make "all"\nnow'}), ("2", "read", {"path": "x/y.py"})),
        answer("b", "a", "1", "done"),
        answer("c", "b", "2", "text"),
    )
    assert found(texts, '"all"') == ["a", "b"]
    assert found(texts, "now") == ["a", "b"]
    assert found(texts, "y.py") == ["a", "c"]
    assert found(texts, "read", "tool") == ["c"]


def test_current_labels_are_searched(tmp_path):
    path = write_session(
        tmp_path / "s.jsonl",
        header(),
        message("a", None, "user", "one"),
        message("b", "a", "user", "two"),
        entry("label", "l", "b", targetId="a", label="Check Point"),
    )
    tree = open_tree(str(path))
    texts = TreeText(tree)
    assert found(texts, "check", "one") == ["a"]
    assert found(texts, "check", "two") == []
    with path.open("a") as file:
        file.write(json.dumps(entry("label", "m", "l", targetId="a", label=None)) + "\n")
        file.write(json.dumps(entry("label", "n", "m", targetId="b", label="checked")) + "\n")
    tree.extend()
    assert found(texts, "check") == ["b", "l", "n"]


def test_types_and_fields_of_other_entries_are_searched(tmp_path):
    texts = opened(
        tmp_path,
        entry("model_change", "a", None, provider="anthropic", modelId="opus"),
        entry("branch_summary", "b", "a", summary="what was tried", fromId="a"),
        entry("strange", "c", "b", whatever={"deep": ["inside"]}),
    )
    assert found(texts, "opus") == ["a"]
    assert found(texts, "model") == ["a"]
    assert found(texts, "branch", "summary", "tried") == ["b"]
    assert found(texts, "strange", "inside") == ["c"]


def test_text_beyond_the_cache_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(texts_module, "BLOCK", 500)
    lines = [
        message(f"n{at:02}", f"n{at - 1:02}" if at else None, "user", f"w{at} " * 20) for at in range(40)
    ]
    texts = opened(tmp_path, *lines, room=1_000)
    every = len(texts.blocks())
    assert every > 10
    for at in range(40):
        assert found(texts, f"w{at}", f"w{at}") == sorted(
            f"n{other:02}" for other in range(40) if f"w{at}" in f"w{other} "
        )
        assert texts.kept <= 1_000
    assert texts.read > 20 * every


def test_text_within_the_cache_is_read_once(tmp_path):
    texts = opened(tmp_path, message("a", None, "user", "one"))
    for number in texts.blocks():
        texts.fill(number, keep_going)
    assert found(texts, "one") == found(texts, "user") == ["a"]
    assert texts.read == 1


def test_blocks_near_the_cursor_come_first(tmp_path, monkeypatch):
    monkeypatch.setattr(texts_module, "BLOCK", 1)
    lines = [message(f"n{at}", f"n{at - 1}" if at else None, "user", "x") for at in range(5)]
    texts = opened(tmp_path, *lines)
    assert texts.blocks(3)[0] == 3
    assert sorted(texts.blocks(3)[1:3]) == [2, 4]


def test_a_call_and_its_results_are_in_one_block(tmp_path, monkeypatch):
    monkeypatch.setattr(texts_module, "BLOCK", 100)
    texts = opened(tmp_path, calling("a", None, ("1", "ls", {"path": "quokka"})), answer("b", "a", "1", "x"))
    assert found(texts, "quokka") == ["a", "b"]


def test_only_appended_entries_are_searched_again(tmp_path):
    path = write_session(tmp_path / "s.jsonl", header(), message("a", None, "user", "one"))
    tree = open_tree(str(path))
    texts = TreeText(tree)
    assert texts.blocks() == [0]
    with path.open("a") as file:
        file.write(json.dumps(message("b", "a", "user", "one more")) + "\n")
    tree.extend()
    assert sorted(texts.blocks()) == [0, 1]
    assert [node.id for node in texts.find(1, ["one"], keep_going)] == ["b"]
    assert texts.read == 1


def test_a_superseded_search_stops(tmp_path):
    texts = opened(tmp_path, message("a", None, "user", "one"))
    texts.blocks()
    with pytest.raises(Cancelled):
        texts.find(0, ["one"], lambda: False)


def test_a_rewritten_file_raises(tmp_path):
    texts = opened(tmp_path, message("a", None, "user", "one"), message("b", "a", "user", "two"))
    texts.blocks()
    write_session(tmp_path / "s.jsonl", header("other"), message("z", None, "user", "three"))
    with pytest.raises(Changed):
        texts.find(0, ["one"], keep_going)


def test_a_damaged_line_is_skipped_and_hides_no_other(tmp_path):
    texts = opened(
        tmp_path,
        message("a", None, "user", "one"),
        '{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"lone \\ud83d one"}}',
        entry("message", "c", "b", message=None),
        message("d", "c", "user", "one"),
    )
    assert found(texts, "one") == ["a", "b", "d"]
