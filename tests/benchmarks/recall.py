"""Measure 6: every planted word is found in its place, and nowhere else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.benchmarks.corpus import read_truth
from tests.benchmarks.corpus.needles import ALSO, NEEDLES
from tests.benchmarks.listing import LIST
from tests.benchmarks.measure import run
from tests.benchmarks.rows import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.corpus.needles import Needle
    from tests.benchmarks.corpus.truth import Record
    from tests.benchmarks.measure import Setting
    from tests.benchmarks.peers import Peers

Entries = dict[str, set[str | None]]
"""Path of a session -> the ids of the entries that hold a needle, None where there are none."""


def planted(records: list[Record], needle: Needle) -> Entries:
    """Return the sessions and entries that the query of `needle` must find."""
    names = {needle.name, *ALSO.get(needle.name, ())}
    found: Entries = {}
    for record in records:
        for each in record.get("needles", ()):
            if each["needle"] in names:
                found.setdefault(record["path"], set()).add(each["entry_id"])
    return found


def faults(needle: Needle, wanted: Entries, hits: list[dict[str, Any]]) -> list[str]:
    """Return the errors in the hits of `leafmark search --json`, one sentence each."""
    found = {hit["path"]: hit for hit in hits}
    wrong = [f"not found: {path}" for path in wanted if path not in found]
    wrong += [f"found without reason: {path}" for path in found if path not in wanted]
    for path in wanted.keys() & found.keys():
        hit = found[path]
        known = wanted[path] - {None}
        # Words that stand in several entries have no single expected entry.
        if known and not ALSO.get(needle.name) and hit["entry_id"] not in known:
            wrong.append(f"{hit['entry_id']} is not the entry that has it: {path}")
        if needle.place == "abandoned" and known and hit["on_active_path"] is not False:
            wrong.append(f"on_active_path is {hit['on_active_path']} of an abandoned branch: {path}")
    if len(found) < len(hits):
        wrong.append("a session has two hits")
    return wrong


def recall(setting: Setting, peers: Peers) -> Iterator[Result]:
    """leafmark by its command line, compared with fast-resume over the files of pi, which it knows."""
    run(setting.leafmark(*LIST), setting.env)
    records = read_truth(setting.corpus)
    missed = false = total = 0
    said: list[str] = []
    for needle in NEEDLES:
        wanted = planted(records, needle)
        hits = _search(setting, needle)
        told = faults(needle, wanted, hits)
        said += [f"{needle.name}: {sentence}" for sentence in told]
        lost = sum(1 for sentence in told if not sentence.startswith("found without reason"))
        missed += lost
        false += len(told) - lost
        total += len(wanted)
    what = f"recall: {len(NEEDLES)} needles, {total:,} places, not found"
    yield Result("6", what, str(missed), value=missed, limit=0, ci=True)
    yield Result("6", "  sessions found without reason", str(false), value=false, limit=0, ci=True)
    for sentence in said[:20]:
        print(f"      {sentence}")
    if peers.fast_resume:
        yield from _fast_resume(setting, peers, records)


def _fast_resume(setting: Setting, peers: Peers, records: list[Record]) -> Iterator[Result]:
    peers.warm_list()
    pi = [record for record in records if record["path"].startswith(setting.pi_root)]
    ids = {record["path"]: record["id"] for record in pi if "id" in record}
    parts = {"typed": [0, 0], "meta": [0, 0], "deep": [0, 0]}
    false = 0
    for needle in NEEDLES:
        wanted = {ids[path] for path in planted(pi, needle)}
        found = peers.find(needle.query)
        part = parts[needle.tier]
        part[0] += len(wanted & found)
        part[1] += len(wanted)
        if needle.name == "phrase":
            false = len(found - wanted)
    for tier, (found_count, of) in parts.items():
        share = found_count / of if of else 1.0
        yield Result("6", f"  fr: {tier}", f"{share:.0%}", f"{found_count:,} of {of:,} in pi's files")
    yield Result("6", "  fr: sessions found without reason for the phrase", f"{false:,}")


def _search(setting: Setting, needle: Needle) -> list[dict[str, Any]]:
    command = ["search", "--json", "--limit", "1000000", *setting.flat()]
    if needle.tier == "deep":
        command.append("--all-text")
    # The status is 1 if nothing is found.
    done = run(setting.leafmark(*command, "--", needle.query), setting.env, keep=True, success=(0, 1))
    told = json.loads(done.output)
    hits: list[dict[str, Any]] = told["hits"]
    if told["total"] != len(hits):
        raise RuntimeError(f"total is {told['total']}, and there are {len(hits)} hits")
    return hits
