"""The README says what the program does."""

from __future__ import annotations

import re

from app.arguments import COMMANDS
from app.usage import parser
from tests.readme import README, with_tables


def test_the_tables_of_keys_and_of_the_query_language_are_the_programs():
    text = README.read_text(encoding="utf-8")
    assert text == with_tables(text), "python -m tests.readme writes it anew"


def test_every_command_and_option_is_mentioned():
    text = README.read_text(encoding="utf-8")
    usage = parser().format_help()
    named = set(re.findall(r"(--[a-z]+)", usage)) - {"--help"}
    assert {name for name in named if name not in text} == set()
    for name, command in COMMANDS.items():
        (row,) = re.findall(rf"^\| `leafmark {name}[ `].*", text, re.MULTILINE)
        said = [
            *(f"--{option.name}" for option in command.options),
            *(word.metavar for word in command.words),
        ]
        assert [word for word in said if word not in row] == []


def test_pictures_that_are_shown_are_there():
    for path in re.findall(r"\]\((screenshots/[^)]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / path).is_file(), path
