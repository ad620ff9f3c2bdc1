"""The fields of `--format` for each command that has it, for help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from app.reports.fields import Field, fields_help
from app.reports.labels import LABEL_FIELDS, LABEL_PIPE
from app.reports.listing import LIST_FIELDS, LIST_PIPE
from app.reports.search import HIT_FIELDS, HIT_PIPE
from app.reports.trash_list import TRASH_FIELDS, TRASH_PIPE

FIELD_TABLES: dict[str, tuple[Sequence[Field[Any]], Sequence[str]]] = {
    "list": (LIST_FIELDS, LIST_PIPE),
    "search": (HIT_FIELDS, HIT_PIPE),
    "labels": (LABEL_FIELDS, LABEL_PIPE),
    "trash": (TRASH_FIELDS, TRASH_PIPE),
}
"""Command -> its fields, and the names of those that it prints in a pipe."""


def fields_help_of(command: str) -> Iterator[str]:
    """The lines about the fields for the help of a command."""
    return fields_help(*FIELD_TABLES[command])
