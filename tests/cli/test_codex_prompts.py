"""Which messages in a rollout of Codex are prompts: those that a person typed (formats/README.md, "Lines of
Codex").
"""

from __future__ import annotations

import json

import pytest

from tests.rollouts import event, item, meta, said, typed_item, write_rollout

TYPED = (
    "# AGENTS.md instructions are wrong, mend them",
    "<environment_context> what does it hold?",
    "<user_shell_command> is what?",
    "# Context from my IDE setup: nothing",
    "<turn_aborted> why?",
)
OWN = (
    "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nBe kind\n</INSTRUCTIONS>",
    "<environment_context>\n<cwd>/w</cwd>\n</environment_context>",
    "<a_later_kind_of_context>\nSomething new\n</a_later_kind_of_context>",
)


def by_kinds():
    own = [said("user", text, kinds=["agents_md.instructions"]) for text in OWN]
    return own, [[said("user", text, kinds=["user.text"])] for text in TYPED]


def by_items():
    return [said("user", text) for text in OWN], [[said("user", text), typed_item(text)] for text in TYPED]


def by_events():
    own = [said("user", text) for text in OWN]
    return own, [[said("user", text), event("user_message", message=text, images=[])] for text in TYPED]


@pytest.mark.parametrize("marked", [by_kinds, by_items, by_events])
def test_the_marks_of_a_file_say_what_a_person_typed(marked, leafmark, tmp_path):
    own, prompts = marked()
    answered = [line for prompt in prompts for line in (*prompt, said("assistant", "well"))]
    path = write_rollout(tmp_path / "home", meta(), *own, *answered)
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["title"] == TYPED[0]
    tree = leafmark("tree", path).stdout
    for text in TYPED:
        assert text in tree
    assert "Be kind" not in tree
    assert "Something new" not in tree
    exported = json.loads(leafmark("export", path, "--to", "json", "-o", "-").stdout)
    prompts = [each for each in exported["messages"] if each["role"] == "user"]
    assert [each["content"][0]["text"] for each in prompts] == list(TYPED)
    stats = json.loads(leafmark("stats", "--json").stdout)
    assert stats["total"]["turns"] == len(TYPED)
    context = [each["content"][0]["text"] for each in exported["messages"]]
    assert context[: len(OWN)] == list(OWN)
    markdown = leafmark("export", path, "--to", "md", "-o", "-").stdout
    assert "Something new" not in markdown


def test_without_marks_the_beginning_of_a_text_decides(leafmark, tmp_path):
    own = [said("user", text) for text in OWN[:2]]
    lines = (meta(), *own, said("user", TYPED[0]), said("user", "mend it"), said("assistant", "done"))
    write_rollout(tmp_path / "home", *lines)
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert (row["title"], row["first_message"]) == (TYPED[0], TYPED[0])


@pytest.mark.parametrize(
    "heading", ["Files mentioned by the user", "Context from my IDE setup", "Selected text"]
)
def test_the_files_of_an_editor_are_no_part_of_the_prompt(heading, leafmark, tmp_path):
    text = f"# {heading}:\n\n## a.py: /w/a.py\n\n## My request for Codex:\nfix the import order"
    path = write_rollout(tmp_path / "home", meta(), said("user", text), said("assistant", "ok"))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["title"] == "fix the import order"
    for shown in (leafmark("tree", path).stdout, leafmark("export", path, "--to", "md", "-o", "-").stdout):
        assert "fix the import order" in shown
        assert heading not in shown
    assert heading in leafmark("context", path).stdout


def test_the_tags_around_a_picture_are_not_shown(leafmark, tmp_path):
    picture = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    tags = ['<image name=[Image #1] path="pic.png">', picture, "</image>", "what is <image> in HTML?"]
    content = [each if isinstance(each, dict) else {"type": "input_text", "text": each} for each in tags]
    path = write_rollout(tmp_path / "home", meta(), item("message", role="user", content=content))
    for shown in (leafmark("tree", path).stdout, leafmark("export", path, "--to", "md", "-o", "-").stdout):
        assert "what is" in shown
        assert "pic.png" not in shown
        assert "</image>" not in shown


@pytest.mark.parametrize("kinds", [None, ["shell.user_command"]])
def test_a_command_that_was_typed_with_an_exclamation_mark_is_a_command(kinds, leafmark, tmp_path):
    text = (
        "<user_shell_command>\n<command>\nls -a\n</command>\n<result>\nExit code: 3\nDuration: 0.1 seconds\n"
        "Output:\na.txt\nb.txt\n</result>\n</user_shell_command>"
    )
    path = write_rollout(tmp_path / "home", meta(), said("user", text, kinds=kinds), said("user", "go on"))
    (row,) = json.loads(leafmark("list", "--json").stdout)["sessions"]
    assert row["title"] == "go on"
    assert "ls -a" in leafmark("tree", path).stdout
    command = json.loads(leafmark("context", path).stdout)["messages"][0]
    assert (command["role"], command["command"], command["exitCode"]) == ("bashExecution", "ls -a", 3)
    assert command["output"] == "a.txt\nb.txt"


@pytest.mark.parametrize("error", [{"message": "canned error", "codex_error_info": "other"}, "canned error"])
def test_a_turn_that_failed_is_a_failed_answer(error, leafmark, tmp_path):
    done = event("task_complete", turn_id="1", last_agent_message=None, error=error)
    path = write_rollout(tmp_path / "home", meta(), said("user", "an error"), done)
    (message,) = json.loads(leafmark("context", path).stdout)["messages"][1:]
    assert (message["stopReason"], message["errorMessage"]) == ("error", "canned error")
    assert leafmark("list", "has:error").stdout.count("an error") == 1
    assert "canned error" in leafmark("tree", path).stdout


def test_an_error_counts_once_and_a_turn_that_ended_well_is_none(leafmark, tmp_path):
    failed = (event("error", message="overloaded"), event("task_complete", error={"message": "overloaded"}))
    well = event("task_complete", last_agent_message="ok", error=None)
    lines = (meta(), said("user", "one"), *failed, said("user", "two"), said("assistant", "ok"), well)
    path = write_rollout(tmp_path / "home", *lines)
    stops = [each.get("stopReason") for each in json.loads(leafmark("context", path).stdout)["messages"]]
    assert stops == [None, "error", None, "stop"]
