"""The kind of a text of an entry, for the search: small numbers, because they are stored before each text."""

from __future__ import annotations

USER = 1
ASSISTANT = 2
THINKING = 3
SUMMARY = 4
"""The summary of a compaction or of a branch."""
CUSTOM = 5
"""A message that an extension put into the conversation."""
CALL = 6
"""A tool call: the tool's name and its arguments."""
RESULT = 7
"""The output of a tool."""
SHELL = 8
"""A command that the user ran in the agent, and its output."""
OTHER = 9
"""Everything else that a person might look for."""

CONVERSATION = frozenset((USER, ASSISTANT, THINKING, SUMMARY, CUSTOM))
"""The kinds in the text store. The others are read from the session files."""
TOOLS = frozenset((CALL, RESULT, SHELL))
SEARCHED = CONVERSATION | TOOLS
"""The kinds that a query searches if it names none."""
ALL = SEARCHED | {OTHER}

NAMES = {
    "user": frozenset((USER,)),
    "assistant": frozenset((ASSISTANT,)),
    "thinking": frozenset((THINKING,)),
    "summary": frozenset((SUMMARY,)),
    "custom": frozenset((CUSTOM,)),
    "tool": frozenset((CALL, RESULT)),
    "bash": frozenset((SHELL,)),
    "other": frozenset((OTHER,)),
}
"""The values of `role:` in a query."""
