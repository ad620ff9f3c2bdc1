"""What a new session is called and in which folder it goes (formats/README.md, "pi")."""

from __future__ import annotations

import os


def uuid7(now_ms: int) -> str:
    """A UUID of version 7: sorts by `now_ms`, milliseconds since the epoch."""
    value = (now_ms & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    return _dashed(value & ~(0x3 << 62) | 0x2 << 62)


def uuid4() -> str:
    """A UUID of version 4."""
    value = int.from_bytes(os.urandom(16), "big")
    value = value & ~(0xF << 76) | 0x4 << 76
    return _dashed(value & ~(0x3 << 62) | 0x2 << 62)


def _dashed(value: int) -> str:
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def stamped(timestamp: str, session_id: str) -> str:
    """The file name of pi's family; `timestamp` is the header's."""
    return f"{timestamp.replace(':', '-').replace('.', '-')}_{session_id}.jsonl"


def dashed_folder(cwd: str) -> str:
    """The folder of a working folder, as pi spells it: the path between two dashes, its separators dashes."""
    path = cwd[1:] if cwd[:1] in ("/", "\\") else cwd
    return f"--{_dashes(path)}--"


def short_folder(cwd: str, home: str, temporary: str) -> str:
    """The same as omp spells it: shorter below the home folder and below the folder of temporary files.

    All three are real paths.
    """
    for root, prefix in ((home, "-"), (temporary, "-tmp")):
        if root and cwd == root:
            return prefix
        if root and cwd.startswith(root.rstrip(os.sep) + os.sep):
            below = _dashes(cwd[len(root.rstrip(os.sep)) + 1 :])
            return prefix + below if prefix == "-" else f"{prefix}-{below}"
    return dashed_folder(cwd)


def _dashes(path: str) -> str:
    return path.replace("/", "-").replace("\\", "-").replace(":", "-")
