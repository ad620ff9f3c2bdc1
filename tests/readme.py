"""The table of keys in the README: ``python -m tests.readme`` writes it anew from the table of commands."""

from __future__ import annotations

from pathlib import Path

from app.commands import PANES, keys_of, of_pane
from app.screens.dialogs import PANE_TITLES

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- keys -->\n", "<!-- /keys -->"


def table() -> str:
    """The commands of every pane with their keys, as Markdown."""
    lines = ["| where | keys | what they do |", "|---|---|---|"]
    for pane in PANES:
        for command in of_pane(pane):
            keys = ", ".join(f"`{key}`" for key in keys_of(command).split(", "))
            lines.append(f"| {PANE_TITLES[pane]} | {keys} | {command.help} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """The README with the table as it should be.

    :raises ValueError: the marks between which it stands are missing.
    """
    start = text.index(BEGIN) + len(BEGIN)
    return text[:start] + table() + text[text.index(END) :]


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
