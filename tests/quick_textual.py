"""Textual as the tests run it: no work is repeated for each application.

The tests start thousands of applications in one process. Import this module before the first one.
"""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any

from textual import _callback
from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.css.model import RuleSet


def share_work() -> None:
    """Make all applications of this process share what they derive from code and styles."""
    _callback._count_parameters = _count_parameters
    Stylesheet._parse_rules = _shared_rules(Stylesheet._parse_rules)  # type: ignore[method-assign]


def _count_parameters(call: Callable[..., object]) -> int:
    """Return how many parameters a function or method has."""
    function = getattr(call, "__func__", None)
    return len(signature(call).parameters) if function is None else _counted(function) - 1


@cache
def _counted(function: Callable[..., object]) -> int:
    return len(signature(function).parameters)


def _shared_rules(parse: Callable[..., list[RuleSet]]) -> Callable[..., list[RuleSet]]:
    """Parse each style sheet once for each set of variables, not once for each application."""
    parsed: dict[tuple[object, ...], list[RuleSet]] = {}

    def parse_once(sheet: Stylesheet, css: str, *arguments: Any, **options: Any) -> list[RuleSet]:
        key = (css, arguments, *sorted(options.items()), *sorted(sheet._variables.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, css, *arguments, **options)
        return parsed[key]

    return parse_once
