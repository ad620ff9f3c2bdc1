"""The sessions that their agent may delete soon."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from tests.claude_lines import line, write

if TYPE_CHECKING:
    from pathlib import Path


def test_is_expiring_finds_the_sessions_that_may_go_within_a_week(tmp_path: Path, leafmark: Any) -> None:
    home = tmp_path / "home"
    for name, age in (("fresh", 1), ("old", 25), ("due", 40)):
        path = write(home, line("user", name, None, name), name=name)
        os.utime(path, (time.time() - age * 86_400,) * 2)

    def listed(query: str) -> list[str]:
        found = json.loads(leafmark("list", "--json", "--", query).stdout)["sessions"]
        return sorted(row["title"] for row in found)

    assert listed("is:expiring") == ["due", "old"]
    assert listed("-is:expiring") == ["fresh"]
    [row] = json.loads(leafmark("list", "--json", "old").stdout)["sessions"]
    may_go = os.stat(row["path"]).st_mtime + 30 * 86_400
    assert row["expires"] == time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(may_go)) + row["expires"][19:]
    (home / ".claude/settings.json").write_text('{"cleanupPeriodDays": 365}')
    assert listed("is:expiring") == []
