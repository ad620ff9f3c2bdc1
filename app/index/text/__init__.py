"""The text store: what was said in every session, folded, in append-only segments."""
