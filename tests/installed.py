"""An environment of Python with the wheel of this checkout, its command, and the packages that it needs."""

from __future__ import annotations

import re
import sysconfig
import venv
import zipfile
from pathlib import Path

from tests.test_packaging import build

# As pip writes it.
_SCRIPT = """\
#!{python}
import sys
from {module} import {function}
if __name__ == '__main__':
    sys.exit({function}())
"""


def environment(folder: Path) -> Path:
    """Make the environment in `folder`; return its interpreter. The command `leafmark` is beside it."""
    venv.create(folder / "venv")
    paths = sysconfig.get_paths("venv", {"base": str(folder / "venv"), "platbase": str(folder / "venv")})
    with zipfile.ZipFile(build("wheel", folder)) as wheel:
        wheel.extractall(paths["purelib"])
        (points,) = [name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt")]
        named = re.search(r"^leafmark = (.+):(.+)$", wheel.read(points).decode(), re.MULTILINE)
    assert named is not None
    needed = sysconfig.get_paths()["purelib"]
    (Path(paths["purelib"]) / "needed.pth").write_text(f"{needed}\n")
    python = Path(paths["scripts"]) / "python"
    command = python.with_name("leafmark")
    command.write_text(_SCRIPT.format(python=python, module=named[1], function=named[2]))
    command.chmod(0o755)
    return python
