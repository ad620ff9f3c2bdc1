"""The search for the sessions and entries that match a query."""
