"""The words of tool calls and output of all sessions: a search need not read the sessions for them."""
