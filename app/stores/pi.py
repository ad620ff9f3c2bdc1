"""pi (formats/README.md, "pi")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.small_files import path_problem, read_small
from app.stores.base import Agent, Store, absolute, absolute_paths, store_arguments
from app.stores.json_state import Damaged, parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT_DIR = "PI_CODING_AGENT_DIR"
SESSION_DIR = "PI_CODING_AGENT_SESSION_DIR"


class Pi(Agent):
    """pi: a folder for each working folder, or a single custom folder."""

    __slots__ = ()

    name = "pi"
    title = "pi"
    command = "pi"
    install_hint = "npm install -g @earendil-works/pi-coding-agent"
    process_names = frozenset({"pi", "pi-rpc"})
    takes_over = True
    variables = (AGENT_DIR, SESSION_DIR)

    def stores(self, env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
        """The default store, then the agent folder of the variable, `sessionDir`, the session folder of the
        variable.
        """
        default = os.path.join(home, ".pi", "agent")
        agent_dirs: list[tuple[str, str, dict[str, str]]] = [(default, "default", {})]
        moved = absolute_paths(env, home, cwd, AGENT_DIR).get(AGENT_DIR)
        if moved:
            agent_dirs.append((moved, AGENT_DIR, {AGENT_DIR: moved}))
        found = []
        chosen = []
        for folder, source, environment in agent_dirs:
            settings = os.path.join(folder, "settings.json")
            session_dir, note = read_session_dir(settings)
            found.append(
                Store(self, os.path.join(folder, "sessions"), source, environment=environment, notes=note)
            )
            if session_dir:
                chosen.append((absolute(session_dir, home, cwd), settings, environment))
        for root, settings, environment in chosen:
            found.append(self._chosen(root, settings, environment))
        of_project, note = self.project_store(env, home, cwd)
        found[0].notes += note
        if of_project:
            found.append(of_project)
        flat = absolute_paths(env, home, cwd, SESSION_DIR)
        if flat:
            environment = {**agent_dirs[-1][2], **flat}
            found.append(Store(self, flat[SESSION_DIR], SESSION_DIR, environment=environment))
        return found

    def project_store(
        self, env: Mapping[str, str], home: str, project: str
    ) -> tuple[Store | None, tuple[str, ...]]:
        """The folder that `sessionDir` in `.pi/settings.json` names, relative to the project."""
        settings = os.path.join(project, ".pi", "settings.json")
        session_dir, notes = read_session_dir(settings)
        if not session_dir:
            return None, notes
        environment = absolute_paths(env, home, project, AGENT_DIR)
        return self._chosen(absolute(session_dir, home, project), settings, environment), notes

    def _chosen(self, root: str, settings: str, environment: Mapping[str, str]) -> Store:
        arguments = ("--session-dir", root)
        return Store(self, root, f"settings {settings}", environment=environment, arguments=arguments)

    def own_store(self, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """The last of `stores`, which are in order of precedence, that the present agent folder leads to."""
        moved = absolute_paths(env, home, cwd, AGENT_DIR)
        found = self.stores(env, home, cwd)
        return next(
            store
            for store in reversed(found)
            if {name: value for name, value in store.environment.items() if name != SESSION_DIR} == moved
        )

    def store_at(self, root: str, env: Mapping[str, str], home: str, cwd: str) -> Store:
        """A custom folder: `--session-dir` replaces the variable."""
        environment = absolute_paths(env, home, cwd, AGENT_DIR)
        return Store(self, root, "--store", environment=environment, arguments=("--session-dir", root))

    def resume_arguments(self, path: str, session_id: str, store: Store) -> list[str]:
        """Resume by absolute path, because ids can be ambiguous, and pi asks before it opens a session of
        another project by id (formats/README.md, "Resuming").
        """
        return [*store_arguments(path, store), "--session", path]

    def prompt_arguments(self, text: str) -> list[str]:
        """Text that looks like an option follows `--`. A space is put before `@`, which would name a file."""
        text = text.replace("\0", "")
        if not text.strip():
            return []
        if text.startswith("@"):
            text = " " + text
        return ["--", text] if text.startswith("-") else [text]


def read_session_dir(settings: str) -> tuple[str, tuple[str, ...]]:
    """`sessionDir` of a settings file ("" if it is not set), and notes on problems with the file."""
    try:
        data = read_small(settings)
    except (FileNotFoundError, NotADirectoryError):
        return "", ()
    except OSError as error:
        return "", (f"{settings}: {error.strerror}, so a sessionDir in it is not known",)
    try:
        # pi reads past a byte order mark.
        content = parse_json(data.removeprefix(b"\xef\xbb\xbf"))
    except Damaged:
        return "", (f"{settings}: not JSON, so a sessionDir in it is not known",)
    value = content.get("sessionDir") if isinstance(content, dict) else None
    if value is None:
        return "", ()
    problem = path_problem(value, str.encode)
    return ("", (f"{settings}: sessionDir {problem}",)) if problem else (value, ())
