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
"""Path of a session -> the ids of the entries that contain a needle; None stands for an entry without
an id.
"""


def planted(records: list[Record], needle: Needle) -> Entries:
    """Return the sessions and entries that the query of `needle` must find."""
    names = {needle.name, *ALSO.get(needle.name, ())}
    entries: Entries = {}
    for record in records:
        for placed in record.get("needles", ()):
            if placed["needle"] in names:
                entries.setdefault(record["path"], set()).add(placed["entry_id"])
    return entries


def faults(needle: Needle, wanted: Entries, hits: list[dict[str, Any]]) -> list[str]:
    """Return the errors in the hits of `leafmark search --json`, one sentence each."""
    hit_of = {hit["path"]: hit for hit in hits}
    sentences = [f"not found: {path}" for path in wanted if path not in hit_of]
    sentences += [f"found without reason: {path}" for path in hit_of if path not in wanted]
    for path in wanted.keys() & hit_of.keys():
        hit = hit_of[path]
        known = wanted[path] - {None}
        # Words that stand in several entries have no single expected entry.
        if known and not ALSO.get(needle.name) and hit["entry_id"] not in known:
            sentences.append(f"{hit['entry_id']} is not the entry that has it: {path}")
        if needle.place == "abandoned" and known and hit["on_active_path"] is not False:
            sentences.append(f"on_active_path is {hit['on_active_path']} of an abandoned branch: {path}")
    if len(hit_of) < len(hits):
        sentences.append("a session has two hits")
    return sentences


def recall(setting: Setting, peers: Peers) -> Iterator[Result]:
    """Search with leafmark's command line; with fast-resume in pi's sessions, which are all that it has."""
    run(setting.leafmark(*LIST), setting.env)
    records = read_truth(setting.corpus)
    listed = [record for record in records if "id" in record and not record["refused"]]
    id_of = {each["path"]: each["id"] for each in listed if each["path"].startswith(setting.pi_root)}
    missed = false = total = theirs = of_pi = 0
    sentences: list[str] = []
    for needle in NEEDLES:
        wanted = planted(records, needle)
        hits = _search(setting, needle)
        wrong = faults(needle, wanted, hits)
        sentences += [f"{needle.name}: {sentence}" for sentence in wrong]
        lost = sum(1 for sentence in wrong if not sentence.startswith("found without reason"))
        missed += lost
        false += len(wrong) - lost
        total += len(wanted)
        if peers.fast_resume:
            ids = {id_of[path] for path in wanted if path in id_of}
            theirs += len(ids & peers.found(needle.query))
            of_pi += len(ids)
    what = f"recall: {len(NEEDLES)} needles, {total:,} places, not found"
    yield Result("6", what, str(missed), value=missed, limit=0, ci=True)
    yield Result("6", "  sessions found without reason", str(false), value=false, limit=0, ci=True)
    if peers.fast_resume:
        what = f"recall: fr in {of_pi:,} places of pi's sessions, not found"
        yield Result("6", what, f"{of_pi - theirs}", f"found {theirs / of_pi:.0%}")
    for sentence in sentences[:20]:
        print(f"      {sentence}")


def _search(setting: Setting, needle: Needle) -> list[dict[str, Any]]:
    command = ["search", "--json", "--limit", "1000000", *setting.flat()]
    # The status is 1 if nothing is found.
    done = run(setting.leafmark(*command, "--", needle.query), setting.env, keep=True, success=(0, 1))
    result = json.loads(done.output)
    hits: list[dict[str, Any]] = result["hits"]
    if result["total"] != len(hits):
        raise RuntimeError(f"total is {result['total']}, and there are {len(hits)} hits")
    return hits
