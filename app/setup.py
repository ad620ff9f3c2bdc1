"""The setup of one run: its stores, folders and clock, taken once from the process.

On the path of the first frame; everything below gets these by parameter and asks the process for nothing.
"""

from __future__ import annotations

import _thread
import os
import sys
import time
from typing import TYPE_CHECKING

from app import paths
from app.stores import discover, named, project_stores

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.stores.base import Store


PATIENCE_SECONDS = 0.2
"""All remembered projects together are waited for so long: one may be on a network share that is gone."""


class Setup:
    """The setup of a run.

    :param here: this folder, as the shell and as the system spell it.
    :param agent_env: the environment by which agents find their sessions and what else they keep; that of
        the process where None.
    :param demo: the folder of the example sessions, empty when the user's own are shown.
    :param clock: nanoseconds since the epoch.
    :param encoding: in which the screen is written to the terminal.
    """

    __slots__ = ("_clock", "agent_env", "cache_folder", "demo", "encoding", "env", "here", "home", "stores")

    @property
    def state_folder(self) -> str:
        """leafmark's state folder; that of the example sessions is deleted with them."""
        return os.path.join(self.demo, "state") if self.demo else paths.state_folder(self.env)

    def __init__(
        self,
        *,
        env: Mapping[str, str],
        home: str,
        here: tuple[str, ...],
        stores: Sequence[Store],
        cache_folder: str,
        demo: str = "",
        clock: Callable[[], int] = time.time_ns,
        agent_env: Mapping[str, str] | None = None,
        encoding: str = "utf-8",
    ) -> None:
        self.env = env
        self.encoding = encoding
        self.agent_env = env if agent_env is None else agent_env
        self.home = home
        self.here = here
        self.stores = list(stores)
        self.cache_folder = cache_folder
        self.demo = demo
        self._clock = clock

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return self._clock() // 1_000_000


def setup_from_process(extra: Sequence[tuple[str, str]] = ()) -> Setup:
    """The user's own sessions.

    :param extra: (agent, folder) pairs from ``--store``.
    :raises paths.CurrentFolderGone: the current folder is gone, and one of the folders is relative.
    """
    env = dict(os.environ)
    home = paths.home_folder(env)
    here = _working_folders(env)
    for _, folder in extra:
        if not folder.startswith("~"):
            paths.absolute(folder)
    projects, notes = _project_stores(env, home, here[0])
    stores = discover(env, home, here[0], extra, projects)
    stores[0].notes += notes
    return Setup(
        env=env,
        home=home,
        here=here,
        stores=stores,
        cache_folder=paths.cache_folder(env),
        encoding=_encoding(),
    )


def _project_stores(env: Mapping[str, str], home: str, cwd: str) -> tuple[list[Store], tuple[str, ...]]:
    """The stores of the other projects that leafmark has been in and whose own settings name one, and notes
    on settings that cannot be read. The project `cwd` is remembered from now on if its settings name a store.
    A project is forgotten when they name none any more.
    """
    try:
        remembered = paths.read_projects(env)
    except OSError:  # the path of the state folder is relative, and leads nowhere
        return [], ()
    others = [folder for folder in remembered if folder != cwd]
    answers = _read_projects_in_time(env, home, others)
    own_stores, own_notes = project_stores(env, home, cwd)
    stores: list[Store] = []
    notes: list[str] = []
    keep = []
    if own_stores or (own_notes and cwd in remembered):
        keep.append(cwd)
    for folder in others:
        found, wrong = answers.get(folder, ([], (f"{folder}: its settings could not be read in time",)))
        stores += found
        notes += wrong
        if found or wrong:
            keep.append(folder)
    if sorted(keep) != sorted(remembered):
        try:
            paths.write_projects(env, keep)
        except OSError:
            pass  # it is seen again, the next time leafmark is there
    return stores, tuple(notes)


def _read_projects_in_time(
    env: Mapping[str, str], home: str, folders: Sequence[str]
) -> dict[str, tuple[list[Store], tuple[str, ...]]]:
    """`project_stores` of each of the folders that answer in time, as do the stores. A file system that does
    not answer holds only the thread that asks it.
    """
    answers: dict[str, tuple[list[Store], tuple[str, ...]]] = {}
    left = list(folders)
    all_done = _thread.allocate_lock()
    all_done.acquire()

    def ask(folder: str) -> None:
        try:
            stores, notes = project_stores(env, home, folder)
            for store in stores:
                store.problem()
            answers[folder] = stores, notes
        finally:
            left.remove(folder)
            if not left:
                try:
                    all_done.release()
                except RuntimeError:
                    pass  # two threads saw that they are the last

    for folder in folders:
        try:
            _thread.start_new_thread(ask, (folder,))
        except RuntimeError:  # too little memory for a thread
            left.remove(folder)
    if left:
        all_done.acquire(timeout=PATIENCE_SECONDS)
    return dict(answers)


def setup_from_demo(folder: str, clock: Callable[[], int] = time.time_ns) -> Setup:
    """The example sessions, written below ``folder``; nothing of the user's is looked at.

    :raises OSError: the folder cannot be written.
    """
    from app.demo import write_demo

    env = dict(os.environ)
    made = write_demo(folder, clock() // 1_000_000)
    here = os.path.join(folder, "work", "shop")
    stores = named(made, env, folder, here)
    for store in stores:
        # The user's own, where a variable leads to it: an example that is pinned must not stand in there.
        store.pins = ""
    return Setup(
        env=env,
        home=folder,
        here=(here,),
        stores=stores,
        cache_folder=os.path.join(folder, "cache"),
        demo=folder,
        clock=clock,
        agent_env={"HOME": os.path.join(folder, "home")},
        encoding=_encoding(),
    )


def _encoding() -> str:
    """That of standard error, on which the screen is drawn."""
    return getattr(sys.__stderr__, "encoding", None) or "utf-8"


def _working_folders(env: Mapping[str, str]) -> tuple[str, ...]:
    """The working folder; the shell's spelling of it counts when it is the same folder."""
    cwd = paths.current_folder()
    if cwd is None:
        return (os.sep,)
    spelled = env.get("PWD", "")
    if spelled and spelled != cwd and os.path.isabs(spelled) and os.path.realpath(spelled) == cwd:
        return (cwd, spelled)
    return (cwd,)
