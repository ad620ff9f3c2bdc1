"""The help pages, and the functions that read them."""
