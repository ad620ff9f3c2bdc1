"""The agents, and the discovery of their stores (formats/README.md)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.formats.text import replace_surrogates, trim_name, visible_line
from app.lazy_names import lazy_names
from app.stores.agent import NickcecereAgent
from app.stores.base import CONFIGURED, Agent, Store, absolute, refusals
from app.stores.claude import Claude
from app.stores.codex import Codex
from app.stores.indusagi import Indusagi
from app.stores.kept import original_path
from app.stores.omp import Omp
from app.stores.pi import Pi
from app.stores.pins import read_own_pins

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

AGENTS: tuple[Agent, ...] = (Pi(), Omp(), Indusagi(), NickcecereAgent(), Claude(), Codex())


def agent_named(name: str) -> Agent:
    """The agent of that name; KeyError for an unknown name."""
    for agent in AGENTS:
        if agent.name == name:
            return agent
    raise KeyError(name)


def discover(
    env: Mapping[str, str],
    home: str,
    cwd: str,
    extra: Iterable[tuple[str, str]] = (),
    projects: Iterable[Store] = (),
) -> list[Store]:
    """Every store on this machine, then those of `projects`, then those of `extra`.

    The default stores are included even if their folders are missing. Each real folder is included once: a
    second store of the same agent is dropped, and one of another agent becomes a twin.

    :param env: the environment.
    :param home: the user's home folder.
    :param cwd: the folder whose project settings apply.
    :param extra: (agent name, folder) pairs from `--store`.
    :param projects: stores of other projects, and those of leafmark's settings.
    :raises KeyError: an agent name is unknown.
    """
    stores = []
    for agent in AGENTS:
        found = agent.stores(env, home, cwd)
        found[0].notes += tuple(refusals(env, (*agent.variables, *agent.shared_variables)))
        stores += found
    stores += projects
    return merged([*stores, *_stores_at(extra, env, home, cwd)])


def configured_stores(
    pairs: Iterable[tuple[str, str]], env: Mapping[str, str], home: str, cwd: str
) -> list[Store]:
    """The stores of the (agent name, folder) pairs in leafmark's settings."""
    stores = _stores_at(pairs, env, home, cwd)
    for store in stores:
        store.source = CONFIGURED
    return stores


def project_stores(env: Mapping[str, str], home: str, project: str) -> tuple[list[Store], tuple[str, ...]]:
    """The stores that the settings in the folder `project` name, and notes on problems with the settings."""
    found = [agent.project_store(env, home, project) for agent in AGENTS]
    return [store for store, _ in found if store], tuple(note for _, notes in found for note in notes)


def named(extra: Iterable[tuple[str, str]], env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
    """Only the stores of `extra`, for a run that must not show the user's sessions (the demo)."""
    return merged(_stores_at(extra, env, home, cwd))


def _stores_at(pairs: Iterable[tuple[str, str]], env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
    return [agent_named(name).store_at(absolute(folder, home, cwd), env, home, cwd) for name, folder in pairs]


def all_pins(stores: Iterable[Store], state_folder: str) -> frozenset[tuple[str, str]]:
    """(agent, id) of every pin. A pin may belong to a session that is gone. Files that cannot be read have
    none.
    """
    pins = set(read_own_pins(state_folder))
    for listed in stores:
        for store in (listed, *listed.twins):
            pins.update((store.agent.name, id) for id in store.agent.pins(store))
    return frozenset(pins)


def known_name(agent: str, path: str, name: str | None) -> str | None:
    """The name of the session at `path`, as lists have it.

    :param name: the one in its file; None for none. A name that the agent keeps beside the file replaces it.
    """
    beside = agent_named(agent).name_beside(path) if path else ""
    return trim_name(replace_surrogates(beside)) if visible_line(beside) else name


def store_holding(path: str, stores: Iterable[Store]) -> Store | None:
    """The store that contains the file at `path`, or the file that a copy at `path` is of, at any depth and
    with links resolved; None if none does.
    """
    stores = list(stores)
    path = next((found for store in stores if (found := original_path(path, store.kept))), path)
    try:
        real = os.path.realpath(path)
        roots = [(os.path.join(os.path.realpath(store.root), ""), store) for store in stores]
    except (OSError, ValueError):
        return None
    holding = [(root, store) for root, store in roots if real.startswith(root)]
    return max(holding, key=lambda pair: len(pair[0]), default=("", None))[1]


def artifacts_folder(path: str, stores: Iterable[Store]) -> str:
    """The artifacts folder of the session at `path`, which is its path without the suffix
    (formats/README.md, "Artifacts of oh-my-pi"); "" if there is none.

    A store, or the folder of a working folder in a store, is no artifacts folder.
    """
    folder = os.path.splitext(path)[0]
    if folder == path or not os.path.isdir(folder):
        return ""
    real = os.path.realpath(folder)
    for store in stores:
        root = os.path.realpath(store.root)
        if (root + os.sep).startswith(real + os.sep) or (os.path.dirname(real) == root and not store.flat):
            return ""
    return folder


def backups(path: str) -> list[str]:
    """The backups of the session at `path` beside it; see `session_of_backup`."""
    folder, name = os.path.split(path)
    try:
        names = [other for other in os.listdir(folder) if other.startswith(f"{name}.")]
    except OSError:
        return []
    beside = sorted(os.path.join(folder, other) for other in names)
    return [other for other in beside if session_of_backup(other) == path and os.path.isfile(other)]


def session_of_backup(path: str) -> str:
    """The path that oh-my-pi would give to the file at `path` if it is free, because the file is a backup by
    its name (formats/README.md, "Backups of oh-my-pi"); "" for none.
    """
    session, _, number = path.removesuffix(".bak").rpartition(".")
    is_backup = path.endswith(".bak") and session.endswith(".jsonl") and os.sep not in number
    return session if is_backup else ""


def merged(stores: Iterable[Store]) -> list[Store]:
    """The stores with each real folder once, in their order."""
    by_folder: dict[object, Store] = {}
    for store in stores:
        first = by_folder.setdefault(_identity(store.root), store)
        if first is store:
            continue
        for known in (first, *first.twins):
            if known.agent is store.agent:
                known.notes += store.notes
                break
        else:
            first.twins += (store,)
    return list(by_folder.values())


def _identity(folder: str) -> object:
    """A key that is equal for two paths of the same folder."""
    try:
        # A single system call; `realpath` needs one for each part of the path.
        status = os.stat(folder)
        return status.st_dev, status.st_ino
    except (OSError, ValueError):
        pass  # the folder does not exist yet, or the path is invalid
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        return folder


lazy_names(
    __name__,
    {
        "archive": "Archived archived",
        "layout": "deeper listed_folders session_files",
        "live": "IDLE LIVE MAYBE Processes RealPaths Verdict look verdict",
        "locks": "Busy file_lock lock_name omp_lock publish_lock_path socket_lock",
        "names": "name_of names_problem read_names",
        "omp": "last_session read_breadcrumb terminals",
        "pins": "pins_problem read_pins set_own_pin set_pin",
        "processes": "Process holder",
        "retention": "retention_ms time_after_restore",
        "tags": (
            "BadTag Tagging change_tagging known_tags parse_note parse_tag read_taggings tags_path "
            "tags_problem with_tags"
        ),
    },
    own=(
        "AGENTS Agent Claude Codex Omp Pi Store agent_named all_pins artifacts_folder backups "
        "configured_stores discover known_name merged named project_stores read_own_pins session_of_backup "
        "store_holding"
    ),
)
