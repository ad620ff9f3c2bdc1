"""A text in another program, $PAGER or $EDITOR, by a copy that goes when the program ends.

The copy is in a folder that nobody else can look into. The caller has given the terminal away.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from app.formats.text import inert

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

VARIABLES = {"pager": ("PAGER",), "editor": ("VISUAL", "EDITOR")}
USUAL = {"pager": ("less", "more"), "editor": ("nano", "vi")}


class NoProgram(Exception):
    """There is no such program; the message says which, and what to set."""


class Handed(NamedTuple):
    """What became of it.

    :param status: what the program ended with; negative: the signal that ended it.
    :param changed: whether the copy was written to, which changes nothing else.
    """

    status: int
    changed: bool

    @property
    def problem(self) -> str:
        """How the program ended, in words; "" where it ended well."""
        if self.status < 0:
            return f"was ended by signal {-self.status}"
        return f"ended with {self.status}" if self.status else ""


def command_of(kind: str, env: Mapping[str, str]) -> list[str]:
    """The user's program of a kind, "pager" or "editor", with its arguments, as the environment names it;
    else the first of the usual ones that is there.

    :raises NoProgram: it is not there.
    """
    path = env.get("PATH", os.defpath)
    for name in VARIABLES[kind]:
        value = env.get(name, "").strip()
        if not value:
            continue
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise NoProgram(f"${name} cannot be read ({error}): {value}") from None
        if not words:
            continue
        if shutil.which(words[0], path=path) is None:
            raise NoProgram(f"${name} names a program that is not there: {words[0]}")
        return words
    for program in USUAL[kind]:
        if shutil.which(program, path=path) is not None:
            return [program]
    names = " or ".join(f"${name}" for name in reversed(VARIABLES[kind]))
    raise NoProgram(f"No {kind} is there: set {names}")


def hand(text: str, suffix: str, command: Sequence[str], env: Mapping[str, str], *, shown: bool) -> Handed:
    """Have a program open a copy of ``text``, and wait until it ends. The copy is removed then.

    :param shown: the program puts the text on the terminal as it is, as pagers may do; it gets an inert
        one. An editor gets the text's own characters.
    :raises OSError: the copy cannot be written, or the program not be started.
    """
    # a lone surrogate is no character: its code stands for it
    data = (inert(text) if shown else text).encode("utf-8", "backslashreplace")
    folder = tempfile.mkdtemp(prefix="leafmark-")
    try:
        path = os.path.join(folder, "entry" + suffix)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
        before = _look(path)
        program = shutil.which(command[0], path=env.get("PATH", os.defpath)) or command[0]
        with _interrupts_are_its_own():
            done = subprocess.run(
                [program, *command[1:], path], env=dict(env), stdout=_terminal(), check=False
            )
        return Handed(done.returncode, _look(path) != before)
    finally:
        # with whatever the program left beside it
        shutil.rmtree(folder, ignore_errors=True)


def _terminal() -> int | None:
    """Where the other program writes to, if not to our standard output: a shell may be capturing that, while
    leafmark is on the terminal behind standard error.
    """
    return 2 if not os.isatty(1) and os.isatty(2) else None


def _look(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _interrupts_are_its_own() -> Iterator[None]:
    """Ctrl+C reaches every program on the terminal and is meant for the one in front. A handler of ours that
    does nothing, rather than none: that would be inherited.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
