"""Resuming a session (formats/README.md, "Resuming"): the plan, its problems, and `exec` of a fake
program.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import Plan, ResumeError, execute, plan
from app.formats import inert
from app.stores import discover

if TYPE_CHECKING:
    from leafmark import Store

ROOT = Path(__file__).resolve().parents[2]

FAKE = """#!{python}
import json, os, sys
print(json.dumps({{"argv": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}}))
"""


class Machine:
    """A home folder, a working folder and fake programs; `env` names no others."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.work = root / "home" / "my work"
        self.bin = root / "bin"
        for folder in (self.home, self.work, self.bin):
            folder.mkdir()
        self.env = {"HOME": str(self.home), "PATH": str(self.bin), "PWD": "/old", "LANG": "C"}

    def install(self, *names: str) -> None:
        for name in names:
            (self.bin / name).write_text(FAKE.format(python=sys.executable))
            (self.bin / name).chmod(0o755)

    def session(self, root: str | Path, name: str = "s.jsonl") -> str:
        path = self.home / root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")
        return str(path)

    def store(self, agent: str, root: str | Path, extra: tuple[tuple[str, str], ...] = ()) -> Store:
        stores = discover(self.env, str(self.home), str(self.work), extra)
        wanted = str(self.home / root)
        [found] = [each for each in stores if agent in each.agents and each.root == wanted]
        return found

    def plan(
        self, agent: str, path: str, store: Store, cwd: str | None = None, session_id: str = "i"
    ) -> Plan:
        return plan(agent, path, session_id, str(self.work) if cwd is None else cwd, store, self.env)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def run(made: Plan) -> dict[str, object]:
    """Resume in a process of its own; return what the fake program received."""
    script = (
        "import json, sys; from app.actions.resume import Plan, execute;"
        "execute(Plan(**json.loads(sys.argv[1])))"
    )
    fields = {name: getattr(made, name) for name in Plan.__slots__}
    command = [sys.executable, "-c", script, json.dumps(fields)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_pi_from_the_default_store(machine: Machine) -> None:
    machine.install("pi")
    machine.env |= {"PI_CODING_AGENT_DIR": "/other", "PI_CODING_AGENT_SESSION_DIR": "/flat"}
    path = machine.session(".pi/agent/sessions/--x--")
    made = machine.plan("pi", path, machine.store("pi", ".pi/agent/sessions"))
    assert made.problem is None
    assert made.argv == ["pi", "--session", path]
    assert made.program == str(machine.bin / "pi")
    saw = run(made)
    assert saw["argv"] == ["--session", path]
    assert saw["cwd"] == str(machine.work)
    env = saw["env"]
    assert isinstance(env, dict)
    # The variables that lead pi to another store are removed, and PWD is the new folder.
    assert not [name for name in env if name.startswith("PI_")]
    assert (env["LANG"], env["PWD"]) == ("C", str(machine.work))
    assert made.shell == (
        f"cd {shlex.quote(str(machine.work))} && "
        f"env -u PI_CODING_AGENT_DIR -u PI_CODING_AGENT_SESSION_DIR pi --session {path}"
    )


def test_pi_from_a_moved_store_shared_with_omp(machine: Machine) -> None:
    machine.install("pi", "omp")
    machine.env["PI_CODING_AGENT_DIR"] = "~/moved"
    machine.env["OMP_PROFILE"] = "work"
    path = machine.session("moved/sessions/--x--")
    store = machine.store("pi", "moved/sessions")
    env = run(machine.plan("pi", path, store))["env"]
    assert isinstance(env, dict)
    assert env["PI_CODING_AGENT_DIR"] == str(machine.home / "moved")
    assert env["OMP_PROFILE"] == "work"  # pi ignores it.
    made = machine.plan("omp", path, store)
    assert made.argv == ["omp", "--resume", path]
    assert "OMP_PROFILE" not in made.environment  # With a profile, omp would ignore the other variable.
    assert made.environment["PI_CODING_AGENT_DIR"] == str(machine.home / "moved")


def test_a_custom_folder_repeats_session_dir(machine: Machine) -> None:
    machine.install("pi")
    extra = (("pi", "~/copy"), ("omp", "~/copy"))
    store = machine.store("pi", "copy", extra)
    flat = machine.session("copy")
    root = str(machine.home / "copy")
    assert machine.plan("pi", flat, store).argv == ["pi", "--session-dir", root, "--session", flat]
    assert machine.plan("omp", flat, store).argv == ["omp", "--session-dir", root, "--resume", flat]
    below = machine.session("copy/--x--")
    assert machine.plan("pi", below, store).argv == ["pi", "--session", below]


def test_omp_profile(machine: Machine) -> None:
    machine.install("omp")
    path = machine.session(".omp/profiles/work/agent/sessions/-x")
    made = machine.plan("omp", path, machine.store("omp", ".omp/profiles/work/agent/sessions"))
    assert made.environment["OMP_PROFILE"] == "work"
    assert made.shell.endswith(f"&& OMP_PROFILE=work omp --resume {path}")


def test_omp_below_xdg_folders(machine: Machine) -> None:
    machine.install("omp")
    data = str(machine.home / "x dg")
    path = machine.session("x dg/omp/sessions/-x")
    machine.env |= {"XDG_DATA_HOME": data, "XDG_STATE_HOME": "/state"}
    made = machine.plan("omp", path, machine.store("omp", "x dg/omp/sessions"))
    assert made.shell.endswith(f"&& XDG_DATA_HOME='{data}' omp --resume '{path}'")
    (machine.home / ".omp/agent/sessions").mkdir(parents=True)
    made = machine.plan("omp", path, machine.store("omp", ".omp/agent/sessions"))
    # The agent may run other programs that need the XDG variables.
    assert made.environment["XDG_DATA_HOME"] == data


def test_the_old_indusagi_is_resumed_by_path_and_the_new_one_is_not(machine: Machine) -> None:
    machine.install("indusagi", "indus")
    store = machine.store("indusagi", ".indusagi/agent/sessions")
    path = machine.session(".indusagi/agent/sessions/--x--")
    assert machine.plan("indusagi", path, store).argv == ["indusagi", "--session", path]
    transcript = machine.session(".indusagi/agent/sessions/--x--", "t.ndjson")
    made = machine.plan("indusagi", transcript, store, cwd="")
    assert made.problem is not None
    assert "picker" in made.problem
    assert made.shell == "indus --resume"
    with pytest.raises(ResumeError, match="picker"):
        execute(made)


def test_claude_is_resumed_by_id_with_the_variable_of_its_store(machine: Machine) -> None:
    machine.install("claude")
    machine.env["CLAUDE_CONFIG_DIR"] = "/elsewhere"
    store = machine.store("claude", ".claude/projects")
    made = machine.plan("claude", machine.session(".claude/projects/-x"), store, session_id="0198")
    assert (made.problem, made.argv) == (None, ["claude", "--resume", "0198"])
    assert made.shell.endswith("env -u CLAUDE_CONFIG_DIR claude --resume 0198")
    copy = machine.store("claude", "copy/projects", (("claude", "~/copy/projects"),))
    made = machine.plan("claude", machine.session("copy/projects/-x"), copy, session_id="0198")
    assert f"CLAUDE_CONFIG_DIR={machine.home}/copy claude" in made.shell
    odd = machine.store("claude", "odd", (("claude", "~/odd"),))
    assert "only in" in (machine.plan("claude", machine.session("odd/-x"), odd).problem or "")


def test_codex_is_resumed_by_id_and_asks_itself_about_an_archived_session(machine: Machine) -> None:
    machine.install("codex")
    path = machine.session(".codex/sessions/2026/02/26")
    made = machine.plan("codex", path, machine.store("codex", ".codex/sessions"), session_id="019c")
    assert (made.problem, made.argv) == (None, ["codex", "resume", "019c"])
    archived = machine.session(".codex/archived_sessions")
    store = machine.store("codex", ".codex/archived_sessions")
    made = machine.plan("codex", archived, store, session_id="019c")
    assert (made.problem, made.argv) == (None, ["codex", "resume", "019c"])
    machine.env["CODEX_HOME"] = str(machine.home / "moved")
    moved = machine.store("codex", "moved/sessions")
    made = machine.plan("codex", machine.session("moved/sessions/2026"), moved, session_id="019c")
    assert made.shell.endswith(f"CODEX_HOME={machine.home}/moved codex resume 019c")


def test_agent_needs_its_config(machine: Machine) -> None:
    machine.install("agent")
    store = machine.store("agent", ".config/agent/sessions")
    path = machine.session(".config/agent/sessions", "20260226-143012-a3f7c901.jsonl")
    made = machine.plan("agent", path, store, session_id="a3f7c901-1111-4222-8333-444455556666")
    assert made.argv == ["agent", "-config", "agent.yaml", "-session", "a3f7c901"]
    assert made.problem is not None
    assert "agent.yaml" in made.problem
    (machine.work / "agent.yaml").write_text("")
    made = machine.plan("agent", path, store, session_id="ffff-other")
    assert made.problem is None
    assert made.argv[-1] == "ffff-other"
    elsewhere = machine.store("agent", "else", (("agent", "~/else"),))
    problem = machine.plan("agent", machine.session("else"), elsewhere).problem
    assert problem is not None
    assert "only in" in problem


@pytest.mark.parametrize(
    ("cwd", "problem"),
    [
        ("~/gone", "the folder ~/gone is gone"),
        ("~/file", "~/file is no longer a folder"),
        ("", "the session names no folder"),
        ("Z:\\temp", "the session's folder, Z:\\temp, is not one of this system"),
    ],
)
def test_an_invalid_working_folder_is_a_problem(machine: Machine, cwd: str, problem: str) -> None:
    machine.install("pi")
    (machine.home / "file").write_text("")
    path = machine.session(".pi/agent/sessions/--x--")
    store = machine.store("pi", ".pi/agent/sessions")
    made = machine.plan("pi", path, store, cwd=cwd.replace("~", str(machine.home)))
    assert made.problem == f"{problem}; run this command in the folder where you want to work"
    assert made.shell == f"pi --session {path}"
    assert made.environment["PWD"] == "/old"


def test_a_missing_program_or_file_is_a_problem(machine: Machine) -> None:
    path = machine.session(".pi/agent/sessions/--x--")
    store = machine.store("pi", ".pi/agent/sessions")
    made = machine.plan("pi", path, store)
    assert made.program is None
    assert made.problem is not None
    assert made.problem.startswith("pi is not installed: npm install -g ")
    with pytest.raises(ResumeError, match="not installed"):
        execute(made)
    both = machine.plan("pi", path, store, cwd="/gone/for/long").problem
    assert both == f"the folder /gone/for/long is gone, and {made.problem}"
    (machine.bin / "pi").write_text("not executable")
    assert machine.plan("pi", path, store).program is None
    machine.install("pi")
    Path(path).unlink()
    assert machine.plan("pi", path, store).problem == "the session's file is gone"


def test_hostile_names_stay_one_word(machine: Machine) -> None:
    machine.install("pi")
    cwd = machine.home / "it's; rm -rf $HOME"
    cwd.mkdir()
    path = machine.session(".pi/agent/sessions/--x--", "a b$(c)'.jsonl")
    made = machine.plan("pi", path, machine.store("pi", ".pi/agent/sessions"), cwd=str(cwd))
    assert run(made)["argv"] == ["--session", path]
    words = shlex.split(made.shell)
    assert words == ["cd", str(cwd), "&&", "pi", "--session", path]
    done = subprocess.run(
        ["/bin/sh", "-c", made.shell], env=machine.env, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["cwd"] == str(cwd)


HOSTILE = [
    "a\\'\";touch PWNED #",
    "a\\",
    "'",
    "'\x01'",
    "\\'\n';touch PWNED;'",
    "two\nlines\ttab \x1b[2J\x7f",
    "ends with lines\n\n",
    "\n",
    "$(touch PWNED) (touch PWNED) `touch PWNED` {a,b} ~ * ? $HOME %self =x & | ; < >",
    "=ls",
    "%self",
    "~root",
    "$'x\x01",
    "100%s %d\x02\\n\\\\ it's !! x",
    "--leading -dashes",
    "bad \udcff byte\udc80\u202e \u2028 \ufdd0 \uf601 \ue000 \x9b",
    "日本 é e\u0301 \U0001f600\u200d",
]
RECORDER = """#!/bin/sh
printf '%s\\0' "$PWD" "$CODEX_HOME" "$#" "$@" >>"$RECORDS"
"""


@pytest.mark.parametrize(
    ("program", "shell"),
    [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish"), ("dash", "sh"), ("bash", "sh"), ("fish", "sh")],
)
def test_a_shell_resumes_whatever_a_folder_an_id_and_a_variable_are_called_and_runs_nothing_else(
    machine: Machine, tmp_path: Path, program: str, shell: str
) -> None:
    """One process of the shell runs the lines of all sessions, one after the other."""
    found = shutil.which(program) or pytest.skip(f"{program} is not installed")
    if (program, shell) == ("fish", "sh"):
        version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout
        if [int(part) for part in version.split()[-1].split(".")[:2]] < [3, 4]:
            pytest.skip("this fish does not read a command substitution between quotes")
    (machine.bin / "codex").write_text(RECORDER)
    (machine.bin / "codex").chmod(0o755)
    machine.env["PATH"] += f":{os.environ['PATH']}"
    lines, expected = [], []
    for number, text in enumerate(HOSTILE):
        work, codex_home = machine.home / f"work{number}" / text, machine.home / f"codex{number}" / text
        work.mkdir(parents=True)
        machine.env["CODEX_HOME"] = str(codex_home)
        path = machine.session(codex_home / "sessions/2026", "rollout.jsonl")
        store = machine.store("codex", codex_home / "sessions")
        line = machine.plan("codex", path, store, cwd=str(work), session_id=text).line_for(shell)
        # A terminal would obey the characters that are not inert. Newlines are kept at the end of a text.
        assert inert(line.replace("\n", "")) == line.replace("\n", "")
        assert "\n" not in line or (text.endswith("\n") and shell != "fish")
        lines.append(os.fsencode(line))
        arguments = ["resume", "--", text] if text.startswith("-") else ["resume", text]
        expected += [str(work), str(codex_home), str(len(arguments)), *arguments]
    del machine.env["CODEX_HOME"]
    records = tmp_path / "records"
    options = {"fish": ["--no-config"], "zsh": ["-f"]}.get(program, [])
    done = subprocess.run(
        [found, *options, "-c", b"\n".join(lines)],
        env=machine.env | {"LC_ALL": "C.UTF-8", "RECORDS": str(records)},
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert records.read_bytes().split(b"\0")[:-1] == list(map(os.fsencode, expected))
    assert not [path for path in tmp_path.rglob("PWNED") if path.name == "PWNED"]


def test_the_line_to_copy_is_for_the_shell_of_the_user(machine: Machine) -> None:
    machine.install("pi")
    path = machine.session(".pi/agent/sessions/--x--", "it's.jsonl")
    lines = {}
    for shell in ("/usr/bin/fish", "/bin/zsh", "/bin/bash", "/bin/dash", "/opt/nu", ""):
        machine.env["SHELL"] = shell
        made = machine.plan("pi", path, machine.store("pi", ".pi/agent/sessions"))
        lines[shell] = made.shell.rpartition("pi --session ")[2]
    fish = lines.pop("/usr/bin/fish")
    assert fish == "'{}'".format(path.replace("'", "\\'"))
    assert set(lines.values()) == {shlex.quote(path)}


def test_an_id_that_looks_like_an_option_is_none(machine: Machine) -> None:
    machine.install("claude", "codex")
    claude, codex = machine.session(".claude/projects/-x"), machine.session(".codex/sessions/2026")
    store = machine.store("claude", ".claude/projects")
    assert machine.plan("claude", claude, store, session_id="--x").argv == ["claude", "--resume=--x"]
    store = machine.store("codex", ".codex/sessions")
    assert machine.plan("codex", codex, store, session_id="--x").argv == ["codex", "resume", "--", "--x"]


def test_an_id_with_a_nul_byte_is_a_problem(machine: Machine) -> None:
    machine.install("agent")
    (machine.work / "agent.yaml").write_text("")
    path = machine.session(".config/agent/sessions")
    made = machine.plan("agent", path, machine.store("agent", ".config/agent/sessions"), session_id="a\0b")
    assert made.problem == "the session's id has a NUL in it, which no command takes"
    assert "\0" not in made.shell


def test_relative_entries_of_path_are_resolved_in_the_current_folder(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install("pi")
    monkeypatch.chdir(machine.bin.parent)
    machine.env["PATH"] = "bin"
    path = machine.session(".pi/agent/sessions/--x--")
    made = machine.plan("pi", path, machine.store("pi", ".pi/agent/sessions"))
    assert made.program == str(machine.bin / "pi")


def test_a_folder_removed_after_the_plan_is_an_error(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.install("pi")
    monkeypatch.chdir(machine.home)
    path = machine.session(".pi/agent/sessions/--x--")
    made = machine.plan("pi", path, machine.store("pi", ".pi/agent/sessions"))
    machine.work.rmdir()
    with pytest.raises(ResumeError, match="No such file"):
        execute(made)


@pytest.mark.skipif(sys.platform != "linux", reason="only there a program can be asked what it ignores")
def test_the_agent_does_not_inherit_ignored_signals(machine: Machine) -> None:
    """Python ignores SIGPIPE and SIGXFSZ, and a program inherits ignored signals at `exec`."""
    (machine.bin / "pi").write_text(
        "#!/bin/sh\n"
        "while read -r name value; do\n"
        '  case "$name" in SigIgn:) ignored=$value;; SigBlk:) blocked=$value;; esac\n'
        "done < /proc/self/status\n"
        'echo "{\\"ignored\\": \\"$ignored\\", \\"blocked\\": \\"$blocked\\"}"\n'
    )
    (machine.bin / "pi").chmod(0o755)
    path = machine.session(".pi/agent/sessions/--x--")
    saw = run(machine.plan("pi", path, machine.store("pi", ".pi/agent/sessions")))
    ignored, blocked = (int(str(saw[name]), 16) for name in ("ignored", "blocked"))
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        assert not (ignored | blocked) & 1 << (number - 1)


def test_a_failed_exec_restores_the_signals(machine: Machine) -> None:
    (machine.bin / "pi").write_text("#!/no/such/node --flag\n")
    (machine.bin / "pi").chmod(0o755)
    path = machine.session(".pi/agent/sessions/--x--")
    before = signal.getsignal(signal.SIGPIPE)
    folder = os.getcwd()
    try:
        with pytest.raises(ResumeError) as caught:
            execute(machine.plan("pi", path, machine.store("pi", ".pi/agent/sessions")))
    finally:
        os.chdir(folder)
    assert str(caught.value) == f"{machine.bin / 'pi'}: its interpreter, /no/such/node, is not there"
    assert signal.getsignal(signal.SIGPIPE) is before is signal.SIG_IGN


@pytest.mark.parametrize(
    ("agent", "root", "elsewhere"),
    [
        ("pi", ".pi/agent/sessions", "fork"),
        ("omp", ".omp/agent/sessions", "fork"),
        ("claude", ".claude/projects", "resume"),
        ("codex", ".codex/sessions", "resume"),
    ],
)
def test_a_session_whose_folder_is_gone_goes_on_in_another_one(
    machine: Machine, agent: str, root: str, elsewhere: str
) -> None:
    path = machine.session(f"{root}/x")
    store = machine.store(agent, root)
    assert machine.plan(agent, path, store, "/gone").elsewhere == "", "no program"
    machine.install(agent)
    assert machine.plan(agent, path, store, "/gone").elsewhere == elsewhere
    assert machine.plan(agent, path, store).elsewhere == ""
    if agent == "claude":
        inner = machine.session(f"{root}/x", "agent-1.jsonl")
        assert machine.plan(agent, inner, store, "/gone").elsewhere == "", "a sub-agent"
