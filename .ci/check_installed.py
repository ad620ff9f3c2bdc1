"""Start leafmark as it is installed, without a checkout and with an empty home: check_installed.py CHECKOUT

Run by the Python of an environment that holds the wheel, isolated (-I), from another folder than CHECKOUT,
which is only there to make sure that nothing comes from it.
"""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textual.app import App

COMMAND = str(Path(sys.executable).parent / "leafmark")
HOME = Path(os.environ["HOME"])
PATIENCE = 60.0  # seconds; only a program that hangs gets there


def output_of(*arguments: str) -> str:
    """What the installed command prints."""
    done = subprocess.run(
        [COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"leafmark {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}"
    return done.stdout


def check_command_line() -> None:
    from importlib.metadata import version

    assert version("leafmark") in output_of("--version")
    listing = json.loads(output_of("list", "--json"))
    assert listing == {"schema": 3, "total": 0, "sessions": []}, listing
    json.loads(output_of("doctor", "--json"))
    assert (Path(sys.prefix) / "share/man/man1/leafmark.1").is_file(), "the manual page is not installed"
    # The page of an export is in files of its own.
    session = HOME / "session.jsonl"
    session.write_text(
        '{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}\n'
    )
    assert output_of("export", str(session), "-o", "-").startswith("<!doctype html>")
    session.unlink()


def check_beside_another_app() -> None:
    """A foreign `app` on PYTHONPATH does not shadow the command's, and `import leafmark` refuses it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "app.py").write_text("raise SystemExit('a foreign app ran')\n")
        env = {**os.environ, "PYTHONPATH": folder}
        subprocess.run([COMMAND, "list"], env=env, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)
        for variables, code in ((os.environ, 0), (env, 1)):
            imports = [sys.executable, "-c", "import leafmark; leafmark.SessionManager"]
            done = subprocess.run(imports, env=variables, capture_output=True, timeout=PATIENCE, check=False)
            assert done.returncode == code, done.stderr
            assert (b"ImportError" in done.stderr) == bool(code), done.stderr


def check_screen_on_a_terminal() -> None:
    """It draws, takes a key and leaves with exit code 0, in a real pseudo-terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(COMMAND, [COMMAND])
    termios.tcsetwinsize(terminal, (24, 80))
    seen = b""
    asked = False
    give_up = time.monotonic() + PATIENCE
    while time.monotonic() < give_up:
        if select.select([terminal], [], [], 1.0)[0]:
            try:
                seen += os.read(terminal, 65536)
            except OSError:  # Linux says so when the other side has closed
                break
        if not asked and b"leafmark" in seen:
            asked = os.write(terminal, b"q") == 1
    else:
        os.kill(child, 9)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert asked, f"it never drew its name: {seen[-2000:]!r}"
    assert status == 0, f"exit {status}: {seen[-2000:]!r}"


async def styles_at_work(app: App[Any]) -> tuple[list[str], list[str]]:
    """The style sheets that the program reads, and the selectors of their rules in force on a widget."""
    async with app.run_test() as pilot:
        await pilot.pause()
        in_force = [
            rule.selectors
            for rule in app.stylesheet.rules
            if not rule.is_default_rules and (wanted := rule.styles.get_rules())
            for widget in app.screen.query(rule.selectors)
            if wanted.items() <= widget.styles.base.get_rules().items()
        ]
        return [path for path, _ in app.stylesheet.source if path.endswith(".tcss")], in_force


def check_styles(checkout: Path) -> None:
    """They come from the installed package, and at least one rule of theirs is in force on a widget."""
    from app import browser, setup

    package = Path(browser.__file__).resolve().parent
    assert checkout.resolve() not in package.parents
    read, in_force = asyncio.run(styles_at_work(browser.Browser(setup.setup_from_process())))
    sheets = {Path(path).resolve() for path in read}
    assert package / "styles" / "app.tcss" in sheets, sheets
    assert all(package / "styles" in sheet.parents for sheet in sheets), sheets
    assert in_force, "no rule of the style sheets is in force on any widget"


def main(checkout: str) -> None:
    check_command_line()
    check_beside_another_app()
    check_screen_on_a_terminal()
    check_styles(Path(checkout))
    written = [path.relative_to(HOME).as_posix() for path in HOME.rglob("*") if path.is_file()]
    own = (".cache/leafmark/", ".local/state/leafmark/")
    stray = [path for path in written if not path.startswith(own)]
    assert not stray, f"written outside leafmark's own folders: {stray}"
    print(f"started from {Path.cwd()}, styles in force; written to the empty home: {sorted(written)}")


if __name__ == "__main__":
    main(sys.argv[1])
