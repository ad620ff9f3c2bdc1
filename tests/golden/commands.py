"""The commands whose output is recorded, for each corpus."""

from __future__ import annotations

BRANCHED = "0195a000-0000-7000-8000-000000000001"

ANYWHERE = [
    ["--version"],
    ["--help"],
    *([name, "--help"] for name in (
        "list", "search", "tree", "show", "labels", "doctor", "index", "watch", "label", "rename", "branch",
        "fork", "trash", "restore", "undo", "resume", "context",
    )),
    ["list", "--limit", "x"],
    ["list", "--no-such-option"],
    ["no-such-command"],
    ["search"],
    ["tree"],
    ["tree", "nothing-has-this-id"],
    ["show", "nothing-has-this-id"],
    ["label", "nothing-has-this-id", "x", "y"],
    ["rename", "nothing-has-this-id", "x"],
    ["branch", "nothing-has-this-id", "x"],
    ["fork", "nothing-has-this-id"],
    ["trash", "nothing-has-this-id"],
    ["restore", "nothing-has-this-id"],
    ["undo"],
    ["trash"],
    ["trash", "--list"],
    ["--demo", "--store", "pi=/tmp", "list"],
    ["--store", "nobody=/tmp", "list"],
]  # fmt: skip
"""Usage, help and complaints: with no session at all."""

LISTS = [
    ["list"],
    ["list", "--json"],
    ["list", "--limit", "3"],
    ["list", "redis"],
    ["list", "is:named"],
    ["list", "has:label", "--json"],
    ["list", "agent:omp"],
    ["list", "-agent:pi"],
    ["list", "in:title", "the"],
    ["list", "no-such-filter:x"],
    ["search", "redis"],
    ["search", "redis", "--json"],
    ["search", "redis", "--every"],
    ["search", "token", "--sort", "relevance"],
    ["search", '"the token"'],
    ["search", "re:[a-z]+s is"],
    ["search", "Two"],
    ["search", "pytest", "--all-text"],
    ["search", "nowhere-to-be-found"],
    ["search", "re:("],
    ["labels"],
    ["labels", "--json"],
    ["doctor"],
    ["doctor", "--json"],
    ["index"],
    ["index", "--verify"],
    ["index", "--rebuild"],
    ["index", "--json"],
    ["watch", "--help"],
    ["resume", "--print", "Login token"],
    ["resume", "--print", "nowhere-to-be-found"],
]

DEMO = [["--demo", *words] for words in LISTS]

SMALL = [
    *LISTS,
    ["list", "größe"],
    ["search", "größe"],
    ["search", "日本語"],
    ["tree", BRANCHED],
    ["tree", BRANCHED, "--json"],
    ["tree", BRANCHED, "--ascii"],
    ["show", BRANCHED],
    ["show", BRANCHED, "--last", "1"],
    ["labels", BRANCHED],
    ["labels", BRANCHED, "--json"],
    *(["tree", name] for name in (
        "0195a000-0000-7000-8000-000000000003",
        "0195a000-0000-7000-8000-000000000004",
        "0195a000-0000-7000-8000-000000000005",
        "0195a000-0000-7000-8000-000000000006",
        "0195b000-0000-7000-8000-000000000001",
        "0195c000-0000-7000-8000-000000000001",
        "t-000001",
        "11112222-0000-4000-8000-000000000001",
    )),
    ["tree", "0195a000"],
    ["resume", "--print", BRANCHED],
    ["resume", "--print", "0195a000-0000-7000-8000-000000000007"],
    ["resume", "--print", "0195b000-0000-7000-8000-000000000001"],
    ["resume", "--print", "t-000001"],
    ["label", BRANCHED, "no-such-entry", "x"],
    ["label", "11112222-0000-4000-8000-000000000001", "aa000001", "x"],
    ["branch", BRANCHED, "no-such-entry"],
    ["rename", "t-000001", "x"],
]  # fmt: skip
"""On the corpus of this package, one after the other in one home."""

REAL = [
    ["list"],
    ["list", "--json"],
    ["search", "error"],
    ["search", "the", "--every", "--json"],
    ["labels", "--json"],
    ["doctor", "--json"],
    *(["tree", f"home/{place}", "--json"] for place in (
        ".omp/agent/sessions/--work--/omp-short-title-line.jsonl",
        ".pi/agent/sessions/--work--/pi-v1-large.jsonl",
        ".pi/agent/sessions/--work--/pi-v3-branched.jsonl",
        ".pi/agent/sessions/--work--/pi-v3-small.jsonl",
    )),
]  # fmt: skip
"""On the real sessions; a word that begins with home/ is a path below the home's folder."""
