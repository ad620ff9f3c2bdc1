"""``leafmark help``, and the examples of the help pages."""

from __future__ import annotations

import re
import shlex

from app.cli_options import parse
from app.command_table import COMMANDS
from tests.cases import cases
from tests.readme import PAGES, documents

TITLES = {
    path.stem: path.read_text("utf-8").partition("\n")[0].removeprefix("# ") for path in PAGES.glob("*.md")
}
"""Page -> its title."""


def examples():
    """The commands in the shell blocks of the documents, but for those that CI runs."""
    for path in documents():
        text = re.sub(r"<!-- ci: .*? -->\n```sh\n.*?```", "", path.read_text("utf-8"), flags=re.DOTALL)
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
            yield from (line for line in block.splitlines() if line.startswith("leafmark "))


def test_every_page_is_listed_with_its_title(leafmark):
    done = leafmark("help")
    assert done.returncode == 0
    assert dict(line.split(None, 1) for line in done.stdout.splitlines()[1:-1]) == TITLES


@cases("topic", sorted(TITLES))
def test_a_page_is_printed_as_markdown_where_there_is_no_terminal(leafmark, topic):
    done = leafmark("help", topic)
    assert done.returncode == 0
    assert done.stdout.startswith(f"# {TITLES[topic]}\n")
    words = re.sub(r"<!--.*?-->", "", (PAGES / f"{topic}.md").read_text("utf-8"), flags=re.DOTALL).split()
    assert done.stdout.split()[: len(words)] == words
    assert "<!--" not in done.stdout


@cases("command", COMMANDS)
def test_every_command_has_a_section(leafmark, command):
    done = leafmark("help", command)
    assert done.returncode == 0
    assert done.stdout.startswith(f"# {TITLES[command]}" if command in TITLES else "## leafmark ")
    words = [f"--{option.name}" for option in COMMANDS[command].options]
    assert [word for word in words if word not in done.stdout] == []


def test_an_unknown_page_is_wrong_use(leafmark):
    done = leafmark("help", "nothing\x1b")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no help page" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_paragraphs_are_one_line_each(leafmark):
    page = leafmark("help", "safety").stdout
    assert "\n\nNo. Listing, searching and reading change no byte" in page
    assert not re.search("[a-z,]\n[a-z]", page), "no paragraph goes on in another line"
    assert "  does so" not in page


def test_every_command_of_the_examples_is_understood():
    lines = list(examples())
    assert len(lines) > 5
    for line in lines:
        parse(shlex.split(line)[1:])


@cases("line", [line for line in examples() if re.match("leafmark (list|search) ", line)])
def test_the_searches_of_the_examples_run(leafmark, line):
    done = leafmark(*shlex.split(line)[1:], "--demo")
    assert done.returncode in (0, 1), done.stderr
    assert "is not a filter" not in done.stderr
