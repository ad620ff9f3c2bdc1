"""``is:pinned`` on the command line: it includes pins that an agent keeps, and those of leafmark."""

from __future__ import annotations

import json

from app.actions import pin
from app.setup import setup_from_process
from tests.factory import chain, write_session


def test_pins_of_every_agent_are_found(run, home):
    write_session(home / ".pi/agent/sessions/--w--/a.jsonl", *chain("needle", id="aaaa"))
    write_session(home / ".pi/agent/sessions/--w--/b.jsonl", *chain("needle", id="bbbb"))
    write_session(home / ".omp/agent/sessions/-w/o.jsonl", *chain("needle", id="oooo"))
    setup = setup_from_process()
    stores = {store.agent.name: store for store in setup.stores}
    for agent, id in (("pi", "bbbb"), ("omp", "oooo")):
        pin(agent, id, True, stores[agent], setup.state_folder)

    hits = json.loads(run("search", "--json", "needle is:pinned").out)["hits"]
    assert sorted(hit["session_id"] for hit in hits) == ["bbbb", "oooo"]
    listed = json.loads(run("list", "--json", "is:pinned").out)["sessions"]
    assert sorted(session["session_id"] for session in listed) == ["bbbb", "oooo"]
    pin("pi", "bbbb", False, stores["pi"], setup.state_folder)
    assert "bbbb" not in run("list", "--json", "is:pinned").out
