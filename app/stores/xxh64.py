"""XXH64, the hash by which oh-my-pi names its locks (formats/README.md, "Pins of oh-my-pi").

Written from the public description of the algorithm. It is asked for one path at a time, so that plain
Python is fast enough.
"""

from __future__ import annotations

_MASK = (1 << 64) - 1
_P1 = 0x9E3779B185EBCA87
_P2 = 0xC2B2AE3D27D4EB4F
_P3 = 0x165667B19E3779F9
_P4 = 0x85EBCA77C2B2AE63
_P5 = 0x27D4EB2F165667C5

_STRIPE = 32
"""Bytes that are taken in at once, eight by each of four sums."""


def xxh64(data: bytes, seed: int) -> int:
    """The 64 bits of `data` under a `seed` of 64 bits."""
    at = 0
    if len(data) < _STRIPE:
        value = (seed + _P5) & _MASK
    else:
        sums = [(seed + start) & _MASK for start in (_P1 + _P2, _P2, 0, -_P1)]
        while at + _STRIPE <= len(data):
            for lane in range(4):
                sums[lane] = _round(sums[lane], _number(data, at + 8 * lane, 8))
            at += _STRIPE
        turned = zip(sums, (1, 7, 12, 18), strict=True)
        value = sum(_turn(part, by) for part, by in turned) & _MASK
        for part in sums:
            value = ((value ^ _round(0, part)) * _P1 + _P4) & _MASK
    value = (value + len(data)) & _MASK
    while at + 8 <= len(data):
        value = (_turn(value ^ _round(0, _number(data, at, 8)), 27) * _P1 + _P4) & _MASK
        at += 8
    if at + 4 <= len(data):
        value = (_turn(value ^ (_number(data, at, 4) * _P1 & _MASK), 23) * _P2 + _P3) & _MASK
        at += 4
    for byte in data[at:]:
        value = _turn(value ^ (byte * _P5 & _MASK), 11) * _P1 & _MASK
    value = (value ^ value >> 33) * _P2 & _MASK
    value = (value ^ value >> 29) * _P3 & _MASK
    return value ^ value >> 32


def _round(part: int, number: int) -> int:
    return _turn((part + number * _P2) & _MASK, 31) * _P1 & _MASK


def _turn(value: int, by: int) -> int:
    """The bits of `value`, turned to the left."""
    return (value << by | value >> 64 - by) & _MASK


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")
