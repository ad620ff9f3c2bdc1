"""One file for each way of spelling a session; `dialect_named` finds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.dialects.agent import NickcecereAgent
from app.formats.dialects.claude import Claude
from app.formats.dialects.codex import Codex
from app.formats.dialects.indusagi import Indusagi
from app.formats.dialects.omp import Omp
from app.formats.dialects.pi import Pi
from app.formats.dialects.transcript import Transcript

if TYPE_CHECKING:
    from app.formats.dialects.base import Dialect

_DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (Pi(), Omp(), Indusagi(), NickcecereAgent(), Claude(), Codex(), Transcript())
}


def dialect_named(name: str) -> Dialect:
    """The dialect of that name; an unknown one is read as pi's."""
    return _DIALECTS.get(name) or _DIALECTS["pi"]
