"""Commands by what is typed into the palette."""

from __future__ import annotations

import pytest

from app.commands import COMMANDS, named
from app.view.command_match import closeness


def found(typed):
    """The ids of the commands that come closest, and those of all that come near."""
    grades = {command.id: closeness(typed, command, command.help) for command in COMMANDS}
    best = max(grades.values())
    return {id for id, grade in grades.items() if grade == best}, {
        id for id, grade in grades.items() if grade
    }


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_its_id_finds_it_alone(command):
    assert found(command.id)[0] == {command.id}
    assert found(command.id.upper())[0] == {command.id}


@pytest.mark.parametrize("label", sorted({command.label for command in COMMANDS if command.label}))
def test_what_the_footer_says_finds_those_that_are_called_so(label):
    assert found(label)[0] == {command.id for command in COMMANDS if command.label == label}


@pytest.mark.parametrize(
    ("typed", "id"),
    [("rena", "session.rename"), ("unfold_all", "branch.unfold_all"), ("unfold all", "branch.unfold_all")],
)
def test_the_beginning_and_the_words_of_an_id(typed, id):
    assert found(typed)[0] == {id}


def test_a_name_comes_before_a_sentence():
    best, all = found("raw")
    assert best == {"entry.raw"}
    assert all >= {"entry.raw"}
    grade = closeness("another", named("session.fork_to"), named("session.fork_to").help)
    assert 0 < grade < closeness("fork", named("session.fork_to"), named("session.fork_to").help)


def test_words_in_any_order_and_from_both():
    assert closeness("rename session", named("session.rename"), "Name the session")
    assert not closeness("rename folder", named("session.rename"), "Name the session")


@pytest.mark.parametrize("typed", ["", "  ", "xyzzy"])
def test_nothing(typed):
    assert found(typed)[1] == set()
