"""Another program opens a private copy of a text, which is removed when the program ends."""

from __future__ import annotations

import json
import re
import signal
import stat
import sys
import tempfile

import pytest

from app.services.external_editor import EditorResult, NoProgram, command_of, open_copy
from tests.cases import cases

LOOKER = """#!{python}
import json, os, sys, stat
path = sys.argv[-1]
with open({out!r}, "w") as file:
    json.dump({{
        "arguments": sys.argv[1:-1],
        "path": path,
        "mode": stat.S_IMODE(os.stat(path).st_mode),
        "folder": stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode),
        "bytes": open(path, "rb").read().decode("latin-1"),
        "environment": dict(os.environ),
    }}, file)
{more}
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A function that installs a program and returns the environment that finds it. The program records its
    arguments, its environment and the copy.
    """
    (tmp_path / "bin").mkdir()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))

    def make(name: str, more: str = "") -> dict[str, str]:
        path = tmp_path / "bin" / name
        path.write_text(LOOKER.format(python=sys.executable, out=str(tmp_path / "seen.json"), more=more))
        path.chmod(0o755)
        return {"PATH": str(tmp_path / "bin"), "SOME": "thing"}

    return make


def record_of(tmp_path):
    return json.loads((tmp_path / "seen.json").read_text())


@pytest.mark.parametrize(
    ("kind", "variables", "command"),
    [
        ("pager", {"PAGER": "looker -R 'a b'"}, ["looker", "-R", "a b"]),
        ("pager", {"PAGER": " "}, ["less"]),
        ("pager", {"EDITOR": "looker"}, ["less"]),
        ("editor", {"EDITOR": "looker", "VISUAL": "less"}, ["less"]),
        ("editor", {"EDITOR": "looker"}, ["looker"]),
        ("editor", {}, ["vi"]),
    ],
)
def test_the_environment_names_the_program_else_a_default_is_used(program, kind, variables, command):
    for name in ("looker", "less", "vi"):
        env = program(name)
    assert command_of(kind, env | variables) == command


@cases(
    ("kind", "variables", "says"),
    [
        ("pager", {"PAGER": "gone -R"}, "$PAGER names a program that is not there: gone"),
        (
            "editor",
            {"VISUAL": "/no/such/editor"},
            "$VISUAL names a program that is not there: /no/such/editor",
        ),
        ("editor", {"EDITOR": "vim 'x"}, "$EDITOR cannot be read"),
        ("editor", {}, "No editor is there: set $EDITOR or $VISUAL"),
        ("pager", {}, "No pager is there: set $PAGER"),
    ],
)
def test_a_missing_program_is_named(program, kind, variables, says):
    with pytest.raises(NoProgram, match=re.escape(says)):
        command_of(kind, program("looker") | variables)


def test_the_copy_is_private_and_removed_afterwards(program, tmp_path):
    env = program("looker")
    assert open_copy("a\x1b[2J\tb\ud83d é", ".md", ["looker", "-x"], env, shown=False) == EditorResult(
        0, False
    )
    record = record_of(tmp_path)
    assert (record["mode"], record["folder"]) == (0o600, 0o700)
    assert record["bytes"].encode("latin-1") == b"a\x1b[2J\tb\\ud83d \xc3\xa9"
    assert record["arguments"] == ["-x"]
    assert record["path"].endswith("/entry.md")
    assert record["environment"]["SOME"] == "thing"
    assert not list((tmp_path / "tmp").iterdir())


def test_a_copy_for_a_pager_is_inert(program, tmp_path):
    open_copy("a\x1b[2J\n\x9bb", ".txt", ["looker"], program("looker"), shown=True)
    assert record_of(tmp_path)["bytes"].encode("latin-1").decode() == "a␛[2J\n\ufffdb"


def test_a_changed_copy_is_reported_and_removed(program, tmp_path):
    more = "open(path, 'a').write('more'); open(path + '~', 'w').write('backup'); sys.exit(3)"
    assert open_copy("a", ".md", ["looker"], program("looker", more), shown=False) == EditorResult(3, True)
    more = "os.remove(path)"
    assert open_copy("a", ".md", ["looker"], program("looker", more), shown=False) == EditorResult(0, True)
    assert not list((tmp_path / "tmp").iterdir())


def test_an_interrupt_is_left_to_the_program(program):
    before = signal.getsignal(signal.SIGINT)
    env = program("looker", "import signal; os.kill(os.getppid(), signal.SIGINT)")
    assert open_copy("a", ".md", ["looker"], env, shown=False) == EditorResult(0, False)
    assert signal.getsignal(signal.SIGINT) is before
    env = program("looker", "import signal; os.kill(os.getpid(), signal.SIGINT)")
    assert open_copy("a", ".md", ["looker"], env, shown=False).status != 0


def test_a_program_that_cannot_start_leaves_no_copy(program, tmp_path):
    env = program("looker")
    broken = tmp_path / "bin/broken"
    broken.write_text("#!/no/such/interpreter\n")
    broken.chmod(stat.S_IRWXU)
    with pytest.raises(OSError, match="No such file"):
        open_copy("a", ".md", ["broken"], env, shown=False)
    assert not list((tmp_path / "tmp").iterdir())
