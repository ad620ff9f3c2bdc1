"""The catalog of all sessions, and what keeps it current: scan, watch (DESIGN, "How data flows")."""
