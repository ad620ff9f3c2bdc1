"""The figures of all sessions, kept in a file of their own in the cache folder and brought up to date when
statistics are asked for.

Indexing knows nothing of them, and a session that did not change since the last statistics is not read again.
An entry that a fork or another copy carried over counts once, for the session in which it was made. The file
keeps a key of `KEY_BYTES` for each entry, by which copies are recognised (`formats.dialects.copies`). The
sessions are taken in the order in which they began, parents before their forks, and each entry belongs to the
first session that has it.

The figures of a session come with those of its sub-agents, without their prompts and their time: no user
wrote the prompts, and sub-agents work side by side.

A file that is missing, damaged, of another version or of another time zone is made anew from the sessions.
It has two parts: the figures, and the keys, which are read only when a session has changed. Workers count the
figures if there is much to read, and only the packed keys and the sums of a session come back.

Beside the figures are the few fields of the rows that most statistics need, because reading the rows of ten
thousand unchanged sessions takes longer than adding up their figures.
"""

from __future__ import annotations

import marshal
import os
import zlib
from array import array
from collections import defaultdict
from contextlib import closing
from functools import partial
from itertools import pairwise
from time import localtime
from typing import TYPE_CHECKING, NamedTuple

from app.index.catalog.catalog_file import make_folder
from app.index.file_reader import Task, read
from app.index.row import SCHEMA, Outline
from app.index.scan.walk import is_much
from app.index.subagents import Subagent, with_subagents
from app.sessions.summaries.figures import HEAD_BYTES, KEY_BYTES, Figures, packed_keys, unpacked_keys
from app.small_files import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence

    from app.index.file_reader import Result
    from app.index.row import Row, Signature
    from app.stores.base import Store

    Source = Row | Subagent

_FORMAT = 11
"""The version of the file; it changes with `Record` and with the rules of `sessions.summaries.figures`."""

_PARTS = 64
"""Parts in which all heads are sorted."""

_MARSHAL_VERSION = 4
# The bytes of equal values are equal only without references.
_PACKED_VERSION = 2


class Record(NamedTuple):
    """The stored figures of a session.

    outline     its row, of the file that was read
    counts      whether the session was among all when copies were looked for
    carried     number of its entries that belong to other sessions
    owner       the path of the session whose sub-agent wrote it; "" for a session
    packed      the figures of its own entries (see `unpacked`)
    """

    outline: Outline
    counts: bool
    carried: int
    owner: str
    packed: bytes


def _outline_of(source: Source) -> Outline:
    head = (source.path, source.agent, source.signature)
    if isinstance(source, Subagent):
        return Outline(*head, 0, None, 0, False)
    return Outline(*head, source.modified, source.ahead_ms, source.problems, source.torn)


# A call of the class takes three times as long, and statistics make ten thousand of each.
_outline, _record = partial(tuple.__new__, Outline), partial(tuple.__new__, Record)


def _packed(figures: Figures) -> bytes:
    tools = marshal.dumps(figures.tools, _PACKED_VERSION)
    return marshal.dumps((figures.cells, tools, figures.unpriced), _PACKED_VERSION)


def unpacked(packed: Sequence[bytes], *, with_tools: bool = True) -> Figures:
    """The figures of a session. They are kept packed, because unpacked ones of ten thousand sessions take
    20 MB.

    :param packed: its own, and those of its sub-agents.
    :param with_tools: False leaves the tools out, which take longer to unpack than all the rest.
    """
    cells, dumped, unpriced = marshal.loads(packed[0])
    tools = marshal.loads(dumped) if with_tools else ()
    for each in packed[1:]:
        more = unpacked((each,), with_tools=with_tools)
        unpriced += tuple([(len(cells) + cell, *others) for cell, *others in more.unpriced])
        cells += more.cells
        tools += more.tools
    return Figures(cells, tools, unpriced)


_NOTHING = _packed(Figures((), ()))


def figures_path(folder: str) -> str:
    """The path of the file in a cache folder."""
    return os.path.join(folder, f"figures-{SCHEMA}")


def current_figures(
    folder: str,
    rows: Sequence[Row],
    subagents: Sequence[Subagent] = (),
    *,
    on_progress: Callable[[int, int], object] | None = None,
    should_stop: Callable[[], bool] = lambda: False,
) -> dict[str, list[bytes]]:
    """Path -> the packed figures (see `unpacked`) of the entries that were made in each session, current with
    the rows. Sessions that changed since the last call are read. A file that cannot be read has no figures.

    :param folder: the cache folder; if it cannot be written, the next call reads everything again.
    :param rows: all sessions of the catalog, and `subagents` those of `index.subagents.with_subagents`.
    :param on_progress: called with the number of sessions that were read, and how many are to be read.
    :param should_stop: asked before each session, or now and then while workers read; the result is
        incomplete then, and what was read is kept.
    """
    store = _FiguresFile(folder)
    if not store.is_current(rows, subagents):
        sources: dict[str, Source] = {row.path: row for row in rows}
        sources.update((each.path, each) for each in subagents)
        _Update(store, sources, on_progress, should_stop).run()
        store.write()
    return dict(zip([row.path for row in rows], store.packed(rows, subagents), strict=True))


def known_figures(
    folder: str,
    stores: Sequence[Store],
    files: Mapping[str, tuple[Signature, Store]],
    refused: Mapping[str, Signature],
) -> list[tuple[Row | Outline, list[bytes]]] | None:
    """The sessions of some stores and their packed figures, without a look at their rows; None if a session
    is new, changed or gone, or a file could not be read.

    :param folder: the cache folder.
    :param files: those that a walk of the stores has just found (`index.scan.walk.WalkResult`).
    :param refused: path -> signature of the files that are no sessions.
    """
    store = _FiguresFile(folder)
    outlines: list[Outline] = []
    for path, (signature, _) in files.items():
        if refused.get(path) == signature:
            continue
        record = store.records.get(path)
        if record is None or record.outline.signature != signature:
            return None
        outlines.append(record.outline)
    if len(outlines) + len(refused) != len(files):
        return None
    rows, subagents = with_subagents(stores, outlines)
    if not store.is_current(rows, subagents):
        return None
    return list(zip(rows, store.packed(rows, subagents), strict=True))


class StoredFigures:
    """The figures in the file as they are, read again when the file has changed."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._read_at: tuple[int, int] | None = None
        self._records: dict[str, Record] = {}
        self._of_subagents: dict[str, list[bytes]] = {}

    def of(self, rows: Sequence[Row]) -> list[Figures] | None:
        """The figures of the entries that were made in each of some sessions; None if one of them has changed
        since they were counted.
        """
        try:
            status = os.stat(figures_path(self._folder))
            changed_at = (status.st_ino, status.st_mtime_ns)
        except (OSError, ValueError):
            return None
        if changed_at != self._read_at:
            self._records = _FiguresFile(self._folder).records
            self._read_at = changed_at
            self._of_subagents = defaultdict(list)
            for record in self._records.values():
                if record.owner and record.counts:
                    self._of_subagents[record.owner].append(record.packed)
        found = [self._records.get(row.path) for row in rows]
        known = [
            unpacked([record.packed, *self._of_subagents.get(row.path, ())])
            for record, row in zip(found, rows, strict=True)
            if record is not None and record.counts and record.outline.signature == row.signature
        ]
        return known if len(known) == len(rows) else None


class _FiguresFile:
    """The stored records and keys. The keys of all sessions follow the records, without anything between."""

    def __init__(self, folder: str) -> None:
        self.records: dict[str, Record] = {}
        self._folder = folder
        self._path = figures_path(folder)
        self._keys: dict[str, bytes] | None = None
        self._keys_at = 0
        self._keys_digest = 0
        self._sizes: list[int] = []
        try:
            with open(self._path, "rb") as file:
                version, zone, digest, sizes, self._keys_digest = marshal.load(file)
                if version != _FORMAT or zone != _zone():
                    raise ValueError("another version, or another time zone")
                others, packed = map(file.read, sizes)
                self._keys_at = file.tell()
            if digest != _digest((others, packed)):
                raise ValueError("damaged")
            # Columns are read faster than records, and one by one they hold up no other thread for long.
            dumped = marshal.loads(zlib.decompress(others))
            paths, self._sizes, *columns = map(marshal.loads, (*dumped, packed))
            number = len(Outline._fields) - 1
            outlines = map(_outline, zip(paths, *columns[:number], strict=True))
            self.records = dict(
                zip(paths, map(_record, zip(outlines, *columns[number:], strict=True)), strict=True)
            )
        except (OSError, ValueError, EOFError, TypeError, OverflowError, MemoryError, zlib.error):
            self.records = {}
            self._sizes = []

    def is_current(self, rows: Sequence[Row | Outline], subagents: Sequence[Subagent]) -> bool:
        """Whether no session and no sub-agent is new, changed or gone."""
        counting = sum([record.counts for record in self.records.values()])
        sources = {source.path: source for source in (*rows, *subagents)}
        return counting == len(sources) and all(map(self.counts, sources.values()))

    def counts(self, source: Source | Outline) -> bool:
        """Whether the figures of a session are known, and it was among all when copies were looked for."""
        record = self.records.get(source.path)
        if record is None or not record.counts:
            return False
        return record.owner == _owner(source) and record.outline.signature == source.signature

    def packed(self, rows: Iterable[Row | Outline], subagents: Iterable[Subagent]) -> list[list[bytes]]:
        """The packed figures of each session and of its sub-agents."""
        records = self.records
        inside: dict[str, list[bytes]] = defaultdict(list)
        for each in subagents:
            if each.path in records:
                inside[each.parent_session].append(records[each.path].packed)
        return [
            [record.packed if (record := records.get(row.path)) else _NOTHING, *inside.get(row.path, ())]
            for row in rows
        ]

    def keys(self) -> dict[str, bytes]:
        """Path -> the packed keys of the entries of each session."""
        if self._keys is None:
            self._keys = {}
            try:
                if self.records:
                    self._keys = self._read_keys()
            except (OSError, ValueError, TypeError):
                # Without the keys, it is not known which entries are copies.
                self.records = {}
        return self._keys

    def _read_keys(self) -> dict[str, bytes]:
        with open(self._path, "rb") as file:
            file.seek(self._keys_at)
            keys = {path: file.read(size) for path, size in zip(self.records, self._sizes, strict=True)}
        if _digest(keys.values()) != self._keys_digest:
            raise ValueError("damaged, or replaced by another process")
        return keys

    def write(self) -> None:
        """Store the records and the keys. If that is not possible, nothing is stored."""
        keys_of = self.keys()
        keys = [keys_of[path] for path in self.records]
        columns = [
            list(self.records),
            list(map(len, keys)),
            *zip(*[record.outline[1:] for record in self.records.values()], strict=True),
            *zip(*[record[1:] for record in self.records.values()], strict=True),
        ]
        dumped = [marshal.dumps(column, _MARSHAL_VERSION) for column in columns]
        # The packed figures are not compressed: reading them would take ten milliseconds more.
        others, packed = zlib.compress(marshal.dumps(dumped[:-1], _MARSHAL_VERSION), 1), dumped[-1]
        sizes = (len(others), len(packed))
        head = (_FORMAT, _zone(), _digest((others, packed)), sizes, _digest(keys))
        try:
            make_folder(self._folder)
            # Only this user may read the file: it has the folders of sessions.
            replace_file(self._path, b"".join([marshal.dumps(head, _MARSHAL_VERSION), others, packed, *keys]))
        except (OSError, ValueError):
            # The next statistics read the sessions again.
            pass


class _Update:
    """Brings the stored records up to date with the rows."""

    def __init__(
        self,
        store: _FiguresFile,
        rows: dict[str, Source],
        on_progress: Callable[[int, int], object] | None,
        should_stop: Callable[[], bool],
    ) -> None:
        self._store = store
        self._rows = rows
        self._on_progress = on_progress
        self._should_stop = should_stop

    def _changed(self) -> list[Source]:
        return [row for row in self._rows.values() if not self._store.counts(row)]

    def _gone(self) -> list[str]:
        return [
            path for path, record in self._store.records.items() if record.counts and path not in self._rows
        ]

    def run(self) -> None:
        """Read the changed sessions, and find the entries that belong to others."""
        keys = self._store.keys()
        records = self._store.records  # `keys` may have emptied them
        changed = self._changed()
        # If most are new, all repeated keys are looked for: a set of the keys of all entries would be large.
        touched: set[int] | None = None if len(changed) * 2 > len(self._rows) else set()
        for path in self._gone():
            if touched is not None:
                touched.update(_heads(keys[path]))
            # The session may lie in a store that only other folders have.
            if os.path.exists(path):
                records[path] = records[path]._replace(counts=False)
            else:
                del records[path], keys[path]
        number = 0
        with closing(self._read_all(changed, {})) as results:
            for row, result in results:
                if self._on_progress is not None:
                    self._on_progress(number, len(changed))
                number += 1
                old = keys.get(row.path, b"")
                # The list has a file that cannot be read until the next scan.
                keys[row.path] = result.values[0] if result.values else b""
                records[row.path] = Record(_outline_of(row), True, 0, _owner(row), _figures(row, result))
                if touched is not None:
                    touched.update(_heads(old))
                    touched.update(_heads(keys[row.path]))
        self._settle(touched, [path for path, record in records.items() if record.counts])

    def _read_all(
        self, rows: Sequence[Source], foreign: Mapping[str, bytes]
    ) -> Generator[tuple[Source, Result]]:
        """Count the figures of some sessions, by workers if there is much to read. Yield (row, result) as
        they come. It ends early if it should stop.

        :param foreign: path -> the packed keys of the entries that belong to other sessions.
        """
        tasks = [(Task(row.path, (row.agent,), foreign=foreign.get(row.path, b"")), row.size) for row in rows]
        if len(rows) <= 1 or not is_much(sum(size for _, size in tasks)):
            for row, (task, _) in zip(rows, tasks, strict=True):
                if self._should_stop():
                    return
                yield row, read(task)
            return
        # Imported here: most runs have little to read.
        from app.index.worker_pool import WorkerPool

        with closing(WorkerPool()) as workers:
            for answers in workers.read(tasks):
                if self._should_stop():
                    return
                for index, result in answers:
                    yield rows[index], result

    def _settle(self, touched: set[int] | None, active: Sequence[str]) -> None:
        """Take the entries that belong to other sessions out of the figures.

        :param touched: the heads of the keys of all entries that may belong to another session than before;
            None: of all.
        :param active: the paths of the sessions that count.
        """
        records, keys = self._store.records, self._store.keys()
        if touched is None:
            shared = _repeated_heads(keys[path] for path in active)
            holders = [path for path in active if not shared.isdisjoint(_heads(keys[path]))]
            others = holders
        else:
            holders = [path for path in active if not touched.isdisjoint(_heads(keys[path]))]
            # Their other entries count again too, so that all sessions that have those must be known.
            shared = set()
            for path in holders:
                shared.update(_heads(keys[path]))
            others = [path for path in active if not shared.isdisjoint(_heads(keys[path]))]
        lineage = _Lineage(self._rows)
        held: dict[str, set[bytes]] = defaultdict(set)
        foreign: dict[str, bytes] = {}
        numbers: dict[str, int] = {}
        changing = set(holders)
        for path in lineage.in_order([self._rows[path] for path in others if path in self._rows]):
            own = _shared_keys(keys[path], shared)
            looked, kept = lineage.scopes(self._rows[path])
            carried = [key for key in own if any(key in held[scope] for scope in looked)]
            for scope in kept:
                held[scope].update(own)
            if path in changing and len(carried) != records[path].carried:
                numbers[path] = len(carried)
                foreign[path] = packed_keys(carried)
        del held, shared
        with closing(self._read_all([self._rows[path] for path in foreign], foreign)) as results:
            for row, result in results:
                records[row.path] = records[row.path]._replace(
                    carried=numbers[row.path], packed=_figures(row, result)
                )


def _owner(row: Source | Outline) -> str:
    return row.parent_session if isinstance(row, Subagent) else ""


def _figures(row: Source, result: Result) -> bytes:
    """The packed figures of a session that was read; none if it cannot be read."""
    if result.values is None:
        return _NOTHING
    _, cells, tools, unpriced = result.values
    if isinstance(row, Subagent):
        cells = tuple([(day, model, 0, *others, 0) for day, model, _, *others, _ in cells])
    return _packed(Figures(cells, tools, unpriced))


def _zone() -> int:
    """A digest of the offsets of the time zone in ten days each from 2015 to 2040: its days are those of the
    figures.
    """
    offsets = [localtime(start).tm_gmtoff for start in range(1_420_070_400, 2_208_988_800, 864_000)]
    return zlib.crc32(array("i", offsets))


def _digest(parts: Iterable[bytes]) -> int:
    digest = 0
    for part in parts:
        digest = zlib.crc32(part, digest)
    return digest


def _heads(blob: bytes) -> array[int]:
    """The first bytes of each key, as numbers."""
    return array("I", blob[: len(blob) // KEY_BYTES * HEAD_BYTES])


def _shared_keys(blob: bytes, shared: set[int]) -> list[bytes]:
    return [key for head, key in zip(_heads(blob), unpacked_keys(blob), strict=True) if head in shared]


def _repeated_heads(blobs: Iterable[bytes]) -> set[int]:
    """The heads that occur more than once."""
    # Sorted lists of parts take less memory than a set of all, and hold up other threads for less time than
    # one list.
    parts = [array("I") for _ in range(_PARTS)]
    for blob in blobs:
        for head in _heads(blob):
            parts[head % _PARTS].append(head)
    repeated: set[int] = set()
    for part in parts:
        repeated.update([one for one, other in pairwise(sorted(part)) if one == other])
    return repeated


class _Lineage:
    """Which session was forked from which.

    :param rows: path -> row.
    """

    def __init__(self, rows: dict[str, Source]) -> None:
        self._rows = rows
        self._by_id = {row.id: path for path, row in rows.items() if row.id}
        self._by_name = {os.path.basename(path): path for path in rows}

    def _parent_of(self, row: Source) -> Source | None:
        named = row.parent_session
        if not named:
            return None
        path = named if named in self._rows else self._by_id.get(named)
        return self._rows.get(path or self._by_name.get(os.path.basename(named)) or "")

    def in_order(self, holders: Iterable[Source]) -> list[str]:
        """The paths of sessions, a parent before its forks, and otherwise by the time at which they began."""
        holders = list(holders)
        ranks: dict[str, tuple[int, int, str]] = {}
        for holder in holders:
            line: list[Source] = []
            above: Source | None = holder
            # A file may name itself or its own fork as its parent.
            while above is not None and above.path not in ranks and above not in line:
                line.append(above)
                above = self._parent_of(above)
            for row in reversed(line):
                parent = self._parent_of(row)
                began, depth, _ = ranks.get(parent.path if parent else "", (0, -1, ""))
                ranks[row.path] = (max(began, row.created or 0), depth + 1, row.path)
        return sorted((holder.path for holder in holders), key=lambda path: ranks[path])

    def scopes(self, row: Source) -> tuple[Collection[str], Collection[str]]:
        """The names under which the originals of a session's copies are looked for, and those under which its
        own entries are kept for the sessions behind it: all sessions have one name, or in some formats each
        has its id. The forks of a session that is gone keep theirs under the id of that one too.
        """
        # Imported here: statistics of unchanged sessions need no decoder.
        from app.formats.dialects import dialect_named

        if not dialect_named(row.dialect).copies_stay_in_family:
            # A session that was handed over from such an agent has copies of its parent's.
            parent = self._parent_of(row)
            family = parent is not None and dialect_named(parent.dialect).copies_stay_in_family
            return (("", *self.scopes(parent)[0]) if parent is not None and family else ("",)), ("",)
        above: Source | None = row
        ids: dict[str, None] = {}
        while above is not None and above.id not in ids:
            ids[above.id] = None
            named, above = above.parent_session, self._parent_of(above)
            if named and above is None:
                ids[named] = None
                return ids, (row.id, named)
        return ids, (row.id,)
