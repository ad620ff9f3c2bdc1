"""``leafmark doctor --report``: a file for a bug report, without secrets, home folders and user names."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from app import __version__, paths
from app.export.output_file import Target
from app.formats.text import inert, one_line
from app.index.cache import cache_status
from app.keys import key_problems
from app.paths import CurrentFolderGone, absolute
from app.redact import Personal, Redactor
from app.reports.output import complain, write_text
from app.settings import read_settings, settings_file
from app.setup import Setup
from app.small_files import read_small
from app.stores.layout import reason

DEFAULT_NAME = "leafmark-report.txt"
STANDARD_OUTPUT = "-"
DONE, FAILED = 0, 3
_LIBRARIES = (
    *("textual", "orjson", "msgspec", "watchfiles", "pillow"),
    *("stringzilla", "google-re2", "send2trash"),
)
_VARIABLES = (
    *("TERM", "COLORTERM", "NO_COLOR", "LANG", "LC_ALL", "LC_CTYPE"),
    *("COLUMNS", "TMUX", "SHELL", "EDITOR"),
)
_LONGEST = 100_000
"""Bytes of a file that is quoted."""


def write_report(named: str, findings: Mapping[str, Any], lines: Iterator[str], setup: Setup) -> int:
    """Write the report.

    :param named: the path of the file; "" for `DEFAULT_NAME` in the current folder, "-" for standard output.
    :param findings: of `app.reports.doctor`; `lines`: the same as text.
    :return: the exit code: 3 if the file is there already, or cannot be written.
    """
    names = {setup.env.get("USER", ""), setup.env.get("LOGNAME", ""), os.path.basename(setup.home)}
    text = "".join(f"{line}\n" for line in _lines(findings, lines, setup))
    redacted = inert(Redactor(Personal(setup.home, names)).text(text))
    if named == STANDARD_OUTPUT:
        write_text(redacted)
        return DONE
    try:
        path = absolute(named or DEFAULT_NAME)
        target = Target(path, force=False)
        target.check()
        with target.opened() as file:
            file.write(redacted.encode("utf-8", "replace"))
    except FileExistsError:
        complain(f"{named or DEFAULT_NAME}: is there already, and is kept")
        return FAILED
    except (CurrentFolderGone, OSError) as error:
        complain(f"{named or DEFAULT_NAME}: {reason(error)}")
        return FAILED
    write_text(f"{one_line(target.path, 4_000)}\nRead the file before you share it.\n")
    return DONE


def _lines(findings: Mapping[str, Any], lines: Iterator[str], setup: Setup) -> Iterator[str]:
    yield f"leafmark {__version__}, Python {platform.python_version()}, {platform.platform()}"
    yield ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)
    yield f"encoding {sys.stdout.encoding or 'unknown'}, file system {sys.getfilesystemencoding()}"
    yield "\nvariables"
    own = sorted(name for name in setup.env if name.startswith("LEAFMARK_"))
    yield from (f"  {name}={setup.env[name]}" for name in (*_VARIABLES, *own) if name in setup.env)
    yield f"\nsessions: {findings['sessions']:,}"
    yield from lines
    status = cache_status(setup.cache_folder)
    yield (
        f"\nindex: {status.sessions:,} sessions, {status.catalog_bytes:,} bytes of catalog,"
        f" {status.text_bytes:,} bytes of text, {status.without_text:,} sessions without text"
    )
    if status.note:
        yield f"  {status.note}"
    settings = read_settings(setup.env)
    problems = [*settings.problems, *(f"keys: {text}" for text in key_problems(settings.keys))]
    yield from _file("settings", settings_file(setup.env))
    yield from (f"  problem: {problem}" for problem in problems)
    yield from _file("last crash", os.path.join(paths.state_folder(setup.env), "crash.log"))


def _file(title: str, path: str) -> Iterator[str]:
    """The lines of a file, of a long one the last."""
    yield f"\n{title}: {path}"
    try:
        text = read_small(path)[-_LONGEST:].decode("utf-8", "replace")
    except FileNotFoundError:
        yield "  none"
    except OSError as error:
        yield f"  cannot be read: {reason(error)}"
    else:
        yield from (f"  {line}" for line in text.splitlines())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
