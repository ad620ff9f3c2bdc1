"""The installed `leafmark`: the examples of its help page, and module and command beside another `app`."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.cases import cases
from tests.factory import chain, write_session
from tests.readme import PAGES

FOREIGN = "raise SystemExit('a foreign app ran')\n"
IMPORTS = """
try:
    import leafmark
except ImportError as error:
    print(error)
import app
print(app.mine)
"""


def run(home: Path, *command: str | Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in the folder `home`, which is the home folder too.

    :param path: the value of PYTHONPATH; None for none.
    """
    env = {"HOME": str(home), "PATH": os.defpath, "USER": "carol"} | (
        {"PYTHONPATH": str(path)} if path else {}
    )
    return subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, timeout=60, check=False)


def write_shop(home: Path) -> Path:
    """A session of pi in the folder `work/shop` of a home."""
    folder = home / ".pi/agent/sessions" / f"--{str(home / 'work/shop').strip('/').replace('/', '-')}--"
    lines = chain("a token bucket", "It drips.", cwd=str(home / "work/shop"))
    return write_session(folder / "2026-05-01T10-00-00-000Z_s1.jsonl", *lines)


@cases("name", ["app.py", "app/__init__.py"])
def test_the_command_runs_beside_another_app(installed_python: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "code" / name).parent.mkdir(parents=True)
    (tmp_path / "code" / name).write_text(FOREIGN)
    write_shop(tmp_path)
    done = run(tmp_path, installed_python.with_name("leafmark"), "list", path=tmp_path / "code")
    assert (done.returncode, done.stderr) == (0, "")
    assert "a token bucket" in done.stdout


@cases("before", ["", "import app"], ids=["first on the path", "imported already"])
def test_a_project_keeps_its_own_app(installed_python: Path, tmp_path: Path, before: str) -> None:
    (tmp_path / "app.py").write_text("mine = 'still mine'\n")
    done = run(tmp_path, installed_python, "-c", before + IMPORTS)
    reason, mine = done.stdout.splitlines()
    assert f"needs its own package `app`, and Python has another one ({tmp_path}/app.py)" in reason
    assert mine == "still mine"


def test_the_examples_of_the_help_page_run(installed_python: Path, tmp_path: Path) -> None:
    path = write_shop(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", (PAGES / "library.md").read_text("utf-8"), re.DOTALL)
    program = "\n".join(f"exec({example!r}, {{}})\nprint('--')" for example in examples)
    done = run(tmp_path, installed_python, "-c", program)
    assert done.stderr == ""
    found, read, branched, shared = (part.strip() for part in done.stdout.split("--\n")[:-1])
    assert found == f"a token bucket {path} a token bucket"
    assert [line.split()[0] for line in read.splitlines()] == ["user", "assistant"]
    assert branched == ""
    assert '"parentId":"00000001"' in path.read_text().splitlines()[-1]
    assert "Try it with a queue" in path.read_text().splitlines()[-1]
    assert "Try it with a queue" in (tmp_path / "session.html").read_text()
    assert shared == "password=[redacted: password]"
