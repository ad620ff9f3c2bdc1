"""`SessionManager`, part by part: asking, appending, branching and forking, for scripts and writers."""
