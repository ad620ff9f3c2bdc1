"""Compare what environments hold with requirements.lock: check_versions.py LOCK ENVIRONMENT...

Every distribution in every environment has to have a locked version, and all environments hold the same.
leafmark itself, and the tools that come with an environment (pip, setuptools), are left out.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LEFT_OUT = {"leafmark", "pip", "setuptools"}

LIST = """
from importlib.metadata import distributions
for found in distributions():
    print(found.metadata["Name"], found.version)
"""


def normal(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(environment: Path) -> dict[str, str]:
    """Name and version of every distribution that the environment's own Python sees."""
    python = environment / "bin" / "python"
    listing = subprocess.run([python, "-I", "-c", LIST], capture_output=True, text=True, check=True).stdout
    pairs = (line.split() for line in listing.splitlines())
    return {normal(name): version for name, version in pairs if normal(name) not in LEFT_OUT}


def locked(lock: Path) -> set[tuple[str, str]]:
    """The pairs of name and version that the lock allows."""
    pins = re.findall(r"^([\w.-]+)==([^\s;]+)", lock.read_text("utf-8"), re.MULTILINE)
    return {(normal(name), version) for name, version in pins}


def main(lock: str, *environments: str) -> int:
    allowed = locked(Path(lock))
    held = {environment: installed(Path(environment)) for environment in environments}
    wrong = [
        f"{environment}: {name} {version} is not in {lock}"
        for environment, found in held.items()
        for name, version in sorted(found.items())
        if (name, version) not in allowed
    ]
    first, *others = held.values()
    for other in others:
        wrong += [f"not in both: {name} {version}" for name, version in sorted(first.items() ^ other.items())]
    if not first:
        wrong.append(f"{environments[0]} holds nothing")
    print("\n".join(wrong) or f"{len(first)} distributions, as locked, in {len(held)} environment(s)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
