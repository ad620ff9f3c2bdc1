"""leafmark with a small address space (`ulimit -v`), in a terminal and without one."""

from __future__ import annotations

import compileall
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.factory import chain, message, write_session
from tests.terminal import Terminal
from tests.waiting import until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="other systems do not limit address space"),
]

ROOT = Path(__file__).parent.parent.parent
GIGABYTE = 1 << 20
"""In the unit of `ulimit -v`, which is 1,024 bytes."""
FAR_TOO_LITTLE = [20_000, 26_000]
"""With more, from 30,000 up to 80,000, Python itself may fail: its hooks do not survive every MemoryError."""


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Compile leafmark, as its installation does: the compiler needs more memory than these limits leave."""
    compileall.compile_dir(ROOT / "app", quiet=1)


def limited(kilobytes: int | str, *words: str) -> list[str]:
    """Return the command line of leafmark under such a limit of its address space."""
    command = shlex.join([sys.executable, "-m", "app", *words])
    return ["sh", "-c", f"ulimit -v {kilobytes}; exec {command}"]


@pytest.mark.parametrize("words", [[], ["resume"]])
@pytest.mark.parametrize("kilobytes", [200_000, 500_000])
def test_the_screen_works_and_follows_changes(shell, words, kilobytes):
    folder, work, env = shell
    with Terminal(limited(kilobytes, *words), env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login", 30)
        store = folder / "home/.pi/agent/sessions/--work--"
        write_session(store / "2027_cccc.jsonl", *chain("written later", "yes", id="cccc", cwd=str(work)))
        terminal.wait_for_text("written later", 30)
        terminal.press("ctrl+q")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []


@pytest.mark.parametrize("kilobytes", [160_000, 240_000])
def test_a_line_that_does_not_fit_leaves_the_screen(shell, kilobytes):
    _, work, env = shell
    store = shell.folder / "home/.pi/agent/sessions/--work--"
    texts = [{"type": "text", "text": "a long text " * 1_000_000} for _ in range(8)]
    line = message("b", "a", "assistant", texts)
    lines = [
        *chain("the long one", id="long", cwd=str(work))[:1],
        message("a", None, "user", "the long one"),
        line,
    ]
    write_session(store / "2028_long.jsonl", *lines)
    with Terminal(limited(kilobytes), env=env, cwd=str(work)) as terminal:
        terminal.wait_for_text("fix the login", 30)
        terminal.settle(2)
        terminal.press("up", "up", "up", "v")
        terminal.settle(2)
        terminal.press("home")
        terminal.settle(1)
        assert terminal.process.poll() is None
        terminal.press("ctrl+q")
        assert terminal.wait() == 0
        assert terminal.leftovers() == []


@pytest.mark.parametrize("words", [[], ["resume"]])
@pytest.mark.parametrize("kilobytes", FAR_TOO_LITTLE)
def test_with_far_too_little_memory_it_works_or_ends_cleanly(shell, words, kilobytes):
    _, work, env = shell
    for number in range(40):
        store = shell.folder / "home/.pi/agent/sessions/--more--"
        write_session(store / f"{number}.jsonl", *chain("more", "said", id=f"more-{number}", cwd=str(work)))
    with Terminal(limited(kilobytes, *words), env=env, cwd=str(work)) as terminal:
        terminal.settle(1)
        if terminal.process.poll() is None:
            terminal.press("ctrl+q")
        assert terminal.wait() in (0, 3), terminal.dump()
        assert terminal.leftovers() == []
        lines = [line for line in terminal.lines if line.strip()]
        assert all(line.startswith("leafmark: ") for line in lines[:1])
        assert "Traceback" not in terminal.dump()


@pytest.mark.parametrize(
    ("kilobytes", "is_native"), [("unlimited", True), (2 * GIGABYTE, True), (700_000, False)]
)
def test_system_notices_are_used_only_with_a_gigabyte(shell, kilobytes, is_native):
    _, work, env = shell
    with subprocess.Popen(
        limited(kilobytes, "watch"),
        env=env,
        cwd=work,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert "watching" in process.stderr.readline()
            maps = Path(f"/proc/{process.pid}/maps")
            if is_native:
                until(lambda: "_rust_notify" in maps.read_text())
            else:
                store = shell.folder / "home/.pi/agent/sessions/--work--"
                write_session(store / "2027_cccc.jsonl", *chain("later", "yes", id="cccc"))
                assert process.stdout.readline().startswith("added")
                assert "_rust_notify" not in maps.read_text()
        finally:
            process.kill()


@pytest.mark.parametrize(
    "words", [["list"], ["search", "login"], ["doctor"], ["index", "--rebuild"], ["watch"]]
)
@pytest.mark.parametrize("kilobytes", FAR_TOO_LITTLE)
def test_a_command_with_far_too_little_memory_works_or_prints_one_line(shell, words, kilobytes):
    _, work, env = shell
    command = (
        ["timeout", "-s", "TERM", "3", *limited(kilobytes, *words)]
        if words == ["watch"]
        else limited(kilobytes, *words)
    )
    done = subprocess.run(command, env=env, cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3, 124)
    assert "Traceback" not in done.stderr
