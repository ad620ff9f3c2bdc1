"""The scan, which brings the catalog up to date: find the files, compare them, read the changed ones.

The public names load when they are first used.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "hints": "HOT_FILES Hints PolledFiles TURN_FILES hints_of",
        "scan": "Scanner",
    },
)
