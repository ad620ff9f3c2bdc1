"""Silent entries after which nobody said anything: they are leaves, and no branches
(`sessions.tree.branches`).

A branch ends where something was said, or at the session's leaf. So an entry that a tree leaves out (a
label, a name, a move of the leaf) makes no branch where it hangs; but what it hangs on ends one, if nothing
else hangs there. There are few such entries in a session, and no more than those are kept here.
"""

from __future__ import annotations

from collections import Counter

MANY = 64
"""So many of them are stored one by one; of more only those that end a row of them, or part it."""


class SilentEnds:
    """The silent entries below which nothing is said, in a session whose entries have ids of their own and
    name nothing that comes after them.

    hung     id -> what it hangs on; a leaf stays here, because what is said next may hang elsewhere
    only     the entries, none of `hung`, on which nothing but these hangs
    skipped  whether some of `hung` were left out, see `MANY`
    """

    __slots__ = ("hung", "only", "skipped")

    def __init__(self) -> None:
        self.hung: dict[str, str | None] = {}
        self.only: set[str] = set()
        self.skipped = False

    def said(self, parent: str | None) -> None:
        """Take in that something that is said hangs on `parent`."""
        while parent is not None and parent in self.hung:
            parent = self.hung.pop(parent)
        if parent is not None:
            self.only.discard(parent)
        if not self.hung:
            self.skipped = False

    def hang(self, entry_id: str, parent: str | None, *, alone: bool) -> None:
        """Take in a silent entry.

        :param alone: `parent` is an entry, and nothing hung on it before.
        """
        if alone and parent is not None and parent not in self.hung:
            self.only.add(parent)
        self.hung[entry_id] = parent

    def branches(self, leaves: int, leaf: str | None) -> int:
        """How many branches there are.

        :param leaves: how many entries are nobody's parent.
        :param leaf: the session's leaf, on which nothing hangs.
        """
        hung = self.hung
        if not hung:
            return leaves
        # What only they hang on ends a branch in their place.
        number = leaves - len(hung.keys() - set(hung.values())) + len(self.only)
        if leaf in hung:
            above: str | None = leaf
            while above in hung:
                above = hung[above]
            number += above not in self.only
        return number

    def shorten(self) -> None:
        """Leave out what is not needed unless somebody goes on from there."""
        hung = self.hung
        if len(hung) <= MANY:
            return
        times = Counter(hung.values())
        kept = [entry_id for entry_id in hung if times[entry_id] != 1]
        if len(kept) == len(hung):
            return
        left = set(kept)
        self.hung = {}
        for entry_id in kept:
            above = hung[entry_id]
            while above in hung and above not in left:
                above = hung[above]
            self.hung[entry_id] = above
        self.skipped = True
