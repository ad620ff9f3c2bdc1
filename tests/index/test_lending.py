"""SQLite's module is loaded without `functools`, and nobody else goes without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# -S: nothing of site-packages loads modules first
START = [sys.executable, "-I", "-S", "-c"]
BEGIN = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"


def printed(program: str) -> str:
    done = subprocess.run([*START, BEGIN + program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_sqlite_is_loaded_without_what_it_would_bring_along() -> None:
    program = (
        "import app.index.catalog.database\n"
        "print(*{'_sqlite3', 'functools', 'collections'} & sys.modules.keys())"
    )
    assert printed(program) == "_sqlite3"


def test_who_wants_functools_afterwards_gets_it_whole() -> None:
    program = """
import app.index.catalog.database
from functools import lru_cache, partial, reduce
import sqlite3
connection = sqlite3.connect(":memory:", cached_statements=3)
found = [connection.execute("SELECT ?", (number,)).fetchone()[0] for number in range(200)]
print(found == list(range(200)), lru_cache(3)(abs).cache_info())
"""
    assert printed(program) == "True CacheInfo(hits=0, misses=0, maxsize=3, currsize=0)"


@pytest.mark.parametrize("loaded", ["functools", "threading"])
def test_nothing_is_lent_where_others_may_look(loaded: str) -> None:
    program = f"""
import {loaded}
from app.index.catalog.lending import Lending
with Lending():
    import functools
print(hasattr(functools, "partial"), sys.modules["functools"] is functools)
"""
    assert printed(program) == "True True"


def test_what_was_lent_is_taken_back_after_an_error_too() -> None:
    program = """
from app.index.catalog.lending import Lending
try:
    with Lending():
        print(hasattr(sys.modules["functools"], "partial"))
        raise ImportError
except ImportError:
    print("functools" in sys.modules)
"""
    assert printed(program).split() == ["False", "False"]
