"""The files that come with the program, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

SHEET = "app.tcss"
DIALOGS = "dialogs.tcss"


def styles_folder() -> Path:
    """The folder of the style sheets: beside the package in a checkout, inside it once installed.

    :raises FileNotFoundError: the installation is not whole.
    """
    package = Path(__file__).parent
    for folder in (package / "styles", package.parent / "styles"):
        if (folder / SHEET).is_file():
            return folder
    raise FileNotFoundError(
        f"{package / 'styles' / SHEET}: leafmark's style sheet is missing; install it again"
    )
