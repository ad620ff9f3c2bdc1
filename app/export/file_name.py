"""The name of an exported file, after the title of its session, and the folder for exports."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Collection, Mapping

LONGEST_NAME = 60
"""Characters of a name without its ending; a word is not cut if it can be left out."""
_LONGEST_BYTES = 180
"""Bytes of it: names on most file systems have at most 255 with an ending and a number."""
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)\Z")
"""Names that Windows has for devices, whatever their ending is."""
_HEAD = 4_096
"""Bytes of the beginning of a document, which has the id of its session."""
_MOST_NUMBERS = 1_000
_DOCUMENTS = re.compile(r'^\s*XDG_DOCUMENTS_DIR="(\$HOME/|/)([^"]*)"', re.MULTILINE)


def file_name(title: str, agent: str, session_id: str, format: str) -> str:
    """The name of the file of a session that was given no other: ``flaky-login-on-ci.html``.

    It has letters and digits of any script with hyphens between them, which every file system takes.

    :param title: without secrets.
    :param agent, session_id: the name of a session whose title has no letter.
    """
    return f"{_slug(title) or _slug(f'{agent} {session_id}') or 'session'}.{format}"


def _slug(text: str) -> str:
    text = unicodedata.normalize("NFC", text).lower()
    kept = "".join(each if unicodedata.category(each)[0] in "LNM" else " " for each in text)
    name = ""
    for word in kept.split():
        longer = f"{name}-{word}" if name else word[:LONGEST_NAME]
        if len(longer) > LONGEST_NAME or len(longer.encode("utf-8", "replace")) > _LONGEST_BYTES:
            break
        name = longer
    if not name and kept.split():
        name = kept.split()[0].encode("utf-8", "replace")[:_LONGEST_BYTES].decode("utf-8", "ignore")
    return f"{name}-session" if _RESERVED.match(name) else name


def free_path(path: str, session_id: str, taken: Collection[str] = ()) -> str:
    """`path`, with a number if a file of another session is there: ``flaky-login-on-ci-2.html``.

    A file of the same session keeps its name: the caller decides whether it is replaced.

    :param taken: paths of files that were written for other sessions.
    """
    begin, end = os.path.splitext(path)
    for number in range(1, _MOST_NUMBERS):
        numbered = path if number == 1 else f"{begin}-{number}{end}"
        if numbered not in taken and (not os.path.lexists(numbered) or _is_of(numbered, session_id)):
            return numbered
    return path


def _is_of(path: str, session_id: str) -> bool:
    """Whether the document at `path` was made of this session; False if it cannot be read."""
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    return bool(session_id) and session_id.encode("utf-8", "replace") in head


def export_folder(setting: str, env: Mapping[str, str], home: str) -> str:
    """The folder for exports from the screen. It need not exist.

    :param setting: the one of the user; "" for ``leafmark`` in the platform's folder for documents, or
        ``~/leafmark-exports`` if there is none.
    :param env: the environment of the user.
    """
    if setting:
        return os.path.normpath(home + setting[1:] if setting[:2] in ("~", "~/") else setting)
    documents = _documents(env, home)
    if os.path.isdir(documents):
        return os.path.join(documents, "leafmark")
    return os.path.join(home, "leafmark-exports")


def _documents(env: Mapping[str, str], home: str) -> str:
    """The folder for documents, as the desktops of Linux and macOS have it."""
    config = env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    try:
        with open(os.path.join(config, "user-dirs.dirs"), encoding="utf-8") as file:
            named = _DOCUMENTS.search(file.read(1 << 16))
    except (OSError, UnicodeDecodeError):
        named = None
    if named is None:
        return os.path.join(home, "Documents")
    return os.path.join(home if named[1] == "$HOME/" else "/", named[2])
