"""Sessions as files to share: HTML, Markdown, JSON, and sessions for pi and oh-my-pi."""
