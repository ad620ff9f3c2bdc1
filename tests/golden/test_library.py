"""Every name that the help page of the library imports or names is there, and takes what it took."""

from __future__ import annotations

import inspect
import re
from importlib import import_module

import pytest

from tests.golden.record import load

_METHOD = re.compile(r"\w*\([^)]*\)")
MODULES = ("app.api", "app.sessions", "app.sessions.errors", "app.index", "app.stores")


def signatures() -> dict[str, dict[str, str]]:
    """Module -> public name -> its parameters by name, or the methods of a class with theirs."""
    return {
        module: {name: _shape(getattr(import_module(module), name)) for name in _names(module)}
        for module in MODULES
    }


def _names(module: str) -> list[str]:
    there = import_module(module)
    named = getattr(there, "__all__", None)
    if named is None:
        named = [
            name for name, value in vars(there).items() if getattr(value, "__module__", "").startswith("app.")
        ]
    more = ["open"] if module == "app.index" else []
    return sorted({*named, *more} - {"annotations"} if named else [])


def _shape(value: object) -> str:
    if not inspect.isclass(value):
        return _parameters(value)
    methods = [
        f"{name}{_parameters(method)}"
        for name, method in inspect.getmembers(value, callable)
        if not name.startswith("_")
    ]
    return " ".join(methods)


def _parameters(value: object) -> str:
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return ""
    return f"({', '.join(each.name + ('=' if each.default is not each.empty else '') for each in found)})"


@pytest.mark.parametrize("module", MODULES)
def test_the_public_names_of_the_library_are_as_recorded(module):
    now = signatures()[module]
    for name, before in load("library")[module].items():
        # More methods may have come since; those that were there take what they took.
        assert name in now
        assert set(_METHOD.findall(before)) <= set(_METHOD.findall(now[name])), name
