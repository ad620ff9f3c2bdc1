"""The options of the command line, and its exit codes."""

from __future__ import annotations

DONE, NOT_FOUND, WRONG_USE, FAILED = 0, 1, 2, 3
"""The exit codes of every command: done; nothing found; wrong use; refused or failed."""


class WrongUse(ValueError):
    """The words and options do not fit together; the text says why. The exit code is `WRONG_USE`."""


def only_one(options: Options, *names: str) -> str:
    """The one of these flags that is given; "" for none.

    :raises WrongUse: several are given.
    """
    given = [name for name in names if getattr(options, name)]
    if len(given) > 1:
        raise WrongUse(f"--{given[0]} has no place beside --{given[1]}")
    return given[0] if given else ""


class Options:
    """The options of one run. None stands for an option that was not given, where its default differs by
    command.
    """

    def __init__(self) -> None:
        self.command: str | None = None  # None: the browser
        self.store: list[tuple[str, str]] = []  # (agent, folder) of every `--store`, in order
        self.demo = False
        self.theme: str | None = None  # None: the last chosen theme
        # Options of several commands
        self.json = False
        self.query: list[str] = []  # of the browser, `list`, `search`, `stats`, `keep` and `resume`
        self.session = ""  # the named session; "" for all
        self.sessions: list[str] = []  # of `trash`, `restore` and `export`
        self.entry: str | None = None  # the named entry; None: the leaf
        self.limit: int | None = None  # of `list`, `search` and `handoff`
        self.sort: str | None = None  # of `list`, `search` and `stats`; None: their own order
        self.format: str | None = None  # None: a table, or values and tabs
        self.for_agent = False  # this and the next one: of `search`, `tree` and `context`
        self.all_folders = False
        self.to: str | None = None  # the folder of `fork`, the format of `export`, the agent of `handoff`
        self.keep = False  # of `branch` and `fork`
        # handoff
        self.path_only = False
        self.dir: str | None = None
        self.dry_run = False
        self.anyway = False  # of `trash`, `keep` and `resume`
        self.shell = ""  # of `completion`, `init` and `resume`
        # search
        self.all_text = False
        self.every = False
        # stats
        self.by: str | None = None  # of `disk` too; None: by day, or all together
        # tree
        self.ascii = False
        # show
        self.plain = False
        # doctor
        self.report: str | None = None  # the file, "" for the default name; None: no report
        # index
        self.rebuild = False
        self.verify = False  # of `keep` too
        self.where = False
        # export
        self.agent: str | None = None
        self.branch: str | None = None
        self.all_branches = False
        self.output: str | None = None
        self.force = False
        self.open = False
        self.thinking: bool | None = None
        self.tools: str | None = None
        self.images = False
        self.redact: bool | None = None
        self.review = False
        # help
        self.topic = ""  # "" for the list of the pages
        # config
        self.path = False
        self.init = False
        self.check = False
        self.edit = False
        # label
        self.text: str | None = None
        self.clear = False
        # rename
        self.name = ""
        # tag
        self.changes: list[str] = []
        self.note: str | None = None  # None: it stays
        # branch
        self.summary: str | None = None
        self.new_file = False
        # fork and show
        self.last: int | None = None
        # trash and keep
        self.list = False
        # keep
        self.drop = False
        self.replace = False
        # restore
        self.join = False
        self.aside = False
        # resume
        self.newest = False
        self.print = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # the fields may change

    def __repr__(self) -> str:
        return f"Options({vars(self)})"
