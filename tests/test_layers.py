"""The import rules at run time: the modules that a fresh interpreter loads.

The contracts in pyproject.toml read the source instead. The packages from formats to view load neither
textual nor rich, and the modules that draw the first rows load no heavy library.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.cases import cases
from tests.factory import chain, write_session

ROOT = Path(__file__).resolve().parent.parent

WITHOUT_A_SCREEN = [
    "formats",
    "stores",
    "sessions",
    "index",
    "actions",
    "demo",
    "view",
    "settings",
    "setup",
    "startup/first_frame",
    "changes",
    "reports",
    "command_table",
    "commands",
    "keys",
    "paths",
    "small_files",
    "api",
]

NOT_BEFORE_THE_FIRST_ROWS = {
    "argparse",
    "asyncio",
    "logging",
    "msgspec",
    "orjson",
    "platformdirs",
    "rich",
    "textual",
    "watchfiles",
}
"""Packages that the modules of the first rows must not import: each import takes longer than the rows."""

FAST_PATH = [
    "app.launcher",
    "app.options",
    "app.cli",
    "app.signals",
    "app.startup.first_frame",
    "app.reports",
    "app.full_screen",
    "app.setup",
    "app.paths",
    "app.stores",
    "app.stores.json_state",
    "app.stores.pins",
    "app.sessions.summary",
    "app.index.catalog.catalog",
    "app.index.row",
    "app.index.catalog.queries",
    "app.index.scan.walk",
    "app.view.cells",
    "app.formats.text",
]


def modules_of(name: str) -> list[str]:
    """Return the dotted names of a package and its modules, or of the one module; empty if there is none."""
    folder = ROOT / "app" / name
    if folder.is_dir():
        files = sorted(folder.rglob("*.py"))
    else:
        files = [path for path in [folder.with_suffix(".py")] if path.is_file()]
    dotted = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files]
    return [module.removesuffix(".__init__") for module in dotted if not module.endswith("__main__")]


def run_python(flags: list[str], program: str, *arguments: str) -> object:
    """Run `program` in a new interpreter that finds `app` in this checkout; return what it prints as JSON."""
    done = subprocess.run(
        [sys.executable, *flags, "-c", program, str(ROOT), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


LOADS = """
import sys
sys.path.insert(0, sys.argv[1])
forbidden = set(sys.argv[2].split())
guilty = []
for name in sys.argv[3:]:
    __import__(name)
    seen = sorted(forbidden & set(sys.modules))
    if seen:
        guilty.append(f"{name} loads {' and '.join(seen)}")
        break
import json
print(json.dumps(guilty))
"""
"""Import modules one after the other in one interpreter, and name the first that loads a forbidden one."""


def test_no_module_below_the_screen_loads_textual_or_rich() -> None:
    modules = []
    for name in WITHOUT_A_SCREEN:
        found = modules_of(name)
        assert found, f"app/{name} is not there: take it off the list, here and in pyproject.toml"
        modules += found
    assert run_python(["-I"], LOADS, "textual rich", *modules) == []


def test_a_module_that_loads_textual_is_detected() -> None:
    guilty = run_python(["-I"], LOADS, "textual rich", "json", "textual", "re")
    assert guilty == ["textual loads rich and textual"]


@cases(
    "package",
    [
        "actions",
        "export",
        "formats",
        "index",
        "index.query",
        "index.scan",
        "index.search",
        "sessions",
        "sessions.summaries",
        "sessions.tree",
        "stores",
        "view",
    ],
)
def test_every_public_name_of_a_package_loads(package: str) -> None:
    module = import_module(f"app.{package}")
    assert all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'misspelled'"):
        module.misspelled  # noqa: B018 - the attribute is read


# -S: no site-packages: an import of anything installed fails by itself, and no .pth file loads modules first.
LOADED = """
import sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    try:
        __import__(name)
    except ModuleNotFoundError as missing:
        if name.startswith("app") or missing.name != name:
            raise
loaded = sorted(sys.modules)
import json
print(json.dumps(loaded))
"""


def loaded_by(*modules: str) -> set[str]:
    names = run_python(["-I", "-S"], LOADED, *modules)
    assert isinstance(names, list)
    return set(names)


def test_modules_of_the_first_rows_load_no_heavy_library() -> None:
    heavy = " ".join(NOT_BEFORE_THE_FIRST_ROWS)
    assert run_python(["-I", "-S"], LOADS, heavy, *FAST_PATH, *modules_of("stores")) == []


NOT_BEFORE_THE_FIRST_KEY = {
    "msgspec",
    "app.actions.restore",
    "app.export.exporter",
    "app.formats.header",
    "app.formats.partial_entry",
    "app.index.query.query",
    "app.index.search.matchers",
    "app.index.statistics",
    "app.sessions.tree.tree",
    "app.view.markdown",
    "app.view.transcript",
}
"""Modules that read sessions, or that few runs need: the screen is there, and keys work, before they load."""


@cases("beside", ["tree_side", "preview_side"])
def test_the_screen_loads_neither_dialogs_nor_the_modules_that_read_sessions(beside: str) -> None:
    loaded = set(run_python(["-I"], LOADED, "app.full_screen", "app.browser", f"app.screens.{beside}"))
    dialogs = {name for name in loaded if name.startswith("app.dialogs.")}
    assert dialogs == {"app.dialogs.row_dialogs"}
    assert not loaded & NOT_BEFORE_THE_FIRST_KEY


LISTS = """
import sys
sys.path.insert(0, sys.argv[1])
from app.stores import live
live.look = lambda stores: live.Processes()  # whatever runs on this machine
from app.cli import main
code = main(["list", "--limit", "5"])
names = sorted(sys.modules)
import json
print()
print(json.dumps([code, names]))
"""


def test_an_unchanged_list_loads_no_reader_of_files(tmp_path: Path) -> None:
    write_session(tmp_path / ".pi/agent/sessions/--work--/a.jsonl", *chain("hello"))
    env = {"HOME": str(tmp_path), "LEAFMARK_CACHE_DIR": str(tmp_path / "cache"), "PATH": os.defpath}

    def modules() -> set[str]:
        command = [sys.executable, "-c", LISTS, str(ROOT)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
        assert "hello" in done.stdout, done.stderr
        code, names = json.loads(done.stdout.splitlines()[-1])
        assert code == 0
        return set(names)

    reading = {"app.sessions.summaries.summarise", "app.formats.header"}
    assert reading <= modules()
    # argparse parses the words, and the text store loads msgspec.
    assert not modules() & ({*reading, *NOT_BEFORE_THE_FIRST_ROWS} - {"argparse", "msgspec"})


COMPLETES = """
import sys
sys.path.insert(0, sys.argv[1])
from app.cli import main
code = main(["__complete", "--", *sys.argv[2:]])
names = sorted(sys.modules)
import json
print(json.dumps([code, names]))
"""


@cases("words", [["tree", "aa"], ["list", "label:a"], ["exp"]])
def test_a_completion_loads_no_heavy_library(words: list[str], tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "LEAFMARK_CACHE_DIR": str(tmp_path / "cache"), "PATH": os.defpath}
    command = [sys.executable, "-c", COMPLETES, str(ROOT), *words]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    code, loaded = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    assert not set(loaded) & NOT_BEFORE_THE_FIRST_ROWS
    assert not {"app.reports", "app.index.index", "app.index.scan.scan"} & set(loaded)


RESUMES = """
import sys
sys.path.insert(0, sys.argv[1])
from app import full_screen
from app.startup import first_frame
full_screen.missing = lambda: ""
def show(*arguments, **named):
    raise SystemExit
first_frame.show = show
from app.cli import main
try:
    main(["resume", *sys.argv[2:]])
except SystemExit:
    names = sorted(sys.modules)
    import json
    print(json.dumps(names))
"""


@cases(
    "words",
    [
        *([], ["login"], ["fix", "the", "login"], ["refactoring"]),
        *(["has:label"], ["re:src/.*[.]py"], ['"a phrase"'], ["a/b"]),
    ],
)
def test_a_query_waits_for_nothing_before_the_first_frame(words: list[str], tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "LEAFMARK_CACHE_DIR": str(tmp_path / "cache"), "PATH": os.defpath}
    command = [sys.executable, "-c", RESUMES, str(ROOT), *words]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    loaded = set(json.loads(done.stdout))
    assert "app.index.catalog.catalog" in loaded
    assert not loaded & {"app.index.resolve", "app.index.scan.scan"}
    assert not loaded & (NOT_BEFORE_THE_FIRST_ROWS - ({"argparse"} if words else set()))
    assert "app.resume_command" not in loaded
    assert words or "app.cli_options" not in loaded


def test_the_command_line_loads_nothing_of_the_screen() -> None:
    screen = {"browser", "messages", "screens", "services", "theme", "widgets"}
    loaded = loaded_by("app.cli", "app.startup.first_frame")
    assert not {name for name in loaded if name.startswith("app.") and name.split(".")[1] in screen}


def test_the_screen_loads_nothing_that_only_few_runs_need() -> None:
    rare = {
        "PIL",
        "textual.widgets._text_area",
        "app.actions.compare",
        # Everything that writes sessions.
        "app.sessions.manager.session_manager",
        "send2trash",
        "tomllib",
    }
    assert not _loaded("app.browser, app.screens.preview_side, app.screens.tree_side", rare)


def test_the_selector_loads_nothing_of_the_tree() -> None:
    assert not _loaded(
        "app.browser, app.screens.preview_side",
        {"app.screens.tree_side", "app.widgets.entry_tree"},
    )


def _loaded(modules: str, names: set[str]) -> str:
    """Return those of the names that importing the modules loads; "" for none."""
    code = f"import sys, {modules}\nprint(*sorted({names!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
