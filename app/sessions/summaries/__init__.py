"""Builds the summary of a session: from all of its lines, or from the two ends of its file.

The public names load when they are first used.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "figures": "figures_of",
        "figures_reader": "read_figures",
        "hierarchy": "Hierarchy",
        "summarise": "Outcome Progress problems",
        "summary_builder": "SummaryBuilder",
        "titles": "typed_text",
        "touches_reader": "TouchedFile read_touches unpacked_touches",
    },
)
