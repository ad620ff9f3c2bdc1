"""The toy agent, which takes the place of a real one in the demo: it says what would go on, and ends."""

from __future__ import annotations

from app.formats.text import one_line
from app.stores import agent_named


def toy_agent_text(agent: str, title: str, folder: str, command: str) -> str:
    """The lines of the toy agent that resumes an example session, each with its line break.

    :param agent: the name of the session's agent.
    :param title: the session's title; raw.
    :param folder: the folder of the session, with ``~``.
    :param command: the line that resumes such a session in a shell; raw.
    """
    name = agent_named(agent).title
    return (
        f"  This is an example, so a toy agent runs instead of {name}.\n\n"
        f'  Here {name} would go on with "{one_line(title, 100)}"\n'
        f"  in {folder}.\n\n"
        "  With a session of your own, leafmark ends and runs the agent:\n"
        f"  {one_line(command, 1_000)}\n"
    )
