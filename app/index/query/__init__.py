"""Queries for sessions: the query language, its parser, and completion."""
