"""Files that cannot be opened, even when the tests run as root."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


def deny(monkeypatch: pytest.MonkeyPatch, *paths: str) -> list[str]:
    """Make the system refuse to open the files at these paths.

    :return: the paths; a path that is removed from the list can be opened again.
    """
    real_open = os.open
    denied = [*paths]

    def refuse(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        if str(path) in denied:
            raise PermissionError(13, "Permission denied", path)
        return real_open(path, flags, *arguments, **options)

    monkeypatch.setattr(os, "open", refuse)
    return denied
