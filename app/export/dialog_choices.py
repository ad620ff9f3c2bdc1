"""The choices of the export dialog, and what they write."""

from __future__ import annotations

from typing import NamedTuple

from app.export.choice import FULL, HTML, JSON, JSONL, MARKDOWN, NONE, REDACTED, SHORT, Choice, Order
from app.view.branch_choices import Option

PATH, LEAF, ALL = "path", "leaf", "all"
"""Which branches are exported: the path to an entry, the one to the leaf, or all."""
WITH, WITHOUT = "with", "without"

FORMATS = (
    Option(HTML, "HTML page"),
    Option(MARKDOWN, "Markdown"),
    Option(JSON, "JSON"),
    Option(JSONL, "Session file"),
)
THINKING = (Option(WITH, "With"), Option(WITHOUT, "Without"))
TOOL_CALLS = (Option(FULL, "Whole"), Option(SHORT, "Short output"), Option(NONE, "None"))
IMAGES = (Option(WITHOUT, "Without"), Option(WITH, "With"))
REDACTIONS = (Option(WITH, "Replace secrets and names"), Option(WITHOUT, "Keep everything"))

_WRITES = {
    HTML: "one page that loads nothing from elsewhere",
    MARKDOWN: "Markdown, with tool output to unfold",
    JSON: "the context that the agent builds, as messages",
    JSONL: "a session that pi and oh-my-pi open",
}


class ExportAnswer(NamedTuple):
    """The choices of the user.

    order   what is exported of each session
    path    the file or the folder, absolute
    force   replace files that are there
    """

    order: Order
    path: str
    force: bool


def branches(format: str, *, at_entry: bool) -> list[Option]:
    """Which branches can be exported.

    :param at_entry: the path to an entry is offered, first.
    """
    why_not = "JSON has the messages of one path" if format == JSON else ""
    offered = [Option(PATH, "To this entry")] if at_entry else []
    return [*offered, Option(LEAF, "Active path"), Option(ALL, "All branches", why_not)]


def leaves_out(format: str) -> bool:
    """Whether an export in this format can leave thinking and tool calls out."""
    return format in (HTML, MARKDOWN)


def redaction_of(format: str) -> str:
    """Whether a format is redacted unless the user wants it otherwise."""
    return WITH if format in REDACTED else WITHOUT


def order_of(
    format: str, branch: str, thinking: str, tools: str, images: str, redaction: str, *, entry_id: str
) -> Order:
    """The order of some choices.

    :param entry_id: of the entry to which a path is exported.
    """
    choice = Choice(
        entry=entry_id if branch == PATH else "",
        all_branches=branch == ALL and format != JSON,
        thinking=thinking == WITH,
        tools=tools,
        images=images == WITH,
    )
    return Order(format, choice, redaction == WITH)


def writes(format: str, redaction: str, images: str) -> str:
    """The content of an export, in one line."""
    if redaction == WITHOUT:
        return f"{_WRITES[format]}; secrets stay in it"
    if images == WITH:
        return f"{_WRITES[format]}; images are not looked at"
    return _WRITES[format]
