"""The first rows and the keys typed at them, before Textual is loaded, and handing the terminal over to it.

Each module says which change of Textual would remove it.
"""
