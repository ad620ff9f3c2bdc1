"""The trash of a test's home folder, reached without starting a process for each file.

A program moves files to the trash of another home folder in a subprocess, because the library reads the
environment when it is imported. Most tests have another home folder. `SUBPROCESS` is the program's own way.
"""

from __future__ import annotations

import os
from importlib.util import module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING

from send2trash import plat_other

from app.actions import trash

if TYPE_CHECKING:
    from collections.abc import Mapping

SUBPROCESS = trash.send_in_subprocess


def trash_in_this_process() -> None:
    """Make this process move files to the trash of any home folder by itself."""
    trash.send_in_subprocess = _send


def _send(path: str, variables: Mapping[str, str]) -> None:
    """Move a file or folder to the trash that these variables name, with a copy of the library for it."""
    spec = spec_from_file_location(plat_other.__name__, plat_other.__file__)
    assert spec is not None
    assert spec.loader is not None
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    data = variables.get("XDG_DATA_HOME") or os.path.join(variables["HOME"], ".local/share")
    library.XDG_DATA_HOME = os.fsencode(data)
    library.HOMETRASH = os.path.join(data, "Trash")
    library.HOMETRASH_B = os.fsencode(library.HOMETRASH)
    library.send2trash(path)
