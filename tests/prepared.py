"""Start leafmark often without importing it each time: a process that has imported it forks for each run.

The imports take most of the time of a short run. A run is a process of its own, with its own environment,
folder, streams, terminal and signals, and it runs the function that the command `leafmark` runs. It differs
from a started program only in that all modules are imported already: tests of the start itself use `Spawned`.

    with Terminal(["list"], start=prepared().start, env=env) as terminal: ...
    done = prepared().run(["list"], env=env, cwd=folder)
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).parent.parent
_LENGTH = struct.Struct("<Q")
"""How many bytes follow. The descriptors of a run come with this number."""
_DEFAULT_SIGNALS = (
    signal.SIGPIPE, signal.SIGXFSZ, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD,
)  # fmt: skip


class Forked:
    """A run of leafmark.

    pid         the process id
    returncode  the exit status (negative: the signal that ended it); None while the end is unknown
    """

    def __init__(self, status: int) -> None:
        """:param status: a pipe from which the process id and later the exit status can be read."""
        self.status = os.fdopen(status, "rb", buffering=0)
        self.ended = selectors.DefaultSelector()
        self.ended.register(self.status, selectors.EVENT_READ)
        self.returncode: int | None = None
        self.pid = self.number()

    def number(self) -> int:
        data = self.status.read(32)
        if not data:
            raise RuntimeError("the process that starts leafmark has ended")
        return int(data)

    def poll(self) -> int | None:
        """Return the exit status, None while it runs."""
        if self.returncode is None and self.ended.select(0):
            self.end()
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Return the exit status. Raises TimeoutError if it still runs after `timeout` seconds."""
        if self.returncode is None:
            if not self.ended.select(timeout):
                raise TimeoutError(f"process {self.pid} still runs after {timeout} s")
            self.end()
        assert self.returncode is not None
        return self.returncode

    def end(self) -> None:
        self.returncode = self.number()
        self.ended.close()
        self.status.close()

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process is known to have ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process and wait for its end."""
        self.send_signal(signal.SIGKILL)
        self.wait(60)


class Prepared:
    """A process that has imported leafmark and waits for runs to start."""

    def __init__(self, script: str = "") -> None:
        """:param script: a Python file whose function `freeze` is called before the imports; "" for none."""
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket = own
        # Tests start runs from several threads.
        self.sending = threading.Lock()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.prepared", str(other.fileno()), *([script] if script else [])],
            env={"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[other.fileno()],
        )
        other.close()

    def close(self) -> None:
        """End the process; the runs go on."""
        self.socket.close()
        self.process.wait()

    def start(self, words: Sequence[str], terminal: str, env: Mapping[str, str], cwd: str | None) -> Forked:
        """Run `leafmark words...` in the folder `cwd`, as the leader of a session with that terminal.

        :param env: the whole environment.
        """
        # The terminal has to be open until the run opens it: a terminal that nobody has open has ended.
        opened = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
        try:
            return self.fork(words, env, cwd, terminal, [opened])
        finally:
            os.close(opened)

    def run(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        cwd: str | None,
        *,
        output: int | None = None,
        errors: int | None = None,
        timeout: float = 60,
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `leafmark words...` without input until it ends, and return what it wrote.

        :param env: the whole environment.
        :param output: an open file that gets its standard output.
        :param errors: an open file that gets its standard error.
        :param timeout: seconds after which it is killed.
        """
        empty = os.open(os.devnull, os.O_RDONLY)
        out, to_out = os.pipe()
        err, to_err = os.pipe()
        forked = self.fork(
            words,
            env,
            cwd,
            "",
            [empty, to_out if output is None else output, to_err if errors is None else errors],
        )
        for descriptor in (empty, to_out, to_err):
            os.close(descriptor)
        read = {out: b"", err: b""}
        deadline = time.monotonic() + timeout
        with selectors.DefaultSelector() as ready:
            for descriptor in read:
                ready.register(descriptor, selectors.EVENT_READ)
            while ready.get_map():
                if time.monotonic() > deadline:
                    forked.kill()
                for key, _ in ready.select(1):
                    data = os.read(key.fd, 1 << 16)
                    read[key.fd] += data
                    if not data:
                        ready.unregister(key.fd)
        for descriptor in read:
            os.close(descriptor)
        code = forked.wait(max(0.0, deadline - time.monotonic()))
        return subprocess.CompletedProcess([*words], code, read[out], read[err])

    def fork(
        self,
        words: Sequence[str],
        env: Mapping[str, str],
        cwd: str | None,
        terminal: str,
        streams: Sequence[int],
    ) -> Forked:
        status, to_status = os.pipe()
        wanted = {"words": [*words], "env": dict(env), "cwd": cwd, "terminal": terminal}
        data = json.dumps(wanted).encode()
        with self.sending:
            socket.send_fds(self.socket, [_LENGTH.pack(len(data))], [to_status, *streams])
            self.socket.sendall(data)
        os.close(to_status)
        return Forked(status)


@cache
def prepared(script: str = "") -> Prepared:
    """Return the process that starts all runs of this test process; see `Prepared`."""
    made = Prepared(script)
    atexit.register(made.close)
    return made


class _Server:
    """The process that forks. It ends when the tests have closed their end of the socket."""

    def __init__(self, asked: socket.socket) -> None:
        self.asked = asked
        self.statuses: dict[int, int] = {}
        self.woken, wake = os.pipe()
        os.set_blocking(wake, False)
        self.wake = wake
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake)

    def serve(self) -> dict[str, Any] | None:
        """Start runs. Return None at the end, and in each forked process the run that it is to do."""
        with selectors.DefaultSelector() as ready:
            ready.register(self.asked, selectors.EVENT_READ)
            ready.register(self.woken, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    if key.fd == self.woken:
                        os.read(self.woken, 1024)
                        self.reap()
                        continue
                    head, descriptors, _, _ = socket.recv_fds(self.asked, _LENGTH.size, 8)
                    if not head:
                        return None
                    data = self.asked.recv(*_LENGTH.unpack(head), socket.MSG_WAITALL)
                    if self.fork(descriptors):
                        return {**json.loads(data), "streams": descriptors[1:]}

    def fork(self, descriptors: list[int]) -> bool:
        """Return whether this is the new process."""
        pid = os.fork()
        if pid:
            self.statuses[pid] = descriptors[0]
            for stream in descriptors[1:]:
                os.close(stream)
            os.write(descriptors[0], b"%32d" % pid)
            return False
        signal.set_wakeup_fd(-1)
        for descriptor in (self.woken, self.wake, descriptors[0], *self.statuses.values()):
            os.close(descriptor)
        self.asked.close()
        return True

    def reap(self) -> None:
        while self.statuses:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            pipe = self.statuses.pop(pid)
            with suppress(BrokenPipeError):
                os.write(pipe, b"%32d" % os.waitstatus_to_exitcode(status))
            os.close(pipe)


def _become(run: dict[str, Any]) -> None:
    """Make this process what a newly started leafmark would be."""
    for number in _DEFAULT_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    # Python ignores these two itself.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    streams = run["streams"]
    if run["terminal"]:
        os.setsid()
        # A session leader that opens a terminal gets it as its controlling terminal.
        streams = [os.open(run["terminal"], os.O_RDWR)] * 3 + streams
    for number, stream in enumerate(streams[:3]):
        os.dup2(stream, number)
    for stream in {*streams}:
        os.close(stream)
    os.environ.clear()
    os.environ.update(run["env"])
    time.tzset()
    os.chdir(run["cwd"] or ".")
    encoding, _, errors = run["env"].get("PYTHONIOENCODING", "").partition(":")
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        old = getattr(sys, name)
        stream = open(  # noqa: SIM115
            ("stdin", "stdout", "stderr").index(name),
            mode,
            encoding=encoding or old.encoding,
            errors="backslashreplace"
            if name == "stderr"
            else errors or ("strict" if encoding else old.errors),
            closefd=False,
        )
        if mode == "w":
            stream.reconfigure(line_buffering=name == "stderr" or stream.isatty())
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv = ["leafmark", *run["words"]]


def _serve(descriptor: int, script: str) -> int:
    if script:
        names: dict[str, Any] = {}
        exec(compile(Path(script).read_text("utf-8"), script, "exec"), names)
        names["freeze"]()
    import app

    for module in pkgutil.walk_packages(app.__path__, "app."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    importlib.import_module("textual.drivers.linux_driver")
    assert threading.active_count() == 1, "a process with threads cannot be forked"
    gc.collect()
    gc.freeze()
    run = _Server(socket.socket(fileno=descriptor)).serve()
    if run is None:
        return 0
    _become(run)
    from app.cli import start

    return start()


if __name__ == "__main__":
    sys.exit(_serve(int(sys.argv[1]), "".join(sys.argv[2:3])))
