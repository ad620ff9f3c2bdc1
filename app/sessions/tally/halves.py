"""The state that a reading of a file leaves for the next one, in two halves.

One more entry must not cost writing down again what is known of twenty thousand. Imports
nothing: who stores states need not know what is in them.
"""

from __future__ import annotations

Halves = tuple[bytes, ...]
"""What changes with every entry, and what is the same for hundreds of them; empty: there is no state."""

NONE: Halves = ()

STAMP = 8
"""The second half begins with so many bytes that tell it from others; where it has none it is empty."""
