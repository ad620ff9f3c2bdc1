"""Golden tests: what leafmark prints, draws and writes, recorded once and compared at every commit.

They start the program as a process and import nothing of it, so that they hold while its modules are moved
and renamed. `python -m tests.golden.record` records them again; do that only for a change that users are
meant to see.
"""
