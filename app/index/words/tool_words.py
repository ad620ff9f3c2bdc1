"""Which sessions have a word in a tool call, its output or a command of the user.

The words are kept in files in the cache folder, apart from the catalog, and made in the background of the
screen: indexing knows nothing of them. Workers read the sessions, and what was appended to a session is a
reading of its own. A session that has changed is not covered until it is read again, which waits until there
is much to read: the search reads its file until then. A file that is missing, damaged or of another version
is made anew.
"""

from __future__ import annotations

import os
from array import array
from contextlib import closing
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from app.formats.utf8_text import counts_marks, fold, to_nfc, with_marks
from app.index.catalog.catalog_file import words_in, words_paths
from app.index.file_reader import Task
from app.index.query.query import REGEX
from app.index.scan.executor import read_all
from app.index.scan.walk import is_much
from app.index.words.word_segment import (
    MOST_READINGS,
    NAME,
    Reading,
    WordSegment,
    merge_segments,
    numbers_of,
    write_segment,
)
from app.sessions.summaries.words_reader import WORD, WordsRead

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.index.file_reader import SessionFile
    from app.index.query.query import Term
    from app.index.row import Row, Signature

MOST_WORDS = 100_000
"""Words that are in memory before they are written, in about 20 MB."""
MOST_SEGMENTS = 8
"""Files from which on they are merged."""


class Sessions(NamedTuple):
    """Paths of sessions that have a term, and of those that may have it."""

    having: frozenset[str]
    maybe: frozenset[str]


def any_of(answers: Sequence[Sessions | None]) -> Sessions | None:
    """The sessions with any of several terms; None if nothing is known about one of them."""
    known = [answer for answer in answers if answer is not None]
    if len(known) < len(answers):
        return None
    having = frozenset[str]().union(*[answer.having for answer in known])
    return Sessions(having, frozenset[str]().union(*[answer.maybe for answer in known]) - having)


class Words(NamedTuple):
    """The words at one moment.

    segments   the files
    readings   path of a session -> the last reading of it
    paths      for each segment: the paths of its readings; "" for a reading that another has replaced
    """

    segments: tuple[WordSegment, ...]
    readings: dict[str, Reading]
    paths: tuple[list[str], ...]

    def covers(self, row: Row | SessionFile) -> bool:
        """Whether the words of a session are known for its file as it is."""
        reading = self.readings.get(row.path)
        return reading is not None and reading.signature == row.signature

    def sessions_with(self, term: Term) -> Sessions | None:
        """The sessions with a term in the texts of tools. Only those that `covers` covers count: the search
        looks into the files of the others, and into those that may have the term.

        A term that is one word, or a part of one, is known to be in a session or not. If it has several, with
        blanks or other signs between them, the sessions with all of these words may have it. A pattern whose
        matches are parts of words is searched for in all words, and another one may be in the sessions with
        one of the parts of words of which each match has one.

        :return: None if words say nothing about the term: any session may have it.
        """
        if term.kind == REGEX:
            # Imported here: most runs have no pattern.
            from app.index.query.regex import compiled, is_in_one_word, required_literals

            if is_in_one_word(term.text):
                pattern = compiled(term.text, ignore_case=not term.exact)
                return self._sessions(lambda segment: segment.numbers_matching(pattern, exact=term.exact))
            parts = [self._sessions_with(part.lower()) for part in required_literals(term.text)]
            some = frozenset[str]().union(*[each.having | each.maybe for each in parts])
            return Sessions(frozenset(), some) if parts else None
        form = to_nfc if term.exact else with_marks if counts_marks(term.text) else fold
        text = form(term.text)
        words = list(WORD.finditer(text))
        if not words:
            return None
        # Before and behind other signs of the term, a word begins and ends.
        found = [
            self._sessions_with(word[0], begins=word.start() > 0, ends=word.end() < len(text))
            for word in words
        ]
        if words[0].span() == (0, len(text)):
            return found[0]
        return Sessions(frozenset(), frozenset.intersection(*[each.having | each.maybe for each in found]))

    def _sessions_with(self, text: str, *, begins: bool = False, ends: bool = False) -> Sessions:
        """The sessions with a word that has, begins with or ends with a text."""
        part = text.encode("utf-8", "replace")
        return self._sessions(lambda segment: segment.numbers_with(part, begins=begins, ends=ends))

    def _sessions(self, find: Callable[[WordSegment], tuple[int, int]]) -> Sessions:
        """The sessions of the readings that a function finds in each segment, and those that may be some."""
        having: set[str] = set()
        maybe: set[str] = set()
        for segment, paths in zip(self.segments, self.paths, strict=True):
            sure, others = find(segment)
            having.update([paths[number] for number in numbers_of(sure)])
            maybe.update([paths[number] for number in numbers_of(others)])
        # A reading that another has replaced has no path.
        return Sessions(frozenset(having - {""}), frozenset(maybe - having - {""}))


class ToolWords:
    """The words of sessions. Threads may use it at the same time."""

    def __init__(self, cache_folder: str) -> None:
        """:param cache_folder: if it cannot be written, no session is covered."""
        self._cache_folder = cache_folder
        self._words: Words | None = None
        self._updating = Lock()
        # Files that cannot be read: a later try, with the same file, would fail too.
        self._unreadable: set[tuple[str, Signature]] = set()

    def current(self) -> Words:
        """The words that are known now."""
        words = self._words
        if words is None or not all(segment.is_whole() for segment in words.segments):
            words = self._words = _load(words_paths(self._cache_folder))
        return words

    def unread_bytes(self, rows: Sequence[Row]) -> int:
        """The number of bytes that `update` would read."""
        words = self.current()
        return sum(
            row.size - self._task(row, words.readings.get(row.path))[0]
            for row in rows
            if not (row.provisional or row.refused or words.covers(row))
        )

    def reload(self) -> None:
        """Take in what another process has read."""
        self._words = None

    def update(
        self,
        rows: Sequence[Row] | Sequence[SessionFile],
        *,
        should_stop: Callable[[], bool] = lambda: False,
        least: Callable[[int], bool] = is_much,
    ) -> bool:
        """Read the sessions that are not covered, if there is much to read.

        :param rows: all sessions of the catalog.
        :param should_stop: asked now and then, and for each session; what was read is kept.
        :param least: whether a number of bytes is much.
        :return: whether something was read.
        """
        with self._updating:
            current = self.current()
            tasks = [
                (row, self._task(row, current.readings.get(row.path)))
                for row in rows
                if not (row.provisional or row.refused or current.covers(row))
                and (row.path, row.signature) not in self._unreadable
            ]
            if not least(sum(row.size - begin for row, (begin, _) in tasks)):
                return False
            self._read(tasks, should_stop)
            self._merge(should_stop)
            return True

    def _task(self, row: Row | SessionFile, last: Reading | None) -> tuple[int, int]:
        """The offset at which the reading of a session begins, and the digest of the bytes before it."""
        if last is None or last.signature[0] != row.signature[0] or last.end > row.size:
            return 0, 0
        return last.end, last.check

    def _read(
        self, tasks: Sequence[tuple[Row | SessionFile, tuple[int, int]]], should_stop: Callable[[], bool]
    ) -> None:
        words: dict[bytes, array[int]] = {}
        readings: list[Reading] = []
        wanted = [(Task(row.path, (row.agent,), words=begun), row.size - begun[0]) for row, begun in tasks]
        with closing(read_all(wanted, should_stop, gentle=True)) as results:
            for index, result in results:
                row = tasks[index][0]
                if result.values is None:
                    self._unreadable.add((row.path, row.signature))
                    continue
                read = WordsRead(*result.values)
                for word in read.words.split(b"\n") if read.words else ():
                    if word not in words:
                        words[word] = array("H")
                    words[word].append(len(readings))
                readings.append(Reading(row.path, row.signature, read.begin, read.end, read.check))
                if len(readings) == MOST_READINGS or len(words) >= MOST_WORDS:
                    self._write(readings, words)
                    words, readings = {}, []
        if readings:
            self._write(readings, words)

    def _write(self, readings: Sequence[Reading], words: dict[bytes, array[int]]) -> None:
        try:
            write_segment(words_in(self._cache_folder), readings, words)
        except (OSError, ValueError):
            return  # The search reads the files.
        self._words = None

    def _merge(self, should_stop: Callable[[], bool]) -> None:
        """Merge the longest run of segments that fit into one, if there are many. In a run, the readings of a
        session stay in their order.
        """
        current = self.current()
        if len(current.segments) <= MOST_SEGMENTS:
            return
        live = dict(zip(current.segments, current.paths, strict=True))
        runs: list[list[WordSegment]] = []
        for start in range(len(current.segments)):
            run: list[WordSegment] = []
            for segment in current.segments[start:]:
                if sum(sum(map(bool, live[each])) for each in (*run, segment)) > MOST_READINGS:
                    break
                run.append(segment)
            runs.append(run)
        chosen = max(runs, key=len)
        try:
            if len(chosen) > 1 and merge_segments(
                chosen, lambda segment, number: bool(live[segment][number]), lambda: not should_stop()
            ):
                for segment in chosen[:-1]:
                    os.unlink(segment.path)
        except OSError:
            pass  # The segments stay.
        self._words = None


def _load(files: Sequence[str]) -> Words:
    segments = []
    for path in files:
        if not NAME.fullmatch(os.path.basename(path)):
            continue  # It is being written.
        try:
            segments.append(WordSegment(path))
        except (OSError, ValueError):
            _unlink(path)
    readings: dict[str, Reading] = {}
    places: dict[str, list[tuple[int, int]]] = {}
    for number, segment in enumerate(segments):
        for place, reading in enumerate(segment.readings):
            last = readings.get(reading.path)
            if not reading.begin:
                places[reading.path] = []
            elif last is None or last.end != reading.begin:
                # The reading before it is lost.
                readings.pop(reading.path, None)
                places.pop(reading.path, None)
                continue
            readings[reading.path] = reading
            places[reading.path].append((number, place))
    paths = tuple([[""] * len(segment.readings) for segment in segments])
    for path, found in places.items():
        for number, place in found:
            paths[number][place] = path
    return Words(tuple(segments), readings, paths)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
