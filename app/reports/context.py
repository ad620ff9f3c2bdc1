"""``leafmark context``: the messages that an agent would send to the model, as JSON."""

from __future__ import annotations

from app.export.choice import Choice
from app.export.context_json import context_document
from app.index.resolve import Ambiguous, NotFound, resolve
from app.options import Options
from app.reports.output import complain, write_json
from app.sessions.errors import AmbiguousEntry, NotThere, SessionError, UnknownEntry
from app.sessions.manager.session_manager import SessionManager
from app.setup import Setup


def run(options: Options, setup: Setup) -> int:
    """Print the context of a session at its leaf, or at another entry."""
    try:
        session = resolve(options.session, setup.stores, setup.cache_folder, complain)
        manager = SessionManager.open(session.path, env=setup.agent_env, agents=session.agents, new=False)
        document = context_document(manager, Choice(entry=options.entry or ""))
    except (NotFound, NotThere, UnknownEntry) as error:
        complain(str(error))
        return 1
    except (Ambiguous, AmbiguousEntry) as error:
        complain(str(error))
        return 2
    except SessionError as error:
        complain(str(error))
        return 3
    write_json(document)
    return 0
