"""`python timed.py DESCRIPTOR COMMAND...`: run a command to its end, and write a JSON list to the open file
DESCRIPTOR: seconds, processor seconds, peak bytes of the biggest process, exit status.

This is a small process of its own, because the kernel counts a process' peak memory from the size of its
parent at the start, and the runner has read the truth of a whole corpus.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main(descriptor: int, command: list[str]) -> None:
    os.set_inheritable(descriptor, False)
    started = time.perf_counter()
    process = os.posix_spawnp(command[0], command, os.environ)
    # `wait4` also returns the resources that the process and its children have used.
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - started
    cpu = usage.ru_utime + usage.ru_stime
    line = json.dumps([wall, cpu, usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)])
    os.write(descriptor, line.encode())


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
