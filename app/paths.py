"""leafmark's own folders and files. None of them is in an agent's folder, and deleting the cache loses
nothing.

The folders are those of platformdirs. For Linux its rule is written out here, because importing it takes
longer than everything else before the first rows; a test compares the two.
"""

from __future__ import annotations

import errno
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from app.small_files import path_problem, read_small, replace_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "leafmark"
CACHE_VARIABLE = "LEAFMARK_CACHE_DIR"
STATE_VARIABLE = "LEAFMARK_STATE_DIR"
CONFIG_VARIABLE = "LEAFMARK_CONFIG_DIR"
ENDED_VARIABLE = "LEAFMARK_AGENT_ENDED"
"""Says how the agent ended that leafmark has run; it is not set if all went well."""

FOLDER_GONE = "the current folder is gone, and a relative path leads nowhere"

_LONGEST = 65_536
"""Bytes of a state file that are read."""

_SHOWN = 200
"""Characters of a path that an error message has."""

MOST_PROJECTS = 64
"""Projects that are remembered; each start reads the settings of all of them."""


class CurrentFolderGone(FileNotFoundError):
    """A path is relative, and the current folder does not exist any more."""

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


class FolderRefused(OSError):
    """A folder of leafmark's own cannot be used; the message says why."""

    def __str__(self) -> str:
        # A path may be longer than a screen.
        path = self.filename
        return f"{path if len(path) < _SHOWN else path[:_SHOWN] + '…'}: {self.strerror}"


def current_folder() -> str | None:
    """The current folder as the system spells it; None if it was removed or is unknown."""
    try:
        return os.getcwd()
    except OSError:
        return None


def absolute(path: str) -> str:
    """`path` as an absolute path, normalised; links are not resolved.

    :raises CurrentFolderGone: it is relative, and the current folder is gone.
    """
    if os.path.isabs(path):
        return os.path.normpath(path)
    folder = current_folder()
    if folder is None:
        raise CurrentFolderGone(errno.ENOENT, FOLDER_GONE, path)
    return os.path.normpath(os.path.join(folder, path))


def home_folder(env: Mapping[str, str]) -> str:
    """The user's home folder, absolute; the root folder if the user has none."""
    home = env.get("HOME") or os.path.expanduser("~")
    return home if os.path.isabs(home) else os.sep


def home_prefix_length(folder: str, home: str) -> int:
    """The number of leading characters of a folder that ``~`` stands for: those of the home folder, as given
    or as a real path, if the folder is the home folder or lies in it; else 0. A home that is the root folder
    is not shortened.
    """
    home = home.rstrip(os.sep)
    return _prefix_length(folder, home) or _prefix_length(folder, _real_home(home))


def _prefix_length(folder: str, home: str) -> int:
    if not home or not folder.startswith(home):
        return 0
    return len(home) if folder[len(home) : len(home) + 1] in ("", os.sep) else 0


@cache
def _real_home(home: str) -> str:
    """The real path of the home folder, which agents write into sessions."""
    return os.path.realpath(home).rstrip(os.sep) if os.path.isabs(home) else ""


def cache_folder(env: Mapping[str, str]) -> str:
    """The folder of the index; ``LEAFMARK_CACHE_DIR`` moves it. It need not exist."""
    return _folder(env, CACHE_VARIABLE, "XDG_CACHE_HOME", ".cache", "user_cache_dir")


CONFIG = "config.toml"
"""The settings file in `config_folder`."""
JOURNAL = "journal.jsonl"
"""The file in the state folder with what was done; see `app.actions.journal`."""


def state_folder(env: Mapping[str, str]) -> str:
    """The folder of leafmark's state; ``LEAFMARK_STATE_DIR`` moves it. It need not exist."""
    return _folder(env, STATE_VARIABLE, "XDG_STATE_HOME", os.path.join(".local", "state"), "user_state_dir")


def config_folder(env: Mapping[str, str]) -> str:
    """The folder of the settings; ``LEAFMARK_CONFIG_DIR`` moves it. It need not exist."""
    return _folder(env, CONFIG_VARIABLE, "XDG_CONFIG_HOME", ".config", "user_config_dir")


def _folder(env: Mapping[str, str], own: str, variable: str, below_home: str, function: str) -> str:
    if env.get(own):
        return absolute(env[own])
    if sys.platform == "linux":
        root = env.get(variable, "").strip() or os.path.join(home_folder(env), below_home)
        return os.path.join(root, NAME)
    # Imported here: Linux does not need it.
    import platformdirs

    return str(getattr(platformdirs, function)(NAME, appauthor=False))


def make_own_folders(*folders: str) -> None:
    """Make leafmark's own folders, each inside the one before, for this user alone.

    An existing folder named `NAME` is closed to other users. An existing folder of another name, which the
    user chose with a variable, keeps its permissions, as do all folders above.

    :raises OSError: a folder cannot be made, or see `check_own_folder`.
    """
    for folder in folders:
        try:
            _make_folder(folder)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder) from None
        check_own_folder(folder)
        if os.path.basename(folder) == NAME:
            status = os.stat(folder)
            if status.st_mode & 0o077 and status.st_uid == os.getuid():
                os.chmod(folder, 0o700)


def _make_folder(folder: str) -> None:
    """As `os.makedirs`, which is too deep a recursion for a path of a thousand parts."""
    missing = []
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for made in reversed(missing):
        try:
            os.mkdir(made, 0o700 if made == missing[0] else 0o777)
        except FileExistsError:
            if not os.path.isdir(made):  # else another process made it
                raise


def check_own_folder(folder: str) -> None:
    """Pass if leafmark can trust a folder of its own: a file in it is leafmark's. It need not exist.

    :raises FolderRefused: it belongs to another user than this one, the owner of the home folder, and root;
        or it is longer than any path.
    """
    problem = path_problem(folder)
    if problem:
        raise FolderRefused(errno.ENAMETOOLONG, f"this path {problem}", folder)
    try:
        owner = os.stat(folder).st_uid
    except OSError:
        return
    if owner not in (os.geteuid(), 0) and owner != _home_owner():
        raise FolderRefused(errno.EPERM, f"this folder belongs to another user (id {owner})", folder)


def _home_owner() -> int:
    """The id of the owner of the home folder; -1 if that is unknown."""
    try:
        # with the same rule as `home_folder`, for the environment of this process
        return os.stat(os.path.expanduser("~")).st_uid
    except OSError:
        return -1


def read_theme(env: Mapping[str, str]) -> str:
    """The name of the theme that was chosen last; ``dark`` if none was."""
    try:
        chosen = read_small(os.path.join(state_folder(env), "theme"), _LONGEST)
    except OSError:
        return "dark"
    return chosen.decode("utf-8", "replace").strip() or "dark"


def write_theme(env: Mapping[str, str], theme: str) -> None:
    """Remember a theme.

    :raises OSError: the folder cannot be written.
    """
    _write(os.path.join(state_folder(env), "theme"), f"{theme}\n".encode())


def read_screen(env: Mapping[str, str]) -> dict[str, str]:
    """The values that `write_screen` stored last; none if they cannot be read.

    The user may have edited the file: a value may be any text of one line.
    """
    try:
        text = read_small(os.path.join(state_folder(env), "screen"))[:_LONGEST].decode("utf-8", "replace")
    except OSError:
        return {}
    pairs = (line.partition("=") for line in text.split("\n"))
    return {key.strip(): value.strip() for key, mark, value in pairs if mark and key.strip()}


def write_screen(env: Mapping[str, str], values: Mapping[str, str]) -> None:
    """Remember the arrangement of the screen: lines such as ``order=recent``.

    Several processes may write at the same time: the file is never a mixture.

    :param values: keys and values of one line, without blanks around them and without "=" in a key.
    :raises OSError: the folder cannot be written.
    """
    text = "".join(f"{key}={value}\n" for key, value in values.items())
    _write(os.path.join(state_folder(env), "screen"), text.encode("utf-8", "replace"))


def read_projects(env: Mapping[str, str]) -> list[str]:
    """The project folders that `write_projects` stored last; none if they cannot be read."""
    try:
        data = read_small(os.path.join(state_folder(env), "projects"), _LONGEST)
    except OSError:
        return []
    folders = [os.fsdecode(folder) for folder in data.split(b"\0")]
    return [folder for folder in folders if os.path.isabs(folder)][:MOST_PROJECTS]


def write_projects(env: Mapping[str, str], folders: Sequence[str]) -> None:
    """Remember the folders of projects whose settings name a store, the last used first.

    :raises OSError: the state folder cannot be written.
    """
    data = b"\0".join(map(os.fsencode, folders[:MOST_PROJECTS]))
    _write(os.path.join(state_folder(env), "projects"), data)


_LONGEST_ID = 200
MOST_OPENED = 500
"""Sessions whose opening is remembered, the last ones."""


def read_opened(env: Mapping[str, str]) -> dict[tuple[str, str], int]:
    """When sessions were last opened, the first opened first: (agent, id) -> milliseconds since the epoch;
    none if that cannot be read.
    """
    try:
        text = read_small(os.path.join(state_folder(env), "opened"), 4 * _LONGEST).decode("utf-8", "replace")
    except OSError:
        return {}
    opened = {}
    for line in text.split("\n"):
        at, _, session = line.partition(" ")
        agent, _, session_id = session.partition(" ")
        if session_id and at.isascii() and at.isdigit():
            opened[agent, session_id] = int(at[:15])
    return opened


def note_opened(env: Mapping[str, str], agent: str, session_id: str, at_ms: int) -> None:
    """Remember that a session was opened, unless its id is none that an agent gives.

    :param at_ms: milliseconds since the epoch.
    :raises OSError: the state folder cannot be written.
    """
    if not session_id.isprintable() or len(session_id) > _LONGEST_ID:
        return
    opened = read_opened(env)
    opened.pop((agent, session_id), None)
    opened[agent, session_id] = at_ms
    last = list(opened.items())[-MOST_OPENED:]
    text = "".join(f"{at} {agent} {id}\n" for (agent, id), at in last)
    _write(os.path.join(state_folder(env), "opened"), text.encode("utf-8", "replace"))


def write_crash(env: Mapping[str, str], text: str) -> str:
    """Store the report of an unexpected error. It replaces the previous one.

    :return: the path of the file.
    :raises OSError: it cannot be written.
    """
    path = os.path.join(state_folder(env), "crash.log")
    _write(path, text.encode("utf-8", "replace"))
    return path


def _write(path: str, data: bytes) -> None:
    make_own_folders(os.path.dirname(path))
    replace_file(path, data)
