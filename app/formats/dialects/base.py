"""How one agent spells its entries (DESIGN "dialect"): what a line says, and what a name is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.formats.decode import decode
from app.formats.skim import DECODE_CAMEL, DECODE_SNAKE, Skim, skim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Mark(Skim, gc=False):
    """What a line says about a session without being an entry of it.

    `type` is "leaf" (`target_id` is it, or None), "label" (`target_id`, `label`), "session_info" (`name`)
    or "usage" (`usage`).
    """


class Dialect:
    """The spelling of pi's v3 family: one entry a line, the last one is the leaf (FORMATS 1.5).

    Agents that differ override what differs.
    """

    name = "pi"
    one_entry_a_line = True
    """False where a line may hold several entries, or what it says is more than an entry: such a file is read
    whole when it changes."""
    fast: Callable[[bytes], Skim] = DECODE_CAMEL
    """The typed decoder of one line; raises `skim.REFUSALS`."""
    snake = False
    migrates = True
    """Whether the versions are pi's, so that older ones are read as version 3 (specs 002)."""

    def skim(self, line: bytes) -> Skim:
        """The entry of `line`, whatever `fast` refuses.

        :raises BadLine: there is none.
        """
        return skim(line, snake=self.snake)

    def skims(self, line: bytes) -> Sequence[Skim]:
        """The entries and marks of `line`, in order.

        :raises BadLine: it holds no JSON of this dialect.
        """
        return (self.skim(line),)

    def renamed(self, before: str | None, name: str | None) -> str | None:
        """The session's name after an entry that names it `name`: pi's latest wins, an empty one clears."""
        return name

    def entry(self, line: bytes, part: int = 0) -> dict[str, Any]:
        """The whole of entry number `part` of `line`, in the spelling of pi's version 3.

        :raises BadLine: there is none.
        """
        return decode(line)


class SnakeDialect(Dialect):
    """A dialect whose keys are in snake_case."""

    fast = DECODE_SNAKE
    snake = True
