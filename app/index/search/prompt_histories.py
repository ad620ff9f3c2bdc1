"""The prompts of sessions in the histories that agents keep beside their sessions.

A history may have a prompt that is not in the file of its session: the prompt was cancelled, or the file was
edited later. Claude Code deletes old sessions, and their prompts stay in its history.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, NamedTuple

from app.formats.errors import SessionError
from app.formats.text import replace_surrogates
from app.formats.timestamps import parse_time
from app.index.row import deleted_row
from app.small_files import read_small
from app.stores.json_state import Damaged, parse_json

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence
    from typing import Any

    from app.index.row import Row
    from app.stores.base import Store

    Prompts = dict[str, list[str]]
    """The id of a session -> its prompts, newest first."""
    Signature = tuple[tuple[int, int, int] | None, ...]

MAX_BYTES = 256 << 20
"""Bytes of the largest history that is read, as several copies of it are in memory meanwhile. A prompt takes
about 400 bytes, its index included.
"""
MAX_LINES_BYTES = 64 << 20
"""The same of a history in lines of JSON, all of which are parsed again after each prompt."""
_SUFFIXES = ("", "-wal", "-journal")
_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
_PASTED = re.compile(r"\[(?:Pasted text|\.\.\.Truncated text) #(\d+)[^\]\n]*\]")


class History(NamedTuple):
    """The prompts in a history, and the sessions that it tells about: id -> (folder, time of the first
    prompt, time of the last one). Only histories that outlive their sessions tell about them. `pasted` are
    the prompts with a pasted part, which the session itself has in another spelling.
    """

    prompts: Prompts
    sessions: dict[str, tuple[str, int, int]]
    pasted: set[str]


class PromptHistories:
    """The histories of some stores. A history that is missing or cannot be read has no prompts."""

    def __init__(self, stores: Iterable[Store]) -> None:
        self._stores = {
            (listed.root, store.agent.name): store
            for listed in stores
            for store in (listed, *listed.twins)
            if store.history
        }
        self._signatures: dict[str, Signature] = {}
        self._histories: dict[str, History] = {}

    def prompts(self, row: Row) -> Sequence[str]:
        """The prompts of a session at the last `update`, newest first, without those that would be shown
        twice because they are spelt in another way in the session.
        """
        store = self._stores.get((row.store, row.agent))
        history = self._histories.get(store.history, _NOTHING) if store is not None else _NOTHING
        prompts = history.prompts.get(row.id, ())
        return [each for each in prompts if each not in history.pasted] if history.pasted else prompts

    @property
    def has_sessions(self) -> bool:
        """Whether a history tells about sessions, some of which may be gone."""
        return any(history.sessions for history in self._histories.values())

    def deleted(self, known: Container[tuple[str, str]]) -> Iterator[tuple[Row, Sequence[str]]]:
        """The sessions that histories tell about and whose files are gone, with their prompts.

        :param known: agent and id of the sessions that are there.
        """
        for (root, name), store in self._stores.items():
            prompts, sessions, _ = self._histories.get(store.history, _NOTHING)
            for session_id, (folder, first, last) in sessions.items():
                if (name, session_id) in known:
                    continue
                path = os.path.join(
                    store.agent.folder_of(store, folder, ""), store.agent.file_name("", session_id)
                )
                # A file that was not read yet, or cannot be read, is there.
                if not os.path.lexists(path):
                    said = prompts[session_id]
                    yield deleted_row(path, root, name, session_id, folder, said, (first, last)), said

    def update(self) -> bool:
        """Read the histories that have changed since the last call. Return whether any prompt has. For one
        thread at a time.
        """
        changed = False
        for path in dict.fromkeys(store.history for store in self._stores.values()):
            signature = _signature(path)
            if signature == self._signatures.get(path, _MISSING):
                continue
            self._signatures[path] = signature
            try:
                history = read_prompts(path)
            except SessionError:  # `doctor` has the reason
                history = _NOTHING
            if history != self._histories.get(path, _NOTHING):
                self._histories[path] = history
                changed = True
        return changed


def read_prompts(path: str) -> History:
    """The history at `path`: a database, or lines of JSON if its name ends with `.jsonl`. Nothing is written
    beside it.

    :raises SessionError: there is none, it is too large, or it cannot be read.
    """
    if _has_lines(path):
        return _prompts_of_lines(path)
    # Imported here: most runs, such as a list, read no history.
    from app.sessions.storage.prompt_history import open_history

    _check_size(path)
    prompts: Prompts = {}
    with open_history(path) as history:
        for row in history.recent(sys.maxsize):
            # A damaged row may have values of any type. Passages have no NUL characters.
            _add(prompts, row.session_id, row.prompt)
        for session_id, recap in history.recaps():
            _add(prompts, session_id, recap)
    return History(prompts, {}, set())


class Recaps:
    """The last recap of each session in the histories of some stores (formats/README.md, "Prompt history of
    oh-my-pi").
    """

    def __init__(self, stores: Iterable[Store]) -> None:
        every = [store for listed in stores for store in (listed, *listed.twins) if store.history]
        self._agents = {store.history: store.agent.name for store in every if not _has_lines(store.history)}
        self._signatures: dict[str, Signature] = {}
        self._recaps: dict[str, dict[tuple[str, str], str]] = {}

    def read(self) -> dict[tuple[str, str], str]:
        """(agent, id) -> recap. A history that has not changed since the last call is not read again; one
        that is missing or cannot be read has none.
        """
        for path, agent in self._agents.items():
            signature = _signature(path)
            if signature != self._signatures.get(path, _MISSING):
                self._signatures[path] = signature
                try:
                    found = reversed(_recaps_in(path))
                except SessionError:  # `doctor` has the reason
                    found = reversed(())
                self._recaps[path] = {(agent, session_id): recap for session_id, recap in found}
        return {key: recap for recaps in self._recaps.values() for key, recap in recaps.items()}


def _recaps_in(path: str) -> list[tuple[str, str]]:
    from app.sessions.storage.prompt_history import open_history

    _check_size(path)
    with open_history(path) as history:
        return history.recaps()


def _has_lines(path: str) -> bool:
    return path.endswith(".jsonl")


def _check_size(path: str) -> None:
    if sum([status[1] for status in _signature(path) if status]) > MAX_BYTES:
        raise SessionError(path, 0, f"is larger than {MAX_BYTES >> 20} MB")


def _add(prompts: Prompts, session_id: object, prompt: object) -> bool:
    if isinstance(session_id, str) and isinstance(prompt, str) and (text := prompt.replace("\0", "")):
        prompts.setdefault(session_id, []).append(text)
        return True
    return False


def _prompts_of_lines(path: str) -> History:
    """The history of Codex or of Claude Code (formats/README.md, "Files of Codex", "Files of Claude Code");
    damaged lines are skipped.
    """
    history = History({}, {}, set())
    try:
        lines = read_small(path, MAX_LINES_BYTES).split(b"\n")
    except OSError as error:
        raise SessionError(path, 0, error.strerror or str(error)) from None
    for line in reversed(lines):
        try:
            content = parse_json(line)
        except Damaged:
            continue
        if not isinstance(content, dict):
            continue
        if isinstance(text := content.get("text"), str):
            _add(history.prompts, content.get("session_id"), replace_surrogates(text))
        elif isinstance(content.get("display"), str):
            _add_claude(history, content)
    return history


def _add_claude(history: History, line: dict[str, Any]) -> None:
    """Add a line of Claude Code's history, which is older than those before."""
    session_id, folder, pasted = line.get("sessionId"), line.get("project"), line.get("pastedContents")
    texts = pasted.copy() if isinstance(pasted, dict) else {}

    def text_of(place: re.Match[str]) -> str:
        # Each text once: a line may name one a thousand times.
        part = texts.pop(place[1], None)
        content = part.get("content") if isinstance(part, dict) and part.get("type") == "text" else None
        return content if isinstance(content, str) and content else place[0]

    text = replace_surrogates(_PASTED.sub(text_of, line["display"]))
    if not (isinstance(session_id, str) and _ID.fullmatch(session_id)):
        return  # Lines of older versions name no session.
    if not _add(history.prompts, session_id, text):
        return
    if pasted:
        history.pasted.add(history.prompts[session_id][-1])
    time_ms = parse_time(line.get("timestamp")) or 0
    known = history.sessions.get(session_id)
    if known is not None:
        folder, _, last = known
        history.sessions[session_id] = (folder, time_ms or known[1], last or time_ms)
    elif isinstance(folder, str) and os.path.isabs(folder) and "\0" not in folder:
        history.sessions[session_id] = (replace_surrogates(folder), time_ms, time_ms)


_NOTHING = History({}, {}, set())


def _signature(path: str) -> Signature:
    """The inode, size and modification time of a database and of the files beside it; None for those that do
    not exist.
    """
    return tuple(_file_signature(path + suffix) for suffix in _SUFFIXES)


def _file_signature(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


_MISSING: Signature = (None,) * len(_SUFFIXES)
