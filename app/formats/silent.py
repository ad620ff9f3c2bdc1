"""Entries by which nobody says anything: what a tree leaves out unless all is asked for."""

from __future__ import annotations

BOOKKEEPING = frozenset(
    (
        "label",
        "context_edit",
        "custom",
        "model_change",
        "thinking_level_change",
        "session_info",
        "active_tools_change",
        "service_tier_change",
        "title_change",
        "credential_pin",
        "session_init",
        "ttsr_injection",
        "mode_change",
        "reset_boundary",
    )
)
"""Types of entries that are shown only with all the others."""
ALWAYS_HIDDEN = frozenset(("usage", "model_usage"))
"""Types of entries that are not even shown then."""
SILENT = BOOKKEEPING | ALWAYS_HIDDEN
