"""Compares a row with the truth about its file, field by field."""

from __future__ import annotations

import math
from datetime import datetime
from typing import TYPE_CHECKING, Any

from tests.benchmarks.corpus.truth import FIELDS

if TYPE_CHECKING:
    from tests.benchmarks.corpus.truth import Record


def differences(truth: Record, row: dict[str, Any]) -> list[str]:
    """Return one sentence for each field of `row` (of `leafmark list --json`) that differs from the truth.

    Fields that `truth` leaves open are not compared.
    """
    sentences = []
    for field in FIELDS:
        if field in truth["open"]:
            continue
        if field not in row:
            sentences.append(f"{field}: missing")
        elif not _same(field, truth[field], row[field]):
            sentences.append(f"{field}: {_short(row[field])} is not {_short(truth[field])}")
    return sentences


def _same(field: str, expected: Any, actual: Any) -> bool:
    if field in ("created", "modified"):
        return _ms(expected) == _ms(actual)
    if field == "cost":
        if expected is None or actual is None:
            return expected is actual
        return math.isclose(expected, actual, rel_tol=1e-9, abs_tol=1e-9)
    if field == "labels":
        return _labels(expected) == _labels(actual)
    if field in ("cwd", "parent_session"):
        return (expected or "") == (actual or "")
    if field == "first_message":
        return _whole(expected or "") == _whole(actual or "")
    if field == "name":
        return _folded(expected or "") == _folded(actual or "")
    if field == "title":
        return _same_title(_folded(expected), actual)
    return bool(expected == actual)


def _same_title(expected: str, actual: str) -> bool:
    """Compare one-line titles; a long one may be cut, and ends with an ellipsis then."""
    if actual.endswith("…") and len(actual) > 100:
        return expected.startswith(actual[:-1].rstrip())
    return expected == actual


def _ms(time: str | None) -> int | None:
    return None if time is None else round(datetime.fromisoformat(time).timestamp() * 1000)


def _labels(labels: list[dict[str, str]]) -> list[tuple[str, str]]:
    return sorted((label["entry_id"], label["label"]) for label in labels)


def _whole(text: str) -> str:
    """Replace lone surrogates by U+FFFD, because they cannot be stored or shown."""
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


def _folded(text: str) -> str:
    return " ".join(_whole(text).split())


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 120 else f"{text[:80]}… ({len(text)} characters)"
