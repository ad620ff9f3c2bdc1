"""Costs at list price, for agents that write none: Claude Code and Codex."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from app.formats import LIST_PRICES, Price
from app.sessions import Branches, open_tree
from app.settings import read_settings
from app.stores import Tagging
from app.view import branch_text, facts_of, session_facts
from app.view.project_overview import project_overview, project_rows
from tests import claude_lines
from tests.cases import cases
from tests.cli.test_usage import figures, put, row_of, usage
from tests.factory import NOW, header, message
from tests.rollouts import event, line, meta, said, write_rollout

if TYPE_CHECKING:
    from pathlib import Path

OPUS = "claude-opus-4-5-20251101"
# 5, 25, 0.5, 6.25 and 10 dollars for a million
OPUS_COST = (1_000 * 5 + 2_000 * 25 + 30_000 * 0.5 + 3_000 * 6.25 + 1_000 * 10) / 1e6


def spent(*counts: int, an_hour: int = 0) -> dict[str, Any]:
    """The usage of Claude Code: input, output, cache read, cache write, and the part of it for an hour."""
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    kept = {"ephemeral_5m_input_tokens": counts[3] - an_hour, "ephemeral_1h_input_tokens": an_hour}
    return {**dict(zip(names, counts, strict=True)), "cache_creation": kept}


def answer(own: str, parent: str, model: str, used: dict[str, Any], answer_id: str = "", **more: Any) -> str:
    """A line of an answer of Claude Code."""
    told = {"role": "assistant", "id": answer_id or f"m-{own}", "model": model, "usage": used}
    told["content"] = [{"type": "text", "text": f"part {own}"}]
    return claude_lines.line("assistant", own, parent, message=told, **more)


def claude(home: Path, *answers: str, name: str = "one") -> str:
    """Write a session of Claude Code, and return its path."""
    return str(claude_lines.write(home, claude_lines.line("user", "u", None, "hello"), *answers, name=name))


USED = spent(1_000, 2_000, 30_000, 4_000, an_hour=1_000)


def listed(leafmark: Any, *words: str) -> list[dict[str, Any]]:
    """The sessions of `leafmark list --json`."""
    found: list[dict[str, Any]] = json.loads(leafmark("list", "--json", *words).stdout or '{"sessions": []}')[
        "sessions"
    ]
    return found


def costs(of: dict[str, Any]) -> tuple[Any, ...]:
    """The fields about a cost, rounded."""
    cost = None if of["cost"] is None else round(of["cost"], 9)
    return cost, of["cost_estimated"], of["cost_partial"]


def test_a_session_of_claude_code_costs_what_its_tokens_cost_at_list_price(leafmark, tmp_path) -> None:
    # The usage of an answer stands on each of its lines.
    half = spent(1_000, 1, 30_000, 4_000, an_hour=1_000)
    path = claude(tmp_path / "home", answer("a", "u", OPUS, half, "m"), answer("b", "a", OPUS, USED, "m"))
    wanted = (pytest.approx(OPUS_COST), True, False)
    (row,) = listed(leafmark)
    assert costs(row) == wanted
    for by, key in (("day", "2026-03-01"), ("model", OPUS), ("agent", "claude"), ("project", "/work/app")):
        groups = figures(leafmark, "--by", by)
        assert (costs(groups[key]), costs(groups["total"])) == (wanted, wanted), by
    assert listed(leafmark, "cost:=0.10")
    assert not listed(leafmark, "cost:>0.10")
    assert leafmark("list", "--format", "{cost_estimated}{cost}").stdout == "~0.0988\n"
    tree = open_tree(path, ("claude",))
    (branch,) = Branches(tree).all()
    assert "3.0k tokens · ~$0.10" in branch_text(branch)
    assert "~$0.10" in facts_of(tree.read(tree.entries[-1])).titles(NOW)[0]
    own = row_of(path, "claude")
    assert dict(session_facts(own, Tagging(), home="/", now_ms=NOW))["Cost"] == "~$0.10"
    assert "~$0.10" in " ".join(row.words for row in project_rows(project_overview([own]), NOW))


def test_a_session_of_codex_costs_what_its_tokens_cost(leafmark, tmp_path) -> None:
    def count(total: dict[str, int], last: dict[str, int]) -> dict[str, Any]:
        return event("token_count", info={"total_token_usage": total, "last_token_usage": last})

    def used(sent: int, cached: int, received: int) -> dict[str, int]:
        return {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": received}

    lines = [
        meta(model_provider="openai"),
        line("turn_context", model="gpt-5.4", cwd="/w"),
        said("user", "hi"),
    ]
    lines += [said("assistant", "one"), count(used(100_000, 60_000, 500), used(100_000, 60_000, 500))]
    # Input and cache of a large request cost twice as much.
    lines += [said("assistant", "two"), count(used(400_000, 260_000, 1_500), used(300_000, 200_000, 1_000))]
    write_rollout(tmp_path / "home", *lines)
    small = 40_000 * 2.5 + 500 * 15 + 60_000 * 0.25
    large = 100_000 * 5 + 1_000 * 22.5 + 200_000 * 0.5
    (row,) = listed(leafmark)
    assert costs(row) == (pytest.approx((small + large) / 1e6), True, False)
    assert costs(figures(leafmark, "--by", "model")["openai/gpt-5.4"]) == costs(row)


def test_a_model_without_a_price_has_no_cost(leafmark, tmp_path) -> None:
    path = claude(tmp_path / "home", answer("a", "u", "claude-nimbus-9", USED))
    (row,) = listed(leafmark)
    assert costs(row) == (None, False, True)
    total = figures(leafmark)["total"]
    assert (costs(total), total["tokens"]["output"]) == ((None, False, True), 2_000)
    for query in ("cost:>=0", "cost:<1", "cost:=0"):
        assert not listed(leafmark, query), query
    assert leafmark("list", "--format", "{cost_estimated}{cost}|").stdout == "|\n"
    assert leafmark("stats").stdout.split("\t")[10] == ""
    own = row_of(path, "claude")
    assert dict(session_facts(own, Tagging(), home="/", now_ms=NOW))["Cost"] == "–"


def test_a_cost_with_a_part_that_is_not_known_says_so(leafmark, tmp_path) -> None:
    path = claude(tmp_path / "home", answer("a", "u", OPUS, USED), answer("b", "a", "claude-nimbus-9", USED))
    (row,) = listed(leafmark)
    assert costs(row) == (pytest.approx(OPUS_COST), True, True)
    assert dict(session_facts(row_of(path, "claude"), Tagging(), home="/", now_ms=NOW))["Cost"] == "~$0.10+"
    groups = figures(leafmark, "--by", "model")
    assert costs(groups["claude-nimbus-9"]) == (None, False, True)


def test_a_cost_in_the_file_wins(leafmark, tmp_path) -> None:
    claude(tmp_path / "home", answer("a", "u", OPUS, USED, costUSD=0.25))
    told = {"provider": "anthropic", "model": OPUS}
    free = message("b", "a", "assistant", "hi", 2, **told, usage=usage(10, 5, 0.0))
    put(tmp_path / "home", [header("free"), message("a", None, "user", "hello"), free], "free")
    rows = {row["session_id"]: costs(row) for row in listed(leafmark)}
    assert rows == {"one": (0.25, False, False), "free": (0.0, False, False)}


def test_an_answer_of_pi_without_a_cost_is_estimated(leafmark, tmp_path) -> None:
    told = {"provider": "anthropic", "model": "claude-opus-4-5"}
    without = {key: value for key, value in usage(1_000, 2_000, 0, 30_000).items() if key != "cost"}
    lines = [message("b", "a", "assistant", "x", 2, **told, usage=without)]
    lines += [message("c", "b", "assistant", "y", 3, **told, usage=usage(1, 1, 0.5))]
    path = str(put(tmp_path / "home", [header(), message("a", None, "user", "hello"), *lines]))
    wanted = 0.5 + (1_000 * 5 + 2_000 * 25 + 30_000 * 0.5) / 1e6
    assert costs(listed(leafmark)[0]) == (pytest.approx(wanted), True, False)
    assert costs(figures(leafmark)["total"]) == (pytest.approx(wanted), True, False)
    (branch,) = Branches(open_tree(path)).all()
    assert "~$0.57" in branch_text(branch)


@cases(
    ("model", "name"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("anthropic/claude-opus-4-5[1m]", "claude-opus-4-5"),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
        ("claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("openai/gpt-5.4-2026-03-05", "gpt-5.4"),
        ("azure/GPT-5.1-Codex", "gpt-5.1-codex"),
    ],
)
def test_names_of_providers_dates_and_variants_find_their_model(model: str, name: str) -> None:
    assert LIST_PRICES.of(name) is not None
    assert LIST_PRICES.of(model) == LIST_PRICES.of(name)


@cases("model", ["", "/", "<synthetic>", "claude", "gpt-5.41", "opus", "anthropic/"])
def test_other_names_have_no_price(model: str) -> None:
    assert LIST_PRICES.of(model) is None


def settings(home: Path, text: str) -> dict[str, str]:
    """Write a settings file, and return the environment that has it."""
    folder = home / "config"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(text)
    return {"LEAFMARK_CONFIG_DIR": str(folder)}


def test_prices_of_the_user_come_first(leafmark, tmp_path) -> None:
    claude(tmp_path / "home", answer("a", "u", OPUS, USED), answer("b", "a", "claude-nimbus-9", USED))
    text = '[prices]\n"claude-opus-4-5" = {input = 1, output = 2}\nclaude-nimbus-9 = "claude-haiku-4-5"\n'
    config = settings(tmp_path, text)
    own = (35_000 * 1 + 2_000 * 2) / 1e6
    haiku = (1_000 * 1 + 2_000 * 5 + 30_000 * 0.1 + 3_000 * 1.25 + 1_000 * 2) / 1e6
    before = listed(leafmark)
    found = json.loads(leafmark("list", "--json", **config).stdout)["sessions"]
    assert costs(found[0]) == (pytest.approx(own + haiku), True, False)
    total = json.loads(leafmark("stats", "--json", **config).stdout)["total"]
    assert costs(total) == costs(found[0])
    # Nothing of it is stored.
    assert listed(leafmark) == before
    assert json.loads(leafmark("list", "--json", "cost:=0.06", **config).stdout)["sessions"]


@cases(
    ("text", "problem"),
    [
        ("prices = 5", "prices: must be a table: [prices]"),
        ("[prices]\nm = 5", "prices.m: must be the name of a model, or dollars: {input = 3, output = 15}"),
        ('[prices]\nm = "gpt-9"', 'prices.m: there is no model "gpt-9"'),
        ("[prices]\nm = {input = 3}", "prices.m: needs input and output"),
        (
            "[prices]\nm = {input = -3, output = 1}",
            "prices.m: input: must be dollars for a million tokens, from 0 to 1,000,000",
        ),
        (
            "[prices]\nm = {input = nan, output = 1}",
            "prices.m: input: must be dollars for a million tokens, from 0 to 1,000,000",
        ),
        (
            "[prices]\nm = {input = 1e9, output = true}",
            "prices.m: input: must be dollars for a million tokens, from 0 to 1,000,000",
        ),
        ("[prices]\nm = {input = 3, output = 1, cash = 2}", "prices.m: cash: there is no such price"),
        (
            "[prices]\nm = {input = 3, output = 1, long_from = 5}",
            "prices.m: long_from: must be 200000 or 272000",
        ),
    ],
)
def test_a_wrong_price_is_named_and_the_others_count(tmp_path: Path, text: str, problem: str) -> None:
    rest = "\n[prices.good]\ninput = 7\noutput = 8\n" if "[prices]" in text else "\n"
    found = read_settings(settings(tmp_path, text + rest))
    assert [each.partition(": ")[2] for each in found.problems] == [problem]
    assert found.prices.of("m") is None
    assert found.prices.of("claude-opus-4-5") == LIST_PRICES.of("claude-opus-4-5")
    if "[prices]" in text:
        assert found.prices.of("good") == Price(7, 8, 7, 7, 7, 0, 7, 8, 7, 7)


def test_a_provider_that_was_renamed_is_one(leafmark, tmp_path) -> None:
    for name, provider in (("s1", "azure-openai-responses"), ("s2", "azure")):
        told = {"provider": provider, "model": "gpt-5", "usage": usage(1, 1, 0.5)}
        lines = [header(name), message(f"a{name}", None, "assistant", "hi", **told)]
        put(tmp_path / "home", lines, name)
    groups = figures(leafmark, "--by", "model")
    assert (groups.keys(), groups["azure/gpt-5"]["cost"]) == ({"azure/gpt-5", "total"}, 1.0)


@cases("wrong", [-5, 1e300, "x", None, [], 2.5, 1 << 60], one_folder=True)
def test_odd_counts_leave_the_rest(leafmark, tmp_path, wrong) -> None:
    used = {
        **spent(0, 2_000, 0, 0),
        "input_tokens": wrong,
        "cache_creation": {"ephemeral_1h_input_tokens": wrong},
    }
    claude(tmp_path / "home", answer("a", "u", OPUS, used))
    counted = int(wrong) if wrong == 2.5 else 0
    assert costs(listed(leafmark)[0])[0] == pytest.approx((2_000 * 25 + counted * 5) / 1e6)
    assert costs(figures(leafmark)["total"])[0] == pytest.approx((2_000 * 25 + counted * 5) / 1e6)
