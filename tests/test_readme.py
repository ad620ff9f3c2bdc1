"""The README and the help pages agree with the program."""

from __future__ import annotations

import re

from app.cli import main
from app.cli_options import parser
from app.command_table import COMMANDS as WORDS
from app.commands import COMMANDS, PANES, RIGHT_PANES
from app.dialogs.help import PANE_TITLES
from app.index.query import language_table
from app.index.query import parse as parse_query
from app.stores import AGENTS
from app.view import BROWSER, SELECTOR
from tests.cases import cases
from tests.manual import PAGE, page
from tests.readme import IN_PREVIEW, PAGES, README, ROOT, documents, keys, query, with_tables

HERE = ("In the browser", "In the selector")


@cases("path", documents(), ids=lambda path: path.name)
def test_the_generated_tables_are_the_programs(path):
    text = path.read_text(encoding="utf-8")
    assert text == with_tables(text), "python -m tests.readme writes it anew"


def test_the_table_of_the_query_language_has_a_row_for_each():
    rows = [line for line in query().splitlines() if line.startswith("|")]
    assert len(rows) == len(language_table()) + 2
    assert all(row.count("|") - row.count(r"\|") == 4 for row in rows)


@cases("selector", [True, False])
def test_the_table_of_keys_has_the_help_of_each_place(selector):
    """The table has the help of each command, for all places or for this one, and no other help for it."""
    preset = SELECTOR if selector else BROWSER
    other_place = "In the browser" if selector else "In the selector"
    panes = {PANE_TITLES[pane] for pane in PANES if not (selector and pane in RIGHT_PANES)}
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in keys().splitlines()
        if line.startswith("|")
    ]
    places = {*panes, *(f"{pane}{IN_PREVIEW}" for pane in [*panes, PANE_TITLES["transcript"]]), *HERE}
    listed_help = {(row[3].strip("`"), row[2]) for row in rows if row[0] != other_place and row[0] in places}
    assert listed_help == {
        (command.id, preset.help_of(command)) for command in COMMANDS if preset.help_of(command)
    }


def test_every_command_and_option_is_mentioned():
    text = (PAGES / "commands.md").read_text(encoding="utf-8")
    usage = parser().format_help()
    named = set(re.findall(r"(--[a-z]+)", usage)) - {"--help", "--version", "--theme"}
    assert {name for name in named if name not in text} == set()
    for name, command in WORDS.items():
        assert f"`leafmark {name}" in README.read_text(encoding="utf-8")
        assert [option.name for option in command.options if f"--{option.name}" not in text] == []


def test_every_agent_is_named_wherever_the_agents_are_listed(capsys):
    assert main(["skill"]) == 0
    pages = [README, PAGES / "getting-started.md", PAGES / "troubleshooting.md", PAGES / "files.md", PAGE]
    texts = {path.name: path.read_text(encoding="utf-8").replace("\\-", "-") for path in pages}
    texts |= {"--help": parser().format_help(), "skill": capsys.readouterr().out}
    titles = [agent.title for agent in AGENTS]
    json_page = (PAGES / "json.md").read_text(encoding="utf-8")
    assert [agent.name for agent in AGENTS if f"`{agent.name}`" not in json_page] == []
    assert {
        name: [title for title in titles if title not in " ".join(text.split())]
        for name, text in texts.items()
    } == {name: [] for name in texts}


def test_the_manual_page_is_the_programs():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.manual writes it anew"


def test_the_links_of_the_documents_lead_to_files():
    for path in [*documents(), ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"]:
        for link in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
            assert "://" in link or (path.parent / link).exists(), f"{path.name}: {link}"


def test_the_searches_of_the_readme_are_queries():
    table = README.read_text(encoding="utf-8").partition("| query | finds sessions |\n|---|---|\n")[2]
    queries = re.findall(r"^\| `(.+?)` \|", table.partition("\n\n")[0], re.MULTILINE)
    assert len(queries) == 8
    for text in queries:
        assert parse_query(text, 0).notes == (), text
