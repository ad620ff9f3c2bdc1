"""The texts that are searched against the reference's reading of the same files."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings

from app.formats import kinds
from app.formats.decode import BadLine
from app.formats.dialects import named
from app.formats.everything import Said, everything
from app.formats.fold import encoded, fold
from app.sessions.passages import pieces
from app.sessions.tally.summarise import extend, summarise
from tests.search import reference
from tests.search.random_sessions import NOT_BY_LINES, STORES, sessions

if TYPE_CHECKING:
    from app.formats.dialects.base import Dialect
    from tests.search.random_sessions import Written

many = settings(max_examples=100)


@many
@given(sessions() | sessions(NOT_BY_LINES))
def test_everything_in_an_entry(written: Written) -> None:
    """Every text of every entry, who says it and of which tool."""
    found: Counter[reference.Piece] = Counter()
    spelling, offset = named(written.dialect), 0
    for line in written.content.split(b"\n"):
        for part in range(9):
            try:
                entry = spelling.entry(line, part)
            except BadLine:
                break
            if entry.get("type") != "title":
                found.update(
                    reference.Piece(said.kind, offset, *said[1:], entry.get("id"))
                    for said in everything(entry)
                )
            if written.dialect != "lanes":
                break
        found.update(reference.Piece(said.kind, offset, *said[1:]) for said in _beside(spelling, line))
        offset += len(line) + 1
    assert found == Counter(_read(written))


@many
@given(sessions() | sessions(NOT_BY_LINES))
def test_what_is_kept_of_a_file(written: Written) -> None:
    """Read whole, and read as it grew: all that is said in it, folded, an unfinished last entry included."""
    agents = (STORES[written.dialect],)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_bytes(written.content)
        whole = summarise(str(path), agents, 0)
        end = written.content.rfind(b"\n") + 1
        wanted = [
            (piece.kind, piece.offset, encoded(fold(piece.text)))
            for piece in _read(written)
            if piece.kind in kinds.CONVERSATION
        ]
        assert Counter(pieces(whole.text)) == Counter(wanted)
        offsets = [offset for _, offset, _ in pieces(whole.text)]
        assert offsets == sorted(offsets)
        path.write_bytes(written.content[: end // 2])
        known = summarise(str(path), agents, 0)
        path.write_bytes(written.content)
        grown = extend(str(path), known.state, known.offset, known.fingerprint, agents, 0)
        if grown is not None and known.summary is not None:
            assert [*pieces(known.text + grown.text)] == [*pieces(whole.text)]


def _beside(spelling: Dialect, line: bytes) -> list[Said]:
    try:
        return [said for entry in spelling.beside(line) for said in everything(entry)]
    except BadLine:
        return []


def _read(written: Written) -> list[reference.Piece]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(written.content)
        file.flush()
        return reference.pieces(file.name, written.dialect)
