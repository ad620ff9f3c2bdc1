"""A command that writes a summary: its input, its output, and its end."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from app.actions import summary_command
from app.actions.summary_command import LIMIT, Cancelled, SummaryFailed, run
from tests.cases import cases

if TYPE_CHECKING:
    from pathlib import Path


def python(code: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-c", code, *arguments)


def summary_of(command: tuple[str, ...], transcript: str = "", cwd: str = "", **env: str) -> str:
    return run(command, transcript, Event(), cwd, {"PATH": os.defpath, **env})


ECHO = python("import sys; print(' ' + sys.stdin.read() + '  ')")


def test_a_command_reads_the_transcript_and_writes_the_summary() -> None:
    assert summary_of(ECHO, "said\n\nand done") == "said\n\nand done"
    assert summary_of(ECHO, "é \ud800", PYTHONIOENCODING="utf-8") == "é ?"
    long = "x" * (LIMIT - 10)
    assert summary_of(ECHO, long) == long


def test_a_command_has_the_given_folder_environment_and_arguments(tmp_path: Path) -> None:
    show = python("import os, sys; print(os.getcwd(), sorted(os.environ), sys.argv[1:])", "a b", "$(ls); *")
    shown = summary_of(show, cwd=str(tmp_path), ONLY="1")
    assert shown.startswith(f"{os.path.realpath(tmp_path)} [")
    assert "'ONLY'" in shown
    assert shown.endswith("['a b', '$(ls); *']")


def test_a_command_has_a_process_group_of_its_own() -> None:
    shown = summary_of(python("import os; print(os.getpgrp() == os.getpid(), os.getsid(0) == os.getpid())"))
    assert shown == "True True"


def test_a_command_need_not_read_its_input() -> None:
    assert summary_of(python("import os; os.close(0); print('short')"), "x" * 5_000_000) == "short"


def test_invalid_utf8_in_the_output_is_replaced() -> None:
    assert summary_of(python(r"import os; os.write(1, b'a\xff\n')")) == "a\ufffd"


@cases(
    ("code", "reason"),
    [
        (
            "import sys; sys.exit('first\\nthe \\x1b[31mcause\\n\\n')",
            "failed with exit code 1: the \u241b[31mcause",
        ),
        ("print('half'); raise SystemExit(3)", "failed with exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9"),
        ("print('  \\n ')", "wrote nothing"),
        ("import sys; print('no key', file=sys.stderr)", "wrote nothing: no key"),
        (
            "import sys; sys.stderr.write('x' * 99_999 + '\\nend\\n'); sys.exit(2)",
            "failed with exit code 2: end",
        ),
    ],
)
def test_a_failure_of_the_command_is_reported_with_its_reason(code: str, reason: str) -> None:
    with pytest.raises(SummaryFailed) as failure:
        summary_of(python(code))
    assert str(failure.value) == f"{sys.executable} {reason}"


def test_a_command_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SummaryFailed, match="nowhere-at-all: No such file"):
        summary_of(("nowhere-at-all",))
    with pytest.raises(SummaryFailed, match="gone: No such file"):
        summary_of(ECHO, cwd=str(tmp_path / "gone"))
    with pytest.raises(SummaryFailed, match="no command"):
        summary_of(())
    with pytest.raises(SummaryFailed, match="null byte"):
        summary_of((sys.executable, "a\0b"))
    (tmp_path / "plain").write_text("")
    with pytest.raises(SummaryFailed, match="Permission denied"):
        summary_of((str(tmp_path / "plain"),))


def test_endless_output_is_an_error() -> None:
    endless = python("import os\nwhile True: os.write(1, b'x' * 65536)")
    with pytest.raises(SummaryFailed, match=r"more than 1,024 KiB"):
        summary_of(endless)


FAMILY = """
import os, signal, sys
ready, stubborn = int(sys.argv[1]), sys.argv[2] == "stubborn"
if stubborn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
os.write(ready, b"%d\\n" % os.getpid())
if child and sys.argv[2] == "orphan":
    os._exit(0)
while True:
    signal.pause()
"""


@cases("kind", ["obedient", "stubborn", "orphan"])
def test_cancelling_ends_the_command_and_its_children(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary_command, "GRACE_S", 0.2)
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    monkeypatch.setattr("subprocess.Popen", _keeping(writing))
    cancel = Event()
    ended: list[BaseException] = []

    def wait() -> None:
        try:
            run(python(FAMILY, str(writing), kind), "x" * 5_000_000, cancel, "", {})
        except Cancelled as cancelled:
            ended.append(cancelled)

    waiting = Thread(target=wait)
    waiting.start()
    with os.fdopen(reading, "rb") as pipe:
        pids = {int(pipe.readline()) for _ in range(2)}
        assert len(pids) == 2
        os.close(writing)
        cancel.set()
        waiting.join()
        # The pipe closes when both processes have ended.
        closed = select.select([pipe], [], [], 10)[0]
        for pid in () if closed else pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert closed
        assert pipe.read() == b""
    assert len(ended) == 1


def _keeping(descriptor: int) -> type:
    real = subprocess.Popen

    class Keeping(real):  # type: ignore[valid-type, misc]
        def __init__(self, *arguments: object, **options: object) -> None:
            super().__init__(*arguments, pass_fds=(descriptor,), **options)

    return Keeping


def test_a_command_cancelled_before_its_start_is_not_run(tmp_path: Path) -> None:
    cancel = Event()
    cancel.set()
    with pytest.raises(Cancelled):
        run(python("open('ran', 'w')"), "", cancel, str(tmp_path), {})
    assert not list(tmp_path.iterdir())
