"""The README agrees with the program."""

from __future__ import annotations

import re

import pytest

from app.cli_options import parser
from app.command_table import COMMANDS as WORDS
from app.commands import COMMANDS, PANES, RIGHT_PANES
from app.dialogs.help import PANE_TITLES
from app.index.query.filter_table import language_table
from app.screens.selector import SelectorScreen
from app.screens.sessions_screen import SessionsScreen
from tests.readme import IN_PREVIEW, README, query, with_tables

HERE = ("In the browser", "In the selector")


def test_the_tables_of_keys_and_of_the_query_language_are_the_programs():
    text = README.read_text(encoding="utf-8")
    assert text == with_tables(text), "python -m tests.readme writes it anew"


def test_the_table_of_the_query_language_has_a_row_for_each():
    rows = [line for line in query().splitlines() if line.startswith("|")]
    assert len(rows) == len(language_table()) + 2
    assert all(row.count("|") - row.count(r"\|") == 4 for row in rows)


@pytest.mark.parametrize("selector", [True, False])
def test_the_table_of_keys_has_the_help_of_each_place(selector):
    """The table has the help of each command, for all places or for this one, and no other help for it."""
    keys = README.read_text(encoding="utf-8").partition("<!-- keys -->")[2].partition("<!-- /keys -->")[0]
    screen = SelectorScreen if selector else SessionsScreen
    other_place = "In the browser" if selector else "In the selector"
    panes = {PANE_TITLES[pane] for pane in PANES if not (selector and pane in RIGHT_PANES)}
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in keys.splitlines()[3:]]
    places = {*panes, *(f"{pane}{IN_PREVIEW}" for pane in [*panes, PANE_TITLES["transcript"]]), *HERE}
    listed_help = {(row[3].strip("`"), row[2]) for row in rows if row[0] != other_place and row[0] in places}
    assert listed_help == {
        (command.id, screen.help_of(None, command)) for command in COMMANDS if screen.offers(None, command)
    }


def test_every_command_and_option_is_mentioned():
    text = README.read_text(encoding="utf-8")
    usage = parser().format_help()
    named = set(re.findall(r"(--[a-z]+)", usage)) - {"--help"}
    assert {name for name in named if name not in text} == set()
    for name, command in WORDS.items():
        (row,) = re.findall(rf"^\| `leafmark {name}[ `].*", text, re.MULTILINE)
        words = [
            *(f"--{option.name}" for option in command.options),
            *(word.metavar for word in command.words),
        ]
        assert [word for word in words if word not in row] == []


def test_the_pictures_of_the_readme_exist():
    shown = re.findall(r"\]\((screenshots/[^)]+)\)", README.read_text(encoding="utf-8"))
    assert shown
    for path in shown:
        assert (README.parent / path).is_file(), path
