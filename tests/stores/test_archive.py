"""The list of oh-my-pi's archive, read from the beginning of each file (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING

import pytest

from app.stores import agent_named, archived, discover
from tests.factory import chain, message

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from leafmark import Store


@pytest.fixture
def stores(tmp_path: Path) -> list[Store]:
    return discover({}, str(tmp_path), str(tmp_path))


def slot(title: str) -> str:
    """Return the title line, which oh-my-pi writes before the header."""
    line: dict[str, Any] = {"type": "title", "v": 1, "title": title, "updatedAt": "", "pad": ""}
    line["pad"] = " " * (255 - len(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()))
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def pack(home: Path, name: str, *lines: dict[str, Any] | str, mtime: int = 1_780_000_000) -> Path:
    path = home / ".omp/agent/archive/sessions" / f"{name}.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode("utf-8", "surrogatepass")))
    os.utime(path, (mtime, mtime))
    return path


def test_an_archived_session_has_its_title_folder_and_target(tmp_path: Path, stores: list[Store]) -> None:
    path = pack(tmp_path, "-work/a.jsonl", slot("The title"), *chain("hello", id="one", cwd="/work"))
    [item] = archived(stores)
    assert (item.path, item.target) == (str(path), str(tmp_path / ".omp/agent/sessions/-work/a.jsonl"))
    assert (item.agent, item.id, item.cwd, item.title) == ("omp", "one", "/work", "The title")
    assert item.problem == ""
    assert (item.size, item.mtime_ms) == (path.stat().st_size, 1_780_000_000_000)


def test_the_last_archived_session_comes_first(tmp_path: Path, stores: list[Store]) -> None:
    for name, mtime in (("-b/b.jsonl", 2), ("-a/a.jsonl", 1), ("c.jsonl", 3), ("-a/b.jsonl", 2)):
        pack(tmp_path, name, *chain("x", id=name), mtime=mtime)
    assert [item.id for item in archived(stores)] == ["c.jsonl", "-a/b.jsonl", "-b/b.jsonl", "-a/a.jsonl"]


def test_an_untitled_session_is_listed_by_its_first_prompt_in_one_inert_line(
    tmp_path: Path, stores: list[Store]
) -> None:
    bulk = message("b", None, "assistant", '"user" ' * 2_000)
    pack(tmp_path, "-w/a.jsonl", slot(""), chain("x")[0], bulk, message("c", "b", "user", "one\x1b[31m\ntwo"))
    [item] = archived(stores)
    assert item.title == "one␛[31m two"


@pytest.mark.parametrize(
    ("damaged", "problem"),
    [
        (b"", "empty file"),
        (b"no gzip", "not packed by gzip"),
        (b"\x1f\x8b\x08\x00", "cut off before its end"),
        (gzip.compress(b"no session\n", mtime=0), "no session header"),
        (gzip.compress(b"", mtime=0), "empty file"),
        (gzip.compress(b"x\n" * 9_000, 0, mtime=0)[:-9_000] + b"\xff" * 9_000, "damaged"),
    ],
)
def test_a_damaged_file_is_listed_with_its_problem(
    tmp_path: Path, stores: list[Store], damaged: bytes, problem: str
) -> None:
    path = pack(tmp_path, "-w/a.jsonl")
    path.write_bytes(damaged)
    [item] = archived(stores)
    assert (item.path, item.id, item.title) == (str(path), "", "")
    assert item.problem == problem


def test_a_truncated_file_is_listed_with_its_title(tmp_path: Path, stores: list[Store]) -> None:
    noise = os.urandom(40_000).hex()
    path = pack(tmp_path, "-w/a.jsonl", slot("Kept"), *chain("x", id="one"), noise)
    path.write_bytes(path.read_bytes()[:-20_000])
    [item] = archived(stores)
    assert (item.id, item.title, item.problem) == ("one", "Kept", "cut off before its end")


def test_only_the_beginning_of_a_large_file_is_unpacked(
    tmp_path: Path, stores: list[Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(tmp_path, "-w/a.jsonl", chain("x", id="one")[0], "x" * 50_000_000)
    unpacked: list[int] = []
    real = __import__("zlib").decompressobj

    class Counted:
        def __init__(self, **how: int) -> None:
            self.inner = real(**how)

        def __getattr__(self, name: str) -> object:
            return getattr(self.inner, name)

        def decompress(self, data: bytes, most: int) -> bytes:
            piece: bytes = self.inner.decompress(data, most)
            unpacked.append(len(piece))
            return piece

    monkeypatch.setattr("zlib.decompressobj", Counted)
    [item] = archived(stores)
    assert item.id == "one"
    assert item.problem == ""
    assert 0 < sum(unpacked) <= 65_536


def test_only_sessions_are_listed(tmp_path: Path, stores: list[Store]) -> None:
    pack(tmp_path, "-w/a/agent.jsonl", *chain("x"))  # A file in a folder of artifacts.
    pack(tmp_path, "-w/a.md", "notes")
    os.mkdir(tmp_path / ".omp/agent/archive/sessions/-w/folder.jsonl.gz")
    os.symlink("nowhere", tmp_path / ".omp/agent/archive/sessions/-w/gone.jsonl.gz")
    complaints: list[tuple[str, str]] = []
    assert archived(stores, complaints) == []
    assert [(os.path.basename(path), why) for path, why in complaints] == [
        ("folder.jsonl.gz", "a folder, not a file"),
        ("gone.jsonl.gz", "not a regular file"),
    ]


def test_unreadable_files_and_folders_are_reported(tmp_path: Path, stores: list[Store]) -> None:
    folder = tmp_path / ".omp/agent/archive/sessions"
    folder.mkdir(parents=True)
    (folder / "loop.jsonl.gz").symlink_to("loop.jsonl.gz")
    complaints: list[tuple[str, str]] = []
    assert archived(stores, complaints) == []
    assert complaints == [(str(folder / "loop.jsonl.gz"), "a link that leads back to itself")]
    folder.rename(tmp_path / "aside")
    folder.write_text("a file in its place")
    complaints.clear()
    assert archived(stores, complaints) == []
    assert [path for path, _ in complaints] == [str(folder)]


def test_profiles_and_xdg_folders_have_archives_and_flat_folders_have_none(
    tmp_path: Path,
) -> None:
    for folder in (".omp/profiles/work/agent", "data/omp"):
        path = tmp_path / folder / "archive/sessions/-w/a.jsonl.gz"
        path.parent.mkdir(parents=True)
        path.write_bytes(gzip.compress(json.dumps(chain("x", id=folder)[0]).encode() + b"\n"))
    env = {"XDG_DATA_HOME": str(tmp_path / "data"), "PI_CODING_AGENT_SESSION_DIR": str(tmp_path / "s")}
    items = archived(discover(env, str(tmp_path), str(tmp_path)))
    assert sorted(item.id for item in items) == [".omp/profiles/work/agent", "data/omp"]
    assert {os.path.relpath(item.target, tmp_path) for item in items} == {
        ".omp/profiles/work/agent/sessions/-w/a.jsonl",
        "data/omp/sessions/-w/a.jsonl",
    }


def test_other_agents_have_no_archive(tmp_path: Path, stores: list[Store]) -> None:
    folders = {store.agent.name: store.agent.archive(store) for store in stores}
    assert {name for name, folder in folders.items() if folder} == {"omp"}
    omp = agent_named("omp")
    assert omp.archive(omp.store_at(str(tmp_path / "copies"), {}, str(tmp_path), "/")) == ""
