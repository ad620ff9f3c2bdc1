"""What the palette says of the commands."""

from __future__ import annotations

from app.commands import COMMANDS, named
from app.view import command_words
from app.view.command_words import alone


def test_words_are_for_commands_that_there_are():
    ids = {command.id for command in COMMANDS}
    for words in (command_words._ALONE, command_words._IN_SELECTOR):
        assert words.keys() <= ids


def test_each_differs_from_what_the_table_says():
    for id, words in command_words._ALONE.items():
        assert words != named(id).help, id
    for id, words in command_words._IN_SELECTOR.items():
        assert words not in (named(id).selector, command_words._ALONE[id]), id


def test_where_the_table_says_enough_the_palette_says_the_same():
    rename = named("session.rename")
    assert alone(rename, rename.help, selects=False) == alone(rename, rename.selector, selects=True)
    assert alone(rename, rename.help, selects=False) == rename.help
