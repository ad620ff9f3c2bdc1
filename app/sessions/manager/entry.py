"""One entry of an opened session: its place in the tree, and the whole of it when somebody asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.json import Decoder

from app.formats.migrate import CURRENT_VERSION, migrate
from app.formats.respell import migrated
from app.formats.stamps import parse_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.formats.dialects.base import Dialect


class Spelling:
    """How the entries of one file are read: shared by all of them."""

    __slots__ = ("dialect", "plain", "version")

    def __init__(self, dialect: Dialect, version: int) -> None:
        self.dialect = dialect
        self.version = version if dialect.migrates else CURRENT_VERSION
        self.plain = dialect.writing is not None
        """Entries on disk are in the words of pi's version 3 already, or are migrated to be."""


class Entry(Struct, eq=False, gc=False, dict=False):
    """An entry of a session (formats/README.md, "Behaviour of SessionManager").

    type, id, parent_id   as written; those of a file of version 1 are made up; "" where an entry has no id
    timestamp             as written: ISO 8601 text, or milliseconds
    line                  the number of its line, from 1; 0 where it was never written
    index                 its number among the entries, from 0

    Lines of pi's family are decoded straight into it. The fields that are not of the line are called what no
    agent calls a field, and are set after decoding whatever stood there.
    """

    type: str = ""
    id: str = ""
    parent_id: str | None = field(default=None, name="parentId")
    timestamp: int | float | str | None = None
    target_id: str | None = field(default=None, name="targetId")
    label: str | None = None
    name: str | None = None
    index: int = field(default=0, name="#index")
    line: int = field(default=0, name="#line")
    _line: Any = field(default=b"", name="#source")
    """Bytes, or a view of the file's bytes: twenty thousand lines need not be copied to be read."""
    _part: int = field(default=0, name="#part")
    _raw: dict[str, Any] | None = field(default=None, name="#raw")
    _spelling: Spelling | None = field(default=None, name="#spelling")

    @property
    def source(self) -> bytes:
        """The line as it stands on disk, without its newline; empty where it was never written."""
        return bytes(self._line)

    @property
    def raw(self) -> dict[str, Any]:
        """The object as it stands on disk, unknown fields and all; of an old version as migrated."""
        if self._raw is None:
            spelling = self._spelling
            assert spelling is not None
            found = spelling.dialect.written(self.source, self._part)
            if spelling.version < CURRENT_VERSION:
                found = migrate(found, spelling.version, self.index)
            self._raw = found
        return self._raw

    @property
    def spelt(self) -> dict[str, Any]:
        """The entry in the words of pi's version 3; the same object as `raw` where it is one."""
        spelling = self._spelling
        if spelling is None or spelling.plain or not self.source:
            return self.raw
        return spelling.dialect.entry(self.source, self._part)

    @property
    def carried(self) -> bytes:
        """The line as a file of version 3 has it, nothing else in it changed; empty where it was never
        written.
        """
        spelling = self._spelling
        if spelling is None or not self.source:
            return self.source
        return migrated(self.source, spelling.version, self.index)

    @property
    def time_ms(self) -> int | None:
        """The entry's time in milliseconds since the epoch, UTC; None where it has none."""
        return parse_time(self.timestamp)

    def __repr__(self) -> str:
        return f"Entry({self.index}, {self.type}, id={self.id})"


def _never(kind: type, value: object) -> Any:
    raise ValueError(f"a line has no {kind.__name__}")


DECODE: Callable[[bytes | memoryview], Entry] = Decoder(Entry, dec_hook=_never).decode
"""An entry from a line of pi's family, with only the fields of the line; raises `skim.REFUSALS`."""
