"""`SessionManager`: one session of any agent, to read, to write to, to branch and to fork.

The names are those of the agents' own class of that name, in Python's spelling. `leaf_id`, `leaf_entry`,
`header`, `cwd`, `is_persisted` and everything about the session's name, id, file and folder are properties.
`setSessionName` is `set_name`, and the `Load` and `Fork` of nickcecere/agent are `load` and `fork_from`.

Reading never writes: an old file is migrated on disk only when an entry is written to it. An empty file is
not a session yet: `open`, `set_session_file` and `continue_recent` write its header at once, as the agents
do. formats/README.md, "Writing beside a running agent", says what may be written to a session that is open.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from app import paths
from app.formats.context import system_of
from app.formats.json_codec import edit_fields
from app.formats.migrate import CURRENT_VERSION
from app.formats.text import trim_name
from app.formats.timestamps import iso
from app.formats.title_slot import fold_title, read_slot, slot_line
from app.sessions.errors import (
    AmbiguousSession,
    BadValue,
    Changed,
    LiveSession,
    NoFile,
    NotThere,
    ReadOnly,
    UnknownEntry,
)
from app.sessions.manager import listing
from app.sessions.manager.change import Change, announce
from app.sessions.manager.context import Context, build_context
from app.sessions.manager.entry_fields import (
    MAPPING,
    NUMBER,
    TEXT,
    check_type,
    custom_fields,
    custom_message_fields,
    list_names,
    message_fields,
    summary_options,
)
from app.sessions.manager.forking import DEFAULT_MESSAGE_COUNT, ForkedEntry, fork_last, fork_path, save_fork
from app.sessions.manager.live_guard import LiveGuard
from app.sessions.manager.location import SessionLocation, absolute_path, files_in_folder, known_agent
from app.sessions.manager.nested_tree import TreeNode, find_problems, nested_tree
from app.sessions.manager.rewriting import (
    move,
    replacements,
    reverted,
    to_bytes,
    to_text,
    with_tool_arguments,
)
from app.sessions.manager.session_file import SessionFile, fresh_id, now_ms
from app.sessions.storage.blobs import inline_blobs
from app.sessions.storage.file_storage import FileStorage
from app.sessions.storage.session_storage import path_text
from app.stores import agent_named, known_name
from app.stores.base import DANGERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from app.formats.dialects.base import Dialect
    from app.sessions.errors import Damage
    from app.sessions.manager.entry_store import Entry
    from app.sessions.manager.listing import SessionInfo
    from app.sessions.manager.session_file import ReplacedLines
    from app.sessions.storage.session_storage import AnyPath, SessionStorage
    from app.stores.base import Store


class SessionManager:
    """A session and its leaf. Make one with the class methods.

    Every `append_*` puts one entry below the leaf, moves the leaf to it and returns its id. A session that
    was made here is written with its first answer by the assistant, not before
    (formats/README.md, "Behaviour of SessionManager"). After a failed write every further one raises the
    same error.

    Paths are texts or `pathlib.Path`. They may be relative to the current folder and begin with `~`, as for
    the agents. Methods that take a path raise `NoPath` for a text that is not a valid path, and `NotThere`
    for a relative one if the current folder is gone. Methods that take the name of an agent raise
    `UnknownAgent`.

    Errors are subclasses of `app.sessions.errors.SessionError`: `UnknownEntry` for an id that no entry has,
    `AmbiguousEntry` for one that several entries have, `ReadOnly` for formats that are only read,
    `LiveSession` beside an agent that a write would harm, `WriteFailed` and its kinds if the system refuses,
    `BadValue` for a value that a session cannot hold.
    """

    def __init__(
        self,
        agent: str,
        cwd: str,
        session_dir: str,
        storage: SessionStorage | None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Make an object without a session, for the class methods and for callers with their own storage.

        :param agent: whose sessions new ones are: pi, omp or indusagi.
        :param cwd: the working folder, absolute.
        :param session_dir: the folder of new files.
        :param storage: where files are; None for none.
        :param env: the environment by which the agents' folders are found; None for that of this process.
        """
        self._location = SessionLocation(agent, cwd, session_dir, env)
        self._storage = storage
        guard = None
        if isinstance(storage, FileStorage):
            guard = LiveGuard(self._location.env, self._location.home)
        self._file = SessionFile(storage, guard)
        self._change: Change | None = None

    # making a session

    @classmethod
    def create(
        cls,
        cwd: AnyPath,
        session_dir: AnyPath | None = None,
        *,
        agent: str = "pi",
        env: Mapping[str, str] | None = None,
    ) -> SessionManager:
        """Make a new session of the working folder `cwd`.

        :param session_dir: the folder of its file; None for the one that the agent would use.
        :raises ReadOnly: sessions of that agent are only read here.
        """
        manager = cls._of_folder(cwd, session_dir, agent, env)
        manager.new_session()
        return manager

    @classmethod
    def open(
        cls,
        path: AnyPath,
        session_dir: AnyPath | None = None,
        *,
        env: Mapping[str, str] | None = None,
        agents: tuple[str, ...] = (),
        new: bool = True,
    ) -> SessionManager:
        """Open the session in the file at `path`, or begin one there if the file is missing or empty.

        An empty file gets its header now, a missing one is made with the first answer.

        :param session_dir: the folder for new files; None for that of `path`.
        :param agents: the agents in whose store it lies; those of the stores that `env` leads to if empty.
        :param new: False to refuse a missing or empty file instead of beginning a session in it.
        :raises NotASession: the file is something else; it is unchanged.
        :raises Unreadable: it cannot be read; NotThere if it is missing.
        :raises WriteFailed: it is empty, and its header cannot be written.
        """
        path = absolute_path(path, env)
        for agent in agents:
            known_agent(agent)
        folder = absolute_path(session_dir, env) if session_dir else os.path.dirname(path)
        manager = cls("pi", paths.current_folder() or os.sep, folder, FileStorage(), env)
        manager._load(path, agents, new)
        location = manager._location
        location.cwd = manager._file.header.cwd or location.cwd
        return manager

    @classmethod
    def continue_recent(
        cls,
        cwd: AnyPath,
        session_dir: AnyPath | None = None,
        *,
        agent: str = "pi",
        env: Mapping[str, str] | None = None,
    ) -> SessionManager:
        """Open the session that was used last in `cwd`, or make a new one.

        The session that this terminal was last in comes first, if the agent keeps a note of it
        (formats/README.md, "Terminal notes of oh-my-pi"), then the file that was written to last.

        :raises ReadOnly: there is none, and sessions of that agent are only read here.
        :raises NotASession, Unreadable, WriteFailed: as `open`.
        """
        manager = cls._of_folder(cwd, session_dir, agent, env)
        path = manager._location.breadcrumb() if session_dir is None else ""
        if not path:
            files = manager._location.session_files(flat=session_dir is not None)
            path = listing.most_recent(*files) or ""
        if path:
            manager.set_session_file(path)
        else:
            manager.new_session()
        return manager

    @classmethod
    def load(
        cls, directory: AnyPath, prefix: str, *, env: Mapping[str, str] | None = None, agent: str = "agent"
    ) -> SessionManager:
        """Open the session in the folder `directory` whose id begins with `prefix`, as nickcecere/agent's
        `Load` does.

        The eight digits in the name of a file are a beginning of its id. An id that is `prefix` goes before
        longer ones.

        :raises NotThere: there is no such session; `prefix` is empty.
        :raises AmbiguousSession: several sessions have such an id.
        :raises NotASession, Unreadable: as `open`.
        """
        check_type("", TEXT, prefix=prefix)
        folder = absolute_path(directory, env)
        known_agent(agent)
        found = listing.with_prefix(*files_in_folder(folder, env, (agent,)), prefix)
        if not found:
            raise NotThere(folder, 0, f"no session has an id that begins with {prefix!r}")
        if len(found) > 1:
            names = ", ".join(map(os.path.basename, found[:3])) + (", ..." if len(found) > 3 else "")
            raise AmbiguousSession(
                folder, 0, f"{prefix!r} begins the ids of {len(found):,} sessions: {names}"
            )
        return cls.open(found[0], env=env, agents=(agent,), new=False)

    @classmethod
    def in_memory(cls, cwd: AnyPath | None = None, *, agent: str = "pi") -> SessionManager:
        """Make a session that is never written.

        :raises ReadOnly: sessions of that agent are only read here.
        """
        manager = cls(agent, absolute_path(cwd or ".", None), "", None)
        manager.new_session()
        return manager

    @classmethod
    def fork_from(
        cls,
        source_path: AnyPath,
        target_cwd: AnyPath,
        session_dir: AnyPath | None = None,
        *,
        last: int | None = None,
        summary: str = "",
        env: Mapping[str, str] | None = None,
        agents: tuple[str, ...] = (),
    ) -> SessionManager:
        """Make a new session of the working folder `target_cwd` with all entries of another one, and write it
        at once.

        The source is not changed. Lines of it that are no entries are not copied.

        :param session_dir: the folder of the new file; None for the one that the agent would use.
        :param last: the number of messages that a fork of nickcecere/agent carries over; None for 20.
        :param summary: of the source, or the reason for the fork; only nickcecere/agent's forks have one.
        :param agents: the agents in whose store the source lies, as for `open`.
        :raises NotASession, Unreadable: of the source.
        :raises ReadOnly: the format cannot be forked, or its forks have no place for a summary.
        :raises WriteFailed: there is no new file.
        """
        source = cls.open(source_path, env=env, agents=agents, new=False)
        check_type(source._file.path, TEXT, summary=summary)
        manager = cls._of_folder(target_cwd, session_dir, source.agent, env)
        manager._fork(source, last, summary)
        return manager

    def new_session(self, parent_session: AnyPath | None = None) -> str | None:
        """Continue with a new, empty session; return the path its file will have, None in memory.

        :param parent_session: the path or id of the session that it is made from.
        """
        self._begin(None if parent_session is None else os.fspath(parent_session))
        self._note_new_file(None)
        return self.session_file

    def set_session_file(self, path: AnyPath) -> None:
        """Continue with the session at `path`; folder and working folder of this manager stay.

        An empty file gets a header and keeps its path, a missing one is made with the first answer. A file
        that is no session is refused and left unchanged.

        :raises NotASession: the file is something else.
        :raises Unreadable: it cannot be read.
        :raises WriteFailed: it is empty, and its header cannot be written.
        :raises NoFile: this session is in memory.
        """
        if self._storage is None:
            raise NoFile(os.fspath(path), 0, "cannot be gone on with: this session is in memory")
        self._load(absolute_path(path, self._location.env), (), new=True)

    # reading

    @property
    def leaf_id(self) -> str | None:
        """The id of the entry below which the next one goes; None before any."""
        return self._file.entry_store.leaf_id

    @property
    def leaf_entry(self) -> Entry | None:
        """The entry of `leaf_id`."""
        return self._file.entry_store.leaf

    @property
    def header(self) -> dict[str, Any]:
        """The header, as it stands on disk."""
        return dict(self._file.header_fields)

    @property
    def agent(self) -> str:
        """The agent whose session this is."""
        return self._file.header.agent

    @property
    def dialect(self) -> Dialect:
        """The format of the entries of this session."""
        return self._file.entry_store.dialect

    @property
    def session_name(self) -> str | None:
        """The name that the user gave the session; None without one."""
        return known_name(self.agent, self._file.path, self._file.entry_store.name)

    @property
    def cwd(self) -> str:
        """The working folder, absolute."""
        return self._location.cwd

    @property
    def header_cwd(self) -> str:
        """The working folder that the header names; "" if it names none."""
        return self._file.header.cwd

    @property
    def session_dir(self) -> str:
        """The folder of new files, "" in memory."""
        return self._location.session_dir

    @property
    def session_id(self) -> str:
        """The header's id; not always a UUID."""
        return self._file.header.id

    @property
    def session_file(self) -> str | None:
        """The path of the file, which may not have been written yet; None in memory."""
        return self._file.path or None

    @property
    def is_persisted(self) -> bool:
        """Whether the session is, or will be, kept in a file."""
        return self._storage is not None

    @property
    def can_write(self) -> bool:
        """False if sessions of this format are only read here."""
        return self._file.entry_store.dialect.writing is not None

    @property
    def forks_last(self) -> bool:
        """Whether a fork carries the last messages over, and not a path to an entry."""
        return self._file.entry_store.dialect.forks_last

    @property
    def problems(self) -> list[Damage]:
        """The problems of the file, in file order; the rest of it was read nevertheless."""
        return find_problems(self._file.entry_store, self._file.header.faults)

    @property
    def last_change(self) -> Change | None:
        """The last change, with everything that an undo needs; None before any."""
        return self._change

    def get_entry(self, entry_id: str | None) -> Entry | None:
        """Return the entry with that id, the last of several; None if there is none, and for None."""
        return None if entry_id is None else self._file.entry_store.by_id.get(entry_id)

    def get_entries(self) -> list[Entry]:
        """Return all entries, in file order."""
        return [*self._file.entry_store.entries]

    def get_entry_count(self) -> int:
        """Return the number of entries, without a copy of them."""
        return len(self._file.entry_store.entries)

    def get_branch(self, from_id: str | None = None) -> list[Entry]:
        """Return the entries from a root to `from_id`, None for the leaf; none for an unknown id."""
        entry_store = self._file.entry_store
        end = entry_store.leaf if from_id is None else entry_store.by_id.get(from_id)
        return entry_store.path_to(end)

    def get_path(self, from_id: str | None = None) -> list[Entry]:
        """Return the same as `get_branch`: oh-my-pi's name for it."""
        return self.get_branch(from_id)

    def get_children(self, entry_id: str | None) -> list[Entry]:
        """Return the children of that entry, in file order; for None the entries without a parent."""
        return self._file.entry_store.children(entry_id)

    def get_tree(self) -> list[TreeNode]:
        """Return the roots of the tree, with all entries below them."""
        return nested_tree(self._file.entry_store)

    def get_label(self, entry_id: str | None) -> str | None:
        """Return the label on an entry, None if it has none."""
        return None if entry_id is None else self._file.entry_store.labels.get(entry_id)

    def build_session_context(self, leaf_id: str | None = None) -> Context:
        """Return the context that the agent's own `buildSessionContext` returns
        (formats/README.md, "Context").

        It is not always what the model is sent. oh-my-pi leaves out tool calls without results and failed and
        aborted answers here. pi does that later, in its provider layer.

        :param leaf_id: as if that were the leaf; an unknown id stands for the file's last entry.
        """
        entry_store = self._file.entry_store
        if leaf_id is None:
            leaf = self._file.leaf
        else:
            last = entry_store.entries[-1] if entry_store.entries else None
            leaf = entry_store.by_id.get(leaf_id, last)
        blobs = self._file.blobs
        restore = None if blobs is None else lambda fields: inline_blobs(fields, blobs)
        return build_context(entry_store.path_to(leaf), entry_store.dialect, restore)

    def danger(self, operation: str) -> str:
        """Return why such a write would be refused now, because an agent has the session open; "" if it would
        not be.

        A file of an old version is rewritten before an entry is appended, so that must be safe as well.

        :param operation: one of `app.stores.base.DANGERS`.
        :raises BadValue: it is none of them.
        """
        if operation not in DANGERS:
            known = ", ".join(DANGERS)
            raise BadValue(self._file.path, 0, f"there is no write {operation!r}; there are {known}")
        try:
            self._file.refuse_danger(operation)
            if self._file.header.version < CURRENT_VERSION:
                self._file.refuse_danger("rewrite")
        except LiveSession as live:
            return live.reason
        return ""

    def refresh(self) -> bool:
        """Read the entries that other processes wrote since; return whether there were any. The leaf follows
        theirs, unless it was moved.

        :raises NotASession, Unreadable: the file is gone, or is no session any more.
        """
        return self._file.refresh()

    def flush(self) -> None:
        """Raise the error of a failed write again. There is nothing to write: each write is on the disk when
        it returns, and a new session goes on waiting for the message that makes its file
        (formats/README.md, "Behaviour of SessionManager").

        :raises WriteFailed: the error of the last write.
        """
        self._file.check()

    # appending

    def append_message(self, message: Mapping[str, Any]) -> str:
        """Append a message of any role; return the entry's id.

        :raises BadValue: it has no role.
        """
        return self._append(message_fields(self._file, message))

    def append_thinking_level_change(self, level: str) -> str:
        """Record the thinking level from here on; return the entry's id."""
        check_type(self._file.path, TEXT, level=level)
        return self._append({"type": "thinking_level_change", "thinkingLevel": level})

    def append_model_change(self, provider: str, model_id: str) -> str:
        """Record the model from here on; return the entry's id."""
        check_type(self._file.path, TEXT, provider=provider, model_id=model_id)
        return self._append({"type": "model_change", **self._file.writing.model_fields(provider, model_id)})

    def append_compaction(
        self,
        summary: str,
        first_kept_entry_id: str | None,
        tokens_before: float,
        details: Any = None,
        from_hook: bool | None = None,
    ) -> str:
        """Append a summary that replaces the entries before it; return the entry's id.

        :param first_kept_entry_id: the first entry the context keeps; None to keep none. An entry that is not
            on the path to the leaf keeps none either.
        :param tokens_before: tokens of the context that was summarised.
        :param from_hook: whether an extension made it.
        :raises UnknownEntry, AmbiguousEntry: of `first_kept_entry_id`.
        """
        check_type(self._file.path, NUMBER, tokens_before=tokens_before)
        optional = summary_options(self._file, summary, details, from_hook)
        self._catch_up()
        if first_kept_entry_id is not None:
            self._file.only_entry(first_kept_entry_id)
        entry_id = fresh_id(self._file.entry_store.by_id)
        fields = {
            "type": "compaction",
            "id": entry_id,
            "summary": summary,
            "firstKeptEntryId": entry_id if first_kept_entry_id is None else first_kept_entry_id,
            "tokensBefore": tokens_before,
            **optional,
        }
        if self._file.writing.keeps_system_messages:
            stamp = now_ms()
            system = system_of(self.build_session_context().messages, stamp)
            if system is not None:
                fields |= {"timestamp": iso(stamp), "systemMessage": system}
        return self._append(fields)

    def append_ttsr_injection(self, rules: Iterable[str]) -> str:
        """Record the names of rules that were injected (oh-my-pi); return the entry's id.

        :raises ReadOnly: the agent knows no such entries, and would refuse or drop them.
        """
        names = list_names(self._file, "rule", rules)
        return self._append_omp({"type": "ttsr_injection", "injectedRules": names})

    def append_session_init(
        self, system_prompt: str, task: str, tools: Iterable[str], output_schema: Any = None
    ) -> str:
        """Record the start of a sub-agent (oh-my-pi); return the entry's id.

        :param tools: the names of its tools.
        :param output_schema: the JSON schema of its result; None for none.
        :raises ReadOnly: as `append_ttsr_injection`.
        """
        check_type(self._file.path, TEXT, system_prompt=system_prompt, task=task)
        names = list_names(self._file, "tool", tools)
        fields = {"type": "session_init", "systemPrompt": system_prompt, "task": task, "tools": names}
        return self._append_omp(fields if output_schema is None else fields | {"outputSchema": output_schema})

    def append_mode_change(self, mode: str, data: Any = None) -> str:
        """Record the mode from here on, such as "plan" (oh-my-pi); return the entry's id.

        :param data: what goes with the mode; None for nothing.
        :raises ReadOnly: as `append_ttsr_injection`.
        """
        check_type(self._file.path, TEXT, mode=mode)
        fields = {"type": "mode_change", "mode": mode}
        return self._append_omp(fields if data is None else fields | {"data": data})

    def append_custom_entry(self, custom_type: str, data: Any = None) -> str:
        """Append data of a program that the model never sees; return the entry's id."""
        return self._append(custom_fields(self._file, custom_type, data))

    def append_custom_message_entry(
        self, custom_type: str, content: str | Iterable[Mapping[str, Any]], display: bool, details: Any = None
    ) -> str:
        """Append a message of an extension, which the model sees; return the entry's id.

        :param content: text, or blocks of text and images.
        :param display: whether the user sees it, too.
        """
        return self._append(custom_message_fields(self._file, custom_type, content, display, details))

    def append_session_info(self, name: str) -> str:
        """Name the session, or clear its name with ""; return the entry's id.

        Line breaks become blanks. The file's modification time stays, except for oh-my-pi, which notices by
        it that the title changed (formats/README.md, "Rules for every write"). For oh-my-pi the name goes
        into the title line, too.

        :raises LiveSession: oh-my-pi has the session open, and takes no entries then; `set_name` may work.
        """
        check_type(self._file.path, TEXT, name=name)
        writing = self._file.writing
        self._catch_up()
        before = self.session_name
        if not writing.has_title_slot:
            after = trim_name(_one_line(name))
            fields = {"type": "session_info", "name": after or ""}
            entry_id = self._append(fields, kind="name", before=before, after=after, keep_time=True)
        else:
            title = fold_title(name)
            self._announce_title(before, title)
            fields = {"type": "title_change", "title": title, "source": "user"}
            if before:
                fields["previousTitle"] = before
            entry = self._file.retitle(title, fields)
            assert entry is not None
            entry_id = entry.id
        self._change = self._change_of("name", entry_id, before, self.session_name)
        return entry_id

    def set_name(self, name: str) -> Change:
        """Name the session in the way that is safe now: beside a running oh-my-pi, by its title line alone.

        Nothing is written if the session has that name already, except for oh-my-pi, to record that the user
        chose it. oh-my-pi may put its own title back when it rewrites the file
        (formats/README.md, "Writing beside a running agent").

        :raises LiveSession: there is no safe way.
        :raises ReadOnly: the name is to be cleared, and the agent ignores empty names
            (formats/README.md, "indusagi").
        """
        check_type(self._file.path, TEXT, name=name)
        writing = self._file.writing
        self._catch_up()
        before, after = self.session_name, trim_name(_one_line(name))
        if writing.has_title_slot:
            if self.danger("append"):
                self._announce_title(before, fold_title(name))
                self._file.retitle(fold_title(name))
                _, note = agent_named(self.agent).dangers["slot"]
                self._change = self._change_of("name", "", before, self.session_name, note=note)
                return self._change
        elif after == before:
            self._change = self._change_of("name", "", before, before)
            return self._change
        elif not after and self._file.entry_store.dialect.name_after(before, None):
            title = agent_named(self.agent).title
            raise ReadOnly(self._file.path, 0, f"a name of {title}'s can be replaced but not cleared")
        self.append_session_info(name)
        assert self._change is not None
        return self._change

    def append_label_change(self, target_id: str, label: str | None) -> str:
        """Label an entry, or remove its label with None or ""; return the new entry's id.

        Line breaks become blanks, as in a name. The file's modification time stays, and so does the place in
        the tree: the label entry goes below the leaf (formats/README.md, "Results of writing").
        """
        if label is not None:
            check_type(self._file.path, TEXT, label=label)
        self._catch_up()
        self._file.only_entry(target_id)
        fields = {"type": "label", "targetId": target_id}
        label = _one_line(label or "")
        before = self.get_label(target_id)
        fields |= {"label": label} if label else {}
        return self._append(
            fields, kind="label", before=before, after=label or None, target=target_id, keep_time=True
        )

    # rewriting

    def rewrite_entries(self, entries: Iterable[Mapping[str, Any]]) -> Change:
        """Replace entries by others with the same ids. Use it sparingly, for instance to shorten the output
        of tools. Everything else in the file stays byte for byte, and so does the leaf.

        :param entries: each is a whole entry, as `Entry.raw` has it. Its type, its parent and the entries
            that it refers to stay as they are.
        :return: the change, which `revert` undoes; nothing is written if nothing differs.
        :raises UnknownEntry, AmbiguousEntry: of the ids.
        :raises BadValue: an entry would get another place in the tree, or cannot be written as JSON.
        :raises LiveSession: an agent has the session open, or may have.
        """
        changed = [dict(fields) for fields in entries]
        self._catch_up()
        return self._rewrite(lambda file: replacements(file, changed))

    def rewrite_assistant_tool_call_args(self, tool_call_id: str, arguments: Mapping[str, Any]) -> bool:
        """Replace the arguments of a tool call in the answer that has it, the first one of several.

        `last_change` is the change (see `rewrite_entries`).

        :return: whether there is such a call; nothing is written if there is none.
        :raises AmbiguousEntry: another entry has the id of the answer.
        :raises BadValue, LiveSession: as `rewrite_entries`.
        """
        check_type(self._file.path, TEXT, tool_call_id=tool_call_id)
        check_type(self._file.path, MAPPING, arguments=arguments)
        self._catch_up()
        if not with_tool_arguments(self._file, tool_call_id, arguments):
            return False
        self._rewrite(lambda file: with_tool_arguments(file, tool_call_id, arguments))
        return True

    def move_to(self, cwd: AnyPath, session_dir: AnyPath | None = None) -> Change:
        """Give the session the working folder `cwd`: the header names it, and the file and its folder of
        artifacts go to the folder for sessions of `cwd`, in the same store and under the same names.

        Forks keep the old path as that of their parent. If the process is killed, the same call completes the
        move.

        :param session_dir: the folder that the file goes to; None for the one that the agent would use.
        :return: the change, which `revert` undoes.
        :raises AlreadyThere: the new folder has a file or artifacts of that name.
        :raises LiveSession: an agent has the session open, or may have.
        :raises WriteFailed: the system refused, for instance because the folder is on another file system.
            In all cases nothing was moved.
        """
        location, file = self._location, self._file
        target_cwd = absolute_path(cwd, location.env)
        self._catch_up()
        target, folder = file.path, location.session_dir
        if file.path:
            if session_dir is not None:
                folder = absolute_path(session_dir, location.env)
            elif target_cwd != self.header_cwd:
                folder = location.folder_for(target_cwd, file.path, None)
            else:
                folder = os.path.dirname(file.path)
            target = os.path.join(folder, os.path.basename(file.path))
        # An old file is migrated first, so that the undo puts back a header of its version.
        file.rewrite(lambda _: {}, lambda _: None)
        line = file.header_line()
        moved = self._move(target, (line, edit_fields(line, {"cwd": target_cwd})))
        location.cwd, location.session_dir = target_cwd, folder
        return moved

    def revert(self, change: Change) -> Change:
        """Undo a change by `rewrite_entries`, `rewrite_assistant_tool_call_args` or `move_to`, byte for byte.
        A session that was moved has to be open at its new path.

        :return: the new change, which can be reverted in turn.
        :raises Changed: a line has changed again since, or its entry is gone. Nothing was written.
        :raises BadValue: it is another kind of change, or one of another session.
        :raises AlreadyThere, LiveSession, WriteFailed: as for the change itself.
        """
        file = self._file
        self._catch_up()
        if change.session_id != self.session_id or change.kind not in ("rewrite", "move"):
            raise BadValue(file.path, 0, f"a change of kind {change.kind!r} cannot be reverted here")
        if change.kind == "rewrite":
            return self._rewrite(lambda file: reverted(file, change.lines))
        now = before = after = file.header_line()
        if change.lines:
            before, after = map(to_bytes, change.lines[0][1:])
        if file.path != (change.after or "") or now != after:
            raise Changed(file.path)
        moved = self._move(change.before or "", (now, before))
        self._location.cwd = self.header_cwd or self._location.cwd
        self._location.session_dir = os.path.dirname(file.path)
        return moved

    def close(self) -> None:
        """Be done with the session: raise the error of a failed write again, as `flush`.

        No file stays open between two calls, so that there is nothing to release, and the session can be used
        again.

        :raises WriteFailed: the error of the last write.
        """
        self.flush()

    # branching

    def branch(self, entry_id: str) -> None:
        """Move the leaf to an entry: the next one becomes its child. Nothing is written until then."""
        self._file.check()
        self._file.only_entry(entry_id)
        self._file.entry_store.leaf_id = entry_id
        self._file.leaf_moved = True

    def reset_leaf(self) -> None:
        """Move the leaf before all entries: the next one becomes a root."""
        self._file.check()
        self._file.entry_store.leaf_id = None
        self._file.leaf_moved = True

    def branch_with_summary(
        self, entry_id: str | None, summary: str, details: Any = None, from_hook: bool | None = None
    ) -> str:
        """Move the leaf to an entry (None: before all) and append a summary of the branch that was left;
        return its id.

        `fromId` of the summary is the leaf that was left for pi and indusagi, and `entry_id` for oh-my-pi;
        "root" if there is none.
        """
        optional = summary_options(self._file, summary, details, from_hook)
        self._catch_up()
        from_id = self._file.writing.branch_from_id(self.leaf_id, entry_id)
        fields = {"type": "branch_summary", "fromId": from_id, "summary": summary, **optional}
        return self._append_at(entry_id, fields)

    def move_leaf(self, entry_id: str | None, custom_type: str, data: Any = None) -> str:
        """Move the leaf to an entry (None: before all) and write that down; return the id of the new leaf.

        The move is written as a custom entry below `entry_id`, which no agent shows or sends to the model
        (formats/README.md, "Results of writing").

        :param custom_type: the type of that entry; ``data`` is its content.
        """
        return self._append_at(entry_id, custom_fields(self._file, custom_type, data))

    # forking

    def create_branched_session(self, leaf_id: str) -> str | None:
        """Continue in a new session with only the path to `leaf_id`; return its file's path, None in memory.

        The labels on the path are carried over, with their times; entries follow one another without gaps
        (formats/README.md, "Forks of the agents"). The file is written at once if the path has a message that
        makes the file, else with the first such message.

        :raises UnknownEntry, AmbiguousEntry: of `leaf_id`.
        :raises ReadOnly: no session of this agent is made here.
        :raises WriteFailed: there is no new file.
        """
        self._file.check()
        self._file.only_entry(leaf_id)
        source = self._file.path
        self._fork_path(leaf_id)
        file = self._file
        has_content = file.writing.has_title_slot or any(map(file.makes_file, file.entry_store.entries))
        if file.storage is not None and has_content:
            self._save_fork(source)
        return self.session_file

    def cut(
        self, leaf_id: str | None, target_cwd: AnyPath | None = None, store: Store | None = None
    ) -> Change:
        """Continue in a new session with the path to `leaf_id` and with the session's name, which is written
        whatever the path has (formats/README.md, "Forks of the agents").

        :param leaf_id: None for a session without entries, which cannot be forked.
        :param target_cwd: the working folder of the new session, whose folder it goes into; None for that of
            this session.
        :param store: where this session was found; None for the store that the environment leads to.
        :raises UnknownEntry: there is nothing to fork.
        :raises AmbiguousEntry, ReadOnly, WriteFailed: as `create_branched_session`.
        :raises NoPath: of `target_cwd`.
        """
        self._file.check()
        if leaf_id is None:
            raise UnknownEntry(self._file.path, 0, "there is nothing to fork")
        self._file.only_entry(leaf_id)
        return self._fork_to(leaf_id, target_cwd, store)

    def blank(self, target_cwd: AnyPath | None = None, store: Store | None = None) -> Change:
        """Continue in a new session that has the name of this one and none of its entries.

        This is how a first prompt is edited and sent again. `cut` has the parameters.

        :raises ReadOnly, WriteFailed, NoPath: as `cut`.
        """
        self._file.check()
        return self._fork_to(None, target_cwd, store)

    # listing sessions

    @classmethod
    def list(
        cls,
        cwd: AnyPath,
        session_dir: AnyPath | None = None,
        on_progress: Callable[[int, int], object] | None = None,
        *,
        agent: str = "pi",
        env: Mapping[str, str] | None = None,
    ) -> list[SessionInfo]:
        """Return the sessions of the working folder `cwd`, newest activity first.

        :param session_dir: a folder of sessions, of which those of `cwd` are listed; None for the agent's.
        :param on_progress: called with the number of files read, and of all files.
        """
        location = SessionLocation.of_folder(cwd, session_dir, agent, env)
        return listing.infos(*location.session_files(flat=session_dir is not None), on_progress)

    @classmethod
    def list_all(
        cls,
        on_progress: Callable[[int, int], object] | None = None,
        *,
        agent: str = "pi",
        env: Mapping[str, str] | None = None,
    ) -> Sequence[SessionInfo]:
        """Return the sessions of all working folders in the agent's store, newest activity first."""
        env = os.environ if env is None else env
        home = path_text(paths.home_folder(env))
        store = known_agent(agent).own_store(env, home, paths.current_folder() or os.sep)
        return listing.infos(listing.in_store(store), (agent,), None, on_progress)

    @classmethod
    def get_recent_sessions(
        cls,
        session_dir: AnyPath,
        limit: int,
        *,
        env: Mapping[str, str] | None = None,
        agents: tuple[str, ...] = (),
    ) -> Sequence[SessionInfo]:
        """Return the `limit` sessions of one folder whose files were written to last, the last one first.

        :param agents: as for `open`.
        """
        return [*islice(listing.by_file_time(*files_in_folder(session_dir, env, agents)), max(limit, 0))]

    @classmethod
    def find_most_recent_session(
        cls, session_dir: AnyPath, *, env: Mapping[str, str] | None = None, agents: tuple[str, ...] = ()
    ) -> str | None:
        """Return the path of the session in one folder that was written to last; None if there is none."""
        return listing.most_recent(*files_in_folder(session_dir, env, agents))

    # inside: making a session

    @classmethod
    def _of_folder(
        cls, cwd: AnyPath, session_dir: AnyPath | None, agent: str, env: Mapping[str, str] | None
    ) -> SessionManager:
        location = SessionLocation.of_folder(cwd, session_dir, agent, env)
        return cls(agent, location.cwd, location.session_dir, FileStorage(), env)

    def _load(self, path: str, agents: tuple[str, ...], new: bool) -> None:
        """Continue with the session at `path`; `open` has the parameters and errors."""
        assert self._storage is not None
        signature = self._storage.signature(path)
        if new and signature is not None and signature.size == 0:
            self._begin(None, path)
            self._file.save()
            return
        try:
            self._file.load(path, agents or self._location.agents_of(path))
        except NotThere:
            if not new:
                raise
            self._begin(None, path)
            return
        self._location.agent = self._file.header.agent
        self._set_blobs()

    def _begin(self, parent: str | None, path: str = "", name: str | None = None) -> None:
        """Begin a new session, which is not written yet.

        :param parent: the path or id of the session that it is made from.
        :param path: of its file; "" for a new name in the folder of new files.
        """
        location = self._location
        owner = known_agent(location.agent)
        stamp = now_ms()
        session_id, timestamp = owner.new_id(stamp), iso(stamp)
        if self._storage is not None and not path:
            path = location.new_path(timestamp, session_id)
        self._file.begin(path, location.agent, session_id, timestamp, location.cwd, parent, name)
        self._set_blobs()

    def _set_blobs(self) -> None:
        if self._storage is not None:
            self._file.blobs = self._location.blobs_of(self._file.path)

    def _note_new_file(self, source: tuple[str, str] | None) -> None:
        """Record the new session as the last change.

        :param source: path and id of the session that it was made from.
        """
        path, session_id = source or ("", "")
        header = self._file.header
        self._change = Change(
            kind="file",
            path=self._file.path,
            entry_id="",
            before=path or None,
            after=self.session_file,
            target_id=self.leaf_id if path else None,
            agent=header.agent,
            session_id=session_id,
            after_id=header.id,
        )

    # inside: forking

    def _fork(self, source: SessionManager, last: int | None, summary: str) -> None:
        """Continue in a fork of `source`; `fork_from` has the parameters and errors."""
        file = source._file
        origin = (file.path, file.header.id)
        if file.entry_store.dialect.writing is None:
            count = DEFAULT_MESSAGE_COUNT if last is None else last
            fork_last(file, self._file, self._location, count, summary)
            self._note_new_file(origin)
            return
        if summary:
            raise ReadOnly(file.path, 0, "cannot be forked so: there is no place for a summary in its forks")
        writing = file.writing
        parent = source.session_id if writing.forks_by_id else file.path
        self._begin(parent, name=source.session_name if writing.has_title_slot else None)
        self._file.header_fields = writing.fork_header(self._file.header_fields, file.header_fields)
        self._fill(ForkedEntry(entry.raw, entry.migrated_line) for entry in file.entry_store.entries)
        self._note_new_file(origin)
        self._save_fork(file.path)

    def _fork_to(self, leaf_id: str | None, target_cwd: AnyPath | None, store: Store | None) -> Change:
        """Continue in a new session with the path to `leaf_id`, or without entries; see `cut`."""
        file, name, source = self._file, self.session_name, self._file.path
        location = self._location
        cwd = location.cwd if target_cwd is None else path_text(target_cwd)
        if cwd != location.cwd:
            location.session_dir = location.folder_for(cwd, source, store)
            location.cwd = cwd
        self._fork_path(leaf_id)
        change = self._change
        if self.session_name != name:
            self.append_session_info(name or "")
        self._change = change
        if file.storage is not None and not file.written:
            self._save_fork(source if leaf_id is not None else "", store)
        assert self._change is not None
        return self._change

    def _fork_path(self, leaf_id: str | None) -> None:
        """Continue in a new session with the path to `leaf_id`, without writing it."""
        file = self._file
        source = (file.path, file.header.id)
        entry_store = file.entry_store
        path = entry_store.path_to(None if leaf_id is None else entry_store.by_id[leaf_id])
        entries = fork_path(path, entry_store.labels, entry_store.label_times, now_ms())
        title = self.session_name if file.writing.has_title_slot else None
        self._begin(file.path or None, name=title)
        self._fill(entries)
        self._note_new_file(source)

    def _fill(self, entries: Iterable[ForkedEntry]) -> None:
        entry_store = self._file.entry_store
        for entry in entries:
            entry_store.append(entry_store.make(entry.raw, entry.line))

    def _save_fork(self, source: str, store: Store | None = None) -> None:
        """Write the new session, with a copy of the artifacts of the session it was made from.

        :param source: the path of that session, "" if no entries come from one.
        :param store: where that session was found, if it is known.
        :raises WriteFailed: there is neither a new file nor a copy.
        """
        artifacts = ""
        if source and isinstance(self._storage, FileStorage):
            artifacts = self._location.artifacts_of(source, store)
        private_names = agent_named(self._location.agent).private_artifacts
        self._change = save_fork(self._file, artifacts, private_names, self._change)

    # inside: appending

    def _catch_up(self) -> None:
        """Read the entries that others wrote since, so that a change is based on the current entries."""
        self._file.check()
        self._file.refresh()

    def _append_omp(self, fields: dict[str, Any]) -> str:
        """Append an entry of a type that only oh-my-pi knows."""
        if fields["type"] not in self._file.writing.own_types:
            title = agent_named(self.agent).title
            reason = f"{title} has no entries of type {fields['type']}"
            raise ReadOnly(self._file.path, 0, f"cannot be written to: {reason}")
        return self._append(fields)

    def _rewrite(self, edit: Callable[[SessionFile], Mapping[str, Any] | None]) -> Change:
        def change_by(replaced: ReplacedLines) -> Change:
            return replace(self._change_of("rewrite", "", None, None), lines=to_text(replaced))

        replaced = self._file.rewrite(edit, lambda replaced: announce(change_by(replaced)))
        self._change = change_by(replaced)
        return self._change

    def _move(self, target: str, header: tuple[bytes, bytes]) -> Change:
        file, source = self._file, self._file.path
        artifacts = self._location.artifacts_of(source, None) if source and file.written else ""

        def change_by(moves: Iterable[tuple[str, str]]) -> Change:
            lines = to_text([("", *header)] if header[0] != header[1] else [])
            change = self._change_of("move", "", source or None, target or None)
            return replace(change, path=source, moves=tuple(moves), lines=lines)

        moves = move(file, target, header, artifacts, lambda moves: announce(change_by(moves)))
        self._set_blobs()
        self._change = change_by(moves)
        return self._change

    def _append_at(self, entry_id: str | None, fields: dict[str, Any]) -> str:
        """Append `fields` below an entry that may not be the leaf (None: as a root); return the new id."""
        self._catch_up()
        if entry_id is not None:
            self._file.only_entry(entry_id)
        note = self._file.danger_note("branch")
        return self._append(
            {**fields, "parentId": entry_id}, kind="leaf", target=entry_id, note=note, operation="branch"
        )

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
        """Append an entry and record the change; return its id.

        :param kind: of the `Change`, as are the parameters after it. For an "entry" and a "leaf", before and
            after are the leaves.
        :param operation: what kind of write this is to a running agent (`app.stores.base.DANGERS`).
        :param keep_time: keep the file's modification time.
        """
        file = self._file

        def change_by(entry: Entry) -> Change:
            values = (file.previous_leaf, entry.id) if kind in ("entry", "leaf") else (before, after)
            return self._change_of(kind, entry.id, *values, target, note)

        def before_write(entry: Entry) -> None:
            # A plain entry is never undone.
            if kind != "entry":
                announce(change_by(entry))

        if file.leaf_moved:
            # The first entry after a move records the move, whatever the entry is.
            operation, keep_time = "branch", False
        entry = file.append(fields, operation=operation, keep_time=keep_time, before_write=before_write)
        self._change = change_by(entry)
        return entry.id

    def _announce_title(self, before: str | None, title: str) -> None:
        """Announce a name that is about to be written to the title line; nothing while there is no file."""
        if self._file.written:
            after = read_slot(slot_line(title, "user" if title else None, now_ms())[:-1]) or None
            announce(self._change_of("name", "", before, after))

    def _change_of(
        self,
        kind: Any,
        entry_id: str,
        before: str | None,
        after: str | None,
        target: str | None = None,
        note: str = "",
    ) -> Change:
        header = self._file.header
        return Change(
            kind, self._file.path, entry_id, before, after, target, header.agent, header.id, note=note
        )


def _one_line(text: str) -> str:
    return re.sub(r"[\r\n]+", " ", text)
