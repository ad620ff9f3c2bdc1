"""How hypothesis tries the properties: with the same examples in each run, whatever the machine is doing.

`pytest --hypothesis-profile explore` looks for others.
"""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A test is never judged by its time.
_UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", _UNTIMED, derandomize=True)
settings.register_profile("explore", _UNTIMED, max_examples=1_000)
settings.load_profile("same")

_USUAL = gc.get_threshold()


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    """Have garbage collected in the next test as well: a command, or a screen, has it rest until its process
    ends, and here that goes on through thousands of tests, with all that they have open.
    """
    yield
    gc.unfreeze()
    gc.set_threshold(*_USUAL)
    gc.enable()
