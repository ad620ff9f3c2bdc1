"""Small JSON files that several programs change, each as a whole: the pins and the tags.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os

from app.paths import make_own_folders
from app.small_files import replace_file

MODE = 0o600

LARGEST_CHANGED = 256 << 20
"""Bytes of a file that can be changed, at most. A file longer than `small_files.MAX_BYTES` counts as empty,
but a change keeps its content.
"""


class Damaged(ValueError):
    """A file does not have the format that its program writes; the message says why."""


def parse_json(data: bytes) -> object:
    """The content of a file.

    :raises Damaged: it is not JSON; NaN and the infinities are not JSON either.
    """
    import json  # imported here because the first frame seldom finds such a file

    try:
        content: object = json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise Damaged("not JSON") from None
    return content


def _refuse(word: str) -> object:
    raise ValueError(word)


def dump_json(content: object) -> bytes:
    """JSON as JavaScript's JSON.stringify writes it with tabs: lone surrogates are escaped."""
    import json  # as in `parse_json`

    return json.dumps(content, ensure_ascii=False, indent="\t").encode("utf-8", "backslashreplace")


def copy_damaged(data: bytes, name: str, state_folder: str) -> str:
    """Copy a file that is about to be replaced to leafmark's state folder.

    :param data: its content; ``name``: its name.
    :return: the path of the copy.
    :raises OSError: it cannot be written.
    """
    from hashlib import sha256  # imported here because few files are damaged

    make_own_folders(state_folder)
    copy = os.path.join(state_folder, f"{name}.damaged-{sha256(data).hexdigest()[:8]}")
    replace_file(copy, data, MODE, fsync=True)
    return copy
