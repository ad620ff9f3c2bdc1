"""What a caller hands over, looked at before anything is done with it: paths, and names of agents."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app import places
from app.sessions.errors import NoPath, NotThere, UnknownAgent
from app.stores import AGENTS, agent_named
from app.stores import base as stores

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.stores.base import Agent


def taken(path: str) -> str:
    """`path`, where a file system could have it.

    :raises NoPath: none could.
    """
    try:
        if b"\0" not in os.fsencode(path):
            return path
        reason = "is no path: there is a NUL in it"
    except UnicodeEncodeError:
        reason = "is no path: there is half a character in it"
    raise NoPath(path, 0, reason)


def absolute(path: str, env: Mapping[str, str] | None) -> str:
    """`path` as the agents take it: a leading `~` is the home folder, what is relative is below this one.

    :raises NotThere: it is relative, and this folder is gone.
    :raises NoPath: it can be none, or the home folder can.
    """
    home = taken(places.home_folder(os.environ if env is None else env))
    try:
        return places.absolute(stores.absolute(taken(path), home, ""))
    except places.Nowhere:
        raise NotThere(path, 0, places.GONE) from None


def known(name: str) -> Agent:
    """The agent of that name.

    :raises UnknownAgent: there is none.
    """
    try:
        return agent_named(name)
    except KeyError:
        names = ", ".join(agent.name for agent in AGENTS)
        raise UnknownAgent("", 0, f"there is no agent {name!r}; there are {names}") from None


def suffixes(names: Iterable[str]) -> tuple[str, ...]:
    """The ends of the names of these agents' files; of all agents' where there are no names.

    :raises UnknownAgent: a name is none.
    """
    agents = [known(name) for name in names] or AGENTS
    return tuple({suffix: None for agent in agents for suffix in agent.suffixes})
