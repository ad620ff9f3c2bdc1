"""Each kind of change, followed by undo, on the corpus of this package."""

from __future__ import annotations

from tests.golden.commands import BRANCHED

OMP = "0195b000-0000-7000-8000-000000000001"
OMP_BARE = "0195b000-0000-7000-8000-000000000002"
VERSION_1 = "0195a000-0000-7000-8000-000000000006"
TORN = "0195a000-0000-7000-8000-000000000005"
INDUSAGI = "0195c000-0000-7000-8000-000000000001"
LINEAR = "11112222-0000-4000-8000-000000000001"

CHANGES = {
    "label": [["label", BRANCHED, "b0000003", "start"]],
    "label cleared": [["label", BRANCHED, "b0000006", "--clear"]],
    "label changed": [["label", BRANCHED, "b0000006", "other"]],
    "label in omp": [["label", OMP, "10000000", "start"]],
    "name": [["rename", BRANCHED, "Another name"]],
    "name cleared": [["rename", BRANCHED, ""]],
    "name with a newline": [["rename", BRANCHED, "two\nlines"]],
    "name in omp": [["rename", OMP, "A new title"]],
    "name too long for omp": [["rename", OMP, "long " * 60]],
    "name in omp without a title line": [["rename", OMP_BARE, "Titled"]],
    "name in version 1": [["rename", VERSION_1, "Migrated"]],
    "name after a torn line": [["rename", TORN, "Closed"]],
    "name in indusagi": [["rename", INDUSAGI, "Indus"]],
    "leaf": [["branch", BRANCHED, "b0000006"]],
    "leaf with a summary": [["branch", BRANCHED, "b000000a", "--summary", "Redis was tried."]],
    "leaf before all entries": [["branch", BRANCHED, "root"]],
    "leaf in omp": [["branch", OMP, "10000001"]],
    "new file": [["branch", BRANCHED, "b000000a", "--new-file"]],
    "fork": [["fork", BRANCHED]],
    "fork of an entry": [["fork", BRANCHED, "--entry", "b0000006", "--json"]],
    "fork of omp": [["fork", OMP]],
    "fork of a linear session": [["fork", LINEAR, "--last", "1"]],
    "trash": [["trash", BRANCHED]],
    "trash of two": [["trash", BRANCHED, OMP, "--json"]],
    "trash and restore": [["trash", OMP], ["trash", "--list"], ["restore", OMP]],
    "two changes": [["label", BRANCHED, "b0000003", "one"], ["rename", BRANCHED, "Two", "--json"]],
}
"""Name -> commands. After them comes `undo` as often as it finds something, at most three times."""
