"""File systems that do not report the changes that other machines make."""

from __future__ import annotations

import os

_SILENT = frozenset(
    ("9p", "afs", "ceph", "cifs", "davfs", "drvfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs",
     "smb3", "smbfs", "vboxsf", "vmhgfs")
)  # fmt: skip


def is_silent(path: str, mounts: str = "/proc/self/mounts") -> bool:
    """Whether the system may not report changes below `path`. False if the file system is unknown.

    :param mounts: the kernel's table of mounted file systems.
    """
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as table:
            lines = table.read().splitlines()
    except OSError:
        return False
    path = os.path.realpath(path)
    longest = kind = ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        mount = fields[1].replace("\\040", " ").rstrip("/")
        if len(mount) >= len(longest) and (path == mount or path.startswith(mount + "/")):
            longest, kind = mount, fields[2]
    return kind in _SILENT or kind.startswith("fuse.")
