"""Fixtures with the real agents, installed if need be. The tests are skipped only if npm is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.interop.install import Installed, InstallFailed, NoNpm, ensure, folder_wanted
from tests.interop.programs import Program

if TYPE_CHECKING:
    from collections.abc import Iterator


HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker("interop")


@pytest.fixture(scope="session")
def installed() -> Installed:
    """Install the agents. The first test of a checkout waits here for npm."""
    try:
        return ensure(folder_wanted())
    except NoNpm as reason:
        pytest.skip(f"{reason}, so the real pi and oh-my-pi cannot be had")
    except InstallFailed as reason:
        pytest.fail(str(reason), pytrace=False)


@pytest.fixture(scope="session")
def pi(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The real pi."""
    program = Program("pi", installed.pi, installed, tmp_path_factory.mktemp("pi-home"))
    yield program
    program.close()


@pytest.fixture(scope="session")
def pi_087(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The real pi 0.87.1, which makes the file of a session at its first answer."""
    program = Program("pi", installed.pi_087, installed, tmp_path_factory.mktemp("pi-087-home"))
    yield program
    program.close()


@pytest.fixture(scope="session")
def omp(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """The real oh-my-pi."""
    program = Program("omp", installed.omp, installed, tmp_path_factory.mktemp("omp-home"))
    yield program
    program.close()
