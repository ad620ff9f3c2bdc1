"""Tags and notes of sessions, in leafmark's own file `tags.json` in its state folder.

The file has for each agent and session id the tags and the note, so that they stay with a session whose file
is moved or renamed. A change reads the file again under a lock, keeps everything else, and replaces it as a
whole.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from app.paths import make_own_folders
from app.small_files import read_small, refuse_link
from app.stores.json_state import LARGEST_CHANGED, Damaged, copy_damaged, file_problem, parse_json, write_json
from app.stores.locks import PATIENCE, file_lock

NAME = "tags.json"
"""Name of the file in the state folder."""
LONGEST_TAG = 32
"""Characters of a tag: as much as a row of the list has room for."""
LONGEST_NOTE = 2_000
"""Characters of a note."""
_MARKS = frozenset("-_./")


class Tagging(NamedTuple):
    """The tags of a session, in the order in which they were given, and its note; "" for none."""

    tags: tuple[str, ...] = ()
    note: str = ""


NOTHING = Tagging()
Taggings = Mapping[tuple[str, str], Tagging]
"""(agent, session id) -> its tags and note."""


class TagChange(NamedTuple):
    """The result of `change_tagging`.

    path     the file
    before   the tags and note before; ``after``: those after
    copy     the copy of a damaged file that was replaced; "" for none
    """

    path: str
    before: Tagging
    after: Tagging
    copy: str = ""


class BadTag(ValueError):
    """A text is no tag; the message says why."""


def parse_tag(text: str) -> str:
    """The tag that a text names, in NFC, without the number sign before it.

    :raises BadTag: it is empty, longer than `LONGEST_TAG`, or has other characters than letters, digits and
        ``-_./``, or does not begin with a letter or digit.
    """
    tag = unicodedata.normalize("NFC", text.strip().removeprefix("#"))
    if not tag:
        raise BadTag("a tag has at least one character")
    if len(tag) > LONGEST_TAG:
        raise BadTag(f"a tag has at most {LONGEST_TAG} characters, not {len(tag):,}")
    wrong = next((mark for mark in tag if not (mark.isalnum() or mark in _MARKS)), "")
    if wrong:
        shown = repr(wrong) if wrong.isprintable() else f"U+{ord(wrong):04X}"
        raise BadTag(f"a tag has letters, digits and - _ . / only, not {shown}")
    if not tag[0].isalnum():
        raise BadTag("a tag begins with a letter or a digit")
    return tag


def parse_note(text: str) -> str:
    """A note as it is kept: one line, without blanks around it.

    :raises BadTag: it is longer than `LONGEST_NOTE`.
    """
    note = " ".join(text.split())
    if len(note) > LONGEST_NOTE:
        raise BadTag(f"a note has at most {LONGEST_NOTE:,} characters, not {len(note):,}")
    # half a character, which a terminal may send, cannot be written
    return note.encode("utf-8", "replace").decode("utf-8")


def with_tags(tagging: Tagging, add: Iterable[str], remove: Iterable[str]) -> Tagging:
    """The tagging with some tags more and some less."""
    gone = frozenset(remove)
    kept = [tag for tag in tagging.tags if tag not in gone]
    return tagging._replace(tags=tuple(dict.fromkeys([*kept, *add])))


def tags_path(state_folder: str) -> str:
    """The path of the file, which need not exist."""
    return os.path.join(state_folder, NAME)


def read_taggings(state_folder: str) -> Taggings:
    """All tags and notes; a missing or damaged file has none."""
    try:
        content = _by_agent(parse_json(read_small(tags_path(state_folder))))
    except (OSError, Damaged):
        return {}
    return {
        (agent, id): tagging
        for agent, sessions in content.items()
        for id, value in sessions.items()
        if (tagging := _tagging(value)) != NOTHING
    }


def known_tags(taggings: Taggings) -> dict[str, int]:
    """Each tag with the number of sessions that have it, the most used first."""
    counts: dict[str, int] = {}
    for tagging in taggings.values():
        for tag in tagging.tags:
            counts[tag] = counts.get(tag, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def tags_problem(state_folder: str) -> str:
    """The reason why the file cannot be used; "" if it can, or does not exist."""
    return file_problem(tags_path(state_folder), _by_agent)


def change_tagging(
    state_folder: str,
    agent: str,
    session_id: str,
    change: Callable[[Tagging], Tagging],
    patience: float = PATIENCE,
) -> TagChange:
    """Change the tags and the note of a session. A damaged file counts as empty, and is copied first.

    :param change: gives the new values for those in the file, as other processes left them.
    :param patience: seconds to wait while another process writes.
    :raises OSError: nothing was changed; `Busy` if another process holds the lock.
    """
    make_own_folders(state_folder)
    path = tags_path(state_folder)
    refuse_link(path)
    with file_lock(f"{path}.lock", patience):
        content: dict[str, dict[str, Any]] = {}
        damaged = b""
        try:
            data = read_small(path, LARGEST_CHANGED)
            try:
                content = _by_agent(parse_json(data))
            except Damaged:
                damaged = data
        except FileNotFoundError:
            pass
        sessions = content.setdefault(agent, {})
        kept = sessions.get(session_id)
        before = _tagging(kept)
        after = change(before)
        if after == before:
            return TagChange(path, before, before)
        copy = copy_damaged(damaged, NAME, state_folder) if damaged else ""
        # what a later version keeps beside them stays
        fields = dict(kept) if isinstance(kept, dict) else {}
        fields |= {"tags": list(after.tags), "note": after.note}
        if after == NOTHING and fields.keys() == {"tags", "note"}:
            del sessions[session_id]
        else:
            sessions[session_id] = fields
        write_json(path, content)
    return TagChange(path, before, after, copy)


def _by_agent(content: object) -> dict[str, dict[str, Any]]:
    if not isinstance(content, dict) or not all(isinstance(value, dict) for value in content.values()):
        raise Damaged("not sessions by agent")
    return content


def _tagging(value: object) -> Tagging:
    """The valid parts of a value in the file, which the user may have edited."""
    if not isinstance(value, dict):
        return NOTHING
    tags, note = value.get("tags"), value.get("note")
    valid = []
    for tag in tags if isinstance(tags, list) else ():
        try:
            valid.append(parse_tag(tag))
        except (BadTag, AttributeError, TypeError):
            continue
    return Tagging(tuple(dict.fromkeys(valid)), note if isinstance(note, str) else "")
