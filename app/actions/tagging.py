"""Tags and notes as changes, which can be undone and redone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from app.sessions.errors import WriteFailed
from app.sessions.manager.change import Change, announce
from app.sessions.storage.file_storage import refused
from app.stores.locks import PATIENCE, Busy
from app.stores.tags import NOTHING, Tagging, change_tagging, read_taggings, tags_path, with_tags


class OtherByNow(Exception):
    """The tags or the note are others than a change to be undone left; the text says so."""


def tag(
    agent: str,
    session_id: str,
    add: Iterable[str],
    remove: Iterable[str],
    state_folder: str,
    *,
    patience: float = PATIENCE,
) -> Change:
    """Add tags to a session and remove others. Other tags stay, also those that another process adds
    meanwhile.

    :param add: valid tags (`app.stores.tags.parse_tag`); ``remove`` as well.
    :param state_folder: leafmark's own.
    :param patience: seconds to wait while another process changes the file.
    :return: the change; `before` and `after` are the tags with single spaces between them, None for none.
    :raises WriteFailed: nothing was changed; the class says why.
    """
    add, remove = tuple(add), tuple(remove)

    def changed(now: Tagging) -> Tagging:
        return with_tags(now, add, remove)

    return _change("tags", agent, session_id, changed, state_folder, patience)


def annotate(
    agent: str, session_id: str, note: str, state_folder: str, *, patience: float = PATIENCE
) -> Change:
    """Give a session a note; see `tag`.

    :param note: a valid one (`app.stores.tags.parse_note`); "" removes it.
    """

    def changed(now: Tagging) -> Tagging:
        return now._replace(note=note)

    return _change("note", agent, session_id, changed, state_folder, patience)


def tag_and_annotate(
    agent: str, session_id: str, add: Iterable[str], remove: Iterable[str], note: str, state_folder: str
) -> Change:
    """Change the tags of a session and give it a note, both or neither; see `tag` and `annotate`.

    :return: the change of the tags, with that of the note in `lines`.
    """
    add, remove = tuple(add), tuple(remove)

    def changed(now: Tagging) -> Tagging:
        return with_tags(now, add, remove)._replace(note=note)

    return _change("tags", agent, session_id, changed, state_folder, PATIENCE)


def tags_and_note(change: Change) -> list[Change]:
    """A change of tags and of the note as two changes, to be shown; any other change as it is."""
    if change.kind != "tags" or not change.lines:
        return [change]
    _, before, after = change.lines[0]
    note = replace(change, kind="note", before=before or None, after=after or None, lines=(), note="")
    return [replace(change, lines=()), note]


def revert(change: Change, state_folder: str) -> Change:
    """Undo a change of tags or of a note. Tags that were given or removed since stay so.

    :raises OtherByNow: the note is another by now, or the tags are so already.
    :raises WriteFailed: nothing was changed; the class says why.
    """
    expected, wanted = change.after, change.before

    def changed(now: Tagging) -> Tagging:
        if change.kind == "note":
            if now.note != (expected or ""):
                raise OtherByNow("the note is another by now")
            return now._replace(note=wanted or "")
        if any(now.note != note for _, _, note in change.lines):
            raise OtherByNow("the note is another by now")
        old, new = _split(expected), _split(wanted)
        for _, note, _ in change.lines:
            now = now._replace(note=note)
        result = with_tags(now, [it for it in new if it not in old], [it for it in old if it not in new])
        if result == now and not change.lines:
            raise OtherByNow("the tags are others by now")
        return result

    kind = "note" if change.kind == "note" else "tags"
    return _change(kind, change.agent, change.session_id, changed, state_folder, PATIENCE)


def is_recorded(change: Change, state_folder: str) -> bool:
    """Whether the file shows that an announced change of tags or of a note was made."""
    now = read_taggings(state_folder).get((change.agent, change.session_id), NOTHING)
    if change.kind == "note":
        return now.note == (change.after or "")
    if any(now.note != note for _, _, note in change.lines):
        return False
    before, after, tags = set(_split(change.before)), set(_split(change.after)), set(now.tags)
    return after - before <= tags and not (before - after) & tags


def _split(tags: str | None) -> list[str]:
    return (tags or "").split()


def _change(
    kind: str,
    agent: str,
    session_id: str,
    changed: Callable[[Tagging], Tagging],
    state_folder: str,
    patience: float,
) -> Change:
    def value(tagging: Tagging, is_tags: bool) -> str | None:
        return (" ".join(tagging.tags) if is_tags else tagging.note) or None

    def change_of(before: Tagging, after: Tagging, remark: str = "") -> Change:
        notes = () if before.note == after.note else (("note", before.note, after.note),)
        with_tags_changed = kind == "tags" and (before.tags != after.tags or not notes)
        return Change(
            "tags" if with_tags_changed else "note",
            tags_path(state_folder),
            entry_id="",
            before=value(before, with_tags_changed),
            after=value(after, with_tags_changed),
            agent=agent,
            session_id=session_id,
            note=remark,
            lines=notes if with_tags_changed else (),
        )

    def announced(now: Tagging) -> Tagging:
        # under the lock of the file, directly before it is written
        after = changed(now)
        if after != now:
            announce(change_of(now, after))
        return after

    path = tags_path(state_folder)
    try:
        result = change_tagging(state_folder, agent, session_id, announced, patience)
    except Busy as busy:
        raise WriteFailed(path, str(busy.strerror), busy.errno or 0) from None
    except OSError as error:
        # The error may name a temporary file.
        refused(path, error)
    note = f"the file of tags was damaged; what it held is in {result.copy}" if result.copy else ""
    return change_of(result.before, result.after, note)
