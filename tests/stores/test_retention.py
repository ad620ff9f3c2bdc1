"""When Claude Code may delete a session, by its settings (formats/README.md, "Sessions that Claude Code
deletes").
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.stores import Claude, Pi, retention_ms, time_after_restore
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path

DAY_MS = 86_400_000

DAYS = "cleanupPeriodDays"
USER, PROJECT, LOCAL = (
    ".claude/settings.json",
    "work/.claude/settings.json",
    "work/.claude/settings.local.json",
)
MANAGED, FIRST, LAST = (
    "etc/managed-settings.json",
    "etc/managed-settings.d/10.json",
    "etc/managed-settings.d/20.json",
)


def days_with(folder: Path, files: dict[str, Any]) -> int | None:
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps({DAYS: value, "other": 1}))
    (store,) = Claude().stores({}, str(folder), "/")
    work = [str(folder / "work"), str(folder / "elsewhere")]
    kept = retention_ms(store.root, "claude", work, str(folder / "etc"))
    return None if kept is None else kept // DAY_MS


@cases(
    ("files", "days"),
    [
        ({}, 30),
        ({USER: 365}, 365),
        ({USER: 365, PROJECT: 7}, 7),
        ({USER: 3, PROJECT: 100}, 3),  # a start in another folder
        ({PROJECT: 100}, 30),
        ({PROJECT: 5, LOCAL: 50}, 30),  # the local one counts before that of the project
        ({USER: 90, PROJECT: 5, LOCAL: 50}, 50),
        ({USER: 0}, None),
        ({USER: "{"}, None),
        ({USER: 40, PROJECT: "{"}, 40),
        ({USER: "[]"}, None),
        ({USER: " \n", PROJECT: 60}, 30),
        ({USER: "\ufeff" + json.dumps({DAYS: 10})}, 10),
        ({USER: '{"other": 1}'}, 30),
        ({USER: -1}, None),
        ({USER: 1.5}, None),
        ({USER: 30.0}, 30),
        ({USER: '{"cleanupPeriodDays": "9"}'}, None),
        ({USER: '{"cleanupPeriodDays": true}'}, None),
        ({USER: 40, PROJECT: 0}, 40),  # a start there sweeps nothing
        ({USER: 0, MANAGED: 12}, 12),
        ({USER: 2, MANAGED: 99}, 99),
        ({USER: 2, MANAGED: 99, FIRST: 98, LAST: 97}, 97),
        ({USER: 2, MANAGED: 99, LAST: 0}, 99),
        ({USER: 2, MANAGED: "{"}, None),
        ({USER: 2, MANAGED: "{", LAST: 5}, 5),
    ],
)
def test_the_days_are_the_fewest_of_a_start_that_may_sweep(
    tmp_path: Path, files: dict[str, Any], days: int | None
) -> None:
    assert days_with(tmp_path, files) == days


def test_agents_that_delete_nothing_by_age_have_no_retention(tmp_path: Path) -> None:
    store = Pi().stores({}, str(tmp_path), "/")[0]
    assert retention_ms(store.root, "pi", []) is None


@cases(
    ("age", "retention", "is_now"),
    [(29, 30, False), (31, 30, True), (30, 30, True), (900, None, False)],
)
def test_a_restored_file_gets_the_present_time_only_past_the_limit(
    age: int, retention: int | None, is_now: bool
) -> None:
    now_ms = 1_800_000_000_000
    mtime_ns = (now_ms - age * DAY_MS) * 1_000_000
    kept_ms = None if retention is None else retention * DAY_MS
    assert (time_after_restore(mtime_ns, kept_ms, now_ms) == now_ms * 1_000_000) is is_now
