"""Queries for sessions: the query language, its parser, and completion.

The public names load when they are first used.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "filter_table": "CASE FILTER_KINDS language_help language_table",
        "grammar": "MOST_CHARACTERS MOST_FILTERS MOST_TERMS parse unknown_filters",
        "query": "Facts Filter PHRASE Query REGEX Term WORD",
        "regex": "BadPattern check compiled from_literal required_literals",
        "tokens": "as_value quote",
        "values": "number_test time_range",
    },
)
