"""Which sessions are kept, which ones their agents may delete soon, and the words about both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.index.row import Row
from app.keys import key_of
from app.stores import agent_named
from app.view.formatting import counted
from app.view.needs import DAY_MS

NOW, THIS, ALWAYS, NEVER = "now", "this", "expiring", "never"
"""The answers to the question what to keep; the last two are values of the setting `keep`."""


class Keeping(NamedTuple):
    """The known facts about the copies of sessions.

    setting   the setting `keep`; "" until it was read
    kept      the paths of the sessions with a copy
    expiring  path -> from when on its agent may delete a session that is not kept, in milliseconds since the
              epoch; those of the next seven days
    agents    the names of these agents
    """

    setting: str = ""
    kept: frozenset[str] = frozenset()
    expiring: Mapping[str, int] = {}
    agents: frozenset[str] = frozenset()

    @property
    def asks(self) -> bool:
        """Whether the user is told about the expiring sessions, and asked what to do."""
        return self.setting == "ask" and bool(self.expiring)

    def warnings(self, now_ms: int, *, with_key: bool = True) -> Sequence[str]:
        """The warning for the header in several lengths, the longest first; none if there is none.

        :param with_key: with the key that opens the question.
        """
        if not self.asks:
            return ()
        days = -(-(min(self.expiring.values()) - now_ms) // DAY_MS)
        when = f"in {counted(days, 'day')}" if days > 0 else "now"
        of = "".join(f" of {agent_named(name).title}" for name in self.agents if len(self.agents) == 1)
        number, key = len(self.expiring), key_of("session.keep") if with_key else ""
        hint = f" ({key})" if key else ""
        return (
            f"{counted(number, 'session')}{of} may be deleted {when}{hint}",
            f"{number:,} may be deleted {when}{hint}",
            f"{number:,} to keep{hint}",
        )


def keep_choices(keeping: Keeping, row: Row | None) -> list[tuple[str, str, str, str]]:
    """The rows of the menu that asks what to keep: key, text, state and answer.

    :param row: the session under the cursor.
    """
    number = len(keeping.expiring)
    choices = [
        ("n", "Keep it now" if number == 1 else f"Keep these {number:,} now", "", NOW),
        ("a", "Always keep before deletion", f'keep = "{ALWAYS}"', ALWAYS),
        ("x", "Never tell me", f'keep = "{NEVER}"', NEVER),
    ]
    if row is not None and not row.is_gone and [*keeping.expiring] != [row.path]:
        choices.append(("B", "Keep only the one at the cursor", "", THIS))
    return choices
