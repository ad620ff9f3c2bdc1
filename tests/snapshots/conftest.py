"""What every picture shares: one time zone, and colours whatever the terminal of the tests says."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def same_everywhere() -> Iterator[None]:
    """Local times are those of UTC; a test asks for no colour itself."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        patch.delenv("NO_COLOR", raising=False)
        time.tzset()
        yield
    time.tzset()
