"""Numbers in filters: `>1`, `>=0.5`, `<100k`, `<=2m`, `=3`, `3`, `10..20`, `10..`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SIGNS = (">=", "<=", ">", "<", "=")

_FACTORS = {"k": 1_000, "m": 1_000_000}


def comparison(text: str) -> tuple[str, str]:
    """The sign before a value and the rest; "=" and all of it where there is none."""
    for sign in SIGNS:
        if text.startswith(sign):
            return sign, text[len(sign) :]
    return "=", text


def amount(text: str) -> Callable[[float], bool] | None:
    """Which numbers a value means: None when it is none. Both ends of a range belong to it, in either order.

    A `$` before a number and a `k` or `m` (thousand, million) behind it are taken. A number neither begins
    with a needless 0 nor has separators in it: `1,000` is two values.
    """
    low_text, dots, high_text = text.partition("..")
    if high_text.startswith("."):
        # Of three dots one would belong to a number.
        return None
    if dots:
        return _between(low_text, high_text)
    sign, rest = comparison(text)
    number = _number(rest)
    if number is None:
        return None
    if sign == ">":
        return lambda given: given > number
    if sign == ">=":
        return lambda given: given >= number
    if sign == "<":
        return lambda given: given < number
    if sign == "<=":
        return lambda given: given <= number
    return lambda given: given == number


def split_by_commas(values: list[str]) -> bool:
    """Whether the values of a filter look like one number with separators, as `>1,000` does."""
    if len(values) < 2:
        return False
    first = comparison(values[0])[1].removeprefix("$")
    return _digits(first) and len(first) <= 3 and all(_digits(rest) and len(rest) == 3 for rest in values[1:])


def _between(low_text: str, high_text: str) -> Callable[[float], bool] | None:
    low = _number(low_text) if low_text else float("-inf")
    high = _number(high_text) if high_text else float("inf")
    if low is None or high is None or not (low_text or high_text):
        return None
    low, high = min(low, high), max(low, high)
    return lambda given: low <= given <= high


def _number(text: str) -> float | None:
    text = text.removeprefix("$")
    factor = _FACTORS.get(text[-1:].lower(), 1)
    if factor > 1:
        text = text[:-1]
    whole, _, decimals = text.partition(".")
    if not _digits(whole + decimals) or (whole.startswith("0") and len(whole) > 1):
        return None
    return float(text) * factor


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()
