"""Small JSON files that several programs change, each as a whole: the pins and the tags.

The first frame loads this module, so it imports no heavy library.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.paths import make_own_folders
from app.small_files import read_small, replace_file

if TYPE_CHECKING:
    from collections.abc import Callable

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


def file_problem(path: str, check: Callable[[object], object]) -> str:
    """The reason why a file cannot be used; "" if it can, or does not exist.

    :param check: raises `Damaged` for a content that its program does not write.
    """
    try:
        check(parse_json(read_small(path)))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return error.strerror or str(error)
    except Damaged as error:
        return str(error)
    return ""


def write_json(path: str, content: object) -> None:
    """Replace a file, as JavaScript's JSON.stringify writes it with tabs: lone surrogates are escaped.

    :raises OSError: it is unchanged.
    """
    import json  # as in `parse_json`

    data = json.dumps(content, ensure_ascii=False, indent="\t").encode("utf-8", "backslashreplace")
    # The real path, so that a link to a file elsewhere stays a link.
    replace_file(os.path.realpath(path), data, fsync=True)


def copy_damaged(data: bytes, name: str, state_folder: str) -> str:
    """Copy a file that is about to be replaced to leafmark's state folder.

    :param data: its content; ``name``: its name.
    :return: the path of the copy.
    :raises OSError: it cannot be written.
    """
    from hashlib import sha256  # imported here because few files are damaged

    make_own_folders(state_folder)
    copy = os.path.join(state_folder, f"{name}.damaged-{sha256(data).hexdigest()[:8]}")
    replace_file(copy, data, fsync=True)
    return copy
