"""What a caller hands over, looked at before anything is done with it: types, paths, names of agents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from app import paths
from app.sessions.errors import BadValue, NoPath, NotThere, UnknownAgent
from app.stores import AGENTS, agent_named
from app.stores import base as stores

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.stores.base import Agent

    Kind = tuple[str, Callable[[Any], bool]]

Class = TypeVar("Class", bound=type)

AnyPath = str | os.PathLike[str]
"""A path as callers have it: a `pathlib.Path` will do."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_path(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, os.PathLike) and _is_text(os.fspath(value)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_KINDS: dict[str, Kind] = {
    "None": ("None", lambda value: value is None),
    "str": ("a text", _is_text),
    "AnyPath": ("a path", _is_path),
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "int": ("a whole number", lambda value: _is_number(value) and isinstance(value, int)),
    "float": ("a number", _is_number),
    "tuple[str, ...]": (
        "texts in a tuple",
        lambda value: isinstance(value, tuple | list) and all(map(_is_text, value)),
    ),
    "Mapping[str, Any]": ("a mapping", lambda value: isinstance(value, Mapping)),
    "Mapping[str, str]": (
        "a mapping of texts",
        lambda value: (
            value is os.environ
            or (isinstance(value, Mapping) and all(map(_is_text, [*value.keys(), *value.values()])))
        ),
    ),
    "Iterable[Mapping[str, Any]]": (
        "blocks",
        lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping),
    ),
    "Callable[[int, int], object]": ("something to call", callable),
    "Store": ("a store", lambda value: isinstance(value, stores.Store)),
}
"""What the annotations of parameters ask for, each in words and as a test. `Any` asks for nothing."""


def checked(of: Class) -> Class:
    """Have every public method of a class look at the types of what it is given, by its own annotations.

    So what it says and what it takes are one, and what it refuses is refused before anything is done, as a
    `BadValue`. An annotation that `_KINDS` does not know is a KeyError where the class is made.
    """
    for name, member in [*vars(of).items()]:
        if name.startswith("_"):
            continue
        if isinstance(member, classmethod):
            setattr(of, name, classmethod(_looking(member.__func__)))
        elif isinstance(member, FunctionType):
            setattr(of, name, _looking(member))
    return of


def _looking(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, a method, with a look at its arguments first."""
    code = function.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    asked = {name: _kinds(function.__annotations__[name]) for name in names}
    in_order = [*asked.items()][: code.co_argcount - 1]

    @wraps(function)
    def looking(owner: Any, *values: Any, **named: Any) -> Any:
        for (name, kinds), value in zip(in_order, values, strict=False):
            _look(owner, name, kinds, value)
        for name, value in named.items():
            _look(owner, name, asked.get(name, ()), value)
        return function(owner, *values, **named)

    return looking


def _kinds(annotation: str) -> tuple[Kind, ...]:
    return () if annotation == "Any" else tuple(_KINDS[word] for word in annotation.split(" | "))


def _look(owner: Any, name: str, kinds: tuple[Kind, ...], value: Any) -> None:
    if kinds and not any(fits(value) for _, fits in kinds):
        file = getattr(owner, "_file", None)  # a class has none
        wanted = " or ".join(words for words, _ in kinds)
        raise BadValue(file.path if file else "", 0, f"{name} has to be {wanted}, not {_told(value)}")


def _told(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def block(value: Any, path: str) -> dict[str, Any]:
    """One block of a message, as it is written into the session at `path`.

    :raises BadValue: it is none.
    """
    if not isinstance(value, Mapping):
        raise BadValue(path, 0, f"a block of a message has to be a mapping, not {_told(value)}")
    return dict(value)


def taken(path: AnyPath) -> str:
    """`path` as a text, where a file system could have it.

    :raises NoPath: none could.
    """
    path = os.fspath(path)
    try:
        if b"\0" not in os.fsencode(path):
            return path
        reason = "is no path: there is a NUL in it"
    except UnicodeEncodeError:
        reason = "is no path: there is half a character in it"
    raise NoPath(path, 0, reason)


def absolute(path: AnyPath, env: Mapping[str, str] | None) -> str:
    """`path` as the agents take it: a leading `~` is the home folder, what is relative is below this one.

    :raises NotThere: it is relative, and this folder is gone.
    :raises NoPath: it can be none, or the home folder can.
    """
    home = taken(paths.home_folder(os.environ if env is None else env))
    try:
        return paths.absolute(stores.absolute(taken(path), home, ""))
    except paths.Nowhere:
        raise NotThere(os.fspath(path), 0, paths.GONE) from None


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
