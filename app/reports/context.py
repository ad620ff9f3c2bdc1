"""``leafmark context``: the context that an agent builds from a session, as JSON or as a quote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from app.export.choice import Choice
from app.export.context_json import context_document
from app.index.resolve import Ambiguous, NotFound, resolve
from app.options import Options
from app.redact import Redactor
from app.reports.errors import complain_of, exit_code
from app.reports.for_agent import OtherFolder, check_folder, check_options, write_quoted
from app.reports.output import complain, write_json
from app.sessions.errors import MissingBase, SessionError
from app.sessions.manager.session_manager import SessionManager
from app.setup import Setup

LONGEST_RESULT = 600
"""Characters of the output of a tool, and of the arguments of a call, that an agent gets."""


def run(options: Options, setup: Setup) -> int:
    """Print the context of a session at its leaf, or at another entry."""
    check_options(options)
    try:
        session = resolve(options.session, setup.stores, setup.cache_folder, complain)
        manager = SessionManager.open(session.path, env=setup.agent_env, agents=session.agents, new=False)
        if options.for_agent:
            check_folder(manager.header_cwd, setup.here, options)
        document = context_document(manager, Choice(entry=options.entry or ""))
    except (NotFound, Ambiguous, SessionError, OtherFolder) as error:
        complain_of(error, setup.now_ms())
        return exit_code(error)
    for problem in manager.problems:
        if isinstance(problem, MissingBase):
            complain(problem.reason)
    if options.for_agent:
        write_quoted(_lines(document), newest_last=True)
    else:
        write_json(document)
    return 0


def _lines(document: Mapping[str, Any]) -> Iterator[str]:
    """The messages as lines of text: what was said, calls of tools, and the beginning of their output."""
    redactor = Redactor()
    session = document["session"]
    title = redactor.cut_line(session["title"])
    yield f"session {redactor.text(session['session_id'])} ({session['agent']}): {title}"
    for message in document["messages"]:
        role = str(message.get("role", "message"))
        text = "\n".join(filter(str.strip, _texts(message, redactor)))
        if role == "toolResult" and len(text) > LONGEST_RESULT:
            text = f"{redactor.cut(text, LONGEST_RESULT)} … ({len(text):,} characters)"
        else:
            text = redactor.text(text)
        if text:
            yield f"{role}: {text}"


def _texts(message: Mapping[str, Any], redactor: Redactor) -> Iterator[str]:
    """The texts of a message; thinking is left out, and images are named."""
    if isinstance(message.get("summary"), str):
        yield message["summary"]
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "text":
            yield str(block.get("text", ""))
        elif kind == "toolCall":
            arguments = json.dumps(redactor.value(block.get("arguments")), ensure_ascii=False)
            yield f"[calls {block.get('name')} {redactor.cut(arguments, LONGEST_RESULT)}]"
        elif kind == "image":
            yield "[image]"
