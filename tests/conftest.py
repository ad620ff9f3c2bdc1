"""Settings for all tests: hypothesis tries the same examples in each run, on every machine.

`pytest --hypothesis-profile explore` tries other examples.
"""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.quick_textual import share_work

# The time that a test takes does not decide whether it passes.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _UNTIMED, derandomize=True, max_examples=25)
settings.register_profile("explore", _UNTIMED, max_examples=1_000)
settings.load_profile("same")

share_work()

# A worker keeps all tests in memory, and each full collection reads them. With Python's own thresholds, that
# takes a fifteenth of the time.
_THRESHOLDS = (20_000, 50, 100)
gc.set_threshold(*_THRESHOLDS)


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
