"""Words that are in a corpus only where its truth says, and that a search must find (measure 6).

Every needle is a word that no other text of the corpus has, in one kind of place: a prompt, tool output, a
label. `Plan` decides which sessions get which needles; a conversation writes them, and the truth records
them.
"""

from __future__ import annotations

import random
import unicodedata
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks.corpus.chunks import Text
from tests.benchmarks.corpus.draft import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.corpus.draft import Draft

CONVERSATION = frozenset((
    "user", "assistant", "thinking", "compaction", "branch_summary", "custom_message", "abandoned",
))  # fmt: skip
"""Places that a search while typing covers. "abandoned" is a prompt off the active path."""
META = frozenset(("label", "name"))
DEEP = frozenset(("tool_result", "tool_arguments", "bash_command", "bash_output"))
"""Places that only `in:all` searches."""

_EVENTS = {
    "compaction": "compaction",
    "branch_summary": "branch_summary",
    "custom_message": "custom_message",
    "abandoned": "branch",
    "label": "label",
    "name": "name",
    "bash_command": "bash",
    "bash_output": "bash",
}
"""Place of a needle -> the kind of event that a session must support for it (`Draft.can`)."""


class Needle(NamedTuple):
    """A planted text.

    name    the case that it tests
    place   the kind of place that it is planted in
    text    the text in the session
    query   the query that finds it
    share   its share of the sessions, on average; each needle is in at least one
    most    the number of sessions at most
    spelt   gives the JSON of `text` between the quotes
    """

    name: str
    place: str
    text: str
    query: str
    share: float = 0.0
    most: int = 1_000_000
    spelt: Callable[[str], str] = lambda text: quote(text)[1:-1]

    @property
    def tier(self) -> str:
        """ "typed", "meta" or "deep"."""
        if self.place in CONVERSATION:
            return "typed"
        return "meta" if self.place in META else "deep"


class Planted(NamedTuple):
    """A needle in a session: in the entry `number` (from 0) with the id `entry_id` (None in files without
    ids).

    For a label, it is the labelled entry; for a name, both are None.
    """

    needle: str
    place: str
    entry_id: str | None
    number: int | None


def _letters(text: str) -> str:
    """Escape every third letter."""
    return "".join(f"\\u{ord(char):04x}" if index % 3 == 1 else char for index, char in enumerate(text))


def _as_go(text: str) -> str:
    """Escape <, > and &, as Go's encoder does."""
    return "".join(f"\\u{ord(char):04x}" if char in "<>&" else char for char in text)


def _ascii(text: str) -> str:
    """Escape all characters beyond ASCII, with surrogate pairs beyond 16 bits, and write \\/ for /."""
    pairs = text.encode("utf-16-be", "surrogatepass")
    units = [int.from_bytes(pairs[offset : offset + 2], "big") for offset in range(0, len(pairs), 2)]
    return "".join(chr(unit) if unit < 0x80 else f"\\u{unit:04X}" for unit in units).replace("/", "\\/")


def _decomposed(text: str) -> str:
    return unicodedata.normalize("NFD", text)


_WORDS = "copper lanterns drift westward"
NEEDLES = (
    Needle("user", "user", "zelgrimptor", "zelgrimptor", 0.06),
    Needle("assistant", "assistant", "quandlewisp", "quandlewisp", 0.06),
    Needle("thinking", "thinking", "murnivacle", "murnivacle", 0.02),
    Needle("compaction", "compaction", "oxtrellium", "oxtrellium", 0.01),
    Needle("branch summary", "branch_summary", "fendrickova", "fendrickova", 0.01),
    Needle("custom message", "custom_message", "yabberwock", "yabberwock", 0.003),
    Needle("abandoned branch", "abandoned", "glimspruthe", "glimspruthe", 0.02),
    Needle("tool result", "tool_result", "trombolith", "trombolith", 0.02),
    Needle("tool arguments", "tool_arguments", "wexelbrand", "wexelbrand", 0.01),
    Needle("bash command", "bash_command", "kipfelstrum", "kipfelstrum", 0.003),
    Needle("bash output", "bash_output", "dravenquill", "dravenquill", 0.003),
    Needle("label", "label", "lumpensorrel", "lumpensorrel", 0.001, 3),
    Needle("name", "name", "harquebrine", "harquebrine", 0.001, 3),
    Needle("inside an identifier", "assistant", "reFrobnosticatorHandle()", "robnosticat", 0.01),
    Needle("inside an identifier of a tool", "tool_result", "m_ixPluvionDecoder2", "pluviondec", 0.005),
    Needle("emoji", "user", "🦑🪐👩🏽‍🚀", "🪐👩🏽‍🚀", 0.001, 2),
    Needle("CJK", "user", "螢火蟲索引機", "火蟲索引", 0.004),
    Needle("accents composed", "assistant", "Žluťöçký", _decomposed("žluťöçký"), 0.004),
    Needle("accents decomposed", "user", _decomposed("Ŝtrüdéļník"), "ŝtrüdéļník", 0.004),
    Needle("upper case", "user", "VORPALTANGE", "vorpaltange", 0.004),
    Needle("sharp s", "assistant", "Knurrstraßenbahn", "knurrstrassenbahn", 0.004),
    Needle("quotes", "user", 'brontide="parvenu"', "brontide=", 0.003),
    Needle("backslashes", "assistant", "C:\\nubilous\\tarn\\u0041x", "nubilous\\tarn\\u0041x", 0.003),
    Needle("as Go writes", "user", "<ploverdrin>&amp", "<ploverdrin>&amp", 0.003, spelt=_as_go),
    Needle("escaped letters", "assistant", "snarkelbequeath", "snarkelbequeath", 0.003, spelt=_letters),
    Needle("escaped pairs", "user", "vélo🦕/tandem", "élo🦕/tandem", 0.003, spelt=_ascii),
    Needle("escaped letters, tool", "tool_result", "Grizzelmorph", "grizzelmorph", 0.003, spelt=_letters),
    Needle("escaped pairs, tool", "tool_arguments", "naïf🦤/lurk", "naïf🦤/lurk", 0.003, spelt=_ascii),
    Needle("backslashes, tool", "bash_output", "\\\\nas\\tilth\\nox", "nas\\tilth\\nox", 0.002),
    Needle("phrase", "assistant", "copper  lanterns drift\nwestward", f'"{_WORDS}"', 0.0, 1),
    Needle("its words", "user", "westward drift copper and lanterns", _WORDS, 0.05),
)
ALSO = {"its words": ("phrase",)}
"""Name of a needle -> the other needles that its query finds as well."""
BY_NAME = {needle.name: needle for needle in NEEDLES}


class Plan:
    """Decides which sessions get which needles, by the seed alone."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(f"needles {seed}")
        self._sessions = dict.fromkeys(BY_NAME, 0)

    def choose(self, draft: Draft) -> list[Needle]:
        """Choose the needles of a new session; the first one that no session has yet is among them."""
        possible = [
            needle
            for needle in NEEDLES
            if _EVENTS.get(needle.place, "") in ("", *_can(draft))
            and self._sessions[needle.name] < needle.most
        ]
        missing = [needle for needle in possible if not self._sessions[needle.name]][:1]
        drawn = [needle for needle in NEEDLES if self._rng.random() < needle.share]
        return missing + [needle for needle in drawn if needle in possible and needle not in missing]

    def count(self, planted: list[dict[str, Any]]) -> None:
        """Count the needles of a finished session (`Planted`, as in the truth file)."""
        for name in {placed["needle"] for placed in planted}:
            self._sessions[name] += 1


def _can(draft: Draft) -> tuple[str, ...]:
    return ("bash",) if draft.version == 1 else tuple(draft.can)


def with_needle(text: Text, needle: Needle) -> Text:
    """Return `text` with the needle at its end."""
    return Text(f"{text.plain} {needle.text} it is", f'{text.json[:-1]} {needle.spelt(needle.text)} it is"')
