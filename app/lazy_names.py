"""Public names of a package whose modules load when a name is first used."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def lazy_names(package: str, modules: Mapping[str, str], own: str = "") -> None:
    """Give a package `__all__` and `__getattr__`. They are set here, and not in the package, because a type
    checker that saw `__getattr__` there would accept every misspelled name.

    :param package: the package's `__name__`.
    :param modules: for each module, relative to the package, its public names with blanks between them.
    :param own: the public names that the package itself defines or imports.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # Imported here: a printed list and the first frame need almost none of these modules.
        from importlib import import_module

        return getattr(import_module(f"{package}.{module_of[name]}"), name)

    there: Any = sys.modules[package]
    there.__all__, there.__getattr__ = [*module_of, *own.split()], load
