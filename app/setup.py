"""The setup of one run: its stores, folders and clock, read once from the process.

All code below the screen gets these as parameters. The first frame loads this module.
"""

from __future__ import annotations

import _thread
import os
import sys
import time
from functools import cached_property
from typing import TYPE_CHECKING

from app import paths
from app.stores import configured_stores, discover, named, project_stores
from app.stores.kept import kept_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.formats.prices import Prices
    from app.index.index import Index
    from app.settings import Settings
    from app.stores.base import Store


PATIENCE_SECONDS = 0.2
"""Seconds to wait for all remembered projects together: one may be on a network share that is gone."""


class Setup:
    """The setup of a run.

    :param here: the current folder, as the system and as the shell spell it.
    :param demo: the folder of the example sessions; "" for the user's own sessions.
    :param clock: gives nanoseconds since the epoch.
    :param agent_env: the environment by which agents find their files; None for `env`.
    :param encoding: the encoding of the screen's output.

    renewals   lines about an index that was made anew, which the screen has yet to show
    """

    @cached_property
    def prices(self) -> Prices:
        """The prices of tokens without a cost: those in the user's settings, and those of the table."""
        # Imported here: the first frame shows no cost.
        from app.formats.prices import LatePrices

        return LatePrices(self._read_prices)

    def _read_prices(self) -> Prices:
        # Imported here: see `prices`.
        from app.formats.prices import LIST_PRICES

        if not _has_settings(self.env):
            return LIST_PRICES
        # Imported here: most users have no settings file.
        from app.settings import read_settings

        return read_settings(self.env).prices

    @property
    def state_folder(self) -> str:
        """leafmark's state folder. The example sessions have their own, which is deleted with them."""
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
        self.renewals: list[str] = []
        try:
            kept = kept_folder(self.state_folder)
        except paths.CurrentFolderGone:
            kept = ""  # its path is relative and cannot be resolved
        for store in self.stores:
            store.kept = kept

    def kept_files(self) -> list[str]:
        """The files and folders of agents and of leafmark, which no export replaces. They are the user's own
        beside the example sessions as well.
        """
        home = paths.home_folder(self.env)
        own = discover(self.env, home, self.here[0])
        kept = [path for store in (*self.stores, *own) for path in store.kept_files()]
        config = paths.config_folder(self.env)
        kept += [paths.cache_folder(self.env), paths.state_folder(self.env), config]
        return [*kept, os.path.join(config, paths.CONFIG)]

    def open_index(self, on_renewed: Callable[[str], object] = lambda _: None) -> Index:
        """Open the index of the stores, as it was left.

        :param on_renewed: see `Index`.
        """
        # Imported here: the first frame does not wait for it.
        from app.index.index import Index

        return Index(
            self.stores,
            self.cache_folder,
            self.now_ms,
            home=self.home,
            state_folder=self.state_folder,
            prices=self.prices,
            on_renewed=on_renewed,
        )

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return self._clock() // 1_000_000


def setup_from_process(extra: Sequence[tuple[str, str]] = ()) -> Setup:
    """The setup with the user's own sessions.

    :param extra: (agent, folder) pairs from ``--store``.
    :raises paths.CurrentFolderGone: the current folder is gone, and one of the folders is relative.
    :raises paths.FolderRefused: the cache or state folder cannot be used.
    """
    env = dict(os.environ)
    for folder_of in (paths.cache_folder, paths.state_folder):
        try:
            folder = folder_of(env)
        except paths.CurrentFolderGone:
            continue  # what uses the folder names it
        paths.check_own_folder(folder)
    home = paths.home_folder(env)
    here = _working_folders(env)
    for _, folder in extra:
        if not folder.startswith("~"):
            paths.absolute(folder)
    projects, notes = _project_stores(env, home, here[0])
    settings = _settings(env)
    listed = settings.stores.items() if settings is not None else ()
    named = [(agent, folder) for agent, folders in listed for folder in folders]
    configured = configured_stores(named, env, home, here[0])
    stores = discover(env, home, here[0], extra, [*projects, *configured])
    stores[0].notes += notes
    if settings is not None:
        _set_arguments(stores, settings.arguments)
    return Setup(
        env=env,
        home=home,
        here=here,
        stores=stores,
        cache_folder=paths.cache_folder(env),
        encoding=_encoding(),
    )


def _settings(env: Mapping[str, str]) -> Settings | None:
    """The user's settings; None if there is no file."""
    if not _has_settings(env):
        return None
    # Imported here: most users have no settings file, and the first frame waits for this.
    from app.settings import read_settings

    return read_settings(env)


def _set_arguments(stores: Sequence[Store], arguments: Mapping[str, tuple[str, ...]]) -> None:
    """Tell the stores the arguments of the user for their agents."""
    for store in stores:
        for each in (store, *store.twins):
            each.own_arguments = arguments.get(each.agent.name, ())


def _has_settings(env: Mapping[str, str]) -> bool:
    return os.path.lexists(os.path.join(paths.config_folder(env), paths.CONFIG))


def _project_stores(env: Mapping[str, str], home: str, cwd: str) -> tuple[list[Store], tuple[str, ...]]:
    """The stores that the settings of the remembered projects name, and notes about settings that cannot be
    read.

    The project in `cwd` is remembered if its settings name a store. A project is forgotten when its settings
    do not name one any more.
    """
    try:
        remembered = paths.read_projects(env)
    except OSError:  # the path of the state folder is relative and cannot be resolved
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
        late = f"{folder}: its settings could not be read in time"
        folder_stores, folder_notes = answers.get(folder, ([], (late,)))
        stores += folder_stores
        notes += folder_notes
        if folder_stores or folder_notes:
            keep.append(folder)
    if sorted(keep) != sorted(remembered):
        try:
            paths.write_projects(env, keep)
        except OSError:
            pass  # the project is remembered the next time leafmark runs there
    return stores, tuple(notes)


def _read_projects_in_time(
    env: Mapping[str, str], home: str, folders: Sequence[str]
) -> dict[str, tuple[list[Store], tuple[str, ...]]]:
    """The result of `project_stores` for each folder that answers in time, and whose stores do. A file system
    that does not answer blocks one thread only.
    """
    answers: dict[str, tuple[list[Store], tuple[str, ...]]] = {}
    pending = list(folders)
    all_done = _thread.allocate_lock()
    all_done.acquire()

    def read(folder: str) -> None:
        try:
            stores, notes = project_stores(env, home, folder)
            for store in stores:
                store.problem()
            answers[folder] = stores, notes
        finally:
            pending.remove(folder)
            if not pending:
                try:
                    all_done.release()
                except RuntimeError:
                    pass  # another thread has released it

    for folder in folders:
        try:
            _thread.start_new_thread(read, (folder,))
        except RuntimeError:  # too little memory for a thread
            pending.remove(folder)
    if pending:
        all_done.acquire(timeout=PATIENCE_SECONDS)
    return dict(answers)


def setup_from_demo(folder: str, clock: Callable[[], int] = time.time_ns) -> Setup:
    """The setup with example sessions, which are written into ``folder``. No files of the user are read.

    :raises OSError: the folder cannot be written.
    """
    # Imported here: only `--demo` needs it.
    from app.demo import write_demo

    env = dict(os.environ)
    folders = write_demo(folder, clock() // 1_000_000)
    here = os.path.join(folder, "work", "shop")
    stores = named(folders, env, folder, here)
    for store in stores:
        # A variable may lead to the user's own pins file, which must not get the pins of examples.
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
    """The encoding of standard error, on which the screen is drawn."""
    return getattr(sys.__stderr__, "encoding", None) or "utf-8"


def _working_folders(env: Mapping[str, str]) -> tuple[str, ...]:
    """The current folder as the system spells it, and as PWD does if that is the same folder."""
    cwd = paths.current_folder()
    if cwd is None:
        return (os.sep,)
    spelled = env.get("PWD", "")
    if spelled and spelled != cwd and os.path.isabs(spelled) and os.path.realpath(spelled) == cwd:
        return (cwd, spelled)
    return (cwd,)
