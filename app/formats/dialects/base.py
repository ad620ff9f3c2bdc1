"""How one agent spells its entries: what a line says, and what a name is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from app.formats.context import compaction_messages
from app.formats.decode import decode
from app.formats.dialects.writing import Writing
from app.formats.skim import DECODE_CAMEL, DECODE_SNAKE, Skim, skim

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Mark(Skim, gc=False):
    """What a line says about a session without being an entry of it.

    `type` is "leaf" (`target_id` is it, or None), "label" (`target_id`, `label`), "session_info" (`name`)
    or "usage" (`usage`).
    """


class Fork(NamedTuple):
    """The head of a new session cut from another.

    `timestamp` is ISO 8601; `left_at` the id of the last entry that is carried over; `note` why it was
    forked.
    """

    session_id: str
    timestamp: str
    cwd: str
    parent_path: str
    left_at: str
    entry_id: str
    note: str = ""


class Dialect:
    """The spelling of pi's v3 family: one entry a line, the last one is the leaf (formats/README.md, "Leaf").

    Agents that differ override what differs.
    """

    name = "pi"
    one_entry_a_line = True
    """False where a line may hold several entries, or what it says is more than an entry: such a file is read
    whole when it changes."""
    fast: Callable[[bytes], Skim] = DECODE_CAMEL
    """The typed decoder of one line; raises `skim.REFUSALS`."""
    snake = False
    linear = False
    """Whether each entry goes on from the one before it, whatever it says that it hangs on: the format has no
    branches."""
    migrates = True
    """Whether the versions are pi's, so that older ones are read as version 3
    (formats/README.md, "Behaviour of SessionManager").
    """
    naming = b"session_info"
    """What stands in each line that names the session; empty where no line after the header does."""

    writing: Writing | None = Writing()
    """How the agent writes; None where this project only reads."""
    forks_last = False
    """Whether a fork carries the last messages over, and not a path to an entry."""

    def skims(self, line: bytes, wrong: list[str] | None = None) -> Sequence[Skim]:
        """The entries and marks of `line`, in order.

        :param wrong: gets the names of the fields whose values are invalid and count as absent.
        :raises BadLine: it holds no JSON of this dialect.
        """
        return (skim(line, wrong, snake=self.snake),)

    def renamed(self, before: str | None, name: str | None) -> str | None:
        """The session's name after an entry that names it `name`: pi's latest wins, an empty one clears."""
        return name

    def entry(self, line: bytes, part: int = 0) -> dict[str, Any]:
        """The whole of entry number `part` of `line`, in the spelling of pi's version 3.

        :raises BadLine: there is none.
        """
        return decode(line)

    def entries(self, line: bytes) -> list[dict[str, Any]]:
        """All entries of `line`, each as `entry` gives it.

        :raises BadLine: it holds no JSON of this dialect.
        """
        return [self.entry(line)]

    def beside(self, line: bytes) -> list[dict[str, Any]]:
        """What `line` says without being an entry, as entries without ids: for who looks for its words.

        :raises BadLine: it holds no JSON of this dialect.
        """
        return []

    def written(self, line: bytes, part: int = 0) -> dict[str, Any]:
        """The same entry as it stands on disk, unknown fields and all.

        :raises BadLine: there is none.
        """
        return decode(line)

    def fork(self, head: Fork, lines: Sequence[bytes]) -> bytes:
        """A new session with the message entries `lines`, where the agent forks no other way.

        :raises NotImplementedError: it does, or its sessions are only read here.
        """
        raise NotImplementedError

    def file_of(self, tool: str, path: str) -> str:
        """The file that a call of `tool` with that `path` is about; "" where it is about none."""
        return path

    def summary(self, entry: dict[str, Any], stamp: int | None) -> list[dict[str, Any]]:
        """What stands in the context for all that the compaction `entry` of time `stamp` (ms) replaced."""
        return compaction_messages(entry, stamp)


class SnakeDialect(Dialect):
    """A dialect whose keys are in snake_case."""

    fast = DECODE_SNAKE
    snake = True
    writing = None
