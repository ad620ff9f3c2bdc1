"""A value that a session cannot hold is refused with a `SessionError`, and nothing is written."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from leafmark import SessionManager

from app.sessions import AmbiguousEntry, BadValue, UnknownEntry
from tests.cases import cases
from tests.factory import chain, message, write_session
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.sessions.manager.conftest import Home


def wrong_writes(manager: SessionManager) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield writes of JSON values of the wrong type, each with the name of the parameter."""
    entry_id = manager.get_entries()[0].id
    wrong: Any
    for wrong in (5, None, True, ["x"], {"a": 1}):
        yield "level", partial(manager.append_thinking_level_change, wrong)
        yield "provider", partial(manager.append_model_change, wrong, "m")
        yield "model_id", partial(manager.append_model_change, "p", wrong)
        yield "summary", partial(manager.append_compaction, wrong, None, 1)
        yield "summary", partial(manager.branch_with_summary, None, wrong)
        yield "custom_type", partial(manager.append_custom_entry, wrong)
        yield "custom_type", partial(manager.append_custom_message_entry, wrong, "x", False)
        yield "custom_type", partial(manager.move_leaf, None, wrong)
        yield "name", partial(manager.append_session_info, wrong)
        yield "name", partial(manager.set_name, wrong)
        if wrong is not None:
            yield "label", partial(manager.append_label_change, entry_id, wrong)
    for wrong in ("5", None, True):
        yield "tokens_before", partial(manager.append_compaction, "s", None, wrong)
    for wrong in ("yes", None, 1):
        yield "display", partial(manager.append_custom_message_entry, "t", "x", wrong)
    for wrong in ("yes", 1):
        yield "from_hook", partial(manager.append_compaction, "s", None, 1, None, wrong)
        yield "from_hook", partial(manager.branch_with_summary, None, "s", None, wrong)
    for wrong in (None, 5, "x", ["x"], [("role", "user")]):
        yield "message", partial(manager.append_message, wrong)
    for wrong in ([5], ["x"], {"type": "text"}, b"x"):
        yield "block", partial(manager.append_custom_message_entry, "t", wrong, False)


def test_a_value_of_the_wrong_type_is_refused_before_it_is_written(home: Home) -> None:
    path = write_session(home.folder / "s.jsonl", *chain("one", "two"))
    before = path.read_bytes()
    manager = home.open(path)
    for parameter, write in wrong_writes(manager):
        with pytest.raises(BadValue, match=rf"\b{parameter}\b.* has to be .*, not \w+") as caught:
            write()
        assert caught.value.path == str(path)
    assert path.read_bytes() == before
    assert [entry.id for entry in manager.get_entries()] == ["00000001", "00000002"]


def test_a_summary_of_a_fork_is_a_text(home: Home) -> None:
    source = home.answered().session_file or ""
    with pytest.raises(BadValue, match="summary has to be a text, not int"):
        SessionManager.fork_from(source, "/w", str(home.folder / "new"), summary=5, env=home.env)  # type: ignore[arg-type]
    assert not (home.folder / "new").exists()


def test_valid_values_of_all_types_are_written(home: Home) -> None:
    manager = home.answered()
    path = manager.session_file or ""
    manager.append_compaction("", None, 1.5, from_hook=False)
    manager.append_custom_message_entry("z", (block for block in [{"type": "text", "text": "x"}]), False)
    manager.append_custom_entry("t", [1, None, {"a": ()}])
    assert SessionManager.open(path, env=home.env, agents=["pi"]).leaf_id == manager.leaf_id  # type: ignore[arg-type]
    assert manager.get_entry(None) is manager.get_label(None) is None
    assert manager.danger("append") == ""


def test_a_pathlib_path_is_accepted_like_its_text(home: Home, tmp_path: Path) -> None:
    work, folder, env = tmp_path / "work", tmp_path / "sessions", home.env
    made = SessionManager.create(work, folder, env=env)
    made.append_message(USER)
    made.append_message(ANSWER)
    file = Path(made.session_file or "")
    assert (made.cwd, file.parent) == (str(work), folder)
    assert type(made.session_file) is type(made.cwd) is str
    for same in (
        SessionManager.open(file, env=env),
        SessionManager.continue_recent(work, folder, env=env),
        SessionManager.open(str(file), env=env),
    ):
        assert (same.session_file, same.leaf_id) == (str(file), made.leaf_id)
    assert [info.path for info in SessionManager.list(work, folder, env=env)] == [str(file)]
    assert SessionManager.find_most_recent_session(folder, env=env) == str(file)
    assert [info.path for info in SessionManager.get_recent_sessions(folder, 1, env=env)] == [str(file)]
    forked = SessionManager.fork_from(file, tmp_path / "other", folder, env=env)
    assert (forked.cwd, forked.header["parentSession"]) == (str(tmp_path / "other"), str(file))
    change = forked.cut(forked.leaf_id, work)
    assert (forked.cwd, Path(change.path).is_file()) == (str(work), True)
    forked.set_session_file(file)
    forked.new_session(file)
    assert forked.header["parentSession"] == str(file)
    assert SessionManager.in_memory(work).cwd == str(work)


def test_an_unknown_operation_is_refused(home: Home) -> None:
    with pytest.raises(BadValue, match="no write 'zz'; there are append, branch"):
        home.answered().danger("zz")


# what a session can hold


def test_a_compaction_with_an_unknown_first_entry_is_refused(home: Home) -> None:
    manager = home.answered()
    before = content(manager.session_file)
    with pytest.raises(UnknownEntry, match="'nope'"):
        manager.append_compaction("sum", "nope", 1)
    assert content(manager.session_file) == before
    assert len(manager.build_session_context().messages) == 2
    manager.append_compaction("sum", manager.get_entries()[1].id, 1)
    assert [message["role"] for message in manager.build_session_context().messages] == [
        "compactionSummary",
        "assistant",
    ]


def test_a_compaction_with_an_ambiguous_first_entry_is_refused(home: Home) -> None:
    lines = (*chain("one", "two"), message("00000001", "00000002", "user", "three"))
    manager = home.open(write_session(home.folder / "s.jsonl", *lines))
    with pytest.raises(AmbiguousEntry):
        manager.append_compaction("sum", "00000001", 1)


def test_a_compaction_may_keep_from_an_entry_of_another_process(home: Home) -> None:
    manager = home.answered()
    theirs = home.open(manager.session_file or "").append_message(USER)
    manager.append_compaction("sum", theirs, 1)
    assert [message["role"] for message in manager.build_session_context().messages] == [
        "compactionSummary",
        "user",
    ]


@cases("bad_message", [{}, {"role": None}, {"role": ""}, {"role": 5, "content": "x"}])
def test_a_message_without_a_role_is_refused(home: Home, bad_message: dict[str, Any]) -> None:
    manager = home.answered()
    before = content(manager.session_file)
    with pytest.raises(BadValue, match="role"):
        manager.append_message(bad_message)
    assert content(manager.session_file) == before
    manager.append_message({"role": "of an extension"})


def test_a_label_is_one_line(home: Home) -> None:
    manager = home.answered()
    first = manager.get_entries()[0].id
    manager.append_label_change(first, "a\r\n\nb ")
    assert manager.get_label(first) == home.open(manager.session_file or "").get_label(first) == "a b "
    assert manager.last_change is not None
    assert manager.last_change.after == "a b "
