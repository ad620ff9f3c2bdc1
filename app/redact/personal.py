"""Replaces home folders by `~`, and the user's name in paths and in `name@host`."""

from __future__ import annotations

import re
from collections.abc import Iterable

USER = "user"
"""The text in the place of a user's name."""
_SLASH = r"\\{0,3}/"
# A path begins at no letter, except for that of an escape such as `\n`.
_BEGIN = r"(?:(?<![\w.~-])|(?<=\\[nrt]))"
_NAME = r"[A-Za-z0-9_][\w.-]*"
_HOMES = re.compile(
    rf"{_BEGIN}{_SLASH}(?:home|Users){_SLASH}({_NAME})|{_BEGIN}[A-Za-z]:(?:\\{{1,4}}|/)Users(?:\\{{1,4}}|/)({_NAME})"
)
_IN_FOLDER_NAMES = re.compile(r"(-(?:home|Users)-)([A-Za-z0-9_]+)(?=-|$)")
_COMMON = frozenset(("root", "user", "users", "home", "admin", "runner", "shared", "public", "default"))
"""Names that say nothing about a person."""


def user_in(folder: str) -> str:
    """The name of the user to whose home `folder` belongs; "" if it is in no known place of homes."""
    match = _HOMES.match(folder)
    return (match[1] or match[2]) if match else ""


class Personal:
    """The home folders and names to replace.

    :param home: the user's home folder, absolute; "" for none. Folders in `/home` and `/Users` count as well.
    :param users: names of users.
    """

    def __init__(self, home: str, users: Iterable[str]) -> None:
        self._home = None
        self._needle = home
        if len(home) > 1:
            spelled = re.escape(home).replace("/", _SLASH)
            self._home = re.compile(rf"{_BEGIN}{spelled}(?![\w.-])")
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
        either = "|".join(map(re.escape, names))
        in_path = rf"(?<=[/\\])(?:{either})(?=[/\\:\s\"'`,;)]|$)"
        before_host = rf"(?:(?<![\w.-])|(?<=\\[nrt]))(?:{either})(?=@[\w\[])"
        self._user = re.compile(f"{in_path}|{before_host}")

    def replace(self, text: str) -> tuple[str, int]:
        """`text` without homes and names, and the number of replacements."""
        count = 0
        if self._home is not None and self._needle.rpartition("/")[2] in text:
            text, found = self._home.subn("~", text)
            count += found
        if "home" in text or "Users" in text:
            text, found = _HOMES.subn("~", text)
            count += found
            text, found = _IN_FOLDER_NAMES.subn(rf"\1{USER}", text)
            count += found
        if self._user is not None and any(name in text for name in self._names):
            text, found = self._user.subn(USER, text)
            count += found
        return text, count
