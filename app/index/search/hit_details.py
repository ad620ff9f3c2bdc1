"""What is shown of a hit: which piece of a session it is, and what its entry says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats import kinds
from app.formats.everything import everything, parts
from app.formats.stamps import parse_time
from app.index.search.cutting import first_place
from app.index.search.metadata_fields import LABEL, NAME, WHERE, is_said, text_of
from app.index.search.snippet import snippet
from app.index.search.terms import caseless

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.index.search.originals import Originals
    from app.index.search.passage import Passage
    from app.index.search.results import Hit
    from app.index.search.term_matcher import TermMatcher

# What is said of an entry that is there no more: the store knows no more of it than the kind.
_ROLES = {
    kinds.USER: "user",
    kinds.ASSISTANT: "assistant",
    kinds.THINKING: "assistant",
    kinds.SUMMARY: "compaction",
    kinds.CUSTOM: "custom",
    kinds.CALL: "assistant",
    kinds.RESULT: "toolResult",
    kinds.SHELL: "bashExecution",
}


def fill(hit: Hit, piece: Passage | None, seekers: Sequence[TermMatcher], originals: Originals) -> None:
    """Fill in what is shown of a hit.

    :param piece: None where the session itself is the hit.
    :param seekers: those of the piece's mask.
    """
    if piece is None:
        hit.fill("row")
    elif is_said(piece.kind):
        _fill_said(hit, piece, seekers)
    else:
        _fill_text(hit, piece, seekers, originals)


def _fill_text(hit: Hit, piece: Passage, seekers: Sequence[TermMatcher], originals: Originals) -> None:
    place = first_place(piece, seekers)
    if place >= 0 and _fill_from(hit, piece, seekers, _texts(originals.around(hit.row, piece, place), piece)):
        return
    texts = _texts(originals.at(hit.row, piece.offset, piece.end - piece.begin), piece)
    if _fill_from(hit, piece, seekers, texts):
        return
    # The line is not what it was. What the store knows of it is folded.
    line, ranges = snippet(piece.folded, list(map(caseless, seekers))) or ("", ())
    hit.fill("text", piece.kind, piece.offset, None, _ROLES.get(piece.kind, ""), line, ranges)


def _fill_from(
    hit: Hit, piece: Passage, seekers: Sequence[TermMatcher], texts: Sequence[tuple[dict[str, object], str]]
) -> bool:
    """Fill in what the text of the piece says, one of `texts`; False where it has no match."""
    if piece.nth >= len(texts):
        return False
    entry, text = texts[piece.nth]
    shown = snippet(text, seekers)
    if not shown:
        return False
    if entry.get("type") == "session":
        hit.fill("header", snippet=shown[0], ranges=shown[1])
        return True
    hit.fill(
        "text",
        piece.kind,
        piece.offset,
        _string(entry.get("id")) or None,
        _role(entry),
        *shown,
        parse_time(entry.get("timestamp")),
    )
    return True


def _texts(entries: Iterable[dict[str, object]], piece: Passage) -> list[tuple[dict[str, object], str]]:
    """The texts of the piece's kind, each with the entry that it is of: as many as there are pieces."""
    kind = piece.kind
    found = []
    for entry in entries:
        if kind in kinds.CONVERSATION:
            told = [text for each, text, _ in parts(entry, other=False) if each == kind]
            texts = ["\n".join(told)] if told else []
        else:
            # Each tool has its own.
            texts = [each.text for each in everything(entry, other=kind == kinds.OTHER) if each.kind == kind]
        found += [(entry, text) for text in texts]
    return found


def _fill_said(hit: Hit, piece: Passage, seekers: Sequence[TermMatcher]) -> None:
    row = hit.row
    line, ranges = snippet(text_of(row, piece.kind, piece.offset), seekers) or ("", ())
    where = WHERE[piece.kind]
    role = where if piece.kind in (NAME, LABEL) else ""
    target = row.labels[piece.offset][0] if piece.kind == LABEL else None
    hit.fill(where, entry_id=target, role=role, snippet=line, ranges=ranges)


def _role(entry: dict[str, object]) -> str:
    kind = _string(entry.get("type"))
    message = entry.get("message")
    if kind == "message" and isinstance(message, dict):
        return _string(message.get("role")) or kind
    return kind


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def is_told_first(piece: Passage) -> bool:
    """Whether it is a name or a label: what people gave a session is shown before all that was said in it."""
    return piece.kind in (NAME, LABEL)
