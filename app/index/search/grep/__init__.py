"""The second tier of the search: the files themselves, for what the text store does not hold."""
