"""Opens a copy of a text in $PAGER or $EDITOR and removes the copy when the program ends.

The copy lies in a folder that only this user can read. The caller has released the terminal.
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
    """The program is missing; the message names it, and the variable to set."""


class EditorResult(NamedTuple):
    """How a program ended.

    :param status: its exit status; negative: the signal that ended it.
    :param changed: whether it wrote to the copy, which changes no session.
    """

    status: int
    changed: bool

    @property
    def problem(self) -> str:
        """How the program ended, in words; "" after success."""
        if self.status < 0:
            return f"was ended by signal {-self.status}"
        return f"ended with {self.status}" if self.status else ""


def command_of(kind: str, env: Mapping[str, str]) -> list[str]:
    """The command line of the user's "pager" or "editor": from the environment, else the first usual program
    that is installed.

    :raises NoProgram: it is not installed.
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


def open_copy(
    text: str,
    suffix: str,
    command: Sequence[str],
    env: Mapping[str, str],
    *,
    shown: bool,
    name: str = "entry",
) -> EditorResult:
    """Open a copy of ``text`` in a program, wait until it ends, and remove the copy.

    :param shown: the program may write the text to the terminal as it is, as pagers do: it gets an inert
        text. An editor gets the original characters.
    :param name: the name of the file, without its suffix.
    :raises OSError: the copy cannot be written, or the program cannot be started.
    """
    # A lone surrogate has no UTF-8 form: its escape is written.
    data = (inert(text) if shown else text).encode("utf-8", "backslashreplace")
    folder = tempfile.mkdtemp(prefix="leafmark-")
    try:
        path = os.path.join(folder, name + suffix)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "wb") as file:
            file.write(data)
        before = _file_state(path)
        program = shutil.which(command[0], path=env.get("PATH", os.defpath)) or command[0]
        with _interrupts_ignored():
            process = subprocess.run(
                [program, *command[1:], path], env=dict(env), stdout=_terminal(), check=False
            )
        return EditorResult(process.returncode, _file_state(path) != before)
    finally:
        # including files that the program left beside the copy
        shutil.rmtree(folder, ignore_errors=True)


def _terminal() -> int | None:
    """The program's standard output, None for leafmark's own. A shell may be capturing that; then standard
    error is the terminal.
    """
    return 2 if not os.isatty(1) and os.isatty(2) else None


def _file_state(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl+C, which reaches every program on the terminal, while another program is in front. It is a
    handler that does nothing, since the program would inherit SIG_IGN.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)
