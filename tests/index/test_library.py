"""`app.index` for scripts: it exports the types that its methods return and raise, and loads modules only
when they are used.
"""

from __future__ import annotations

import builtins
import subprocess
import sys
from typing import TYPE_CHECKING

import leafmark
import pytest

import app.index
from tests.index.helpers import pi_store, session, write

if TYPE_CHECKING:
    from pathlib import Path


def test_returned_and_raised_types_can_be_imported(tmp_path: Path) -> None:
    from leafmark import (
        Completion,
        Delta,
        Hit,
        Index,
        Page,
        Place,
        QueryError,
        Row,
        Search,
        complete,
        vocabulary,
    )

    write(tmp_path / "store" / "--p--" / "a.jsonl", session("a needle"))
    deltas: list[Delta] = []
    index = app.index.open([pi_store(tmp_path / "store")], str(tmp_path / "cache"))
    index.scan(deltas.append)
    search = index.query("needle")
    (page,) = [page for page in search if page.hits]
    assert isinstance(index, Index)
    assert isinstance(search, Search)
    assert isinstance(page, Page)
    assert isinstance(page.hits[0], Hit)
    assert isinstance(index.place(page.hits[0]), Place)
    assert all(isinstance(row, Row) for row in index.rows())
    assert all(isinstance(delta, Delta) for delta in deltas)
    (candidate,) = complete("dir:", 4, vocabulary(index.rows()))
    assert isinstance(candidate, Completion)
    assert candidate.text == "/work/app"
    with pytest.raises(QueryError) as failed:
        index.query("needle cost:much")
    assert (failed.value.position, failed.value.length) == (12, 4)
    index.close()


def test_every_public_name_is_there_and_documented() -> None:
    for name in leafmark.__all__:
        assert getattr(leafmark, name).__doc__


def test_a_star_import_shadows_no_builtin() -> None:
    assert not vars(builtins).keys() & set(app.index.__all__)
    names: dict[str, object] = {}
    exec("from app.index import *\nfrom app.index import open as open_index", names)
    assert names["open_index"] is app.index.open
    assert names.get("open", open) is open


def test_importing_the_package_loads_no_submodule() -> None:
    code = "import sys, app.index; print(sorted(name for name in sys.modules if name.startswith('app.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['app.index', 'app.lazy_names']\n"
