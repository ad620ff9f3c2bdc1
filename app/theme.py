"""The palette as Textual themes, and the style sheets that come with leafmark."""

from __future__ import annotations

from pathlib import Path

from textual.theme import Theme

from app.view.palette import THEMES, is_dark


def themes() -> list[Theme]:
    """One Textual theme for each in the palette, named ``leafmark-dark`` and so on."""
    return [_theme(name, colours) for name, colours in THEMES.items()]


def _theme(name: str, colours: dict[str, str]) -> Theme:
    return Theme(
        name=f"leafmark-{name}",
        dark=is_dark(colours),
        primary=colours["blue"],
        secondary=colours["purple"],
        accent=colours["focus"],
        foreground=colours["text"],
        background=colours["background"],
        surface=colours["surface"],
        panel=colours["panel"],
        success=colours["green"],
        warning=colours["yellow"],
        error=colours["red"],
        variables={
            "pane-border": colours["border"],
            "pane-focus": colours["focus"],
            "pane-title": colours["dim"],
            "scrollbar": colours["border"],
            "scrollbar-hover": colours["dim"],
            "scrollbar-active": colours["focus"],
            "scrollbar-background": colours["background"],
            "scrollbar-background-hover": colours["background"],
            "scrollbar-background-active": colours["background"],
            "scrollbar-corner-color": colours["background"],
            "input-cursor-background": colours["text"],
            "input-cursor-foreground": colours["background"],
        },
    )


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
