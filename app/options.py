"""The options of the command line."""

from __future__ import annotations


class Options:
    """The options of one run.

    command   the report to print, or the change to make; None: the browser
    store     (agent, folder) of every `--store`, in order
    demo      whether to use the example sessions instead of the user's own
    theme     of the screen; None: the last chosen theme
    json      whether to print JSON
    query             of the browser, `list`, `search`, `stats` and `resume`
    limit             of `list` and `search`
    by                of `stats`; None: by day
    format            of `list`, `search`, `labels` and `trash`; None: a table, or values and tabs
    all_text, every, order      of `search`
    rebuild, verify, where      of `index`
    ascii             of `tree`
    session           the named session; "" for all
    entry             the named entry; None: the leaf
    agent, branch, all_branches, output, force, open, thinking, tools, images, redact, review   of `export`
    text, clear       of `label`
    name              of `rename`
    changes, note     of `tag`; the note is None if it stays
    summary, new_file of `branch`
    keep              of `branch` and `fork`
    to                the folder of `fork`, the format of `export`
    last              of `fork`
    newest            of `resume`
    sessions          the named sessions, of `trash`, `restore` and `export`
    list              of `trash`
    join, aside       of `restore`
    print             of `resume`
    path, init, check, edit         of `config`
    for_agent, all_folders          of `search`, `tree` and `context`
    report            of `doctor`: the file, "" for the default name; None: no report
    shell             of `completion` and `init`
    topic             of `help`; "" for the list of the pages
    anyway            of `trash` and `resume`
    """

    def __init__(self) -> None:
        self.command: str | None = None
        self.store: list[tuple[str, str]] = []
        self.demo = False
        self.theme: str | None = None
        self.json = False
        self.query: list[str] = []
        self.by: str | None = None
        self.limit: int | None = None
        self.format: str | None = None
        self.all_text = False
        self.every = False
        self.order = "recent"
        self.rebuild = False
        self.verify = False
        self.where = False
        self.ascii = False
        self.session = ""
        self.entry: str | None = None
        self.text: str | None = None
        self.clear = False
        self.name = ""
        self.changes: list[str] = []
        self.note: str | None = None
        self.summary: str | None = None
        self.new_file = False
        self.keep = False
        self.to: str | None = None
        self.last: int | None = None
        self.newest = False
        self.sessions: list[str] = []
        self.anyway = False
        self.list = False
        self.join = False
        self.aside = False
        self.print = False
        self.shell = ""
        self.report: str | None = None
        self.for_agent = False
        self.all_folders = False
        self.path = False
        self.init = False
        self.check = False
        self.edit = False
        self.topic = ""
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # the fields may change

    def __repr__(self) -> str:
        return f"Options({vars(self)})"
