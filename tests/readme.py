"""Write the tables of keys and of the query language in the README: ``python -m tests.readme``.

Both are made from the tables of the program.
"""

from __future__ import annotations

from pathlib import Path

from app.commands import PANES, RIGHT_PANES, pane_commands
from app.dialogs.help import PANE_TITLES
from app.index.query.filter_table import CASE, language_table
from app.keys import keys_of

IN_PREVIEW = ", preview"
"""Added to the title of a pane if the preview of the selector has the command as well."""

README = Path(__file__).parent.parent / "README.md"


def keys() -> str:
    """Return the commands of every pane, their keys, and the ids by which settings name them, as Markdown.

    A command that differs in the selector has a row for each screen.
    """
    lines = ["| where | keys | what they do | id |", "|---|---|---|---|"]
    for pane in PANES:
        for command in pane_commands(pane):
            keys = ", ".join(f"`{_cell(key)}`" for key in keys_of(command).split(", "))
            in_preview = command.preview or bool(pane == "transcript" and command.selector)
            places = [(PANE_TITLES[pane] + IN_PREVIEW * in_preview, command.help)]
            if pane not in RIGHT_PANES and command.selector != command.help:
                places = [("In the browser", command.help), ("In the selector", command.selector)]
            lines += [
                f"| {place_name} | {keys} | {help_text} | `{command.id}` |"
                for place_name, help_text in places
                if help_text
            ]
    return "\n".join(lines) + "\n"


def query() -> str:
    """Return the parts of a query, as Markdown."""
    lines = ["| what | meaning | for example |", "|---|---|---|"]
    lines += [
        f"| `{form}` | {_cell(meaning)} | `{_cell(example)}` |" for form, meaning, example in language_table()
    ]
    return "\n".join([*lines, "", CASE]) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


TABLES = {"keys": keys, "query": query}


def with_tables(text: str) -> str:
    """Return the README with up-to-date tables.

    :raises ValueError: the marks around a table are missing.
    """
    for name, make_table in TABLES.items():
        begin = f"<!-- {name} -->\n"
        start = text.index(begin) + len(begin)
        text = text[:start] + make_table() + text[text.index(f"<!-- /{name} -->") :]
    return text


if __name__ == "__main__":
    README.write_text(with_tables(README.read_text(encoding="utf-8")), encoding="utf-8")
