"""The start of the command `leafmark`, which the build installs beside `app` as `leafmark_launcher`.

It is outside of `app`: another package of that name may stand before leafmark's own on the path.
"""

from __future__ import annotations

import os
import sys

_OWN_FILE = os.path.join("app", "resume_command.py")
"""A file by which leafmark's own package is told from other packages called `app`."""


def start() -> int:
    """Run leafmark as this process, with its own `app` even if `PYTHONPATH` leads to another one."""
    for folder in sys.path:
        if os.path.isfile(os.path.join(folder, _OWN_FILE)):
            # Only for the package itself: modules of the standard library go before installed ones.
            sys.path.insert(0, folder)
            import app  # noqa: F401

            sys.path.remove(folder)
            break
    # Imported here: Python has found the package now.
    from app import cli

    return cli.start()
