"""The type hints of the installed wheel: mypy checks another project's file in strict mode."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import leafmark

import app.sessions
from tests.readme import PAGES

# Each name is used according to its type: `object` or `Any` would not pass.
STRANGER = '''
"""A script that uses every public name of `leafmark`."""

import threading
from collections.abc import Sequence
from typing import assert_type

import leafmark
from leafmark import BlobStore, Change, Completion, Context, Delta, Entry, FileStorage, History, HistoryRow
from leafmark import HistoryStorage, Hit, Index, MemoryStorage, Note, Page, Place, QueryError, Row, Search
from leafmark import SessionError, SessionInfo, SessionManager, SessionStorage, Store, TreeNode, Vocabulary
from leafmark import complete, discover, export, open_history, open_index, redact, vocabulary


def look(folder: str) -> None:
    session = SessionManager.continue_recent(folder, agent="omp")
    assert_type(session, SessionManager)
    assert_type(session.build_session_context(), Context)
    assert_type(session.get_path(), list[Entry])
    assert_type(session.get_branch("id"), list[Entry])
    assert_type(session.get_tree(), list[TreeNode])
    assert_type(session.set_name("name"), Change)
    assert_type(session.last_change, Change | None)
    assert_type(session.append_label_change("id", None), str)
    assert_type(SessionManager.list(folder), list[SessionInfo])
    assert_type(SessionManager.list_all(), Sequence[SessionInfo])
    assert_type(SessionManager.get_recent_sessions(folder, 3), Sequence[SessionInfo])
    assert_type(SessionManager.find_most_recent_session(folder), str | None)
    for info in SessionManager.list(folder):
        assert_type(info.title, str)
    assert_type(session.problems[0].line, int)


def keep(folder: str) -> None:
    storages: list[SessionStorage] = [FileStorage(), MemoryStorage()]
    try:
        assert_type(storages[0].read(folder)[0], bytes)
    except SessionError as error:
        assert_type(error.path + error.reason, str)
    assert_type(BlobStore(folder).get("blob:sha256:"), bytes | None)
    with HistoryStorage(folder) as history:
        assert_type(history, HistoryStorage)
        assert_type(history.add("prompt", now_ms=1), int | None)
    with open_history(folder) as other:
        assert_type(other, History)
        assert_type(other.search("words"), list[HistoryRow])
        assert_type(other.recent()[0].prompt, str)


def on_delta(delta: Delta) -> None:
    print(delta)


def find(folder: str) -> None:
    index = Index(discover(), folder)
    index.scan(on_delta)
    index.watch(on_delta, threading.Event())
    assert_type(index.rows(), list[Row])
    words = vocabulary(index.rows())
    assert_type(words, Vocabulary)
    assert_type(complete("agent:", 6, words), list[Completion])
    try:
        search = index.query("words")
    except QueryError as error:
        assert_type(error.position, int)
        return
    assert_type(search, Search)
    for page in search:
        assert_type(page, Page)
        for hit in page.hits:
            assert_type(hit, Hit)
            assert_type(index.place(hit), Place)


def told(note: Note) -> str:
    return note.message


def share(path: str) -> None:
    with open_index() as index:
        assert_type(index, Index)
        assert_type(next(index.search("words")), Hit)
    assert_type(leafmark.SessionManager.open(path), SessionManager)
    assert_type(discover(), list[Store])
    assert_type(discover()[0].root, str)
    assert_type(export(path, "md"), bytes)
    assert_type(redact(path), str)
'''

WRONG = """
from leafmark import Index, Misspelt, Row, SessionManager
from app.sessions import Nonsense

SessionManager.open(3)
SessionManager.list("/x")[0].nonsense
Index([], 3)
"""


def checked(installed: Path, folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    """Run mypy over the files, away from this checkout and its settings."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull]
    command += ["--cache-dir", str(installed.parents[2] / "cache")]
    command += ["--python-executable", str(installed), *files]
    env = {key: value for key, value in os.environ.items() if not key.startswith("MYPY")}
    env.pop("PYTHONPATH", None)
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_a_correct_script_passes_mypy(installed_python: Path, tmp_path: Path) -> None:
    (tmp_path / "stranger.py").write_text(STRANGER)
    examples = re.findall(r"```python\n(.*?)```", (PAGES / "library.md").read_text("utf-8"), re.DOTALL)
    assert len(examples) >= 4
    for number, example in enumerate(examples):
        (tmp_path / f"example_{number}.py").write_text(example)
    result = checked(installed_python, tmp_path, *sorted(path.name for path in tmp_path.glob("*.py")))
    assert result.returncode == 0, result.stdout + result.stderr


def test_mistakes_in_a_script_are_found(installed_python: Path, tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(WRONG)
    output = checked(installed_python, tmp_path, "wrong.py").stdout
    line_numbers = [int(line) for line in re.findall(r"^wrong\.py:(\d+): error", output, re.MULTILINE)]
    assert line_numbers == [2, 3, 5, 6, 7], output


def test_the_script_uses_every_public_name() -> None:
    lines = re.findall(r"^from leafmark import (.+)$", STRANGER, re.MULTILINE)
    assert sorted(name for line in lines for name in line.split(", ")) == sorted(leafmark.__all__)


def test_every_public_name_of_the_sessions_can_be_imported() -> None:
    assert [name for name in app.sessions.__all__ if not hasattr(app.sessions, name)] == []


def test_the_session_classes_are_imported_on_first_use() -> None:
    code = "import sys, app.sessions; print(sorted(name for name in sys.modules if name.startswith('app.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['app.lazy_names', 'app.sessions']\n"
