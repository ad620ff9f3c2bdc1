"""Bytes to entries: line reader, dialects, migrations, one-line text. Nothing here knows a screen."""
