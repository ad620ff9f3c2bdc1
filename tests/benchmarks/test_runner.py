"""How the runner takes figures and judges them. The figures are not tested."""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.benchmarks.live import LIVE, LiveProject
from tests.benchmarks.measure import (
    START,
    Setting,
    in_turn,
    run,
)
from tests.benchmarks.peers import Peers
from tests.benchmarks.record import record
from tests.benchmarks.rows import Result, line
from tests.benchmarks.run import measured
from tests.cases import cases

if TYPE_CHECKING:
    from collections.abc import Iterator


@cases(
    ("result", "verdict", "fails"),
    [
        (Result("1", "list", "1 ms", ratio=0.45, limit=0.45, ci=True), "ok", False),
        (Result("1", "list", "1 ms", ratio=0.59, limit=0.45, ci=True), "LOST", False),
        (Result("1", "list", "1 ms", ratio=0.61, limit=0.45, ci=True), "LOST", True),
        (Result("1", "list", "1 ms", ratio=9.0, limit=0.45), "LOST", False),
        (Result("1", "list", "1 ms", ratio=9.0), "-", False),
        (Result("12", "truth", "1", value=1, limit=0, ci=True), "LOST", True),
    ],
)
def test_a_figure_beyond_its_limit_is_lost(result: Result, verdict: str, fails: bool) -> None:
    assert (result.verdict, result.fails_ci) == (verdict, fails)
    assert line(result).split()[-1] == verdict


def test_recorded_results_replace_the_earlier_ones(tmp_path: Path) -> None:
    file = tmp_path / "RESULTS.md"
    record([Result("9", "an older figure", "1 ms")], "corpus tiny", file)
    record(
        [Result("1", "list | all", "2 ms", "fr 1 ms", 2.0, 1.0), Result("5", "typed", "3 ms")],
        "corpus small",
        file,
    )

    text = file.read_text()

    assert "corpus small" in text
    assert "1 of 2 figures are beyond their limit" in text
    assert "| 1 | list \\| all | 2 ms | fr 1 ms | 2.000x | <= 1 | LOST |" in text
    assert "an older figure" not in text


def test_a_lost_ratio_is_measured_once_more(capsys: pytest.CaptureFixture[str]) -> None:
    """This is done only with `--ci`, and only once."""
    ratios = [0.9, 0.4, 0.9, 0.9, 0.9]

    def measure() -> Iterator[Result]:
        yield Result("1", "list", "1 ms", ratio=ratios.pop(0), limit=0.45, ci=True)

    assert not any(result.fails_ci for result in measured({"one": measure}, ["one"], ci=True))
    assert any(result.fails_ci for result in measured({"one": measure}, ["one"], ci=True))
    assert any(result.fails_ci for result in measured({"one": measure}, ["one"], ci=False))
    assert ratios == []
    assert capsys.readouterr().out.count("one once more") == 2


def test_a_measure_that_fails_is_lost() -> None:
    def measure() -> Iterator[Result]:
        raise OSError("no such thing")
        yield

    (result,) = measured({"one": measure}, ["one"], ci=False)
    assert result.fails_ci


def test_tasks_take_turns_and_give_medians() -> None:
    order: list[str] = []

    def task(name: str, figures: list[float]) -> float:
        order.append(name)
        return figures.pop()

    first, second = [1.0, 9.0, 2.0], [30.0, 10.0, 20.0]
    assert in_turn(3, lambda: task("a", first), lambda: task("b", second)) == [2.0, 20.0]
    assert order == ["a", "b"] * 3


def test_a_command_is_measured_and_a_failing_one_is_an_error(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path)}
    code = "import os; x = bytearray(60_000_000); print(os.getcwd())"
    done = run([sys.executable, "-c", code], env, keep=True)
    assert done.output.decode().strip() == str(tmp_path)
    assert done.peak > 60_000_000
    assert done.wall > 0
    with pytest.raises(RuntimeError, match=r"ended with 3: .*oh no"):
        run([sys.executable, "-c", "import sys; print('oh no', file=sys.stderr); sys.exit(3)"], env)


def test_the_peak_of_a_command_is_its_own(tmp_path: Path) -> None:
    """It is that of the biggest process of the command, and not of the runner, which may be bigger."""
    held = bytearray(100_000_000)
    env = {**os.environ, "HOME": str(tmp_path)}
    small = run([sys.executable, "-c", "pass"], env)
    assert 1_000_000 < small.peak < len(held) / 2
    child = "x = bytearray(80_000_000)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert run([sys.executable, "-c", code], env).peak > 80_000_000


def test_a_command_that_cannot_start_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="nowhere"):
        run([str(tmp_path / "nowhere")], {**os.environ, "HOME": str(tmp_path)})


def test_leafmark_sees_the_corpus_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PI_CODING_AGENT_DIR", "/somewhere")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/somewhere")
    monkeypatch.setenv("LEAFMARK_COMMAND", "other 'leaf mark'")
    setting = Setting(str(tmp_path / "corpus"), str(tmp_path))
    assert "/somewhere" not in setting.env.values()
    assert setting.env["HOME"] == str(tmp_path / "corpus" / "home")
    assert setting.leafmark("list") == ["other", "leaf mark", "list"]
    monkeypatch.delenv("LEAFMARK_COMMAND")
    assert setting.pi_env["HOME"] == setting.pi_env["HOME"] == str(tmp_path / "pi-home")
    assert os.listdir(setting.pi_env["HOME"]) == [".pi"]
    assert os.path.realpath(os.path.join(setting.pi_env["HOME"], ".pi")) == str(tmp_path / "corpus/home/.pi")
    assert setting.leafmark("list") == [sys.executable, "-c", START, "list"]


def test_the_live_project_appends_whole_lines_and_is_removed_at_the_end(tmp_path: Path) -> None:
    live = LiveProject(str(tmp_path), str(tmp_path / "sessions"))
    live.name(0, "a name")
    live.message(0, "a prompt")
    path = live.drafts[0].path
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(text) for text in file]
    assert [lines[0]["cwd"], lines[-2]["name"]] == [live.folder, "a name"]
    assert lines[-1]["parentId"] == lines[-2]["id"]
    assert len(lines) == 1 + len(live.drafts[0].truth.ids)
    live.close()
    assert not os.path.exists(path)


def test_renewing_the_live_project_restores_its_first_content(tmp_path: Path) -> None:
    live = LiveProject(str(tmp_path), str(tmp_path / "sessions"))
    path = Path(live.drafts[0].path)
    before, inode, title = path.read_bytes(), path.stat().st_ino, live.title(0)
    live.name(0, "a name")
    assert (path.read_bytes(), live.title(0)) != (before, title)
    live.renew()
    assert (path.read_bytes(), path.stat().st_ino, live.title(0)) == (before, inode, title)
    live.message(0, "a prompt")
    assert path.read_bytes() == before + live.drafts[0].lines[-1] + b"\n"
    live.close()


def test_the_live_project_is_renewed_before_each_measure() -> None:
    calls: list[str] = []

    def measure(name: str) -> Iterator[Result]:
        calls.append(name)
        yield Result("0", name, "", value=1, limit=0 if name == "lost" else 2, ci=True)

    measures = {name: partial(measure, name) for name in ("held", "lost")}
    measured(measures, ["held", "lost"], ci=True, before=lambda: calls.append("anew"))
    assert calls == ["anew", "held", "anew", "lost", "anew", "lost"]


def test_the_live_project_of_a_killed_run_is_removed_and_that_of_another_run_is_kept(tmp_path: Path) -> None:
    root = tmp_path / "sessions"
    for name, pid in (("dead", 2**22 + 1), ("alive", os.getppid())):
        folder = root / f"--{name}-{LIVE}--"
        folder.mkdir(parents=True)
        (folder / "pid.txt").write_text(str(pid))
    live = LiveProject(str(tmp_path), str(root))
    live.close()
    assert os.listdir(root) == [f"--alive-{LIVE}--"]


VARIABLES = ("LEAFMARK_BENCH_FR", "LEAFMARK_BENCH_PI", "LEAFMARK_BENCH_RG")


@pytest.fixture
def corpus(tmp_path: Path) -> Setting:
    """A corpus with one session of pi."""
    path = tmp_path / "corpus/home/.pi/agent/sessions/--a--/1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}\n")
    (tmp_path / "bench").mkdir()
    return Setting(str(tmp_path / "corpus"), str(tmp_path / "bench"))


def test_peers_that_are_not_installed_are_reported(
    corpus: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for variable in VARIABLES:
        monkeypatch.setenv(variable, str(tmp_path / "gone"))
    assert Peers(corpus, wanted=True).absent == ["fast-resume", "pi", "ripgrep"]
    assert Peers(corpus, wanted=False).absent == []
    assert os.listdir(corpus.folder) == []


def test_peers_see_links_in_a_home_of_their_own(
    corpus: Setting, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pi").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    peers = Peers(corpus, wanted=True)
    assert peers.absent == ["fast-resume", "ripgrep"]
    assert peers.pi_picker() == [str(tmp_path / "pi"), "--resume"]
    source = os.path.join(corpus.pi_root, "--a--/1.jsonl")
    assert os.path.samefile(source, os.path.join(peers.env["HOME"], ".pi/agent/sessions/--a--/1.jsonl"))
