"""The help pages: Markdown files beside this module."""

from __future__ import annotations

import os
import re
from functools import cache

TOPICS = (
    "getting-started",
    "keys",
    "search",
    "commands",
    "settings",
    "safety",
    "files",
    "troubleshooting",
    "json",
    "library",
)
"""The name of each page, in the order in which they are listed."""
_FOLDER = os.path.dirname(__file__)
_COMMENT = re.compile(r"<!--.*?-->\n", re.DOTALL)
_NEW_BLOCK = re.compile(r"\s*(?:[-*] |\d+\. |[|#>]|```|$)")
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


@cache
def read_page(topic: str) -> str:
    """The Markdown text of a page, without comments and with each paragraph in one line.

    :param topic: one of `TOPICS`.
    :raises OSError: the file cannot be read.
    """
    with open(os.path.join(_FOLDER, f"{topic}.md"), encoding="utf-8") as file:
        return _joined(_COMMENT.sub("", file.read()))


def read_title(topic: str) -> str:
    """The title of a page; see `read_page`."""
    return read_page(topic).partition("\n")[0].removeprefix("# ")


def _joined(text: str) -> str:
    """The text with each paragraph and each item of a list in one line."""
    lines: list[str] = []
    continues = in_code = False
    for line in text.splitlines():
        is_fence = line.lstrip().startswith("```")
        if continues and not _NEW_BLOCK.match(line):
            lines[-1] += " " + line.strip()
            continue
        lines.append(line)
        in_code ^= is_fence
        continues = bool(line.strip()) and not in_code and not is_fence and line[0] not in "|#"
    return "\n".join(lines) + "\n"
