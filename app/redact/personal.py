"""Replaces home folders by `~`, and the user's name in paths and in `name@host`."""

from __future__ import annotations

import re
from collections.abc import Iterable

USER = "user"
"""The text in the place of a user's name."""
_SLASH = r"\\{0,3}/"
# The patterns begin with a character and look back from it: `re` skips to that character without trying the
# rest. A path begins at no letter, except for that of an escape such as `\n`.
_FIRST_SLASH = r"[/\\](?:(?<![\w.~-][/\\])|(?<=\\[nrt][/\\]))(?:(?<=/)|(?<=\\)\\{0,2}/)"
_NAME = r"[A-Za-z0-9_][\w.-]*"
_HOME = re.compile(rf"{_FIRST_SLASH}(?:home|Users){_SLASH}({_NAME})")
_WINDOWS_HOME = re.compile(
    rf"(?:(?<![\w.~-])|(?<=\\[nrt]))[A-Za-z]:(?:\\{{1,4}}|/)Users(?:\\{{1,4}}|/)({_NAME})"
)
# Agents name folders of sessions after the working folder: `-home-alice-app`, `--home-alice--`.
_IN_FOLDER_NAMES = re.compile(r"-(?<!\w-)(home|Users)-([A-Za-z0-9_]+)(?=[-/\\\"']|$)")
_COMMON = frozenset(("root", "user", "users", "home", "admin", "runner", "shared", "public", "default"))
"""Names that say nothing about a person."""


def user_in(folder: str) -> str:
    """The name of the user to whose home `folder` belongs; "" if it is in no known place of homes."""
    match = _HOME.match(folder) or _WINDOWS_HOME.match(folder)
    return match[1] if match else ""


def _user_pattern(name: str) -> str:
    """The pattern for an escaped name in a path and in `name@host`."""
    in_path = rf"(?<=[/\\]{name})(?=[/\\:\s\"'`,;)]|$)"
    before_host = rf"(?:(?<![\w.-]{name})|(?<=\\[nrt]{name}))(?=@[\w\[])"
    return f"{name}(?:{in_path}|{before_host})"


class Personal:
    """The home folders and names to replace.

    :param home: the user's home folder, absolute; "" for none. Folders in `/home` and `/Users` count as well.
    :param users: names of users.
    """

    def __init__(self, home: str, users: Iterable[str]) -> None:
        self._home = None
        self._needle = home
        if len(home) > 1:
            spelled = re.escape(home.removeprefix("/")).replace("/", _SLASH)
            self._home = re.compile(rf"{_FIRST_SLASH}{spelled}(?![\w.-])")
        self._names: list[str] = []
        self._user: re.Pattern[str] | None = None
        self.add_users(users)

    def add_users(self, users: Iterable[str]) -> None:
        """Also replace these names."""
        wanted = {name for name in users if len(name) > 1 and name.lower() not in _COMMON}
        names = sorted(wanted.union(self._names))
        if names == self._names:
            return
        self._names = names
        self._user = re.compile("|".join(map(_user_pattern, map(re.escape, names))))

    def replace(self, text: str) -> tuple[str, int]:
        """`text` without homes and names, and the number of replacements."""
        count = 0
        if self._home is not None and self._needle.rpartition("/")[2] in text:
            text, found = self._home.subn("~", text)
            count += found
        if "Users" in text and ":" in text:
            text, found = _WINDOWS_HOME.subn("~", text)
            count += found
        if "home" in text or "Users" in text:
            text, found = _HOME.subn("~", text)
            count += found
            text, found = _IN_FOLDER_NAMES.subn(rf"-\1-{USER}", text)
            count += found
        if self._user is not None and any(name in text for name in self._names):
            text, found = self._user.subn(USER, text)
            count += found
        return text, count
