"""Taking the terminal over from the first frame without clearing it.

The first frame is in the alternate screen already (``app.first_frame``). Entering it again would clear it,
and the user would see the rows go and come back.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.driver import Driver

ENTER_ALTERNATE_SCREEN = "\x1b[?1049h"


def driver_class(restore: Callable[[], None]) -> type[Driver] | None:
    """Textual's driver for this system, which does not enter the alternate screen; None where the usual
    one must do.

    :param restore: gives the terminal the settings it had before the first frame. The driver finds those of
        the first frame, which another program that gets the terminal could not be used with.
    """
    if sys.platform == "win32":
        return None
    from textual.drivers.linux_driver import LinuxDriver

    class TakeOverDriver(LinuxDriver):
        """Finds the alternate screen entered, and leaves it at the end."""

        _entered = False

        def write(self, data: str) -> None:
            if data == ENTER_ALTERNATE_SCREEN and not self._entered:
                self._entered = True
                return
            super().write(data)

        def stop_application_mode(self) -> None:
            super().stop_application_mode()
            restore()

        def _get_terminal_size(self) -> tuple[int, int]:
            # Textual asks standard output: a pipe where a shell captures what `resume --print` prints
            try:
                return os.get_terminal_size(self.fileno)
            except OSError:
                return super()._get_terminal_size()

    return TakeOverDriver
