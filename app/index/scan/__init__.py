"""The scan, which brings the catalog up to date: find the files, compare them, read the changed ones."""
