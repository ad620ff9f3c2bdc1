"""Resuming a session or starting a new one: this process becomes the agent (formats/README.md, "Resuming").

`plan` works out the program, folder, command and problems without doing anything. `execute` carries the plan
out, without a shell.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from app.actions.shell_words import quoted, shell_line, shell_of
from app.index.live_sessions import verdict_to_resume
from app.paths import ENDED_VARIABLE, current_folder, home_prefix_length
from app.sessions.errors import SessionError
from app.stores import agent_named
from app.stores.base import Agent, Store
from app.stores.kept import original_path
from app.stores.live import LIVE, Processes, Verdict
from app.stores.retention import retention_of_file

_LONGEST_LINE = 4_096

RESUME, FORK = "resume", "fork"
"""Ways to go on in another folder."""

NEW_FILE = "NEW"
"""Placeholder for the name of a file that does not exist yet, in a command that is shown."""
EXAMPLE_PROBLEM = "this is an example"
"""The problem of a plan for a session of the demo."""
EXAMPLE_PROJECT = "no session can be started in an example project"
"""The problem of a plan to start a session in a folder of the demo."""


@dataclass(eq=False, slots=True)
class Plan:
    """A plan to resume a session, or to start a new one.

    argv          the command and its arguments
    cwd           the session's folder
    environment   the whole environment of the agent
    program       the path of the command; None if it is not on PATH
    problem       why it is impossible from here; `execute` refuses such a plan. None if it is possible
    folder        the folder that a shell changes to before it; "" to stay in the current one
    unset         the variables that a shell removes for it
    variables     the variables that a shell sets for it
    elsewhere     how the session goes on in another folder if its own cannot be used: `RESUME` or `FORK`; ""
                  if it does not, or not here
    asks          reasons to ask the user before: the agent refuses the file, or the session may be in use
    path          the file of the session; "" for a new one
    restores      the path of a kept session whose file is gone, and has to be restored first; "" for none
    restore       restores it; None if nothing has to be restored
    example       for a session of the demo: the text of the toy agent (`app.view.toy_agent`); else ""
    """

    argv: list[str]
    cwd: str
    environment: dict[str, str] = field(repr=False)
    program: str | None
    problem: str | None
    folder: str = ""
    unset: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    elsewhere: str = ""
    asks: tuple[str, ...] = ()
    path: str = ""
    restores: str = ""
    restore: Callable[[], object] | None = None
    example: str = ""

    @property
    def shell(self) -> str:
        """One line that does the same in the user's shell."""
        return self.line_for(shell_of(self.environment))

    def line_for(self, shell: str) -> str:
        """One line that does the same in a shell, one of `SHELLS`."""
        words = ["env"] if self.unset else []
        for name in self.unset:
            words += ["-u", name]
        words += [f"{name}={quoted(value, shell)}" for name, value in self.variables.items()]
        line = " ".join([*words, shell_line(self.argv, shell)])
        if self.restores:
            line = f"{shell_line(['leafmark', 'restore', self.restores], shell)} && {line}"
        return f"{shell_line(['cd', self.folder], shell)} && {line}" if self.folder else line


class ResumeError(Exception):
    """The hand-over did not happen; the text is for the user."""


def plan(
    row_agent: str,
    path: str,
    session_id: str,
    cwd: str,
    store: Store,
    env: Mapping[str, str],
    job: str = "",
) -> Plan:
    """Plan to resume the session in the file `path`. The environment leads the agent to `store`, see
    `agent_environment`.

    :param row_agent: the name of its agent.
    :param cwd: the folder in the session's header; "" if it has none.
    :param store: where the session was found.
    :param env: the present environment.
    :param job: the id under which a screen joins the session if it runs in the background; else "".
    :raises KeyError: that agent does not use this store.
    """
    agent_store = store.of(row_agent)
    agent = agent_store.agent
    copy = os.path.abspath(path)
    path = original_path(copy, store.kept) or copy
    command = agent.executable(path)
    arguments = agent.attach_arguments(job) if job else agent.resume_arguments(path, session_id, agent_store)
    own = () if job else agent_store.own_arguments
    argv = [command, *own, *arguments]
    folder_problem = _folder_problem(cwd, env)
    program = find_program(command, env)
    problem = _find_problem(agent, copy, cwd, agent_store, program, folder_problem)
    if problem is None and any("\0" in word for word in argv):
        problem = "the session's id has a NUL in it, which no command takes"
    # Imported here: the first key would wait for it, and it runs in a thread of the screen.
    from app.formats.header import header_of

    header = header_of(copy, (row_agent,))
    made = _make_plan(argv, cwd, agent_store, env, program, problem, folder_problem)
    made.path = path
    made.asks = (header.refusal,) if header and header.refusal else ()
    if copy != path:
        made.restores = path
        made.restore = lambda: _restore(copy, path, store, row_agent, cwd)
    if folder_problem is not None and program is not None:
        if not agent.why_not("fork", path):
            made.elsewhere = FORK
        elif agent.resumes_anywhere and agent.resume_problem(path, "", agent_store) is None:
            made.elsewhere = RESUME
    return made


def _restore(copy: str, path: str, store: Store, agent: str, cwd: str) -> None:
    """Bring back a kept session whose file is gone.

    :raises ResumeError: it cannot be restored.
    """
    # Imported here: few sessions are gone, and it loads what writes sessions.
    from app.actions.keep import restore_kept

    try:
        retention = retention_of_file(path, agent, cwd)
        restore_kept(copy, store, retention, time.time_ns() // 1_000_000)
    except SessionError as error:
        raise ResumeError(str(error)) from error


def plan_now(
    row_agent: str,
    path: str,
    session_id: str,
    cwd: str,
    store: Store,
    env: Mapping[str, str],
    processes: Processes,
    now_ms: int,
    grew_ms: int | None = None,
) -> tuple[Plan, Verdict | None]:
    """The plan to resume a session beside the agents that are running, and the verdict that the user is asked
    about, see `verdict_to_resume`. A session that its agent runs in the background is joined there.

    The parameters are those of `plan` and of `verdict_to_resume`.
    """
    job = processes.jobs.get(session_id, "")
    result = plan(row_agent, path, session_id, cwd, store, env, job)
    verdict = verdict_to_resume(row_agent, path, session_id, cwd, processes, now_ms, grew_ms)
    if verdict is not None:
        result.asks += (in_use_warning(row_agent, verdict),)
    return result, verdict


def _make_plan(
    argv: list[str],
    cwd: str,
    store: Store,
    env: Mapping[str, str],
    program: str | None,
    problem: str | None,
    folder_problem: str | None,
) -> Plan:
    usable = "" if folder_problem else cwd
    return Plan(
        argv,
        cwd,
        agent_environment(store, usable, env),
        program,
        problem,
        folder=usable,
        unset=tuple(name for name in store.agent.variables if name in env and name not in store.environment),
        variables=store.environment,
    )


def in_use_warning(agent: str, verdict: Verdict) -> str:
    """The warning before a session of `agent` is resumed that `verdict` calls live or maybe live."""
    is_sure = verdict.state == LIVE
    _, harm = agent_named(agent).dangers["resume"]
    return f"this session {'is' if is_sure else 'may be'} in use: {verdict.reason}; {harm}"


def continued_note(newer_id: str) -> str:
    """The reason to ask before a session is resumed with which the agent went on in another one."""
    return f"the agent went on with this session in {newer_id}"


def execute(plan: Plan) -> NoReturn:
    """Become the agent: change to the session's folder and exec. Does not return.

    The caller has restored the terminal.

    :raises ResumeError: the plan has a problem, or the system refuses.
    """
    if plan.problem or plan.program is None:
        raise ResumeError(plan.problem or f"{plan.argv[0]} is not installed")
    if plan.restore is not None:
        plan.restore()
    try:
        os.chdir(plan.cwd)
        with _default_signals():
            os.execve(plan.program, plan.argv, plan.environment)
    except OSError as error:
        missing = _missing_interpreter(plan.program) if isinstance(error, FileNotFoundError) else ""
        if missing and os.path.isdir(plan.cwd):
            raise ResumeError(f"{plan.program}: its interpreter, {missing}, is not there") from error
        raise ResumeError(f"{error.filename or plan.program}: {error.strerror}") from error


def plan_to_return(plan: Plan, back: Sequence[str], env: Mapping[str, str]) -> Plan:
    """The plan to run the agent of another plan and to become leafmark when it ends, see `app.come_back`. The
    plan itself if it is impossible.

    :param back: the command of leafmark, to which the path of the session is added.
    :param env: the environment of leafmark.
    """
    # Imported here: few users come back.
    import json

    from app import come_back

    here = current_folder()
    if plan.problem or plan.program is None or here is None:
        return plan
    how = {
        "program": plan.program,
        "cwd": plan.cwd,
        "unset": [name for name in env if name not in plan.environment],
        "variables": {name: value for name, value in plan.environment.items() if env.get(name) != value},
        "path": plan.path,
        "back": [*back],
        "ended": ENDED_VARIABLE,
    }
    # Isolated: the folder of the script has modules of leafmark, and may be none of the agent's.
    argv = [sys.executable, "-I", "-S", come_back.__file__, json.dumps(how), *plan.argv]
    return Plan(argv, here, dict(env), sys.executable, None, restores=plan.restores, restore=plan.restore)


@contextlib.contextmanager
def _default_signals() -> Iterator[None]:
    """Give the signals that Python ignores their default actions. A program inherits ignored signals, and an
    agent and its commands would go on writing into a closed pipe. Undone if this process goes on.
    """
    is_main = threading.current_thread() is threading.main_thread()
    # Python lets only the main thread set handlers.
    numbers = (signal.SIGPIPE, signal.SIGXFSZ) if is_main else ()
    ignored = [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
    try:
        for number in ignored:
            signal.signal(number, signal.SIG_DFL)
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


def _missing_interpreter(program: str) -> str:
    """The interpreter in the first line of a script if it does not exist; else ""."""
    try:
        with open(program, "rb") as file:
            line = file.readline(_LONGEST_LINE)
    except OSError:
        return ""
    words = line[2:].split(maxsplit=1) if line.startswith(b"#!") else []
    interpreter = os.fsdecode(words[0]) if words else ""
    return interpreter if interpreter and not os.path.exists(interpreter) else ""


def _folder_problem(cwd: str, env: Mapping[str, str]) -> str | None:
    """Why the session's folder cannot be the working folder; None if it can."""
    if not cwd:
        return "the session names no folder"
    shown = _short_path(cwd, env)
    if not os.path.isabs(cwd):
        return f"the session's folder, {shown}, is not one of this system"
    return unusable_folder(cwd, env)


def unusable_folder(folder: str, env: Mapping[str, str]) -> str | None:
    """Why a program cannot be started in an absolute `folder`; None if it can."""
    shown = _short_path(folder, env)
    if not os.path.exists(folder):
        return f"the folder {shown} is gone"
    if not os.path.isdir(folder):
        return f"{shown} is no longer a folder"
    if not os.access(folder, os.X_OK):
        return f"the folder {shown} cannot be entered"
    return None


def _find_problem(
    agent: Agent, path: str, cwd: str, store: Store, program: str | None, folder_problem: str | None
) -> str | None:
    """The problem, worded so that the command line can follow it; None for none."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return "the session's file is gone"
    except OSError as error:
        return f"the session's file cannot be read: {error.strerror}"
    if program is None:
        return not_installed(agent.executable(path), agent, folder_problem)
    impossible = agent.resume_problem(path, "" if folder_problem else cwd, store)
    if impossible or folder_problem is None:
        return impossible
    return f"{folder_problem}; run this command in the folder where you want to work"


def not_installed(command: str, agent: Agent, folder_problem: str | None) -> str:
    """The problem that the program is missing, and the folder's problem as well: both need a remedy."""
    missing = f"{command} is not installed: {agent.install_hint}"
    return f"{folder_problem}, and {missing}" if folder_problem else missing


def agent_environment(store: Store, cwd: str, env: Mapping[str, str]) -> dict[str, str]:
    """The environment for an agent that uses `store`: `env` without the variables that lead to another store,
    and with those that lead to this one.

    :param cwd: the folder to work in; "" for the current one.
    """
    environment = {name: value for name, value in env.items() if name not in store.agent.variables}
    environment.update(store.environment)
    if cwd:
        # Shells and programs look at PWD before they ask the system.
        environment["PWD"] = cwd
    return environment


def find_program(command: str, env: Mapping[str, str]) -> str | None:
    """The absolute path of an executable; None if it is not on PATH. A relative entry of PATH is below the
    present folder.
    """
    program = shutil.which(command, path=env.get("PATH", os.defpath))
    return os.path.abspath(program) if program else None


def _short_path(path: str, env: Mapping[str, str]) -> str:
    """A path as it is shown, with the home folder as `~`."""
    short = home_prefix_length(path, env.get("HOME", ""))
    return "~" + path[short:] if short else path


def plan_new(agent: str, cwd: str, store: Store, env: Mapping[str, str]) -> Plan:
    """Plan to start a new session of the agent of that name, which will store it in `store`.

    :param cwd: the folder to work in, absolute.
    :param env: the present environment; see `agent_environment`.
    :raises KeyError: that agent does not use this store.
    """
    agent_store = store.of(agent)
    command, *arguments = agent_store.agent.new_command(agent_store)
    argv = [command, *agent_store.own_arguments, *arguments]
    folder_problem = unusable_folder(cwd, env) if os.path.isabs(cwd) else "there is no folder to begin it in"
    program = find_program(argv[0], env)
    problem = folder_problem if program else not_installed(argv[0], agent_store.agent, folder_problem)
    return _make_plan(argv, cwd, agent_store, env, program, problem, folder_problem)
