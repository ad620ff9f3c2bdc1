"""A project whose folder is gone: an old session without ids, and one of omp."""

from __future__ import annotations

from app.demo.builder import Session, days


def sessions() -> list[Session]:
    """Two sessions nobody can resume where they were."""
    old = Session("pi", "old-api", "cron", age=days(212), dialect="v1")
    old.user("port the nightly cron job from bash to python")
    old.tool("read", "#!/bin/bash\nset -e\npg_dump ...", path="cron/nightly.sh")
    old.reply(
        "Dump, compress, upload, prune. I'll keep the order and stop at the first failure as `set -e` did."
    )
    old.tool("write", "Wrote 62 lines", path="cron/nightly.py", content="import subprocess\n")
    old.tool("bash", "dump 41 MB, upload ok, pruned 3", command="python cron/nightly.py --dry-run")
    old.reply("The dry run matches last night's log.")
    docs = Session("omp", "old-api", "docs", age=days(95))
    docs.user("document the endpoints we still serve, from the access log of the last month")
    docs.tool("bash", "18 endpoints, 3 of them deprecated", command="python tools/endpoints.py access.log")
    docs.reply("18 endpoints; three were announced as gone two years ago and still get 40 calls a day.")
    docs.title = "Endpoints still in use"
    return [old, docs]
