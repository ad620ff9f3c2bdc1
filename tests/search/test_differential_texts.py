"""Compare the texts that are searched with the texts that the reference reads from the same files."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings

from app.formats import BadLine, TextPiece, dialect_named, text_kinds, text_pieces
from app.formats.utf8_text import fold, to_utf8
from app.sessions import extend, summarise
from app.sessions.passages import joined, unpack
from tests.search import reference
from tests.search.random_sessions import NOT_BY_LINES, STORES, sessions

if TYPE_CHECKING:
    from app.formats import Dialect
    from tests.search.random_sessions import Written

many = settings(max_examples=50)


@many
@given(sessions() | sessions(NOT_BY_LINES))
def test_all_texts_of_an_entry(written: Written) -> None:
    """Every text of every entry, with its kind and tool."""
    found: Counter[reference.Piece] = Counter()
    spelling, offset = dialect_named(written.dialect), 0
    for line in written.content.split(b"\n"):
        with suppress(BadLine):
            entry = spelling.entry(line)
            if entry.get("type") != "title":
                found.update(
                    reference.Piece(said.kind, offset, *said[1:], entry.get("id"))
                    for said in text_pieces(entry)
                )
        found.update(reference.Piece(said.kind, offset, *said[1:]) for said in _beside(spelling, line))
        offset += len(line) + 1
    assert found == Counter(_read(written))


@many
@given(sessions() | sessions(NOT_BY_LINES))
def test_the_stored_text_of_a_file(written: Written) -> None:
    """The file is read whole, and as it grew: all texts are stored folded, with those of an unfinished last
    entry.
    """
    agents = (STORES[written.dialect],)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.jsonl")
        path.write_bytes(written.content)
        whole = summarise(str(path), agents, 0)
        end = written.content.rfind(b"\n") + 1
        wanted = [
            (piece.kind, piece.offset, to_utf8(fold(piece.text)))
            for piece in _read(written)
            if piece.kind in text_kinds.CONVERSATION
        ]
        assert Counter(unpack(whole.text.folded)) == Counter(wanted)
        offsets = [offset for _, offset, _ in unpack(whole.text.folded)]
        assert offsets == sorted(offsets)
        path.write_bytes(written.content[: end // 2])
        known = summarise(str(path), agents, 0)
        path.write_bytes(written.content)
        grown = extend(str(path), known.progress, agents, 0) if known.progress else None
        if grown is not None and known.summary is not None:
            assert [*unpack(joined((known.text, grown.text)).folded)] == [*unpack(whole.text.folded)]


def _beside(spelling: Dialect, line: bytes) -> list[TextPiece]:
    try:
        return [said for entry in spelling.metadata_entries(line) for said in text_pieces(entry)]
    except BadLine:
        return []


def _read(written: Written) -> list[reference.Piece]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(written.content)
        file.flush()
        return reference.pieces(file.name, written.dialect)
