"""``leafmark help``: the list of the help pages, one page, or the section of a command."""

from __future__ import annotations

import re
import sys

from app.help.pages import TOPICS, read_page, read_title
from app.options import Options
from app.reports.output import complain, terminal_columns, write_lines, write_text
from app.setup import Setup
from app.view.line import Line
from app.view.markdown import markdown_lines

WIDEST = 100
"""Cells of the widest text: longer lines are hard to read."""
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_BOLD_STYLES = ("heading", "strong", "code")


def run(options: Options, setup: Setup) -> int:
    """Print the help. The exit code is 2 if there is no such page or command."""
    if not options.topic:
        width = max(map(len, TOPICS))
        listed = "".join(f"  {topic:<{width}}  {read_title(topic)}\n" for topic in TOPICS)
        write_text(f"Pages, for `leafmark help TOPIC`:\n{listed}`leafmark COMMAND --help` lists options.\n")
        return 0
    page = read_page(options.topic) if options.topic in TOPICS else ""
    text = "\n".join(filter(None, (page, _command_section(options.topic))))
    if not text:
        complain(f"{options.topic!r} is no help page and no command; `leafmark help` lists the pages")
        return 2
    if not sys.stdout.isatty():
        write_text(text)
        return 0
    cells = min(terminal_columns(), WIDEST)
    write_lines(_drawn(line.spans) for line in markdown_lines(text, cells))
    return 0


def _command_section(command: str) -> str:
    """The section of the page of commands that has this command in its heading; "" if none has."""
    for section in re.split(r"(?m)^(?=## )", read_page("commands"))[1:]:
        heading = section.partition("\n")[0]
        if command in re.findall(r"[a-z]+", heading.removeprefix("## leafmark")):
            return section
    return ""


def _drawn(line: Line) -> str:
    """A line of a page with its bold parts, for a terminal."""
    return "".join(f"{_BOLD}{text}{_PLAIN}" if style in _BOLD_STYLES else text for text, style in line)
