"""Types of entries, roles of messages and types of blocks, as sets."""

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
UNDISPLAYED = "undisplayed"
"""The type of a `custom_message` whose extension does not want it to be shown (`display` is false). The model
gets it, and the tree shows it only with the filter for all entries.
"""
SILENT = BOOKKEEPING | ALWAYS_HIDDEN | {UNDISPLAYED}


SHELL_ROLES = {"bashExecution": "command", "pythonExecution": "code"}
"""The roles of commands and code that the user ran -> the field with the command or code."""
SUMMARY_ROLES = frozenset(("branchSummary", "compactionSummary"))
"""The roles of messages that are summaries."""
EXTENSION_ROLES = frozenset(("custom", "hookMessage"))
"""The roles of messages that extensions put into the conversation."""
RESULT_ROLES = frozenset(("toolResult", "tool_result"))
"""The roles of a tool's result, in both spellings."""


TOOL_CALL_TYPES = frozenset(("toolCall", "tool_call"))
"""The types of a block that calls a tool, in both spellings."""
USAGE_TYPES = frozenset(("usage", "model_usage", "compaction", "branch_summary"))
"""Types of entries with the tokens and the cost of an answer of their own."""
