"""The agents, and where their sessions are (formats/README.md, "The version 3 family")."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.stores.agent import NickcecereAgent
from app.stores.base import Agent, Store, absolute, refusals
from app.stores.indusagi import Indusagi
from app.stores.omp import Omp
from app.stores.pi import Pi

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

AGENTS: tuple[Agent, ...] = (Pi(), Omp(), Indusagi(), NickcecereAgent())


def agent_named(name: str) -> Agent:
    """The agent of that name. KeyError when there is none."""
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
    """Every store on this machine, then those of other `projects`, then `extra` (agent name, folder) pairs
    from `--store`.

    `env` is the environment, `home` the user's home folder and `cwd` the folder whose project settings
    count; nothing else is looked at. The default stores are always there, whether their folder is or not.
    Each real folder comes once: a second way to the same folder is dropped, another agent's becomes a twin.
    KeyError for an agent that is not known.
    """
    every = []
    for agent in AGENTS:
        found = agent.stores(env, home, cwd)
        found[0].notes += tuple(refusals(env, (*agent.variables, *agent.shared_variables)))
        every += found
    every += projects
    every += [
        agent_named(name).store_at(absolute(folder, home, cwd), env, home, cwd) for name, folder in extra
    ]
    return merged(every)


def project_stores(env: Mapping[str, str], home: str, project: str) -> tuple[list[Store], tuple[str, ...]]:
    """The stores that the settings in the folder `project` lead to, and notes on what is wrong with them."""
    found = [agent.project_store(env, home, project) for agent in AGENTS]
    return [store for store, _ in found if store], tuple(note for _, notes in found for note in notes)


def named(extra: Iterable[tuple[str, str]], env: Mapping[str, str], home: str, cwd: str) -> list[Store]:
    """Only the stores of `extra`, for a run that must not show the user's own (the demo)."""
    return merged(
        [agent_named(name).store_at(absolute(folder, home, cwd), env, home, cwd) for name, folder in extra]
    )


def store_holding(path: str, stores: Iterable[Store]) -> Store | None:
    """The store in which the file at `path` lies, however deep, links resolved; None where it is in none."""
    try:
        real = os.path.realpath(path)
        roots = [(os.path.join(os.path.realpath(store.root), ""), store) for store in stores]
    except (OSError, ValueError):
        return None
    holding = [(root, store) for root, store in roots if real.startswith(root)]
    return max(holding, key=lambda held: len(held[0]), default=("", None))[1]


def artifacts_folder(path: str, stores: Iterable[Store]) -> str:
    """The folder of artifacts of the session at `path`, which is its path without the suffix
    (formats/README.md, "oh-my-pi");
    "" where there is none.

    A folder that holds sessions of its own is not one: a store, or the folder of a working folder in a store.
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


def merged(stores: Iterable[Store]) -> list[Store]:
    """The stores with each real folder once, first come first."""
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
    """What two ways to the same folder have in common."""
    try:
        # one question to the system, where to resolve links is one for each part of the path
        status = os.stat(folder)
        return status.st_dev, status.st_ino
    except (OSError, ValueError):
        pass  # it is not there yet, or cannot be
    try:
        return os.path.realpath(folder)
    except (OSError, ValueError):
        return folder
