"""Textual as the tests run it: no work is repeated for each application.

The tests start thousands of applications in one process. Import this module before the first one.
"""

from __future__ import annotations

from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any

from textual import _callback
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.message import Message
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def share_work() -> None:
    """Make all applications of this process share what they derive from code and styles."""
    _callback._count_parameters = _count_parameters
    Stylesheet._parse_rules = _shared_rules(Stylesheet._parse_rules)  # type: ignore[method-assign]
    MessagePump._get_dispatch_methods = _shared_handlers(  # type: ignore[method-assign]
        MessagePump._get_dispatch_methods
    )
    # Textual also hashes a rule by its identity, in Python.
    RuleSet.__hash__ = object.__hash__  # type: ignore[assignment]


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
    numbers: dict[tuple[tuple[str, str], ...], int] = {}
    last: tuple[dict[str, str], int] = ({}, -1)

    def number_of(variables: dict[str, str]) -> int:
        """Return the number of a set of variables. Textual replaces the set and never changes it."""
        nonlocal last
        if last[0] is not variables:
            last = variables, numbers.setdefault(tuple(sorted(variables.items())), len(numbers))
        return last[1]

    def parse_once(sheet: Stylesheet, css: str, *arguments: Any, **options: Any) -> list[RuleSet]:
        key = (css, arguments, *sorted(options.items()), number_of(sheet._variables))
        if key not in parsed:
            parsed[key] = parse(sheet, css, *arguments, **options)
        return parsed[key]

    return parse_once


def _shared_handlers(
    find: Callable[[MessagePump, str, Message], Iterable[tuple[type, Any]]],
) -> Callable[[MessagePump, str, Message], Iterable[tuple[type, Any]]]:
    """Look for the handlers of a message once for each class of widget, and not once for each message."""

    def find_once(pump: MessagePump, name: str, message: Message) -> Iterable[tuple[type, Any]]:
        named = _named_handlers(type(pump), name, type(message))
        return find(pump, name, message) if named is None else bound(named, pump, message)

    def bound(
        named: list[tuple[type, Any]], pump: MessagePump, message: Message
    ) -> Iterable[tuple[type, Any]]:
        for owner, function in named:
            # The handler before may have prevented the next ones.
            if message._no_default_action:
                break
            yield owner, function.__get__(pump, owner)

    return find_once


@cache
def _named_handlers(pump: type, name: str, message: type[Message]) -> list[tuple[type, Any]] | None:
    """Return (class, function) of each handler that is found by its name.

    :return: None if a class has handlers with the decorator, which may depend on the sender.
    """
    decorated = (vars(owner).get("_decorated_handlers") or {} for owner in pump.__mro__)
    if any(issubclass(message, handled) for handlers in decorated for handled in handlers):
        return None
    functions = [(owner, vars(owner).get(f"_{name}") or vars(owner).get(name)) for owner in pump.__mro__]
    return [
        (owner, function)
        for owner, function in functions
        if function is not None and not getattr(function, "_textual_on", None)
    ]
