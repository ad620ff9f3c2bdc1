"""Finding the sessions and entries that a query asks for."""
