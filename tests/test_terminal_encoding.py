"""Output to a terminal whose encoding lacks characters: a replacement takes no more cells."""

from __future__ import annotations

import io
import os

from app.startup.driver import TerminalOutput
from app.startup.first_frame import Terminal
from tests.cases import cases


@cases(
    ("encoding", "written"),
    [
        ("latin-1", b"\x1b[1mna\xefve ? ??"),
        ("ascii", b"\x1b[1mna?ve ? ??"),
        ("utf-8", "\x1b[1mnaïve ❯ 日本".encode()),
    ],
)
def test_a_missing_character_is_not_written_as_an_escape(encoding: str, written: bytes) -> None:
    data = io.BytesIO()
    # Python opens standard error in this way.
    output = TerminalOutput(io.TextIOWrapper(data, encoding, errors="backslashreplace", write_through=True))
    assert output.write("\x1b[1mnaïve ❯ 日本") == len("\x1b[1mnaïve ❯ 日本")
    assert data.getvalue() == written
    master, slave = os.openpty()
    try:
        Terminal(slave, slave, encoding).show("\x1b[1mnaïve ❯ 日本")
        assert os.read(master, 4096) == written
    finally:
        os.close(master)
        os.close(slave)
