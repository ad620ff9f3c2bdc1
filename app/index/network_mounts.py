"""File systems that do not tell this machine what others write."""

from __future__ import annotations

import os

_SILENT = frozenset(
    ("9p", "afs", "ceph", "cifs", "davfs", "drvfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs",
     "smb3", "smbfs", "vboxsf", "vmhgfs")
)  # fmt: skip


def is_silent(path: str, mounts: str = "/proc/self/mounts") -> bool:
    """True when changes below `path` have to be looked for. False where the system does not say.

    :param mounts: the kernel's table of mounted file systems.
    """
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as table:
            lines = table.read().splitlines()
    except OSError:
        return False
    path = os.path.realpath(path)
    best = kind = ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        place = fields[1].replace("\\040", " ").rstrip("/")
        if len(place) >= len(best) and (path == place or path.startswith(place + "/")):
            best, kind = place, fields[2]
    return kind in _SILENT or kind.startswith("fuse.")
