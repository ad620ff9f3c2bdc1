"""The query language in help and README."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from app.formats import text_kinds
from app.index.query import FILTER_KINDS, language_help, language_table
from tests.cases import cases
from tests.index.query.helpers import read

ROOT = Path(__file__).resolve().parents[3]


def test_every_example_is_a_valid_query() -> None:
    for kind in FILTER_KINDS.values():
        assert read(kind.example).notes == ()
        assert kind.example.startswith(f"{kind.name}:")
    for _, _, example in language_table():
        assert read(f"x {example}").notes == ()


@cases("name", list(FILTER_KINDS))
def test_every_offered_value_is_valid(name: str) -> None:
    for value in FILTER_KINDS[name].values:
        assert read(f"{name}:{value} in:all").notes == ()


def test_every_kind_of_text_is_a_role() -> None:
    assert set(FILTER_KINDS["role"].values) == set(text_kinds.NAMES)


@cases("columns", [10, 40, 80, 200])
def test_help_fits_into_the_columns(columns: int) -> None:
    lines = language_help(columns).splitlines()
    widest = max(len(line) for line in lines)
    examples = max(len(kind.example) for kind in FILTER_KINDS.values())
    assert widest <= max(columns, 40, examples + 13)
    for form, _, example in language_table():
        assert any(line.startswith(f"  {form} ") for line in lines)
        assert any(line.strip() == example for line in lines)


IMPORTED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from app.index.query.grammar import parse
import app.index.query.completion
parse('word "a phrase" agent:pi cost:>1', 0)
print(json.dumps(sorted(sys.modules)))
"""


def test_the_parser_loads_neither_patterns_nor_dates() -> None:
    command = [sys.executable, "-I", "-S", "-c", IMPORTED, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    loaded = set(json.loads(done.stdout))
    assert "app.index.query.grammar" in loaded
    assert not loaded & {"re2", "datetime", "app.index.query.regex"}
