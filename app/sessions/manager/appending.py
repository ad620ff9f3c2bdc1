"""What is put into a session: entries below its leaf, names and labels, and where the leaf goes
(formats/README.md, "Results of writing").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from app.formats.context import system_of
from app.formats.slot import fold_title, read_slot, slot_line
from app.formats.stamps import iso
from app.formats.trim import trimmed
from app.sessions.asked import block, checked
from app.sessions.errors import AmbiguousEntry, BadValue, ReadOnly, UnknownEntry
from app.sessions.manager.change import Change, announce
from app.sessions.manager.session import Session
from app.sessions.manager.session_file import fresh_id
from app.sessions.manager.tracked_file import now_ms
from app.stores import agent_named

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.sessions.manager.entry import Entry


@checked
class Appending(Session):
    """A session that grows.

    Every `append_*` puts one entry below the leaf, moves the leaf to it and returns its id. A session that
    was made here is written when it has its first answer by the assistant, and not before
    (formats/README.md, "Behaviour of SessionManager"). After a failed write every further one raises the
    same error.

    Errors are subclasses of `app.sessions.errors.SessionError`; `UnknownEntry` for an id that is not there,
    `AmbiguousEntry` for one that several entries have, `ReadOnly` for formats that are only read,
    `LiveSession` beside an agent that would be hurt, `WriteFailed` and its kinds for what the system refuses,
    `BadValue` for what has the wrong type, and for what JSON cannot hold.
    """

    def append_message(self, message: Mapping[str, Any]) -> str:
        """Append a message of any role; return the entry's id.

        :raises BadValue: it has no role, so that nobody could tell whose it is.
        """
        role = message.get("role")
        if not isinstance(role, str) or not role:
            raise BadValue(self._file.path, 0, "a message has to have a role")
        return self._append({"type": "message", "message": dict(message)})

    def append_thinking_level_change(self, level: str) -> str:
        """Note the thinking level from here on; return the entry's id."""
        return self._append({"type": "thinking_level_change", "thinkingLevel": level})

    def append_model_change(self, provider: str, model_id: str) -> str:
        """Note the model from here on; return the entry's id."""
        return self._append({"type": "model_change", **self._file.writing.model(provider, model_id)})

    def append_compaction(
        self,
        summary: str,
        first_kept_entry_id: str | None,
        tokens_before: float,
        details: Any = None,
        from_hook: bool | None = None,
    ) -> str:
        """Put a summary in the place of what went before; return the entry's id.

        :param first_kept_entry_id: the first entry the context keeps; None to keep none. One that is not on
            the path to the leaf keeps none either.
        :param tokens_before: tokens of the context that was summarised.
        :param from_hook: whether an extension made it.
        :raises UnknownEntry, AmbiguousEntry: of `first_kept_entry_id`.
        """
        self._catch_up()
        if first_kept_entry_id is not None:
            self._existing(first_kept_entry_id)
        entry_id = fresh_id(self._file.book.by_id)
        fields = {
            "type": "compaction",
            "id": entry_id,
            "summary": summary,
            "firstKeptEntryId": entry_id if first_kept_entry_id is None else first_kept_entry_id,
            "tokensBefore": tokens_before,
        }
        fields |= self._summary(details, from_hook)
        if self._file.writing.keeps_system:
            stamp = now_ms()
            system = system_of(self.build_session_context().messages, stamp)
            if system is not None:
                fields |= {"timestamp": iso(stamp), "systemMessage": system}
        return self._append(fields)

    def append_custom_entry(self, custom_type: str, data: Any = None) -> str:
        """Append what only a program needs and the model never sees; return the entry's id."""
        fields = {"type": "custom", "customType": custom_type}
        return self._append(fields if data is None else fields | {"data": data})

    def append_custom_message_entry(
        self, custom_type: str, content: str | Iterable[Mapping[str, Any]], display: bool, details: Any = None
    ) -> str:
        """Append a message of an extension, which the model sees; return the entry's id.

        :param content: text, or blocks of text and images.
        :param display: whether a person sees it too.
        """
        path = self._file.path
        fields = {
            "type": "custom_message",
            "customType": custom_type,
            "content": content if isinstance(content, str) else [block(each, path) for each in content],
            "display": display,
            **self._file.writing.told_by_extension,
        }
        return self._append(fields if details is None else fields | {"details": details})

    def append_session_info(self, name: str) -> str:
        """Name the session, or clear its name with ""; return the entry's id.

        Line breaks become blanks. The file's time stays, but for oh-my-pi's, which tells by it that the title
        changed
        (formats/README.md, "Rules for every write"). For oh-my-pi the name goes into the title line too.

        :raises LiveSession: for oh-my-pi, whose sessions take no entry while they are open; `set_name` may
            do.
        """
        writing = self._file.writing
        self._catch_up()
        before = self.session_name
        if not writing.has_slot:
            fields = {"type": "session_info", "name": _folded(name) or ""}
            entry_id = self._append(fields, kind="name", before=before, after=_folded(name), keep_time=True)
        else:
            folded = fold_title(name)
            self._announce_title(before, folded)
            fields = {"type": "title_change", "title": folded, "source": "user"}
            if before:
                fields["previousTitle"] = before
            entry = self._file.retitle(folded, fields)
            assert entry is not None
            entry_id = entry.id
        self._done("name", entry_id, before, self.session_name)
        return entry_id

    def set_name(self, name: str) -> Change:
        """Name the session by whatever way is safe now: beside a running oh-my-pi, by its title line alone.

        Nothing is written where it has that name; but for oh-my-pi's, which is told that a user chose it.
        oh-my-pi may put its own title back when it writes the file anew
        (formats/README.md, "Writing beside a running agent").

        :raises LiveSession: there is no safe way.
        :raises ReadOnly: the name is to be cleared, and the agent heeds only those that are not empty
            (formats/README.md, "indusagi").
        """
        writing = self._file.writing
        self._catch_up()
        before = self.session_name
        if writing.has_slot:
            if self._file.is_dangerous("append"):
                self._announce_title(before, fold_title(name))
                self._file.retitle(fold_title(name))
                _, note = agent_named(self.agent).dangers["slot"]
                return self._done("name", "", before, self.session_name, note=note)
        elif _folded(name) == before:
            return self._done("name", "", before, before)
        elif not _folded(name) and self._file.book.dialect.renamed(before, None):
            title = agent_named(self.agent).title
            raise ReadOnly(self._file.path, 0, f"a name of {title}'s can be replaced but not cleared")
        self.append_session_info(name)
        assert self._change is not None
        return self._change

    def append_label_change(self, target_id: str, label: str | None) -> str:
        """Put a label on an entry, or take it off with None or ""; return the new entry's id.

        Line breaks become blanks, as in a name. The file's time stays, and so does the place in the tree: the
        label goes below the leaf (formats/README.md, "Results of writing").
        """
        self._catch_up()
        self._existing(target_id)
        fields = {"type": "label", "targetId": target_id}
        label = _in_one_line(label or "")
        before = self.get_label(target_id)
        fields |= {"label": label} if label else {}
        return self._append(
            fields, kind="label", before=before, after=label or None, target=target_id, keep_time=True
        )

    # branching

    def branch(self, entry_id: str) -> None:
        """Put the leaf on an entry: the next one becomes its child. Nothing is written until then."""
        self._file.check()
        self._existing(entry_id)
        self._file.book.leaf_id = entry_id
        self._file.moved = True

    def reset_leaf(self) -> None:
        """Put the leaf before all entries: the next one becomes a root."""
        self._file.check()
        self._file.book.leaf_id = None
        self._file.moved = True

    def branch_with_summary(
        self, entry_id: str | None, summary: str, details: Any = None, from_hook: bool | None = None
    ) -> str:
        """Put the leaf on an entry (None: before all) and append a summary of what was left; return its id.

        `fromId` of the summary is the leaf that was left for pi and indusagi, and `entry_id` for oh-my-pi;
        "root" where there is none.
        """
        self._catch_up()
        fields = {
            "type": "branch_summary",
            "fromId": self._file.writing.left(self.leaf_id, entry_id),
            "summary": summary,
            **self._summary(details, from_hook),
        }
        return self._leave(entry_id, fields)

    def move_leaf(self, entry_id: str | None, custom_type: str, data: Any = None) -> str:
        """Put the leaf on an entry (None: before all) and write that down; return the id of the new leaf.

        What is written is a custom entry below the place that was chosen, which no agent shows or tells the
        model about (formats/README.md, "Results of writing").

        :param custom_type: whose entry it is; ``data`` goes with it.
        """
        fields = {"type": "custom", "customType": custom_type}
        return self._leave(entry_id, fields if data is None else fields | {"data": data})

    # inside

    def _leave(self, entry_id: str | None, fields: dict[str, Any]) -> str:
        """Append `fields` below another entry than the leaf."""
        self._catch_up()
        if entry_id is not None:
            self._existing(entry_id)
        note = self._file.doubt("branch")
        return self._append(
            {**fields, "parentId": entry_id}, kind="leaf", target=entry_id, note=note, operation="branch"
        )

    def _catch_up(self) -> None:
        """Read what others wrote since, so that what is looked up for a change is what it changes."""
        self._file.check()
        self._file.refresh()

    def _existing(self, entry_id: str) -> Entry:
        book = self._file.book
        entry = book.by_id.get(entry_id)
        if entry is None:
            raise UnknownEntry(self._file.path, 0, f"there is no entry {entry_id!r}")
        if entry_id in book.repeated:
            raise AmbiguousEntry(self._file.path, entry.line, f"several entries have the id {entry_id!r}")
        return entry

    def _append(
        self,
        fields: dict[str, Any],
        *,
        kind: Any = "entry",
        before: str | None = None,
        after: str | None = None,
        target: str | None = None,
        note: str = "",
        operation: str = "append",
        keep_time: bool = False,
    ) -> str:
        """Append an entry and note the change; return its id.

        :param kind: see `Change`, as for the parameters after it. Of an "entry" or a "leaf", before and after
            are the leaves.
        """
        file = self._file

        def change_by(entry: Entry) -> Change:
            values = (file.left, entry.id) if kind in ("entry", "leaf") else (before, after)
            return self._change_of(kind, entry.id, *values, target, note)

        def before_write(entry: Entry) -> None:
            # A plain entry is never undone.
            if kind != "entry":
                announce(change_by(entry))

        if file.moved:
            # The first entry after a move is what writes the move down, whatever it is.
            operation, keep_time = "branch", False
        entry = file.append(fields, operation=operation, keep_time=keep_time, before_write=before_write)
        self._change = change_by(entry)
        return entry.id

    def _announce_title(self, before: str | None, title: str) -> None:
        """Announce a name that the title line is about to get; nothing while there is no file."""
        if self._file.written:
            kept = read_slot(slot_line(title, "user" if title else None, now_ms())[:-1]) or None
            announce(self._change_of("name", "", before, kept))

    def _summary(self, details: Any, from_hook: bool | None) -> dict[str, Any]:
        found = {} if details is None else {"details": details}
        return found if from_hook is None else found | {self._file.writing.hook: from_hook}

    def _done(
        self,
        kind: Any,
        entry_id: str,
        before: str | None,
        after: str | None,
        target: str | None = None,
        note: str = "",
    ) -> Change:
        self._change = self._change_of(kind, entry_id, before, after, target, note)
        return self._change

    def _change_of(
        self,
        kind: Any,
        entry_id: str,
        before: str | None,
        after: str | None,
        target: str | None = None,
        note: str = "",
    ) -> Change:
        head = self._file.head
        return Change(kind, self._file.path, entry_id, before, after, target, head.agent, head.id, note=note)


def _folded(name: str) -> str | None:
    """A name as pi writes it: one line; None for none."""
    return trimmed(_in_one_line(name))


def _in_one_line(text: str) -> str:
    return re.sub(r"[\r\n]+", " ", text)
