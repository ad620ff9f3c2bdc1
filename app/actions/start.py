"""Beginning a new session of an agent
(formats/README.md, "Resuming"): this process becomes it, as when a session is resumed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from app.actions.resume import Plan, environment_of, not_installed, on_path, shell_line, why_not_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.stores.base import Store


def plan_new(agent: str, cwd: str, store: Store, env: Mapping[str, str]) -> Plan:
    """How to begin a session of the agent of that name in the folder `cwd`, which it will keep in `store`.

    :param cwd: the folder to work in, absolute.
    :param env: the present environment; what would lead the agent to another store is taken out.
    :return: for `actions.resume.execute`.
    :raises KeyError: that agent does not use this store.
    """
    found = store.of(agent)
    argv = found.agent.new_command(found)
    folder_problem = why_not_in(cwd, env) if os.path.isabs(cwd) else "there is no folder to begin it in"
    usable = "" if folder_problem else cwd
    program = on_path(argv[0], env)
    problem = folder_problem if program else not_installed(argv[0], found.agent, folder_problem)
    environment = environment_of(found, usable, env)
    shell = shell_line(argv, usable, found, env)
    gone = folder_problem is not None and program is not None
    return Plan(argv, cwd, environment, program, problem, shell, folder_gone=gone)
