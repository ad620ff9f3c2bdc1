"""Cut the bytes of the terminal into sequences before Textual sees them, so that hostile input does no harm.

Textual 8.2.8 ends the app at the first byte that is not UTF-8, takes the characters of a sequence that it
does not know for keys, and does the same with the text behind an escape character in a paste.
Here each sequence is cut out whole, and a sequence that Textual does not know is dropped. This module becomes
unnecessary if Textual's parser does the same.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from functools import cache

from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message

from app.formats.text import inert

ESCAPE = "\x1b"
PASTE, PASTE_END = "\x1b[200~", "\x1b[201~"
PAUSE = 1.0
"""Seconds of silence that end an unfinished sequence, character or paste.

A terminal writes each of them at once, and a slow network delays its parts by less. A paste without an end
must not swallow the keys for ever. It ends by time and not by size, because all text that follows its
beginning without a pause belongs to it.
"""
MOST_PASTED = 16 * 1024 * 1024
"""Characters of a paste that are kept. The rest is dropped and is not taken for keys."""
LONGEST = 4096
"""Longest sequence in characters; of a longer one, only the beginning is kept until its end comes."""
TEXTUALS_LONGEST = 32
"""Textual takes the characters of a longer sequence for keys."""
MOST_CELLS = 10_000
"""Most columns or rows of a size that is believed; no terminal has as many."""
_LAST_ASCII = 127
_COMMANDS = 0b1110
"""The bits of Alt, Ctrl and Super in the modifiers of a key."""
_NOT_BLANK = re.compile(r"[^\t\r\n]+")


@cache
def _whole() -> re.Pattern[str]:
    """The pattern of a complete sequence, compiled with the first escape character."""
    return re.compile(
        r"""\x1b(?:
            \[\[[^\x1b]                     # a function key of the Linux console
          | \[M[^\x1b]{3}                   # the oldest reports of the mouse
          | \[\d+\$(?!y)                    # rxvt, with Shift
          | \[[0-?]*[ -/]*[@-~]             # control sequences
          | O[\d;]*[@-~]                    # keypad and cursor keys
          | \][^\x07\x1b]*(?:\x07|\x1b\\)   # answers
          | [P_X^][^\x07\x1b]*\x1b\\
          | \](?=\D) | _(?=[^G]) | P(?=[^\d!$+=>|])
          | [^\x1b\[O\]P_]                  # Alt and another key
          | (?=\x1b)                        # Escape
        )""",
        re.DOTALL | re.VERBOSE,
    )


@cache
def _begun() -> re.Pattern[str]:
    """The pattern of the beginning of a sequence."""
    return re.compile(
        r"""\x1b(?:
            \[\[ | \[M[^\x1b]{0,2} | \[[0-?]*[ -/]* | O[\d;]*
          | (?:\]\d | _G | P[\d!$+=>|])[^\x07\x1b]*(?:\x1b\Z)?
          | [\]P_]
        )?""",
        re.DOTALL | re.VERBOSE,
    )


@cache
def _size_report() -> re.Pattern[str]:
    return re.compile(r"\x1b\[48;(\d{1,999})(?::[^;]*)?;(\d{1,999})")


@cache
def _alternate_keys() -> re.Pattern[str]:
    return re.compile(r"\x1b\[(\d+):\d*(?::(\d+))?((?:;[\d:]*)*[u~A-HPQRS])")


def with_base_key(text: str) -> str:
    """A report of a key without its alternates. Ctrl, Alt and Super with a key that writes no ASCII, such as
    one of a Cyrillic layout, become the same with the key that is in its place on an English keyboard (the
    "base layout key" of kitty's keyboard protocol, which Textual 8.2.8 does not know).

    :param text: one whole sequence.
    """
    match = _alternate_keys().fullmatch(text)
    if match is None:
        return text
    code, base, rest = match.groups()
    modifiers = int(rest[1:].partition(";")[0].rstrip("u").partition(":")[0] or "1") - 1
    if base and int(code) > _LAST_ASCII and modifiers & _COMMANDS:
        code = base
    return f"\x1b[{code}{rest}"


class TerminalInput:
    """Makes messages from the terminal's bytes, which come in pieces of any size."""

    def __init__(self, *, debug: bool = False) -> None:
        """:param debug: let Textual log its input in `keys.log`."""
        self._parser = _Parser(debug)
        self._decoder = getincrementaldecoder("utf-8")("replace")
        # the beginning of a sequence, or of the end of a paste
        self._held = ""
        # None outside of a paste
        self._pasted: list[str] | None = None
        self._room = 0
        self._cut_short = False
        self._last = 0.0

    def take(self, data: bytes, now: float) -> Iterator[Message]:
        """The messages that are complete with these bytes. A byte that is not UTF-8 becomes U+FFFD.

        :param now: seconds of a monotonic clock.
        """
        self._last = now
        text, self._held = self._held + self._decoder.decode(data), ""
        if self._cut_short and PASTE_END in text.partition(PASTE)[0]:
            # the rest of a paste that was delayed for longer than `PAUSE`
            self._begin_paste()
        offset = 0
        while offset < len(text):
            if self._pasted is not None:
                end = text.find(PASTE_END, offset)
                if end < 0:
                    kept = len(text) - _begun_end(text)
                    self._keep(text[offset:kept])
                    self._held = text[kept:]
                    return
                self._keep(text[offset:end])
                offset = end + len(PASTE_END)
                yield self._end_paste()
            elif text[offset] != ESCAPE:
                typed = text[offset:].partition(ESCAPE)[0]
                offset += len(typed)
                yield from self._parser.typed(typed)
            elif (match := _whole().match(text, offset)) is None:
                offset = self._hold(text, offset)
            else:
                offset = match.end()
                if match[0] == PASTE:
                    self._begin_paste()
                else:
                    yield from self._parser.sequence(match[0])

    def waited(self, now: float) -> Iterator[Message]:
        """The messages that are complete because no more bytes came; call it at intervals.

        :param now: as in `take`.
        """
        silence = now - self._last
        held = self._held
        if self._pasted is not None:
            if silence >= PAUSE:
                self._held = ""
                self._keep(held)
                self._cut_short = True
                yield self._end_paste()
        elif held:
            # the beginning of a control sequence is hardly ever a key
            is_key = len(held) <= 2 and held != "\x1b["
            if silence >= (constants.ESCAPE_DELAY if is_key else PAUSE):
                self._held = ""
                if len(held) <= 2:
                    yield from self._parser.sequence(held)
        elif silence >= PAUSE and (typed := self._decoder.decode(b"", final=True)):
            # in another encoding, these bytes are a whole character
            yield from self._parser.typed(typed)

    def _hold(self, text: str, offset: int) -> int:
        """Keep an unfinished sequence, or drop an invalid one; returns the offset of the text behind it."""
        match = _begun().match(text, offset)
        end = match.end() if match else offset + 1
        if end == len(text):
            held = text[offset:]
            if len(held) > LONGEST:
                held = held[:3] + (ESCAPE if held.endswith(ESCAPE) else "")
            self._held = held
        return end

    def _begin_paste(self) -> None:
        self._pasted, self._room, self._cut_short = [], MOST_PASTED, False

    def _keep(self, text: str) -> None:
        if self._pasted is not None and self._room > 0:
            self._pasted.append(text[: self._room])
            self._room -= len(text)

    def _end_paste(self) -> Message:
        # Textual removes NUL characters, too
        text = "".join(self._pasted or ()).replace("\0", "")
        self._pasted = None
        # an input of Textual draws a pasted escape character, which the terminal would obey
        return events.Paste(_NOT_BLANK.sub(lambda match: inert(match[0]), text))


class _Parser(XTermParser):
    """Textual's parser, which gets one complete sequence at a time. Its errors do not end leafmark."""

    def typed(self, text: str) -> list[Message]:
        """The messages of typed characters.

        :param text: without an escape character.
        """
        return self._read(text) if text else []

    def sequence(self, text: str) -> list[Message]:
        """The messages of a sequence.

        :param text: one whole sequence; or an escape character, alone or with one other character.
        """
        if text == ESCAPE:
            return [events.Key("escape", ESCAPE)]
        text = with_base_key(text) if ":" in text else text
        if len(text) == 2:
            return self._keys(text) or self._keys(text[1], alt=True)
        if _is_senseless(text):
            return []
        read = self._keys(text) if len(text) > TEXTUALS_LONGEST else self._read(text)
        return [message for message in read if not _has_half_a_character(message)]

    def _read(self, text: str) -> list[Message]:
        read: list[Message] = []
        try:
            for message in self.feed(text):
                read.append(message)  # noqa: PERF402  # those before an error count
            finished = self._timeout_time is None
        except (ArithmeticError, LookupError, ValueError):
            # an invalid number, or one that is too large
            finished = False
        if not finished:
            self._tokens.clear()
            self._gen = self.parse(self._tokens.append)
            self._awaiting = next(self._gen)
            self._timeout_time = None
        return read

    def _keys(self, text: str, *, alt: bool = False) -> list[Message]:
        try:
            keys = list(self._sequence_to_key_events(text, alt=alt))
        except (ArithmeticError, LookupError, ValueError):
            return []
        return [key for key in keys if key.key != Keys.Ignore]


def _begun_end(text: str) -> int:
    """The number of characters at the end of a text that may begin the end of a paste."""
    return next((size for size in range(len(PASTE_END) - 1, 0, -1) if text.endswith(PASTE_END[:size])), 0)


def _is_senseless(text: str) -> bool:
    """Whether a sequence has no meaning for leafmark, although Textual would act on it."""
    if text[1] in "]P_X^":
        return True  # an answer to a question that was never asked
    if text.endswith("$y"):
        return not text.startswith("\x1b[?")
    size = _size_report().match(text)
    return size is not None and not all(0 < int(cells) <= MOST_CELLS for cells in size.groups())


def _has_half_a_character(message: Message) -> bool:
    """Whether a message is a key with a lone surrogate, which can neither be shown nor written."""
    if not isinstance(message, events.Key):
        return False
    return any("\ud800" <= char <= "\udfff" for char in message.key + (message.character or ""))
