"""Loading SQLite's module without `functools`, which takes twice as long to load as SQLite itself.

`_sqlite3` wants one thing of it, a cache of prepared statements, and that is in a module of the interpreter's
own. On the fast path of the first frame.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LENT = "functools"
# A program that has loaded one of these has loaded as much already, or another thread may want the whole.
_WHOLE = (_LENT, "threading")


class Lending:
    """While this is open, what asks for `functools` gets its `lru_cache` and nothing else. Whoever imports it
    afterwards gets it whole. Nothing is lent where it is there, where threads may be, or where the
    interpreter keeps the cache elsewhere.
    """

    __slots__ = ("_lent",)

    def __init__(self) -> None:
        self._lent: object | None = None

    def __enter__(self) -> None:
        if any(name in sys.modules for name in _WHOLE):
            return
        try:
            # one parameter here is enough for `_sqlite3`: how many statements are kept
            from _functools import _lru_cache_wrapper as cached  # type: ignore[import-not-found]
        except ImportError:
            return

        def lru_cache(size: int) -> Callable[[Any], Any]:
            return lambda function: cached(function, size, False, tuple)

        lent = type(sys)(_LENT)
        vars(lent)["lru_cache"] = lru_cache
        self._lent = sys.modules[_LENT] = lent

    def __exit__(self, *_: object) -> None:
        if self._lent is not None and sys.modules.get(_LENT) is self._lent:
            del sys.modules[_LENT]
