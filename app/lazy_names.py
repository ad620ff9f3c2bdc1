"""Public names of a package whose modules load when a name is first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(package: str, modules: Mapping[str, str]) -> tuple[list[str], Callable[[str], object]]:
    """Return `__all__` and `__getattr__` of a package.

    :param package: the package's `__name__`.
    :param modules: for each module, relative to the package, its public names with blanks between them.
    """
    module_of = {name: module for module, names in modules.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # Imported here: a printed list and the first frame need almost none of these modules.
        from importlib import import_module

        return getattr(import_module(f"{package}.{module_of[name]}"), name)

    return [*module_of], load
