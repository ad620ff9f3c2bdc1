"""White space around a name, as the agents take it off: by JavaScript's trim(), not by Python's strip()."""

from __future__ import annotations

# Python also strips the separators U+001C to U+001F and U+0085, and leaves the byte order mark.
_BLANKS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def trimmed(name: str | None) -> str | None:
    """A name without white space around it; None where nothing is left."""
    return (name or "").strip(_BLANKS) or None
