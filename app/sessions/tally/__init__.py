"""A session's row, folded from its lines: what is counted, and the state to go on from."""
