"""Taking the terminal over from the first frame without clearing it.

The first frame is in the alternate screen already (``app.first_frame``). Entering it again would clear it,
and the user would see the rows go and come back.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from textual.driver import Driver

ENTER_ALTERNATE_SCREEN = "\x1b[?1049h"


def driver_class() -> type[Driver] | None:
    """Textual's driver for this system, which does not enter the alternate screen; None where the usual
    one must do.
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

    return TakeOverDriver
