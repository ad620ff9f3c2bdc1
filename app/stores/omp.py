"""oh-my-pi (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from app.small_files import path_problem, read_small
from app.stores.base import (
    DANGERS,
    Agent,
    Store,
    absolute_paths,
    dashed_folder,
    dashes,
    path_variable,
    path_variables,
    store_arguments,
)
from app.stores.locks import WRITERS_WAIT_SECONDS, publish_lock, socket_lock

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

CONFIG_DIR = "PI_CONFIG_DIR"
AGENT_DIR = "PI_CODING_AGENT_DIR"
SESSION_DIR = "PI_CODING_AGENT_SESSION_DIR"
PROFILES = ("OMP_PROFILE", "PI_PROFILE")
XDG_DATA, XDG_STATE = "XDG_DATA_HOME", "XDG_STATE_HOME"

SESSIONS = "sessions"
PINS = "session-pins.json"
HISTORY = "history.db"

# omp remembers the size of its file, and stops writing for good if another program has appended
# (formats/README.md, "Writing beside a running agent").
_STOPS_WRITING = "omp would stop writing the session, and all later turns would be lost"


class Omp(Agent):
    """oh-my-pi: like pi, with named profiles, XDG folders, and a title in the first line of a file."""

    __slots__ = ()

    name = "omp"
    title = "oh-my-pi"
    command = "omp"
    install_hint = "npm install -g @oh-my-pi/pi-coding-agent"
    process_names = frozenset({"omp"})
    takes_over = True
    variables = (CONFIG_DIR, AGENT_DIR, *PROFILES, SESSION_DIR)
    shared_variables = (XDG_DATA, XDG_STATE)
    has_subagents = True
    question_tools = frozenset({"ask"})
    keeps_artifacts = True
    # The text in the editor, and the mark of a session that has nothing but this text.
    private_artifacts = frozenset({"draft.txt", ".draft-only-session"})
    dangers = {
        **DANGERS,
        "append": (("live", "maybe"), _STOPS_WRITING),
        "branch": (("live", "maybe"), _STOPS_WRITING),
        # omp keeps the file open while it is moved to the trash.
        "trash": (("live", "maybe"), "it may go on writing; its next answers would land in the trash"),
        "resume": (
            ("live", "maybe"),
            "one of two agents in a session may stop writing it, and lose its later turns",
        ),
        "slot": ((), "omp has the session open and may put its own title back"),
    }

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """The default store, then those of every variable and profile; omp itself would use only
        one of them.
        """
        found = self._of_config_root(os.path.join(home, ".omp"), "default", {}, env)
        name = path_variable(env, CONFIG_DIR)
        if name:
            # The name is below the home folder even if it begins with a slash, as with path.join().
            root = os.path.normpath(home + os.sep + name)
            found += self._of_config_root(root, CONFIG_DIR, {CONFIG_DIR: name}, env)
        moved = absolute_paths(env, home, cwd, AGENT_DIR).get(AGENT_DIR)
        # omp sets this variable to the folder of the active profile for its children; that one is listed
        # already.
        if moved and moved not in [store.state for store in found]:
            found.append(self._at(moved, AGENT_DIR, {AGENT_DIR: moved}))
        if path_variable(env, SESSION_DIR):
            environment = path_variables(env, CONFIG_DIR, *PROFILES)
            environment |= absolute_paths(env, home, cwd, AGENT_DIR, SESSION_DIR)
            # The pins and the history of the active agent folder also apply to session folders elsewhere.
            default = self._default(env, home, cwd)
            environment |= _xdg_only(default.environment)
            found.append(
                Store(
                    self,
                    environment[SESSION_DIR],
                    SESSION_DIR,
                    environment=environment,
                    state=environment.get(AGENT_DIR, found[0].state),
                    pins=default.pins,
                    history=default.history,
                )
            )
        return found

    def own_store(self, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The first of: the session folder of the variable, the active profile, the agent folder of the
        variable, the default. An existing XDG folder replaces the folder that it stands for.
        """
        found = self.stores(env, home, cwd)
        if path_variable(env, SESSION_DIR):
            return found[-1]
        profile = next(iter(_active(env)), "")
        moved = absolute_paths(env, home, cwd, AGENT_DIR).get(AGENT_DIR)
        if moved and not profile:
            return next(store for store in found if store.state == moved)
        wanted = path_variables(env, CONFIG_DIR) | ({PROFILES[0]: profile} if profile else {})
        return next(store for store in reversed(found) if _without_xdg(store.environment) == wanted)

    def folder_of(self, store: Store, cwd: str, home: str) -> str:
        """The folder is named after the real path of the working folder."""
        if store.flat:
            return store.root
        import tempfile  # imported here because few runs need it, and it loads much

        real = os.path.realpath
        return os.path.join(store.root, _short_folder(real(cwd), real(home), real(tempfile.gettempdir())))

    def blob_folder(self, env: Mapping[str, str], home: str, cwd: str) -> str:
        """The folder beside the sessions of the active profile, even if the session folder was moved."""
        return os.path.join(os.path.dirname(self._default(env, home, cwd).root), "blobs")

    def breadcrumb(self, env: Mapping[str, str], store: Store, cwd: str) -> str:
        """The session that the breadcrumb of this terminal names, if it is for this working folder."""
        return last_session(os.path.join(store.state, "terminal-sessions"), env, cwd)

    def writers_lock(self, path: str) -> AbstractContextManager[None] | None:
        """The gate, which is the outer of its two locks (formats/README.md, "Locks of oh-my-pi"). Only Linux
        has it as a socket; elsewhere it would leave a file in omp's folder, and is not taken.
        """
        if sys.platform != "linux":
            return None
        folder, name = os.path.split(os.path.abspath(path))
        return socket_lock(os.path.join(folder, f".{name}.lock.os"), WRITERS_WAIT_SECONDS)

    def publish_lock(self, path: str) -> AbstractContextManager[None] | None:
        """Both of its locks: the gate, on Linux only, and the lock file beside the session."""
        return publish_lock(path, WRITERS_WAIT_SECONDS)

    def archive(self, store: Store) -> str:
        """The folder of `omp gc`, beside the folder of the sessions."""
        above, name = os.path.split(store.root)
        return os.path.join(above, "archive", SESSIONS) if name == SESSIONS else ""

    def _at(self, agent_dir: str, source: str, environment: dict[str, str]) -> Store:
        root = os.path.join(agent_dir, SESSIONS)
        pins = os.path.join(agent_dir, PINS)
        history = os.path.join(agent_dir, HISTORY)
        return Store(self, root, source, environment=environment, state=agent_dir, pins=pins, history=history)

    def _default(self, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The store that omp would use without the variable for the session folder."""
        elsewhere = {name: value for name, value in env.items() if name != SESSION_DIR}
        return self.own_store(elsewhere, home, cwd)

    def _of_config_root(
        self, root: str, source: str, environment: dict[str, str], env: Mapping[str, str]
    ) -> list[Store]:
        """The stores of a configuration folder: its own, its XDG folder, its profiles and their XDG
        folders.
        """
        data = _xdg(env, XDG_DATA)
        found = [self._at(os.path.join(root, "agent"), source, environment)]
        if data and os.path.isdir(data):
            found.append(self._of_xdg(data, _xdg(env, XDG_STATE), found[0], env))
        folders = [os.path.join(root, "profiles")]
        if data:
            folders.append(os.path.join(data, "profiles"))
        for name in sorted({name for folder in folders for name in _folders(folder)} | _active(env)):
            named = {**environment, PROFILES[0]: name}
            store = self._at(os.path.join(root, "profiles", name, "agent"), f"profile {name}", named)
            found.append(store)
            profile = os.path.join(data, "profiles", name) if data else ""
            if profile and os.path.isdir(profile):
                state = _xdg(env, XDG_STATE)
                state = state and os.path.join(state, "profiles", name)
                found.append(self._of_xdg(profile, state, store, env))
        return found

    def _of_xdg(self, folder: str, state: str, fallback: Store, env: Mapping[str, str]) -> Store:
        """The store in an XDG folder, which has no `agent` level. Each XDG folder is used only if
        it exists.
        """
        environment = fallback.environment | {XDG_DATA: env[XDG_DATA]}
        if state and os.path.isdir(state):
            environment[XDG_STATE] = env[XDG_STATE]
        else:
            state = fallback.state
        source = fallback.source if fallback.source.startswith("profile ") else XDG_DATA
        root = os.path.join(folder, SESSIONS)
        # The pins stay in the agent folder.
        pins, history = fallback.pins, os.path.join(folder, HISTORY)
        return Store(self, root, source, environment=environment, state=state, pins=pins, history=history)

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """A custom folder: `--session-dir` replaces the variable."""
        environment = path_variables(env, CONFIG_DIR, *PROFILES) | absolute_paths(env, home, cwd, AGENT_DIR)
        default = self._default(env, home, cwd)
        environment |= _xdg_only(default.environment)
        # The folder may be the copy of an agent folder.
        beside = os.path.join(os.path.dirname(root), HISTORY)
        return Store(
            self,
            root,
            "--store",
            environment=environment,
            arguments=("--session-dir", root),
            pins=default.pins,
            history=beside if os.path.isfile(beside) else default.history,
        )

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """Resume by absolute path, as with pi (formats/README.md, "Resuming")."""
        return [*store_arguments(path, store), "--resume", path]

    def draft_path(self, path: str) -> str:
        """`draft.txt` in the artifacts folder; omp deletes it after reading it."""
        return os.path.join(os.path.splitext(path)[0], "draft.txt")


def _xdg(env: Mapping[str, str], variable: str) -> str:
    """omp's folder in an XDG folder; "" if the variable is not set to an absolute path."""
    value = path_variable(env, variable)
    return os.path.join(value, "omp") if os.path.isabs(value) else ""


def _xdg_only(environment: Mapping[str, str]) -> dict[str, str]:
    """The XDG variables of a store's environment. They belong to other programs as well, so they are never
    removed from the environment of the agent.
    """
    return {name: value for name, value in environment.items() if name in (XDG_DATA, XDG_STATE)}


def _without_xdg(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in (XDG_DATA, XDG_STATE)}


def _active(env: Mapping[str, str]) -> set[str]:
    """The active profile, if any. An empty OMP_PROFILE means the default profile, even if
    PI_PROFILE is set.
    """
    name = path_variable(env, PROFILES[0] if PROFILES[0] in env else PROFILES[1]).strip()
    return set() if name in ("", "default", ".", "..") or os.sep in name else {name}


def _folders(parent: str) -> list[str]:
    """The names of the folders in `parent`; none if it cannot be read."""
    try:
        with os.scandir(parent) as entries:
            return [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
    except OSError:
        return []


def _short_folder(cwd: str, home: str, temporary: str) -> str:
    """The folder for a working folder, as omp names it: shorter than pi's below the home folder and the
    folder of temporary files. All parameters are real paths.
    """
    for root, prefix in ((home, "-"), (temporary, "-tmp")):
        if root and cwd == root:
            return prefix
        if root and cwd.startswith(root.rstrip(os.sep) + os.sep):
            below = dashes(cwd[len(root.rstrip(os.sep)) + 1 :])
            return prefix + below if prefix == "-" else f"{prefix}-{below}"
    return dashed_folder(cwd)


# omp's names of terminals in `terminal-sessions`: a prefix, and the variable of the terminal after it.
TERMINALS = (
    ("tmux", "TMUX_PANE"),
    ("zellij", "ZELLIJ_PANE_ID"),
    ("kitty", "KITTY_WINDOW_ID"),
    ("wezterm", "WEZTERM_PANE"),
    ("apple", "TERM_SESSION_ID"),
    ("wt", "WT_SESSION"),
)
_BREADCRUMB_BYTES = 16_384


def terminals(terminal: str, variables: Mapping[str, str]) -> list[str]:
    """The names under which omp may have left a breadcrumb for a terminal, the surest first.

    :param terminal: the path of its device; "" for none.
    :param variables: the environment in the terminal.
    """
    names = []
    if terminal.startswith("/dev/"):
        names.append(terminal[len("/dev/") :].replace("/", "-"))
    for prefix, variable in TERMINALS:
        value = variables.get(variable, "")
        if value and "/" not in value:
            names.append(f"{prefix}-{value}")
    return names


def read_breadcrumb(path: str) -> tuple[str, str] | None:
    """The working folder and the session that the breadcrumb at `path` names; None if it names none."""
    try:
        lines = read_small(path, _BREADCRUMB_BYTES).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    if len(lines) < 2 or not lines[1].strip():
        return None
    cwd, session = lines[0].strip(), lines[1].strip()
    return None if path_problem(cwd) or path_problem(session) else (cwd, session)


def last_session(folder: str, env: Mapping[str, str], cwd: str) -> str:
    """The session that was last open in the terminal of this process and in `cwd`; "" if there is none or it
    is gone.

    :param folder: the agent's `terminal-sessions`.
    """
    try:
        terminal = os.ttyname(0)
    except OSError:
        terminal = ""
    for name in terminals(terminal, env):
        crumb = read_breadcrumb(os.path.join(folder, name))
        if crumb and os.path.realpath(crumb[0]) == os.path.realpath(cwd) and os.path.isfile(crumb[1]):
            return crumb[1]
    return ""
