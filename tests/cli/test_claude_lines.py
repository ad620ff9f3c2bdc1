"""Sessions of Claude Code, from their lines to the output of commands (formats/README.md, "Claude Code")."""

from __future__ import annotations

import json
from typing import Any

from tests.cases import cases
from tests.claude_lines import boundary, line, summary, write

INTERRUPTED = "[Request interrupted by user]"
TYPED = {"origin": {"kind": "human"}, "promptSource": "typed"}


def command(name: str, arguments: str = "") -> str:
    tags = {"message": name, "name": f"/{name}", "args": arguments}
    return "\n".join(f"<command-{tag}>{text}</command-{tag}>" for tag, text in tags.items())


def rows(run: Any, *words: str) -> list[str]:
    """The rows of the tree of the session `one`."""
    found = run("tree", "one", *words).out.splitlines()[1:]
    shown = [row for row in found if "entries hidden" not in row and "entry hidden" not in row]
    return [" ".join(row.split()[1:]).lstrip(" •│├└─") for row in shown]


def session(run: Any) -> dict[str, Any]:
    [row] = json.loads(run("list", "--json").out)["sessions"]
    return row


def prompts(run: Any) -> int:
    return json.loads(run("stats", "--json").out)["total"]["turns"]


def hits(run: Any, word: str) -> int:
    """The number of entries with `word`; it may be the id of the session."""
    found = json.loads(run("search", word, "--every", "--json").out)["hits"]
    return sum(1 for hit in found if hit["entry_id"])


def sent(run: Any) -> list[str]:
    """The texts of the context."""
    found = []
    for message in json.loads(run("context", "one").out)["messages"]:
        content = message.get("summary") or message.get("content") or ""
        found.append(content if isinstance(content, str) else "".join(block["text"] for block in content))
    return found


CONVERSATION = [
    line("user", "p1", None, "first"),
    line("assistant", "a1", "p1", "one"),
    line("user", "p2", "a1", "second"),
    line("assistant", "a2", "p2", "two"),
]


def test_a_repeated_line_is_one_entry(run, home) -> None:
    write(home, *[each for one in CONVERSATION for each in (one, one)])
    assert run("search", "second", "--every").out.count("\n") == 1
    assert (session(run)["message_count"], session(run)["leaf_count"], prompts(run)) == (4, 1, 2)
    assert len(rows(run)) == 4


@cases("begun", [True, False])
def test_an_interruption_ends_one_answer(begun, run, home) -> None:
    begins = line("assistant", "a1", "p1", "half an", isAbortedMidStream=True)
    note = line("user", "n1", "a1" if begun else "p1", [{"type": "text", "text": INTERRUPTED}])
    lines = [line("user", "p1", None, "first"), *([begins] if begun else []), note]
    write(home, *lines)
    messages = json.loads(run("context", "one").out)["messages"]
    assert [message.get("stopReason") for message in messages] == [None, "aborted"]
    assert sent(run) == ["first", "half an" if begun else ""]
    assert (session(run)["message_count"], session(run)["leaf_count"]) == (2, 1)
    write(home, *lines, line("user", "p2", "n1", "and then"))
    assert session(run)["leaf_count"] == 1
    assert sent(run)[-1] == "and then"


@cases("times", [1, 2, 5])
def test_a_session_that_was_compacted_again_and_again_has_one_root(run, home, times) -> None:
    lines = list(CONVERSATION)
    for number in range(times):
        last = f"q{number - 1}" if number else "a2"
        if number:
            lines += [*lines, line("system", f"h{number}", "a1", subtype="stop_hook_summary")]
        lines += [boundary(f"b{number}", last), summary(f"s{number}", f"b{number}", f"summary {number}")]
        lines.append(line("user", f"q{number}", f"s{number}", f"question {number}"))
    write(home, *lines)
    row = session(run)
    assert (row["message_count"], row["leaf_count"], row["problems"]) == (4 + times, 1, 0)
    assert prompts(run) == 2 + times
    document = json.loads(run("tree", "one", "--json").out)
    entries = document["entries"]
    assert [entry["entry_id"] for entry in entries if entry["parent_id"] is None] == ["p1"]
    assert len({entry["parent_id"] for entry in entries}) == len(entries), "nothing looks abandoned"
    assert len(sent(run)) == 2


def test_a_rewind_after_a_repetition_is_still_a_branch(run, home) -> None:
    again = [boundary("b", "a2"), summary("s", "b", "all"), line("user", "q", "s", "third")]
    write(
        home,
        *CONVERSATION,
        *again,
        *CONVERSATION,
        line("user", "r", "q", "x"),
        line("user", "t", "s", "else"),
    )
    assert session(run)["leaf_count"] == 2


THIRD = [line("user", "p3", "a2", "third"), line("assistant", "a3", "p3", "three")]


@cases(
    ("added", "expected"),
    # The contexts are those that Claude Code 2.1.332 sent for these files.
    [
        ([line("assistant", "a2", "p2", "new")], ["first", "one", "second", "new"]),
        ([line("assistant", "a1", "p1", "new")], ["first", "new"]),
        ([line("user", "p2", "a1", "new")], ["first", "one", "new"]),
        (
            [line("assistant", "a1", "p1", "new"), *THIRD],
            ["first", "new", "second", "two", "third", "three"],
        ),
        ([line("user", "p2", None, "new")], ["new"]),
        (
            [line("assistant", "a2", "p2", "old"), line("assistant", "a2", "p2", "new")],
            ["first", "one", "second", "new"],
        ),
    ],
)
@cases("filler", [0, 300_000])
def test_the_last_line_with_an_id_counts(run, home, added, expected, filler) -> None:
    state = line("queue-operation", None, None, content="x" * filler)
    write(home, *CONVERSATION, state, *added)
    assert sent(run) == expected
    messages = 6 if len(added) == 3 else 4
    assert (session(run)["message_count"], session(run)["problems"]) == (messages, 0)
    shown = "\n".join(rows(run))
    assert "used twice" not in shown
    assert shown.count("new") == 1
    replaced = {"a2": "two", "a1": "one", "p2": "second"}[json.loads(added[0])["uuid"]]
    assert replaced not in shown
    assert (hits(run, replaced), hits(run, "new")) == (0, 1)
    assert prompts(run) == (3 if len(added) == 3 else 2)


def test_a_line_that_takes_the_place_of_another_is_followed(run, home) -> None:
    path = write(home, *CONVERSATION)
    assert session(run)["message_count"] == 4
    with path.open("a") as file:
        file.write(line("assistant", "a2", "p2", "new") + "\n")
    assert session(run)["message_count"] == 4
    assert (hits(run, "new"), hits(run, "two")) == (1, 0)


def test_what_a_replaced_line_spent_does_not_count(run, home) -> None:
    def answer(text: str, tokens: int) -> str:
        usage = {"input_tokens": tokens, "output_tokens": tokens}
        return line("assistant", "a1", "p1", message={"role": "assistant", "content": text, "usage": usage})

    write(home, CONVERSATION[0], answer("old", 100), answer("new", 7))
    assert session(run)["tokens"]["input"] == 7
    assert json.loads(run("stats", "--json").out)["total"]["tokens"]["input"] == 7


LISTED = {"uuids": ["p2", "a2"], "anchorUuid": "s"}


@cases(
    ("metadata", "expected"),
    [
        ({"preservedMessages": LISTED}, ["all", "second", "two", "third"]),
        ({"preservedMessages": {**LISTED, "uuids": ["p1", "a2"]}}, ["all", "first", "two", "third"]),
        (
            {"preservedMessages": {"uuids": ["p1", "a1"], "anchorUuid": "b"}},
            ["first", "one", "all", "third"],
        ),
        (
            {"preservedSegment": {"headUuid": "p2", "tailUuid": "a2", "anchorUuid": "s"}},
            ["all", "second", "two", "third"],
        ),
        ({"preservedSegment": {"headUuid": "gone", "tailUuid": "a2", "anchorUuid": "s"}}, ["all", "third"]),
        ({"preTokens": 5}, ["all", "third"]),
    ],
)
@cases("parent", ["s", "a2"])
def test_a_compaction_keeps_what_its_boundary_names(run, home, metadata, expected, parent) -> None:
    if parent == "a2" and expected[1] == "third":
        return
    lines = [*CONVERSATION, boundary("b", "a1", metadata), summary("s", "b", "all")]
    write(home, *lines, line("user", "q", parent, "third"))
    assert session(run)["leaf_count"] == 1
    assert sent(run) == expected
    for agent in ("pi", "omp"):
        exported = run("export", "one", "--to", "jsonl", "--agent", agent, "-o", "-")
        copy = home / f".{agent}/agent/sessions/--work--/copy.jsonl"
        copy.parent.mkdir(parents=True, exist_ok=True)
        assert exported.code == 0, exported
        copy.write_text(exported.out)
        done = run("context", str(copy))
        assert done.code == 0, (done, exported.out)
        context = json.loads(done.out)["messages"]
        assert len(context) == len(expected), agent
        texts = json.dumps(context)
        assert all(text in texts for text in expected)
        copy.unlink()


def test_commands_are_shown_as_they_were_typed(run, home) -> None:
    output = "<local-command-stdout>\x1b[1mUsage\x1b[22m \x1b[38;2;1;2;3m12%\x1b[0m</local-command-stdout>"
    lines = [
        line("user", "a", None, command("fix-issue", "1234 the page is blank")),
        line("assistant", "b", "a", "on it"),
        line("user", "c", "b", command("context")),
        line("user", "d", "c", output),
        line("user", "e", "d", "<bash-input>ls -l</bash-input>"),
        line("user", "f", "e", "<bash-stdout>\x1b[32mnotes\x1b[0m</bash-stdout><bash-stderr></bash-stderr>"),
        line("assistant", "g", "f", "No response requested."),
        line("user", "h", "g", [{"type": "text", "text": "[Request interrupted by user for tool use]"}]),
    ]
    lines[6] = lines[6].replace('"id": "m-g"', '"id": "m-g", "model": "<synthetic>"')
    write(home, *lines)
    assert session(run)["title"] == "/fix-issue 1234 the page is blank"
    assert prompts(run) == 1
    assert rows(run) == [
        "› /fix-issue 1234 the page is blank",
        "on it",
        "[command]: /context",
        "[output]: Usage 12%",
        "· bash ls -l",
        "[output]: notes",
        "(aborted) ← leaf",
    ]
    for words in (
        ("export", "one", "--to", "md", "-o", "-"),
        ("tree", "one", "--json"),
        ("search", "context", "--json"),
    ):
        text = run(*words).out
        assert "command-name" not in text
        assert "\x1b" not in text
        assert "\\u001b" not in text


NOTICE = "<task-notification>\n<task-id>7</task-id>\n</task-notification>"


@cases(
    ("text", "marks", "is_prompt"),
    [
        ("hello", {}, True),
        ("hello", TYPED, True),
        ("hello", {"promptSource": "sdk"}, True),
        ("go on", {"promptSource": "system"}, False),
        ("go on", {"origin": {"kind": "auto-continuation"}}, False),
        ("go on", {"rowSource": "harness"}, False),
        ("a call", {"origin": {"kind": "peer"}, "promptSource": "typed"}, False),
        (NOTICE, {}, False),
        (NOTICE, TYPED, True),
        ('<teammate-message teammate_id="x">done</teammate-message>', {}, False),
        ("<teammate-message> is a tag: what does it do?", {}, True),
        (f"{NOTICE} why did I get this?", {}, True),
        (f"what is {NOTICE}", {}, True),
        (f"{NOTICE}\nRead the output file to retrieve the result: /tmp/7.output", {}, False),
        (f"{NOTICE}\nFull transcript available at: /tmp/7.output", {}, False),
        (f"{NOTICE}\nFull transcript available at: /tmp/7.output\nread it", {}, True),
        ("<bash-notification>\n<shell-id>7</shell-id>\n</bash-notification>", {}, False),
        ("Unknown slash command: usage", {}, False),
        ("Unknown skill: usage", {}, False),
        ("Unknown skill: usage", {"permissionMode": "default"}, True),
        ("Unknown skill: usage is what I see", {}, True),
        ("Operation stopped by hook: another session is active", {}, False),
        ("Operation stopped by hook: why?", {"todos": []}, True),
        ("<bash-input>ls</bash-input>", {}, False),
        ("<bash-input>ls</bash-input> is what it shows", {}, True),
        ("[Request interrupted by user]", {}, False),
        ("[Request interrupted by user] is what I see", {}, True),
        ("<local-command-stdout>ok</local-command-stdout>", {"rowSource": "local"}, False),
        (command("compact"), {"rowSource": "local"}, False),
        (command("review"), {}, True),
        (f"{command('review')} does nothing", {}, True),
    ],
)
def test_a_prompt_is_what_a_person_typed(run, home, text, marks, is_prompt) -> None:
    write(home, line("user", "a", None, "begin"), line("user", "b", "a", text, **marks))
    assert prompts(run) == 1 + is_prompt
    queued = {"type": "queued_command", "prompt": text, "commandMode": "prompt", **marks}
    write(home, line("user", "a", None, "begin"), line("attachment", "b", "a", attachment=queued))
    assert prompts(run) == 1 + is_prompt


def test_what_an_editor_tells_is_no_part_of_the_prompt(run, home) -> None:
    opened = {"type": "text", "text": "<ide_opened_file>The user opened /w/a.py</ide_opened_file>"}
    selected = {"type": "text", "text": "<ide_selection>lines 1 to 2 of\n<b></ide_selection>"}
    asked = {"type": "text", "text": "Explain it"}
    write(home, line("user", "a", None, [opened, selected, asked]), line("user", "b", "a", [opened]))
    assert prompts(run) == 1
    assert session(run)["title"] == "Explain it"
    assert [row for row in rows(run) if "ide_" in row or "/w/a.py" in row] == []
    assert sent(run)[0] == opened["text"], "the agent was sent it"


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def test_files_given_with_a_prompt_are_shown_below_it(run, home) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": PNG}
    notes = {"type": "file", "filename": "/work/app/notes.txt", "displayPath": "notes.txt"}
    sent_notes = [{"type": "user", "content": "<system-reminder>kangaroo</system-reminder>"}]
    sent_picture = [{"role": "user", "content": [{"type": "image", "source": source}]}]
    older = {**notes, "displayPath": "old.txt", "content": {"type": "text", "file": {"content": "wallaby"}}}
    write(
        home,
        line("user", "a", None, "look at @notes.txt @pic.png @old.txt"),
        line("attachment", "b", "a", attachment=notes, rendered=sent_notes),
        line(
            "attachment", "c", "b", attachment={**notes, "displayPath": "pic.png", "rendered": sent_picture}
        ),
        line("attachment", "d", "c", attachment=older),
        line("attachment", "e", "d", attachment={"type": "todo_reminder", "content": []}),
    )
    assert [row.split("]")[0] for row in rows(run)[1:4]] == [
        "[file notes.txt",
        "[file pic.png",
        "[file old.txt",
    ]
    assert prompts(run) == 1
    context = run("context", "one").out
    assert "kangaroo" in context
    assert PNG in context
    assert "wallaby" in context
    assert "data:image/png" in run("export", "one", "--to", "html", "--images", "-o", "-").out


def test_a_copied_session_names_the_one_that_made_its_answers(run, home) -> None:
    write(home, *CONVERSATION, name="source")
    answer = '"type": "assistant"'
    copied = [each.replace(answer, f'{answer}, "requestSessionId": "source"') for each in CONVERSATION]
    write(home, *copied, line("user", "q", "a2", "own"), name="copy")
    # The answers that a copy of a copy has from the first session still name that one.
    again = [each.replace('"source"', '"copy"') if "m-a2" in each else each for each in copied]
    write(home, *again, line("assistant", "o", "a2", "own", requestSessionId="s"), name="third")
    rows = json.loads(run("list", "--json").out)["sessions"]
    parents = {row["session_id"]: row["parent_session"] for row in rows}
    assert parents == {"source": None, "copy": "source", "third": "copy"}
    forked = [each.replace('"type"', '"forkedFrom": {"sessionId": "source"}, "type"', 1) for each in again]
    write(home, *forked, name="third")
    rows = json.loads(run("list", "--json").out)["sessions"]
    assert {row["session_id"]: row["parent_session"] for row in rows}["third"] == "source"


CONTINUED_IN = json.dumps({"type": "continued-in", "continuedInSessionId": "new"})


def test_a_session_that_went_on_in_another_one_says_so(run, home, tmp_path, monkeypatch) -> None:
    program = tmp_path / "claude"
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    lines = [each.replace('"/work/app"', json.dumps(str(tmp_path))) for each in CONVERSATION]
    write(home, *lines, line("user", "q", "a2", "own"), name="new")
    old = write(home, *lines, CONTINUED_IN, name="old")
    rows = json.loads(run("list", "--json").out)["sessions"]
    assert {row["session_id"]: row["continued_in"] for row in rows} == {"new": None, "old": "new"}
    asked = run("resume", old)
    said = "leafmark: the agent went on with this session in new (--anyway resumes it all the same)"
    assert (asked.code, asked.err.splitlines()[0]) == (3, said)
    printed = run("resume", old, "--print")
    assert "--resume old" in printed.out
    assert "in new" in printed.err
    assert "went on" not in run("resume", "new", "--print").err


@cases(
    ("after", "continued"),
    [
        ([], "new"),
        ([line("mode", None, None)], "new"),
        ([line("user", "q", "a2", "more")], None),
        ([line("user", "q", "a2", "more"), CONTINUED_IN], "new"),
        ([line("user", "q", "a2", "aside", isSidechain=True)], "new"),
        ([json.dumps({"type": "continued-in", "continuedInSessionId": 5})], "new"),
    ],
)
def test_a_session_that_is_used_again_has_not_gone_on_in_another_one(run, home, after, continued) -> None:
    write(home, *CONVERSATION, CONTINUED_IN, *after)
    assert session(run)["continued_in"] == continued


def test_without_the_other_session_nothing_is_asked(run, home) -> None:
    write(home, *CONVERSATION, CONTINUED_IN)
    assert "went on" not in run("resume", "one", "--print").err


def test_the_last_session_is_the_one_that_goes_on(run, home, tmp_path) -> None:
    work = json.dumps(str(tmp_path))
    lines = [each.replace('"/work/app"', work) for each in CONVERSATION]
    write(home, *lines, name="a-new", folder="-x")
    write(home, *lines, CONTINUED_IN.replace("new", "a-new"), name="z-old", folder="-x")
    assert "--resume a-new" in run("resume", "--last", "--print").out
