"""Run a program in a real pseudo-terminal and watch its screen.

    with Terminal([sys.executable, "-m", "app"], size=(120, 40), env=env) as terminal:
        painted = terminal.wait_for_text("sessions")     # when it appeared, by time.perf_counter()
        terminal.press("down", "enter")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []

A thread stamps output as it arrives. It does not wait long for the thread that emulates the terminal:
Python's threads switch more often while a terminal is open. The program's questions about the terminal get
no answer unless `answers=True`: then it is a dark terminal of the usual kind, without pictures. With
`colour=False` it does not answer the question for its background colour.
"""

from __future__ import annotations

import fcntl
import os
import queue
import re
import struct
import sys
import termios
import threading
import time
from typing import TYPE_CHECKING, NamedTuple, Self

import pyte
from wcwidth import wcwidth

from tests.spawned import Spawned
from tests.waiting import PATIENCE

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Mapping, Sequence

    from tests.prepared import Forked

KEYS = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
    "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "insert": "\x1b[2~", "delete": "\x1b[3~",
    "f1": "\x1bOP", "f2": "\x1bOQ", "f5": "\x1b[15~", "f6": "\x1b[17~",
    "shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "alt+up": "\x1b[1;3A", "alt+down": "\x1b[1;3B",
    "ctrl+left": "\x1b[1;5D", "ctrl+right": "\x1b[1;5C",
}  # fmt: skip
"""Keys by name and the bytes a terminal sends; `ctrl+x`, `alt+x` and single characters need no entry."""

_TURNS = 0.0002
"""Seconds after which a thread that has work may have its turn."""
MOUSE_MODES = frozenset({9, 1000, 1001, 1002, 1003})
ALTERNATE = frozenset({47, 1047, 1049})
_NAMED_MODES = {1004: "focus reports", 2004: "bracketed paste", 2048: "size reports", 2026: "held frame"}
_MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")
# Textual begins with these bytes. Output before them is emulated separately, even if both arrive at once.
_APPLICATION = re.compile(rb"(?=\x1b\[\?1000h)")
_KEYBOARD = re.compile(rb"\x1b\[([<>])\d*(?:;\d+)*u")
# Sequences that pyte would print as text or fail on: strings for the terminal's own use, questions, and
# sequences with a private prefix other than modes and erasing.
_UNKNOWN = re.compile(
    rb"\x1b[P_^X].*?(?:\x1b\\|\x07)|\x1b\[[<=>][\d;]*[a-zA-Z]|\x1b\[\??[\d;]*[$ ][a-zA-Z]"
    rb"|\x1b\[\?[\d;]*[^\d;hlJK$ ]",
    re.DOTALL,
)
_UNFINISHED = re.compile(rb"\x1b(?:[P_^X][^\x07\x1b]*\x1b?|\[[<=>?]?[\d;$ ]*)?\Z", re.S)
_ANSWERS = {
    b"\x1b]11;?": b"\x1b]11;rgb:1e1e/1e1e/1e1e\x07",  # background colour
    b"\x1b[5n": b"\x1b[0n",  # status: ok
    b"\x1b[16t": b"\x1b[6;16;8t",  # size of a character cell
    b"\x1b[c": b"\x1b[?62;22c",  # device attributes
    b"\x1b[0c": b"\x1b[?62;22c",
}
# The question for the background colour, and the next one: its answer shows that the first got none.
_COLOUR = re.compile(rb"\x1b\]11;\?(?:\x07|\x1b\\)(?:\x1b\[5n)?")


class Chunk(NamedTuple):
    """Bytes that the program wrote, and when they arrived (`time.perf_counter()`)."""

    at: float
    data: bytes


class Emulator:
    """The screen of the terminal: main and alternate screen, and the modes that are on."""

    def __init__(self, columns: int, rows: int) -> None:
        self.modes: dict[int, bool] = {}
        self.keyboard_depth = 0
        self.main = pyte.Screen(columns, rows)
        self.other = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.main)
        self.rest = b""

    @property
    def screen(self) -> pyte.Screen:
        """The screen that is visible."""
        return self.other if self.alternate else self.main

    @property
    def alternate(self) -> bool:
        return any(self.modes.get(mode, False) for mode in ALTERNATE)

    @property
    def display(self) -> list[str]:
        """The visible rows. pyte's own `display` fails if half of a wide character is overwritten, which
        happens for a moment when a picture arrives in two pieces. A terminal shows a blank there.
        """
        screen = self.screen
        return [
            _row([screen.buffer[row][column].data for column in range(screen.columns)])
            for row in range(screen.lines)
        ]

    def resize(self, columns: int, rows: int) -> None:
        for screen in (self.main, self.other):
            screen.resize(rows, columns)

    def feed(self, data: bytes) -> None:
        """Process the next bytes. A sequence that is cut in two waits for its other half."""
        data = self.rest + data
        unfinished = _UNFINISHED.search(data)
        cut = unfinished.start() if unfinished else len(data)
        data, self.rest = data[:cut], data[cut:]
        for match in _KEYBOARD.finditer(data):
            self.keyboard_depth = max(0, self.keyboard_depth + (1 if match[1] == b">" else -1))
        position = 0
        for match in _MODE.finditer(data):
            self.show(data[position : match.start()])
            position = match.start()
            numbers = [int(number) for number in match[1].split(b";") if number]
            if ALTERNATE.isdisjoint(numbers):
                self.note(numbers, match[2] == b"h")
            else:
                self.switch(numbers, match[2] == b"h")
                position = match.end()
        self.show(data[position:])

    def show(self, data: bytes) -> None:
        if data:
            self.stream.feed(_UNKNOWN.sub(b"", data))

    def note(self, numbers: list[int], on: bool) -> None:
        for number in numbers:
            self.modes[number] = on

    def switch(self, numbers: list[int], on: bool) -> None:
        # xterm clears the alternate screen each time it is entered.
        self.note(numbers, on)
        if on:
            self.other.reset()
        self.stream = pyte.ByteStream(self.screen)


def _row(cells: list[str]) -> str:
    """Return the text of a row; the cell after a wide character is empty."""
    shown, wide = [], False
    for cell in cells:
        if cell or not wide:
            shown.append(cell or " ")
        wide = bool(cell) and not cell.isascii() and wcwidth(cell[0]) == 2
    return "".join(shown)


class Terminal:
    """One program in one pseudo-terminal. Times are seconds of `time.perf_counter()`.

    `started` is the time just before the program starts. `env` is the whole environment (TERM and the size
    variables are set here). Leaving the `with` block kills the program if it still runs.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        size: tuple[int, int] = (120, 40),
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        answers: bool = False,
        colour: bool = True,
        start: Callable[[Sequence[str], str, Mapping[str, str], str | None], Spawned | Forked] = Spawned,
    ) -> None:
        """
        :param start: starts the program: (command, path of its terminal, environment, folder).
        """
        self.chunks: list[Chunk] = []
        self.emulator = Emulator(*size)
        self.answers = answers
        self.colour = colour
        self.arrived: queue.SimpleQueue[Chunk | None] = queue.SimpleQueue()
        self.ended = False
        self.turns = sys.getswitchinterval()
        sys.setswitchinterval(_TURNS)
        self.master, slave = os.openpty()
        self.set_size(*size)
        self.before = termios.tcgetattr(self.master)
        variables = dict(os.environ if env is None else env)
        for name in ("LINES", "COLUMNS", "NO_COLOR", "TEXTUAL", "TERM_PROGRAM"):
            variables.pop(name, None)
        variables |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.started = time.perf_counter()
        self.process = start(command, os.ttyname(slave), variables, cwd)
        os.close(slave)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- output --

    def read(self) -> None:
        while True:
            try:
                data = os.read(self.master, 65_536)
            except OSError:  # EIO: no process has the other end open
                data = b""
            now = time.perf_counter()
            if not data:
                self.arrived.put(None)
                return
            if self.answers:
                self.answer(data)
            for part in _APPLICATION.split(data):
                if part:
                    self.arrived.put(Chunk(now, part))

    def answer(self, data: bytes) -> None:
        """Answer the questions in `data`, in the order in which they were asked."""
        if not self.colour:
            data = _COLOUR.sub(b"", data)
        offsets = sorted((data.find(question), answer) for question, answer in _ANSWERS.items())
        answers = b"".join(answer for offset, answer in offsets if offset >= 0)
        if answers:
            os.write(self.master, answers)

    def next(self, deadline: float) -> Chunk | None:
        """Emulate and return the next output; None at the end of output. Raises queue.Empty at `deadline`."""
        if self.ended:
            return None
        chunk = self.arrived.get(timeout=max(0.0, deadline - time.perf_counter()))
        if chunk is None:
            self.ended = True
            return None
        self.chunks.append(chunk)
        self.emulator.feed(chunk.data)
        return chunk

    def wait_for(self, predicate: Callable[[Self], bool], timeout: float = PATIENCE) -> float:
        """Wait until `predicate(terminal)` is true; return the arrival time of the output that made it true.

        Raises TimeoutError, or EOFError if the program has ended; both messages contain the screen.
        """
        if predicate(self):
            return self.chunks[-1].at if self.chunks else self.started
        deadline = time.perf_counter() + timeout
        while True:
            try:
                chunk = self.next(deadline)
            except queue.Empty:
                raise TimeoutError(f"not on the screen within {timeout} s:\n{self.dump()}") from None
            if chunk is None:
                raise EOFError(f"the program ended first:\n{self.dump()}")
            if predicate(self):
                return chunk.at

    def wait_for_text(self, text: str, timeout: float = PATIENCE) -> float:
        """Wait until a line of the screen contains `text`."""
        return self.wait_for(lambda terminal: terminal.shows(text), timeout)

    def wait_for_bytes(self, data: bytes, timeout: float = PATIENCE, *, after: int = 0) -> float:
        """Wait until the program has written `data` in the output chunks from number `after` on."""

        def written(terminal: Self) -> bool:
            return data in b"".join(chunk.data for chunk in terminal.chunks[after:])

        return self.wait_for(written, timeout)

    def settle(self, quiet: float = 0.3, timeout: float = PATIENCE) -> float:
        """Wait until nothing was written for `quiet` seconds; return the time of the last output."""
        deadline = time.perf_counter() + timeout
        while time.perf_counter() < deadline:
            try:
                if self.next(min(deadline, time.perf_counter() + quiet)) is None:
                    break
            except queue.Empty:
                break
        return self.chunks[-1].at if self.chunks else self.started

    @property
    def output(self) -> bytes:
        """All output that was emulated."""
        return b"".join(chunk.data for chunk in self.chunks)

    @property
    def lines(self) -> list[str]:
        """The rows of the screen with their trailing blanks."""
        return self.emulator.display

    def shows(self, text: str) -> bool:
        return any(text in line for line in self.lines)

    def dump(self) -> str:
        return "\n".join(line.rstrip() for line in self.lines).rstrip()

    # -- input --

    def send(self, data: str | bytes) -> float:
        """Send characters or bytes as they are; return when they were sent."""
        now = time.perf_counter()
        os.write(self.master, data.encode() if isinstance(data, str) else data)
        return now

    def press(self, *keys: str) -> float:
        """Press keys by name ("down", "ctrl+q", "alt+x", "a"); return when the last one was sent."""
        sent_at = 0.0
        for key in keys:
            sent_at = self.send(key_bytes(key))
        return sent_at

    def click(self, column: int, row: int, times: int = 1) -> float:
        """Press and release the mouse's first button over a cell (both from 0), as a terminal reports it in
        the SGR form (mode 1006); return when the last report was sent.
        """
        sent_at = 0.0
        for _ in range(times):
            self.report(0, column, row)
            sent_at = self.report(0, column, row, "m")
        return sent_at

    def drag(self, begin: tuple[int, int], end: tuple[int, int]) -> float:
        """Press the mouse's first button on one cell and release it on another, by single steps."""
        self.report(0, *begin)
        for number in range(1, 5):
            at = [first + (last - first) * number // 4 for first, last in zip(begin, end, strict=True)]
            self.report(32, *at)
        return self.report(0, *end, "m")

    def wheel(self, column: int, row: int, notches: int) -> float:
        """Turn the wheel over a cell: towards the end of the text, or back if `notches` is negative."""
        sent_at = 0.0
        for _ in range(abs(notches)):
            sent_at = self.report(65 if notches > 0 else 64, column, row)
        return sent_at

    def report(self, button: int, column: int, row: int, ends: str = "M") -> float:
        # A program gets reports only if it has asked for them.
        if not (self.emulator.modes.get(1000) and self.emulator.modes.get(1006)):
            raise RuntimeError(f"the program does not want to know of the mouse:\n{self.dump()}")
        return self.send(f"\x1b[<{button};{column + 1};{row + 1}{ends}")

    def find(self, text: str, *, last: bool = False) -> tuple[int, int]:
        """Return (column, row) of the first occurrence of `text` on the screen, or of the last.

        Raises LookupError if there is none. Lines with wide characters before it are not supported.
        """
        rows = [(line, row) for row, line in enumerate(self.lines) if text in line]
        if not rows:
            raise LookupError(f"{text!r} is not on the screen:\n{self.dump()}")
        line, row = rows[-1 if last else 0]
        return line.index(text), row

    def resize(self, columns: int, rows: int) -> None:
        """Resize the window: the kernel sends SIGWINCH to the program."""
        self.emulator.resize(columns, rows)
        self.set_size(columns, rows)

    def set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    # -- the end --

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        self.process.send_signal(number)

    def wait(self, timeout: float = PATIENCE) -> int:
        """Wait for the end; return the exit status (negative: the signal). All output is emulated then."""
        status = self.process.wait(timeout)
        self.settle(0.5, timeout)
        return status

    def leftovers(self) -> list[str]:
        """The modes that the program did not restore: [] is a clean terminal."""
        self.settle(0.05)
        names = [f"mode {mode}: mouse" for mode in sorted(MOUSE_MODES) if self.emulator.modes.get(mode)]
        names += [name for mode, name in _NAMED_MODES.items() if self.emulator.modes.get(mode)]
        if self.emulator.alternate:
            names.append("alternate screen")
        if self.emulator.modes.get(25) is False:
            names.append("cursor hidden")
        if self.emulator.keyboard_depth:
            names.append("keyboard protocol")
        now = termios.tcgetattr(self.master)
        for flag, name in ((termios.ECHO, "echo"), (termios.ICANON, "line mode"), (termios.ISIG, "signals")):
            if (now[3] ^ self.before[3]) & flag:
                names.append(f"{name} {'on' if now[3] & flag else 'off'}")
        if not names and now[:6] != self.before[:6]:
            names.append("terminal settings")
        return names

    def close(self) -> None:
        """Kill the program if it still runs, and close the terminal."""
        if self.process.poll() is None:
            self.process.kill()
        self.reader.join(timeout=2.0)
        os.close(self.master)
        sys.setswitchinterval(self.turns)


def key_bytes(key: str) -> bytes:
    """Return the bytes that a terminal sends for `key`."""
    if key in KEYS:
        return KEYS[key].encode()
    if key.startswith("ctrl+") and len(key) == 6:
        return bytes([ord(key[5]) & 0x1F])
    if key.startswith("alt+"):
        return b"\x1b" + key_bytes(key[4:])
    if len(key) == 1:
        return key.encode()
    raise ValueError(f"no such key: {key}")
