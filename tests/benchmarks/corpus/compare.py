"""Compares a row with the truth about its file, field by field."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.benchmarks.corpus.truth import FIELDS

if TYPE_CHECKING:
    from tests.benchmarks.corpus.truth import Record


def differences(truth: Record, row: dict[str, Any]) -> list[str]:
    """One sentence for each field of `row` (as `leafmark list --json` spells it) that is not the truth.

    Fields that `truth` leaves open are not looked at.
    """
    found = []
    for field in FIELDS:
        if field in truth["open"]:
            continue
        if field not in row:
            found.append(f"{field}: missing")
        elif not _same(field, truth[field], row[field]):
            found.append(f"{field}: {_short(row[field])} is not {_short(truth[field])}")
    return found


def _same(field: str, want: Any, got: Any) -> bool:
    if field in ("created", "modified"):
        return _ms(want) == _ms(got)
    if field == "cost":
        return math.isclose(want, got, rel_tol=1e-9, abs_tol=1e-9)
    if field == "labels":
        return _labels(want) == _labels(got)
    if field in ("cwd", "parent_session"):
        return (want or "") == (got or "")
    if field == "first_message":
        return _whole(want or "") == _whole(got or "")
    if field == "name":
        return _folded(want or "") == _folded(got or "")
    if field == "title":
        return _same_title(_folded(want), got)
    return bool(want == got)


def _same_title(want: str, got: str) -> bool:
    """A title is one line, and a long one may be cut, which the last character says."""
    if got.endswith("…") and len(got) > 100:
        return want.startswith(got[:-1].rstrip())
    return want == got


def _ms(time: str | None) -> int | None:
    return None if time is None else round(datetime.fromisoformat(time).timestamp() * 1000)


def _labels(labels: list[dict[str, str]]) -> list[tuple[str, str]]:
    return sorted((label["entry_id"], label["label"]) for label in labels)


def _whole(text: str) -> str:
    """Half characters cannot be stored or shown: U+FFFD stands for each."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def _folded(text: str) -> str:
    return " ".join(_whole(text).split())


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 120 else f"{text[:80]}… ({len(text)} characters)"
