"""A user of two agents who starts the selector in a pseudo-terminal, and functions that wait for output."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.factory import chain, write_session
from tests.prepared import prepared
from tests.terminal import Terminal

COMMAND = [sys.executable, "-m", "app"]
RECORDER = """
import json, os, sys
name = os.path.basename(sys.argv[0])
with open({folder!r} + "/ran-" + name + ".json", "w") as file:
    json.dump({{"argv": sys.argv, "cwd": os.getcwd(), "env": dict(os.environ), "pid": os.getpid()}}, file)
print(name, "runs")
"""


def leafmark(*words, **options):
    """Run `leafmark words...` in a terminal, without the imports of its start; see `tests.prepared`."""
    return Terminal(words, start=prepared().start, **options)


class Machine:
    """A home with sessions of pi and oh-my-pi, both programs on PATH, and a shell's environment there."""

    def __init__(self, shell):
        self.folder, self.work, env = shell
        self.home = self.folder / "home"
        self.other = self.folder / "other"
        self.other.mkdir()
        self.has_keys = False
        for name in ("pi", "omp"):
            shell.add_program(name, RECORDER.format(folder=str(self.folder)))
        self.env = {
            **env,
            "LEAFMARK_CONFIG_DIR": str(self.folder / "config"),
            "XDG_DATA_HOME": str(self.folder / "data"),
        }
        self.login = self.session("aaaa-login", "fix the login", "too early")
        self.page = self.session("bbbb-page", "write a man page", "here it is", "thanks", minutes=9)
        self.omp = self.session(
            "cccc-dark", "dark mode please", "dark it is", cwd=self.other, agent="omp", minutes=7
        )

    def session(self, id, *texts, cwd=None, agent="pi", minutes=5):
        """Write a session file for the folder `cwd`, active `minutes` after the fixed start."""
        cwd = cwd or self.work
        lines = chain(*texts, id=id, cwd=str(cwd))
        for line in lines[1:]:
            line["timestamp"] = line["timestamp"].replace("T10:", f"T1{minutes}:")
        name = f"--{Path(cwd).name}--" if agent == "pi" else f"-{Path(cwd).name}"
        store = self.home / f".{agent}/agent/sessions" / name
        return write_session(store / f"2026-05-01T10-00-00-000Z_{id}.jsonl", *lines)

    def settings(self, text):
        self.has_keys = "[keys]" in text
        (self.folder / "config").mkdir()
        (self.folder / "config" / "config.toml").write_text(text)

    def terminal(self, *words, cwd=None, command=None, **options):
        """Run `leafmark resume words...`, or another command, in a terminal."""
        command = command or [*COMMAND, "resume", *words]
        # The keys of the settings count only if they are read before the screens are imported.
        if command[: len(COMMAND)] != COMMAND or self.has_keys:
            return Terminal(command, env=self.env, cwd=str(cwd or self.work), **options)
        return leafmark(*command[len(COMMAND) :], env=self.env, cwd=str(cwd or self.work), **options)

    def ran(self, name="pi"):
        """Return the arguments that the program got; None if it did not run."""
        path = self.folder / f"ran-{name}.json"
        return json.loads(path.read_text()) if path.exists() else None

    def warm(self):
        prepared().run(["list"], self.env, str(self.work)).check_returncode()

    def files(self):
        return {path: path.read_bytes() for path in self.home.rglob("*") if path.is_file()}


def shown(terminal, text="▌"):
    """Whether Textual has the screen, and the transcript of the session under the cursor is shown."""
    terminal.wait_for_bytes(b"\x1b[?1000h", 30)
    terminal.wait_for_text(text, 30)


def planned(terminal, words):
    """Whether the line at the bottom shows the command that Enter would run."""
    terminal.wait_for(lambda it: words in it.lines[-2], 30)


def pointed(terminal, text):
    """Whether the cursor is on the row with this text."""
    terminal.wait_for(lambda it: any("❯" in line and text in line for line in it.lines), 30)
