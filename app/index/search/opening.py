"""Opening the files whose paths the catalog has."""

from __future__ import annotations

import errno

from app.formats.lines import open_file


def open_stored(path: str) -> int:
    """Open the file of a session; its descriptor.

    :raises OSError: it cannot be opened; also where no file can be called that, as of a damaged catalog.
    """
    try:
        return open_file(path)
    except ValueError as error:
        raise OSError(errno.EINVAL, str(error), path) from error
