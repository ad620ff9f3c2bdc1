"""The estimated costs of Claude Code and Codex against the real ccusage (npm), which estimates them too.

The tests are skipped unless LEAFMARK_CCUSAGE names a folder in which `npm install ccusage@20.0.24` was run.
ccusage has a table of prices of its own, from another day; the models of these files have the same prices in
both.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import leafmark
from tests.cli.test_prices import answer, claude, spent
from tests.rollouts import event, line, meta, said, write_rollout

__all__ = ["leafmark"]

_FOLDER = os.environ.get("LEAFMARK_CCUSAGE", "")
_PROGRAM = Path(_FOLDER, "node_modules", "ccusage", "src", "cli.js")
_NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    not (_FOLDER and _NODE and _PROGRAM.is_file()), reason="LEAFMARK_CCUSAGE names no folder with ccusage"
)


def total(home: Path, agent: str) -> dict[str, Any]:
    """The sum of all sessions of an agent, by ccusage and without the network."""
    for path in home.rglob("*.jsonl"):
        # ccusage reads only lines without blanks, as the agents write them.
        lines = [json.loads(each) for each in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in lines))
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "TZ": "UTC", "NO_COLOR": "1"}
    command = [str(_NODE), str(_PROGRAM), agent, "daily", "--json", "--offline"]
    done = subprocess.run(command, env=env, cwd=home, capture_output=True, text=True, timeout=60, check=True)
    found: dict[str, Any] = json.loads(done.stdout)["totals"]
    return found


def ours(leafmark: Any) -> float:
    """The sum of all sessions by leafmark."""
    cost: float = json.loads(leafmark("stats", "--json").stdout)["total"]["cost"]
    return cost


def test_claude_code_costs_what_ccusage_says(leafmark, tmp_path) -> None:
    home = tmp_path / "home"
    small, large = spent(1_000, 2_000, 30_000, 4_000), spent(900, 800, 250_000, 5_000, an_hour=2_000)
    lines = [answer("a", "u", "claude-opus-4-5-20251101", small)]
    lines += [answer("b", "a", "claude-sonnet-4-5-20250929", spent(10, 20, 0, 100_000))]
    lines += [answer("c", "b", "claude-haiku-4-5-20251001", large)]
    claude(home, *lines)
    theirs = total(home, "claude")
    assert ours(leafmark) == pytest.approx(theirs["totalCost"], rel=0.01)


def test_lines_of_one_answer_count_once_in_both(leafmark, tmp_path) -> None:
    home = tmp_path / "home"
    model = "claude-opus-4-5-20251101"
    first, last = spent(1_000, 1, 30_000, 4_000), spent(1_000, 2_000, 30_000, 4_000)
    claude(
        home,
        answer("a", "u", model, first, "m-1", requestId="r-1"),
        answer("b", "a", model, last, "m-1", requestId="r-1"),
    )
    assert ours(leafmark) == pytest.approx(total(home, "claude")["totalCost"], rel=0.01)


def test_codex_costs_what_ccusage_says(leafmark, tmp_path) -> None:
    home = tmp_path / "home"

    def count(total: tuple[int, int, int], last: tuple[int, int, int]) -> dict[str, Any]:
        names = ("input_tokens", "cached_input_tokens", "output_tokens")
        each = [dict(zip(names, counts, strict=True)) for counts in (total, last)]
        for counts in each:
            counts |= {"reasoning_output_tokens": 0}
            counts["total_tokens"] = counts["input_tokens"] + counts["output_tokens"]
        return event("token_count", info={"total_token_usage": each[0], "last_token_usage": each[1]})

    lines = [meta(model_provider="openai"), line("turn_context", model="gpt-5-codex", cwd="/w")]
    lines += [
        said("user", "hi"),
        said("assistant", "one"),
        count((90_000, 60_000, 500), (90_000, 60_000, 500)),
    ]
    lines += [said("assistant", "two"), count((250_000, 160_000, 1_500), (160_000, 100_000, 1_000))]
    write_rollout(home, *lines)
    theirs = total(home, "codex")
    assert ours(leafmark) == pytest.approx(theirs["costUSD"], rel=0.01)
