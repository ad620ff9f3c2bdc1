"""oh-my-pi (formats/README.md, "oh-my-pi")."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from app.stores.base import DANGERS, Agent, Store, beside, kept, kept_paths, path_variable
from app.stores.naming import short_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

CONFIG_DIR = "PI_CONFIG_DIR"
AGENT_DIR = "PI_CODING_AGENT_DIR"
SESSION_DIR = "PI_CODING_AGENT_SESSION_DIR"
PROFILES = ("OMP_PROFILE", "PI_PROFILE")
XDG_DATA, XDG_STATE = "XDG_DATA_HOME", "XDG_STATE_HOME"

WRITERS_WAIT = 0.5
"""Seconds that omp itself waits for another one that writes the same session."""

SESSIONS = "sessions"
PINS = "session-pins.json"

# omp keeps count of its file's size, and stops writing for good where somebody else appended
# (formats/README.md, "Writing beside a running agent").
_LATCH = "omp would stop writing the session, and all later turns would be lost"


class Omp(Agent):
    """oh-my-pi: as pi, with named profiles, XDG folders, and a title in the file's first line."""

    __slots__ = ()

    name = "omp"
    title = "oh-my-pi"
    command = "omp"
    install_hint = "npm install -g @oh-my-pi/pi-coding-agent"
    process_names = frozenset({"omp"})
    variables = (CONFIG_DIR, AGENT_DIR, *PROFILES, SESSION_DIR)
    shared_variables = (XDG_DATA, XDG_STATE)
    has_subagents = True
    keeps_artifacts = True
    # The text that waits in the editor, and the mark of a session that consists of nothing else.
    private_artifacts = frozenset({"draft.txt", ".draft-only-session"})
    dangers = {
        **DANGERS,
        "append": (("live", "maybe"), _LATCH),
        "branch": (("live", "maybe"), _LATCH),
        # It keeps the file open, which goes to the trash.
        "trash": (("live", "maybe"), "it may go on writing; its next answers would land in the trash"),
        "resume": (
            ("live", "maybe"),
            "one of two agents in a session may stop writing it, and lose its later turns",
        ),
        "slot": ((), "omp has the session open and may put its own title back"),
    }

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """The default, then every folder a variable or profile leads to; omp itself would use only one."""
        found = self._of_config_root(os.path.join(home, ".omp"), "default", {}, env)
        name = path_variable(env, CONFIG_DIR)
        if name:
            # A name below the home folder, as path.join() makes it, even when it begins with a slash.
            root = os.path.normpath(home + os.sep + name)
            found += self._of_config_root(root, CONFIG_DIR, {CONFIG_DIR: name}, env)
        moved = kept_paths(env, home, cwd, AGENT_DIR).get(AGENT_DIR)
        # omp hands its children the active profile's folder in this variable; it is listed already.
        if moved and moved not in [store.state for store in found]:
            found.append(self._at(moved, AGENT_DIR, {AGENT_DIR: moved}))
        if path_variable(env, SESSION_DIR):
            environment = kept(env, CONFIG_DIR, *PROFILES)
            environment |= kept_paths(env, home, cwd, AGENT_DIR, SESSION_DIR)
            environment |= _xdg_only(self._default(env, home, cwd).environment)
            state = environment.get(AGENT_DIR, found[0].state)
            root = environment[SESSION_DIR]
            pins = self._pins(env, home, cwd)
            found.append(Store(self, root, SESSION_DIR, environment=environment, state=state, pins=pins))
        return found

    def own_store(self, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The session folder, else the active profile's, else the moved agent folder, else the default's.

        An XDG folder counts before the folder it takes the place of, where it exists.
        """
        found = self.stores(env, home, cwd)
        if path_variable(env, SESSION_DIR):
            return found[-1]
        profile = next(iter(_active(env)), "")
        moved = kept_paths(env, home, cwd, AGENT_DIR).get(AGENT_DIR)
        if moved and not profile:
            return next(store for store in found if store.state == moved)
        wanted = kept(env, CONFIG_DIR) | ({PROFILES[0]: profile} if profile else {})
        return next(store for store in reversed(found) if _without_xdg(store.environment) == wanted)

    def folder_of(self, store: Store, cwd: str, home: str) -> str:
        """By the real path of the working folder."""
        if store.flat:
            return store.root
        import tempfile

        real = os.path.realpath
        return os.path.join(store.root, short_folder(real(cwd), real(home), real(tempfile.gettempdir())))

    def blob_folder(self, env: Mapping[str, str], home: str, cwd: str) -> str:
        """Beside the sessions of the active profile, wherever the sessions themselves were moved."""
        return os.path.join(os.path.dirname(self._default(env, home, cwd).root), "blobs")

    def breadcrumb(self, env: Mapping[str, str], store: Store, cwd: str) -> str:
        """The note in `terminal-sessions` of this terminal, when it is about this working folder."""
        from app.stores.breadcrumbs import last_session

        return last_session(os.path.join(store.state, "terminal-sessions"), env, cwd)

    def writers_lock(self, path: str) -> AbstractContextManager[None] | None:
        """The gate before its publish lock
        (formats/README.md, "Writing beside a running agent"). Where that is no socket it would be a file in
        omp's
        folder that stays.
        """
        if sys.platform != "linux":
            return None
        from app.stores.locks import SocketLock

        folder, name = os.path.split(os.path.abspath(path))
        return SocketLock(os.path.join(folder, f".{name}.lock.os"), WRITERS_WAIT)

    def publish_lock(self, path: str) -> AbstractContextManager[None] | None:
        """Both of its locks: the gate, and the lock file beside the session."""
        from app.stores.locks import PublishLock

        return PublishLock(path, WRITERS_WAIT)

    def archive(self, store: Store) -> str:
        """Where `omp gc` puts cold sessions: beside the folder of the others, whatever that is in."""
        above, name = os.path.split(store.root)
        return os.path.join(above, "archive", SESSIONS) if name == SESSIONS else ""

    def _at(self, agent_dir: str, source: str, environment: dict[str, str]) -> Store:
        root = os.path.join(agent_dir, SESSIONS)
        pins = os.path.join(agent_dir, PINS)
        return Store(self, root, source, environment=environment, state=agent_dir, pins=pins)

    def _default(self, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The store that would be used if the session folder had not been moved."""
        elsewhere = {name: value for name, value in env.items() if name != SESSION_DIR}
        return self.own_store(elsewhere, home, cwd)

    def _pins(self, env: Mapping[str, str], home: str, cwd: str) -> str:
        """The pins file of the active agent folder, which counts for session folders elsewhere as well."""
        return self._default(env, home, cwd).pins

    def _of_config_root(
        self, root: str, source: str, environment: dict[str, str], env: Mapping[str, str]
    ) -> list[Store]:
        """The stores of one configuration folder: its own, its XDG twin, its profiles and their XDG twins."""
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
        """XDG folders have no `agent` level, and each of them counts only when it exists."""
        environment = fallback.environment | {XDG_DATA: env[XDG_DATA]}
        if state and os.path.isdir(state):
            environment[XDG_STATE] = env[XDG_STATE]
        else:
            state = fallback.state
        source = fallback.source if fallback.source.startswith("profile ") else XDG_DATA
        root = os.path.join(folder, SESSIONS)
        # The pins stay in the agent folder.
        return Store(self, root, source, environment=environment, state=state, pins=fallback.pins)

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """As a custom folder: `--session-dir` takes the place of the variable."""
        environment = kept(env, CONFIG_DIR, *PROFILES) | kept_paths(env, home, cwd, AGENT_DIR)
        environment |= _xdg_only(self._default(env, home, cwd).environment)
        pins = self._pins(env, home, cwd)
        arguments = ("--session-dir", root)
        return Store(self, root, "--store", environment=environment, arguments=arguments, pins=pins)

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """By absolute path, as for pi (formats/README.md, "Resuming")."""
        return [*beside(path, store), "--resume", path]

    def draft_path(self, path: str) -> str:
        """`draft.txt` in the folder of artifacts; omp deletes it when it has read it."""
        return os.path.join(os.path.splitext(path)[0], "draft.txt")


def _xdg(env: Mapping[str, str], variable: str) -> str:
    """omp's folder below an XDG folder, or "" when the variable is not set to an absolute path."""
    value = path_variable(env, variable)
    return os.path.join(value, "omp") if os.path.isabs(value) else ""


def _xdg_only(environment: Mapping[str, str]) -> dict[str, str]:
    """What of a store's environment leads into XDG folders. They are other programs' too, so they are never
    taken out of the environment of the agent, as its own variables are.
    """
    return {name: value for name, value in environment.items() if name in (XDG_DATA, XDG_STATE)}


def _without_xdg(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in (XDG_DATA, XDG_STATE)}


def _active(env: Mapping[str, str]) -> set[str]:
    """The profile the environment asks for; an empty OMP_PROFILE is the default one despite PI_PROFILE."""
    name = path_variable(env, PROFILES[0] if PROFILES[0] in env else PROFILES[1]).strip()
    return set() if name in ("", "default", ".", "..") or os.sep in name else {name}


def _folders(parent: str) -> list[str]:
    """The names of the folders in `parent`; none when it cannot be read."""
    try:
        with os.scandir(parent) as entries:
            return [entry.name for entry in entries if not entry.name.startswith(".") and entry.is_dir()]
    except OSError:
        return []
