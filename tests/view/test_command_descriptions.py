"""The descriptions of commands in the palette."""

from __future__ import annotations

from app.commands import COMMANDS, command_by_id
from app.view import command_search
from app.view.command_search import palette_description


def test_descriptions_belong_to_existing_commands():
    ids = {command.id for command in COMMANDS}
    for words in (command_search._ALONE, command_search._IN_SELECTOR):
        assert words.keys() <= ids


def test_descriptions_differ_from_those_in_the_help():
    for id, words in command_search._ALONE.items():
        assert words != command_by_id(id).help, id
    for id, words in command_search._IN_SELECTOR.items():
        assert words not in (command_by_id(id).selector, command_search._ALONE[id]), id


def test_other_commands_have_the_description_of_the_help():
    rename = command_by_id("session.rename")
    assert palette_description(rename, rename.help, selects=False) == palette_description(
        rename, rename.selector, selects=True
    )
    assert palette_description(rename, rename.help, selects=False) == rename.help
