"""``python -m app`` is ``leafmark``."""

from __future__ import annotations

import sys

from app.cli import start

if __name__ == "__main__":
    sys.exit(start())
