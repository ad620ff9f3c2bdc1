"""The entries that a branch leaves behind, their outline and their transcript."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from app.actions.abandoned_branch import (
    OUTPUT_LIMIT,
    PROMPT_LIMIT,
    PROMPTS,
    AbandonedBranch,
    file_list,
    find_abandoned,
    outline,
    transcript,
)
from app.formats import FileLists
from tests.actions.test_compare import answer, calls, text
from tests.cases import cases
from tests.factory import entry, header, message, write_session

if TYPE_CHECKING:
    from leafmark import SessionManager

    from tests.sessions.manager.conftest import Home

TALK = [
    header(),
    message("u1", None, "user", "why does it fail", 1),
    answer("a1", "u1", 2, text("let me see"), *calls(("read", "shared.py"))),
    message("u2", "a1", "user", "try\nredis", 3),
    answer(
        "a2",
        "u2",
        4,
        {"type": "thinking", "thinking": "hm"},
        text("trying"),
        *calls(("read", "b.py"), ("read", "a.py"), ("write", "a.py")),
    ),
    message("r2", "a2", "toolResult", "the whole file", 5, toolCallId="c0", toolName="read"),
    entry("label", "l2", "r2", 6, targetId="a2", label="x"),
    message("u3", "l2", "user", "and now", 7),
]


def session(home: Home, *lines: dict[str, Any] | str) -> SessionManager:
    return home.open(write_session(home.folder / "s.jsonl", *lines))


def ids(abandoned: AbandonedBranch) -> list[str]:
    return [entry.id for entry in abandoned.entries]


def test_the_abandoned_entries_end_at_the_common_ancestor(home: Home) -> None:
    manager = session(home, *TALK)
    abandoned = find_abandoned(manager, "a1")
    assert ids(abandoned) == ["u2", "a2", "r2", "l2", "u3"]
    assert abandoned.files == FileLists(("b.py",), ("a.py",))
    everything = find_abandoned(manager, None)
    assert ids(everything)[0] == "u1"
    assert everything.files.read == ("b.py", "shared.py")


def test_a_prompt_that_is_sent_again_is_not_abandoned(home: Home) -> None:
    manager = session(home, *TALK)
    assert ids(find_abandoned(manager, "u2")) == ["a2", "r2", "l2", "u3"]
    assert ids(find_abandoned(manager, "u1"))[0] == "a1"


def test_a_branch_without_messages_leaves_nothing_to_summarize(home: Home) -> None:
    manager = session(home, *TALK)
    assert not find_abandoned(manager, "u3")
    assert not find_abandoned(manager, "u3").entries
    manager = session(
        home, *TALK, entry("custom", "m", "u3"), entry("label", "l", "m", targetId="a1", label="y")
    )
    abandoned = find_abandoned(manager, "u3")
    assert ids(abandoned) == ["m", "l"]
    assert not abandoned
    assert (outline(abandoned), transcript(abandoned)) == ("", "")
    assert find_abandoned(manager, "r2")


def test_only_the_path_to_the_leaf_is_abandoned(home: Home) -> None:
    lines = [*TALK, message("u4", "a1", "user", "other", 8)]
    manager = session(home, *lines)
    assert ids(find_abandoned(manager, "u3")) == ["u4"]
    assert find_abandoned(session(home, header()), None) == AbandonedBranch((), FileLists())


def test_a_compaction_replaces_the_entries_it_summarizes(home: Home) -> None:
    compaction = entry(
        "compaction", "c", "u3", 8, summary="they tried redis", firstKeptEntryId="u3", tokensBefore=9
    )
    manager = session(home, *TALK, compaction, message("u5", "c", "user", "later", 9))
    abandoned = find_abandoned(manager, "a1")
    assert ids(abandoned) == ["c", "u5"]
    assert abandoned.files == FileLists(("b.py",), ("a.py",))
    summary = outline(abandoned)
    assert "- Before that: they tried redis\n- later" in summary
    assert "try redis" not in summary
    assert transcript(abandoned) == "[Summary] they tried redis\n\n[User] later"


def test_an_outline_has_prompts_and_files(home: Home) -> None:
    lines = [*TALK, message("u4", "u3", "user", "x" * 999 + "\x1b[2J"), message("u5", "u4", "user", "")]
    summary = outline(find_abandoned(session(home, *lines), "a1"))
    head, *rest = summary.split("\n")
    assert head.endswith("What was asked there:")
    assert rest == [
        "",
        "- try redis",
        "- and now",
        "- " + "x" * (PROMPT_LIMIT - 1) + "…",
        "- (no text)",
        "",
        "<read-files>",
        "b.py",
        "</read-files>",
        "",
        "<modified-files>",
        "a.py",
        "</modified-files>",
    ]


def test_a_long_outline_has_the_last_prompts(home: Home) -> None:
    lines = [
        message(f"p{number}", f"p{number - 1}" if number else None, "user", f"prompt {number}")
        for number in range(PROMPTS + 1)
    ]
    manager = session(home, header(), *lines)
    assert outline(find_abandoned(manager, None)).split("\n")[2:4] == ["- (1 before these)", "- prompt 1"]
    assert outline(find_abandoned(manager, "p0")).split("\n")[2:4] == ["- prompt 1", "- prompt 2"]


def test_an_outline_without_prompts_has_the_files(home: Home) -> None:
    abandoned = find_abandoned(session(home, *TALK[:-1]), "u2")
    assert outline(abandoned).startswith("Another way was tried from here and left.\n\n<read-files>")
    assert file_list(find_abandoned(session(home, *TALK), "l2")) == ""


def test_file_names_cannot_add_tags_to_an_outline(home: Home) -> None:
    bad = answer("a4", "u3", 8, *calls(("read", "a\n</read-files>\x1b")))
    assert "\na </read-files>\u241b\n" in outline(find_abandoned(session(home, *TALK, bad), "u3"))


def test_a_transcript_has_all_roles_and_cuts_long_output(home: Home) -> None:
    shell = message("b", "u3", "bashExecution", "", command="ls", output="y" * (OUTPUT_LIMIT + 5))
    note = entry("custom_message", "n", "b", customType="x", content="a note", display=True)
    summed = entry("branch_summary", "s", "n", summary="went wrong", fromId="u3")
    written = transcript(find_abandoned(session(home, *TALK, shell, note, summed), "a1"))
    assert written.split("\n\n") == [
        "[User] try\nredis",
        "[Assistant] trying",
        '[Tool calls] read(path="b.py")\nread(path="a.py")\nwrite(path="a.py")',
        "[User] and now",
        "[User ran] ls",
        "[Output] " + "y" * OUTPUT_LIMIT + " [5 more characters]",
        "[Note] a note",
        "[Summary] went wrong",
    ]
    assert "the whole file" not in written


def test_context_edits_of_the_branch_apply_to_its_summary(home: Home) -> None:
    failed = answer("a4", "u3", 8, text("half an answer"), *calls(("write", "failed.py")), stopReason="error")
    hint = entry("custom_message", "n", "a4", customType="x", content="a hint", display=True)
    shell = message("b", "n", "bashExecution", "", command="ls", output="a.py")
    summed = entry("branch_summary", "s", "b", summary="went wrong", fromId="u3")
    edits = [
        entry("context_edit", "e1", "s", targetId="a4", replacement=None),
        entry("context_edit", "e2", "e1", targetId="a2", replacement={"content": "tried"}),
        entry("context_edit", "e3", "e2", targetId="n", replacement={"content": "a first hint"}),
        entry("context_edit", "e4", "e3", targetId="n", replacement={"content": "another hint"}),
        entry("context_edit", "e5", "e4", targetId="b", replacement={"content": "kept as it is"}),
        entry("context_edit", "e6", "e5", targetId="s", replacement=None),
        entry("context_edit", "e7", "e6", targetId=["u3"], replacement=None),
    ]
    manager = session(home, *TALK, failed, hint, shell, summed, *edits)
    abandoned = find_abandoned(manager, "a1")
    assert transcript(abandoned).split("\n\n") == [
        "[User] try\nredis",
        "[Assistant] tried",
        "[User] and now",
        "[Note] another hint",
        "[User ran] ls",
        "[Output] a.py",
        "[Summary] went wrong",
    ]
    assert abandoned.files == FileLists()
    removed = entry("context_edit", "e8", "e7", targetId="u2", replacement=None)
    outlined = outline(
        find_abandoned(session(home, *TALK, failed, hint, shell, summed, *edits, removed), "a1")
    )
    assert "- and now" in outlined
    assert "redis" not in outlined


def test_a_branch_of_removed_messages_leaves_nothing_to_summarize(home: Home) -> None:
    failed = answer("a4", "u3", 8, text("half an answer"), *calls(("write", "failed.py")))
    edit = entry("context_edit", "e", "a4", targetId="a4", replacement=None)
    abandoned = find_abandoned(session(home, *TALK, failed, edit), "u3")
    assert (bool(abandoned), outline(abandoned), transcript(abandoned)) == (False, "", "")


@cases("content", [None, 7, [7, None, {"type": "text", "text": 7}, {"type": "toolCall"}], "x\ud800"])
def test_content_of_any_type_is_accepted(home: Home, content: Any) -> None:
    strange = message("x", "u3", "assistant", "")
    strange["message"]["content"] = content
    abandoned = find_abandoned(session(home, *TALK, json.dumps(strange)), "u3")
    transcript(abandoned).encode()
    outline(abandoned).encode()


def test_a_loop_of_parents_ends(home: Home) -> None:
    lines = [header(), message("a", "b", "user", "one"), message("b", "a", "user", "two")]
    abandoned = find_abandoned(session(home, *lines), None)
    assert ids(abandoned) == ["a", "b"]
    assert ids(find_abandoned(session(home, *lines), "a")) == []
