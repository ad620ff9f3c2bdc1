"""The README's five minutes, key by key, as a new user would type them."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.terminal import Terminal

COMMAND = [sys.executable, "-m", "app"]
AGENT = """
import sys
print("the agent runs", *sys.argv[1:])
"""


def test_the_five_minutes_of_the_readme(shell):
    folder, work, env = shell
    env["XDG_DATA_HOME"] = str(folder / "data")
    shell.add_program("pi", AGENT)
    store = folder / "home/.pi/agent/sessions/--work--"
    with Terminal(COMMAND, env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("← leaf", 30)
        # Find and read.
        terminal.press("/")
        terminal.send("login")
        terminal.wait_for(lambda it: "fix the login" in it.dump() and "man page" not in it.dump())
        terminal.press("enter", "v")
        terminal.wait_for_text("prompt 1 of 1")
        terminal.wait_for_text("too early")
        terminal.press("v", "escape")
        terminal.wait_for_text("man page")
        # Branch: the dialog says what would run and writes nothing before Ctrl+S.
        terminal.press("t")
        terminal.wait_for_text("━ fix the login")
        terminal.press("[")
        terminal.wait_for(lambda it: any("❯•" in line and "▾ fix the login" in line for line in it.lines))
        terminal.press("enter")
        terminal.wait_for_text("Continue from here")
        terminal.wait_for_text("Writes")
        terminal.press("escape")
        terminal.wait_for(lambda it: not it.shows("Continue from here"))
        # Label.
        terminal.press("L")
        terminal.wait_for_text("Empty removes the label")
        terminal.send("works\r")
        terminal.wait_for_text("◆ works")
        terminal.press("'")
        terminal.wait_for_text("This session")
        terminal.press("escape")
        terminal.wait_for(lambda it: not it.shows("This session"))
        # Trash and undo.
        terminal.press("1")
        terminal.press("ctrl+d")
        terminal.wait_for_text("Esc keep")
        terminal.press("enter")
        terminal.wait_for(lambda it: len(list(store.iterdir())) == 1)
        terminal.press("z")
        terminal.wait_for(lambda it: len(list(store.iterdir())) == 2)
        terminal.press("q")
        assert terminal.wait() == 0
    # Export.
    listed = subprocess.run([*COMMAND, "list", "--json"], env=env, cwd=work, capture_output=True, check=True)
    [path] = [row["path"] for row in json.loads(listed.stdout)["sessions"] if "login" in row["title"]]
    done = subprocess.run([*COMMAND, "export", path], env=env, cwd=work, capture_output=True, check=True)
    assert b"Read the file before you share it." in done.stdout + done.stderr
    [page] = work.glob("*.html")
    assert "fix the login" in page.read_text()
    # Resume, the short way.
    with Terminal([*COMMAND, "resume"], env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("man page", 30)
        terminal.send("login")
        terminal.wait_for(lambda it: "man page" not in it.dump() and it.shows("fix the login"))
        terminal.press("enter")
        terminal.wait_for_text("the agent runs", 20)
        assert terminal.wait() == 0
