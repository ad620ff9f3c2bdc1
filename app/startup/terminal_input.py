"""What a terminal sends, taken apart so that nothing in it can do harm.

Textual 8.2.8 ends with the first byte that is no UTF-8, types the letters of a sequence that it does not
know, and takes for keys what stands behind an escape character in a paste. Here each sequence is cut out
whole before Textual sees it; one that it makes nothing of goes nowhere.
"""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from functools import cache
from typing import TYPE_CHECKING

from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.keys import Keys

from app.formats.text import inert

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.message import Message

ESCAPE = "\x1b"
PASTE, PASTE_END = "\x1b[200~", "\x1b[201~"
PAUSE = 1.0
"""Seconds of silence after which the rest of a sequence, of a character or of a paste is not waited for.

A terminal writes each in one go, and a network that holds up a part of it does so for less. A paste without
an end must not take the keys for ever: who waits so long gets them back. It ends by time and not by size:
what comes at once behind its beginning is text, however much it is.
"""
MOST_PASTED = 16 * 1024 * 1024
"""So many characters of a paste are kept; those beyond are left out, and are no keys either."""
LONGEST = 4096
"""Of a sequence that is longer only the beginning is kept, until its end has come."""
TEXTUALS_LONGEST = 32
"""Of a sequence that is longer Textual types the letters."""
MOST_CELLS = 10_000
"""No terminal has more columns or rows."""
_NOT_BLANK = re.compile(r"[^\t\r\n]+")


@cache
def _whole() -> re.Pattern[str]:
    """A sequence that is complete. Compiled when the first escape character comes."""
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
    """As much as belongs together of one that is not."""
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


class TerminalInput:
    """Makes messages of bytes that come in pieces of any size."""

    def __init__(self, *, debug: bool = False) -> None:
        """:param debug: have Textual write down what it reads, in `keys.log`."""
        self._parser = _Parser(debug)
        self._decoder = getincrementaldecoder("utf-8")("replace")
        # of a sequence, or of the end of a paste
        self._held = ""
        # None outside of a paste
        self._pasted: list[str] | None = None
        self._room = 0
        self._cut_short = False
        self._last = 0.0

    def take(self, data: bytes, now: float) -> Iterator[Message]:
        """The messages that are complete with these bytes. A byte that is no UTF-8 is U+FFFD.

        :param now: seconds, on a clock that only goes on.
        """
        self._last = now
        text, self._held = self._held + self._decoder.decode(data), ""
        if self._cut_short and PASTE_END in text.partition(PASTE)[0]:
            # the rest of one that was held up for longer than is waited for
            self._begin_paste()
        at = 0
        while at < len(text):
            if self._pasted is not None:
                end = text.find(PASTE_END, at)
                if end < 0:
                    kept = len(text) - _begun_end(text)
                    self._keep(text[at:kept])
                    self._held = text[kept:]
                    return
                self._keep(text[at:end])
                at = end + len(PASTE_END)
                yield self._end_paste()
            elif text[at] != ESCAPE:
                typed = text[at:].partition(ESCAPE)[0]
                at += len(typed)
                yield from self._parser.typed(typed)
            elif (found := _whole().match(text, at)) is None:
                at = self._hold(text, at)
            else:
                at = found.end()
                if found[0] == PASTE:
                    self._begin_paste()
                else:
                    yield from self._parser.sequence(found[0])

    def waited(self, now: float) -> Iterator[Message]:
        """What has become a message because nothing came behind it; to be asked now and then.

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
            # what begins a control sequence is hardly ever a key
            is_key = len(held) <= 2 and held != "\x1b["
            if silence >= (constants.ESCAPE_DELAY if is_key else PAUSE):
                self._held = ""
                if len(held) <= 2:
                    yield from self._parser.sequence(held)
        elif silence >= PAUSE and (typed := self._decoder.decode(b"", final=True)):
            # a terminal of another encoding has nothing more to send of a letter
            yield from self._parser.typed(typed)

    def _hold(self, text: str, at: int) -> int:
        """Keep what may be continued, and leave out what is not; where the rest begins."""
        found = _begun().match(text, at)
        end = found.end() if found else at + 1
        if end == len(text):
            held = text[at:]
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
        # without NUL, as from Textual
        text = "".join(self._pasted or ()).replace("\0", "")
        self._pasted = None
        # Textual's own inputs draw what is pasted as it is, and the terminal would obey it
        return events.Paste(_NOT_BLANK.sub(lambda found: inert(found[0]), text))


class _Parser(XTermParser):
    """Textual's own, for one sequence after the other: none is left unfinished, and none ends it."""

    def typed(self, text: str) -> list[Message]:
        """:param text: no escape character is in it."""
        return self._read(text) if text else []

    def sequence(self, text: str) -> list[Message]:
        """:param text: one whole sequence, or an escape character and one other, or that alone."""
        if text == ESCAPE:
            return [events.Key("escape", ESCAPE)]
        if len(text) == 2:
            return self._keys(text) or self._keys(text[1], alt=True)
        if _is_senseless(text):
            return []
        read = self._keys(text) if len(text) > TEXTUALS_LONGEST else self._read(text)
        return [each for each in read if not _has_half_a_character(each)]

    def _read(self, text: str) -> list[Message]:
        read: list[Message] = []
        try:
            for message in self.feed(text):
                read.append(message)  # noqa: PERF402  # those before an error count
            finished = self._timeout_time is None
        except (ArithmeticError, LookupError, ValueError):
            # a number that is none, or that is too large for what it stands for
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
    """How many characters at the end of a text may begin the end of a paste."""
    return next((size for size in range(len(PASTE_END) - 1, 0, -1) if text.endswith(PASTE_END[:size])), 0)


def _is_senseless(text: str) -> bool:
    """Whether no terminal means this sequence, though Textual would do something with it."""
    if text[1] in "]P_X^":
        return True  # nothing was asked that is answered so
    if text.endswith("$y"):
        return not text.startswith("\x1b[?")
    size = _size_report().match(text)
    return size is not None and not all(0 < int(each) <= MOST_CELLS for each in size.groups())


def _has_half_a_character(message: Message) -> bool:
    """Whether it is a key by the number of one half of a pair, which can neither be shown nor written."""
    if not isinstance(message, events.Key):
        return False
    return any("\ud800" <= each <= "\udfff" for each in message.key + (message.character or ""))
