"""The contents of the wheel and the sdist, and the lock file with the tested versions."""

from __future__ import annotations

import email
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import app

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

BUILD = """
import sys
from hatchling import build
print(getattr(build, sys.argv[1])(sys.argv[2]))
"""


def build(kind: str, folder: Path) -> Path:
    """Build the wheel or the sdist of this checkout in `folder` with the build backend, without network."""
    done = subprocess.run(
        [sys.executable, "-c", BUILD, f"build_{kind}", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.split()[-1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(build("wheel", tmp_path_factory.mktemp("wheel")))


def sources(*patterns: str) -> set[str]:
    return {path.relative_to(ROOT).as_posix() for pattern in patterns for path in ROOT.glob(pattern)}


def test_the_wheel_holds_the_package_with_its_styles_and_its_page_and_nothing_else(
    wheel: zipfile.ZipFile,
) -> None:
    info = f"leafmark-{PROJECT['project']['version']}.dist-info/"
    names = {name for name in wheel.namelist() if not name.startswith(info)}
    manual = f"leafmark-{PROJECT['project']['version']}.data/data/share/man/man1/leafmark.1"
    assert wheel.read(manual) == (ROOT / "app/help/leafmark.1").read_bytes()
    names.remove(manual)
    styles = sources("styles/**/*.tcss")
    assert "styles/app.tcss" in styles
    page = sources("app/export/page/*")
    assert len(page) == 3
    page |= sources("app/help/*.md")
    examples = {name for name in sources("app/demo/sessions/**/*") if (ROOT / name).is_file()}
    assert len(examples) == 30
    modules = sources("app/**/*.py") - {"app/api.py", "app/launcher.py"}
    beside = {"app/py.typed", "leafmark_launcher.py", "leafmark/__init__.py", "leafmark/py.typed"}
    assert names == modules | {f"app/{name}" for name in styles} | page | examples | beside


def test_the_wheel_has_the_entry_point_and_the_licence(wheel: zipfile.ZipFile) -> None:
    info = f"leafmark-{PROJECT['project']['version']}.dist-info/"
    assert "leafmark = leafmark_launcher:start" in wheel.read(f"{info}entry_points.txt").decode()
    assert f"{info}licenses/LICENSE" in wheel.namelist()
    metadata = email.message_from_bytes(wheel.read(f"{info}METADATA"))
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"


def test_the_sdist_has_everything_to_build_and_test(tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", "requirements.lock", ".ci/run"}
    wanted.add("app/py.typed")
    wanted |= sources("*.md", "app/**/*.md", "tests/**/*.md")
    wanted |= {name for name in sources("app/demo/sessions/**/*") if (ROOT / name).is_file()}
    wanted |= sources(
        "app/**/*.py", "styles/**/*.tcss", "tests/**/*.py", "screenshots/*.svg", "screenshots/*.png"
    )
    assert wanted <= names, sorted(wanted - names)


def test_the_program_and_the_package_have_one_version() -> None:
    assert app.__version__ == PROJECT["project"]["version"]


def locked() -> dict[str, set[str]]:
    """Return the versions that requirements.lock pins, by name; more than one if the platform decides."""
    pins: dict[str, set[str]] = {}
    for line in (ROOT / "requirements.lock").read_text("utf-8").splitlines():
        if line and not line.lstrip().startswith("#"):
            requirement = Requirement(line)
            (pin,) = requirement.specifier
            assert pin.operator == "==", line
            pins.setdefault(requirement.name, set()).add(pin.version)
    return pins


def test_every_dependency_is_locked_to_an_allowed_version() -> None:
    pins = locked()
    project = PROJECT["project"]
    wanted = [
        *PROJECT["build-system"]["requires"],
        *project["dependencies"],
        *project["optional-dependencies"]["dev"],
    ]
    for requirement in map(Requirement, wanted):
        versions = pins.get(requirement.name)
        assert versions, f"{requirement.name} is not in requirements.lock"
        assert all(requirement.specifier.contains(version) for version in versions), requirement


def test_the_lock_names_no_download_url() -> None:
    text = (ROOT / "requirements.lock").read_text("utf-8")
    assert not re.search(r"://|\bfile:|^\s*-|@ ", text, re.MULTILINE)
