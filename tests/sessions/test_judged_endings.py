"""Forty endings that a person has judged: those of the example sessions, and of kinds of the corpus. Most are
notices of an agent that it is done, which ask nothing.
"""

from __future__ import annotations

from pathlib import Path

from app.sessions import ABORTED, DONE, INTERRUPTED, summarise
from app.stores import AGENTS
from tests.benchmarks.corpus import build

EXAMPLES = Path(__file__).parent.parent.parent / "app/demo/sessions"
NAMES = tuple(agent.name for agent in AGENTS)
JUDGED_EXAMPLES = {
    "agent/shop/request-ids-2.jsonl": DONE,  # Workers log it too now.
    "agent/shop/request-ids.jsonl": DONE,  # anything else gets a fresh one.
    "claude/site/500f2bfa-7ae1-4be4-9278-a9f339bb35f2.jsonl": DONE,  # and the font is gone.
    "claude/weather-bot/36415f21-1eca-4eb5-8d86-1859f313a7a4.jsonl": DONE,  # All 12 tests pass.
    "codex/dotfiles/backup.jsonl": DONE,  # RuntimeMaxSec=2h ends a run that hangs.
    "codex/site/alt-texts.jsonl": ABORTED,  # The user stopped it after the prompt.
    "indus/weather-bot/forecast.ndjson": DONE,  # Same numbers, and a restart no longer asks
    "indusagi/dotfiles/editor.jsonl": DONE,  # All 61 mappings are there.
    "indusagi/tidepool/man-page.jsonl": DONE,  # It can, through $PAGER
    "omp/old-api/docs.jsonl": DONE,  # 18 endpoints; three were announced as gone
    "omp/shop/totals.jsonl": DONE,  # All green.
    "omp/site/dark-mode.jsonl": DONE,  # all pairs pass now.
    "omp/site/feed.jsonl": DONE,  # Both use `day()` now.
    "omp/tidepool/uploads.jsonl": DONE,  # Done on both sides.
    "pi/dotfiles/slow-shell.jsonl": DONE,  # Start is at 0.12 s.
    "pi/old-api/cron.jsonl": DONE,  # The dry run matches last night's log.
    "pi/shop/async.jsonl": DONE,  # Nothing else changed in the answers.
    "pi/shop/limits.jsonl": DONE,  # Done: `Bucket(rate, burst, now)`.
    "pi/shop/login.jsonl": DONE,  # Wait for the session token before login returns
    "pi/shop/redis.jsonl": DONE,  # I would keep the branch for the day there are two.
    "pi/shop/refunds.jsonl": INTERRUPTED,  # I'll lock the order's row first. (cut at its greatest length)
    "pi/site/comments.jsonl": DONE,  # Then take the shop's token bucket
    "pi/site/pictures.jsonl": DONE,  # I've proposed texts in both files.
    "pi/tidepool/parser.jsonl": DONE,  # An empty file now means the defaults
}
JUDGED_KINDS = {
    "pi": DONE,
    "pi branches and events": DONE,
    "omp": DONE,
    "indusagi": INTERRUPTED,  # The last line is a prompt.
    "agent": INTERRUPTED,
    "transcript": INTERRUPTED,
    "pi flat folder": DONE,
    "pi version 1": INTERRUPTED,
    "pi named": DONE,
    "pi without text": INTERRUPTED,  # The last line is the result of a tool.
    "omp exited": ABORTED,
    "omp without slot": DONE,
    "claude": INTERRUPTED,
    "claude titled": DONE,
    "claude fork": INTERRUPTED,  # cut at its greatest length
    "codex": DONE,
}


def ending(path: str) -> str:
    summary = summarise(path, NAMES, 0).summary
    assert summary is not None
    return summary.ending


def test_forty_endings_agree_with_a_person(tmp_path: Path) -> None:
    assert len(JUDGED_EXAMPLES) + len(JUDGED_KINDS) == 40
    assert {name: ending(str(EXAMPLES / name)) for name in JUDGED_EXAMPLES} == JUDGED_EXAMPLES
    records = build(str(tmp_path), "tiny")
    found = {kind: next(record for record in records if record["kind"] == kind) for kind in JUDGED_KINDS}
    assert {kind: ending(record["path"]) for kind, record in found.items()} == JUDGED_KINDS
