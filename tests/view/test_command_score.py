"""The score of commands for the text that is typed into the palette."""

from __future__ import annotations

from app.commands import COMMANDS, command_by_id
from app.dialogs.palette import match_score
from tests.cases import cases


def scored(typed):
    """The ids of the commands with the best score, and of all commands with a score."""
    grades = {command.id: match_score(typed, command, command.help) for command in COMMANDS}
    best = max(grades.values())
    return {id for id, grade in grades.items() if grade == best}, {
        id for id, grade in grades.items() if grade
    }


@cases("command", COMMANDS, ids=lambda command: command.id)
def test_an_id_finds_its_command_first(command):
    assert scored(command.id)[0] == {command.id}
    assert scored(command.id.upper())[0] == {command.id}


@cases("label", sorted({command.label for command in COMMANDS if command.label}))
def test_a_label_finds_the_commands_that_have_it(label):
    assert scored(label)[0] == {command.id for command in COMMANDS if command.label == label}


@cases(
    ("typed", "ids"),
    [
        ("rena", {"session.rename", "shown.rename"}),
        ("unfold_all", {"branch.unfold_all"}),
        ("unfold all", {"branch.unfold_all"}),
    ],
)
def test_the_beginning_and_the_words_of_an_id_find_its_command(typed, ids):
    assert scored(typed)[0] == ids


@cases(("typed", "id"), [("star", "session.pin"), ("exit", "app.quit"), ("refresh", "index.rescan")])
def test_another_name_finds_its_command(typed, id):
    assert id in scored(typed)[0]


def test_a_match_in_the_name_scores_higher_than_one_in_the_description():
    best, all = scored("raw")
    assert best == {"entry.raw"}
    assert all >= {"entry.raw"}
    grade = match_score("another", command_by_id("session.fork_to"), command_by_id("session.fork_to").help)
    assert (
        0
        < grade
        < match_score("fork", command_by_id("session.fork_to"), command_by_id("session.fork_to").help)
    )


def test_words_may_come_from_label_and_description_in_any_order():
    assert match_score("rename session", command_by_id("session.rename"), "Rename the session")
    assert not match_score("rename folder", command_by_id("session.rename"), "Rename the session")


@cases("typed", ["", "  ", "xyzzy"])
def test_an_empty_or_unknown_text_matches_no_command(typed):
    assert scored(typed)[1] == set()
