"""A session opened to be looked at: its tree, paths and branches, rows and entries read from the file."""
