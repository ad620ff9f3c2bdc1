"""Reads the words of the tool calls, their output and the commands of users in a session.

The texts are those that a search reads from the file, so that both agree. A word is a longest run of letters,
digits and the signs of paths, names of files, options and addresses, with the bracket of a call behind it. It
is read folded and, if it differs, as it is written (NFC) and in small letters with marks: `load_tree(` and
`Load_Tree(`; `cafe`, `Café` and `café`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from app.formats.dialects import dialect_named
from app.formats.glued import entries_in
from app.formats.header import find_header
from app.formats.lines import BOM, digest_before, line_windows, opened
from app.formats.odd_values import without_odd_words
from app.formats.search_text import iter_texts
from app.formats.text_kinds import TOOLS
from app.formats.utf8_text import fold, nfc_text, with_marks

if TYPE_CHECKING:
    from collections.abc import Sequence

WORD = re.compile(r"[\w./@~\u0300-\u036f．／＠～＿－-]+[(（]?")
"""With combining marks, and signs of full width: without marks, and in their usual width, they are words."""

_SPACED = bytes(
    byte if byte > 127 or byte in b"_./@~-(" or chr(byte).isalnum() else 32 for byte in range(256)
)
"""Makes blanks of the characters of ASCII that are in no word. A word ends after a bracket."""


class WordsRead(NamedTuple):
    """The words in a part of a session's file.

    words        with a newline between them
    begin, end   the part
    check        a digest of the bytes before `end`
    """

    words: bytes
    begin: int
    end: int
    check: int


def read_words(path: str, agents: Sequence[str], begin: int = 0, check: int = 0) -> WordsRead:
    """The words in the whole lines of the session at `path`.

    :param agents: the agents whose store it lies in, usually one.
    :param begin: where the last reading has ended, if only what was appended since is to be read. The file is
        read whole if it has changed before that.
    :param check: of that reading.
    :raises NotASession: it is no session.
    :raises OSError: it cannot be read.
    """
    found: set[bytes] = set()
    with opened(path) as descriptor:
        header = find_header(path, descriptor, agents)
        if begin and digest_before(descriptor, begin) != check:
            begin = 0
        dialect = dialect_named(header.dialect)
        end = begin
        for buffer, size, length in line_windows(descriptor, begin):
            texts: list[str] = []
            for line in bytes(buffer[:size]).split(b"\n"):
                for entry in entries_in(line.removeprefix(BOM), dialect) if line else ():
                    parts = iter_texts(without_odd_words(entry), other=False)
                    texts += [text for kind, text, _ in parts if kind in TOOLS]
            found.update(words_in("\n".join(texts)))
            if buffer.endswith(b"\n", 0, size):
                end += length
            else:
                # The unfinished line is read again when it is whole.
                end += buffer.rfind(b"\n", 0, size) + 1
        return WordsRead(b"\n".join(found), begin, end, digest_before(descriptor, end))


def words_in(text: str) -> set[bytes]:
    """The words of a text."""
    # Few words are not ASCII, and each is folded once.
    runs = set(nfc_text(text).replace(b"(", b"( ").translate(_SPACED).split())
    found = {run for run in runs if run.isascii()}
    runs -= found
    found.discard(b"(")
    found.update([word.lower() for word in found])
    for run in runs:
        for word in WORD.findall(run.decode("utf-8", "replace")):
            found.add(word.encode())
            for form in (with_marks, fold):
                found.update([folded.encode() for folded in WORD.findall(form(word))])
    return found
