"""The search for the sessions and entries that match a query.

The public names load when they are first used.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "engine": "SearchEngine",
        "evaluator": "Evaluator PassageFinder",
        "grep.file_search": "FileResult FileSearcher LineDecoder",
        "grep.prefilter": "word_filter",
        "matchers": "PhraseMatcher QueryPlan RegexMatcher",
        "results": "Hits HitsByPath",
        "search_run": "SearchRun",
        "snippet": "Folded",
    },
)
