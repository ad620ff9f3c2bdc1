"""The context of Codex's sessions: what a compaction keeps, and the rollout that another one goes on from."""

from __future__ import annotations

import json
import re

import pytest

from tests.rollouts import ID, item, line, meta, said, write_rollout

FORK = "019c9000-7f3a-7bd2-9d5e-0a1b2c3d4e5f"
REWIND = "019c9111-7f3a-7bd2-9d5e-0a1b2c3d4e5f"
FORK_NAME = f"rollout-2026-02-24T10-00-00-{FORK}.jsonl"
REWIND_NAME = f"rollout-2026-02-25T10-00-00-{FORK}_{REWIND}.jsonl"


def texts(messages):
    """(role, text) of each message."""
    found = []
    for message in messages:
        text = message.get("summary")
        if text is None:
            content = message["content"]
            text = content if isinstance(content, str) else "".join(block["text"] for block in content)
        found.append((message["role"], text))
    return found


def context(leafmark, path):
    return texts(json.loads(leafmark("context", path).stdout)["messages"])


def numbered(*lines):
    return [{**each, "ordinal": number} for number, each in enumerate(lines)]


def compacted(message, *items):
    return line("compacted", message=message, replacement_history=[each["payload"] for each in items])


SUMMARY = "Another model began this.\nAll of it was done."


@pytest.mark.parametrize("message", [SUMMARY, ""])
def test_a_compaction_keeps_what_its_line_has(message, leafmark, tmp_path):
    kept = [said("user", "beta one"), said("user", "beta two", kinds=["user.text"])]
    end = said("user", SUMMARY) if message else item("compaction", encrypted_content="gAAAA")
    after = (said("user", "beta three"), said("assistant", "ok"))
    before = (said("user", "beta one"), said("assistant", "well"), said("user", "beta two"))
    path = write_rollout(tmp_path / "home", meta(), *before, compacted(message, *kept, end), *after)
    summary = [("compactionSummary", SUMMARY)] if message else []
    kept = [("user", "beta one"), ("user", "beta two")]
    after = [("user", "beta three"), ("assistant", "ok")]
    assert context(leafmark, path) == [*kept, *summary, *after]
    for agent in ("pi", "omp"):
        for more in ((), ("--all-branches",)):
            out = tmp_path / f"{agent}{len(more)}.jsonl"
            words = ("export", path, "--to", "jsonl", "--agent", agent, "-o", out, *more)
            done = leafmark(*words)
            assert done.returncode == 0, done.stderr
            # As prompts, they would be shown a second time.
            repeated = [("custom", text) for _, text in kept]
            assert context(leafmark, out) == [("compactionSummary", message), *repeated, *after]
    stats = json.loads(leafmark("stats", "--json", "agent:codex").stdout)
    assert stats["total"]["turns"] == 3, "the list repeats prompts"


def base_and_fork(home, *, with_ordinals=True):
    lines = [meta(), said("user", "first"), said("assistant", "one"), said("user", "left out")]
    lines = numbered(*lines) if with_ordinals else lines
    path = write_rollout(home, *lines)
    size = sum(len(json.dumps(each)) + 1 for each in lines[:3])
    base = {"thread_id": ID, "end_ordinal_exclusive": 3, "end_byte_offset": size}
    own = (meta(FORK, history_base=base, forked_from_id=ID), said("user", "second"), said("assistant", "two"))
    return path, write_rollout(home, *(numbered(*own) if with_ordinals else own), name=FORK_NAME)


@pytest.mark.parametrize("with_ordinals", [True, False])
def test_the_rollout_that_a_fork_goes_on_from_comes_first(with_ordinals, leafmark, tmp_path):
    _, fork = base_and_fork(tmp_path / "home", with_ordinals=with_ordinals)
    expected = [("user", "first"), ("assistant", "one"), ("user", "second"), ("assistant", "two")]
    assert context(leafmark, fork) == expected
    for agent in ("pi", "omp"):
        out = tmp_path / f"{agent}.jsonl"
        leafmark("export", fork, "--to", "jsonl", "--agent", agent, "-o", out)
        assert context(leafmark, out) == expected


def test_a_rewind_of_a_fork_begins_with_both(leafmark, tmp_path):
    home = tmp_path / "home"
    base_and_fork(home)
    base = {"thread_id": FORK, "end_ordinal_exclusive": 2}
    own = (meta(FORK, history_base=base), said("user", "third"))
    path = write_rollout(home, *numbered(*own), name=REWIND_NAME)
    assert context(leafmark, path) == [
        *(("user", "first"), ("assistant", "one"), ("user", "second")),
        ("user", "third"),
    ]


@pytest.mark.parametrize("more", [(), ("--all-branches",)])
def test_a_page_begins_with_the_rollout_that_a_fork_goes_on_from(more, leafmark, tmp_path):
    base, fork = base_and_fork(tmp_path / "home")
    begins = [f"Goes on from {ID}, after its first 3 lines", f"Goes on from {FORK}, after its first 2 lines"]
    own = (
        meta(REWIND, history_base={"thread_id": FORK, "end_ordinal_exclusive": 2}),
        said("user", "third"),
        said("assistant", "three"),
    )
    rewound = write_rollout(tmp_path / "home", *numbered(*own), name=REWIND_NAME)
    for path, expected in (
        (base, ["first", "one", "left out"]),
        (fork, ["first", "one", begins[0], "second", "two"]),
        (rewound, ["first", "one", begins[0], "second", begins[1], "third", "three"]),
    ):
        page = tmp_path / "page"
        assert leafmark("export", path, "--to", "md", "-o", page, "--force", *more).returncode == 0
        body = [line.removeprefix("> ") for line in page.read_text().splitlines()]
        assert [line for line in body if line in {*expected, "left out", "two"}] == expected
        assert "A branch from" not in page.read_text()
        assert leafmark("export", path, "--to", "html", "-o", page, "--force", *more).returncode == 0
        shown = re.findall(r'<li class="d0 .*?>([^<>]+)</a></li>', page.read_text())
        assert shown == expected
    assert begins[1] in leafmark("tree", rewound).stdout
    for damage in (lambda: base.write_text("no session\n"), base.unlink):
        damage()
        done = leafmark("export", fork, "--to", "md", "-o", page, "--force", *more)
        assert ID in done.stderr
        assert "missing" in done.stderr
        assert "missing" in page.read_text()


def test_an_archived_base_is_found(leafmark, tmp_path):
    path, fork = base_and_fork(tmp_path / "home")
    archive = tmp_path / "home" / ".codex" / "archived_sessions"
    archive.mkdir()
    path.rename(archive / path.name)
    assert context(leafmark, fork)[0] == ("user", "first")


def test_a_base_that_is_gone_is_named(leafmark, tmp_path):
    path, fork = base_and_fork(tmp_path / "home")
    path.unlink()
    done = leafmark("context", fork)
    assert done.returncode == 0
    assert ID in done.stderr
    assert "missing" in done.stderr
    out = tmp_path / "out.jsonl"
    assert "missing" in leafmark("export", fork, "--to", "jsonl", "-o", out).stderr
    assert context(leafmark, fork)[-2:] == [("user", "second"), ("assistant", "two")]


def test_bases_in_a_circle_end(leafmark, tmp_path):
    home = tmp_path / "home"
    other = f"rollout-2026-02-24T10-00-01-{REWIND}.jsonl"
    one = write_rollout(
        home, meta(FORK, history_base={"thread_id": REWIND}), said("user", "a"), name=FORK_NAME
    )
    write_rollout(home, meta(REWIND, history_base={"thread_id": FORK}), said("user", "b"), name=other)
    done = leafmark("context", one)
    assert done.returncode == 0
    assert "missing" in done.stderr
