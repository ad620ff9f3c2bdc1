"""The costs of tokens at list price, for agents that write no cost of their own (Claude Code, Codex).

A session keeps the tokens without a cost (`Unpriced`), and their cost is computed when it is shown. A price
that changes therefore needs no reading.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.formats.model_names import model_name
from app.formats.price_table import PRICES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from app.formats.partial_entry import Usage

Unpriced = tuple[str, int, int, int, int, int, int]
"""Tokens without a cost: the model as the agent names it, the size of their requests (one of `SIZES`, or 0
for smaller ones), input, output, cache read, cache write, and the part of cache write that is kept for an
hour.
"""

SIZES = (200_000, 272_000)
"""Numbers of tokens. Providers ask more for requests that have more tokens than one of these."""

_MILLION = 1_000_000


class Price(NamedTuple):
    """Dollars for a million tokens.

    cache_write, cache_write_1h   what is kept for five minutes, and for an hour
    long_from                     one of `SIZES`: larger requests have the prices that follow; 0 for none
    """

    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_1h: float
    long_from: float = 0
    long_input: float = 0
    long_output: float = 0
    long_cache_read: float = 0
    long_cache_write: float = 0

    def of(self, size: int) -> tuple[float, float, float, float, float]:
        """The prices for requests of a size: input, output, cache read, cache write, and for an hour."""
        if not self.long_from or size < self.long_from:
            return self[:5]
        an_hour = self.long_cache_write * (self.cache_write_1h / self.cache_write if self.cache_write else 1)
        return (*self[6:10], an_hour)


class Spending(NamedTuple):
    """A cost.

    dollars    the sum of what is known
    estimated  the part of it that is an estimate at list price
    unpriced   the number of tokens whose price is not known
    """

    dollars: float = 0.0
    estimated: float = 0.0
    unpriced: int = 0

    @property
    def known(self) -> float | None:
        """In dollars; None if nothing of it is known."""
        return None if self.unpriced and not self.dollars else self.dollars

    def and_(self, more: Spending) -> Spending:
        """Both together."""
        return Spending(*map(sum, zip(self, more, strict=True)))  # type: ignore[arg-type]


NO_COST = Spending()


class Prices:
    """The prices of models: those of the user, and those of the table.

    :param own: the name of a model -> its price.
    :param aliases: the name of a model -> the name of the model whose price it has.
    """

    def __init__(
        self, own: Mapping[str, Price] | None = None, aliases: Mapping[str, str] | None = None
    ) -> None:
        self._own = {name.lower(): price for name, price in (own or {}).items()}
        self._aliases = {name.lower(): other for name, other in (aliases or {}).items()}
        self._found: dict[str, Price | None] = {}

    def of(self, model: str) -> Price | None:
        """The price of a model, with or without its provider; None if it is not known."""
        if model not in self._found:
            self._found[model] = self._find(model)
        return self._found[model]

    def _find(self, model: str) -> Price | None:
        given = model.lower()
        names = (given, given.rpartition("/")[2], model_name(model))
        alias = next((self._aliases[name] for name in names if name in self._aliases), None)
        if alias is not None:
            given = alias.lower()
            names = (given, given.rpartition("/")[2], model_name(alias))
        for table in (self._own, _TABLE):
            for name in names:
                if name in table:
                    return table[name]
        return None

    def spending(self, dollars: float, unpriced: Iterable[Unpriced]) -> Spending:
        """A cost that stands in the file, and the estimate for the tokens without one."""
        estimated, unknown = 0.0, 0
        for model, size, *amounts in unpriced:
            price = self.of(model)
            if price is None:
                unknown += sum(amounts[:4])
            else:
                estimated += _cost(price.of(size), amounts)
        return Spending(dollars + estimated, estimated, unknown)


class LatePrices(Prices):
    """Prices that are read when a model is looked up: most runs show no estimate.

    :param read: returns the prices.
    """

    def __init__(self, read: Callable[[], Prices]) -> None:
        super().__init__()
        self._read = read
        self._prices: Prices | None = None

    def of(self, model: str) -> Price | None:
        """As `Prices.of`."""
        self._prices = self._prices or self._read()
        return self._prices.of(model)


_TABLE = {name: Price(*numbers) for name, numbers in PRICES.items()}
LIST_PRICES = Prices()
"""The prices of the table alone."""


def _cost(prices: tuple[float, ...], amounts: list[int]) -> float:
    sent, received, read, written, for_an_hour = amounts
    parts = (sent, received, read, written - for_an_hour, for_an_hour)
    return sum(price * part for price, part in zip(prices, parts, strict=True)) / _MILLION


def unpriced_of(usage: Usage, model: str) -> Unpriced | None:
    """The tokens of a usage; None if it has a cost, or no tokens."""
    if usage.cost is not None and usage.cost.total is not None:
        return None
    sent, read, written = (int(each or 0) for each in (usage.input, usage.cache_read, usage.cache_write))
    received, for_an_hour = int(usage.output or 0), int(usage.cache_write_1h or 0)
    if not (sent or received or read or written):
        return None
    prompt = sent + read + written if usage.prompt is None else usage.prompt
    size = max((each for each in SIZES if prompt > each), default=0)
    return model, size, sent, received, read, written, min(for_an_hour, written)


def unpriced_sums(amounts: Iterable[Unpriced]) -> tuple[Unpriced, ...]:
    """The sums for each model and size, in the order in which they first occur."""
    alike: dict[tuple[str, int], list[Unpriced]] = {}
    for each in amounts:
        alike.setdefault(each[:2], []).append(each)
    sums = [(*key, *map(sum, list(zip(*found, strict=True))[2:])) for key, found in alike.items()]
    return tuple([each for each in sums if any(each[2:])])  # type: ignore[misc]
