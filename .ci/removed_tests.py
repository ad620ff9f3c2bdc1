"""Name the commits that remove tests and do not say why (CONTRIBUTING.md, "Commits"): removed_tests.py [BASE]

The message of such a commit needs a line that begins with "Tests removed:" and gives the reason. A commit
does not remove a test that it moves to another file, but it removes one that it renames or merges.

The commits after BASE are examined. The default is the newest commit that is more than four hours older than
HEAD: one push rarely has commits of a longer time, and a clone does not know where the last push ended.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

PAUSE_SECONDS = 4 * 3600
REASON = re.compile(r"^Tests removed:\s*\S", re.MULTILINE)
TEST = re.compile(r"^([-+])\s*(?:async )?def (test_\w+)", re.MULTILINE)
SHOWN = 8
"""Names that are printed of one commit."""


def git(*arguments: str) -> str:
    """What git prints. A checkout that belongs to another user is read as well."""
    command = ["git", "-c", "safe.directory=*", *arguments]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=True).stdout


def default_base() -> str | None:
    """The newest commit that is more than four hours older than HEAD; None if there is none."""
    newest = int(git("log", "-1", "--format=%ct"))
    return git("rev-list", "-1", f"--before={newest - PAUSE_SECONDS}", "HEAD").strip() or None


def removed_tests(commit: str) -> list[str]:
    """The names of the tests that a commit removes, without those that it adds elsewhere."""
    changed = git("show", "--format=", "--unified=0", "--no-renames", commit, "--", "tests")
    counts: Counter[str] = Counter()
    for sign, name in TEST.findall(changed):
        counts[name] += 1 if sign == "-" else -1
    return sorted(name for name, count in counts.items() if count > 0)


def main(base: str | None) -> None:
    """Print one line for each commit that removes tests and does not say why.

    :raises subprocess.CalledProcessError: `base` is no commit.
    """
    if base is None:
        print("no commit is old enough to compare with: removed tests are not looked for")
        return
    commits = git("rev-list", "--reverse", "--no-merges", f"{base}..HEAD").split()
    unexplained = 0
    for commit in commits:
        names = removed_tests(commit)
        if names and not REASON.search(git("show", "-s", "--format=%B", commit)):
            unexplained += 1
            more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
            subject = git("show", "-s", "--format=%h %s", commit).strip()
            print(f"{subject}: removes {', '.join(names[:SHOWN])}{more} and does not say why")
    print(f"{len(commits)} commits since {base[:8]}: {unexplained} of them remove tests without a reason")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else default_base())
