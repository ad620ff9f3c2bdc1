"""The base class of the agents, and stores.

An `Agent` knows where its sessions may be, how a session is resumed and which writes are possible. A `Store`
is a folder of sessions with the way it was found, because a session has to be resumed with the environment
variables and arguments that lead to its folder (formats/README.md, "Resuming").

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from app.small_files import path_problem
from app.stores.kept import original_path
from app.stores.pins import read_pins

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

ABILITIES = ("name", "label", "branch", "fork")
"""The writes to sessions that depend on the agent; `Agent.why_not` says which ones it lacks. `app.commands`
names the commands that need one, and no screen offers them where it is lacking.
"""


_REWRITE = "it writes the file anew, and the program would go on with the old one"
DANGERS = {
    # An added line is safe, because pi keeps no file open and appends each entry at once
    # (formats/README.md, "Writing beside a running agent").
    "append": ((), ""),
    "branch": (("live",), "its next entry would take the leaf away again"),
    "slot": ((), ""),
    "rewrite": (("live", "maybe"), _REWRITE),
    "trash": (
        ("live", "maybe"),
        "it may go on writing; its next answers would land in a file that no agent can open",
    ),
    "resume": (("live", "maybe"), "two agents in one session make two branches, and the last writer wins"),
}
"""Kind of write -> (the verdicts about a running agent with which it is refused, the reason). Without
verdicts, the write is allowed and the reason is a warning. `append` adds a line and keeps the branch of the
leaf, `branch` adds a line that moves the leaf, `slot` changes the title line in place, `rewrite` writes the
whole file again, `trash` moves the file to the trash, and `resume` starts a second agent.
"""


class ProcessNote(NamedTuple):
    """A process of an agent, as the agent notes it: the id of the session that it has open, "" for none; the
    id under which a screen joins it if it runs in the background, else ""; and its activity, inert: "idle",
    "busy", or "waiting" and for what, "" if it is not known.
    """

    session_id: str = ""
    job: str = ""
    activity: str = ""


CONFIGURED = "config.toml"
"""The source of a store that leafmark's own settings name."""


class Store:
    """A folder of sessions of one agent, or of several agents that share it.

    root          an absolute path, which need not exist
    source        how it was found: "default", the name of an environment variable, "profile NAME", "settings
                  PATH", "--store" or `CONFIGURED`
    environment   the variables that must be set to resume a session from here; all other `agent.variables`
                  must be unset
    arguments     command line arguments to resume a session that lies directly in `root`
    notes         problems while finding it that concern the user, such as a settings file that is not JSON
    state         the folder of the agent's other state (oh-my-pi's breadcrumbs); "" for none
    pins          the path of the agent's pins file; "" for none
    history       the path of the agent's history of prompts, of all its sessions; "" for none
    names         the path of the agent's file with names of its sessions (`app.stores.names`); "" for none
    kept          the folder with leafmark's copies of sessions (`app.stores.kept`); "" for none
    twins         the stores of other agents in the same folder
    """

    __slots__ = (
        "agent",
        "arguments",
        "environment",
        "history",
        "kept",
        "names",
        "notes",
        "own_arguments",
        "pins",
        "root",
        "source",
        "state",
        "twins",
    )

    def __init__(
        self,
        agent: Agent,
        root: str,
        source: str = "default",
        *,
        environment: Mapping[str, str] | None = None,
        arguments: Iterable[str] = (),
        notes: Iterable[str] = (),
        state: str = "",
        pins: str = "",
        history: str = "",
        names: str = "",
    ) -> None:
        self.agent = agent
        self.root = root
        self.source = source
        self.environment: dict[str, str] = dict(environment or {})
        self.arguments: tuple[str, ...] = tuple(arguments)
        self.notes: tuple[str, ...] = tuple(notes)
        self.state = state
        self.pins = pins
        self.history = history
        self.names = names
        self.kept = ""
        self.own_arguments: tuple[str, ...] = ()
        self.twins: tuple[Store, ...] = ()

    def __repr__(self) -> str:
        return f"Store({'+'.join(self.agents)}, {self.root!r}, {self.source!r})"

    @property
    def flat(self) -> bool:
        """Whether sessions lie directly in `root`, as in a custom folder
        (formats/README.md, "Files of pi").
        """
        return bool(self.arguments) or self.source.endswith("_SESSION_DIR")

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of all agents whose sessions may lie here. The header of a file says which one
        wrote it.
        """
        return (self.agent.name, *(twin.agent.name for twin in self.twins))

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of session files of all agents of this folder."""
        stores = (self, *self.twins)
        return tuple(dict.fromkeys(suffix for store in stores for suffix in store.agent.suffixes))

    @property
    def depth(self) -> int:
        """Levels of folders below the root in which sessions lie, of all agents of this folder."""
        return max(store.agent.depth for store in (self, *self.twins))

    @property
    def unread_suffixes(self) -> tuple[str, ...]:
        """The suffixes of session files that cannot be read."""
        return tuple(suffix for store in (self, *self.twins) for suffix in store.agent.unread_suffixes)

    @property
    def inner_files(self) -> tuple[str, ...]:
        """How the names of files begin that are no sessions, for all agents of this folder."""
        return tuple(prefix for store in (self, *self.twins) for prefix in store.agent.inner_files)

    def of(self, agent: str) -> Store:
        """The store of the agent named `agent` in this folder.

        :raises KeyError: the agent does not use this folder.
        """
        for store in (self, *self.twins):
            if store.agent.name == agent:
                return store
        raise KeyError(agent)

    def kept_files(self) -> list[str]:
        """The files and folders of the agents of this folder. If the agent made the folder in its own one,
        which has its settings and credentials, that one is among them.
        """
        if self.flat or self.is_named:
            kept = [self.root]
        else:
            folder = os.path.dirname(self.root)
            kept = [folder, f"{folder}.json"]  # Claude Code has `.claude.json` beside `.claude`
        for store in (self, *self.twins):
            kept += filter(None, (store.state, store.pins, store.history, store.names))
        return kept

    @property
    def is_named(self) -> bool:
        """Whether the user named the folder, on the command line or in the settings."""
        return self.source in ("--store", CONFIGURED)

    def may_list(self, path: str) -> bool:
        """Whether a file at `path` would be a session of this folder, or is a copy of one, by its place and
        name alone.
        """
        path = original_path(path, self.kept) or path
        if not path.endswith(self.suffixes):
            return False
        folder, name = os.path.split(path)
        inner = self.inner_files
        if inner and name.startswith(inner):
            return False
        for _ in range(self.depth):
            if folder == self.root:
                return True
            folder = os.path.dirname(folder)
        return folder == self.root

    def problem(self) -> str | None:
        """Why the folder cannot be listed: "not there", "not a folder" or "not readable"; None if it can."""
        try:
            status = os.stat(self.root)
        except (FileNotFoundError, NotADirectoryError):
            return "not there"
        except (OSError, ValueError):  # ValueError: the path from a variable has a NUL
            return "not readable"
        if not stat.S_ISDIR(status.st_mode):
            return "not a folder"
        return None if os.access(self.root, os.R_OK | os.X_OK) else "not readable"

    def is_bare(self) -> bool:
        """Whether the folder is empty or missing, so that no scan is needed to know that it has no
        sessions.
        """
        try:
            with os.scandir(self.root) as entries:
                return next(entries, None) is None
        except (FileNotFoundError, NotADirectoryError):
            return True
        except (OSError, ValueError):  # see `problem`
            return False


class Agent:
    """A program that writes sessions. Subclasses contain its facts (formats/README.md) and have no state.

    command              the name of the executable
    process_names        its names in the kernel's list of processes
    variables            the environment variables that move its stores
    suffixes             the suffixes of its session files
    can                  the subset of `ABILITIES` that its file format supports
    shared_variables     variables that move its folders, but belong to other programs as well: they stay set
                         for the agent
    has_subagents        whether sessions of its sub-agents lie in the artifacts folder
    lists_subagents      whether they lie among the other sessions
    keeps_artifacts      whether the agent keeps files of a session in an artifacts folder: the path of the
                         session without its suffix
    counts_compactions   whether the tokens of compactions are in its sessions
    forks_need_parent    whether the agent cannot open a session that goes on from another one without that
                         one's file
    depth                levels of folders below the root of a store in which sessions lie
    unread_suffixes      the suffixes of session files that leafmark cannot read
    inner_files          how the names of files begin that lie among the sessions and belong to one of them
    resumes_anywhere     whether the agent takes the id of a session in any folder, and then works in that one
    question_tools       tools that ask the user: the agent asks again if it continues from a call without its
                         result
    private_artifacts    names in the artifacts folder that belong to one session only and are not copied to a
                         fork
    takes_over           whether sessions of other agents can be handed over to it
    dangers              the writes that are refused while the agent may run, as in `DANGERS`
                         (formats/README.md, "Writing beside a running agent")
    """

    __slots__ = ()

    name: str = ""
    title: str = ""
    command: str = ""
    install_hint: str = ""
    suffixes: tuple[str, ...] = (".jsonl",)
    process_names: frozenset[str] = frozenset()
    variables: tuple[str, ...] = ()
    shared_variables: tuple[str, ...] = ()
    can: frozenset[str] = frozenset(ABILITIES)
    has_subagents: bool = False
    lists_subagents: bool = False
    keeps_artifacts: bool = False
    counts_compactions: bool = True
    forks_need_parent: bool = False
    depth: int = 1
    unread_suffixes: tuple[str, ...] = ()
    inner_files: tuple[str, ...] = ()
    resumes_anywhere: bool = False
    question_tools: frozenset[str] = frozenset()
    private_artifacts: frozenset[str] = frozenset()
    takes_over = False
    dangers: Mapping[str, tuple[tuple[str, ...], str]] = DANGERS

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """Every store of this agent on this machine; the default store even if its folder is missing."""
        raise NotImplementedError

    def project_store(
        self, env: Mapping[str, str], home: str, project: str
    ) -> tuple[Store | None, tuple[str, ...]]:
        """The store that the settings in the folder `project` name, or None; and notes on problems with the
        settings.
        """
        return None, ()

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The store that a user named with `--store`; its sessions are resumed in the present environment."""
        return Store(self, root, "--store", environment=absolute_paths(env, home, cwd, *self.variables))

    def own_store(self, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The store in which the agent, started in `cwd`, would keep a new session: that of the first of its
        variables that is set, otherwise the default.
        """
        found = self.stores(env, home, cwd)
        moved = (store for variable in self.variables for store in found if store.source == variable)
        return next(moved, found[0])

    def folder_of(self, store: Store, cwd: str, home: str) -> str:
        """The folder in `store` for new sessions of the working folder `cwd`."""
        return store.root if store.flat else os.path.join(store.root, dashed_folder(cwd))

    def new_id(self, now_ms: int) -> str:
        """The id of a new session."""
        return uuid7(now_ms)

    def file_name(self, timestamp: str, session_id: str) -> str:
        """The file name of a new session; `timestamp` is its header's."""
        return f"{timestamp.replace(':', '-').replace('.', '-')}_{session_id}.jsonl"

    def blob_folder(self, env: Mapping[str, str], home: str, cwd: str) -> str:
        """The folder of images outside the sessions; "" if the agent keeps images in the sessions."""
        return ""

    def breadcrumb(self, env: Mapping[str, str], store: Store, cwd: str) -> str:
        """The last session of this terminal; "" if the agent does not record it."""
        return ""

    def note_of(self, store: Store, pid: int, started: str) -> ProcessNote | None:
        """The note of the agent about its process `pid`; None if it cannot be known which session the process
        has open.

        :param started: when the process was started (`Process.started`); "" if that is not known.
        """
        return None

    def attach_arguments(self, job: str) -> list[str]:
        """The arguments of the command that joins a session in the background (`ProcessNote.job`)."""
        raise NotImplementedError

    def is_helper(self, store: Store, pid: int, words: Sequence[str]) -> bool:
        """Whether the agent's process `pid` works for its others, in no folder of its own.

        :param words: its command line; empty if it is not known.
        """
        return False

    def locked_sessions(self, store: Store) -> frozenset[str] | None:
        """The ids, as `session_id` gives them, of the sessions that a process of the agent writes at present;
        None if the agent does not note that.
        """
        return None

    def pins(self, store: Store) -> frozenset[str]:
        """The ids of the sessions that the user has pinned in the agent; none if the agent has no pins."""
        return read_pins(store.pins)

    def archive(self, store: Store) -> str:
        """The folder of compressed sessions that the agent does not list any more; "" for none."""
        return ""

    def session_id(self, file_name: str) -> str:
        """The id of a session as the name of its file has it; "" unless `Store.names` needs it."""
        return ""

    def name_beside(self, path: str) -> str:
        """The name of the session at `path` that the agent keeps beside it (`Store.names`); "" for none."""
        return ""

    def is_history_of(self, path: str, cwd: str) -> bool:
        """Whether the folder of the session at `path` is named after the working folder `cwd`, so that the
        agent looks there for the sessions of `cwd`. False where the name does not decide.
        """
        return False

    def base_path(self, path: str, session_id: str) -> str:
        """The file of the session `session_id`, from which the one at `path` goes on; "" if it is not
        there, or no session of the agent needs another.
        """
        return ""

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """The arguments of the command that resumes a session (formats/README.md, "Resuming").

        :param path: absolute.
        """
        raise NotImplementedError

    def new_command(self, store: Store) -> list[str]:
        """The command line that starts a new session in this store (formats/README.md, "Resuming")."""
        return [self.command, *store.arguments]

    def prompt_arguments(self, text: str) -> list[str]:
        """Further arguments that send `text` at once; none if the agent has no such arguments
        (formats/README.md, "Resuming").
        """
        return []

    def draft_path(self, path: str) -> str:
        """The file with the text that the agent puts into its editor when it resumes the session at `path`;
        "" for none (formats/README.md, "Safe places to branch").
        """
        return ""

    def writers_lock(self, path: str) -> AbstractContextManager[None] | None:
        """The lock with which the agent itself writes the session at `path`, to be held for milliseconds;
        None for none (formats/README.md, "Locks of oh-my-pi"). It raises the errors of `app.stores.locks`.
        """
        return None

    def publish_lock(self, path: str) -> AbstractContextManager[None] | None:
        """The lock with which the agent itself replaces the file of the session at `path`, to be held for
        milliseconds; None for none. It raises the errors of `app.stores.locks`.
        """
        return None

    def resume_problem(self, path: str, cwd: str, store: Store) -> str | None:
        """Why `resume_arguments` would not open the session, or None; `cwd` is "" if it cannot be used."""
        return None

    def executable(self, path: str) -> str:
        """The command that resumes the session in this file."""
        return self.command

    def why_not(self, ability: str, path: str = "") -> str:
        """Why sessions of this agent, or the session at `path`, lack `ability`; "" if they have it."""
        if not self.can:
            verb = "rename" if ability == "name" else ability
            return f"leafmark only reads sessions of {self.title}: it does not {verb} them"
        return "" if ability in self.can else f"{self.title} has no way to {ability} a session"


def store_arguments(path: str, store: Store) -> list[str]:
    """The store's arguments if the file lies directly in its root (formats/README.md, "Files of pi")."""
    return list(store.arguments) if os.path.dirname(path) == store.root else []


def path_variable(env: Mapping[str, str], name: str) -> str:
    """The value of a variable that names a folder; "" if it is not set or not a path (see `refusals`)."""
    value = env.get(name, "")
    return "" if path_problem(value) else value


def refusals(env: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """A note for each of the variables `names` that is not a path; the agent's default is used instead."""
    problems = ((name, path_problem(env.get(name, ""))) for name in names)
    return [f"${name} {problem}" for name, problem in problems if problem]


def path_variables(env: Mapping[str, str], *names: str) -> dict[str, str]:
    """The variables among `names` that are set to a path."""
    values = ((name, path_variable(env, name)) for name in names)
    return {name: value for name, value in values if value}


def absolute_paths(env: Mapping[str, str], home: str, cwd: str, *names: str) -> dict[str, str]:
    """The same with absolute paths, because the agent is started in another folder."""
    return {name: absolute(value, home, cwd) for name, value in path_variables(env, *names).items()}


def absolute(path: str, home: str, base: str) -> str:
    """`path` with a leading `~` replaced by `home`, joined to `base` and normalised; links are not
    resolved.
    """
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        path = home + path[1:]
    return os.path.normpath(os.path.join(base, path))


def uuid7(now_ms: int) -> str:
    """A UUID of version 7, which sorts by `now_ms`, milliseconds since the epoch."""
    from uuid import UUID  # imported here because the first frame needs no new id

    value = (now_ms & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    return str(UUID(int=value & ~(0x3 << 62) | 0x2 << 62))


def dashed_folder(cwd: str) -> str:
    """The folder for a working folder, as pi names it: its path with dashes for separators."""
    path = cwd[1:] if cwd[:1] in ("/", "\\") else cwd
    return f"--{dashes(path)}--"


def dashes(path: str) -> str:
    return path.replace("/", "-").replace("\\", "-").replace(":", "-")
