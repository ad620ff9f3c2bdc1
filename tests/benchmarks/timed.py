"""`python timed.py DESCRIPTOR COMMAND...`: run a command to its end, and tell what it took as a line of JSON
in the open file DESCRIPTOR: seconds, processor seconds, the biggest process in bytes, exit code.

A process of its own, and a small one: the kernel counts the peak of a process from what its parent had when
it was started, and the runner has read the truth of a whole corpus.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main(told: int, command: list[str]) -> None:
    os.set_inheritable(told, False)
    started = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ)
    # Not `waitpid`: this one tells what the process and those that it has waited for have used.
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - started
    cpu = usage.ru_utime + usage.ru_stime
    line = json.dumps([wall, cpu, usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)])
    os.write(told, line.encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
