"""Sessions as files to share: HTML, Markdown, JSON, and sessions for pi and oh-my-pi.

The public names load when they are first used.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "choice": "Choice FORMATS HTML JSON JSONL MARKDOWN Order",
        "exporter": "Surroundings open_export",
        "output_file": "Target",
        "to_file": "export_to_file",
    },
)
