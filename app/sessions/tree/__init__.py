"""A session opened to be looked at: its tree, paths and branches, rows and entries read from the file.

The public names load when they are first used.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "branches": "BranchFacts UsageTotals branch_ends branches_from common_ancestor",
        "entry_loader": "FileSnapshot NO_SNAPSHOT read_node",
        "entry_ref": "EntryRef FIRST_ENTRY",
        "entry_row": "calls_of row_text_of",
        "node": "path_to",
        "row_text": "RowText",
    },
)
