"""A file with the words of up to 4,096 readings of sessions, and the numbers of the readings that have each.

The file is a packed head, and then a line for each word: the word, a tab, and the numbers of the readings.
The numbers are written with bytes that no word has, so that a part of a word is found by a search for its
bytes in the whole file. They are pairs of such bytes, or, if many readings have the word, a bit for each
reading in base64 of such bytes. The words that many readings have come first: a part that is in one of them
is found soon.
"""

from __future__ import annotations

import marshal
import mmap
import os
import re
import sys
import time
import zlib
from array import array
from base64 import b64decode, b64encode
from heapq import merge
from itertools import groupby
from operator import itemgetter
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

from app.index.catalog.catalog_file import make_folder
from app.index.text.mmap_reader import Source
from app.index.truncation import guard_mapping
from app.small_files import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from app.index.row import Signature

MOST_READINGS = 4_096
"""Readings whose numbers two symbols can express."""
MOST_FREQUENT = 500
MOST_HITS = 20_000
"""Words that are looked at for one part of a word, those that many readings have and all. More would take
more than 20 ms, and nearly all readings are found by then: the part is a letter.
"""

NAME = re.compile(r"\d{20}-\d+")
"""The names of the files, in the order in which they were written."""

_VERSION = 2
_SYMBOLS = bytes([*range(1, 9), *range(11, 32), *b" !\"#$%&')*+,:;<=>?\\^`{|}", *range(0xF5, 0x100)])
"""64 bytes that are in no word, and no line feed and no tab."""
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_TO_SYMBOLS = bytes.maketrans(_BASE64, _SYMBOLS)
_FROM_SYMBOLS = bytes.maketrans(_SYMBOLS, _BASE64)
_VALUES = bytes.maketrans(_SYMBOLS, bytes(range(64)))
_WITH_SYMBOLS = bytes.maketrans(bytes(range(64)), _SYMBOLS)
_BITS, _PAIRS = b"]", b"["


class Reading(NamedTuple):
    """A part of a session's file whose words were read; a reading from 0 replaces all before it.

    check   a digest of the bytes before `end`
    """

    path: str
    signature: Signature
    begin: int
    end: int
    check: int


class WordSegment:
    """A mapped file of words. A reading has its place in `readings` as its number."""

    def __init__(self, path: str) -> None:
        """:raises OSError, ValueError: it cannot be read, is damaged or is of another version."""
        self.path = path
        with open(path, "rb") as file:
            try:
                version, readings, self._all, digest = marshal.load(file)
                self._start = file.tell()
                self.readings = [Reading(sys.intern(path), *others) for path, *others in readings]
            except (EOFError, TypeError) as error:
                raise ValueError(f"no words: {error}") from error
            self.size = os.fstat(file.fileno()).st_size
            data = mmap.mmap(file.fileno(), self.size, access=mmap.ACCESS_READ)
        self._source = Source(data)
        if self._source.address:
            guard_mapping(data, self._source.address)
        with memoryview(data) as view:
            if version != _VERSION or zlib.crc32(view[self._start :]) != digest:
                raise ValueError("words of another version, or damaged ones")

    def is_whole(self) -> bool:
        """Whether the file has its whole length. A file that was deleted stays mapped."""
        try:
            return os.stat(self.path).st_size == self.size
        except OSError:
            return True

    def numbers_with(self, part: bytes, *, begins: bool, ends: bool) -> tuple[int, int]:
        """The readings with a word that has a part, as bits, and those that may have such a word: none,
        unless very many words have the part.

        :param begins, ends: the word begins, or ends, with the part.
        """
        needle = (b"\n" if begins else b"") + part + (b"\t" if ends else b"")
        find = self._source.find
        return self._numbers(lambda start: find(needle, start, self.size))

    def numbers_matching(self, pattern: Any, *, exact: bool) -> tuple[int, int]:
        """The readings with a match of a pattern that is in one word (`query.regex.is_in_one_word`), as bits,
        and those that may have one.

        :param pattern: the RE2 object.
        :param exact: its case counts.
        """
        is_sure = True

        def find(start: int) -> int:
            nonlocal is_sure
            match = pattern.search(self._source.data, start, self.size)
            # Words are folded, too: only a match with a capital is one of a word as it is written.
            is_sure = is_sure and (match is None or not exact or match.group() != match.group().lower())
            return -1 if match is None else match.start()

        found, others = self._numbers(find)
        return (found, others) if is_sure else (0, found | others)

    def _numbers(self, find_next: Callable[[int], int]) -> tuple[int, int]:
        """The readings with the words at which a function finds something, and those that may have such a
        word.

        :param find_next: called with an offset; returns that of the next finding, or -1.
        """
        data, find = self._source.data, self._source.find
        found, hits, limit = 0, 0, MOST_FREQUENT
        pairs = bytearray()
        position = find_next(self._start)
        while position >= 0:
            tab = find(b"\t", position, self.size)
            end = find(b"\n", tab, self.size)
            if data[tab + 1 : tab + 2] == _BITS:
                found |= _bits(data[tab + 2 : end])
            else:
                limit = MOST_HITS
                pairs += data[tab + 2 : end]
            hits += 1
            if hits == limit or found == self._all:
                break
            position = find_next(end)
        for number in _numbers(pairs):
            found |= 1 << number
        return found, 0 if position < 0 else self._all & ~found

    def lines(self, section: bytes) -> Iterator[tuple[bytes, Sequence[int]]]:
        """The words whose numbers are written in one of the two ways, and these numbers, in the order of the
        words.
        """
        if section == _PAIRS:
            for word, coded in self._lines(section):
                yield word, _numbers(coded)
        else:
            for word, coded in sorted(self._lines(section)):
                yield word, numbers_of(_bits(coded))

    def _lines(self, section: bytes) -> Iterator[tuple[bytes, bytes]]:
        data, find = self._source.data, self._source.find
        end = self._start
        while (tab := find(b"\t", end, self.size)) >= 0:
            start, end = end + 1, find(b"\n", tab, self.size)
            if data[tab + 1 : tab + 2] == section:
                yield data[start:tab], data[tab + 2 : end]


def numbers_of(bits: int) -> list[int]:
    """The numbers of the bits that are set."""
    return [number for number, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]


def write_segment(folder: str, readings: Sequence[Reading], words: Mapping[bytes, Sequence[int]]) -> None:
    """Write the words of some readings to a new file in `folder`.

    :param words: each with the numbers of the readings that have it.
    :raises OSError: it cannot be written.
    """
    make_folder(folder)
    name = f"{time.time_ns():020}-{os.getpid()}"
    _write(os.path.join(folder, name), readings, sorted(words.items()))


def merge_segments(
    segments: Sequence[WordSegment],
    is_live: Callable[[WordSegment, int], bool],
    keep_going: Callable[[], bool],
) -> bool:
    """Write the readings of several segments, at most `MOST_READINGS`, in place of the last one.

    :param is_live: whether a reading, by its number, is still needed.
    :param keep_going: asked for each word; if it returns False, nothing is written.
    :return: whether it was written.
    :raises OSError: it cannot be written.
    """
    readings: list[Reading] = []
    parts: list[Iterator[tuple[bytes, list[int]]]] = []
    for segment in segments:
        places: dict[int, int] = {}
        for number, reading in enumerate(segment.readings):
            if is_live(segment, number):
                places[number] = len(readings)
                readings.append(reading)
        parts += [_moved(segment.lines(section), places) for section in (_BITS, _PAIRS)]

    def joined() -> Iterator[tuple[bytes, list[int]]]:
        for word, group in groupby(merge(*parts, key=itemgetter(0)), key=itemgetter(0)):
            numbers = sorted({number for _, numbers in group for number in numbers})
            if not keep_going():
                raise InterruptedError
            if numbers:
                yield word, numbers

    try:
        _write(segments[-1].path, readings, joined())
    except InterruptedError:
        return False
    return True


def _moved(
    lines: Iterable[tuple[bytes, Sequence[int]]], places: Mapping[int, int]
) -> Iterator[tuple[bytes, list[int]]]:
    for word, numbers in lines:
        yield word, [places[number] for number in numbers if number in places]


def _write(path: str, readings: Sequence[Reading], words: Iterable[tuple[bytes, Sequence[int]]]) -> None:
    count = len(readings)
    dense_size = -(-count // 6)
    everything = 0
    frequent: list[tuple[int, bytes]] = []
    # There may be a million seldom words.
    with TemporaryFile() as seldom:
        for word, numbers in words:
            if 2 * len(numbers) >= dense_size:
                bits = sum(1 << number for number in numbers)
                everything |= bits
                frequent.append((-len(numbers), b"%b\t%b%b\n" % (word, _BITS, _coded_bits(bits, count))))
            else:
                for number in numbers:
                    everything |= 1 << number
                seldom.write(b"%b\t%b%b\n" % (word, _PAIRS, _coded_numbers(numbers)))
        seldom.seek(0)
        data = b"".join([b"\n", *[line for _, line in sorted(frequent)], seldom.read()])
    head = (_VERSION, [tuple(reading) for reading in readings], everything, zlib.crc32(data))
    # Only this user may read the file.
    replace_file(path, marshal.dumps(head) + data)


def _coded_bits(bits: int, count: int) -> bytes:
    return b64encode(bits.to_bytes(-(-count // 8), "little")).rstrip(b"=").translate(_TO_SYMBOLS)


def _bits(coded: bytes) -> int:
    padded = coded.translate(_FROM_SYMBOLS) + b"=" * (-len(coded) % 4)
    return int.from_bytes(b64decode(padded), "little")


def _coded_numbers(numbers: Sequence[int]) -> bytes:
    coded = bytearray(2 * len(numbers))
    coded[::2] = bytes([number >> 6 for number in numbers])
    coded[1::2] = bytes([number & 63 for number in numbers])
    return bytes(coded).translate(_WITH_SYMBOLS)


def _numbers(coded: bytes | bytearray) -> list[int]:
    """The different numbers, in their order."""
    pairs = array("H", bytes(coded.translate(_VALUES)))
    if sys.byteorder == "little":
        pairs.byteswap()
    return sorted([pair >> 8 << 6 | pair & 63 for pair in set(pairs)])
