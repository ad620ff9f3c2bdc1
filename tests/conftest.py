"""Settings for all tests: hypothesis tries the same examples in each run, on every machine.

`pytest --hypothesis-profile explore` tries other examples.
"""

import gc
import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.quick_textual import share_work
from tests.quick_trash import trash_in_this_process

# The time that a test takes does not decide whether it passes.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _UNTIMED, derandomize=True, max_examples=25)
settings.register_profile("explore", _UNTIMED, max_examples=1_000)
settings.load_profile("same")

share_work()
trash_in_this_process()

# A worker keeps all tests in memory, and each full collection reads them. With Python's own thresholds, that
# takes a fifteenth of the time.
_THRESHOLDS = (20_000, 50, 100)
gc.set_threshold(*_THRESHOLDS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Let each worker import the test files beginning with another one.

    pytest rewrites the assertions of a file that was not imported before, and keeps the result for others.
    In a fresh checkout, workers that go through the files in the same order would all rewrite all of them.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]
    count = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if count == 1 or session.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    files = sorted(Path(__file__).parent.rglob("test_*.py"))
    first = len(files) * int(worker) // count
    for file in files[first:] + files[:first]:
        import_module(".".join(file.relative_to(session.config.rootpath).with_suffix("").parts))


def pytest_sessionfinish() -> None:
    """Exempt all objects from the collections that pytest and Python make at the end.

    They would free what a thousand closed screens have left, which takes a worker several seconds, just
    before the system frees the memory of the process at once.
    """
    gc.freeze()


@pytest.fixture(scope="session")
def installed_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel of this checkout."""
    # Imported here: few tests need it.
    from tests.installed import environment

    return environment(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def renames_in_two_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system without a rename that replaces nothing: a file gets a second name first."""
    monkeypatch.setattr("app.small_files.rename_at_once", lambda source, target: False)


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Turn the garbage collector on again after each test.

    A command or a screen turns it off until its process ends, but the test process goes on through thousands
    of tests with all their open objects.
    """
    yield
    gc.unfreeze()
    gc.set_threshold(*_THRESHOLDS)
    gc.enable()
