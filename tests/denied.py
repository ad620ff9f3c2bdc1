"""Files that may not be opened, also by who may open all: tests run as root as well."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


def deny(monkeypatch: pytest.MonkeyPatch, *paths: str) -> list[str]:
    """Have the system refuse to open the files at these paths.

    :return: the paths; those that are taken out of it may be opened again.
    """
    really = os.open
    denied = [*paths]

    def refuse(path: Any, flags: int, *rest: Any, **options: Any) -> int:
        if str(path) in denied:
            raise PermissionError(13, "Permission denied", path)
        return really(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", refuse)
    return denied
