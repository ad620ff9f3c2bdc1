"""The tables of keys and of the query language in the README: ``python -m tests.readme`` writes them anew
from those of the program.
"""

from __future__ import annotations

from pathlib import Path

from app.commands import PANES, keys_of, of_pane
from app.index.query.describe import CASE, table
from app.screens.dialogs import PANE_TITLES

OF_THE_BROWSER = ("tree", "entry")
"""Panes that are not in the selector at all."""

IN_PREVIEW = ", preview"
"""Where those are said to be that the preview of the selector has as well."""

README = Path(__file__).parent.parent / "README.md"


def keys() -> str:
    """The commands of every pane, their keys, and the ids by which they get others, as Markdown. What is not
    the same in the selector stands apart.
    """
    lines = ["| where | keys | what they do | id |", "|---|---|---|---|"]
    for pane in PANES:
        for command in of_pane(pane):
            keys = ", ".join(f"`{key}`" for key in keys_of(command).split(", "))
            told = [(PANE_TITLES[pane] + IN_PREVIEW * command.preview, command.help)]
            if pane not in OF_THE_BROWSER and command.selector != command.help:
                told = [("In the browser", command.help), ("In the selector", command.selector)]
            lines += [f"| {where} | {keys} | {what} | `{command.id}` |" for where, what in told if what]
    return "\n".join(lines) + "\n"


def query() -> str:
    """What a query is made of, as Markdown."""
    lines = ["| what | meaning | for example |", "|---|---|---|"]
    lines += [f"| `{what}` | {_cell(meaning)} | `{_cell(example)}` |" for what, meaning, example in table()]
    return "\n".join([*lines, "", CASE]) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


TABLES = {"keys": keys, "query": query}


def with_tables(text: str) -> str:
    """The README with the tables as they should be.

    :raises ValueError: the marks between which one stands are missing.
    """
    for name, made in TABLES.items():
        begin = f"<!-- {name} -->\n"
        start = text.index(begin) + len(begin)
        text = text[:start] + made() + text[text.index(f"<!-- /{name} -->") :]
    return text


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
