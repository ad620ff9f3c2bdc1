"""How long agents keep sessions: the agents that delete sessions by age, and when a session may go
(formats/README.md, "Sessions that Claude Code deletes").
"""

from __future__ import annotations

import os
import sys
from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from app.small_files import read_small
from app.stores.json_state import Damaged, parse_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DAY_MS = 86_400_000
SOON_MS = 7 * DAY_MS
"""Milliseconds before its deletion from which on a session counts as expiring."""

_CLAUDE_DAYS = 30
_CLAUDE_SETTING = "cleanupPeriodDays"
_INVALID, _UNREADABLE = -1, -2


def retention_ms(root: str, agent: str, folders: Iterable[str], managed: str = "") -> int | None:
    """The milliseconds without a write after which the agent may delete a session of the store at `root`;
    None if it deletes none by age.

    :param folders: the working folders of the agent's sessions, in any of which it may be started next.
    :param managed: the folder of the settings for all users of this machine; "" for the agent's usual one.
    """
    days_of = _DAYS.get(agent)
    days = None if days_of is None else days_of(root, folders, managed)
    return None if days is None else days * DAY_MS


def retention_of_file(path: str, agent: str, cwd: str) -> int | None:
    """The same for the session at `path`, which need not be there. The working folders are read from one
    session in each folder of its store.

    :param cwd: its own working folder; "" for none.
    """
    if agent not in _DAYS:
        return None
    # Imported here: the first key would wait for it, and for the reader of headers.
    from glob import escape, glob

    from app.formats.header import header_of

    root = os.path.dirname(os.path.dirname(path))
    one_of_each = {os.path.dirname(each): each for each in glob(os.path.join(escape(root), "*", "*.jsonl"))}
    headers = [header_of(each, (agent,)) for each in one_of_each.values()]
    return retention_ms(root, agent, {cwd, *(header.cwd for header in headers if header)} - {""})


def time_after_restore(mtime_ns: int, retention: int | None, now_ms: int) -> int:
    """The modification time in nanoseconds that a restored file gets: its own one, or the present time if
    its agent would else delete it at the next start.

    :param retention: see `retention_ms`.
    """
    if retention is None or mtime_ns // 1_000_000 + retention > now_ms:
        return mtime_ns
    return now_ms * 1_000_000


def _claude_days(root: str, folders: Iterable[str], managed: str) -> int | None:
    """The fewest days that a start of Claude Code in one of the folders keeps sessions, because each start
    sweeps the sessions of all projects. None if no start sweeps any.
    """
    everywhere = _managed_days(managed or _managed_folder())
    if everywhere is not None:
        return None if everywhere == _UNREADABLE else everywhere
    user = _days_in(os.path.join(os.path.dirname(root), "settings.json"))
    starts: set[tuple[int | None, ...]] = {(user,)}
    for folder in folders:
        own = [os.path.join(folder, ".claude", name) for name in ("settings.json", "settings.local.json")]
        starts.add((user, *map(_days_in, own)))
    # A later one of the settings counts, and a start with an invalid or unreadable one sweeps nothing.
    days = [
        next((value for value in reversed(values) if value is not None), _CLAUDE_DAYS)
        for values in starts
        if not {_INVALID, _UNREADABLE} & {*values}
    ]
    return min(days, default=None)


def _managed_days(folder: str) -> int | None:
    """The days in the settings of the machine; the last of the files counts. None without them, and
    `_UNREADABLE` if a file may have set them.
    """
    more = os.path.join(folder, "managed-settings.d")
    try:
        names = sorted(name for name in os.listdir(more) if name.endswith(".json") and name[0] != ".")
    except OSError:
        names = []
    paths = [os.path.join(folder, "managed-settings.json"), *(os.path.join(more, name) for name in names)]
    found = [days for path in paths if (days := _days_in(path)) not in (None, _INVALID)]
    return next((days for days in reversed(found) if days != _UNREADABLE), found[-1] if found else None)


def _days_in(path: str) -> int | None:
    """The days that a settings file sets; `_INVALID` if it sets no whole number above 0; `_UNREADABLE` if it
    cannot be read, or is no JSON object; None if it sets none, is empty or is not there.
    """
    try:
        data = read_small(path).removeprefix(BOM_UTF8)
        settings = parse_json(data) if data.strip() else {}
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, Damaged):
        return _UNREADABLE
    if not isinstance(settings, dict):
        return _UNREADABLE
    if _CLAUDE_SETTING not in settings:
        return None
    days = settings[_CLAUDE_SETTING]
    is_number = isinstance(days, int | float) and not isinstance(days, bool)
    return int(days) if is_number and days >= 1 and days == int(days) else _INVALID


def _managed_folder() -> str:
    return "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"


_DAYS: dict[str, Callable[[str, Iterable[str], str], int | None]] = {"claude": _claude_days}
"""The agents that delete sessions by the modification time of the file -> the days that they keep them."""
