"""``leafmark context``: the messages that an agent would send to the model, as JSON."""

from __future__ import annotations

from app.export.choice import Choice
from app.export.context_json import context_document
from app.index.resolve import Ambiguous, NotFound, resolve
from app.options import Options
from app.reports.errors import complain_of, exit_code
from app.reports.output import complain, write_json
from app.sessions.errors import SessionError
from app.sessions.manager.session_manager import SessionManager
from app.setup import Setup


def run(options: Options, setup: Setup) -> int:
    """Print the context of a session at its leaf, or at another entry."""
    try:
        session = resolve(options.session, setup.stores, setup.cache_folder, complain)
        manager = SessionManager.open(session.path, env=setup.agent_env, agents=session.agents, new=False)
        document = context_document(manager, Choice(entry=options.entry or ""))
    except (NotFound, Ambiguous, SessionError) as error:
        complain_of(error, setup.now_ms())
        return exit_code(error)
    write_json(document)
    return 0
