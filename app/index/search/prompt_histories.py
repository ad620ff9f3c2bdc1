"""The prompts of sessions in the histories that agents keep beside their sessions.

A history may have a prompt that is not in the file of its session: the prompt was cancelled, or the file was
edited later.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from app.formats.errors import SessionError
from app.formats.text import replace_surrogates
from app.small_files import read_small
from app.stores.json_state import Damaged, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


class PromptHistories:
    """The histories of some stores. A history that is missing or cannot be read has no prompts."""

    def __init__(self, stores: Iterable[Store]) -> None:
        self._paths = {
            (listed.root, store.agent.name): store.history
            for listed in stores
            for store in (listed, *listed.twins)
            if store.history
        }
        self._signatures: dict[str, Signature] = {}
        self._prompts: dict[str, Prompts] = {}

    def prompts(self, row: Row) -> Sequence[str]:
        """The prompts of a session at the last `update`, newest first."""
        return self._prompts.get(self._paths.get((row.store, row.agent), ""), {}).get(row.id, ())

    def update(self) -> bool:
        """Read the histories that have changed since the last call. Return whether any prompt has. For one
        thread at a time.
        """
        changed = False
        for path in dict.fromkeys(self._paths.values()):
            signature = _signature(path)
            if signature == self._signatures.get(path, _MISSING):
                continue
            self._signatures[path] = signature
            try:
                prompts = read_prompts(path)
            except SessionError:  # `doctor` has the reason
                prompts = {}
            if prompts != self._prompts.get(path, {}):
                self._prompts[path] = prompts
                changed = True
        return changed


def read_prompts(path: str) -> Prompts:
    """The prompts of the history at `path`, by session: a database, or lines of JSON if its name ends with
    `.jsonl`. Nothing is written beside it.

    :raises SessionError: there is none, it is too large, or it cannot be read.
    """
    if path.endswith(".jsonl"):
        return _prompts_of_lines(path)
    # Imported here: most runs, such as a list, read no history.
    from app.sessions.storage.prompt_history import open_history

    if sum([status[1] for status in _signature(path) if status]) > MAX_BYTES:
        raise SessionError(path, 0, f"is larger than {MAX_BYTES >> 20} MB")
    prompts: Prompts = {}
    with open_history(path) as history:
        for row in history.recent(sys.maxsize):
            # A damaged row may have values of any type. Passages have no NUL characters.
            _add(prompts, row.session_id, row.prompt)
    return prompts


def _add(prompts: Prompts, session_id: object, prompt: object) -> None:
    if isinstance(session_id, str) and isinstance(prompt, str) and (text := prompt.replace("\0", "")):
        prompts.setdefault(session_id, []).append(text)


def _prompts_of_lines(path: str) -> Prompts:
    """The prompts of Codex's history (formats/README.md, "Files of Codex"); damaged lines are skipped."""
    prompts: Prompts = {}
    try:
        lines = read_small(path, MAX_LINES_BYTES).split(b"\n")
    except OSError as error:
        raise SessionError(path, 0, error.strerror or str(error)) from None
    for line in reversed(lines):
        try:
            content = parse_json(line)
        except Damaged:
            continue
        if isinstance(content, dict) and isinstance(text := content.get("text"), str):
            _add(prompts, content.get("session_id"), replace_surrogates(text))
    return prompts


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
