"""Starting a new session (formats/README.md, "Resuming"): the plan, its problems, and `exec` of a fake
program.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.actions import ResumeError, execute, plan_new
from app.stores import discover
from tests.actions.test_resume import ROOT, Machine

if TYPE_CHECKING:
    from leafmark import Store


def store_of(machine: Machine, agent: str, source: str = "default") -> Store:
    stores = discover(machine.env, str(machine.home), str(machine.work))
    return next(store for store in stores if agent in store.agents and store.of(agent).source == source)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.install("pi", "omp", "indusagi", "indus", "agent", "claude", "codex")
    return machine


@pytest.mark.parametrize(
    ("agent", "argv"),
    [
        ("pi", ["pi"]),
        ("omp", ["omp"]),
        ("indusagi", ["indusagi"]),
        ("agent", ["agent", "-config", "agent.yaml"]),
        ("claude", ["claude"]),
        ("codex", ["codex"]),
    ],
)
def test_each_agent_is_started_in_the_folder(machine: Machine, agent: str, argv: list[str]) -> None:
    plan = plan_new(agent, str(machine.work), store_of(machine, agent), machine.env)
    assert (plan.argv, plan.cwd, plan.problem) == (argv, str(machine.work), None)
    assert plan.program == str(machine.bin / argv[0])
    assert plan.shell == f"cd '{machine.work}' && {' '.join(argv)}"


def test_the_new_indusagi_has_another_command(machine: Machine) -> None:
    machine.env["INDUSAGI_HOME"] = str(machine.home / "new")
    discovered = discover(machine.env, str(machine.home), str(machine.work))
    stores = {os.path.relpath(store.root, machine.home): store for store in discovered}
    argv = {
        root: plan_new("indusagi", str(machine.work), stores[root], machine.env).argv[0]
        for root in (".indusagi/agent/sessions", ".pindusagi/sessions", "new/sessions")
    }
    assert list(argv.values()) == ["indusagi", "indus", "indus"]


def test_a_custom_session_folder_is_passed_to_the_agent(machine: Machine) -> None:
    folder = str(machine.home / "copies")
    for agent in ("pi", "omp"):
        store = machine.store(agent, "copies", ((agent, folder),))
        plan = plan_new(agent, str(machine.work), store, machine.env)
        assert plan.argv == [agent, "--session-dir", folder]


def test_variables_that_lead_to_another_store_are_removed(machine: Machine) -> None:
    machine.env |= {"PI_CODING_AGENT_DIR": str(machine.home / "moved"), "OMP_PROFILE": "work"}
    plan = plan_new("omp", str(machine.work), store_of(machine, "omp"), machine.env)
    assert not {"PI_CODING_AGENT_DIR", "OMP_PROFILE"} & set(plan.environment)
    assert plan.shell.endswith("env -u PI_CODING_AGENT_DIR -u OMP_PROFILE omp")
    profile = plan_new("omp", str(machine.work), store_of(machine, "omp", "profile work"), machine.env)
    assert profile.environment["OMP_PROFILE"] == "work"
    assert "PI_CODING_AGENT_DIR" not in profile.environment


def test_the_agent_runs_in_the_working_folder(machine: Machine) -> None:
    script = (
        "import os, sys; from app.actions.resume import execute; from app.actions.resume import plan_new;"
        "from app.stores import discover; env = dict(os.environ); home, work = sys.argv[1:];"
        "store = discover(env, home, work)[0]; execute(plan_new('pi', work, store, env))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(machine.home), str(machine.work)],
        cwd=ROOT,
        env=machine.env,
        capture_output=True,
        text=True,
        check=True,
    )
    received = json.loads(done.stdout)
    assert (received["argv"], received["cwd"], received["env"]["PWD"]) == (
        [],
        str(machine.work),
        str(machine.work),
    )


@pytest.mark.parametrize(
    ("folder", "problem"),
    [("", "there is no folder"), ("relative", "there is no folder"), ("/gone/for/long", "is gone")],
)
def test_an_invalid_working_folder_is_a_problem(machine: Machine, folder: str, problem: str) -> None:
    plan = plan_new("pi", folder, store_of(machine, "pi"), machine.env)
    assert problem in (plan.problem or "")
    assert plan.shell == "pi"
    with pytest.raises(ResumeError, match=problem):
        execute(plan)


def test_a_missing_program_is_a_problem_with_the_install_command(machine: Machine) -> None:
    (machine.bin / "omp").unlink()
    plan = plan_new("omp", "/gone", store_of(machine, "omp"), machine.env)
    missing = "omp is not installed: npm install -g @oh-my-pi/pi-coding-agent"
    assert plan.problem == f"the folder /gone is gone, and {missing}"
    assert plan_new("omp", str(machine.home), store_of(machine, "omp"), machine.env).problem == missing
    with pytest.raises(ResumeError, match="not installed"):
        execute(plan)


def test_an_agent_that_does_not_use_the_store_is_refused(machine: Machine) -> None:
    with pytest.raises(KeyError):
        plan_new("omp", str(machine.work), store_of(machine, "pi"), machine.env)
