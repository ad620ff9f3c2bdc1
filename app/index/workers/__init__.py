"""Reading files, in this process or in others that are started for it."""
