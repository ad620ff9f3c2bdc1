"""What a person types to find sessions: the language, and what a query asks for."""
