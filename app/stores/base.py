"""What every agent and every store answers.

An `Agent` knows where its sessions may be, how one is resumed and what the agent can do to them. A `Store`
is one folder of sessions together with the way it was found, because a session has to be resumed under the
very variables and arguments that led to its folder (formats/README.md, "Resuming").

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from app.small_files import path_problem
from app.stores.naming import dashed_folder, stamped, uuid7

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

ABILITIES = ("name", "label", "branch", "fork")


_REWRITE = "it writes the file anew, and the program would go on with the old one"
DANGERS = {
    # pi holds no file open and appends each entry at once
    # (formats/README.md, "Writing beside a running agent"): one more line is safe.
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
"""Kind of write -> the states beside which it is refused, and why; with no states, what else may come of it.
`append` is a line that leaves the leaf in its branch, `branch` one that moves it, `slot` the title line in
place, `rewrite` the whole file anew, `trash` the file taken away, `resume` what a second agent writes.
"""


class Store:
    """One folder of sessions of one agent (or of several that share it).

    `root` is an absolute path that need not exist. `source` says where it was found: "default", the name of
    an environment variable, "profile NAME", "settings PATH" or "--store". `environment` are the variables
    that must be set to resume a session from here; every other one of `agent.variables` must be unset.
    `arguments` are command line arguments to repeat for sessions that lie directly in `root`. `notes` are
    things met while finding it that a user may want to know (a settings file that is not JSON). `twins` are
    the stores of other agents in the same folder.
    """

    __slots__ = ("agent", "arguments", "environment", "notes", "pins", "root", "source", "state", "twins")

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
    ) -> None:
        self.agent = agent
        self.root = root
        self.source = source
        self.environment: dict[str, str] = dict(environment or {})
        self.arguments: tuple[str, ...] = tuple(arguments)
        self.notes: tuple[str, ...] = tuple(notes)
        # The folder in which the agent keeps its other state (omp: breadcrumbs); "" where it has none.
        self.state = state
        self.pins = pins
        self.twins: tuple[Store, ...] = ()

    def __repr__(self) -> str:
        return f"Store({'+'.join(self.agents)}, {self.root!r}, {self.source!r})"

    @property
    def flat(self) -> bool:
        """True for a custom folder, which has no folder for each working folder (formats/README.md, "pi")."""
        return bool(self.arguments) or self.source.endswith("_SESSION_DIR")

    @property
    def shared_with(self) -> tuple[Agent, ...]:
        """The other agents that keep their sessions in this very folder."""
        return tuple(twin.agent for twin in self.twins)

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of all agents whose sessions may lie here; which one wrote a file, its header says."""
        if not self.twins:
            # Asked for each of ten thousand files.
            return (self.agent.name,)
        return (self.agent.name, *(twin.agent.name for twin in self.twins))

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The ends of the file names that are sessions here, of all agents of the folder."""
        found = list(self.agent.suffixes)
        for twin in self.twins:
            found += [suffix for suffix in twin.agent.suffixes if suffix not in found]
        return tuple(found)

    def of(self, agent: str) -> Store:
        """This folder as `agent` found it: its environment and arguments. KeyError when the agent does not
        use it.
        """
        for store in (self, *self.twins):
            if store.agent.name == agent:
                return store
        raise KeyError(agent)

    def problem(self) -> str | None:
        """Why nothing can be listed here: "not there", "not a folder", "not readable"; None when it can."""
        try:
            status = os.stat(self.root)
        except (FileNotFoundError, NotADirectoryError):
            return "not there"
        except (OSError, ValueError):  # ValueError: a NUL in a path that a variable gave
            return "not readable"
        if not stat.S_ISDIR(status.st_mode):
            return "not a folder"
        return None if os.access(self.root, os.R_OK | os.X_OK) else "not readable"

    def is_bare(self) -> bool:
        """Whether there is nothing at all here: that there is no session is known without a scan."""
        try:
            with os.scandir(self.root) as entries:
                return next(entries, None) is None
        except (FileNotFoundError, NotADirectoryError):
            return True
        except (OSError, ValueError):  # see `problem`
            return False


class Agent:
    """A program that writes sessions. Subclasses fill in its facts (formats/README.md) and hold no state.

    `command` is the executable's name; `process_names` the names under which the kernel knows it;
    `variables` the environment variables that move its store; `suffixes` the ends of its sessions'
    file names; `can` the subset of `ABILITIES` that its files carry.
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
    """Variables of other programs, too, that move its folders: they stay in the environment of the agent."""
    can: frozenset[str] = frozenset(ABILITIES)
    has_subagents: bool = False
    """Whether sessions of its sub-agents lie in the folder that has the name of the session's file."""
    keeps_artifacts: bool = False
    """Whether the agent keeps files that a session refers to in the folder that has the name of the session's
    file without its suffix.
    """
    private_artifacts: frozenset[str] = frozenset()
    """Names in that folder that belong to the one session, and are not copied with a fork."""
    dangers: Mapping[str, tuple[tuple[str, ...], str]] = DANGERS
    """Which writes (see `DANGERS`) are refused beside a program of which verdicts, and why
    (formats/README.md, "Writing beside a running agent").
    """

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """Every store of this agent on the machine, the default one even when its folder is not there."""
        raise NotImplementedError

    def project_store(
        self, env: Mapping[str, str], home: str, project: str
    ) -> tuple[Store | None, tuple[str, ...]]:
        """The store that the settings in the folder `project` name, None where they name none; and notes on
        what is wrong with them.
        """
        return None, ()

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The store a user named with `--store`; resumed under the present environment."""
        return Store(self, root, "--store", environment=kept_paths(env, home, cwd, *self.variables))

    def own_store(self, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The one store in which the agent, started in `cwd`, would keep a new session."""
        return self.stores(env, home, cwd)[0]

    def folder_of(self, store: Store, cwd: str, home: str) -> str:
        """The folder of new sessions of the working folder `cwd` in that store; custom ones are flat."""
        return store.root if store.flat else os.path.join(store.root, dashed_folder(cwd))

    def new_id(self, now_ms: int) -> str:
        """The id of a new session."""
        return uuid7(now_ms)

    def file_name(self, timestamp: str, session_id: str) -> str:
        """The file name of a new session; `timestamp` is its header's."""
        return stamped(timestamp, session_id)

    def blob_folder(self, env: Mapping[str, str], home: str, cwd: str) -> str:
        """Where images are kept outside the sessions, "" where the agent keeps them inside."""
        return ""

    def breadcrumb(self, env: Mapping[str, str], store: Store, cwd: str) -> str:
        """The session that this terminal was last in, "" where the agent keeps no such note."""
        return ""

    def pins(self, store: Store) -> frozenset[str]:
        """The ids of the sessions that the user has pinned, where the agent knows pins."""
        if not store.pins:
            return frozenset()
        from app.stores.pins import read_pins

        return read_pins(store.pins)

    def archive(self, store: Store) -> str:
        """The folder in which the agent keeps sessions that it has packed and lists no more; "" for none."""
        return ""

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """What follows the command to continue this session
        (formats/README.md, "Resuming"); `path` is absolute.
        """
        raise NotImplementedError

    def new_command(self, store: Store) -> list[str]:
        """The command that begins a new session in this store, and its arguments
        (formats/README.md, "Resuming").
        """
        return [self.command, *store.arguments]

    def prompt_arguments(self, text: str) -> list[str]:
        """What follows those arguments to send `text` at once; none if there is no way to
        (formats/README.md, "Results of writing").
        """
        return []

    def draft_path(self, path: str) -> str:
        """The file whose text the agent puts into its editor when it continues the session at `path`; "" for
        none (formats/README.md, "Results of writing").
        """
        return ""

    def writers_lock(self, path: str) -> AbstractContextManager[None] | None:
        """The lock under which the agent's own programs write the session at `path`
        (formats/README.md, "Writing beside a running agent"), to be held
        for milliseconds; None where they have none. Entering it raises as those of `app.stores.locks` do.
        """
        return None

    def publish_lock(self, path: str) -> AbstractContextManager[None] | None:
        """The lock under which the agent's own programs put a new file in the place of the session at `path`,
        to be held for milliseconds; None where they have none. Entering it raises as those of
        `app.stores.locks` do.
        """
        return None

    def resume_problem(self, path: str, cwd: str, store: Store) -> str | None:
        """Why those arguments would not lead into the session, or None; `cwd` is "" if it cannot be used."""
        return None

    def resume_warning(self, dialect: str) -> str:
        """What to know before a session that is spelt so is resumed; "" for nothing
        (formats/README.md, "pi").
        """
        if dialect == "lanes":
            return f"this file is of pi's version 4, and {self.title} may not read those yet"
        return ""

    def executable(self, path: str) -> str:
        """The command that continues the session in this file; most agents have but one."""
        return self.command

    def why_not(self, ability: str, path: str = "") -> str:
        """Why sessions of this agent (or the one at `path`) have no `ability`; "" when they have it."""
        return "" if ability in self.can else f"{self.title} has no way to {ability} a session"


def beside(path: str, store: Store) -> list[str]:
    """The store's arguments if the file lies directly in it: custom folders are flat
    (formats/README.md, "pi").
    """
    return list(store.arguments) if os.path.dirname(path) == store.root else []


def path_variable(env: Mapping[str, str], name: str) -> str:
    """The value of a variable that moves a folder; "" where it is not set, or is no path (`refusals`)."""
    value = env.get(name, "")
    return "" if path_problem(value) else value


def refusals(env: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """A note for each of the variables `names` whose value is no path; the agent's default counts instead."""
    problems = ((name, path_problem(env.get(name, ""))) for name in names)
    return [f"${name} {problem}" for name, problem in problems if problem]


def kept(env: Mapping[str, str], *names: str) -> dict[str, str]:
    """Those of the variables `names` that are set to a path."""
    values = ((name, path_variable(env, name)) for name in names)
    return {name: value for name, value in values if value}


def kept_paths(env: Mapping[str, str], home: str, cwd: str, *names: str) -> dict[str, str]:
    """The same for variables that hold a path, made absolute: the agent starts in another folder than we."""
    return {name: absolute(value, home, cwd) for name, value in kept(env, *names).items()}


def absolute(path: str, home: str, base: str) -> str:
    """`path` with a leading `~` taken as `home`, joined to `base`, normalised, links kept."""
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        path = home + path[1:]
    return os.path.normpath(os.path.join(base, path))
