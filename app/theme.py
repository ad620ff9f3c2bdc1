"""The palette as Textual themes."""

from __future__ import annotations

from textual.theme import Theme

from app.view.palette import THEMES


def themes() -> list[Theme]:
    """One Textual theme for each of the palette's, named ``leafmark-dark`` and ``leafmark-light``."""
    return [_theme(name, colours) for name, colours in THEMES.items()]


def _theme(name: str, colours: dict[str, str]) -> Theme:
    return Theme(
        name=f"leafmark-{name}",
        dark=name == "dark",
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
