"""Wrong types: a public method says in a `SessionError` what it wants, and writes nothing."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.sessions import SessionError, SessionManager
from app.sessions.asked import checked
from app.sessions.errors import AmbiguousEntry, BadValue, UnknownEntry
from tests.factory import chain, message, write_session
from tests.sessions.manager.conftest import ANSWER, USER, content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.sessions.manager.conftest import Home

RIGHT: dict[str, Any] = {
    "str": "/x",
    "AnyPath": "/x",
    "bool": True,
    "int": 1,
    "float": 1.5,
    "tuple[str, ...]": ("pi",),
    "Mapping[str, Any]": USER,
    "Mapping[str, str]": {"HOME": "/x"},
    "Iterable[Mapping[str, Any]]": [{"type": "text", "text": "x"}],
    "Callable[[int, int], object]": print,
    "Store": None,
    "Any": None,
    "None": None,
}
WRONG: tuple[Any, ...] = (5, 0.5, True, None, b"x", {1, 2}, [5], {5: 6}, ["x"], object(), Path("/x"))


def methods() -> Iterator[tuple[str, inspect.Signature]]:
    for name in dir(SessionManager):
        found = getattr(SessionManager, name)
        if not name.startswith("_") and callable(found):
            yield name, inspect.signature(found)


def parameters() -> Iterator[tuple[str, str]]:
    for name, signature in methods():
        for parameter in signature.parameters.values():
            if parameter.name != "self" and parameter.annotation != "Any":
                yield name, parameter.name


def fits(value: Any, annotation: str) -> bool:
    """Whether the annotation takes such a value."""
    words = annotation.split(" | ")
    kinds = {
        "str": str,
        "AnyPath": (str, Path),
        "bool": bool,
        "int": int,
        "float": (int, float),
        "None": type(None),
        "Mapping[str, Any]": dict,
        "tuple[str, ...]": tuple,
    }
    if isinstance(value, bool):
        return "bool" in words
    if value == ["x"]:
        return "tuple[str, ...]" in words
    return any(isinstance(value, kinds.get(word, ())) for word in words)


def test_all_methods_are_looked_at() -> None:
    assert len([*parameters()]) > 60


@pytest.mark.parametrize(("name", "wrong"), [*parameters()])
def test_a_wrong_type_is_a_session_error(home: Home, name: str, wrong: str) -> None:
    path = write_session(home.folder / "s.jsonl", *chain("one", "two"))
    before = path.read_bytes()
    manager = home.open(path)
    signature = inspect.signature(getattr(manager, name))
    for value in WRONG:
        if fits(value, signature.parameters[wrong].annotation):
            continue
        given = {
            each.name: RIGHT[each.annotation.split(" | ")[0]]
            for each in signature.parameters.values()
            if each.default is each.empty
        }
        with pytest.raises(SessionError) as caught:
            getattr(manager, name)(**{**given, wrong: value})
        assert isinstance(caught.value, BadValue)
        assert wrong in caught.value.reason or "block" in caught.value.reason
    assert path.read_bytes() == before
    assert [entry.id for entry in manager.get_entries()] == ["00000001", "00000002"]


def test_in_their_order_as_by_their_names(home: Home) -> None:
    manager = home.answered()
    with pytest.raises(BadValue, match=r"summary has to be a text, not None") as caught:
        manager.append_compaction(None, None, 1)  # type: ignore[arg-type]
    assert caught.value.path == manager.session_file
    with pytest.raises(BadValue, match=r"^path has to be a path, not int$"):
        SessionManager.open(5)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"^cwd has to be a path, not None$"):
        SessionManager.create(None)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match=r"label has to be a text or None, not int"):
        manager.append_label_change(manager.get_entries()[0].id, 5)  # type: ignore[arg-type]


def test_what_fits_is_taken_in_all_its_forms(home: Home) -> None:
    manager = home.answered()
    path = manager.session_file or ""
    manager.append_compaction("", None, 1.5, from_hook=False)
    manager.append_custom_message_entry("z", (block for block in [{"type": "text", "text": "x"}]), False)
    manager.append_custom_entry("t", [1, None, {"a": ()}])
    assert SessionManager.open(path, env=home.env, agents=["pi"]).leaf_id == manager.leaf_id  # type: ignore[arg-type]
    assert manager.get_entry(None) is manager.get_label(None) is None
    assert manager.danger("append") == ""


def test_a_path_is_taken_for_its_text(home: Home, tmp_path: Path) -> None:
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


class InBytes:
    """A path as only the system has it."""

    def __fspath__(self) -> bytes:
        return b"/x"


def test_a_path_of_bytes_is_none(home: Home) -> None:
    with pytest.raises(BadValue, match="path has to be a path, not InBytes"):
        SessionManager.open(InBytes(), env=home.env)  # type: ignore[arg-type]


def test_a_method_that_asks_for_what_nobody_knows_is_seen_at_once() -> None:
    class Odd:
        def ask(self, what: complex) -> None:
            """Ask."""

    with pytest.raises(KeyError, match="complex"):
        checked(Odd)


def test_no_write_of_that_kind(home: Home) -> None:
    with pytest.raises(BadValue, match="no write 'zz'; there are append, branch"):
        home.answered().danger("zz")


# what a session can hold


def test_a_compaction_that_keeps_from_nowhere_is_refused(home: Home) -> None:
    manager = home.answered()
    before = content(manager.session_file)
    with pytest.raises(UnknownEntry, match="'nope'"):
        manager.append_compaction("sum", "nope", 1)
    assert content(manager.session_file) == before
    assert len(manager.build_session_context().messages) == 2
    manager.append_compaction("sum", manager.get_entries()[1].id, 1)
    assert [it["role"] for it in manager.build_session_context().messages] == [
        "compactionSummary",
        "assistant",
    ]


def test_a_compaction_that_keeps_from_two_places_is_refused(home: Home) -> None:
    lines = (*chain("one", "two"), message("00000001", "00000002", "user", "three"))
    manager = home.open(write_session(home.folder / "s.jsonl", *lines))
    with pytest.raises(AmbiguousEntry):
        manager.append_compaction("sum", "00000001", 1)


def test_a_compaction_keeps_from_what_others_wrote_since(home: Home) -> None:
    manager = home.answered()
    theirs = home.open(manager.session_file or "").append_message(USER)
    manager.append_compaction("sum", theirs, 1)
    assert [it["role"] for it in manager.build_session_context().messages] == ["compactionSummary", "user"]


@pytest.mark.parametrize("nobodys", [{}, {"role": None}, {"role": ""}, {"role": 5, "content": "x"}])
def test_a_message_of_nobody_is_refused(home: Home, nobodys: dict[str, Any]) -> None:
    manager = home.answered()
    before = content(manager.session_file)
    with pytest.raises(BadValue, match="role"):
        manager.append_message(nobodys)
    assert content(manager.session_file) == before
    manager.append_message({"role": "of an extension"})


def test_a_label_is_one_line(home: Home) -> None:
    manager = home.answered()
    first = manager.get_entries()[0].id
    manager.append_label_change(first, "a\r\n\nb ")
    assert manager.get_label(first) == home.open(manager.session_file or "").get_label(first) == "a b "
    assert manager.last_change is not None
    assert manager.last_change.after == "a b "


def test_what_was_refused_leaves_a_session_that_can_go_on(home: Home) -> None:
    manager = home.create()
    for wrong in (None, {}, [("role", "user")]):
        with pytest.raises(BadValue):
            manager.append_message(wrong)  # type: ignore[arg-type]
    manager.append_message(USER)
    manager.append_message(ANSWER)
    assert len(home.open(manager.session_file or "").get_entries()) == 2
