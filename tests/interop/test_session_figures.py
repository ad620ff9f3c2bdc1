"""The tokens and costs of a session are those that the real pi shows in `/session`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.index.statistics import MODEL, statistics
from app.sessions import summarise
from app.sessions.summaries import figures_of, read_figures
from tests.cli.test_usage import pi_session, usage
from tests.factory import entry, make_row, message, write_session

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.programs import Program


def lines() -> list[dict[str, Any]]:
    """A session with usage of two models, a tool, summaries, and an entry for usage alone."""
    spent = {"provider": "p", "model": "other", "usage": usage(4, 3, 0.25, 2)}
    return [
        *pi_session(),
        message("e", "d", "assistant", "ok", 5, stopReason="stop", **spent),
        entry("usage", "f", "e", 6, kind="title", provider="q", model="small", usage=usage(1, 1, 0.01)),
        entry(
            *("compaction", "g", "f", 7),
            summary="all",
            firstKeptEntryId="e",
            tokensBefore=9,
            usage=usage(6, 5, 0.3),
        ),
    ]


def test_the_figures_are_those_of_the_session_command(pi: Program, tmp_path: Path) -> None:
    path = str(write_session(tmp_path / "s.jsonl", *lines()))
    theirs = pi.help("sessionStats", path)
    summary = summarise(path, ("pi",), 0).summary
    assert summary is not None
    assert summary.cost == pytest.approx(theirs["cost"])
    names = ("input", "output", "cacheRead", "cacheWrite")
    assert summary.tokens == tuple(theirs["tokens"][name] for name in names)
    figures = figures_of(read_figures(path, ("pi",)))
    ours = {
        {"tools": "Tools/summaries"}.get(group.key, group.key): (group.cost, sum(group[6:10]))
        for group in statistics([(make_row(), figures)], MODEL).groups
    }
    assert ours == {
        each["key"]: (pytest.approx(each["cost"]), each["tokens"]) for each in theirs["breakdown"]
    }


def test_a_tool_that_asked_a_model_costs_what_pi_says(pi: Program, tmp_path: Path) -> None:
    path = str(write_session(tmp_path / "s.jsonl", *pi_session()))
    assert pi.help("sessionStats", path)["cost"] == pytest.approx(1.9)
    summary = summarise(path, ("pi",), 0).summary
    assert summary is not None
    assert summary.cost == pytest.approx(1.9)
